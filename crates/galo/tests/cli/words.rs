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
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(run(&mut galo(&["completions", shell])).expect(0).stdout.contains("noise-floor"), "{shell}");
    }
}

#[test]
fn the_published_schema_is_the_one_that_galo_prints() {
    let published =
        std::fs::read_to_string(crate::support::root().join("docs/schema/report-v1.json")).unwrap();
    let same = run(&mut galo(&["schema"])).expect(0).stdout == published;
    assert!(same, "make it again: galo schema > docs/schema/report-v1.json");
}
