//! Reports as Markdown, as they stand below a pull request.

use galo_judge::duel::JudgedDuel;
use galo_judge::fight::JudgedFight;
use galo_plan::Blame;
use galo_record::{Machine, RunHeader};
use galo_words::Lang;
use insta::assert_snapshot;

use crate::page::rule;
use crate::runs::{all, decided, few, stale};

fn header() -> RunHeader {
    let words = ["galo", "duel", "--url", "http://127.0.0.1:{port}/", "old {port}", "new {port}"];
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
    assert_snapshot!(markdown(&decided().report, Lang::En));
}

#[test]
fn the_same_is_told_in_portuguese() {
    assert_snapshot!(markdown(&stale().report, Lang::Pt));
}

#[test]
fn what_disqualifies_stands_outside_of_the_fold() {
    let told = markdown(&stale().report, Lang::En);
    let fold = told.find("<details>").unwrap();
    assert!(told.find("search-misses-acknowledged").is_some_and(|at| at < fold), "{told}");
    assert_snapshot!(told);
}

#[test]
fn what_held_rounds_back_most_is_not_folded_though_nobody_who_fights_is_to_blame() {
    let mut report = decided().report.clone();
    report.rounds.iter_mut().for_each(|round| round.judgement.findings.clear());
    let cause = |name: &str, explains| {
        let mut cause = rule(name, &format!("{name} was seen"));
        (cause.blame, cause.explains_milli) = (Blame::Host, explains);
        cause
    };
    report.rounds[0].judgement.findings =
        vec![cause("a-note", None), cause("busy-neighbour", Some(300)), cause("slow-disk", Some(600))];
    let told = markdown(&report, Lang::En);
    let fold = told.find("<details>").unwrap();
    let is_folded = |name: &str| told.find(name).unwrap() > fold;
    assert_eq!(["slow-disk", "busy-neighbour", "a-note"].map(is_folded), [false, true, true], "{told}");
}

#[test]
fn a_fight_of_too_few_rounds_has_ratios_without_intervals() {
    let told = markdown(&few().report, Lang::En);
    assert!(told.contains("too few rounds |"), "{told}");
}

#[test]
fn no_report_lets_a_contender_write_html_or_break_a_table() {
    for told in all() {
        let told = markdown(&told.report, Lang::En);
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
    let duel = JudgedDuel { header: header(), ..crate::duel::seen().judged() };
    assert_snapshot!(galo_report::duel(&duel).markdown(Lang::En));
}

#[test]
fn what_held_each_side_back_is_folded_below_a_heading_of_its_own() {
    let watched = crate::duel::watched().judged();
    let told = galo_report::duel(&watched).markdown(Lang::En);
    let (_, list) = told.split_once("<details><summary>What held each side back").unwrap();
    assert_snapshot!(list.split_once("</details>").unwrap().0.trim_end(), @r#"
 (as much as it gives, 16 at once)</summary>

old used up its CPU limit: 0.97 of 1 CPU, 0.97 of it in one thread, throttled in 16 of 48 quota periods; so the CPU for each answer decides: 107.9 us

new was short of neither CPU nor memory: it used 0.05 of 1 CPU; so it waited for something else: its own sleep, a lock, a database, the network, or more than 16 requests at once
"#);
}

fn markdown(report: &JudgedFight, lang: Lang) -> String {
    galo_report::fight(report, &[]).markdown(lang)
}
