//! Every fact in both languages.

use std::collections::BTreeSet;

use galo_judge::fact::{Came, Evidence, Excuse, Expected, Fact, Finding};
use galo_plan::Blame;
use galo_record::finding::Weight;
use galo_words::Both;

use super::samples::{assert_both, samples};
use super::{Told, case_difference, finding_words};

fn facts() -> Vec<Fact> {
    samples::<Fact>()
}

fn finding(fact: Fact) -> Finding {
    Finding::weighing(Weight::Should, fact, Blame::Contender)
}

#[test]
fn every_fact_is_told_in_both_languages_with_the_same_figures() {
    let mut told = Vec::new();
    for fact in facts() {
        let name = fact.name().to_owned();
        let Told { text, remedy, .. } = Told::of(&finding(fact));
        assert_both(&text, &name);
        assert_ne!(text.en, text.pt, "{name}");
        if let Some(remedy) = &remedy {
            assert!(!remedy.en.is_empty() && !remedy.pt.is_empty(), "{name}: {remedy:?}");
        }
        told.push(format!("{name}\n  {}\n  {}", text.en, text.pt));
    }
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn every_piece_of_evidence_is_told_in_both_languages_with_the_same_figures() {
    let mut told = Vec::new();
    // What a case expected and what came has a test of its own: each goes with each.
    let is_case = |piece: &Evidence| matches!(piece, Evidence::Case { .. });
    for piece in samples::<Evidence>().into_iter().filter(|piece| !is_case(piece)) {
        let of = format!("{piece:?}");
        let fact = facts().swap_remove(0);
        let Told { evidence, .. } = Told::of(&Finding { evidence: vec![piece], ..finding(fact) });
        assert_both(&evidence[0], &of);
        told.push(format!("{}\n{}", evidence[0].en, evidence[0].pt));
    }
    told.dedup();
    insta::assert_snapshot!(told.join("\n\n"));
}

#[test]
fn what_every_case_expected_and_what_came_is_told_in_both_languages_with_the_same_figures() {
    let (expected, came) = (samples::<Expected>(), samples::<Came>());
    let each = (0..expected.len().max(came.len())).map(|index| {
        let (expected, came) = (&expected[index % expected.len()], &came[index % came.len()]);
        let both = Both::told(|lang| case_difference(expected, came, lang));
        assert_both(&both, &format!("{expected:?}, {came:?}"));
        format!("{}\n{}", both.en, both.pt)
    });
    insta::assert_snapshot!(each.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn what_is_held_against_nobody_says_why_and_asks_for_nothing() {
    for excuse in samples::<Excuse>() {
        let told = Told::of(&Finding { excuse: Some(excuse), ..finding(facts().swap_remove(0)) });
        assert!(told.text.en.ends_with(')') && told.text.pt.ends_with(')'), "{told:?}");
        assert_eq!(told.remedy, None);
    }
}

#[test]
fn every_name_of_a_fact_has_its_headline_and_no_other_has_one() {
    let facts = facts().into_iter().filter(|fact| !matches!(fact, Fact::Rule(_)));
    let mut made: BTreeSet<String> = facts.map(|fact| fact.name().to_owned()).collect();
    made.extend(galo_judge::names::all().map(str::to_owned));
    for name in &made {
        assert!(finding_words(name).is_some(), "{name} has no headline");
    }
    let rules: BTreeSet<&str> = super::rule_names().collect();
    for name in super::table::names() {
        assert!(made.contains(name) || rules.contains(name), "nobody makes {name}");
    }
}
