//! Runs of the past, made of the duel that the reports' tests drove.

use galo_record::{Machine, RunEnd, RunHeader};

use super::*;
use crate::duel::{DuelVerdict, JudgedDuel};
use crate::json::pretty;
use crate::verdict::Difference;

fn duel() -> JudgedDuel {
    let seen: JudgedDuel =
        serde_json::from_str(include_str!("../../../galo-report/tests/report/duel.json")).unwrap();
    seen.judged()
}

/// A run of that duel on a day, changed.
fn past(day: u32, change: impl FnOnce(&mut RunHeader, &mut JudgedDuel)) -> PastRun {
    let mut header = RunHeader {
        format: 1,
        galo: "0.1.0".to_owned(),
        command: vec!["galo".to_owned(), "duel".to_owned()],
        started: format!("2026-01-{day:02}T03:04:05Z"),
        machine: Machine {
            cpu: "Example CPU".to_owned(),
            cores: 2,
            memory_bytes: 1 << 33,
            ..Machine::default()
        },
    };
    let mut duel = duel();
    change(&mut header, &mut duel);
    PastRun {
        folder: format!("day-{day}"),
        header,
        setting: Vec::new(),
        sent_sha256: None,
        judged: Judged::Duel(Box::new(duel)),
    }
}

fn lines(trend: &JudgedTrend) -> Vec<usize> {
    trend.pairs[0].points.iter().map(|point| point.line).collect()
}

fn changed(trend: &JudgedTrend) -> Vec<&[Change]> {
    trend.pairs[0].points.iter().map(|point| &point.changed[..]).collect()
}

#[test]
fn runs_are_in_the_order_of_their_dates_with_the_ratios_that_they_judged() {
    let trend = JudgedTrend::from_runs([3, 1, 2].map(|day| past(day, |_, _| ())).into(), Vec::new());
    let folders: Vec<&str> = trend.runs.iter().map(|run| run.folder.as_str()).collect();
    assert_eq!(folders, ["day-1", "day-2", "day-3"]);
    let [pair] = &trend.pairs[..] else { panic!("{:?}", trend.pairs) };
    assert_eq!([&pair.subject, &pair.head, &pair.base], ["GET /", "new", "old"]);
    let (figure, compared) = (&pair.points[2].figures[0], &duel().compared[0]);
    assert_eq!(
        (figure.measure, figure.level, figure.ratios),
        (compared.measure, Some(compared.level), compared.ratios)
    );
    assert_eq!([figure.base, figure.head], compared.values, "a duel's first side is its base");
    assert_eq!((lines(&trend), changed(&trend)), (vec![0; 3], vec![&[][..]; 3]));
}

#[test]
fn another_setting_of_a_scan_is_another_pair() {
    let at = |day: u32, workers: &str| {
        let setting = vec![Turn { knob: "workers".to_owned(), value: workers.to_owned() }];
        PastRun { setting, ..past(day, |_, _| ()) }
    };
    let trend = JudgedTrend::from_runs(vec![at(1, "1"), at(2, "4"), at(3, "1")], Vec::new());
    let told: Vec<_> = trend.pairs.iter().map(|pair| (pair.subject.as_str(), pair.points.len())).collect();
    assert_eq!(told, [("GET /, workers=1", 2), ("GET /, workers=4", 1)]);
}

#[test]
fn another_machine_makes_another_line_and_the_first_one_goes_on_with_the_old() {
    let on = |day, cores| past(day, move |header, _| header.machine.cores = cores);
    let after_a_boot = past(5, |header, _| header.machine.memory_bytes -= 1 << 25);
    let smaller = past(6, |header, _| header.machine.memory_bytes /= 2);
    let runs = vec![on(1, 2), on(2, 4), on(3, 4), on(4, 2), after_a_boot, smaller];
    let trend = JudgedTrend::from_runs(runs, Vec::new());
    assert_eq!(lines(&trend), [0, 1, 1, 0, 0, 2]);
    let machine = &[Change::Machine][..];
    assert_eq!(changed(&trend), [&[], machine, &[], machine, &[], machine]);
    assert_eq!(trend.pairs[0].points_on(1).map(|point| point.run).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn other_terms_make_another_line_but_not_another_rate_that_the_sides_happened_to_reach() {
    let limit = past(2, |_, duel| duel.cpus_milli = Some(500));
    let loose = past(3, |_, duel| (duel.cpus_milli, duel.limits_enforced) = (Some(500), false));
    let rate = past(4, |_, duel| {
        duel.limits_enforced = false;
        duel.cpus_milli = Some(500);
        duel.levels[0].injection = Some(galo_plan::Injection::parse(&["7/s for 1s"]).unwrap());
    });
    let trend = JudgedTrend::from_runs(vec![past(1, |_, _| ()), limit, loose, rate], Vec::new());
    assert_eq!(lines(&trend), [0, 1, 2, 2]);
    assert_eq!(changed(&trend)[1..], [&[Change::Terms][..], &[Change::Terms], &[]]);
}

#[test]
fn other_requests_make_another_line_and_runs_that_do_not_tell_theirs_are_on_the_line_that_they_were() {
    let sent = |day, digest: &str| PastRun { sent_sha256: Some(digest.to_owned()), ..past(day, |_, _| ()) };
    let older = |day| past(day, |_, _| ());
    let runs = vec![older(1), older(2), sent(3, "a"), sent(4, "b"), sent(5, "b"), sent(6, "a")];
    let trend = JudgedTrend::from_runs(runs, Vec::new());
    assert_eq!(lines(&trend), [0, 0, 0, 1, 1, 0]);
    let requests = &[Change::Requests][..];
    assert_eq!(changed(&trend), [&[], &[], &[], requests, &[], requests]);
    let digests: Vec<_> = trend.pairs[0].lines.iter().map(|line| line.sent_sha256.as_deref()).collect();
    assert_eq!(digests, [Some("a"), Some("b")]);
    let written = pretty(&trend).replace(r#""sent_sha256": "#, r#""of_later_galos": "#);
    let read: JudgedTrend = serde_json::from_str(&written).unwrap();
    assert!(read.pairs[0].lines.iter().all(|line| line.sent_sha256.is_none()));
}

#[test]
fn what_changed_since_the_run_before_is_named() {
    let built = |day, commit: &'static str, galo: &'static str| {
        past(day, move |header, duel| {
            duel.sides[1].commit = Some(commit.to_owned());
            header.galo = galo.to_owned();
        })
    };
    let mut moved = built(4, "b", "0.2.0");
    moved.header.machine.kernel = "Linux 7".to_owned();
    moved.header.machine.clock_source = "hpet".to_owned();
    let trend = JudgedTrend::from_runs(
        vec![built(1, "a", "0.1.0"), built(2, "b", "0.1.0"), built(3, "b", "0.2.0"), moved],
        Vec::new(),
    );
    let expected: [&[Change]; 4] =
        [&[], &[Change::Head], &[Change::Galo], &[Change::System, Change::Settings]];
    assert_eq!(changed(&trend), expected);
    assert_eq!(trend.pairs[0].points[1].head, Some(Version::Commit("b".to_owned())));
    assert_eq!(lines(&trend), [0; 4], "none of these is another machine");
}

#[test]
fn pairs_that_send_something_else_are_told_apart() {
    let other = past(2, |_, duel| duel.request = "GET /slow".to_owned());
    let renamed = past(3, |_, duel| duel.sides[1].name = "newer".to_owned());
    let trend = JudgedTrend::from_runs(vec![past(1, |_, _| ()), other, renamed], Vec::new());
    let names = trend.pairs.iter().map(|pair| [pair.subject.as_str(), pair.head.as_str()]);
    assert_eq!(names.collect::<Vec<_>>(), [["GET /", "new"], ["GET /slow", "new"], ["GET /", "newer"]]);
    assert!(trend.pairs.iter().all(|pair| pair.points[0].changed.is_empty()));
}

#[test]
fn a_run_without_a_ratio_is_left_out_with_its_reason() {
    let with = |day, verdict: DuelVerdict| past(day, move |_, duel| duel.verdict = verdict);
    let void = DuelVerdict::Void { reason: None, side: None };
    let broken = DuelVerdict::Disqualified { sides: vec![0], rules: Vec::new() };
    let short = past(4, |_, duel| duel.compared.clear());
    let few = past(5, |_, duel| {
        duel.verdict = DuelVerdict::TooFewPairs { pairs: 3, needed: 6 };
        duel.compared[0].ratios.difference = Difference::TooFewRounds;
    });
    let ended = |day, end: RunEnd| past(day, move |_, duel| duel.end = end);
    let failed = ended(6, RunEnd::Failed("`new` does not come up".to_owned()));
    let refused = ended(7, RunEnd::Refused("`new` gives no answer".to_owned()));
    let cut_off = ended(8, RunEnd::Interrupted);
    let runs = vec![
        with(1, void),
        with(2, broken),
        with(3, DuelVerdict::DifferentStatuses),
        short,
        few,
        failed,
        refused,
        cut_off,
    ];
    let unread = LeftOut { folder: "x".to_owned(), why: WhyLeftOut::Unreadable("no".to_owned()) };
    let trend = JudgedTrend::from_runs(runs, vec![unread]);
    let left_out: Vec<_> = trend.left_out.iter().map(|out| (out.folder.as_str(), &out.why)).collect();
    let expected = [
        ("x", &WhyLeftOut::Unreadable("no".to_owned())),
        ("day-1", &WhyLeftOut::Void),
        ("day-2", &WhyLeftOut::NoGround),
        ("day-3", &WhyLeftOut::NoGround),
        ("day-6", &WhyLeftOut::NoGround),
        ("day-7", &WhyLeftOut::NoGround),
        ("day-4", &WhyLeftOut::NoFigure),
    ];
    assert_eq!(left_out, expected, "the gravest reason first");
    assert_eq!(trend.runs.len(), 2, "few pairs have a ratio too");
}

#[test]
fn a_trend_is_read_back_as_it_was_written() {
    let left_out = vec![LeftOut { folder: "x".to_owned(), why: WhyLeftOut::NoRun }];
    let trend = JudgedTrend::from_runs(vec![past(1, |_, _| ()), past(2, |_, _| ())], left_out);
    let written = pretty(&trend);
    assert!(written.starts_with("{\n  \"kind\": \"trend\""), "{written}");
    let read: JudgedTrend = serde_json::from_str(&written).unwrap();
    assert_eq!(pretty(&read), written);
}
