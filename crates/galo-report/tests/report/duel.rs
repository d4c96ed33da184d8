//! The report of a duel that was driven: two `node` servers, the second with a fifth more work, on a busy machine.

use galo_judge::duel::DuelVerdict;
use galo_plan::Blame;
use galo_record::duel::{AnswerDifference, SideFinding};
use galo_record::finding::Weight;
use galo_record::{DuelRecord, Finding, RunEnd};
use galo_report::{DuelReport, Language, Look, duel_schema};
use insta::assert_snapshot;

const PLAIN: Look = Look { width: 80, colour: false };

pub(crate) fn record() -> DuelRecord {
    serde_json::from_str(include_str!("duel.json")).unwrap()
}

#[test]
fn the_verdict_comes_first_and_no_line_is_too_long() {
    let told = DuelReport::of(&record()).terminal(PLAIN);
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    assert_snapshot!(told);
}

fn death() -> Finding {
    Finding {
        name: "service-died".to_owned(),
        weight: Weight::Should,
        blame: Blame::Contender,
        text: "service `command` died while it should have run (exit status 1)".to_owned(),
        evidence: vec!["listening".to_owned(), "panic: no memory".to_owned()],
        hint: Some("see logs/first-01/command.log".to_owned()),
        explains_milli: None,
    }
}

#[test]
fn what_is_odd_is_told() {
    let mut record = record();
    record.end = RunEnd::Interrupted;
    (record.limits_enforced, record.limits_note) = (false, Some("no control groups".to_owned()));
    record.sides[1].name = "a name that is much longer than any column \u{1b}[2J".to_owned();
    record.answers.equal -= 3;
    record
        .answers
        .differences
        .push(AnswerDifference { at: "/a".to_owned(), values: ["1".to_owned(), "2".to_owned()] });
    let died = SideFinding { side: 0, pair: Some(0), finding: death() };
    record.findings.extend([died.clone(), SideFinding { pair: Some(3), ..died }]);
    record.assertions.push("p99 > 1".to_owned());
    for turn in [1, 4, 5] {
        record.turns[turn].loads[0].void.push(format!("galo itself was late: {turn}.0 ms"));
    }
    let told = DuelReport::of(&record).terminal(PLAIN);
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    assert!(!told.contains('\u{1b}'));
    assert_snapshot!(told);
}

#[test]
fn a_duel_without_a_turn_is_told_as_what_it_is() {
    let mut record = record();
    record.turns.clear();
    record.terms.levels.clear();
    record.end = RunEnd::Failed("the disk is full".to_owned());
    assert_snapshot!(DuelReport::of(&record).terminal(PLAIN));
}

#[test]
fn the_published_schema_is_the_one_that_is_written() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/duel-v1.json");
    let text = std::fs::read_to_string(published).unwrap();
    assert!(
        text == duel_schema(),
        "docs/schema/duel-v1.json is stale\nhint: galo schema duel > docs/schema/duel-v1.json"
    );
}

/// The page of a duel.
pub(crate) fn page(record: &DuelRecord) -> String {
    let told = DuelReport::of(record);
    galo_report::duel_html(record, &told, &crate::synthetic::header(), Language::OfBrowser).unwrap()
}

/// A duel in which all that comes from outside would like to be more than text.
pub(crate) fn hostile() -> DuelRecord {
    let evil = "</script><img src=x onerror=alert(1)>\u{202e}".to_owned();
    let mut record = record();
    record.sides[0].name.clone_from(&evil);
    record.sides[1].command = Some(evil.clone());
    record.request.clone_from(&evil);
    record
        .answers
        .differences
        .push(AnswerDifference { at: evil.clone(), values: [evil.clone(), evil.clone()] });
    let finding = Finding { text: evil.clone(), evidence: vec![evil], ..death() };
    record.findings.push(SideFinding { side: 0, pair: Some(0), finding });
    record
}

#[test]
fn the_page_tells_what_the_terminal_tells() {
    let page = page(&record());
    let told = DuelReport::of(&record());
    assert!(page.contains(&told.sentence.replace('\'', "&#39;")), "{}", told.sentence);
    assert!(page.contains("answers to the same requests are equal by meaning"));
    assert!(page.contains("id=\"pairs\"") && page.contains("class=\"interval\""));
}

#[test]
fn a_finding_of_a_side_is_told_in_both_languages() {
    let mut record = record();
    record.findings.push(SideFinding { side: 0, pair: Some(0), finding: death() });
    let page = page(&record);
    let headline = r#"<span lang="en">a service died</span><span lang="pt">um serviço morreu</span>"#;
    assert!(page.contains(&format!("href=\"#finding-service-died\">{headline}</a>")));
    assert!(page.contains("<p class=\"remedy\">Veja o log dele na pasta da execução.</p>"));
    assert!(page.contains("<p class=\"remedy\">see logs/first-01/command.log</p>"));
}

#[test]
fn no_word_of_a_side_ends_an_element() {
    let page = page(&hostile());
    assert!(!page.contains("<img") && !page.contains('\u{202e}'));
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (5, 5));
}

#[test]
fn a_duel_without_a_turn_has_a_page_without_charts() {
    let mut record = record();
    record.turns.clear();
    record.terms.levels.clear();
    assert!(!page(&record).contains("id=\"pairs\""));
}

#[test]
fn every_outcome_of_a_duel_has_its_sentence_in_portuguese() {
    let outcomes = [
        DuelVerdict::Void { reason: "galo was late".to_owned() },
        DuelVerdict::TooFewPairs { pairs: 1, needed: 6 },
        DuelVerdict::DifferentStatuses,
        DuelVerdict::Fails { sides: vec![0, 1] },
        DuelVerdict::Better { winner: 0 },
        DuelVerdict::Mixed,
        DuelVerdict::NoDifference,
    ];
    let told = outcomes.map(|verdict| {
        let record = record();
        let told = DuelReport { verdict, ..DuelReport::of(&record) };
        let header = crate::synthetic::header();
        let page = galo_report::duel_html(&record, &told, &header, Language::Portuguese).unwrap();
        let verdict = page.split_once("<h1").unwrap().1.split_once("</h1>").unwrap().0;
        verdict.split_once("<span lang=\"pt\">").unwrap().1.split_once("</span>").unwrap().0.to_owned()
    });
    assert_snapshot!(told.join("\n"), @r"
nulo: galo was late
curto demais: 1 par, são precisos 6
old e new respondem à mesma requisição com status diferentes: nada a comparar
ninguém vence: old e new não respondem corretamente
old é melhor sob limites iguais: dá 1,25 vezes (1,13 a 1,38) as respostas por segundo de new, precisa de 0,89 vezes (0,85 a 0,93) a CPU de new por resposta
cada um é melhor a seu modo: old: dá 1,25 vezes (1,13 a 1,38) as respostas por segundo de new; old: precisa de 0,89 vezes (0,85 a 0,93) a CPU de new por resposta
sem diferença entre old e new acima de 25 % em p99
");
}
