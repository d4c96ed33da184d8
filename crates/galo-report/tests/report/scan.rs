//! The report of a scan, of the duel that `duel.rs` tells of.

use galo_record::{DuelRecord, ScanRecord};
use galo_report::scan::ScanDuelReport;
use galo_report::{DuelReport, Look, ScanReport, scan_schema};
use insta::assert_snapshot;

const PLAIN: Look = Look { width: 80, colour: false };

/// Two values: a fifth more work, and the sides the other way round.
fn report(baseline: Option<&str>) -> ScanReport {
    let first: DuelRecord = serde_json::from_str(include_str!("duel.json")).unwrap();
    let mut second = first.clone();
    second.turns.iter_mut().for_each(|turn| turn.side = 1 - turn.side);
    let scan = ScanRecord {
        format: 1,
        parameter: "work".to_owned(),
        baseline: baseline.map(str::to_owned),
        duels: Vec::new(),
    };
    let told = |value: &str, record: &DuelRecord| ScanDuelReport {
        value: value.to_owned(),
        report: DuelReport::of(record),
    };
    ScanReport::new(&scan, vec![told("60", &first), told("a value that is long \u{1b}[2J", &second)])
}

#[test]
fn each_figure_has_a_row_of_each_value() {
    for baseline in [Some("50"), None] {
        let told = report(baseline).terminal(PLAIN);
        assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
        assert!(!told.contains('\u{1b}'));
        assert_snapshot!(told);
    }
}

#[test]
fn the_published_schema_is_the_one_that_is_written() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/scan-v1.json");
    let text = std::fs::read_to_string(published).unwrap();
    assert!(
        text == scan_schema(),
        "docs/schema/scan-v1.json is stale\nhint: galo schema scan > docs/schema/scan-v1.json"
    );
}
