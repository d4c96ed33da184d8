//! What is wrong in a file, and how it is told.

use super::*;

#[test]
fn a_health_check_has_all_of_composes_forms() {
    let ready = |test: &str| service(&format!("command: a\nhealthcheck: {test}")).ready;
    let command = |text: &str| Ready::Command {
        command: words(text),
        interval_ns: 1_000_000_000,
        timeout_ns: 30_000_000_000,
    };
    assert_eq!(ready("{ test: curl -f localhost }"), command("sh|-c|curl -f localhost"));
    assert_eq!(ready("{ test: [CMD, curl, '-f'] }"), command("curl|-f"));
    assert_eq!(ready("{ test: [NONE] }"), Ready::Started);
    assert_eq!(ready("{ disable: true }"), Ready::Started);
    insta::assert_snapshot!(error("command: a\nhealthcheck: { test: [CMDSHELL, x] }"), @"compose.yaml:5: unknown word `CMDSHELL`; did you mean `CMD-SHELL`?");
    insta::assert_snapshot!(error("command: a\nhealthcheck: { test: [CMD] }"), @r#"
    compose.yaml:5: cannot read this `test`
    hint: write `["CMD", program, argument, ...]`, `["CMD-SHELL", text]` or `["NONE"]`
    "#);
    insta::assert_snapshot!(error("command: a\nhealthcheck: { interval: 1s }"), @"compose.yaml:5: `healthcheck` has no `test`");
    insta::assert_snapshot!(error("command: a\nhealthcheck: { tset: x }"), @"compose.yaml:5: unknown key `tset`; did you mean `test`?");
    insta::assert_snapshot!(error("command: a\nhealthcheck: { test: x, interval: often }"), @"compose.yaml:5: `interval`: `often` is not a duration; write for example `30s`, `1m30s` or `100ms`");
}

#[test]
fn unknown_keys_are_told_with_their_line_and_the_nearest_right_word() {
    insta::assert_snapshot!(example_error("services:", "servces:"), @"compose.yaml:23: unknown key `servces`; did you mean `services`?");
    insta::assert_snapshot!(example_error("    hostname: api1", "    hostnme: api1"), @"compose.yaml:39: unknown key `hostnme`; did you mean `hostname`?");
    insta::assert_snapshot!(example_error("  restart: always", "  resart: always"), @"compose.yaml:9: unknown key `resart`; did you mean `restart`?");
    insta::assert_snapshot!(example_error("    hostname: api1", "    elephant: api1"), @"compose.yaml:39: unknown key `elephant`");
    insta::assert_snapshot!(example_error("limits: { cpus: \"0.45\"", "limits: { cpu: \"0.45\""), @"compose.yaml:21: unknown key `cpu`; did you mean `cpus`?");
    insta::assert_snapshot!(example_error("    resources:", "    resource:"), @"compose.yaml:20: unknown key `resource`; did you mean `resources`?");
    insta::assert_snapshot!(example_error("      workdir: ..", "      working_dir: .."), @"compose.yaml:46: unknown key `working_dir`; known: `build`, `command`, `environment`, `ready`, `ready_timeout`, `setup`, `user`, `workdir`");
    insta::assert_snapshot!(example_error("      workdir: ..", "      x-workdir: .."), @"compose.yaml:46: unknown key `x-workdir`; did you mean `workdir`?");
    insta::assert_snapshot!(example_error("language: Rust", "lang: Rust"), @"compose.yaml:4: unknown key `lang`; known: `challenge`, `connect`, `knobs`, `language`, `name`, `title`");
    insta::assert_snapshot!(example_error("nofile: {", "nofiles: {"), @"compose.yaml:17: unknown key `nofiles`; did you mean `nofile`?");
    insta::assert_snapshot!(example_error("condition: service_healthy", "condition: healthy"), @"compose.yaml:11: unknown condition `healthy`; known: `service_started`, `service_healthy`");
}

#[test]
fn extension_keys_are_left_alone_wherever_compose_allows_them() {
    let service = service("command: a\nx-note: { anything: [1] }");
    assert_eq!(service.command, ["a"]);
}

#[test]
fn a_missing_limit_is_told_with_what_to_write() {
    let without = |limits: &str| {
        let text =
            format!("x-galo: {{ challenge: pessoas }}\nservices:\n  api:\n    command: a\n    {limits}\n");
        resolve(&text).unwrap_err()
    };
    insta::assert_snapshot!(without("deploy: { resources: { limits: { cpus: 1 } } }"), @r#"
    compose.yaml:3: service `api` has no memory limit
    hint: write `deploy: { resources: { limits: { cpus: "0.5", memory: 512MB } } }` in it
    "#);
    insta::assert_snapshot!(without("deploy: { resources: { limits: { memory: 1gb } } }"), @r#"
    compose.yaml:3: service `api` has no CPU limit
    hint: write `deploy: { resources: { limits: { cpus: "0.5", memory: 512MB } } }` in it
    "#);
    insta::assert_snapshot!(without("init: true"), @r#"
    compose.yaml:3: service `api` has no CPU limit
    hint: write `deploy: { resources: { limits: { cpus: "0.5", memory: 512MB } } }` in it
    "#);
    insta::assert_snapshot!(without("deploy: { resources: { limits: { cpus: 0, memory: 1gb } } }"), @"compose.yaml:5: the CPU limit of service `api` may not be 0");
    insta::assert_snapshot!(without("deploy: { resources: { limits: { cpus: 1, memory: lots } } }"), @"compose.yaml:5: `memory`: `lots` is not a memory size; write for example `512MB` or `1.5GB`");
    insta::assert_snapshot!(without("deploy: { resources: { limits: { cpus: 0.12345, memory: 1g } } }"), @"compose.yaml:5: `cpus`: `0.12345` has more than three decimals");
}

#[test]
fn limits_may_stand_in_the_services_older_keys() {
    let text =
        "x-galo: { challenge: pessoas }\nservices: { api: { command: a, cpus: 0.5, mem_limit: 1g } }\n";
    let service = resolve(text).unwrap().remove(0);
    assert_eq!((service.cpus_milli, service.memory_bytes), (500, 1 << 30));
}

#[test]
fn limits_above_the_budget_are_told_with_both_numbers() {
    insta::assert_snapshot!(example_error("cpus: 0.15", "cpus: 0.25"), @r"
    compose.yaml: services take 1.6 CPU of 1.5
    hint: lower `deploy.resources.limits.cpus` of its services, or say that it is known: --over-budget
    ");
    insta::assert_snapshot!(example_error("0.25gb", "2gb"), @r"
    compose.yaml: services take 3.5 GiB memory of 3 GiB
    hint: lower `deploy.resources.limits.memory` of its services, or say that it is known: --over-budget
    ");
    insta::assert_snapshot!(example_error("0.25gb", "1610612737"), @r"
    compose.yaml: services take 3221225473 bytes memory of 3221225472 bytes
    hint: lower `deploy.resources.limits.memory` of its services, or say that it is known: --over-budget
    ");
    // The example takes 1.5 CPU: exactly the budget is allowed.
    assert!(resolve(COMPOSE).is_ok());
}

#[test]
fn a_service_without_a_command_is_told_what_to_write() {
    insta::assert_snapshot!(error("image: redis"), @r"
    compose.yaml:3: service `api` has no command
    hint: write `x-galo: { command: ... }` in it, since an image's own command is not known here
    ");
    insta::assert_snapshot!(error("command: ''"), @r"
    compose.yaml:3: service `api` has no command
    hint: write `x-galo: { command: ... }` in it, since an image's own command is not known here
    ");
    insta::assert_snapshot!(error("command: []"), @r"
    compose.yaml:3: service `api` has no command
    hint: write `x-galo: { command: ... }` in it, since an image's own command is not known here
    ");
    insta::assert_snapshot!(error("command: \"a 'b\""), @"compose.yaml:4: `command`: a quotation mark is never closed in `a 'b`");
    insta::assert_snapshot!(error("command: { a: b }"), @"compose.yaml:4: `command` must be text, not a map");
    insta::assert_snapshot!(error("command: [[a]]"), @"compose.yaml:4: `command` must be text, not a list");
}

#[test]
fn dependencies_that_cannot_be_met_are_told() {
    insta::assert_snapshot!(example_error("depends_on: [api1, api2]", "depends_on: [api1, ap2]"), @"compose.yaml:33: `nginx` depends on an unknown service `ap2`; did you mean `api2`?");
    let circle = "x-galo: { challenge: pessoas }\nservices:\n  a: { depends_on: [b] }\n  b: { depends_on: [c] }\n  c: { depends_on: [d, b] }\n  d: {}\n";
    insta::assert_snapshot!(resolve(circle).unwrap_err(), @r"
    compose.yaml:3: services depend on one another in a circle: `b` -> `c` -> `b`
    hint: take one out of `depends_on`
    ");
    let row: String = (0..3_000).map(|n| format!("  s{n}: {{ depends_on: [s{}] }}\n", n + 1)).collect();
    let long =
        format!("x-galo: {{ challenge: pessoas }}\nservices:\n{row}  s3000: {{ depends_on: [s3000] }}\n");
    assert!(resolve(&long).unwrap_err().contains("`s3000` -> `s3000`"));
    insta::assert_snapshot!(error("depends_on: [api]"), @r"
    compose.yaml:3: services depend on one another in a circle: `api` -> `api`
    hint: take one out of `depends_on`
    ");
    insta::assert_snapshot!(error("depends_on: { x: { condition: service_completed_successfully } }"), @r"
    compose.yaml:4: no service of a contender may end before the round does
    hint: run it as `x-galo: { setup: ... }` of the service that needs it
    ");
    insta::assert_snapshot!(error("depends_on: x"), @"compose.yaml:4: `depends_on` must be a map, not text");
}

#[test]
fn what_would_silently_change_the_fight_is_refused() {
    insta::assert_snapshot!(error("env_file: .env"), @r"
    compose.yaml:4: `env_file` is not supported (in `services.api`)
    hint: write its variables into `environment`
    ");
    insta::assert_snapshot!(error("scale: 2"), @r"
    compose.yaml:4: a service runs once here
    hint: write each copy as a service with its own port and limits
    ");
    insta::assert_snapshot!(resolve("include: [a.yaml]\n").unwrap_err(), @r"
    compose.yaml:1: `include` is not supported
    hint: write the services into one file
    ");
}

#[test]
fn a_limit_other_than_cpu_memory_and_processes_is_refused_with_its_place() {
    for key in ["cpu_shares: 5", "sysctls: { net.core.somaxconn: 5 }", "cpu_quota: 50000"] {
        let name = key.split(':').next().unwrap();
        let message = error(&format!("command: a\n{key}"));
        let start = format!("compose.yaml:5: `{name}` is not supported (in `services.api`)\nhint: ");
        assert!(message.starts_with(&start), "{message}");
    }
    let disk = "blkio_config: { device_read_bps: [{ path: /dev/sda, rate: 12mb }] }";
    assert!(error(disk).starts_with("compose.yaml:4: `blkio_config` is not supported"));
}

#[test]
fn a_number_of_processes_is_a_limit_and_minus_one_is_none() {
    let most = |yaml: &str| service(&format!("command: a\n{yaml}")).pids_max;
    assert_eq!(most(""), Some(crate::contender::PIDS_MAX));
    assert_eq!((most("pids_limit: 200"), most("pids_limit: -1")), (Some(200), None));
    let example = resolve(&COMPOSE.replacen("cpus: 0.15,", "pids: 7, cpus: 0.15,", 1)).unwrap();
    assert_eq!(example.iter().filter(|service| service.pids_max == Some(7)).count(), 1);
    insta::assert_snapshot!(error("command: a\npids_limit: 0"), @r"
    compose.yaml:5: `0` is no limit of processes
    hint: write how many processes and threads there may be, or -1 for no limit
    ");
}

#[test]
fn a_cpuset_is_a_list_of_cores() {
    insta::assert_snapshot!(error("command: a\ncpuset: all"), @"compose.yaml:5: `cpuset`: `all` is no list of cores; write for example `0`, `0-2` or `0,3`");
}

#[test]
fn every_refused_key_is_one_that_compose_knows() {
    assert!(
        keys::REFUSED
            .iter()
            .chain(keys::REFUSED_OF_CONTAINERS)
            .all(|(key, _)| keys::SERVICE.all().contains(key))
    );
}

#[test]
fn keys_about_swap_and_reservations_mean_nothing_here() {
    let service = service("command: a\nmemswap_limit: 1gb\nmem_swappiness: 60\nmem_reservation: 1mb");
    assert_eq!(service.command, ["a"]);
}

#[test]
fn a_service_of_a_profile_is_not_started() {
    let extra = "  tools: { image: adminer, profiles: [dev], cpu_shares: 5 }\n\nvolumes:";
    assert_eq!(resolve(&COMPOSE.replacen("\nvolumes:", extra, 1)), resolve(COMPOSE));
}

#[test]
fn a_dependency_on_a_service_left_out_is_dropped_only_where_it_is_not_required() {
    let with = |dependency: &str| {
        let tools = "  tools: { image: adminer, profiles: [dev] }\n\nvolumes:";
        let text = COMPOSE.replacen("\nvolumes:", tools, 1);
        resolve(&text.replacen("depends_on: [api1, api2]", dependency, 1))
    };
    let services = with("depends_on: { api1: {}, api2: {}, tools: { required: false } }").unwrap();
    assert_eq!(services[3].depends_on, ["api1", "api2"]);
    insta::assert_snapshot!(with("depends_on: [tools]").unwrap_err(), @r"
    compose.yaml:33: `nginx` depends on `tools`, which is left out: it belongs to a profile
    hint: write `required: false` at the dependency, or take its `profiles` away
    ");
    // As in Compose, a service that is nowhere in the file is a mistake also where it is not required.
    insta::assert_snapshot!(with("depends_on: { tool: { required: false } }").unwrap_err(), @"compose.yaml:33: `nginx` depends on an unknown service `tool`; known: `nginx`, `api1`, `api2`, `db`");
    insta::assert_snapshot!(with("depends_on: { tools: { required: no! } }").unwrap_err(), @"compose.yaml:33: `required` must be `true` or `false`, not `no!`");
}

#[test]
fn wrong_values_are_told_with_their_line() {
    insta::assert_snapshot!(error("command: a ${HOST}"), @r"
    compose.yaml:4: `command`: `${HOST}` has no value, since galo's own environment is not passed on
    hint: write a default, `${HOST:-...}`, or `$$` where a `$` is meant
    ");
    insta::assert_snapshot!(error("command: a\nenvironment:\n  A: ${B}"), @r"
    compose.yaml:6: `A`: `${B}` has no value, since galo's own environment is not passed on
    hint: write a default, `${B:-...}`, or `$$` where a `$` is meant
    ");
    insta::assert_snapshot!(error("command: a\nenvironment: [=b]"), @"compose.yaml:5: `` in `environment` is not the name of a variable");
    insta::assert_snapshot!(error("command: a\nenvironment: { A: [b] }"), @"compose.yaml:5: `A` must be text, not a list");
    insta::assert_snapshot!(error("command: a\nenvironment: { A: \"b\\0\" }"), @"compose.yaml:5: `A` holds a zero byte");
    insta::assert_snapshot!(error("command: a ${volume:dta}"), @r"
    compose.yaml:3: service `api`: unknown volume `dta`; did you mean `data`?
    hint: declare it at the top, `volumes:`
    ");
    insta::assert_snapshot!(error("command: a ${volume:/}"), @"compose.yaml:3: cannot read the volume in `${volume:/}`; write `${volume:NAME}`");
    insta::assert_snapshot!(error("command: a\nulimits: { nofile: many }"), @"compose.yaml:5: `nofile`: `many` is not a limit; write a number, or -1 for none");
    insta::assert_snapshot!(error("command: a\nulimits: { nofile: { soft: 5 } }"), @"compose.yaml:5: `nofile` needs both `soft` and `hard`");
    insta::assert_snapshot!(error("command: a\nulimits: { nofile: { soft: 5, hard: 4 } }"), @"compose.yaml:5: `nofile`: the soft limit is above the hard one");
    insta::assert_snapshot!(error("command: a\nx-galo: { ready: https://127.0.0.1/x }"), @r"
    compose.yaml:5: `ready`: cannot use `https://127.0.0.1/x`
    hint: write for example `http://127.0.0.1:8081/health`, or `127.0.0.1:5432` for a port that accepts
    ");
    insta::assert_snapshot!(error("command: a\nx-galo: { ready: localhost }"), @r"
    compose.yaml:5: `ready`: cannot use `localhost`
    hint: write for example `http://127.0.0.1:8081/health`, or `127.0.0.1:5432` for a port that accepts
    ");
    insta::assert_snapshot!(error("command: a\nx-galo: { ready: 'http://127.0.0.1:99999/' }"), @r"
    compose.yaml:5: `ready`: cannot use `http://127.0.0.1:99999/`
    hint: write for example `http://127.0.0.1:8081/health`, or `127.0.0.1:5432` for a port that accepts
    ");
    insta::assert_snapshot!(error("command: a\nx-galo: { ready_timeout: 0s }"), @"compose.yaml:5: `ready_timeout` may not be 0");
    insta::assert_snapshot!(error("command: a\nx-galo: { workdir: Cargo.toml }"), @"compose.yaml:5: `workdir`: `Cargo.toml` is not a folder");
    let missing =
        error("command: a\nx-galo: { workdir: nowhere }").replace(env!("CARGO_MANIFEST_DIR"), "FOLDER");
    insta::assert_snapshot!(missing, @r"
    compose.yaml:5: cannot use the `workdir` `FOLDER/nowhere`: No such file or directory (os error 2)
    hint: it is relative to the folder of the file that says it
    ");
    insta::assert_snapshot!(error("command: a\nstop_signal: SIGTREM"), @"compose.yaml:5: `stop_signal`: unknown signal `SIGTREM`; did you mean `SIGTERM`?");
    insta::assert_snapshot!(error("command: a\nstop_signal: 65"), @r"
    compose.yaml:5: `stop_signal`: unknown signal `65`
    hint: write a name such as `SIGTERM`, or a number from 1 to 64
    ");
    insta::assert_snapshot!(error("command: a\nstop_signal: TERM\nstop_grace_period: soon"), @"compose.yaml:6: `stop_grace_period`: `soon` is not a duration; write for example `30s`, `1m30s` or `100ms`");
    insta::assert_snapshot!(error("command: a\nx-galo: none"), @"compose.yaml:5: `x-galo` must be a map, not text");
}

#[test]
fn an_overridden_value_need_not_make_sense() {
    let service = service(
        "command: a ${HOST}\nenvironment: { A: '${B}' }\nhealthcheck: { test: [CMD] }\nx-galo: { command: b, environment: { A: c }, ready: 'a:1' }",
    );
    assert_eq!((service.command[0].as_str(), service.environment["A"].as_str()), ("b", "c"));
}

#[test]
fn a_file_that_is_no_contender_is_refused() {
    insta::assert_snapshot!(resolve("").unwrap_err(), @"compose.yaml:1: a Compose file must be a map, not nothing");
    insta::assert_snapshot!(resolve("- a\n").unwrap_err(), @"compose.yaml:1: a Compose file must be a map, not a list");
    insta::assert_snapshot!(resolve("x-galo: { challenge: pessoas }\n").unwrap_err(), @r"
    compose.yaml: there is no service
    hint: write at least one below `services:`
    ");
    insta::assert_snapshot!(resolve("x-galo: { challenge: pessoas }\nservices: [a]\n").unwrap_err(), @"compose.yaml:2: `services` must be a map, not a list");
    insta::assert_snapshot!(resolve("x-galo: { challenge: pessoas }\nservices: { ../a: {} }\n").unwrap_err(), @"compose.yaml:2: `../a` is not a name for a service; use letters, digits, `_`, `.` and `-`");
    insta::assert_snapshot!(resolve("x-galo: { challenge: pessoas\nservices: {}\n").unwrap_err(), @"compose.yaml:2: while parsing a flow mapping, did not find expected ',' or '}'");
}

#[test]
fn readiness_is_asked_at_a_host_and_a_port() {
    for (text, place) in [("http://[::1]/x", ("::1", 80)), ("tcp://my_db:5432", ("my_db", 5432))] {
        let ready = service(&format!("command: a\nx-galo: {{ ready: '{text}' }}")).ready;
        assert_eq!(ready.place(), Some((place.0.to_owned(), place.1)), "{text}");
    }
}
