//! Histories that contradict themselves: said, and never judged valid.

use super::*;

/// Spoils a sound history, which would disqualify, and tells what becomes of it.
fn spoiled(spoil: impl Fn(&mut RoundData)) -> String {
    let story = Story::read("create ana 1..2 ok; create bia 2..3 ok; search an 3..4; search bi 5..6 bia");
    let names = story.names.clone();
    let mut round = story.round();
    spoil(&mut round);
    verdict_of(&judge_round(&story::plan(), &names, &round))
}

/// Lets the load begin so late that it has this length.
fn ends_after(round: &mut RoundData, load_ns: u64) {
    round.record.load.started_ns = round.record.load.ended_ns - load_ns;
    round.record.load.engine.cpu_ns = 0;
}

#[test]
fn whatever_contradicts_itself_is_said_and_never_valid() {
    type Spoil = fn(&mut RoundData);
    let spoils: [(&str, Spoil); 11] = [
        ("out of order", |round| round.history.swap(0, 3)),
        ("an operation twice", |round| round.history[1] = round.history[0]),
        ("sent after its end", |round| round.history[2].sent_ns = Some(9_000_000)),
        ("sent before it was due", |round| round.history[2].intended_ns = 3_500_000),
        ("ended after the load", |round| {
            ends_after(round, 5_999_999);
        }),
        ("answered before it was due", |round| round.history[2].first_byte_ns = Some(2_999_999)),
        ("answered after its end", |round| round.history[2].first_byte_ns = Some(4_000_001)),
        ("a user whom the plan does not have", |round| round.history[0].user = 10_000),
        ("a step that the challenge does not have", |round| round.history[0].step = 77),
        ("things seen that are not there", |round| round.seen.clear()),
        ("a lost operation", |round| {
            round.history.remove(1);
        }),
    ];
    let said = spoils.map(|(what, spoil)| format!("{what}: {}", spoiled(spoil)));
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn what_was_never_spoiled_disqualifies() {
    assert_eq!(spoiled(|_| {}), "search-misses-acknowledged");
    let to_the_bounds = |round: &mut RoundData| {
        ends_after(round, 6_000_000);
        round.history[2].first_byte_ns = Some(3_000_000);
        round.history[3].first_byte_ns = Some(6_000_000);
    };
    assert_eq!(spoiled(to_the_bounds), "search-misses-acknowledged");
}

#[test]
fn a_late_galo_voids_figures_but_not_what_the_history_proves() {
    assert_eq!(
        spoiled(|round| round.record.load.engine.lag_us_p99 = 1e6),
        "search-misses-acknowledged (galo-late, galo-lag)"
    );
}

#[test]
fn a_round_that_was_broken_off_is_void_and_accuses_nobody() {
    let broken_off = spoiled(|round| round.record.end = galo_record::round::RoundEnd::Interrupted);
    assert!(broken_off.starts_with(r#"void: {"kind":"interrupted"}"#), "{broken_off}");
}
