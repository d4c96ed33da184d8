//! What Compose makes of a file, against what galo read. The outputs of Compose 1.29 are recorded; those of 2 are written
//! by hand in its form.

use super::containers::{contest, read};
use super::*;

const CONTEST: &str = include_str!("agree/contest.yaml");
const V1: &str = include_str!("agree/contest.v1.yaml");
const V2: &str = include_str!("agree/contest.v2.yaml");

/// The folder, and its contender over whatever budget.
fn contender() -> (tempfile::TempDir, Contender) {
    let folder = contest(CONTEST);
    std::fs::write(folder.path().join(".env"), "MODE=test\n").unwrap();
    let reading = Reading { is_over_budget_known: true, ..Reading::untrusted(&POLICY) };
    let contender = read(&folder, &reading).unwrap();
    (folder, contender)
}

/// What is told where Compose prints this with one piece of text replaced.
fn agrees(config: &str, from: &str, to: &str) -> Result<(), String> {
    assert!(config.contains(from), "{from}");
    let (folder, contender) = contender();
    let root = folder.path().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let config = config.replacen(from, to, 1).replace("FOLDER", root);
    contender.agrees_with_compose(&config).map_err(|error| {
        let told = error.to_string().replace(root, "FOLDER");
        let (told, hint) = told.split_once('\n').unwrap_or((&told, ""));
        assert!(hint.is_empty() || hint.starts_with("hint: "), "{hint}");
        told.to_owned()
    })
}

#[test]
fn both_versions_of_compose_read_a_contests_file_as_galo_does() {
    assert_eq!(agrees(V1, "services:", "services:"), Ok(()));
    assert_eq!(agrees(V2, "services:", "services:"), Ok(()));
}

#[test]
fn compose_reads_a_file_for_both_runners_as_galo_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contenders/pessoas/rust-sqlite");
    let reading = Reading { runner: Some(Runner::Docker), ..Reading::untrusted(&POLICY) };
    let contender = Contender::load(&root, &reading).unwrap();
    assert!(contender.services.iter().all(|service| service.container.is_some()));
    contender.agrees_with_compose(include_str!("agree/rust-sqlite.v1.yaml")).unwrap();
}

#[test]
fn every_field_that_differs_is_told_with_both_values() {
    insta::assert_snapshot!(agrees(V1, "cpus: 0.17", "cpus: 0.71").unwrap_err(), @"FOLDER/docker-compose.yml: service `nginx`: Compose reads cpus 0.71 where galo read 0.17");
    insta::assert_snapshot!(agrees(V2, "\"314572800\"", "\"314572801\"").unwrap_err(), @"FOLDER/docker-compose.yml: service `nginx`: Compose reads memory 314572801 bytes where galo read 314572800 bytes");
    insta::assert_snapshot!(agrees(V1, "published: 9999", "published: 9998").unwrap_err(), @"FOLDER/docker-compose.yml: service `nginx`: Compose reads published ports [8000, 8001, 8002, 9998] where galo read [8000, 8001, 8002, 9999]");
    insta::assert_snapshot!(agrees(V2, "target: /html", "target: /htm").unwrap_err(), @r#"FOLDER/docker-compose.yml: service `nginx`: Compose reads mounts ["FOLDER/conf/nginx.conf:/etc/nginx/nginx.conf:ro", "FOLDER/html:/htm:rw"] where galo read ["FOLDER/conf/nginx.conf:/etc/nginx/nginx.conf:ro", "FOLDER/html:/html:rw"]"#);
    insta::assert_snapshot!(agrees(V2, "        read_only: true\n", "").unwrap_err(), @r#"FOLDER/docker-compose.yml: service `nginx`: Compose reads mounts ["FOLDER/conf/nginx.conf:/etc/nginx/nginx.conf:rw", "FOLDER/html:/html:rw"] where galo read ["FOLDER/conf/nginx.conf:/etc/nginx/nginx.conf:ro", "FOLDER/html:/html:rw"]"#);
    insta::assert_snapshot!(agrees(V2, "FOLDER/html", "FOLDER/other").unwrap_err(), @r#"FOLDER/docker-compose.yml: service `nginx`: Compose reads mounts ["FOLDER/conf/nginx.conf:/etc/nginx/nginx.conf:ro", "FOLDER/other:/html:rw"] where galo read ["FOLDER/conf/nginx.conf:/etc/nginx/nginx.conf:ro", "FOLDER/html:/html:rw"]"#);
    insta::assert_snapshot!(agrees(V1, "    network_mode: host\n", "").unwrap_err(), @"FOLDER/docker-compose.yml: service `side`: Compose reads host network false where galo read true");
    insta::assert_snapshot!(agrees(V1, "      api2:\n        condition: service_started\n", "").unwrap_err(), @r#"FOLDER/docker-compose.yml: service `nginx`: Compose reads depends_on ["api1"] where galo read ["api1", "api2"]"#);
    insta::assert_snapshot!(agrees(V1, "pids_limit: 500", "pids_limit: 5000").unwrap_err(), @"FOLDER/docker-compose.yml: service `db`: Compose reads processes 5000 where galo read 500");
    insta::assert_snapshot!(agrees(V1, "  side:\n", "  beside:\n").unwrap_err(), @r#"FOLDER/docker-compose.yml: Compose reads the services ["api1", "api2", "beside", "db", "nginx"] where galo read ["api1", "api2", "db", "nginx", "side"]"#);
    insta::assert_snapshot!(agrees(V1, "services:", "servces:").unwrap_err(), @"FOLDER/docker-compose.yml (as Compose reads it):3: unknown key `servces`; did you mean `services`?");
}

#[test]
fn compose_may_ask_for_no_more_trust_than_the_file() {
    insta::assert_snapshot!(agrees(V1, "    network_mode: host\n", "    network_mode: host\n    privileged: true\n").unwrap_err(), @"FOLDER/docker-compose.yml: service `side`: Compose reads `privileged: true` (lifts all that keeps it in) where galo read nothing of it");
    insta::assert_snapshot!(agrees(V2, "FOLDER/html", "/etc").unwrap_err().split("repository").next().unwrap(), @"FOLDER/docker-compose.yml: service `nginx`: Compose reads the mount of `/etc` (lies outside of the folder's");
}

#[test]
fn a_file_that_changed_since_it_was_read_is_told() {
    let (folder, contender) = contender();
    std::fs::write(folder.path().join("docker-compose.yml"), format!("{CONTEST}\n#\n")).unwrap();
    let told = contender.agrees_with_compose(V1).unwrap_err().to_string();
    assert!(told.contains("docker-compose.yml: the file has changed since it was read\nhint: "), "{told}");
}

#[test]
fn a_file_of_variables_that_changed_is_told_too() {
    let (folder, contender) = contender();
    std::fs::write(folder.path().join(".env"), "MODE=fast\n").unwrap();
    let told = contender.agrees_with_compose(V1).unwrap_err().to_string();
    assert!(told.contains("the file has changed since it was read"), "{told}");
    assert!(contender.require_unchanged().is_err());
}

#[test]
fn a_trusted_file_and_compose_may_say_the_same_in_other_forms() {
    let file = "services:\n  api:\n    build: ..\n    privileged: true\n    ports: ['9999:80']\n    volumes: ['../x:/x']\n    cpus: 1\n    mem_limit: 1g\n";
    let folder = contest(file);
    let root = folder.path().canonicalize().unwrap();
    let above = root.parent().unwrap().to_str().unwrap();
    let config = format!(
        "services:\n  api:\n    build: {{ context: {above}, dockerfile: Dockerfile }}\n    privileged: true\n    ports: [{{ published: '9999', target: 80 }}]\n    \
         volumes: [{{ type: bind, source: {above}/x, target: /x }}]\n    cpus: 1.0\n    mem_limit: '1073741824'\n"
    );
    let trusted = read(&folder, &Reading { is_trusted: true, ..Reading::untrusted(&POLICY) }).unwrap();
    trusted.agrees_with_compose(&config).unwrap();
    let more = config.replace("    privileged: true\n", "    privileged: true\n    pid: host\n");
    let told = trusted.agrees_with_compose(&more).unwrap_err().to_string();
    assert!(told.contains("service `api`: Compose reads `pid: host`"), "{told}");
}
