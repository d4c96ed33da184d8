//! `report.json` and its schema.

use galo_judge::Measure;
use galo_judge::json::pretty;
use galo_judge::judged::Judged;
use galo_judge::schema;
use galo_report::Language;
use serde_json::Value;

use crate::runs::{all, alone, build, decided, hostile, stale, stale_rounds};
use crate::synthetic::{Counted, folder};

fn json(told: &crate::runs::ToldFight) -> Value {
    serde_json::from_str(&pretty(&told.report)).unwrap()
}

#[test]
fn the_report_of_one_round_holds_all_of_it() {
    insta::assert_snapshot!(pretty(&alone().report));
}

#[test]
fn the_published_schema_is_that_of_all_runs() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/run-v1.json");
    let text = std::fs::read_to_string(published).unwrap_or_default();
    assert!(
        text == schema::text::<Judged>(),
        "docs/schema/run-v1.json is stale\nhint: cargo run -p galo --features schema -- schema > docs/schema/run-v1.json"
    );
}

#[test]
fn two_builds_of_one_folder_are_byte_for_byte_the_same() {
    let folder = folder(&["rust-sqlite", "queued"], &stale_rounds());
    let (first, first_series) = build(&folder.run, &Counted).unwrap();
    let (second, second_series) = build(&folder.run, &Counted).unwrap();
    assert_eq!(pretty(&first), pretty(&second));
    let pages = [(&first, &first_series), (&second, &second_series)]
        .map(|(r, s)| galo_report::fight(r, s).html(Language::OfBrowser).unwrap());
    assert_eq!(pages[0], pages[1]);
}

#[test]
fn what_was_judged_is_read_back_as_it_was_written() {
    for told in all() {
        let written = pretty(&told.report);
        let read: Judged = serde_json::from_str(&written).unwrap();
        assert_eq!(pretty(&read), written);
    }
}

#[test]
fn every_ledger_adds_up_and_the_classes_hold_all_right_answers() {
    for told in all() {
        for round in &told.report.rounds {
            for l in [&round.judgement.ledger, &round.judgement.probe_ledger]
                .into_iter()
                .chain(round.steps.iter().map(|s| &s.ledger))
            {
                assert_eq!(l.intended, l.ok + l.wrong + l.failed + l.timed_out + l.unfinished);
            }
            let classes: u64 = round.classes.iter().map(|c| c.count).sum();
            assert_eq!(classes, round.judgement.ledger.ok);
        }
    }
}

#[test]
fn the_verdict_is_an_object_with_its_kind() {
    let report = json(stale());
    assert_eq!(report["verdict"]["kind"], "disqualified");
    assert_eq!(json(decided())["verdict"]["kind"], "better");
    assert_eq!(report["rounds"][0]["standing"]["kind"], "void");
}

#[test]
fn summaries_count_every_round_once_and_rank_no_one_who_broke_a_rule() {
    let summary = |index: usize| &stale().report.contenders[index].summary;
    let (honest, queued) = (summary(0), summary(1));
    assert_eq!((honest.rounds, honest.valid, honest.void, honest.ranked), (3, 2, 1, true));
    assert_eq!((queued.rounds, queued.disqualified, queued.valid, queued.ranked), (2, 2, 0, false));
    assert!(
        queued.measures.get(Measure::LatencyUsP99) < honest.measures.get(Measure::LatencyUsP99),
        "the lie would have won"
    );
}

#[test]
fn a_round_that_did_not_start_has_no_figures() {
    let report = json(hostile());
    let round = &report["rounds"][1];
    assert_eq!(round["standing"]["kind"], "not_ready");
    assert_eq!(round["latency"]["count"], 0);
    assert_eq!(round["measures"]["latency_us_p99"], Value::Null);
    assert_eq!(round["services"], Value::Array(Vec::new()));
    assert_eq!(hostile().report.contenders[1].summary.not_ready, 1);
}

#[test]
fn steps_that_the_profile_leaves_out_are_not_told() {
    let steps: Vec<_> =
        alone().report.rounds[0].steps.iter().map(|s| (s.step.as_str(), s.compared)).collect();
    let expected = [("create", true), ("read", true), ("search", true), ("create", false), ("find", false)];
    assert_eq!(steps, expected);
}

#[test]
fn services_are_told_over_the_window_of_the_load_alone() {
    let round = &alone().report.rounds[0];
    let db = round.services.iter().find(|s| s.name == "db").unwrap();
    // 20 s of load, one quota period each 100 ms, of which the last ones wanted more than the limit.
    assert_eq!(db.usage.periods, 200);
    assert_eq!(db.cpus, Some(0.45));
    assert!(db.usage.throttled_periods > 0 && db.usage.throttled_periods < 200);
    assert!(db.cpu_s().is_some_and(|cpu_s| cpu_s > 4.0 && cpu_s < 0.45 * 20.0));
}

#[test]
fn series_have_a_value_for_every_second_of_the_load() {
    let series = &alone().series[0];
    assert!(series.seconds.len() >= 19);
    let arrivals: u64 = series.seconds.iter().map(|s| s.arrivals).sum();
    let ok: u64 = series.seconds.iter().map(|s| s.ok).sum();
    let ledger = &alone().report.rounds[0].judgement.ledger;
    assert_eq!((arrivals, ok), (ledger.intended, ledger.ok));
    for service in &series.services {
        assert_eq!(service.seconds.len(), 20);
        assert!(service.seconds.iter().all(|s| s.cpus.is_some() && s.memory_bytes.is_some()));
    }
    let db = &series.services[3];
    let last = db.seconds[18].cpus.unwrap();
    assert!((last - 0.45).abs() < 1e-6, "at the end it runs at its limit, not at {last}");
}

#[test]
fn percentile_curves_rise() {
    for told in all() {
        for series in &told.series {
            for curve in [&series.latency, &series.service_time] {
                assert!(curve.windows(2).all(|w| w[0].one_in <= w[1].one_in && w[0].us <= w[1].us));
            }
        }
    }
}

#[test]
fn a_run_without_any_round_still_has_a_report() {
    let mut plan = crate::synthetic::plan(&["rust-sqlite", "queued"], &stale_rounds());
    plan.order.clear();
    let (report, series) = build(&crate::synthetic::folder_of(&plan, &[]).run, &Counted).unwrap();
    assert!(report.rounds.is_empty());
    assert!(galo_report::fight(&report, &series).html(Language::OfBrowser).unwrap().contains("<h1"));
    let look = galo_report::Look { width: 80, colour: false };
    let text = galo_report::fight(&report, &[]).terminal(look, galo_words::Lang::En);
    assert!(text.starts_with("limits are not enforced: no contender came up"), "{text}");
    assert!(text.contains("void: no round was driven"), "{text}");
}
