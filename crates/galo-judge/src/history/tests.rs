use galo_plan::ChallengeData;
use galo_plan::model::{Answer, Ceiling, CheckKind, Examination, Question, Row, Seen, Thing};
use galo_record::RoundData;

use crate::testing::story::{self, Story};
use crate::testing::{figures, reasons, shown};
use crate::{Judgement, Standing, judge_round};

mod faulty;
mod honest;
mod hostile;
mod properties;
mod simulated;
mod unsound;

fn judged(text: &str) -> Judgement {
    let story = Story::read(text);
    let names = story.names.clone();
    judge_round(&story::plan(), &names, &story.round())
}

/// The whole verdict in a line: the standing, and what else was found.
fn verdict(text: &str) -> String {
    verdict_of(&judged(text))
}

fn verdict_of(judgement: &Judgement) -> String {
    let (standing, told) = match &judgement.standing {
        Standing::Valid => ("valid".to_owned(), Vec::new()),
        Standing::Disqualified { rules } => (rules.join(", "), rules.clone()),
        Standing::Void { reasons: why } => (format!("void: {}", reasons(why)), Vec::new()),
        Standing::NotReady { reason } => (format!("not ready: {reason}"), Vec::new()),
    };
    let others = judgement
        .findings
        .iter()
        .map(crate::Finding::name)
        .filter(|name| !told.contains(&(*name).to_owned()));
    let others: Vec<&str> = others.collect();
    if others.is_empty() { standing } else { format!("{standing} ({})", others.join(", ")) }
}

/// One test for each history.
macro_rules! histories {
    ($($name:ident: $story:literal => $verdict:literal;)*) => {
        $(#[test]
        fn $name() {
            assert_eq!(super::verdict($story), $verdict);
        })*
    };
}
use histories;

fn finding(judgement: &Judgement, name: &str) -> String {
    let finding = judgement.findings.iter().find(|f| f.name() == name).expect(name);
    let mut told = vec![figures(finding)];
    told.extend(shown(finding));
    told.join("\n---\n")
}

#[test]
fn a_stale_search_is_told_with_its_age_and_what_became_of_it() {
    let judgement = judged(
        "create ana 100..110 ok; create anita 120..130 ok; search an 150..160; search an 200..210 anita; search an 300..320 ana anita",
    );
    insta::assert_snapshot!(finding(&judgement, "search-misses-acknowledged"));
}

#[test]
fn every_finding_has_evidence_that_can_be_checked_by_hand() {
    let stories = [
        ("created-twice", "create ana 1..2 ok; create ana/2 3..4 ok"),
        ("read-misses-acknowledged", "create ana 1..2 ok; read ana 3..4 404"),
        ("search-forgets", "create ana 1..2 timeout; search an 5..6 ana; search an 7..8"),
        ("search-unknown-person", "create ana 1..2 ok; create eva 1..2 ok; search a 5..6 ana eva#1 eve#9"),
        ("identity-given-twice", "create ana 1..2 ok#1; create eva 1..2 ok#1"),
        ("refused-but-kept", "create ana! 1..2 422; search an 5..6 ana!"),
        ("failed-but-kept", "create ana 1..2 500; search an 5..6 ana"),
        ("refused-without-duplicate", "create ana 1..2 422; create ana/2 3..4 ok"),
        ("not-linearizable", "create ana 1..2 timeout; create ana/2 3..4 422; search an 5..6"),
    ];
    let told: Vec<String> =
        stories.iter().map(|(rule, text)| format!("{rule}: {}", finding(&judged(text), rule))).collect();
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn a_read_that_is_explained_leaves_nothing_to_unexpected_status() {
    let judgement = judged("create ana 1..2 ok; create eva 1..2 ok; read ana 3..4 404; read eva 5..6 301");
    assert_eq!(verdict_of(&judgement), "read-misses-acknowledged, unexpected-status");
    let rest = finding(&judgement, "unexpected-status");
    assert!(rest.contains(r#""step":"read"},"broken":1,"operations":2}"#), "{rest}");
}

#[test]
fn a_plan_that_does_not_say_what_its_checks_mean_is_not_judged_and_says_so() {
    let story = Story::read("create ana 1..2 ok; search an 3..4");
    let names = story.names.clone();
    let mut plan = story::plan();
    plan.checks = vec![CheckKind::Create];
    let judgement = judge_round(&plan, &names, &story.round());
    assert_eq!(verdict_of(&judgement), "valid (history-unjudged)");
    insta::assert_snapshot!(finding(&judgement, "history-unjudged"));
}

#[test]
fn a_model_that_does_not_say_what_rows_become_is_not_judged_and_says_so() {
    let round = Story::read("create ana 1..2 ok; search an 3..4").round();
    let judgement = judge_round(&story::plan(), &crate::testing::Counted(story::CEILING), &round);
    assert_eq!(verdict_of(&judgement), "valid (history-unjudged)");
    assert!(
        finding(&judgement, "history-unjudged")
            .contains(r#""why":"rows-unsaid","step":{"scenario":"create and read","step":"create"}"#)
    );
}

/// Rows that become something, with searches of which nobody says what they must list.
struct Unlisted(story::Names);

impl ChallengeData for Unlisted {
    fn write_field(&self, _feeder: usize, _row: u64, _field: usize, _out: &mut Vec<u8>) {}

    fn ceiling(&self) -> Ceiling {
        self.0.ceiling()
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
        self.0.examine(question, answer, seen)
    }

    fn thing(&self, row: Row) -> Option<Thing> {
        self.0.thing(row)
    }
}

#[test]
fn a_model_that_does_not_say_whom_searches_must_list_holds_no_search_for_right() {
    let verdict = |text: &str| {
        let story = Story::read(text);
        let model = Unlisted(story.names.clone());
        judge_round(&story::plan(), &model, &story.round())
    };
    let judgement = verdict("create ana 1..2 ok; search an 3..4");
    assert_eq!(verdict_of(&judgement), "valid (history-unjudged)");
    insta::assert_snapshot!(finding(&judgement, "history-unjudged"), @r#"{"kind":"history-unjudged","rules":["search-misses-acknowledged","search-forgets","not-linearizable"],"why":{"why":"searches-unsaid"}}"#);
    assert_eq!(
        verdict_of(&verdict("create ana 1..2 ok; create ana/2 3..4 ok; search x 5..6")),
        "created-twice (history-unjudged)"
    );
    assert_eq!(verdict_of(&verdict("create ana 1..2 ok; read ana 3..4 ok")), "valid", "nobody searched");
}
