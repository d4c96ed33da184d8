//! The report of `galo limit`: its JSON, its schema, its summary.

use galo_judge::assertion::Assertions;
use galo_judge::bottleneck::Usage;
use galo_judge::evidence::{CpuUse, Evidence};
use galo_judge::findings::{
    Caused, CostGrowsWithStored, CpuLimit, Explained, Finding, GaloCouldNotSend, HoldCost, Part, Split,
    Waiting,
};
use galo_judge::json::pretty;
use galo_judge::judged::Judged;
use galo_judge::limit::{
    Hold, HoldOutcome, HoldService, JudgedLimit, LimitedBy, NotMet, Preload, ScenarioRate, figures, search,
};
use galo_judge::schema;
use galo_plan::{LimitTerms, Noun, SearchTerms};
use galo_record::RunEnd;
use galo_record::{Ledger, OperationResult, RunHeader};
use galo_report::limit::hold_line;
use galo_report::{Document, Look, limit};
use galo_words::Lang;
use serde_json::Value;

use crate::synthetic::{fair, plan};
use crate::traffic;

const LOOK: Look = Look { width: 80, colour: false };
const SECOND: u64 = 1_000_000_000;

fn empty() -> JudgedLimit {
    let terms = LimitTerms {
        criterion: "p99<100ms,errors==0".to_owned(),
        search: SearchTerms::new(1_000, 100_000, 1.1),
        hold_ns: 30 * SECOND,
        confirm_ns: 90 * SECOND,
        preloads: true,
        at_least_milli: Some(10_000),
    };
    let budget = galo_judge::terms::Demand { cpus: 1.5, memory_bytes: 3 << 30 };
    JudgedLimit {
        noun: Noun {
            en: ["person", "people"].map(str::to_owned),
            pt: ["pessoa", "pessoas"].map(str::to_owned),
        },
        header: RunHeader {
            format: 3,
            galo: "0.0.0".to_owned(),
            command: ["galo", "limit", "mine"].map(str::to_owned).into(),
            started: "2026-01-02T03:04:05Z".to_owned(),
            machine: galo_record::Machine::default(),
        },
        contender: "rust-postgres".to_owned(),
        challenge: "pessoas".to_owned(),
        profile: "quick".to_owned(),
        seed: "7".to_owned(),
        terms,
        scale_milli: None,
        low_milli: None,
        high_milli: None,
        confirmed: false,
        limited_by: LimitedBy::Holds,
        held_up: None,
        knee_milli: None,
        law: None,
        at_least_met: None,
        takes: budget,
        budget,
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        starts: 2,
        holds: Vec::new(),
        end: RunEnd::Done,
    }
}

/// The next hold that a search asks for: its scale, and whether it confirms.
fn next(searched: &JudgedLimit) -> Option<(u64, bool)> {
    let asked = search(&searched.terms.search, &searched.holds).next()?;
    Some((asked.rate_milli, asked.length == galo_judge::capacity::Length::Hold))
}

/// A service that used so much of its limit.
fn service(name: &str, cpus_milli: u32, share: f64) -> HoldService {
    let throttled_share = (share - 0.5).max(0.0) / 0.5;
    let limit = f64::from(cpus_milli) / 1e3;
    let usage = Usage {
        cpus: share * limit,
        cpu_limit: Some(limit),
        cores: Some(2),
        right_share: 1.0,
        periods: 300,
        throttled_periods: (throttled_share * 300.0) as u64,
        busiest_thread: Some(share * limit),
        waiting_threads: Some(0.01),
        memory_limit_bytes: Some(512 << 20),
        memory_peak_bytes: Some(200 << 20),
        anonymous_peak_bytes: Some(90 << 20),
        galo_cpus: Some(0.4),
        ..Usage::default()
    };
    HoldService {
        name: name.to_owned(),
        cpus_milli: Some(cpus_milli),
        memory_limit_bytes: Some(512 << 20),
        cpu_ns: Some((share * f64::from(cpus_milli) * 30e6) as u64),
        cpu_share: Some(share),
        throttled_share,
        memory_peak_bytes: Some(200 << 20),
        anonymous_peak_bytes: Some(90 << 20),
        oom_kills: 0,
        usage: Some(usage),
    }
}

/// The database's limit.
fn cause() -> Finding {
    let used =
        |service: &str, cpus, limit| CpuUse { service: service.to_owned(), cpus, limit_cpus: Some(limit) };
    let part = |service: &str, cpus| Part { service: service.to_owned(), cpus };
    let fact = Caused {
        cause: CpuLimit {
            service: "db".to_owned(),
            limit_cpus: 0.45,
            seen: Explained { in_trouble: 0.97, in_calm: None },
            idle: vec![used("nginx", 0.15, 0.3)],
            split: Some(Split { budget_cpus: 0.75, parts: vec![part("db", 0.6), part("nginx", 0.15)] }),
        },
        share: 0.97,
        waiting: Waiting { operations: 41_210, slow_ns: Some(20_000_000) },
    };
    let evidence = Evidence::CpuWhileWaiting(used("db", 0.45, 0.45));
    Finding { evidence: vec![evidence], explains_milli: Some(970), ..Finding::new(fact) }
}

/// A hold of a contender whose database is full from scale 11.7 on.
fn hold(scale_milli: u64, confirms: bool) -> Hold {
    let met = scale_milli <= 11_700;
    let length_ns = if confirms { 90 } else { 30 } * SECOND;
    let requests = scale_milli * 1_400 * length_ns / SECOND / 1_000;
    let failed = if met { 0 } else { 317 };
    let p99_us = if met { 4_000.0 + scale_milli as f64 } else { 812_345.6 };
    let share = (scale_milli as f64 / 11_900.0).min(0.98);
    let broken = |assertion: &str, actual| {
        let assertion = assertion.parse().unwrap();
        NotMet::Broken(galo_judge::assertion::Outcome {
            assertion,
            actual: Some(actual),
            met: false,
            ground: Default::default(),
        })
    };
    let reasons = [broken("p99<100ms", 812_345.6), broken("errors==0", 317.0)];
    Hold {
        scale_milli,
        confirms,
        length_ns,
        rates: vec![ScenarioRate {
            scenario: "create and read".to_owned(),
            rate_micro: scale_milli * 600_000,
            compared: true,
        }],
        preload: (scale_milli == 1_000).then_some(Preload {
            fresh: false,
            created: 46_500,
            took_ns: 5 * SECOND,
        }),
        stored_before: Some(scale_milli * 465 / 10),
        stored_after: Some(scale_milli * 465 / 10 + 15_000),
        acknowledged: 15_000,
        unknown: 0,
        ledger: Ledger { intended: requests, ok: requests - failed, failed, ..Ledger::default() },
        probe_ledger: Ledger { intended: 90, ok: 90, ..Ledger::default() },
        errors: if met { [].into() } else { [("status 503".to_owned(), 317)].into() },
        wrong: Vec::new(),
        latency: galo_record::Percentiles {
            count: requests,
            p50: 800.0,
            p99: p99_us,
            p99_9: 2.0 * p99_us,
            max: 3.0 * p99_us,
            mean: 400.0 + p99_us / 20.0,
            ..galo_record::Percentiles::default()
        },
        elapsed_ns: length_ns + 300_000_000,
        services: vec![service("nginx", 300, share / 2.0), service("db", 450, share)],
        galo_cpu_ns: Some(18 * SECOND),
        engine_cpu_ns: 17 * SECOND,
        lag_us_p99: 180.0,
        causes: if met { Vec::new() } else { vec![cause()] },
        outcome: HoldOutcome {
            met,
            valid: true,
            offered_per_s: requests as f64 * 1e9 / length_ns as f64,
            achieved_per_s: requests as f64 * 1e9 / length_ns as f64,
            reasons: if met { Vec::new() } else { reasons.to_vec() },
        },
    }
}

/// A whole search.
pub(crate) fn searched() -> JudgedLimit {
    let mut record = empty();
    while let Some((scale_milli, confirms)) = next(&record) {
        record.holds.push(hold(scale_milli, confirms));
    }
    record
}

pub(crate) fn document(record: &JudgedLimit) -> Document {
    limit(&report(record))
}

/// The first sentence.
fn verdict(record: &JudgedLimit) -> String {
    let wide = Look { width: 400, colour: false };
    let text = document(record).terminal(wide, Lang::En);
    text.lines().find(|line| line.starts_with("rust-postgres")).unwrap().to_owned()
}

/// The summary in a terminal.
fn told(record: &JudgedLimit) -> String {
    document(record).terminal(LOOK, Lang::En)
}

fn report(record: &JudgedLimit) -> JudgedLimit {
    record.clone().summed_up()
}

#[test]
fn the_summary_says_first_what_is_held_and_then_what_held_it_up() {
    insta::assert_snapshot!(told(&searched()));
    insta::assert_snapshot!("json of a limit", pretty(&report(&searched())));
}

#[test]
fn what_was_judged_is_read_back_as_it_was_written() {
    let written = pretty(&report(&searched()));
    assert_eq!(pretty(&serde_json::from_str::<Judged>(&written).unwrap()), written);
}

#[test]
fn the_same_is_told_in_portuguese_and_as_markdown() {
    insta::assert_snapshot!(document(&searched()).terminal(LOOK, Lang::Pt));
    insta::assert_snapshot!("markdown of a limit", document(&searched()).markdown(Lang::En));
}

#[test]
fn a_cost_that_grows_with_what_is_stored_is_what_held_it_up_and_the_first_cause() {
    let cost = |scale_milli, written, us| HoldCost {
        scale_milli,
        written,
        cpu_us_each: Some(us),
        latency_us_p50: 900.0,
    };
    let fact =
        CostGrowsWithStored { earlier: cost(16_000, 41_000, 412.0), later: cost(13_450, 171_250, 1_631.5) };
    let mut record = searched();
    for hold in record.holds.iter_mut().filter(|hold| !hold.outcome.met) {
        hold.causes.insert(0, Finding::new(fact.clone()));
    }
    for lang in [Lang::En, Lang::Pt] {
        let text = document(&record).terminal(LOOK, lang);
        let until = if lang == Lang::En { "Every hold" } else { "Todos os patamares" };
        insta::assert_snapshot!(text.split(until).next().unwrap());
    }
    let json: Value = serde_json::from_str(&pretty(&report(&record))).unwrap();
    assert_eq!(json["held_up"]["kind"], "cost-grows");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let mut record = searched();
    let text = "a reason with many words ".repeat(9);
    record.holds[3].outcome.reasons =
        vec![NotMet::Void(GaloCouldNotSend { operations: [(text, 1)].into() }.into())];
    record.holds[3].outcome.met = false;
    let report = report(&record);
    for line in told(&record).lines().map(str::to_owned).chain(report.holds.iter().map(hold_line)) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_hold_is_one_line_while_it_goes() {
    let report = report(&searched());
    let told: Vec<String> = report.holds.iter().map(hold_line).collect();
    insta::assert_snapshot!([&told[0], &told[4], &told[told.len() - 1]].map(String::as_str).join("\n"));
}

#[test]
fn a_search_that_was_broken_off_tells_what_was_known() {
    let mut record = JudgedLimit { end: RunEnd::Interrupted, ..searched() };
    record.terms.at_least_milli = None;
    record.holds.truncate(3);
    let told = told(&record);
    let head: Vec<&str> = told.lines().take(5).collect();
    insta::assert_snapshot!(head.join("\n"));
    record.holds.clear();
    insta::assert_snapshot!(verdict(&record));
}

#[test]
fn a_contender_that_holds_nothing_is_told_with_the_lowest_scale_tried() {
    let mut record = empty();
    while let Some((scale_milli, _)) = next(&record) {
        let outcome = HoldOutcome { met: false, ..hold(20_000, false).outcome };
        record.holds.push(Hold { scale_milli, outcome, ..hold(20_000, false) });
    }
    let report = report(&record);
    insta::assert_snapshot!(verdict(&report));
    assert_eq!((report.scale_milli, report.confirmed, report.at_least_met), (None, false, Some(false)));
}

#[test]
fn a_contender_of_which_no_hold_says_anything_is_not_accused_of_holding_nothing() {
    let void =
        || NotMet::Void(GaloCouldNotSend { operations: [("no free port".to_owned(), 1)].into() }.into());
    let mut record = empty();
    let outcome =
        HoldOutcome { met: false, valid: false, reasons: vec![void()], ..hold(1_000, false).outcome };
    record.holds = vec![Hold { outcome, latency: Default::default(), ..hold(1_000, false) }];
    let wide = Look { width: 400, colour: false };
    let told = document(&record).terminal(wide, Lang::En);
    let first = told.lines().next().unwrap();
    assert!(first.starts_with("nothing is known of rust-postgres, profile quick under "), "{told}");
    assert!(first.contains("since no hold says anything: ") && first.contains("no free port"), "{first}");
    assert!(!told.contains("0.00"), "no latency was seen: {told}");
    assert!(hold_line(&record.holds[0]).contains("(p99 -, "), "{}", hold_line(&record.holds[0]));
    record.holds.push(Hold {
        outcome: HoldOutcome { met: false, ..hold(20_000, false).outcome },
        ..hold(2_000, false)
    });
    assert!(verdict(&record).contains("holds no scale that was tried, down to 2, "), "{}", verdict(&record));
}

#[test]
fn at_least_is_met_only_by_a_scale_that_was_confirmed() {
    let met = |least, held: bool| {
        let mut record = searched();
        record.terms.at_least_milli = Some(least);
        if !held {
            record.holds.retain(|hold| !hold.confirms);
        }
        report(&record).at_least_met
    };
    assert_eq!(
        [met(10_000, true), met(12_500, true), met(10_000, false)],
        [Some(true), Some(false), Some(false)]
    );
}

#[test]
fn a_criterion_is_held_against_the_compared_scenarios_alone() {
    let made = fair(1, 1.0);
    let plan = plan(&["a", "b"], &made);
    let met = |change: &dyn Fn(&mut galo_record::RoundData)| {
        let mut round = traffic::round(&plan, 1, made[0]);
        change(&mut round);
        let criterion: Assertions = "p99<2s,errors==0".parse().unwrap();
        criterion.met(&figures(&plan, &round, 0))
    };
    let spoil = |round: &mut galo_record::RoundData, compared: bool| {
        let flat = plan.challenge.steps().position(|(scenario, _)| scenario.compared == compared).unwrap();
        let ledger = &mut round.record.load.steps[flat].ledger;
        ledger.intended += 1;
        ledger.end(OperationResult::Unfinished);
        (0..100_000).for_each(|_| round.latencies[flat].not_ok.record_ns(9 * SECOND));
    };
    assert!(met(&|_| {}));
    assert!(met(&|round| spoil(round, false)), "a probe's failures and latency count apart");
    assert!(!met(&|round| spoil(round, true)));
}

#[test]
fn a_hold_without_any_operation_meets_nothing() {
    let plan = plan(&["a"], &[]);
    let empty = galo_record::RoundData::new(galo_record::RoundRecord::new(1, 0, 0));
    let criterion: Assertions = "errors==0".parse().unwrap();
    assert!(!criterion.met(&figures(&plan, &empty, 0)));
}

#[test]
fn every_key_of_the_report_is_in_the_schema() {
    let schema: Value = serde_json::from_str(&schema::text::<JudgedLimit>()).unwrap();
    let report: Value = serde_json::from_str(&pretty(&report(&searched()))).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&report), keys(&schema["properties"]));
    assert_eq!(keys(&report["holds"][0]), keys(&schema["$defs"]["Hold"]["properties"]));
}
