use galo_record::load::EngineRecord;
use galo_record::{Ledger, StepLatencies};
use proptest::prelude::*;

use super::*;

/// 1,000 requests in 1 s: 996 right ones from 1 to 996 ms, in half of which service, and one each of the others,
/// which took 2 s.
fn figures() -> Figures {
    let ledger = Ledger { intended: 1000, ok: 996, wrong: 1, failed: 1, timed_out: 1, unfinished: 1 };
    let mut latencies = StepLatencies::default();
    for ms in 1..=996 {
        latencies.ok.record_ns(ms * 1_000_000);
        latencies.ok_service.record_ns(ms * 500_000);
    }
    (0..4).for_each(|_| latencies.not_ok.record_ns(2_000_000_000));
    let lag = 148.2;
    let engine = EngineRecord {
        lag_us_p50: lag,
        lag_us_p99: lag,
        lag_us_p99_9: lag,
        lag_us_max: lag,
        ..EngineRecord::default()
    };
    Figures::from_load(1_000_000_000, &ledger, &latencies, &engine)
}

fn told(text: &str) -> String {
    shown(&text.parse::<Assertion>().unwrap().evaluate(&figures()))
}

fn shown(outcome: &Outcome) -> String {
    let actual = outcome.shown(Lang::En).unwrap_or_else(|| "nothing to take it of".to_owned());
    let slowest = outcome.ground.slowest_of.map_or_else(String::new, |of| format!(" (the slowest of {of})"));
    let actual = actual + &slowest;
    format!("{}: {actual}, {}", outcome.assertion, if outcome.met { "met" } else { "not met" })
}

fn refused(text: &str) -> String {
    text.parse::<Assertions>().unwrap_err().to_string()
}

#[test]
fn an_outcome_reads_back_from_json() {
    for text in ["p99<50ms", "rate>=49900", "intended==1000", "errors<0.1%", "service.p97.5<800us"] {
        let outcome = text.parse::<Assertion>().unwrap().evaluate(&figures());
        let json = serde_json::to_string(&outcome).unwrap();
        assert_eq!(serde_json::from_str::<Outcome>(&json).unwrap(), outcome, "{json}");
    }
    let told =
        serde_json::to_value("rate>=49900".parse::<Assertion>().unwrap().evaluate(&figures())).unwrap();
    let expected = serde_json::json!({
        "assertion": "rate >= 49,900/s", "actual": 996.0, "met": false, "right": null, "slowest_of": null
    });
    assert_eq!(told, expected);
}

#[test]
fn every_kind_of_figure_is_told_with_its_bound_and_its_unit() {
    let all = [
        "p99<50ms",
        "p99.9 <= 3s",
        "min>900us",
        "max<1s",
        "mean<3ms",
        "tm99<0.6s",
        "p1<20ms",
        "p97.5<1s",
        "p99.50<1s",
        "p99.999<3s",
        "p100<3s",
        "service.p97<500ms",
        "deviation<1m",
        "service.p50<300ms",
        "service.max>=498ms",
        "lag.p99<150us",
        "lag.max<1ms",
        "rate>=49900",
        "rate>990/s",
        "ok>=1000",
        "ok>=99.6%",
        "errors==0",
        "errors<0.1%",
        "errors<=0.4 %",
        "wrong==0",
        "failed!=0",
        "timed_out==1",
        "unfinished>1",
        "intended==1000",
        " P50 < 500.5 ms ",
    ];
    insta::assert_snapshot!(all.map(told).join("\n"));
}

#[test]
fn what_is_no_assertion_is_refused_with_the_word_and_the_nearest_right_one() {
    let all = [
        "",
        "p99",
        "p99=5ms",
        "p99!5ms",
        "p0<5ms",
        "p101<5ms",
        "service.p100.5<5ms",
        "p99.9999999<5ms",
        "p99.<5ms",
        "p9x<5ms",
        "lag.p95<1ms",
        "servce.p99<5ms",
        "eror==0",
        "elephant<1",
        "p99<50",
        "p99<50 parsecs",
        "p99<",
        "<5ms",
        "rate>=fast",
        "errors<0.1",
        "errors<-1",
        "errors<1ms",
        "p99<1e3ms",
        "p99<5ms,",
        "p99<.ms",
        "p99<<5ms",
        "lag.mean<1ms",
    ];
    insta::assert_snapshot!(
        all.map(|text| format!("{text}\n    {}", refused(text).replace('\n', "\n    "))).join("\n")
    );
}

#[test]
fn whoever_refuses_everything_at_once_meets_no_bound_on_a_latency() {
    let refusing = |ok: u64, failed: u64| {
        let ledger = Ledger { intended: ok + failed, ok, failed, ..Ledger::default() };
        let mut latencies = StepLatencies::default();
        (0..ok).for_each(|_| latencies.ok.record_ns(1_000_000));
        (0..ok).for_each(|_| latencies.ok_service.record_ns(1_000_000));
        (0..failed).for_each(|_| latencies.not_ok.record_ns(1_000));
        Figures::from_load(1_000_000_000, &ledger, &latencies, &EngineRecord::default())
    };
    let outcome = |text: &str, figures: &Figures| text.parse::<Assertion>().unwrap().evaluate(figures);
    for text in [
        "p99<50ms",
        "p50>=0ms",
        "mean<1s",
        "max<1s",
        "min<1s",
        "tm95<1s",
        "service.p99<50ms",
        "service.max<1s",
    ] {
        let none = outcome(text, &refusing(0, 1_000));
        assert!(!none.met, "{text}");
        assert_eq!(none.ground.right, Some(Right { answers: 0, requests: 1_000 }), "{text}");
        assert!(outcome(text, &refusing(1, 999)).met, "{text}");
    }
    let ground = |ok, failed| outcome("p99<50ms", &refusing(ok, failed)).ground.right;
    assert_eq!(ground(989, 11), Some(Right { answers: 989, requests: 1_000 }));
    assert_eq!(ground(990, 10), None, "99 % are enough");
    for text in ["failed==1000", "errors>99%", "lag.p99<1ms", "rate<1"] {
        let none = outcome(text, &refusing(0, 1_000));
        assert_eq!((none.met, none.ground), (true, Ground::default()), "{text} is of no latency");
    }
}

#[test]
fn a_percentile_that_so_few_operations_cannot_tell_is_the_slowest_of_them() {
    let slowest = |text: &str, n: u64| {
        let ledger = Ledger { intended: n, ok: n, ..Ledger::default() };
        let mut latencies = StepLatencies::default();
        (0..n).for_each(|_| latencies.ok.record_ns(1_000_000));
        let figures = Figures::from_load(1_000_000_000, &ledger, &latencies, &EngineRecord::default());
        text.parse::<Assertion>().unwrap().evaluate(&figures).ground.slowest_of
    };
    assert_eq!([99, 100, 101].map(|n| slowest("p99<1s", n)), [Some(99), None, None]);
    assert_eq!(slowest("p99.999<1s", 99_999), Some(99_999));
    assert_eq!(slowest("p99.999<1s", 100_000), None);
    assert_eq!([slowest("max<1s", 3), slowest("p100<1s", 3)], [None, None], "it says so itself");
}

#[test]
fn several_hold_only_together() {
    let met = |text: &str| text.parse::<Assertions>().unwrap().met(&figures());
    assert!(met("p99<1s,errors<1%"));
    assert!(!met("p99<1s,errors<0.1%"));
    assert!(!met("p99<1ms, errors<1%"));
}

#[test]
fn a_load_in_which_nothing_happened_meets_no_bound() {
    let nothing = Figures::default();
    for figure in Figure::all() {
        let bound = if figure.unit() == Unit::Time { "0ms" } else { "0" };
        let assertion: Assertion = format!("{}>={bound}", figure.name()).parse().unwrap();
        assert_eq!(assertion.evaluate(&nothing).actual, None, "{assertion}");
        assert!(!assertion.evaluate(&nothing).met, "{assertion}");
    }
    let outcome = "p99<50ms".parse::<Assertion>().unwrap().evaluate(&nothing);
    assert_eq!(shown(&outcome), "p99 < 50 ms: nothing to take it of, not met");
}

#[test]
fn figures_are_held_to_their_bounds_unrounded_and_shown_so_that_nobody_wonders() {
    let ledger = Ledger { intended: 1000, ok: 1000, ..Ledger::default() };
    let mut latencies = StepLatencies::default();
    (0..1000).for_each(|_| latencies.ok.record_ns(9_960_000));
    let figures = Figures::from_load(1_000_040_000, &ledger, &latencies, &EngineRecord::default());
    let told = |text: &str| shown(&text.parse::<Assertion>().unwrap().evaluate(&figures));
    // 9.96 ms is 10.0 ms by one decimal, and 999.96/s is 1,000.0/s.
    insta::assert_snapshot!(["max<9.95ms", "max<10ms", "rate>=1000", "rate>=999"].map(told).join("\n"), @"
    max < 9.95 ms: 9.961 ms, not met
    max < 10 ms: 9.961 ms, met
    rate >= 1,000/s: 999.960002/s, not met
    rate >= 999/s: 1,000/s, met
    ");
}

#[test]
fn a_ratio_is_beyond_a_bound_only_by_its_whole_interval() {
    let said = |text: &str, interval| {
        let seen = SeenRatio { ratio: 1.06, interval };
        text.parse::<RatioAssertion>().unwrap().evaluate(Some(seen)).said
    };
    let interval = Some([1.055, 1.065]);
    assert_eq!(said("p99 ratio < 1.05", interval), Said::DoesNotHold);
    assert_eq!(said("p99 ratio < 1.07", interval), Said::Holds);
    assert_eq!(said("p99 ratio > 1.02", interval), Said::Holds);
    for bound in ["p99 ratio < 0.01", "p99 ratio < 1.05", "p99 ratio < 9"] {
        assert_eq!(said(bound, None), Said::MayHold, "no interval, no answer");
    }
    assert_eq!(said("p99 ratio < 1.05", Some([0.9, 1.3])), Said::MayHold);
}

#[test]
fn what_is_no_bound_on_a_ratio_is_refused() {
    for wrong in [
        "p99 < 1",
        "ratio < 1",
        "p98 ratio < 1",
        "p99 ratio",
        "p99 ratio < x",
        "p99 ratio < 0",
        "p99 ratio == 1",
        "cpu ratio < inf",
    ] {
        assert!(wrong.parse::<RatioAssertion>().is_err(), "{wrong}");
    }
    for (figure, measure) in super::ratio::RATIOS {
        assert_eq!(format!("{figure} ratio>=1.5").parse::<RatioAssertion>().unwrap().measure(), measure);
    }
}

proptest! {
    #[test]
    fn any_text_is_an_assertion_or_an_error_with_a_hint(text in ".*", name in "[a-z0-9._]{0,8}", bound in "[0-9.]{0,6}[a-z%/ ]{0,3}") {
        for text in [text, format!("{name}<{bound}"), format!("p99<={bound}"), format!("errors!={bound},rate>{bound}")] {
            if let Err(error) = text.parse::<Assertions>() {
                prop_assert!(error.to_string().contains("\nhint: "));
            }
        }
    }

    #[test]
    fn every_percentile_is_the_quantile_of_its_share(millionths in 1..=100_000_000_u32, values in proptest::collection::vec(1..1_000_000_000_u64, 1..200)) {
        let percent = f64::from(millionths) / 1e6;
        let mut latencies = StepLatencies::default();
        values.iter().for_each(|ns| latencies.ok.record_ns(*ns));
        let n = values.len() as u64;
        let figures = Figures::from_load(1, &Ledger { intended: n, ok: n, ..Ledger::default() }, &latencies, &EngineRecord::default());
        let assertion: Assertion = format!("p{percent}<1s").parse().unwrap();
        prop_assert_eq!(assertion.evaluate(&figures).actual, Some(latencies.ok.quantile_us(percent / 100.0)));
        prop_assert_eq!(assertion.to_string().parse::<Assertion>().unwrap(), assertion);
    }

    #[test]
    fn what_is_shown_reads_back_as_the_same(figure in 0..40_usize, sign in 0..6_usize, bound in 0..100_000_u32, percent: bool) {
        let Some(figure) = Figure::all().nth(figure) else { return Ok(()) };
        let unit = match figure.unit() {
            Unit::Time => "us",
            Unit::Count if percent => "%",
            _ => "",
        };
        // Shown are four digits.
        let bound = bound / 10 * 10;
        let assertion: Assertion = format!("{}{}{bound}{unit}", figure.name(), OPERATORS[sign].0).parse().unwrap();
        let again: Assertion = assertion.to_string().replace(',', "").parse().unwrap();
        prop_assert_eq!((again.figure, again.operator, again.unit), (assertion.figure, assertion.operator, assertion.unit));
        prop_assert!((again.bound - assertion.bound).abs() <= assertion.bound * 1e-9);
    }
}
