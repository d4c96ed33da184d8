//! What keeps a duel from being driven, and what is said of it.

use std::process::Command;

use insta::assert_snapshot;

use crate::servers::null_url;
use crate::support::{assert_no_group_is_left, galo, run};

/// What galo says before it starts anything, with paths masked.
fn told(arguments: &[&str], code: i32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(galo(&["duel"]).args(arguments).arg("--out").arg(folder.path().join("run"))).expect(code);
    ended.stderr.replace(&folder.path().display().to_string(), "OUT").trim().to_owned()
}

#[test]
fn what_cannot_fight_is_told_with_what_to_do() {
    let url = "http://127.0.0.1:{port}/";
    assert_snapshot!(told(&["node a.js", "node b.js"], 2), @r#"
error: `node a.js` is a command
hint: say where it listens: --url 'http://127.0.0.1:{port}/'
"#);
    assert_snapshot!(told(&["--url", url, "node a.js"], 2), @r#"
error: only one side is given to fight
hint: give two commands with --url, or two addresses; for more, fight two at a time
"#);
    assert_snapshot!(told(&["http://127.0.0.1:1/", "node a.js"], 2), @r#"
error: `node a.js` is a command
hint: say where it listens: --url 'http://127.0.0.1:{port}/'
"#);
    // Who is asked first is drawn.
    assert_snapshot!(told(&["http://127.0.0.1:1/", "http://127.0.0.1:2/", "--seed", "2"], 2), @r#"
error: nobody listens at 127.0.0.1:1
nobody listens at 127.0.0.1:2
hint: start the server, or give the address at which it listens
"#);
    assert_snapshot!(told(&["http://192.0.2.1/", "http://127.0.0.1:2/"], 2), @r#"
error: `192.0.2.1` is not this machine, and would get all that it can answer
hint: add --yes if it is yours to drive, or give a --rate of at most 100
"#);
    assert_snapshot!(told(&["--url", url, "--git", "main", "a"], 2), @r#"
error: --git is given once, or more than twice
hint: name two revisions: --git main --git my-branch
"#);
    assert_snapshot!(told(&["--url", url, "--git", "main", "--git", "none", "a", "b"], 2), @r#"
error: 2 commands for two revisions
hint: give one, which is run in each of them
"#);
    assert_snapshot!(told(&["--url", url, "--name", "x", "a", "b"], 2), @r#"
error: --name is given once for two sides
hint: give --name twice: for the first side and for the second
"#);
    assert_snapshot!(told(&["--url", url, "--assert", "p99 < 1", "a", "b"], 2), @r#"
error: `p99 < 1` is no bound on a ratio
hint: write for example 'p99 ratio < 1.05'; also p50, rate, cpu, memory, and >
"#);
    assert_snapshot!(told(&["--url", url, "--requests", "README.md", "a", "b"], 2), @r#"
error: `README.md` is no recording that galo knows
hint: galo reads HAR (.har), JSON lines (.jsonl), .http, lines of curl (.curl) and access logs (.log: common, combined, JSON), each packed by gzip too
"#);
    assert_snapshot!(told(&["--url", url, "--env", "X", "a", "b"], 2), @r#"
error: --env `X` has no name and `=`
hint: write NAME=VALUE
"#);
    assert_snapshot!(told(&["--url", url, "--cwd", "/no/such", "a", "b"], 2), @r#"
error: --cwd `/no/such` is no folder
hint: name one that is there
"#);
    assert_snapshot!(told(&["--url", url, "--param", "n=1,2", "a"], 2), @r#"
error: {n} stands in no command
hint: write {n} where the value belongs, e.g. 'WORKERS={n} node a.js'
"#);
    assert_snapshot!(told(&["--url", url, "--profile", "/no/such", "a", "b"], 2), @r#"
error: the profile `/no/such` cannot be read: No such file or directory (os error 2)
hint: name a file of phases, e.g. `ramp 10/s to 500/s over 20s`, one on each line
"#);
    assert_snapshot!(told(&["--url", url, "--for", "3s", "a", "b"], 2), @r#"
error: --for 3s is too short to compare anything
hint: give it at least 10s, or leave it out
"#);
}

#[test]
fn an_option_that_would_have_no_effect_is_refused() {
    let (url, addresses) = ("http://127.0.0.1:{port}/", ["http://127.0.0.1:1/", "http://127.0.0.1:2/"]);
    for options in [
        ["--url", url],
        ["--build", "make"],
        ["--cwd", "."],
        ["--env", "A=1"],
        ["--before", "true"],
        ["--after", "true"],
        ["--cpus", "1"],
        ["--memory", "64MB"],
        ["--unlimited", "--yes"],
    ] {
        let wanted = format!(
            "error: {} is for commands, and both sides are addresses\nhint: leave it out",
            options[0]
        );
        assert_eq!(told(&[addresses, options].concat(), 2), wanted);
    }
    assert_snapshot!(told(&["--url", url, "--param", "n=1,2", "--name", "x", "a {n}"], 2), @r#"
error: --name with --param and one command
hint: leave --name out: its sides are named by the value, e.g. workers=2
"#);
    for (options, conflict) in [
        (&["--pace", "2"][..], "--requests <FILE>"),
        (&["--pace", "2", "--requests", "a.log", "--rate", "5"], "'--pace <FACTOR>'"),
        (&["--profile", "a.profile", "--rate", "5"], "'--profile <FILE>'"),
        (&["--profile", "a.profile", "--for", "1m"], "'--profile <FILE>'"),
        (&["--unlimited", "--cpus", "1"], "'--cpus <CPUS>'"),
        (&["--progress", "screen"], "possible values: line, lines"),
        (&["--scale", "2"], "unexpected argument '--scale'"),
        (&["--style", "gatling"], "unexpected argument '--style'"),
        (&["--noise-floor", "run"], "unexpected argument '--noise-floor'"),
    ] {
        let told = told(&[&["--url", url, "a", "b"], options].concat(), 2);
        assert!(told.contains(conflict), "{options:?}: {told}");
    }
}

#[test]
fn a_fight_of_commands_addresses_or_revisions_names_the_line_of_the_duel() {
    let told = |arguments: &[&str]| run(galo(&["fight"]).args(arguments)).expect(2).stderr;
    assert_snapshot!(told(&["http://127.0.0.1:1/", "http://127.0.0.1:2/", "--quick"]), @r#"
error: commands, addresses and revisions fight by `galo duel`
hint: galo duel http://127.0.0.1:1/ http://127.0.0.1:2/ --quick
"#);
    assert_snapshot!(told(&["--git", "main", "--git", "HEAD", "--url", "http://127.0.0.1:{port}/", "app {port}"]), @r#"
error: commands, addresses and revisions fight by `galo duel`
hint: galo duel --git main --git HEAD --url 'http://127.0.0.1:{port}/' 'app {port}'
"#);
    assert_snapshot!(told(&["node a.js", "node b.js"]), @r#"
error: `node a.js` is no Compose file and no folder with one
hint: if it is a command: galo duel --url 'http://127.0.0.1:{port}/' 'node a.js' 'node b.js'
"#);
    assert_snapshot!(told(&["contenders/pessoas/rust-sqlite", "contenders/pessoas/rust-sqlight"]), @r#"
error: `contenders/pessoas/rust-sqlight` is no Compose file and no folder with one
hint: name a folder that holds a compose.yaml
"#);
}

#[test]
fn a_command_that_does_not_stay_or_answer_is_told_with_the_reason() {
    let url = "http://127.0.0.1:{port}/";
    let null = null_url();
    assert_snapshot!(told(&["--url", url, "echo no; exit 3", &null], 4), @r#"
error: service `command` of contender `echo no; exit 3` ended before it was ready (exit status 3)
  | no
hint: see OUT/run/logs/first-01/command.log
"#);
    assert_snapshot!(told(&["--url", url, "sleep 60 & exit 0", &null], 4), @r#"
error: service `command` of contender `sleep 60 & exit 0` ended before it was ready (exit status 0)
hint: a program that goes to the background must stay in front here; see OUT/run/logs/first-01/command.log
"#);
    assert_no_group_is_left();
}

#[test]
fn what_a_runner_lacks_is_told_before_anything_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let lacking = |number: usize, program: &str, before: &[&str]| {
        let out = folder.path().join(number.to_string());
        let galo =
            galo(&["duel", "--url", "http://127.0.0.1:{port}/", "--build", "exit 1", "a", "b", "--out"]);
        let mut command = Command::new(program);
        command.args(before).arg(galo.get_program()).args(galo.get_args()).arg(out);
        let set = galo.get_envs().filter_map(|(name, value)| Some((name, value?)));
        run(command.envs(set)).expect(4).stderr
    };
    let one_core = lacking(1, "taskset", &["-c", "0"]);
    assert!(
        one_core.starts_with("galo and the commands share one CPU, so many loads may not count\nhint: "),
        "{one_core}"
    );
    let hidden = r#"umount --lazy /sys/fs/cgroup && exec "$@""#;
    let no_groups = lacking(2, "unshare", &["--mount", "sh", "-c", hidden, "sh"]);
    let told = no_groups.lines().find(|line| line.starts_with("limits are NOT enforced: ")).unwrap();
    assert!(
        told.contains("mend it: mount ") && told.contains("neither CPU nor memory is measured"),
        "{told}"
    );
}
