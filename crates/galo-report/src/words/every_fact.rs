//! Every fact in both languages.

use std::collections::BTreeSet;

use galo_judge::Kind;
use galo_judge::evidence::{Came, Evidence, Expected, difference};
use galo_judge::findings::{Excuse, Fact, Finding, Wording};
use galo_words::Both;

use super::samples::{assert_both, samples};

fn facts() -> Vec<Fact> {
    samples::<Fact>()
}

#[test]
fn every_fact_is_told_in_both_languages_with_the_same_figures() {
    let mut told = Vec::new();
    for fact in facts() {
        let name = fact.name().to_owned();
        let Wording { text, remedy, .. } = Finding::new(fact).wording();
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
        let Wording { evidence, .. } = Finding { evidence: vec![piece], ..Finding::new(fact) }.wording();
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
        let both = Both::each(|lang| difference(expected, came, lang));
        assert_both(&both, &format!("{expected:?}, {came:?}"));
        format!("{}\n{}", both.en, both.pt)
    });
    insta::assert_snapshot!(each.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn what_is_held_against_nobody_says_why_and_asks_for_nothing() {
    for excuse in samples::<Excuse>() {
        let told = Finding { excuse: Some(excuse), ..Finding::new(facts().swap_remove(0)) }.wording();
        assert!(told.text.en.ends_with(')') && told.text.pt.ends_with(')'), "{told:?}");
        assert_eq!(told.remedy, None);
    }
}

#[test]
fn every_kind_has_a_sample() {
    let made: BTreeSet<Kind> = facts().iter().map(Fact::kind).collect();
    assert_eq!(made, Kind::ALL.iter().copied().collect());
}
