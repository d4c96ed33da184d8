//! Every command of the tutorials and the how-to pages runs as it stands there, but for addresses and lengths of loads.
//! What a test cannot have is in [`PARSED_ALONE`]; that the command line understands it is tested in `src/cli/pages.rs`.

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::commands::{Block, blocks};
use crate::servers::null_url;
use crate::support::{assert_no_group_is_left, galo, ran_alone, root, run};

/// Beginnings of commands that are not run here, and why.
const PARSED_ALONE: &[(&str, &str)] = &[
    ("galo duel --url", "needs Node and Bun; tests/cli/duel.rs drives its own servers"),
    ("galo duel --quick --url http://127.0.0.1:{port}/ --param", "needs Node; tests/cli/duel.rs scans"),
    ("galo duel --git", "needs a repository with a server; the tutorial of CI has one and runs"),
    ("galo duel http", "takes minutes; tests/cli/duel.rs and duel_refused.rs have shorter ones"),
    ("galo load http://localhost:8080/ --max-under", "searches for minutes; tests/cli/load.rs does"),
    (
        "galo load http://localhost:8080/ --scenario",
        "needs an API that logs in; tests/cli/scenarios.rs has one",
    ),
    ("galo load http://127.0.0.1:8000/ --scenario", "as above"),
    ("galo init --from-openapi", "needs a description and its server; tests/cli/init.rs has both"),
    ("galo fight", "takes minutes; tests/cli/fight.rs and init.rs let contenders fight"),
    ("galo limit mine --sweep", "takes an hour; tests/cli/sweep.rs sweeps"),
    ("galo tune mine", "takes half an hour; tests/cli/sweep.rs searches"),
    ("galo check contenders", "takes minutes; tests/cli/fight.rs checks"),
    ("galo check --crash", "takes minutes; tests/cli/crash.rs kills"),
    ("galo check http", "needs a server of the challenge; tests/cli/first_contact.rs has some"),
    ("galo check galo-fight/a", "needs the server of a description; tests/cli/init.rs has one"),
    ("galo report --history", "needs runs of the past; tests/cli/trend.rs has some"),
    ("galo report speed/", "as above"),
    ("galo check mine", "needs Go; ci/contenders checks it"),
    ("galo check --policy FOLDER", "needs a contest; the tutorial of a contest's folder holds two of them"),
    ("galo check my-folder", "needs an engine and images; tests/cli/docker.rs has both"),
    (
        "galo check fixtures/folders",
        "needs an engine and images of a registry; tests/cli/docker.rs has its own",
    ),
];

/// What stands in a page, and what a test has in its place.
const INSTEAD: &[(&str, &str)] = &[
    (" -d 30s", " -d 300ms"),
    (" -d 5m", " -d 300ms"),
    (" over 30s", " over 300ms"),
    (" --step 1m", " --step 100ms"),
    (" --rate-max 25000", " --rate-max 3000"),
    (" 127.0.0.1:9100", " 127.0.0.1:0"),
];

fn is_parsed_alone(block: &Block) -> bool {
    let is_listed = |command: &Vec<String>| {
        let line = command.join(" ");
        PARSED_ALONE.iter().any(|(begin, _)| line.starts_with(begin))
    };
    block.commands().iter().any(is_listed)
}

/// A folder to run in, with galo in its `bin`.
fn scratch() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_galo"), folder.path().join("bin/galo")).unwrap();
    folder
}

/// Bash with galo in its path, in a folder, with a home of its own.
fn bash(text: &str, scratch: &Path, folder: &Path) -> Command {
    let plain = galo(&[]);
    let mut command = Command::new("bash");
    command.args(["-e", "-c", text]).current_dir(folder);
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let path = format!("{}:{}", scratch.join("bin").display(), std::env::var("PATH").unwrap());
    command.env("PATH", path).env("HOME", scratch);
    command
}

/// Runs the blocks of a tutorial one after the other; whether each ended with 0, or with 3 where the machine spoiled it.
#[track_caller]
fn follow(page: &str, folder: &Path, scratch: &Path, expected: &[&str]) {
    let all = blocks(&[page]);
    for block in all.iter().filter(|block| !is_parsed_alone(block)) {
        let ended = run(&mut bash(&block.text, scratch, folder));
        let is_right = match ended.code {
            Some(code @ (0 | 1)) => (code == 1) == expected.iter().any(|fails| block.text.contains(fails)),
            Some(3) => block.text.contains("galo duel"),
            _ => false,
        };
        assert!(
            is_right,
            "{page}:\n{}\nended with {:?}\n{}\n{}",
            block.text, ended.code, ended.stdout, ended.stderr
        );
    }
}

#[test]
fn the_first_duel_goes_as_its_tutorial_says() {
    let (scratch, folder) = (scratch(), tempfile::tempdir().unwrap());
    follow("docs/tutorials/first-duel.md", folder.path(), scratch.path(), &[]);
    let markdown = std::fs::read_to_string(folder.path().join("duel.md")).unwrap();
    let answers =
        markdown.lines().find(|line| line.contains(" answers to the same requests are equal")).unwrap();
    let (equal, of) = answers.split_once(" of ").unwrap();
    assert!(of.starts_with(&format!("{equal} ")) && !equal.starts_with('0'), "{answers}");
    assert!(folder.path().join("first/report.html").exists());
    assert_no_group_is_left();
}

#[test]
fn the_gate_of_ci_goes_as_its_tutorial_says() {
    let (scratch, folder) = (scratch(), tempfile::tempdir().unwrap());
    follow("docs/tutorials/in-ci.md", folder.path(), scratch.path(), &[]);
    let told = std::fs::read_to_string(folder.path().join("summary.md")).unwrap();
    assert!(told.contains("cpu ratio < 1.2"), "{told}");
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("speed.json")).unwrap()).unwrap();
    assert_eq!(report["answers"]["equal"], report["answers"]["compared"]);
    assert_no_group_is_left();
}

#[test]
fn the_first_contest_folder_goes_as_its_tutorial_says() {
    // `galo doctor` looks whether the contest's port is free.
    if ran_alone() {
        return;
    }
    let scratch = scratch();
    let fails = ["galo check --policy fixtures/folders/list-forms fixtures/folders/over-budget"];
    follow("docs/tutorials/first-contest-folder.md", &root(), scratch.path(), &fails);
}

/// What the commands of the how-to pages read.
fn with_files(folder: &Path) {
    std::fs::write(folder.join("users.csv"), "name\nann\nbob\n").unwrap();
}

#[test]
fn commands_of_the_how_to_pages_run() {
    let server = null_url();
    let server = server.trim_end_matches('/');
    let mut driven = 0;
    for block in blocks(&["docs/how-to"]) {
        for line in block.text.lines().filter(|line| line.starts_with("galo ")) {
            if is_parsed_alone(&Block { page: block.page.clone(), text: line.to_owned() }) {
                continue;
            }
            let mut line = line.replace("http://localhost:8080", server);
            for (from, to) in INSTEAD {
                line = line.replace(from, to);
            }
            if line.starts_with("galo load")
                && ![" -d ", " -n ", " over ", " --step "].iter().any(|l| line.contains(l))
            {
                line = line.replace("galo load", "galo load -d 300ms");
            }
            let (scratch, folder) = (scratch(), tempfile::tempdir().unwrap());
            with_files(folder.path());
            let ended = run(&mut bash(&line, scratch.path(), folder.path()));
            let is_right = ended.code == Some(0) || ended.code == Some(3) && line.starts_with("galo load");
            assert!(
                is_right,
                "{}: {line}\nended with {:?}\n{}\n{}",
                block.page, ended.code, ended.stdout, ended.stderr
            );
            driven += 1;
        }
    }
    assert!(driven >= 10, "{driven}");
}

#[test]
fn what_is_parsed_alone_stands_in_a_page() {
    let all: BTreeSet<String> = blocks(&["docs/tutorials", "docs/how-to"])
        .iter()
        .flat_map(Block::commands)
        .map(|command| command.join(" "))
        .collect();
    for (begin, _) in PARSED_ALONE {
        assert!(all.iter().any(|command| command.starts_with(begin)), "no page has `{begin}`");
    }
}
