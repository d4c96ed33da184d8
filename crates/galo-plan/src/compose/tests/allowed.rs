//! The list of what any file may say: what is on it, and that nothing else is.

use super::containers::{container, contest, read};
use super::trust::refused;
use super::*;

#[test]
fn keys_that_passed_before_there_was_a_list_need_trust() {
    for (lines, told) in [
        ("models: [llm]", "`models` runs a program of the machine"),
        ("oom_score_adj: -1000", "`oom_score_adj` lets the machine kill somebody else first"),
        ("ulimits: { rtprio: 99 }", "`ulimits.rtprio` lets it run before everybody else"),
        ("ulimits: { nofile: 10, nice: { soft: 40, hard: 40 } }", "`ulimits.nice` lets it run before"),
        ("group_add: [docker]", "`group_add` makes it a member of groups"),
        ("annotations: { a: b }", "`annotations` speaks to what keeps it in"),
        ("blkio_config: { weight: 1000 }", "`blkio_config` weighs it"),
        ("storage_opt: { size: 1t }", "`storage_opt` speaks to the driver"),
        ("mac_address: 02:42:ac:11:00:03", "`mac_address` takes an address"),
        ("isolation: hyperv", "`isolation` chooses what keeps it in"),
        ("driver_opts: { a: b }", "`driver_opts` speaks to the network's driver"),
        ("develop: { watch: [] }", "`develop` copies files of the machine"),
        ("label_file: x", "`label_file` may set labels"),
        (
            "labels: { com.docker.compose.project: other }",
            "the label `com.docker.compose.project` means something",
        ),
        ("labels: ['io.docker.x=1']", "the label `io.docker.x` means something"),
        ("build: { labels: [com.docker.x] }", "the label `com.docker.x` means something"),
        ("pre_stop: [{ command: a, user: root }]", "`pre_stop.user` may be another"),
        ("userns_mode: private", "`userns_mode: private` makes its root the machine's"),
        ("uts: 'container:x'", "`uts: container:x` lets it rename"),
        ("cgroup: 'container:x'", "`cgroup: container:x` shows it"),
        (
            "logging: { options: { syslog-address: 'tcp://a' } }",
            "`logging.options.syslog-address` is not on the list",
        ),
        ("networks: { default: { driver_opts: { a: b } } }", "`networks.default.driver_opts` speaks"),
        (
            "networks: { default: { interface_name: eth1 } }",
            "`networks.default.interface_name` is not on the list",
        ),
        ("env_file: { path: .env, from: x }", "`env_file.from` is not on the list"),
        (
            "volumes: [{ type: bind, source: ., target: /x, bind: { recursive: x } }]",
            "`volumes.bind.recursive` is not",
        ),
        ("build: { network: somebodys }", "`build.network: somebodys` lets the build"),
        ("build: { isolation: process }", "`build.isolation` chooses"),
        ("build: { ulimits: { rtprio: 1 } }", "`build.ulimits.rtprio` lets it run"),
    ] {
        let text = refused(lines);
        assert!(text.contains(told), "{lines}: {text}");
    }
    let devices = "services:\n  api:\n    image: a\n    network_mode: host\n    deploy:\n      resources:\n        \
                   limits: { cpus: 1, memory: 1g }\n        reservations: { devices: [{ driver: x }] }\n";
    let told = read(&contest(devices), &Reading::untrusted(&POLICY)).unwrap_err();
    assert!(told.contains("`deploy.resources.reservations.devices` hands it devices"), "{told}");
    for (top, told) in [
        ("models: { llm: { model: x } }", "`models` runs a program of the machine"),
        ("volumes: { x-v: { external: true } }", "`volumes.x-v.external: true` belongs to somebody else"),
        ("networks: { n: { ipam: { driver: x } } }", "`networks.n.ipam.driver: x` is a program"),
        (
            "networks: { n: { ipam: { config: [{ subnet: 8.8.8.0/24 }] } } }",
            "`networks.n.ipam.config.subnet: 8.8.8.0/24` takes",
        ),
        (
            "networks: { n: { ipam: { config: [{ subnet: 10.0.0.0/7 }] } } }",
            "subnet: 10.0.0.0/7` takes addresses",
        ),
        ("networks: { n: { later: x } }", "`networks.n.later` is not on the list of what any file may say"),
        (
            "secrets: { s: { template_driver: golang, file: ./x } }",
            "`secrets.s.template_driver` is a program",
        ),
    ] {
        let text = refused(&format!("init: true\n---\n{top}\n"));
        assert!(text.contains(told), "{top}: {text}");
    }
}

#[test]
fn settings_of_the_kernel_are_the_containers_own_or_need_trust() {
    for fine in ["net.core.somaxconn", "net/core/somaxconn", "kernel.shmmax", "fs.mqueue.msg_max"] {
        assert!(container(&format!("sysctls: {{ {fine}: 1024 }}")).is_ok(), "{fine}");
    }
    assert!(container("sysctls: [net.core.somaxconn=1024]\nnetwork_mode: bridge").is_ok());
    for (lines, name) in [
        ("sysctls: { net.core.somaxconn: 1 }\nnetwork_mode: host", "net.core.somaxconn"),
        ("sysctls: [net.core.somaxconn=1]\nnetwork_mode: service:api", "net.core.somaxconn"),
        ("sysctls: { vm.overcommit_memory: 1 }", "vm.overcommit_memory"),
        ("sysctls: { kernel.core_pattern: '|/x' }", "kernel.core_pattern"),
    ] {
        let told = refused(lines);
        assert!(
            told.ends_with(&format!("`sysctls.{name}` changes a setting that is not the container's own")),
            "{told}"
        );
    }
}

#[test]
fn every_service_is_checked_whatever_its_profiles() {
    let file = |profiles: &str| {
        format!(
            "services:\n  api: {{ image: a, ports: ['9999:80'], cpus: 1, mem_limit: 1g }}\n  \
             tools: {{ image: b, privileged: true, profiles: {profiles} }}\n"
        )
    };
    let told = |profiles: &str| read(&contest(&file(profiles)), &Reading::untrusted(&POLICY)).unwrap_err();
    insta::assert_snapshot!(told("[dev]"), @r"
    FOLDER/docker-compose.yml:3: service `tools`: `privileged: true` lifts all that keeps it in
    hint: leave it out, or say that the file is trusted: --trust
    ");
    let named = "is not a name for a profile; use letters, digits, `_`, `.` and `-`";
    for empty in ["['']", "[dev, '']", "['${NOTHING}']", "['*']"] {
        assert!(told(empty).contains(named), "{empty}: {}", told(empty));
    }
    let trusted = Reading { is_trusted: true, ..Reading::untrusted(&POLICY) };
    assert!(read(&contest(&file("['']")), &trusted).unwrap_err().contains(named));
    assert_eq!(read(&contest(&file("[dev]")), &trusted).unwrap().services.len(), 1);
    assert_eq!(read(&contest(&file("[]")), &trusted).unwrap_err().matches("no CPU limit").count(), 1);
}

#[test]
fn what_is_extended_lies_in_the_repository() {
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("base.yaml"), "services: { api: { image: a } }\n").unwrap();
    let base = outside.path().join("base.yaml").canonicalize().unwrap();
    let file = |base: &str| {
        format!(
            "services:\n  api:\n    extends: {{ file: {base}, service: api }}\n    ports: ['9999:80']\n    cpus: 1\n    mem_limit: 1g\n"
        )
    };
    let folder = contest(&file(base.to_str().unwrap()));
    let told = read(&folder, &Reading::untrusted(&POLICY)).unwrap_err();
    let start = format!("FOLDER/docker-compose.yml:3: `extends` of `{}` lies outside of", base.display());
    assert!(told.starts_with(&start) && told.ends_with("--trust"), "{told}");
    let trusted = Reading { is_trusted: true, ..Reading::untrusted(&POLICY) };
    assert!(read(&folder, &trusted).is_ok());
    let linked = contest(&file("./link.yaml"));
    std::os::unix::fs::symlink(&base, linked.path().join("link.yaml")).unwrap();
    assert!(read(&linked, &Reading::untrusted(&POLICY)).unwrap_err().contains("lies outside of"));
    std::fs::remove_file(linked.path().join("link.yaml")).unwrap();
    std::fs::copy(&base, linked.path().join("link.yaml")).unwrap();
    assert!(read(&linked, &Reading::untrusted(&POLICY)).is_ok());
}

#[test]
fn a_mount_that_another_one_takes_the_place_of_is_looked_at_too() {
    assert!(refused("volumes: ['/etc:/x', './a:/x']").contains("the mount of `/etc` lies outside"));
}

#[test]
fn what_is_extended_is_a_file() {
    let folder = contest("services:\n  api:\n    extends: { file: /dev/null, service: api }\n");
    insta::assert_snapshot!(read(&folder, &Reading::untrusted(&POLICY)).unwrap_err(), @r"
    FOLDER/docker-compose.yml:3: `extends`: `/dev/null` is no file
    hint: name a file
    ");
}

#[test]
fn what_honest_folders_ask_for_is_on_the_list() {
    let lines = "attach: true\nbuild: { context: ., args: [A], labels: { a: b }, target: t, shm_size: 1g, ulimits: { nofile: 5 } }\n\
                 cap_drop: [ALL]\ncgroup: private\nconfigs: [c, { source: c, target: /c, mode: 0440 }]\ncontainer_name: x\n\
                 cpuset: '0'\ndns: [1.1.1.1]\ndns_search: x\ndomainname: x\nentrypoint: a\nenv_file: [{ path: .env, required: false }]\n\
                 environment: [A=b]\nexpose: ['80']\nextra_hosts: ['h:host-gateway']\n\
                 healthcheck: { test: a, interval: 1s, timeout: 1s, retries: 3, start_period: 1s }\nhostname: h\ninit: true\n\
                 ipc: shareable\nlabels: [a=b]\nlogging: { driver: json-file, options: { max-size: 1m, max-file: '2' } }\n\
                 mem_reservation: 1m\nmem_swappiness: 0\nnetworks: { default: { aliases: [x], ipv4_address: 172.20.0.5 } }\n\
                 pids_limit: 100\nplatform: linux/amd64\nprofiles: []\npull_policy: always\nread_only: true\nrestart: always\n\
                 secrets: [s]\nsecurity_opt: [no-new-privileges:true]\nshm_size: 64m\nstdin_open: true\nstop_grace_period: 1s\n\
                 stop_signal: SIGINT\ntmpfs: [/tmp]\ntty: true\nulimits: { nofile: { soft: 5, hard: 5 }, memlock: -1, nproc: 9 }\n\
                 user: '1000'\nuts: ''\nworking_dir: /x\nprivileged: false\nuse_api_socket: false\ncap_add: []\n\
                 volumes: ['./conf:/c:ro', 'v:/v', /anonymous, { type: tmpfs, target: /t, tmpfs: { size: 5 } }, { type: volume, source: v, \
                 target: /w, volume: { nocopy: true } }, { type: bind, source: ./d, target: /d, bind: { create_host_path: true } }]\n---\n\
                 name: x\nversion: '3.9'\nx-a: { privileged: true }\nvolumes: { v: { driver: local, labels: { a: b } } }\n\
                 networks: { default: { driver: bridge, internal: false, ipam: { config: [{ subnet: 172.20.0.0/16, gateway: 172.20.0.1 }] } } }\n\
                 configs: { c: { content: x } }\nsecrets: { s: { file: ./x } }\n";
    container(lines).unwrap();
    assert!(container("post_start: [{ command: a, working_dir: /, environment: [A=b] }]").is_ok());
}
