//! The files that galo brings along: its challenges and its contenders, with what cargo needs to build those of the first fight.

use std::path::PathBuf;

/// Path in the repository, and content. `build.rs` lists them.
pub(crate) static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The contenders of the first fight, by their folders in [`first_contenders`]' files.
pub const FIRST_CONTENDERS: [&str; 2] = ["contenders/pessoas/rust-sqlite", "fixtures/faulty/queued"];

/// What [`FIRST_CONTENDERS`] are built of. Those that end in `/` are folders.
const FIRST: [&str; 7] = [
    "Cargo.lock",
    "ci/needs/",
    "contenders/pessoas/rust/",
    "contenders/pessoas/rust-sqlite/",
    "contenders/tunnel/rust-tunnel/",
    "fixtures/faulty/",
    MANIFEST,
];
const MANIFEST: &str = "Cargo.toml";
/// Members of their workspace.
const MEMBERS: &str =
    r#"["ci/needs", "contenders/pessoas/rust", "contenders/tunnel/rust-tunnel", "fixtures/faulty"]"#;

/// The contenders of the first fight as files of a workspace of their own, which cargo builds.
#[must_use]
pub fn first_contenders() -> Vec<(PathBuf, String)> {
    let is_first = |name: &str| {
        FIRST.iter().any(|first| if first.ends_with('/') { name.starts_with(first) } else { name == *first })
    };
    let files = FILES.iter().filter(|(name, _)| is_first(name));
    let texts = files.filter_map(|(name, bytes)| Some((*name, std::str::from_utf8(bytes).ok()?)));
    let written = |(name, text): (&str, &str)| {
        let text = match name {
            MANIFEST => manifest(text),
            // Cargo takes out of the lock file what this workspace does not need, and so it may change; versions stay.
            _ if name.ends_with(".yaml") => text.replace(" --locked ", " "),
            _ => text.to_owned(),
        };
        (PathBuf::from(name), text)
    };
    texts.map(written).collect()
}

/// The workspace's manifest, for these members alone.
fn manifest(text: &str) -> String {
    let mut lines = Vec::new();
    let mut section = "";
    for line in text.lines() {
        section = if line.starts_with('[') { line } else { section };
        match line.split(" = ").next() {
            // It is about packages of galo's.
            _ if section == "[profile.dev.package]" => {}
            Some("exclude" | "default-members") => {}
            Some("members") => lines.push(format!("members = {MEMBERS}")),
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn cargo_takes_the_first_contenders_for_a_workspace_of_the_same_versions() {
        let folder = tempfile::tempdir().unwrap();
        let files = first_contenders();
        for (path, text) in &files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        for contender in FIRST_CONTENDERS {
            assert!(folder.path().join(contender).join("compose.yaml").is_file(), "{contender}");
        }
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--offline", "--workspace", "--prefix", "none", "--edges", "normal"]);
        let told = cargo.current_dir(folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&told.stderr);
        assert!(told.status.success() && !said.contains("warning"), "{said}");
        let tree = String::from_utf8(told.stdout).unwrap();
        assert!(tree.contains("rusqlite v"), "{tree}");
        // What cargo has left of the lock file was in it before.
        let lock = |text: &str| text.split("[[package]]\n").skip(1).map(str::to_owned).collect::<Vec<_>>();
        let all = lock(
            std::str::from_utf8(FILES.iter().find(|(name, _)| *name == "Cargo.lock").unwrap().1).unwrap(),
        );
        let left = lock(&std::fs::read_to_string(folder.path().join("Cargo.lock")).unwrap());
        let version = |block: &String| block.lines().take(2).collect::<Vec<_>>().join(" ");
        let all: Vec<_> = all.iter().map(version).collect();
        assert!(left.len() > 50 && left.len() < all.len(), "{}", left.len());
        assert_eq!(left.iter().map(version).find(|package| !all.contains(package)), None);
    }
}
