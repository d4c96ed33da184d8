use proptest::prelude::*;

use super::*;

mod exact;

fn injection(phases: &[&str]) -> Injection {
    Injection::parse(phases).unwrap()
}

#[test]
fn the_contests_creations_are_54635_users_at_known_offsets() {
    let all = injection(&["2/s for 10s", "5/s for 15s", "ramp 6/s to 600/s over 3m"]);
    assert_eq!(all.users(), 54_635);
    assert_eq!(all.duration_ns(), 205_000_000_000);
    assert_eq!(all.offset_ns(0), Some(0));
    assert_eq!(all.offset_ns(1), Some(500_000_000));
    assert_eq!(all.offset_ns(20), Some(10_000_000_000));
    assert_eq!(all.offset_ns(21), Some(10_200_000_000));
    assert_eq!(all.offset_ns(95), Some(25_000_000_000));
    // 6 t + 1.65 t^2 = 1, so t = 0.159656832... s after the ramp's start.
    assert_eq!(all.offset_ns(96), Some(25_159_656_832));
    assert!(all.offset_ns(54_634).unwrap() < all.duration_ns());
    assert_eq!(all.offset_ns(54_635), None);
}

#[test]
fn a_user_who_would_start_at_the_very_end_is_none() {
    assert_eq!(injection(&["1/s for 10s"]).users(), 10);
    assert_eq!(injection(&["1/s for 10s"]).offset_ns(10), None);
    assert_eq!(injection(&["1/s for 10s", "0/s for 5s"]).offset_ns(10), None);
    assert_eq!(injection(&["0.5/s for 3s"]).users(), 2);
    assert_eq!(injection(&["0/s for 3s"]).users(), 0);
    assert_eq!(injection(&["0/s for 3s"]).offset_ns(0), None);
}

#[test]
fn where_nobody_arrives_for_a_while_the_next_user_starts_at_the_earliest_moment() {
    let all = injection(&["1/s for 2s", "0/s for 5s", "1/s for 2s"]);
    let offsets: Vec<_> = (0..4).map(|n| all.offset_ns(n).unwrap() / 1_000_000).collect();
    // The integral reaches 2 at 2 s and stays there until 7 s.
    assert_eq!(offsets, [0, 1000, 2000, 8000]);
}

#[test]
fn a_ramp_may_start_or_end_at_nothing() {
    let rise = injection(&["ramp 0/s to 2/s over 4s"]);
    assert_eq!(rise.users(), 4);
    // t^2 / 4 = 1, 2, 3
    assert_eq!(rise.offset_ns(1), Some(2_000_000_000));
    assert_eq!(rise.offset_ns(2), Some(2_828_427_124));
    assert_eq!(rise.offset_ns(3), Some(3_464_101_615));
    let fall = injection(&["ramp 2/s to 0/s over 4s"]);
    assert_eq!(fall.offset_ns(0), Some(0));
    assert_eq!(fall.offset_ns(1), Some(535_898_384));
    assert_eq!(fall.offset_ns(3), Some(2_000_000_000));
    assert_eq!(fall.offset_ns(4), None);
}

#[test]
fn the_rate_is_known_at_every_moment() {
    let all = injection(&["2/s for 10s", "ramp 6/s to 600/s over 180s"]);
    assert_eq!(all.rate_at(9_999_999_999), 2.0);
    assert_eq!(all.rate_at(10_000_000_000), 6.0);
    assert_eq!(all.rate_at(100_000_000_000), 303.0);
    assert_eq!(all.rate_at(190_000_000_000), 0.0);
}

#[test]
fn a_scale_multiplies_every_rate() {
    let scaled = injection(&["2/s for 10s", "ramp 0.1/s to 8/s over 1s"]).scaled(1250).unwrap();
    assert_eq!(scaled, injection(&["2.5/s for 10s", "ramp 0.125/s to 10/s over 1s"]));
    assert_eq!(scaled.users(), 31);
}

#[test]
fn the_limits_themselves_are_computed_exactly() {
    let all =
        injection(&["ramp 1000000000/s to 0/s over 15days", "ramp 0.000001/s to 1000000000/s over 15days"]);
    let users = all.users();
    assert_eq!(users, 1_296_000_000_000_001);
    // Both halves mirror each other but for a millionth.
    assert_eq!(all.offset_ns(648_000_000_000_000), Some(15 * 24 * 3600 * 1_000_000_000));
    assert!(all.offset_ns(users - 1).unwrap() < all.duration_ns());
    assert_eq!(all.offset_ns(users), None);
    let endless = Injection::constant(u64::MAX, Duration::MAX);
    assert_eq!(endless.users(), 2_592_000_000_000_000);
    assert_eq!(endless.offset_ns(endless.users() - 1), Some(MAX_DURATION_NS - 1));
}

#[test]
fn what_cannot_be_read_is_told_with_the_right_forms() {
    let error = |text: &str| Injection::parse(&[text]).unwrap_err().to_string();
    insta::assert_snapshot!(error("5/s in 10s"), @"cannot read `5/s in 10s`: it has neither of the two forms; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    insta::assert_snapshot!(error("5/m for 10s"), @"cannot read `5/m for 10s`: `5/m` is not a rate such as `5/s`; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    insta::assert_snapshot!(error("-5/s for 10s"), @"cannot read `-5/s for 10s`: `-5` is not a number; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    insta::assert_snapshot!(error("0.1234567/s for 10s"), @"cannot read `0.1234567/s for 10s`: `0.1234567` has more than six decimals; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    insta::assert_snapshot!(error("5/s for ten"), @"cannot read `5/s for ten`: `ten` is not a duration; write for example `30s`, `1m30s` or `100ms`; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    insta::assert_snapshot!(error("5/s for 0s"), @"cannot read `5/s for 0s`: a phase needs a length; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    insta::assert_snapshot!(error("ramp 1/s to 2000000000/s over 1m"), @"`ramp 1/s to 2000000000/s over 60s` is too long or too fast: a rate may be 1000000000/s at most");
    insta::assert_snapshot!(error("5/s for 31days"), @"`5/s for 2678400s` is too long or too fast: all phases together may last 30 days at most");
    insta::assert_snapshot!(Injection::parse::<&str>(&[]).unwrap_err().to_string(), @"cannot read ``: there is no phase; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
}

#[test]
fn a_stored_injection_reads_back_and_a_damaged_one_is_refused() {
    let all = injection(&["2/s for 10s", "ramp 6/s to 600/s over 3m"]);
    let text = serde_json::to_string(&all).unwrap();
    assert_eq!(serde_json::from_str::<Injection>(&text).unwrap(), all);
    let damaged = r#"{"phases":[{"from_micro":1,"to_micro":18446744073709551615,"duration_ns":5}]}"#;
    assert!(serde_json::from_str::<Injection>(damaged).is_err());
    let without_length = r#"{"phases":[{"from_micro":1,"to_micro":2,"duration_ns":0}]}"#;
    assert!(serde_json::from_str::<Injection>(without_length).is_err());
}

fn rate() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 1..2_000_000u64, 1_000_000..10_000_000_000u64]
}

fn phases() -> impl Strategy<Value = Vec<Phase>> {
    let phase = (rate(), rate(), any::<bool>(), 1..10_000_000_000_000u64).prop_map(
        |(from, to, flat, duration_ns)| Phase {
            from_micro: from,
            to_micro: if flat { from } else { to },
            duration_ns,
        },
    );
    prop::collection::vec(phase, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn offsets_never_decrease(phases in phases(), share in 0.0..1.0f64) {
        let all = Injection::checked(phases).unwrap();
        let first = (all.users() as f64 * share) as u64;
        let offsets: Vec<u64> = (first..first + 100).map_while(|n| all.offset_ns(n)).collect();
        prop_assert!(offsets.is_sorted());
    }

    #[test]
    fn a_phase_reads_back_as_it_is_written(phase in phases().prop_map(|p| p[0])) {
        let read = Injection::parse(&[phase.to_string()]).unwrap();
        prop_assert_eq!(read.phases(), &[phase]);
    }

    #[test]
    fn arbitrary_text_never_panics(text in ".*", words in "(ramp )?[0-9.]{0,25}/s (to [0-9.]{0,25}/s over|for) [0-9]{0,22}(ns|ms|s|h|days|years)") {
        let _ = Injection::parse(&[text]);
        let _ = Injection::parse(&[words]);
    }
}
