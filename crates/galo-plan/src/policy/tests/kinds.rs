//! The kinds of Compose files that entries of contests are, each small: what it is held to be, and why (`kinds.txt`).

use super::*;

const KINDS: &str = include_str!("kinds.txt");

/// What stands beside the services of most cases, for `@rest`: 0.5 CPU and 150 MB.
const REST: &str = "  lb: { image: nginx:1.27, ports: [\"9999:9999\"], cpus: 0.2, mem_limit: 50m }
  db: { image: postgres:17, cpus: 0.3, mem_limit: 100m }
";

/// An edition with all that a policy can say.
fn edition() -> Policy {
    Policy {
        instances: 2,
        forbidden_keys: ["network_mode: host", "privileged"].map(str::to_owned).to_vec(),
        networks: vec!["payment-processor".to_owned()],
        ..Policy::of_budget(9999, 1500, 350 << 20)
    }
}

/// What an entry of this text is held to be, a line for each breach and each advice.
fn outcome(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("api")).unwrap();
    write("api/Dockerfile", "FROM scratch\n");
    write("nginx.conf", "");
    write("api.env", "A=1\n");
    write("base.yaml", "services: { api: { image: me/api:1, cpus: 0.2, mem_limit: 20m } }\n");
    write("compose.yaml", text);
    let held = hold(folder.path(), &edition());
    let told = |breach: &Breach| match breach {
        Breach::Unreadable { message } => {
            let message = message.lines().next().unwrap();
            format!("unreadable: {}", message.split_once(": ").map_or(message, |(_, why)| why))
        }
        Breach::ForbiddenKey { service, key } => format!("forbidden-key {service}: {key}"),
        other => format!("{} {}", other.code(), other.service().unwrap_or_default()).trim().to_owned(),
    };
    let mut lines: Vec<String> = held.breaches.iter().map(told).collect();
    if lines.is_empty() {
        lines.push("within".to_owned());
    }
    lines.extend(held.advice.iter().map(|advice| format!("advice {}", told(advice))));
    lines.join("\n")
}

#[test]
fn every_kind_of_file_is_held_to_be_what_it_is() {
    let mut wrong = String::new();
    let mut number = 0;
    for case in KINDS.split("=== ").skip(1) {
        let (head, text) = case.split_once("\n---\n").unwrap();
        let (name, expected) = head.split_once('\n').unwrap();
        let found = outcome(&text.replace("@rest\n", REST));
        let is_it = expected.lines().count() == found.lines().count()
            && expected.lines().zip(found.lines()).all(|(expected, found)| match expected {
                // The rest of a message may name what else there is.
                why if why.starts_with("unreadable: ") => found.starts_with(why),
                exact => found == exact,
            });
        if !is_it {
            wrong += &format!("{name}\n  expected {expected:?}\n  found    {found:?}\n");
        }
        number += 1;
    }
    assert_eq!(wrong, "");
    assert!(number >= 40, "{number}");
}
