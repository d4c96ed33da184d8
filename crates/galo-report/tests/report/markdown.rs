//! Reports as Markdown, as they stand below a pull request.

use galo_record::{DuelRecord, Machine, RunHeader};
use galo_report::{DuelReport, markdown};
use insta::assert_snapshot;

use crate::runs::{all, decided, few, stale};

fn header() -> RunHeader {
    let words = ["galo", "fight", "--url", "http://127.0.0.1:{port}/", "old {port}", "new {port}"];
    RunHeader {
        format: 1,
        galo: "0.1.0".to_owned(),
        command: words.map(str::to_owned).to_vec(),
        started: "2026-01-02T03:04:05Z".to_owned(),
        machine: Machine {
            cpu: "Example CPU".to_owned(),
            cores: 4,
            memory_bytes: 16 << 30,
            kernel: "Linux 6.1.0".to_owned(),
            system: "debian 12".to_owned(),
            virtual_machine: false,
            cgroups: "v2".to_owned(),
            ..Machine::default()
        },
    }
}

#[test]
fn a_decided_fight_has_its_verdict_first_and_its_command_last() {
    assert_snapshot!(markdown(&decided().report));
}

#[test]
fn what_disqualifies_stands_outside_of_the_fold() {
    let told = markdown(&stale().report);
    let fold = told.find("<details>").unwrap();
    assert!(told.find("search-misses-acknowledged").is_some_and(|at| at < fold), "{told}");
    assert_snapshot!(told);
}

#[test]
fn a_fight_of_too_few_rounds_has_ratios_without_intervals() {
    let told = markdown(&few().report);
    assert!(told.contains("too few rounds |"), "{told}");
}

#[test]
fn no_report_lets_a_contender_write_html_or_break_a_table() {
    for told in all() {
        let told = markdown(&told.report);
        let outside: String = told.split("```").step_by(2).collect();
        assert!(
            !outside.contains("<img") && !told.contains('\u{202e}') && !told.contains('\u{1b}'),
            "{told}"
        );
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        let lines: Vec<&str> = outside.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| line.starts_with('|'))) {
            assert_eq!(columns(pair[0]), columns(pair[1]), "{told}");
        }
        assert_eq!(told.matches("<details>").count(), told.matches("</details>").count());
    }
}

#[test]
fn a_duel_has_both_sides_and_what_decides_in_bold() {
    let record: DuelRecord = serde_json::from_str(include_str!("duel.json")).unwrap();
    assert_snapshot!(DuelReport::of(&record).markdown(&header()));
}
