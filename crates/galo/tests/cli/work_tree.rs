//! Duels in a repository whose work tree has what no revision has.

use std::path::Path;
use std::process::Command;

use crate::duel::{SHORT, driven, server};
use crate::support::{assert_no_group_is_left, galo, run};

/// A repository of one commit.
fn repository(folder: &Path) {
    std::fs::write(folder.join("version"), "one").unwrap();
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    for arguments in [&["init", "--quiet"][..], &["add", "."], &["commit", "--quiet", "-m", "one"]] {
        let ended = Command::new("git").current_dir(folder).args(identity).args(arguments).output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
}

#[test]
fn what_is_not_committed_is_told_of_revisions_and_fights_as_the_work_tree_as_it_is() {
    let (cache, repo) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    repository(repo.path());
    std::fs::write(repo.path().join("version"), "two").unwrap();
    std::fs::write(repo.path().join("new"), "").unwrap();
    let command = format!("cat version built; {}", server());
    let duel = |git: [&str; 2], out: &Path| {
        let mut duel = galo(&["duel", "--quick", "--rounds", "1", "--profile", SHORT]);
        duel.args(["--url", "http://127.0.0.1:{port}/", "--build", "cat version > built", &command]);
        duel.args(["--git", git[0], "--git", git[1], "--out"]).arg(out);
        duel.current_dir(repo.path()).env("XDG_CACHE_HOME", cache.path());
        duel
    };
    let same = run(&mut duel(["HEAD", "HEAD"], Path::new("never"))).expect(2).stderr;
    insta::assert_snapshot!(same.trim(), @r"
    error: `HEAD` and `HEAD` are the same
    hint: what is not committed fights as `.`: --git HEAD --git .
    ");
    let (kept, told) = driven(|out| duel(["HEAD", "."], out));
    for (log, version) in [("first-01", "oneone"), ("second-01", "twotwo")] {
        let log = kept.path().join("run/logs").join(log).join("command.log");
        let log = std::fs::read_to_string(log).unwrap();
        assert!(log.starts_with(version), "{log}");
    }
    assert!(
        told.stdout.contains("work tree") && !told.stderr.contains("which neither side has"),
        "{}",
        told.stderr
    );

    let git = ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--all", "-m", "two"];
    assert!(Command::new("git").current_dir(repo.path()).args(git).status().unwrap().success());
    std::fs::write(repo.path().join("version"), "three").unwrap();
    let (kept, told) = driven(|out| duel(["HEAD^", "HEAD"], out));
    // `new` and `built` were never committed, and `version` was changed.
    let wanted = "the work tree has 3 changed or new files, which neither side has";
    assert_eq!(told.stderr.matches(wanted).count(), 1, "{}", told.stderr);
    for (lang, wanted) in [("en", wanted), ("pt", "3 arquivos alterados ou novos, que nenhum lado tem")] {
        let report = run(galo(&["report", "--lang", lang]).arg(kept.path().join("run"))).expect(0).stdout;
        let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(report.contains(wanted), "{report}");
    }
    assert_no_group_is_left();
}

#[test]
fn of_a_revision_with_submodules_that_does_not_build_it_is_told_that_they_are_empty() {
    let (cache, repo) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(repo.path().join(".gitmodules"), "").unwrap();
    repository(repo.path());
    let mut duel =
        galo(&["duel", "--git", "HEAD", "--git", ".", "--build", "cat library/code", "--out", "never"]);
    duel.args(["--url", "http://127.0.0.1:{port}/", &server()]);
    let told = run(duel.current_dir(repo.path()).env("XDG_CACHE_HOME", cache.path())).expect(4).stderr;
    let hint = "hint: begin --build with `git submodule update --init --recursive &&`";
    assert!(told.contains("library/code") && told.contains(hint), "{told}");
}
