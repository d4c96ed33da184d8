//! What galo says without doing anything.

use insta::assert_snapshot;

use crate::support::{galo, run};

#[test]
fn help_lists_the_commands_and_exit_codes() {
    assert_snapshot!(run(&mut galo(&["--help"])).expect(0).stdout);
}

#[test]
fn help_of_fight_has_examples() {
    assert_snapshot!(run(&mut galo(&["fight", "--help"])).expect(0).stdout);
}

#[test]
fn help_of_load_has_examples() {
    assert_snapshot!(run(&mut galo(&["load", "--help"])).expect(0).stdout);
}

#[test]
fn help_of_limit_has_examples() {
    assert_snapshot!(run(&mut galo(&["limit", "--help"])).expect(0).stdout);
}

#[test]
fn help_of_report_has_examples() {
    assert_snapshot!(run(&mut galo(&["report", "--help"])).expect(0).stdout);
}

#[test]
fn a_calibration_tells_what_each_of_the_kernels_interfaces_reaches() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let ended = run(&mut galo(&["doctor", "--calibrate", "--port", &free.to_string()]));
    let row = |backend: &str| {
        let line = ended.stdout.lines().find(|line| line.starts_with(backend)).unwrap_or_default();
        line.split_whitespace().skip(1).map(str::parse::<f64>).collect::<Result<Vec<_>, _>>()
    };
    let figures = row("epoll").unwrap();
    let [per_s, cpu_us, half_per_s, lag_p50, lag_p99] = figures[..] else { panic!("{}", ended.stdout) };
    assert!(per_s > half_per_s && cpu_us > 0.0 && lag_p50 <= lag_p99, "{}", ended.stdout);
    assert!(ended.stdout.contains("\nio_uring"), "{}", ended.stdout);
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(&mut galo(&["completions", shell])).expect(0).stdout.contains("noise-floor"), "{shell}");
    }
}

#[test]
fn the_published_schemas_are_those_that_galo_prints() {
    for of in ["report", "load", "limit", "duel", "scan", "compare", "gatling"] {
        let file = format!("docs/schema/{of}-v1.json");
        let published = std::fs::read_to_string(crate::support::root().join(&file)).unwrap();
        let same = run(&mut galo(&["schema", of])).expect(0).stdout == published;
        assert!(same, "make it again: galo schema {of} > {file}");
    }
}
