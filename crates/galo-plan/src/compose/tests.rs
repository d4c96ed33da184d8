mod agree;
mod allowed;
mod bombs;
mod containers;
mod errors;
mod extends;
mod settings;
mod trust;

use proptest::prelude::*;

use sha2::{Digest, Sha256};

use super::*;
use crate::contender::{Ready, Service, Stop, Ulimit};
use crate::digest::hex;

static POLICY: Policy = Policy::of_budget(9999, 1500, 3072 << 20);

/// A contender with the ways of writing that contests' files have.
const COMPOSE: &str = r#"
version: "3.8"
name: rinha
x-galo: { challenge: pessoas, title: "Rust on SQLite", language: Rust }

x-api: &api
  image: galo/api:latest
  build: { context: ., dockerfile: Dockerfile }
  restart: always
  depends_on:
    db: { condition: service_healthy }
  environment: &env
    DB_HOST: db
    POOL: 30
    DEBUG: false
    EMPTY:
  ulimits: { nofile: { soft: 65536, hard: 65536 }, nproc: -1 }
  labels: [a=b]
  deploy: &limits
    resources:
      limits: { cpus: "0.45", memory: 512MB }

services:
  nginx:
    image: nginx:latest
    container_name: lb
    volumes: ["./nginx.conf:/etc/nginx/nginx.conf:ro", { type: volume, source: data, target: /data }]
    ports: ["9999:9999", { target: 80, published: "8080" }]
    expose: [80]
    networks: { net: { aliases: [lb] } }
    tmpfs: /tmp
    logging: { driver: none }
    depends_on: [api1, api2]
    command: nginx -g 'daemon off;'
    deploy: { resources: { limits: { cpus: 0.15, memory: 0.25gb }, reservations: { memory: 1mb } } }
    x-galo: { ready: "tcp://127.0.0.1:9999", ready_timeout: 5s, user: www-data }
  api1:
    <<: *api
    hostname: api1
    entrypoint: ["/bin/api", "--port"]
    command: ["8081"]
    x-galo:
      build: cargo build --release
      setup: echo $$HOME
      environment: { DB_HOST: 127.0.0.1, DATA: "${volume:data}/api1", EXTRA: "${UNSET:-by default}" }
      workdir: ..
  api2:
    <<: *api
    environment:
      <<: *env
      POOL: 31
    command: /bin/api --port 8082
    x-galo: { command: "target/api '8082 x'", ready: "http://127.0.0.1:8082/contagem-pessoas" }
  db:
    image: postgres:16
    user: "1000:1000"
    working_dir: /var/lib
    privileged: true
    network_mode: host
    environment: ["POSTGRES_PASSWORD=a=b", "PGDATA=${volume:data}", TZ]
    command: postgres -D ${volume:data} -c fsync=on
    healthcheck:
      test: ["CMD-SHELL", "pg_isready -U $${POSTGRES_USER}"]
      interval: 5s
      timeout: 3s
      retries: 5
      start_period: 10s
    deploy: *limits

volumes:
  data: { driver: local }
networks:
  net: { driver: bridge }
"#;

fn resolve(text: &str) -> Result<Vec<Service>, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("compose.yaml");
    let file = File { shown: "compose.yaml".to_owned(), path, text: text.to_owned(), named_at: None };
    let services = || -> Result<Vec<Service>, PlanError> {
        let document = Document::read(file, Some(Runner::Process))?;
        let reader = document.reader();
        let services = resolve::services(reader, RawCompose::read(reader, &document.root)?)?;
        resolve::check_budget(reader, &services, &POLICY)?;
        Ok(services)
    };
    services().map_err(|error| error.to_string())
}

/// One service with these lines in it.
fn one(lines: &str) -> String {
    let limits = "deploy: { resources: { limits: { cpus: \"0.5\", memory: 512MB } } }";
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "x-galo: {{ challenge: pessoas }}\nservices:\n  api:\n{lines}    {limits}\nvolumes: {{ data: }}\n"
    )
}

fn service(lines: &str) -> Service {
    resolve(&one(lines)).unwrap().remove(0)
}

fn error(lines: &str) -> String {
    resolve(&one(lines)).unwrap_err()
}

/// The message for the whole example with one piece of text replaced.
fn example_error(from: &str, to: &str) -> String {
    assert!(COMPOSE.contains(from), "{from}");
    resolve(&COMPOSE.replacen(from, to, 1)).unwrap_err()
}

fn words(text: &str) -> Vec<String> {
    text.split('|').map(str::to_owned).collect()
}

#[test]
fn services_start_after_what_they_depend_on_and_else_in_the_order_of_the_file() {
    let names: Vec<String> = resolve(COMPOSE).unwrap().into_iter().map(|service| service.name).collect();
    assert_eq!(names, ["db", "api1", "api2", "nginx"]);
}

#[test]
fn anchors_and_merge_keys_give_each_service_its_limits_and_environment() {
    let services = resolve(COMPOSE).unwrap();
    let [db, api1, api2, _] = &services[..] else { panic!("four services") };
    for service in [db, api1, api2] {
        assert_eq!((service.cpus_milli, service.memory_bytes), (450, 512 << 20), "{}", service.name);
    }
    assert_eq!(api1.environment["POOL"], "30");
    assert_eq!(api2.environment["POOL"], "31");
    assert_eq!(api2.environment["DEBUG"], "false");
    assert!(!api2.environment.contains_key("EMPTY"));
    assert_eq!(api1.depends_on, ["db"]);
}

#[test]
fn galos_own_keys_override_what_is_meant_for_a_container() {
    let services = resolve(COMPOSE).unwrap();
    let [db, api1, api2, nginx] = &services[..] else { panic!("four services") };
    assert_eq!(api1.command, words("/bin/api|--port|8081"));
    assert_eq!(api2.command, words("target/api|8082 x"));
    assert_eq!(nginx.command, words("nginx|-g|daemon off;"));
    assert_eq!(api1.environment["DB_HOST"], "127.0.0.1");
    assert_eq!(api1.environment["EXTRA"], "by default");
    assert_eq!(api1.build.as_deref(), Some("cargo build --release"));
    assert_eq!(api1.setup.as_deref(), Some("echo $HOME"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(api1.workdir, folder.parent().unwrap());
    assert_eq!(db.workdir, folder);
    assert_eq!((db.user.as_deref(), nginx.user.as_deref()), (None, Some("www-data")));
    assert_eq!((db.ready_timeout_ns, nginx.ready_timeout_ns), (60_000_000_000, 5_000_000_000));
}

#[test]
fn volumes_are_left_standing_and_told() {
    let services = resolve(COMPOSE).unwrap();
    assert_eq!(services[0].command, words("postgres|-D|${volume:data}|-c|fsync=on"));
    assert_eq!(services[0].environment["PGDATA"], "${volume:data}");
    assert_eq!(services[0].environment["POSTGRES_PASSWORD"], "a=b");
    assert_eq!(services[0].volumes, ["data"]);
    assert_eq!(services[1].environment["DATA"], "${volume:data}/api1");
    assert_eq!(services[1].volumes, ["data"]);
    assert!(services[2].volumes.is_empty());
}

#[test]
fn ulimits_are_one_number_or_two() {
    let api1 = &resolve(COMPOSE).unwrap()[1];
    assert_eq!(api1.ulimits["nofile"], Ulimit { soft: Some(65_536), hard: Some(65_536) });
    assert_eq!(api1.ulimits["nproc"], Ulimit { soft: None, hard: None });
}

#[test]
fn readiness_is_galos_own_else_the_health_check_else_that_it_runs() {
    let services = resolve(COMPOSE).unwrap();
    let command = words("sh|-c|pg_isready -U ${POSTGRES_USER}");
    assert_eq!(
        services[0].ready,
        Ready::Command { command, interval_ns: 5_000_000_000, timeout_ns: 3_000_000_000 }
    );
    assert_eq!(services[1].ready, Ready::Started);
    assert_eq!(services[2].ready, Ready::Http("http://127.0.0.1:8082/contagem-pessoas".to_owned()));
    assert_eq!(services[3].ready, Ready::Tcp("127.0.0.1:9999".to_owned()));
}

#[test]
fn a_service_is_asked_to_end_only_where_it_has_a_stop_signal() {
    let stop = |lines: &str| service(&format!("command: a\n{lines}")).stop;
    assert_eq!(stop("stop_signal: SIGQUIT"), Some(Stop { signal: 3, grace_ns: 10_000_000_000 }));
    assert_eq!(
        stop("stop_signal: 15\nstop_grace_period: 1m30s"),
        Some(Stop { signal: 15, grace_ns: 90_000_000_000 })
    );
    assert_eq!(stop("stop_signal: int\nstop_grace_period: 0s"), Some(Stop { signal: 2, grace_ns: 0 }));
    assert_eq!(stop("stop_grace_period: 1.5s"), None);
}

#[test]
fn a_service_may_run_on_all_cores_unless_it_names_some() {
    let cpuset = |lines: &str| service(&format!("command: a\n{lines}")).cpuset;
    assert_eq!(cpuset("cpuset: 0,2-3"), [0, 2, 3]);
    assert_eq!(cpuset("cpuset: 1"), [1]);
    assert_eq!(cpuset(""), [0_u16; 0]);
}

/// A folder with the example under `name`.
fn folder(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("fast")).unwrap();
    std::fs::write(folder.path().join("fast").join(name), COMPOSE).unwrap();
    folder
}

#[test]
fn a_contender_is_named_after_its_folder_and_one_of_another_file_after_both() {
    for (file, name) in [
        ("compose.yaml", "fast"),
        ("docker-compose.yml", "fast"),
        ("galo.yaml", "fast-galo"),
        ("fast.yaml", "fast"),
        ("compose.dev.yaml", "fast-compose.dev"),
    ] {
        let folder = folder(file);
        let path = folder.path().join("fast").join(file);
        let contender = Contender::load(&path, &Reading::untrusted(&POLICY)).unwrap();
        assert_eq!(contender.name, name);
        assert_eq!(contender.file, path.canonicalize().unwrap());
        assert_eq!(
            (contender.title.as_str(), contender.language.as_deref()),
            ("Rust on SQLite", Some("Rust"))
        );
        assert_eq!((contender.cpus_milli(), contender.memory_bytes()), (1500, 1792 << 20));
        assert_eq!(contender.file_sha256, hex(&Sha256::digest(std::fs::read(&path).unwrap())));
    }
}

#[test]
fn a_contender_is_named_as_its_file_says() {
    let named = |name: &str| {
        let folder = folder("compose.yaml");
        let path = folder.path().join("fast/compose.yaml");
        let text = COMPOSE.replace("challenge: pessoas,", &format!("challenge: pessoas, name: {name},"));
        assert_ne!(text, COMPOSE);
        std::fs::write(&path, text).unwrap();
        let loaded = Contender::load(&path, &Reading::untrusted(&POLICY)).map(|contender| contender.name);
        loaded.map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))
    };
    assert_eq!(named("quick-1.2"), Ok("quick-1.2".to_owned()));
    for wrong in ["../up", "a/b", "'a b'", "''", ".hidden", "-x"] {
        let told = named(wrong).unwrap_err();
        assert!(told.contains("is not a name for a contender; use letters, digits"), "{told}");
    }
    insta::assert_snapshot!(named("../up").unwrap_err(), @"FILE:4: `../up` is not a name for a contender; use letters, digits, `_`, `.` and `-`");
}

#[test]
fn a_folder_stands_for_its_compose_file() {
    let folder = folder("compose.yml");
    assert_eq!(
        Contender::load(&folder.path().join("fast"), &Reading::untrusted(&POLICY)).unwrap().name,
        "fast"
    );
    let error = Contender::load(folder.path(), &Reading::untrusted(&POLICY)).unwrap_err().to_string();
    let error = error.replace(&folder.path().display().to_string(), "FOLDER");
    insta::assert_snapshot!(error, @r"
    there is no Compose file in `FOLDER`
    hint: it may be named `compose.yaml`, `compose.yml`, `docker-compose.yml`, `docker-compose.yaml`
    ");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let missing = Contender::load(Path::new("/nowhere/compose.yaml"), &Reading::untrusted(&POLICY))
        .unwrap_err()
        .to_string();
    insta::assert_snapshot!(missing, @"cannot read `/nowhere/compose.yaml`: No such file or directory (os error 2)");
    let folder = folder("compose.yaml");
    let path = folder.path().join("fast").join("compose.yaml");
    std::fs::write(&path, b"x-galo: \xff").unwrap();
    let binary = Contender::load(&path, &Reading::untrusted(&POLICY)).unwrap_err().to_string();
    insta::assert_snapshot!(binary.replace(&path.display().to_string(), "FILE"), @"FILE: the file is not UTF-8 text");
}

/// Wrong on purpose in their Compose files already.
const REFUSED: [&str; 2] = ["no-limit", "over-budget"];

#[test]
fn every_contender_of_the_repository_is_valid_but_those_that_are_meant_to_be_refused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = ["contenders/pessoas", "fixtures/faulty", "fixtures/honest"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path().join("compose.yaml"))
        .filter(|file| file.is_file())
        .collect();
    files.sort();
    assert!(files.len() >= 40, "{files:?}");
    for file in files {
        let loaded = Contender::load(&file, &Reading::untrusted(&POLICY));
        if REFUSED.iter().any(|name| file.parent().unwrap().ends_with(name)) {
            assert!(loaded.is_err(), "{}", file.display());
            continue;
        }
        let contender = loaded.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(contender.challenge, "pessoas");
        assert!(
            contender.services.iter().all(|service| service.ready != Ready::Started),
            "{}",
            contender.name
        );
    }
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".*") {
        let _ = resolve(&text);
    }

    #[test]
    fn a_file_damaged_anywhere_never_panics(at in 0..COMPOSE.len(), cut in 0..40usize, text in "[ \n{}\\[\\]:$&*\"'a-z0-9-]{0,10}") {
        let after = (at + cut).min(COMPOSE.len());
        let damaged = format!("{}{text}{}", &COMPOSE[..at], &COMPOSE[after..]);
        let _ = resolve(&damaged);
    }
}
