//! What galo says without doing anything.

use insta::assert_snapshot;

use crate::support::{free_port, galo, run};

const COMMANDS: [&str; 15] = [
    "check",
    "clean",
    "completions",
    "doctor",
    "duel",
    "fight",
    "init",
    "league",
    "limit",
    "load",
    "report",
    "schema",
    "soak",
    "tune",
    "up",
];

/// Commands of a command.
const PARTS: [&str; 3] = ["league gather", "league plan", "league run"];

#[test]
fn help_of_galo_and_of_every_command_is_as_it_was_written() {
    assert_snapshot!("help of galo", run(&mut galo(&["--help"])).expect(0).stdout);
    for command in COMMANDS.into_iter().chain(PARTS) {
        let help = run(galo(&[]).args(command.split(' ')).arg("--help")).expect(0).stdout;
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        assert_snapshot!(format!("help of {command}"), help);
    }
}

#[test]
fn galo_alone_says_in_four_lines_what_to_do_first() {
    let told = run(&mut galo(&[])).expect(0).stdout;
    assert!(told.lines().count() == 4 && told.lines().all(|line| line.len() <= 80), "{told}");
    assert_snapshot!("galo alone", told);
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    run(galo(&["__man"]).arg(folder.path())).expect(0);
    let pages = std::fs::read_dir(folder.path()).unwrap().count();
    // And galo itself.
    assert_eq!(pages, COMMANDS.len() + PARTS.len() + 1);
    for command in COMMANDS.into_iter().chain(PARTS) {
        let name = format!("galo-{}.1", command.replace(' ', "-"));
        let page = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{command}");
    }
}

#[test]
fn a_calibration_tells_what_each_of_the_kernels_interfaces_reaches() {
    let free = free_port();
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
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&mut galo(&["completions", shell])).expect(0).stdout;
        assert!(["noise-floor", "duel", "thorough"].iter().all(|word| script.contains(word)), "{shell}");
    }
}

#[test]
fn completions_offer_every_command_and_its_options() {
    let script = run(&mut galo(&["completions", "bash"])).expect(0).stdout;
    let blocks = script.split("        galo").skip(1).filter_map(|block| {
        let (name, rest) = block.split_once(')')?;
        let options = rest.split_once("opts=\"")?.1.split_once('"')?.0;
        // Not those of `galo help COMMAND`, which have none.
        (!name.contains("__help")).then(|| format!("galo{name}: {options}"))
    });
    assert_snapshot!("completions", blocks.collect::<Vec<_>>().join("\n"));
}

#[test]
fn wrong_use_is_told_with_what_would_be_right() {
    let wrong: [&[&str]; 7] = [
        &["fihgt"],
        &["load"],
        &["fight", "--no-such-option"],
        &["fight", "--rounds", "many"],
        &["load", "http://127.0.0.1:1", "--rate"],
        &["check"],
        &["schema", "raport"],
    ];
    let told = wrong.map(|arguments| {
        let ended = run(&mut galo(arguments)).expect(2);
        assert_eq!(ended.stdout, "", "what is wrong is told on standard error");
        format!("$ galo {}\n{}", arguments.join(" "), ended.stderr)
    });
    assert_snapshot!("wrong use", told.join("\n"));
}

#[test]
fn the_published_schemas_are_those_that_galo_prints() {
    for of in ["run", "compare", "trend", "policy"] {
        let file = format!("docs/schema/{of}-v1.json");
        let published = std::fs::read_to_string(crate::support::root().join(&file)).unwrap();
        let same = run(&mut galo(&["schema", of])).expect(0).stdout == published;
        assert!(same, "make it again: cargo run -p galo --features schema -- schema {of} > {file}");
    }
}
