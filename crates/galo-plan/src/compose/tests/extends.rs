//! Services that extend others.

use super::*;

/// What most tests extend, in a folder of its own.
const BASE: &str = r#"
services:
  api:
    image: galo/api
    command: [base, --port, "1"]
    entrypoint: [run]
    environment: { A: a, B: b, C: c }
    depends_on: [db]
    ulimits: { nofile: 16, nproc: 4 }
    healthcheck: { test: [CMD, a, b], interval: 5s }
    deploy: { resources: { limits: { cpus: "0.3", memory: 256MB } } }
    x-galo: { workdir: inner, setup: prepare, environment: { A: "${volume:data}", G: g } }
  db:
    command: sleep 9
    deploy: { resources: { limits: { cpus: "0.1", memory: 64MB } } }
"#;

/// A folder with `contender/compose.yaml` and `shared/base.yaml`.
fn folder(own: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("shared/inner")).unwrap();
    std::fs::create_dir(folder.path().join("contender")).unwrap();
    write(&folder, "shared/base.yaml", BASE);
    write(&folder, "contender/compose.yaml", own);
    folder
}

fn write(folder: &tempfile::TempDir, file: &str, text: &str) {
    std::fs::write(folder.path().join(file), text).unwrap();
}

fn load(folder: &tempfile::TempDir) -> Result<Contender, String> {
    Contender::load(&folder.path().join("contender"), &Reading::untrusted(&POLICY)).map_err(|error| {
        let parent = folder.path().display().to_string();
        error.to_string().replace(&parent, "FOLDER")
    })
}

/// `api` and `db` of the base, with these lines in `api`.
fn extending(lines: &str) -> String {
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    let extends =
        |service: &str| format!("    extends: {{ file: ../shared/base.yaml, service: {service} }}\n");
    format!(
        "x-galo: {{ challenge: pessoas }}\nservices:\n  api:\n{}{lines}  db:\n{}volumes: {{ data: }}\n",
        extends("api"),
        extends("db")
    )
}

fn api(lines: &str) -> Service {
    let folder = folder(&extending(lines));
    load(&folder).unwrap().services.into_iter().find(|service| service.name == "api").unwrap()
}

fn variables(service: &Service) -> Vec<String> {
    service.environment.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

#[test]
fn a_service_takes_over_all_that_another_file_says_about_it() {
    let folder = folder(&extending(""));
    let contender = load(&folder).unwrap();
    let [db, api] = &contender.services[..] else { panic!("two services") };
    assert_eq!(db.command, words("sleep|9"));
    assert_eq!(api.command, words("run|base|--port|1"));
    assert_eq!(variables(api), ["A=${volume:data}", "B=b", "C=c", "G=g"]);
    assert_eq!((api.cpus_milli, api.memory_bytes), (300, 256 << 20));
    assert_eq!((&api.depends_on[..], &api.volumes[..]), (&words("db")[..], &words("data")[..]));
    assert_eq!(api.setup.as_deref(), Some("prepare"));
    // Relative to the file that says it; where none says any, to the contender's own.
    let path = |name: &str| folder.path().canonicalize().unwrap().join(name);
    assert_eq!((&api.workdir, &db.workdir), (&path("shared/inner"), &path("contender")));
}

#[test]
fn maps_are_merged_and_the_extending_services_own_entries_win() {
    let service = api("environment: [B=own, C]\n\
         ulimits: { nofile: 32 }\n\
         healthcheck: { interval: 2s }\n\
         deploy: { resources: { limits: { cpus: \"0.2\" } } }\n\
         x-galo: { environment: { G: own, A: }, setup: other }");
    // A variable without a value is not set.
    assert_eq!(variables(&service), ["B=own", "G=own"]);
    assert_eq!(service.ulimits["nofile"], Ulimit { soft: Some(32), hard: Some(32) });
    assert_eq!(service.ulimits["nproc"], Ulimit { soft: Some(4), hard: Some(4) });
    let Ready::Command { command, interval_ns, .. } = service.ready else { panic!("a command") };
    assert_eq!((command, interval_ns), (words("a|b"), 2_000_000_000));
    assert_eq!((service.cpus_milli, service.memory_bytes), (200, 256 << 20));
    assert_eq!(service.setup.as_deref(), Some("other"));
}

#[test]
fn commands_are_replaced_whole_and_what_says_nothing_replaces_nothing() {
    let service = api("command: [own]\nhealthcheck: { test: [CMD, c] }\nentrypoint:\nx-galo:");
    assert_eq!(service.command, words("run|own"));
    assert!(matches!(service.ready, Ready::Command { command, .. } if command == words("c")));
    assert_eq!(api("x-galo: { command: [mine] }").command, words("mine"));
}

#[test]
fn dependencies_are_joined_however_they_are_written() {
    for own in ["depends_on: [other]", "depends_on: { other: { condition: service_started } }"] {
        let own = extending(own).replace("volumes: {", "  other: { extends: db }\nvolumes: {");
        let services = load(&folder(&own)).unwrap().services;
        assert_eq!(services[2].depends_on, ["db", "other"], "{own}");
    }
}

#[test]
fn an_extended_service_may_extend_one_of_its_own_file_or_of_a_third() {
    let folder = folder(&extending("extends: { file: ../shared/second.yaml, service: api }").replacen(
        "    extends: { file: ../shared/base.yaml, service: api }\n",
        "",
        1,
    ));
    let second = "services:\n  api:\n    extends: middle\n    environment: { C: second }\n\
                  \x20 middle:\n    extends: { file: base.yaml, service: api }\n    environment: { B: middle, C: middle }\n";
    write(&folder, "shared/second.yaml", second);
    let services = load(&folder).unwrap().services;
    assert_eq!(variables(&services[1]), ["A=${volume:data}", "B=middle", "C=second", "G=g"]);
}

#[test]
fn the_digest_covers_every_file() {
    let folder = folder(&extending(""));
    let digest = || load(&folder).unwrap().file_sha256;
    let first = digest();
    assert_eq!(first, digest());
    let shared = std::fs::read_to_string(folder.path().join("shared/base.yaml")).unwrap();
    write(&folder, "shared/base.yaml", &format!("{shared}# changed\n"));
    let second = digest();
    assert_ne!(first, second);
    write(&folder, "contender/compose.yaml", &extending("# changed"));
    assert_ne!(second, digest());
}

/// The message for lines of `api`, with the base changed.
fn error_with(lines: &str, change: impl Fn(&str) -> String) -> String {
    let folder = folder(&extending(lines));
    let base = std::fs::read_to_string(folder.path().join("shared/base.yaml")).unwrap();
    write(&folder, "shared/base.yaml", &change(&base));
    load(&folder).unwrap_err()
}

#[test]
fn what_an_extended_file_says_wrong_is_told_with_that_file_and_line() {
    insta::assert_snapshot!(error_with("", |base| base.replace("image:", "imgae:")), @"FOLDER/contender/../shared/base.yaml:4: unknown key `imgae`; did you mean `image`?");
    insta::assert_snapshot!(error_with("", |base| base.replace("workdir: inner", "workdir: outer")), @r"
    FOLDER/contender/../shared/base.yaml:12: cannot use the `workdir` `FOLDER/shared/outer`: No such file or directory (os error 2)
    hint: it is relative to the folder of the file that says it
    ");
    insta::assert_snapshot!(error_with("", |base| base.replace("services:", "services: [")), @"FOLDER/contender/../shared/base.yaml:4: while parsing a flow mapping, did not find expected ',' or '}'");
    insta::assert_snapshot!(error_with("", |base| base.replace("{ A: a, B: b, C: c }", "a")), @"FOLDER/contender/../shared/base.yaml:7: `environment` must be a map, not text");
    insta::assert_snapshot!(error_with("", |base| base.replace("    image:", "    env_file: x\n    image:")), @r"
    FOLDER/contender/../shared/base.yaml:4: `env_file` is not supported (in `services.api`)
    hint: write its variables into `environment`
    ");
    insta::assert_snapshot!(error_with("", |base| base.replace("    deploy:", "    x-deploy:")), @r#"
    FOLDER/contender/compose.yaml:5: service `db` has no CPU limit
    hint: write `deploy: { resources: { limits: { cpus: "0.5", memory: 512MB } } }` in it
    "#);
}

#[test]
fn what_is_not_there_to_extend_is_told() {
    insta::assert_snapshot!(error_with("", |base| base.replace("  api:", "  apis:")), @"FOLDER/contender/compose.yaml:4: `extends`: unknown service `api`; did you mean `apis`? (in `FOLDER/contender/../shared/base.yaml`)");
    insta::assert_snapshot!(error_with("", |_| "version: '3'\n".to_owned()), @"FOLDER/contender/compose.yaml:4: `extends`: unknown service `api`; there are none (in `FOLDER/contender/../shared/base.yaml`)");
    insta::assert_snapshot!(error("extends: { file: a.yaml, service: b }"), @r"
    compose.yaml:4: cannot read `a.yaml`, which `extends` names: No such file or directory (os error 2)
    hint: it is relative to the folder of the file that says it
    ");
    insta::assert_snapshot!(error("extends: { file: a.yaml }"), @"compose.yaml:4: `extends` names no `service`");
    insta::assert_snapshot!(error("extends: { files: a.yaml, service: b }"), @"compose.yaml:4: unknown key `files`; did you mean `file`?");
    insta::assert_snapshot!(error("extends: apo"), @"compose.yaml:4: `extends`: unknown service `apo`; did you mean `api`? (in `compose.yaml`)");
    insta::assert_snapshot!(error("extends: [api]"), @"compose.yaml:4: `extends` must be text, not a list");
    insta::assert_snapshot!(error("extends: { file: '${FILE}', service: b }"), @r"
    compose.yaml:4: `file`: `${FILE}` has no value, since galo's own environment is not passed on
    hint: write a default, `${FILE:-...}`, or `$$` where a `$` is meant
    ");
}

#[test]
fn services_that_extend_one_another_in_a_circle_are_told() {
    insta::assert_snapshot!(error("extends: api"), @r"
    compose.yaml:4: services extend one another in a circle: `api` -> `api`
    hint: write one of them out
    ");
    let through = |base: &str| {
        let back = "    extends: { file: ../contender/compose.yaml, service: api }\n    image:";
        base.replacen("    image:", back, 1)
    };
    insta::assert_snapshot!(error_with("", through), @r"
    FOLDER/contender/../shared/base.yaml:4: services extend one another in a circle: `api` -> `api` -> `api`
    hint: write one of them out
    ");
}

#[test]
fn what_stands_for_more_than_memory_holds_is_refused() {
    let row = |length: usize| {
        let links = (1..length).map(|n| format!("  s{n}: {{ extends: s{} }}\n", n + 1));
        format!("services:\n{}  s{length}: {{ image: a }}\n", links.collect::<String>())
    };
    let told = load(&folder(&row(30))).unwrap_err();
    assert!(!told.contains("`extends`"), "a row of 30 is read to its end: {told}");
    insta::assert_snapshot!(load(&folder(&row(5_000))).unwrap_err(), @r"
    FOLDER/contender/compose.yaml:34: more than 32 services extend one another in a row
    hint: write some of them out
    ");
    let big = format!("services:\n  base: {{ image: {} }}\n", "a".repeat(1 << 20));
    let many = (0..300).map(|n| format!("  s{n}: {{ extends: base }}\n")).collect::<String>();
    insta::assert_snapshot!(load(&folder(&(big + &many))).unwrap_err(), @r"
    FOLDER/contender/compose.yaml:258: what services extend has more than 256 MiB, all together
    hint: write some of them out
    ");
}
