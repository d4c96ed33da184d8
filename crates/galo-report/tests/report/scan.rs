//! The report of a scan, of the duel that `duel.rs` tells of.

use std::time::Duration;

use galo_judge::duel::JudgedDuel;
use galo_judge::json::pretty;
use galo_judge::scan::{JudgedScan, ScannedDuel};
use galo_plan::{Injection, ScanPlan, Turn};
use galo_report::{Document, Language, Look};
use galo_words::Lang;
use insta::assert_snapshot;

use crate::synthetic::header;

const PLAIN: Look = Look { width: 80, colour: false };

fn at(value: &str) -> Vec<Turn> {
    vec![Turn { knob: "work".to_owned(), value: value.to_owned() }]
}

fn scan(baseline: Option<&str>) -> ScanPlan {
    ScanPlan {
        format: galo_plan::scan::FORMAT,
        seed: galo_plan::Seed::of_number(7),
        baseline: baseline.map(at),
        settings: Vec::new(),
    }
}

/// Two values: a fifth more work, and the sides the other way round, at another rate.
pub(crate) fn report(baseline: Option<&str>) -> JudgedScan {
    report_of(baseline, &crate::duel::seen())
}

fn report_of(baseline: Option<&str>, first: &JudgedDuel) -> JudgedScan {
    let mut second = first.clone();
    second.turns.iter_mut().for_each(|turn| turn.side = 1 - turn.side);
    // The half of what its slower side reaches.
    let half = &mut second.levels[0];
    half.injection = Some(Injection::constant(3_204_000_000, Duration::from_nanos(half.length_ns)));
    let told =
        |value: &str, seen: &JudgedDuel| ScannedDuel { setting: at(value), duel: seen.clone().judged() };
    JudgedScan::new(
        header(),
        &scan(baseline),
        vec![told("60", first), told("a value that is long \u{1b}[2J", &second)],
    )
}

pub(crate) fn document(report: &JudgedScan) -> Document {
    galo_report::scan(report, &[])
}

fn terminal(report: &JudgedScan) -> String {
    document(report).terminal(PLAIN, Lang::En)
}

#[test]
fn each_figure_has_a_row_of_each_value() {
    for baseline in [Some("50"), None] {
        let told = terminal(&report(baseline));
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
        assert!(!told.contains('\u{1b}'));
        assert_snapshot!(told);
    }
}

#[test]
fn each_row_tells_the_rate_of_its_own_duel_and_the_heading_what_all_have_in_common() {
    let told = terminal(&report(Some("50"))).replace('\n', " ");
    assert!(told.contains("p99 half of what the slower reaches "), "{told}");
    assert!(told.contains("work=60 (3,929/s)") && told.contains("(3,204/s)"), "{told}");
    assert!(told.contains("answers/s as much as it gives, 16 at once "), "{told}");
    let same = report(Some("50")).duels.remove(0);
    let one = JudgedScan::new(header(), &scan(Some("50")), vec![same]);
    let told = terminal(&one).replace('\n', " ");
    assert!(told.contains("p99 3,929/s: half of what the slower reaches "), "{told}");
    assert!(!told.contains("(3,929/s)"), "{told}");
}

#[test]
fn what_held_each_value_back_is_told_with_its_own_load_where_they_differ() {
    let mut report = report_of(Some("50"), &crate::duel::watched());
    report.duels[1].duel.levels[1].connections = 64;
    let told = terminal(&report).replace("\n  ", " ");
    let (_, told) = told.split_once("What held each side back").unwrap();
    assert!(told.starts_with(" (as much as it gives)\nwork=60 (16 at once): old used up"), "{told}");
    assert!(told.contains(" (64 at once): "), "{told}");
}

#[test]
fn a_scan_has_its_json_and_its_markdown() {
    let mut short = report(Some("50"));
    short.duels.iter_mut().for_each(|at| at.duel.turns.clear());
    assert_snapshot!("json of a scan", pretty(&short));
    assert_snapshot!("markdown of a scan", document(&report(Some("50"))).markdown(Lang::En));
}

#[test]
fn the_page_has_each_figure_at_each_value_and_links_to_the_duels() {
    for (baseline, against) in [(Some("50"), "work=50"), (None, "old")] {
        let page = galo_report::scan(&report(baseline), &["01".to_owned()]).html(Language::English).unwrap();
        for id in ["p99", "rate", "cpu", "memory"] {
            let (_, card) = page.split_once(&format!("<h2 id=\"{id}\">")).unwrap();
            let card = card.split_once("</section>").unwrap().0;
            assert_eq!(card.matches("<tr").count(), 3, "{card}");
            assert!(card.contains(against) && card.contains("class=\"interval\""), "{card}");
        }
        assert!(page.contains("<a href=\"01/report.html\">work=60</a>"), "{page}");
        assert!(!page.contains('\u{1b}'));
    }
}

#[test]
fn what_held_each_value_back_is_told_and_of_what_all_are_compared_with_only_once() {
    for baseline in [Some("50"), None] {
        let told = terminal(&report_of(baseline, &crate::duel::watched()));
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
        let from = told.find("What held each side back").unwrap();
        assert_snapshot!(&told[from..]);
    }
}

#[test]
fn a_value_is_better_on_the_page_where_the_terminal_says_so() {
    let told = report(Some("50"));
    let page = document(&told).html(Language::English).unwrap();
    // Its first duel is one that the baseline, with less work, wins; the second has the sides the other way round.
    let glance = page.split_once("<dl class=\"glance\">").unwrap().1.split_once("</dl>").unwrap().0;
    let (first, second) = glance.split_once("</div>").unwrap();
    assert!(first.contains("worse") && second.contains("better"), "{glance}");
}

#[test]
fn a_scan_reads_back_as_it_was_written() {
    let written = pretty(&report(None));
    let read: JudgedScan = serde_json::from_str(&written).unwrap();
    assert_eq!(pretty(&read), written);
}
