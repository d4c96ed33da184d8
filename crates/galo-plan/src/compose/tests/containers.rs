//! A contest's own files, as their writers have them.

use super::*;
use crate::contender::{Bind, Container};

/// What a folder of a contest may hold: nothing of it names galo.
const CONTEST: &str = r#"
version: "3.9"

x-limits: &limits
  resources: { limits: { cpus: '0.3333', memory: '0.5GB' } }

services:
  api1: &api
    image: somebody/api:1.2
    hostname: api1
    user: "1000"
    restart: no
    expose: ["8080"]
    env_file: [.env]
    links: [db]
    depends_on:
      cache: { condition: service_started }
    environment: &env
      - DB_HOST=db
      - MODE=${MODE:-slow}
      - SECRET=$SECRET-$$x
    command: ./api --port "80 80"
    entrypoint: ["/bin/tini", "--"]
    sysctls: { net.core.somaxconn: 1024 }
    deploy: *limits
  api2:
    <<: *api
    hostname: api2
    environment:
      MODE: fast
  nginx:
    image: nginx
    container_name: lb
    volumes:
      - ./nginx.conf:/etc/nginx/nginx.conf:ro
      - "logs:/var/log"
      - /anonymous
      - { type: bind, source: ./html, target: /html }
      - { type: tmpfs, target: /tmp }
    depends_on: [api1, api2]
    ports: ["9999:80", "127.0.0.1:8000-8001:81-82/tcp", "53:53/udp", "90", { target: 91, published: "8002" }]
    networks: [default, front]
    logging: { driver: none }
    cpus: "0.0834"
    mem_limit: 300M
  db:
    build: { context: ., dockerfile: Dockerfile.db, args: { A: b } }
    network_mode: host
    ports: ["5432:5433"]
    healthcheck: { test: pg_isready, interval: 2s, start_interval: 1s }
    ulimits: { nofile: 1000 }
    stop_signal: SIGINT
    pids_limit: 100
    deploy: { resources: { limits: { cpus: 0.5, memory: 1.5GiB } } }
  cache:
    image: redis:7
    healthcheck: { test: null }
    deploy: { resources: { limits: { cpus: ".1", memory: 80mB } } }
  tools: { image: adminer, profiles: [dev] }

networks: { front: { driver: bridge } }
volumes: { logs: }
"#;

/// A folder with this Compose file, under a name of its own in a repository of its own.
pub(super) fn contest(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("docker-compose.yml"), text).unwrap();
    folder
}

/// How it is read as it stands, with `FOLDER` for its folder in what is wrong.
pub(super) fn read(folder: &tempfile::TempDir, reading: &Reading<'_>) -> Result<Contender, String> {
    Contender::load(folder.path(), reading)
        .map_err(|error| error.to_string().replace(folder.path().to_str().unwrap(), "FOLDER"))
}

/// One service at the right port with these lines in it, and at the top what comes after `---`.
pub(super) fn container(lines: &str) -> Result<Contender, String> {
    let (lines, top) = lines.split_once("---\n").unwrap_or((lines, ""));
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    let limits = "deploy: { resources: { limits: { cpus: '0.5', memory: 512MB } } }";
    let image = if lines.contains("build") { "" } else { "    image: a:1\n" };
    let ports = if lines.contains("ports") { "" } else { "    ports: ['9999:80']\n" };
    let text = format!("services:\n  api:\n{lines}{image}{ports}    {limits}\n{top}");
    let folder = contest(&text);
    read(&folder, &Reading::untrusted(&POLICY))
        .map_err(|error| error.replace("FOLDER/docker-compose.yml", "FILE"))
}

fn wrong(lines: &str) -> String {
    container(lines).unwrap_err()
}

fn only(lines: &str) -> Service {
    container(lines).unwrap().services.remove(0)
}

#[test]
fn a_contests_own_file_is_read_as_it_is() {
    let folder = contest(CONTEST);
    std::fs::write(folder.path().join(".env"), "\u{feff}SECRET=s3\n").unwrap();
    let contender = read(&folder, &Reading::untrusted(&POLICY)).unwrap();
    assert_eq!((contender.runner, contender.challenge.as_str()), (Runner::Docker, ""));
    assert_eq!(contender.name, folder.path().file_name().unwrap().to_str().unwrap());
    let names: Vec<&str> = contender.services.iter().map(|service| service.name.as_str()).collect();
    assert_eq!(names, ["db", "cache", "api1", "api2", "nginx"]);
    let [db, cache, api1, api2, nginx] = &contender.services[..] else { panic!("five services") };
    assert_eq!((api1.cpus_milli, api1.cpus_nano(), api1.memory_bytes), (333, 333_300_000, 512 << 20));
    assert_eq!((db.memory_bytes, cache.memory_bytes, cache.cpus_milli), (1536 << 20, 80 << 20, 100));
    assert_eq!((nginx.cpus_milli, nginx.cpus_nano()), (83, 83_400_000));
    assert_eq!(api1.command, words("/bin/tini|--|./api|--port|80 80"));
    assert!(db.command.is_empty());
    assert_eq!((api1.environment["SECRET"].as_str(), api1.environment["MODE"].as_str()), ("s3-$x", "slow"));
    assert_eq!(api2.environment["MODE"], "fast");
    assert_eq!(api1.depends_on, ["cache", "db"]);
    assert_eq!((db.pids_max, api1.pids_max, db.stop.map(|stop| stop.signal)), (Some(100), None, Some(2)));
    assert_eq!(cache.ready, Ready::Started);
    let command = words("sh|-c|pg_isready");
    assert_eq!(db.ready, Ready::Command { command, interval_ns: 1_000_000_000, timeout_ns: 30_000_000_000 });
    assert!(contender.services.iter().all(|service| service.volumes.is_empty() && service.build.is_none()));
}

#[test]
fn what_only_an_engine_needs_is_there_too() {
    let folder = contest(CONTEST);
    let root = folder.path().canonicalize().unwrap();
    let services = read(&folder, &Reading::untrusted(&POLICY)).unwrap().services;
    let container = |index: usize| services[index].container.clone().unwrap();
    let bind = |source: &str, target: &str, is_writable| Bind {
        source: root.join(source),
        target: target.to_owned(),
        is_writable,
    };
    assert_eq!(
        container(4),
        Container {
            image: Some("nginx".to_owned()),
            container_name: Some("lb".to_owned()),
            ports: vec![8000, 8001, 8002, 9999],
            binds: vec![bind("nginx.conf", "/etc/nginx/nginx.conf", false), bind("html", "/html", true)],
            has_logging: true,
            cpus_nano: 83_400_000,
            ..Container::default()
        }
    );
    let db = container(0);
    assert_eq!((db.is_built, db.image, db.has_host_network, db.ports), (true, None, true, vec![5433]));
}

#[test]
fn a_file_is_for_processes_where_it_speaks_of_them_unless_told_otherwise() {
    let folder = contest(&COMPOSE.replace("    privileged: true\n", ""));
    let runner = |asked| {
        read(&folder, &Reading { runner: asked, ..Reading::untrusted(&POLICY) })
            .map(|contender| contender.runner)
    };
    assert_eq!(runner(None), Ok(Runner::Process));
    // The example names a volume as only processes have it.
    insta::assert_snapshot!(runner(Some(Runner::Docker)).unwrap_err(), @r"
    FOLDER/docker-compose.yml:60: `command`: `${volume:data}` is no variable
    hint: write `$$` for the sign itself
    ");
    let anywhere = contest("services:\n  api: { x-galo: { command: a }, cpus: 1, mem_limit: 1g }\n");
    assert_eq!(read(&anywhere, &Reading::untrusted(&POLICY)).unwrap().runner, Runner::Process);
}

#[test]
fn a_byte_order_mark_is_no_word() {
    let folder = contest(&format!("\u{feff}{}", CONTEST.trim_start()));
    assert!(read(&folder, &Reading::untrusted(&POLICY)).is_ok());
    let processes = resolve(&format!("\u{feff}{}", one("command: a")));
    assert_eq!(processes.unwrap().len(), 1);
}

#[test]
fn a_variable_without_a_value_is_nothing_as_in_compose() {
    assert_eq!(only("environment: { A: 'x${B}y' }").environment["A"], "xy");
    insta::assert_snapshot!(wrong("environment: { A: '${B:?set it}' }"), @"FILE:3: `A`: `B` has no value: set it");
    insta::assert_snapshot!(wrong("command: a ${volume:data}"), @r"
    FILE:3: `command`: `${volume:data}` is no variable
    hint: write `$$` for the sign itself
    ");
}

#[test]
fn nobody_at_the_port_is_told_at_once() {
    insta::assert_snapshot!(wrong("ports: ['8080:80', '127.0.0.1:9998:80']"), @r#"
    FILE: no service publishes port 9999, where the traffic goes (it publishes `8080`, `9998`)
    hint: write `ports: ["9999:80"]` at the load balancer, with the port that it listens at
    "#);
    insta::assert_snapshot!(wrong("ports: ['9999']"), @r#"
    FILE: no service publishes port 9999, where the traffic goes
    hint: write `ports: ["9999:80"]` at the load balancer, with the port that it listens at
    "#);
    assert!(container("network_mode: host\nports: []").is_ok());
    insta::assert_snapshot!(wrong("ports: ['9999:http']"), @r#"
    FILE:3: cannot read the port `9999:http`
    hint: write `"9999:80"`: the machine's port, and the one in the container
    "#);
    insta::assert_snapshot!(wrong("ports: [{ published: 9999 }]"), @"FILE:3: a port needs a `target`");
    insta::assert_snapshot!(wrong("ports: 9999"), @"FILE:3: `ports` must be a list");
}

#[test]
fn limits_of_containers_are_held_against_the_budget_exactly() {
    let four = |cpus: &str| {
        let service = |name: &str| {
            format!("  {name}: {{ image: a:1, cpus: '{cpus}', mem_limit: 10m, ports: ['9999:80'] }}\n")
        };
        let services: String = ["a", "b", "c", "d"].iter().map(|name| service(name)).collect();
        contest(&format!("services:\n{services}"))
    };
    // Both are 0.375 once they are rounded, and four times that is the budget.
    assert!(read(&four("0.3750"), &Reading::untrusted(&POLICY)).is_ok());
    let over = four("0.3751");
    insta::assert_snapshot!(read(&over, &Reading::untrusted(&POLICY)).unwrap_err(), @r"
    FOLDER/docker-compose.yml: services take 1.5004 CPU of 1.5
    hint: lower `deploy.resources.limits.cpus` of its services, or say that it is known: --over-budget
    ");
    let known = Reading { is_over_budget_known: true, ..Reading::untrusted(&POLICY) };
    let contender = read(&over, &known).unwrap();
    assert!(contender.is_over(&POLICY));
    assert_eq!(contender.cpus_milli(), 1500);
}

#[test]
fn limits_that_an_engine_does_not_give_are_told() {
    let with = |cpus: &str, memory: &str| {
        let text = format!("services:\n  a: {{ image: a, cpus: {cpus}, mem_limit: {memory} }}\n");
        read(&contest(&text), &Reading::untrusted(&POLICY)).unwrap_err()
    };
    insta::assert_snapshot!(with("-1", "1g"), @"FOLDER/docker-compose.yml:2: `cpus`: `-1` is not a number of CPUs; write for example `0.45`");
    insta::assert_snapshot!(with("0.0000000001", "1g"), @"FOLDER/docker-compose.yml:2: `cpus`: `0.0000000001` has more than nine decimals");
    insta::assert_snapshot!(with("0.005", "1g"), @r"
    FOLDER/docker-compose.yml:2: service `a` has less CPU than an engine gives
    hint: write 0.01 or more
    ");
    insta::assert_snapshot!(with("1e9", "1g"), @"FOLDER/docker-compose.yml:2: `cpus`: `1000000000` is too large");
    insta::assert_snapshot!(with("0", "1g"), @"FOLDER/docker-compose.yml:2: the CPU limit of service `a` may not be 0");
    insta::assert_snapshot!(with("1", "5m"), @r"
    FOLDER/docker-compose.yml:2: service `a` has less memory than an engine gives
    hint: write 6MB or more
    ");
    insta::assert_snapshot!(with("1", "-1"), @"FOLDER/docker-compose.yml:2: `memory`: `-1` is not a memory size; write for example `512MB` or `1.5GB`");
    insta::assert_snapshot!(with("1", "lots"), @"FOLDER/docker-compose.yml:2: `memory`: `lots` is not a memory size; write for example `512MB` or `1.5GB`");
    let none = contest("services:\n  a: { image: a }\n");
    insta::assert_snapshot!(read(&none, &Reading::untrusted(&POLICY)).unwrap_err(), @r#"
    FOLDER/docker-compose.yml:2: service `a` has no CPU limit
    hint: write `deploy: { resources: { limits: { cpus: "0.5", memory: 512MB } } }` in it
    "#);
}

#[test]
fn what_makes_a_limit_something_else_is_refused() {
    for key in ["cpu_shares: 5", "cpu_quota: 5", "oom_kill_disable: true"] {
        let message = wrong(key);
        assert!(message.contains("is not supported (in `services.api`)\nhint: "), "{message}");
    }
    insta::assert_snapshot!(wrong("memswap_limit: 1g"), @r"
    FILE:3: `memswap_limit: 1g` gives service `api` swap
    hint: leave it out, or write the memory limit there: no service gets swap
    ");
    assert!(container("memswap_limit: 512m\nmem_swappiness: 0").is_ok());
    insta::assert_snapshot!(wrong("scale: 2"), @r"
    FILE:3: a service runs once here
    hint: write each copy as a service with its own port and limits
    ");
}

#[test]
fn what_compose_knows_is_left_to_it() {
    let lines = "sysctls: { net.core.somaxconn: 5 }\nenv_file: a.env\ninit: true\nshm_size: 64m\ntmpfs: /tmp\nlabels: [a=b]\n\
                 extra_hosts: ['a:127.0.0.1']\npost_start: [{ command: a }]\n\
                 restart: unless-stopped\nsecurity_opt: [no-new-privileges:true]\ncap_drop: [ALL]\nprivileged: false\n\
                 networks: { default: { aliases: [x] } }\ndns: 1.1.1.1\nplatform: linux/amd64";
    container(lines).unwrap();
    insta::assert_snapshot!(wrong("restrat: always"), @"FILE:3: unknown key `restrat`; did you mean `restart`?");
    insta::assert_snapshot!(wrong("build: { contxt: . }"), @"FILE:3: unknown key `contxt`; did you mean `context`?");
}

#[test]
fn what_is_nowhere_in_the_file_is_told_with_the_nearest_right_word() {
    insta::assert_snapshot!(wrong("depends_on: [apii]"), @"FILE:3: `api` depends on an unknown service `apii`; did you mean `api`?");
    insta::assert_snapshot!(wrong("links: ['db:x']"), @"FILE:3: `api` depends on an unknown service `db`; known: `api`");
    insta::assert_snapshot!(wrong("network_mode: service:ap1"), @"FILE:3: `api` depends on an unknown service `ap1`; did you mean `api`?");
    insta::assert_snapshot!(wrong("volumes: ['dat:/x']\n---\nvolumes: { data: }\n"), @r"
    FILE:3: unknown volume `dat`; did you mean `data`?
    hint: declare it at the top, `volumes:`
    ");
    insta::assert_snapshot!(wrong("networks: [bak]\n---\nnetworks: { back: }\n"), @r"
    FILE:3: unknown network `bak`; did you mean `back`?
    hint: declare it at the top, `networks:`
    ");
    insta::assert_snapshot!(wrong("volumes: ['a:b:c:d']"), @r"
    FILE:3: cannot read the volume `a:b:c:d`
    hint: write `./file:/path/in/container:ro`, or `name:/path` for a volume
    ");
    insta::assert_snapshot!(wrong("volumes: ['./a:/b:or']"), @"FILE:3: unknown mode `or`; did you mean `ro`?");
    insta::assert_snapshot!(wrong("volumes: [{ type: bnd, target: /a }]"), @"FILE:3: unknown type of mount `bnd`; did you mean `bind`?");
    let message = wrong("depends_on: { api: { condition: service_completed_successfully } }");
    insta::assert_snapshot!(message, @r"
    FILE:3: no service of a contender may end before the round does
    hint: let the service that needs it do that first, or its image
    ");
}

#[test]
fn a_service_needs_an_image_or_a_build() {
    let folder = contest("services:\n  a: { cpus: 1, mem_limit: 1g, network_mode: host }\n");
    insta::assert_snapshot!(read(&folder, &Reading::untrusted(&POLICY)).unwrap_err(), @r"
    FOLDER/docker-compose.yml:2: service `a` has neither an image nor a build
    hint: write `image:` or `build:` in it
    ");
}

#[test]
fn of_two_mounts_at_one_place_the_later_one_counts() {
    let binds = only("volumes: ['./a:/x', './b:/y', './c:/x:ro']").container.unwrap().binds;
    let shown: Vec<_> = binds
        .iter()
        .map(|bind| {
            (bind.source.file_name().unwrap().to_str().unwrap(), bind.target.as_str(), bind.is_writable)
        })
        .collect();
    assert_eq!(shown, [("b", "/y", true), ("c", "/x", false)]);
}

proptest! {
    #[test]
    fn a_contests_file_damaged_anywhere_never_panics(at in 0..CONTEST.len(), cut in 0..40usize, text in "[ \n{}\\[\\]:$&*\"'a-z0-9-]{0,10}") {
        let after = (at + cut).min(CONTEST.len());
        let damaged = format!("{}{text}{}", &CONTEST[..at], &CONTEST[after..]);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("compose.yaml");
        let file = File { shown: "compose.yaml".to_owned(), path, text: damaged, named_at: None };
        if let Ok(document) = Document::read(file, Some(Runner::Docker)) {
            let _ = super::super::trust::needs(document.reader(), &document.root, &[]);
            let _ = RawCompose::read(document.reader(), &document.root)
                .and_then(|raw| Contender::resolved(&document, raw));
        }
    }
}
