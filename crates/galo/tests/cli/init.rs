//! Files that `galo init` writes, and what becomes of them.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::shop;
use crate::support::{Ended, assert_no_group_is_left, free_port, galo, root, run};

const URL: &str = "http://127.0.0.1:{port}/items/1";

fn init(folder: &Path, arguments: &[&str]) -> Ended {
    run(galo(&["init"]).args(arguments).current_dir(folder))
}

/// Has the profiles of a fight take a second.
fn shorten(folder: &Path) {
    let file = folder.join("galo-fight/challenge.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let shorter = text.replace("over 3s", "over 500ms").replace("for 17s", "for 500ms");
    assert_ne!(text, shorter);
    std::fs::write(&file, shorter).unwrap();
}

#[test]
fn two_commands_become_two_contenders_that_fight() {
    let folder = tempfile::tempdir().unwrap();
    let (port, command) = (free_port().to_string(), shop::command());
    let ended = init(
        folder.path(),
        &["--url", URL, "--port", &port, &command, &command, "--name", "one", "--name", "other"],
    );
    assert_snapshot!(ended.expect(0).stdout, @r#"
wrote galo-fight/challenge.toml
wrote galo-fight/one/compose.yaml
wrote galo-fight/other/compose.yaml
next: galo fight galo-fight/one galo-fight/other
  or: galo check galo-fight/one
"#);
    shorten(folder.path());
    let arguments = ["fight", "galo-fight/one", "galo-fight/other", "--rounds", "1", "--out", "run"];
    let report = run(galo(&arguments).args(["--json", "-", "--quiet"]).current_dir(folder.path())).json();
    assert_no_group_is_left();
    let rounds = report["rounds"].as_array().unwrap();
    let ok: Vec<_> = rounds.iter().map(|round| round["ledger"]["ok"].as_u64()).collect();
    // A void round is driven again.
    assert!(ok.len() >= 2 && ok.iter().all(|ok| *ok == Some(78)), "{report}");
}

#[test]
fn secrets_and_what_is_left_out_of_a_recording_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "curl http://a.test/a -H 'Authorization: Bearer x'\ncurl http://b.test/b\ncurl http://b.test/c -b sid=1\ncurl http://b.test/$ID\n";
    std::fs::write(folder.path().join("a.curl"), lines).unwrap();
    let line = ["--url", URL, "app {port}", "--requests", "a.curl"];
    assert_snapshot!(init(folder.path(), &line).expect(0).stderr, @r#"
a.curl: 2 of 4 left out: 1 needs a shell to be read (line 4: `$ID`), 1 is of another host (line 1: `a.test`)
a.curl: what went to `b.test` is sent; --host takes another
galo-fight/challenge.toml holds secrets as they were given: Cookie (do not share the file as it is)
"#);
    let other = [&line[..], &["--host", "a.test", "--out", "other"]].concat();
    assert_snapshot!(init(folder.path(), &other).expect(0).stderr, @r#"
a.curl: 3 of 4 left out: 1 needs a shell to be read (line 4: `$ID`), 2 are of other hosts (lines 2, 3: `b.test`)
a.curl: what went to `a.test` is sent; --host takes another
other/challenge.toml holds secrets as they were given: Authorization (do not share the file as it is)
"#);
    let unknown = [&line[..], &["--host", "c.test", "--out", "unknown"]].concat();
    assert_snapshot!(init(folder.path(), &unknown).expect(2).stderr, @r#"
error: `a.curl` has no request of the host `c.test`
hint: it has b.test (2), a.test (1)
"#);
}

#[test]
fn one_of_galos_own_contenders_is_copied_with_what_it_needs_and_nothing_is_guessed() {
    let folder = tempfile::tempdir().unwrap();
    let ended = init(folder.path(), &["--contender", "python", "mine"]).expect(0);
    assert!(
        ended.stdout.ends_with("next: galo check mine/contenders/pessoas/python-fastapi\n"),
        "{}",
        ended.stdout
    );
    for file in
        ["needs.sh", "pessoas/base.yaml", "pessoas/python/person.py", "pessoas/python-fastapi/compose.yaml"]
    {
        let read = |root: &Path| std::fs::read_to_string(root.join("contenders").join(file)).unwrap();
        assert_eq!(read(&folder.path().join("mine")), read(&root()), "{file}");
    }
    let again = init(folder.path(), &["--contender", "python", "mine"]).expect(2).stderr;
    assert!(again.contains("is there already"), "{again}");
    let unknown = init(folder.path(), &["--contender", "cobol", "mine"]).expect(2).stderr;
    assert!(
        unknown.contains("there is no contender `cobol` to copy") && unknown.contains("pessoas/go-fiber"),
        "{unknown}"
    );
    let two = init(folder.path(), &["--contender", "python", "mine", "yours"]).expect(2).stderr;
    assert!(two.contains("one folder at most"), "{two}");
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("galo-fight/b/compose.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "mine").unwrap();
    let ended = init(folder.path(), &["--url", URL, "node a.js {port}", "node b.js {port}"]).expect(2);
    assert_snapshot!(ended.stderr.trim(), @r#"
error: `galo-fight/b/compose.yaml` is there already
hint: name another folder with --out, or remove it
"#);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
    assert!(!folder.path().join("galo-fight/challenge.toml").exists());
    assert!(!folder.path().join("galo-fight/a").exists());
}

#[test]
fn who_keeps_its_description_passes_and_who_does_not_fails_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let api = root().join("crates/galo-init/testdata/shop.yaml");
    let urls = [false, true].map(|is_lenient| format!("http://{}", shop::start(is_lenient)));
    let ended = init(folder.path(), &["--from-openapi", api.to_str().unwrap(), &urls[0]]).expect(0);
    assert_snapshot!(ended.stdout.replace(&urls[0], "URL"), @r#"
wrote galo-fight/challenge.toml
next: galo check URL --challenge galo-fight/challenge.toml
"#);
    assert_snapshot!(ended.stderr, @r#"
left out: note of another type in POST /items, because its schema does not say of which it is
left out: the traffic of DELETE /items/{itemId}, because what it deletes is gone for the requests after it
left out: the example of DELETE /items/{itemId}, because what it deletes is gone for the cases after it
left out: PUT /items/{itemId}/picture, because its body is not JSON but image/png
left out: GET /me, because it asks for credentials: give them with -H
"#);
    let broken = |url: &str, code: i32| -> Vec<String> {
        let _ = std::fs::remove_dir_all(folder.path().join("run"));
        let arguments = ["check", url, "--challenge", "galo-fight/challenge.toml", "--out", "run"];
        let ended = run(galo(&arguments).args(["--json", "-", "--quiet"]).current_dir(folder.path()));
        let report = ended.expect(code).json();
        let broken = report["rounds"][0]["conformance"]["broken"].as_array().unwrap();
        broken.iter().map(|case| case["case"].as_str().map(str::to_owned).unwrap()).collect()
    };
    assert_eq!(broken(&urls[0], 0), Vec::<String>::new());
    assert_snapshot!(broken(&urls[1], 1).join("\n"), @r#"
GET /items: without ?limit
POST /items: without name
POST /items: without price
POST /items: name of another type
POST /items: part_of of another type
POST /items: price of another type
POST /items: tags of another type
"#);
}

#[test]
fn a_command_from_a_description_is_checked_by_the_line_that_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let api = root().join("crates/galo-init/testdata/shop.yaml");
    let (port, command) = (free_port().to_string(), shop::command());
    let arguments =
        ["--from-openapi", api.to_str().unwrap(), "--port", &port, &command, "--env", "LENIENT=1"];
    let told = init(folder.path(), &arguments).expect(0).stdout;
    let next = told.lines().last().unwrap().trim_start_matches("next: galo ");
    let mut check = galo(&next.split(' ').collect::<Vec<_>>());
    let report = run(check.args(["--json", "-", "--quiet"]).current_dir(folder.path())).expect(1).json();
    assert_no_group_is_left();
    let kind: &Value = &report["rounds"][0]["standing"]["kind"];
    assert_eq!(kind, "disqualified", "{report}");
}
