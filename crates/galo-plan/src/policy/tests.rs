mod kinds;

use proptest::prelude::*;

use super::*;

static POLICY: Policy = Policy::of_budget(9999, 1500, 3072 << 20);

/// An entry of a contest with nothing wrong with it.
const ENTRY: &str = r#"
version: "3.5"
services:
  api1: &api
    image: somebody/api:1.2
    depends_on: [db]
    deploy: { resources: { limits: { cpus: '0.3333', memory: '0.5GB' } } }
  api2: *api
  nginx:
    image: nginx@sha256:00
    ports: ["9999:80"]
    deploy: { resources: { limits: { cpus: '0.0834', memory: '300M' } } }
  db:
    build: .
    image: mine
    platform: linux/amd64
    deploy: { resources: { limits: { cpus: '0.75', memory: '1.5gb' } } }
"#;

/// An entry in a folder of its own.
fn held(text: &str) -> Held {
    held_by(text, &POLICY)
}

fn held_by(text: &str, policy: &Policy) -> Held {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("docker-compose.yml"), text).unwrap();
    let mut held = hold(folder.path(), policy);
    let root = folder.path().canonicalize().unwrap();
    for breach in held.breaches.iter_mut().chain(&mut held.advice) {
        match breach {
            Breach::Unreadable { message } => {
                *message = message.replace(folder.path().to_str().unwrap(), "FOLDER");
            }
            Breach::MountMissing { source, .. } => *source = source.strip_prefix(&root).unwrap().to_owned(),
            Breach::NeedsTrust(asked) => {
                asked.why = asked.why.split(',').next().unwrap().to_owned();
            }
            _ => {}
        }
    }
    held
}

fn breaches(from: &str, to: &str) -> Vec<Breach> {
    assert!(ENTRY.contains(from), "{from}");
    held(&ENTRY.replacen(from, to, 1)).breaches
}

#[test]
fn an_entry_within_everything_breaks_nothing() {
    let held = held(ENTRY);
    assert_eq!(held.breaches, []);
    assert_eq!((held.cpus_nano, held.memory_bytes), (1_500_000_000, (512 + 512 + 300 + 1536) << 20));
    assert_eq!(held.instances, 2);
    let api1 = HeldService {
        name: "api1".to_owned(),
        cpus_nano: Some(333_300_000),
        memory_bytes: Some(512 << 20),
        copies: 1,
    };
    assert_eq!((held.services.len(), &held.services[0]), (4, &api1));
}

#[test]
fn a_budget_is_passed_by_the_least_that_can_be_written() {
    assert_eq!(
        breaches("cpus: '0.75'", "cpus: '0.750000001'"),
        [Breach::CpuOverBudget { taken_nano: 1_500_000_001, budget_nano: 1_500_000_000 }]
    );
    let all = (512 + 512 + 300_u128) << 20;
    let rest = (3072_u64 << 20) - all as u64;
    assert_eq!(breaches("'1.5gb'", &rest.to_string()), []);
    assert_eq!(
        breaches("'1.5gb'", &(rest + 1).to_string()),
        [Breach::MemoryOverBudget { taken_bytes: (3072 << 20) + 1, budget_bytes: 3072 << 20 }]
    );
}

#[test]
fn an_edition_may_ask_for_instances_and_forbid_keys() {
    let breaches = |text: &str, policy: &Policy| held_by(text, policy).breaches;
    let asks = |instances| Policy { instances, ..POLICY.clone() };
    assert_eq!(breaches(ENTRY, &asks(2)), []);
    assert_eq!(breaches(ENTRY, &asks(3)), [Breach::TooFewInstances { found: 2, least: 3 }]);
    let forbids = Policy { forbidden_keys: vec!["ports".to_owned(), "tty".to_owned()], ..POLICY.clone() };
    let forbidden = Breach::ForbiddenKey { service: "nginx".to_owned(), key: "ports".to_owned() };
    assert_eq!(breaches(ENTRY, &forbids), [forbidden]);
}

#[test]
fn every_breach_is_named_and_the_first_hides_no_other() {
    let name = || "db".to_owned();
    let told = self::held(&ENTRY.replacen(
            "    build: .\n    image: mine\n    platform: linux/amd64\n    deploy: { resources: { limits: { cpus: '0.75', memory: '1.5gb' } } }",
            "    image: localhost:5000/pg\n    platform: linux/arm64\n    privileged: true\n    volumes: ['./conf:/c', '/etc:/e']\n    cpus: 0",
            1,
        ));
    assert_eq!(
        told.breaches,
        [
            Breach::NeedsTrust(NeedsTrust {
                service: Some(name()),
                asked: "`privileged: true`".to_owned(),
                why: "lifts all that keeps it in".to_owned()
            }),
            Breach::NeedsTrust(NeedsTrust {
                service: Some(name()),
                asked: "the mount of `/etc`".to_owned(),
                why: "lies outside of the folder's repository".to_owned()
            }),
            Breach::NoCpuLimit { service: name() },
            Breach::NoMemoryLimit { service: name() },
        ]
    );
    assert_eq!(
        told.advice,
        [
            Breach::ImageWithoutTag { service: name(), image: "localhost:5000/pg".to_owned() },
            Breach::MountMissing { service: name(), source: "conf".into() },
            Breach::ForeignPlatform { service: name(), platform: "linux/arm64".to_owned() },
        ]
    );
    assert_eq!(breaches("9999:80", "9998:80"), [Breach::PortNotPublished { port: 9999 }]);
    assert_eq!(breaches("ports: [\"9999:80\"]", "network_mode: host"), []);
}

#[test]
fn advice_makes_no_breach() {
    let advised = held(&ENTRY.replacen("somebody/api:1.2", "somebody/api", 1).replacen(
        "linux/amd64",
        "linux/arm64",
        1,
    ));
    assert_eq!(advised.breaches, []);
    let codes: Vec<_> = advised.advice.iter().map(|advice| (advice.code(), advice.service())).collect();
    assert_eq!(
        codes,
        [
            ("image-without-tag", Some("api1")),
            ("image-without-tag", Some("api2")),
            ("foreign-platform", Some("db"))
        ]
    );
}

#[test]
fn a_forbidden_key_may_lie_deeper_or_have_a_value() {
    let keys = |forbidden: &[&str], text: &str| {
        let forbidden_keys = forbidden.iter().map(|key| (*key).to_owned()).collect();
        let held = held_by(
            &ENTRY.replacen("    depends_on: [db]\n", text, 1),
            &Policy { forbidden_keys, ..POLICY.clone() },
        );
        let key = |breach: &Breach| match breach {
            Breach::ForbiddenKey { key, .. } => Some(key.clone()),
            _ => None,
        };
        let mut keys: Vec<_> = held.breaches.iter().filter_map(key).collect();
        keys.dedup();
        keys
    };
    let host = "network_mode: host";
    assert_eq!(keys(&[host, "privileged"], "    network_mode: host\n    privileged: false\n"), [host]);
    assert!(keys(&[host], "    network_mode: bridge\n").is_empty());
    assert!(keys(&["devices", "cap_add"], "    devices: []\n    cap_add: {}\n").is_empty());
    assert_eq!(keys(&["network_mode"], "    network_mode: bridge\n"), ["network_mode"]);
    assert_eq!(keys(&["privileged"], "    privileged: true\n"), ["privileged"]);
    assert_eq!(
        keys(&["cap_add: SYS_ADMIN"], "    cap_add: [NET_ADMIN, SYS_ADMIN]\n"),
        ["cap_add: SYS_ADMIN"]
    );
    assert_eq!(keys(&["deploy.resources.limits"], ""), ["deploy.resources.limits"]);
    assert!(keys(&["deploy.replicas", "ulimits.nofile"], "").is_empty());
    assert_eq!(keys(&["ulimits.nofile"], "    ulimits: { nofile: 9 }\n"), ["ulimits.nofile"]);
}

#[test]
fn copies_count_as_instances_and_in_the_budget() {
    let entry = ENTRY.replacen("  api2: *api\n", "", 1);
    let two = entry.replacen("deploy: {", "deploy: { replicas: 2,", 1);
    let asks = Policy { instances: 2, ..POLICY.clone() };
    let held = held_by(&two, &asks);
    assert_eq!((held.breaches, held.instances), (Vec::new(), 2));
    assert_eq!((held.cpus_nano, held.memory_bytes), (1_500_000_000, (512 + 512 + 300 + 1536) << 20));
    assert_eq!(held.services[0].copies, 2);
    let three =
        held_by(&entry.replacen("    image: somebody", "    scale: 3\n    image: somebody", 1), &asks);
    assert_eq!(
        three.breaches,
        [
            Breach::CpuOverBudget { taken_nano: 1_833_300_000, budget_nano: 1_500_000_000 },
            Breach::MemoryOverBudget { taken_bytes: (3 * 512 + 300 + 1536) << 20, budget_bytes: 3072 << 20 }
        ]
    );
    let most = held_by(&entry.replacen("deploy: {", "deploy: { replicas: 18446744073709551615,", 1), &asks);
    assert_eq!(most.breaches.len(), 2);
}

#[test]
fn a_network_that_the_challenge_names_may_be_external() {
    let with = |network: &str| ENTRY.to_owned() + "networks: { default: {}, " + network + " }\n";
    let policy = Policy { networks: vec!["payment-processor".to_owned()], ..POLICY.clone() };
    for network in [
        "payment-processor: { external: true }",
        "pp: { name: payment-processor, external: true }",
        "pp: { external: { name: payment-processor } }",
    ] {
        assert_eq!(held_by(&with(network), &policy).breaches, [], "{network}");
        let codes: Vec<_> = held(&with(network)).breaches.iter().map(Breach::code).collect();
        assert_eq!(codes, ["needs-trust"], "{network}");
    }
    for network in ["other: { external: true }", "payment-processor: { name: other, external: true }"] {
        let codes: Vec<_> = held_by(&with(network), &policy).breaches.iter().map(Breach::code).collect();
        assert_eq!(codes, ["needs-trust"], "{network}");
    }
}

#[test]
fn a_file_that_cannot_be_read_has_that_alone() {
    let unreadable = |from, to| match &breaches(from, to)[..] {
        [Breach::Unreadable { message }] => message.clone(),
        other => panic!("{other:?}"),
    };
    insta::assert_snapshot!(unreadable("depends_on: [db]", "depends_on: [dbb]"), @"FOLDER/docker-compose.yml:6: `api1` depends on an unknown service `dbb`; did you mean `db`?");
    insta::assert_snapshot!(unreadable("'300M'", "'-300M'"), @"FOLDER/docker-compose.yml:12: `memory`: `-300M` is not a memory size; write for example `512MB` or `1.5GB`");
    insta::assert_snapshot!(unreadable("services:", "srvices:"), @"FOLDER/docker-compose.yml:3: unknown key `srvices`; did you mean `services`?");
    let none = hold(Path::new("/nowhere/compose.yaml"), &POLICY);
    assert!(matches!(&none.breaches[..], [Breach::Unreadable { .. }]), "{none:?}");
}

#[test]
fn processes_need_no_image_no_port_and_no_trust() {
    let held = held(
        "x-galo: { challenge: pessoas }\nservices:\n  api:\n    privileged: true\n    cpus: 1\n    mem_limit: 1g\n    \
         x-galo: { command: 'a ${volume:x}' }\n",
    );
    assert_eq!(held.breaches, []);
    assert_eq!(
        self::held(
            "x-galo: { title: a }\nservices: { a: { command: 'b ${volume:c}', cpus: 1, mem_limit: 1g } }\n"
        )
        .breaches,
        []
    );
}

#[test]
fn a_folder_is_searched_for_one_file_in_each_of_its_folders() {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "docker-compose.yml",
        "a/compose.yaml",
        "a/docker-compose.yml",
        "b/x/y/z/compose.yml",
        "b/x/y/z/too-deep/compose.yml",
        "node_modules/compose.yaml",
        "c/.git/compose.yaml",
        "c/other.yaml",
    ] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    std::os::unix::fs::symlink("..", folder.path().join("c/around")).unwrap();
    let within = |path: &Path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
    let found = Files::of(folder.path());
    let files: Vec<_> = found.files.iter().map(|file| within(file)).collect();
    assert_eq!(files, ["docker-compose.yml", "a/compose.yaml", "b/x/y/z/compose.yml"]);
    let left_out: Vec<_> = found.left_out.iter().map(|(path, why)| (within(path), why.as_str())).collect();
    let why = "it is a link, which is not followed: name the folder itself, or copy it";
    assert_eq!(left_out, [("c/around".to_owned(), why)]);
    assert_eq!(Files::of(Path::new("/nowhere")).files, [Path::new("/nowhere")]);
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".*") {
        held(&text);
    }

    #[test]
    fn an_entry_damaged_anywhere_never_panics(at in 0..ENTRY.len(), cut in 0..40usize, text in "[ \n{}\\[\\]:$&*\"'a-z0-9-]{0,10}") {
        let after = (at + cut).min(ENTRY.len());
        held(&format!("{}{text}{}", &ENTRY[..at], &ENTRY[after..]));
    }
}
