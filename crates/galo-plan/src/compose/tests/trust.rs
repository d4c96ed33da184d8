//! What only a trusted file may ask an engine for.

use super::containers::{container, contest, read};
use super::*;

pub(super) fn refused(lines: &str) -> String {
    let error = container(lines).unwrap_err();
    let (told, hint) = error.split_once('\n').unwrap();
    assert_eq!(hint, "hint: leave it out, or say that the file is trusted: --trust", "{lines}");
    told.to_owned()
}

#[test]
fn a_fight_joins_the_external_network_that_its_challenge_names_and_no_other() {
    let folder = contest(
        "services:\n  api: { image: a, networks: [pp], ports: ['9999:80'], cpus: 1, mem_limit: 1g }\n\
         networks: { pp: { name: payment-processor, external: true } }\n",
    );
    let told = |networks: &[&str]| {
        let networks = networks.iter().map(|name| (*name).to_owned()).collect();
        read(&folder, &Reading::untrusted(&Policy { networks, ..POLICY.clone() })).map(drop)
    };
    assert_eq!(told(&["payment-processor"]), Ok(()));
    for others in [&["pp", "other"][..], &[]] {
        let error = told(others).unwrap_err();
        assert!(error.contains("`networks.pp.external: true` belongs to somebody else"), "{error}");
    }
}

#[test]
fn what_gets_out_of_a_container_is_refused_with_its_line() {
    insta::assert_snapshot!(refused("privileged: true"), @"FILE:3: service `api`: `privileged: true` lifts all that keeps it in");
    for (lines, asked) in [
        ("privileged: 'yes'", "`privileged: true`"),
        ("pid: host", "`pid: host`"),
        ("pid: service:api", "`pid: service:api`"),
        ("ipc: host", "`ipc: host`"),
        ("ipc: container:x", "`ipc: container:x`"),
        ("userns_mode: host", "`userns_mode: host`"),
        ("uts: host", "`uts: host`"),
        ("cgroup: host", "`cgroup: host`"),
        ("cap_add: [NET_ADMIN]", "`cap_add`"),
        ("devices: ['/dev/sda:/dev/sda']", "`devices`"),
        ("device_cgroup_rules: ['c 1:3 mr']", "`device_cgroup_rules`"),
        ("gpus: all", "`gpus`"),
        ("security_opt: [seccomp:unconfined]", "`security_opt: seccomp:unconfined`"),
        ("cgroup_parent: /x", "`cgroup_parent`"),
        ("runtime: runsc", "`runtime`"),
        ("use_api_socket: true", "`use_api_socket: true`"),
        ("credential_spec: { file: x }", "`credential_spec`"),
        ("volumes_from: ['container:x']", "`volumes_from: container:x`"),
        ("network_mode: container:x", "`network_mode: container:x`"),
        ("network_mode: somebodys", "`network_mode: somebodys`"),
        ("external_links: [x]", "`external_links`"),
        ("provider: { type: x }", "`provider`"),
        ("post_start: [{ command: a, privileged: true }]", "`post_start.privileged: true`"),
    ] {
        let told = refused(lines);
        assert!(told.starts_with(&format!("FILE:3: service `api`: {asked} ")), "{told}");
    }
}

#[test]
fn mounts_of_the_engine_or_from_outside_are_refused() {
    let told = |mount: &str| {
        let told = refused(&format!("volumes: [{mount:?}]"));
        let at = told.find("repository, `").map_or(told.len(), |at| at + "repository".len());
        told[..at].to_owned()
    };
    for engine in [
        "/var/run/docker.sock:/s",
        "/run/docker.sock:/s:ro",
        "/run/../var/run/podman.sock:/s",
        "/run/containerd/containerd.sock:/s",
        "/:/host",
        "/var/run:/x",
        "/run:/x",
        "./docker.sock:/x",
    ] {
        let told = told(engine);
        assert!(told.ends_with("hands it the engine itself, and so the machine"), "{told}");
    }
    insta::assert_snapshot!(told("/etc/passwd:/etc/passwd:ro"), @"FILE:3: service `api`: the mount of `/etc/passwd` lies outside of the folder's repository");
    insta::assert_snapshot!(told("./conf:/c:rshared").replace("/tmp/", "TMP/").split('/').next().unwrap(), @"FILE:3: service `api`: the mount of `FOLDER");
    for outside in ["../x:/x", "./a/../../x:/x", "~/x:/x", "/root/.ssh:/x"] {
        assert!(told(outside).ends_with("lies outside of the folder's repository"), "{outside}");
    }
}

#[test]
fn a_link_out_of_the_repository_is_followed() {
    let folder = contest(
        "services:\n  api:\n    image: a\n    ports: ['9999:80']\n    cpus: 1\n    mem_limit: 1g\n    volumes: ['./link:/x']\n",
    );
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("/etc", &link).unwrap();
    let told = read(&folder, &Reading::untrusted(&POLICY)).unwrap_err();
    assert!(told.contains("link` lies outside of the folder's repository"), "{told}");
    std::fs::remove_file(&link).unwrap();
    std::fs::create_dir(&link).unwrap();
    assert!(read(&folder, &Reading::untrusted(&POLICY)).is_ok());
}

#[test]
fn volumes_networks_and_files_of_others_are_refused() {
    for (top, asked) in [
        ("volumes: { v: { external: true } }", "`volumes.v.external: true` belongs to somebody else"),
        ("volumes: { v: { external: { name: x } } }", "`volumes.v.external: true` belongs to somebody else"),
        ("volumes: { v: { driver: nfs } }", "`volumes.v.driver: nfs` is a program of the machine"),
        (
            "volumes: { v: { driver: local, driver_opts: { type: none, o: bind, device: / } } }",
            "`volumes.v.driver_opts` can mount anything of the machine",
        ),
        ("networks: { n: { external: true } }", "`networks.n.external: true` belongs to somebody else"),
        ("networks: { n: { driver: host } }", "`networks.n.driver: host` is not a network of the file's own"),
        (
            "networks: { n: { driver: macvlan } }",
            "`networks.n.driver: macvlan` is not a network of the file's own",
        ),
        (
            "networks: { n: { driver_opts: { com.docker.network.bridge.name: virbr0 } } }",
            "`networks.n.driver_opts` can join a bridge of the machine",
        ),
        ("secrets: { s: { file: /etc/shadow } }", "`secrets.s.file: /etc/shadow` lies outside"),
        ("secrets: { s: { environment: HOME } }", "`secrets.s.environment` is of whoever runs galo"),
        ("configs: { c: { file: ../x } }", "`configs.c.file: ../x` lies outside"),
    ] {
        let told = refused(&format!("init: true\n---\n{top}\n"));
        assert!(told.contains(asked), "{told}");
    }
    let fine = "init: true\n---\nvolumes: { v: { driver: local, external: false } }\nnetworks: { n: { driver: bridge } }\n\
                configs: { c: { file: ./x } }\n";
    assert!(container(fine).is_ok());
}

#[test]
fn builds_stay_in_the_repository() {
    for (build, asked) in [
        ("..", "`build: ..` lies outside"),
        ("https://github.com/x/y.git", "`build: https://github.com/x/y.git` builds what is elsewhere"),
        ("{ context: 'git@github.com:x/y' }", "`context: git@github.com:x/y` builds what is elsewhere"),
        ("{ dockerfile: ../Dockerfile }", "`dockerfile: ../Dockerfile` lies outside"),
        ("{ additional_contexts: { x: /etc } }", "`additional_contexts: /etc` lies outside"),
        ("{ ssh: [default] }", "`build.ssh` hands the build keys"),
        ("{ secrets: [x] }", "`build.secrets`"),
        ("{ network: host }", "`build.network: host`"),
        ("{ privileged: true }", "`build.privileged: true`"),
        ("{ tags: ['postgres:15'] }", "`build.tags` replaces images of these names"),
        ("{ cache_to: ['type=local,dest=/etc'] }", "`build.cache_to`"),
        ("{ entitlements: [network.host] }", "`build.entitlements`"),
    ] {
        let told = refused(&format!("build: {build}"));
        assert!(told.contains(asked), "{told}");
    }
    assert!(
        container("build: { context: ./api, extra_hosts: ['a:1.1.1.1'], dockerfile: ../Dockerfile }").is_ok()
    );
    assert!(refused("env_file: [{ path: /root/x.env }]").contains("`env_file: /root/x.env` lies outside"));
}

#[test]
fn a_log_stays_on_the_machine_and_within_bounds() {
    let told = refused("logging: { driver: syslog, options: { syslog-address: 'unix:///run/x.sock' } }");
    assert!(told.contains("`logging.driver: syslog` lets the engine write to somewhere else"), "{told}");
    let bounds =
        |logging: &str| container(logging).unwrap().services[0].container.as_ref().unwrap().has_logging;
    assert!(bounds("logging: { driver: none }") && bounds("logging: { options: { max-size: 10m } }"));
    assert!(!bounds("logging: { driver: json-file }") && !bounds("init: true"));
}

#[test]
fn variables_beside_a_file_are_no_settings_of_compose() {
    for (name, is_fine) in [
        ("DOCKER_HOST", false),
        ("COMPOSE_PROFILES", false),
        ("COMPOSE_ENV_FILES", false),
        ("BUILDX_BUILDER", false),
        ("BUILDKIT_HOST", false),
        ("LD_PRELOAD", false),
        ("COMPOSE_PROJECT_NAME", true),
        ("COMPOSE_FILE", true),
    ] {
        let folder = contest("services:\n  api: { image: a, ports: ['9999:80'], cpus: 1, mem_limit: 1g }\n");
        std::fs::write(folder.path().join(".env"), format!("A=1\n{name}=x\n")).unwrap();
        let read = read(&folder, &Reading::untrusted(&POLICY));
        assert_eq!(read.is_ok(), is_fine, "{name}: {read:?}");
    }
}

#[test]
fn names_that_a_file_chooses_itself_are_known() {
    let folder = contest(
        "services:\n  api: { image: a, ports: ['9999:80'], cpus: 1, mem_limit: 1g }\n\
         volumes: { v: { name: data }, w: {}, x: }\nnetworks: { n: { name: ring }, default: {} }\n",
    );
    let names = read(&folder, &Reading::untrusted(&POLICY)).unwrap().own_names;
    assert_eq!((names.volumes, names.networks), (vec!["data".to_owned()], vec!["ring".to_owned()]));
}

#[test]
fn a_trusted_file_may_ask_for_all_of_it() {
    let folder = contest(
        "services:\n  api: { image: a, privileged: true, volumes: ['/:/host'], network_mode: host, cpus: 1, mem_limit: 1g }\n",
    );
    assert!(read(&folder, &Reading::untrusted(&POLICY)).is_err());
    let trusted = read(&folder, &Reading { is_trusted: true, ..Reading::untrusted(&POLICY) }).unwrap();
    assert_eq!(trusted.services[0].container.as_ref().unwrap().binds.len(), 1);
}

#[test]
fn processes_are_asked_for_no_trust() {
    // The example says `privileged: true`, which means nothing to a process.
    assert!(resolve(COMPOSE).is_ok());
}
