//! Runs side by side.

use galo_judge::Measure;
use galo_judge::comparison::{ComparedFigure, FightRun, JudgedComparison};
use galo_judge::duel::JudgedDuel;
use galo_judge::json::pretty;
use galo_judge::schema;
use galo_record::duel::Level;
use galo_report::{Language, Look, comparison};
use galo_words::Lang;
use insta::assert_snapshot;

use crate::runs::build;
use crate::runs::stale_rounds;
use crate::synthetic::{Counted, Folder, Made, fair, folder, folder_of, plan};

const PLAIN: Look = Look { width: 80, colour: false };
const NAMES: [&str; 2] = ["rust-sqlite", "go-postgres"];

/// A fight with a folder of this name, which is what a report tells.
fn fight(name: &str, folder: Folder) -> FightRun {
    let (fight, _) = build(&folder.run, &Counted).unwrap();
    let mut run = folder.into_run();
    run.path = name.into();
    FightRun { run, fight }
}

/// All rounds of a fight slower by a factor.
fn slower(rounds: &[Made], factor: f64) -> Vec<Made> {
    rounds.iter().map(|made| Made { slowness: made.slowness * factor, ..*made }).collect()
}

fn told(fights: Vec<FightRun>) -> JudgedComparison {
    let report = JudgedComparison::of_fights(fights);
    terminal(&report, Lang::En);
    report
}

fn terminal(report: &JudgedComparison, lang: Lang) -> String {
    let text = comparison(report).terminal(PLAIN, lang);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    text
}

#[test]
fn contenders_of_all_runs_are_told_figure_by_figure_with_ratios_to_the_first() {
    let before = fight("before", folder(&NAMES, &fair(6, 1.6)));
    let after = fight("after", folder(&NAMES, &slower(&fair(4, 1.6), 1.2)));
    let report = told(vec![before, after]);
    assert_eq!(report.differences, Vec::new());
    assert_eq!(
        report.entries.iter().map(|e| (e.run, e.rounds)).collect::<Vec<_>>(),
        [(1, 6), (1, 6), (2, 4), (2, 4)]
    );
    let p99 = &report.figures[0];
    assert!(p99.primary && p99.values[0].ratio.is_none());
    for cell in &p99.values[1..] {
        let (ratio, [low, high]) = (cell.ratio.unwrap(), cell.interval.unwrap());
        assert!(low < ratio && ratio < high, "{cell:?}");
    }
    assert_snapshot!(terminal(&report, Lang::En));
    assert_snapshot!("markdown of runs side by side", comparison(&report).markdown(Lang::En));
    assert_snapshot!("runs side by side in Portuguese", terminal(&report, Lang::Pt));
    let json = pretty(&report);
    assert_eq!(
        pretty(&serde_json::from_str::<JudgedComparison>(&json).unwrap()),
        json,
        "it reads back the same"
    );
    // What each run came to is told by itself elsewhere.
    let mut alone: serde_json::Value = serde_json::from_str(&json).unwrap();
    alone["runs"].as_array_mut().unwrap().iter_mut().for_each(|run| run["run"] = "...".into());
    assert_snapshot!("json of runs side by side", pretty(&alone));
}

#[test]
fn what_differs_beside_the_contenders_is_told_with_what_it_spoils() {
    let first = fight("first", folder(&NAMES, &fair(3, 1.6)));
    let mut other_machine = fight("elsewhere", folder(&NAMES, &fair(3, 1.6)));
    other_machine.fight.header.machine.cores = 64;
    let mut other_plan = plan(&NAMES, &fair(3, 1.6));
    (other_plan.seed, other_plan.data_sha256) = (galo_plan::Seed::of_number(8), "77".repeat(32));
    let other_seed = fight("other seed", folder_of(&other_plan, &fair(3, 1.6)));
    let report = told(vec![first, other_machine, other_seed]);
    let ratios = |measure: Measure| {
        let figure = report.figures.iter().find(|f| f.measure == measure).unwrap();
        figure.values.iter().map(|cell| cell.ratio.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(ratios(Measure::LatencyUsP99), [false, true, false, false, true, true]);
    assert_eq!(ratios(Measure::MemoryPeakBytes), [false, true, true, true, true, true]);
    assert_eq!(ratios(Measure::CorrectWithinServiceLevel), [false, true, false, false, false, false]);
    assert_snapshot!(terminal(&report, Lang::En));
    assert_snapshot!("what differs in Portuguese", terminal(&report, Lang::Pt));
}

#[test]
fn a_round_without_a_right_answer_in_time_counts_against_its_contender() {
    let [fine, mut late] = ["fine", "late"].map(|name| fight(name, folder(&NAMES, &fair(3, 1.0))));
    let mut judged = serde_json::to_value(&late.fight).unwrap();
    for round in &mut judged["rounds"].as_array_mut().unwrap()[..4] {
        round["measures"]["correct_within_service_level"] = 0.0.into();
    }
    late.fight = serde_json::from_value(judged).unwrap();
    let report = told(vec![fine, late]);
    let figure = report.figures.iter().find(|of| of.measure == Measure::CorrectWithinServiceLevel).unwrap();
    for cell in &figure.values[2..] {
        assert!(cell.ratio.unwrap() < 0.1, "two rounds of three had none: {cell:?}");
    }
}

#[test]
fn memory_that_a_kernel_keeps_for_itself_makes_no_other_machine() {
    let [mut before, mut after] = ["before", "after"].map(|name| fight(name, folder(&NAMES, &fair(3, 1.6))));
    before.fight.header.machine.memory_bytes = 8 << 30;
    after.fight.header.machine.memory_bytes = (8 << 30) - (300 << 10);
    assert_eq!(told(vec![before, after]).differences, Vec::new());
}

#[test]
fn a_page_of_several_runs_has_no_command_of_its_own_but_theirs() {
    let report = told(vec![
        fight("first", folder(&NAMES, &fair(3, 1.6))),
        fight("<b>second</b>", folder(&NAMES, &fair(3, 1.6))),
    ]);
    let page = comparison(&report).html(Language::OfBrowser).unwrap();
    assert!(!page.contains("id=\"again-title\"") && page.contains("id=\"commands-and-machines\""), "{page}");
    assert!(page.contains("&#60;b&#62;second") && !page.contains("<b>second"), "{page}");
}

#[test]
fn other_traffic_leaves_nothing_to_compare() {
    let first = fight("first", folder(&NAMES, &fair(3, 1.6)));
    let mut other = plan(&NAMES, &fair(3, 1.6));
    other.scale_milli = 2000;
    other.traffic[1] = None;
    other.limited = false;
    let report = told(vec![first, fight("second", folder_of(&other, &fair(3, 1.6)))]);
    for cells in report.figures.iter().map(|figure| &figure.values) {
        assert!(cells[1].ratio.is_some() && cells[2].ratio.is_none() && cells[3].ratio.is_none());
    }
    let wide = comparison(&report).terminal(Look { width: 400, ..PLAIN }, Lang::En);
    assert_snapshot!(wide.lines().filter(|line| line.contains("differs")).collect::<Vec<_>>().join("\n"), @r#"
traffic differs: profile quick, scale 1 (run 1); profile quick, scale 2 (run 2): no figure is comparable
budget differs: 1.5 CPU, 3,072 MiB (run 1); 1.5 CPU, 3,072 MiB, not enforced (run 2): no figure is comparable
"#);
}

#[test]
fn what_a_disqualified_contender_reached_is_no_measure_for_anybody() {
    let rounds: Vec<Made> = stale_rounds().into_iter().filter(|made| made.contender == 1).collect();
    let liar = folder(&["rust-sqlite", "queued"], &rounds);
    let report = told(vec![fight("liar", liar), fight("honest", folder(&NAMES, &fair(3, 1.0)))]);
    assert_eq!(report.reference, Some(2), "neither who did not fight nor who lied");
    assert!(report.figures[0].values[1].ratio.is_none());
    let text = terminal(&report, Lang::En);
    assert!(text.contains("queued of run 1: disqualified") && text.contains("ms]"), "{text}");
}

fn duel(name: &str, change: impl Fn(&mut JudgedDuel)) -> (String, JudgedDuel) {
    let mut duel = crate::duel::seen();
    change(&mut duel);
    duel.header = crate::header(&["galo", "fight", name]);
    (name.to_owned(), duel.judged())
}

#[test]
fn duels_at_other_rates_keep_the_figures_that_are_of_no_rate() {
    let slow = duel("slow", |duel| {
        let half = duel.levels[0].injection.as_mut().unwrap();
        *half = galo_plan::Injection::constant(1_000_000_000, std::time::Duration::from_secs(2));
    });
    let report = JudgedComparison::of_duels(vec![duel("usual", |_| {}), slow]);
    let ratio = |measure: Measure, level: Level| {
        let is_it = |f: &&ComparedFigure| f.measure == measure && f.level == Some(level);
        report.figures.iter().find(is_it).unwrap().values[2].ratio
    };
    assert_eq!(ratio(Measure::LatencyUsP99, Level::Half), None);
    assert_eq!(ratio(Measure::AnswersPerS, Level::Highest), Some(1.0), "the same turns");
    assert_snapshot!(terminal(&report, Lang::En));
}

#[test]
fn the_published_schema_is_the_one_that_is_written() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/compare-v1.json");
    let text = std::fs::read_to_string(published).unwrap_or_default();
    assert!(
        text == schema::text::<JudgedComparison>(),
        "docs/schema/compare-v1.json is stale\nhint: cargo run -p galo --features schema -- schema compare > docs/schema/compare-v1.json"
    );
}
