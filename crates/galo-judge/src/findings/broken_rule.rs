//! `broken-rule`: a rule of the challenge was broken.

use galo_plan::JsonSchema;
use galo_plan::Rule;
use galo_record::finding::Weight;
use galo_words::nouns::{CASE, OPERATION};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};
use crate::step::StepName;

/// A rule of the challenge that operations or cases broke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenRule {
    /// Name of the rule.
    pub rule: String,
    /// What it says, as the challenge writes it.
    pub text: String,
    /// The same in Portuguese; null: the challenge does not say it.
    pub text_pt: Option<String>,
    /// What its breach is called, in English and in Portuguese; null: the challenge does not say it.
    pub headline: Option<[String; 2]>,
    /// Cases of conformance that found it broken.
    pub cases: u64,
    /// Operations of the load that broke it, by step.
    pub steps: Vec<BrokenAt>,
}

impl From<&Rule> for BrokenRule {
    /// Nothing that broke it yet.
    fn from(Rule { name, text, words, .. }: &Rule) -> Self {
        Self {
            rule: name.to_string(),
            text: text.to_string(),
            text_pt: words.as_ref().map(|words| words.text_pt.to_string()),
            headline: words.as_ref().map(|words| words.headline.each_ref().map(ToString::to_string)),
            cases: 0,
            steps: Vec::new(),
        }
    }
}

/// How many operations of a step broke a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenAt {
    /// The step.
    pub step: StepName,
    /// Operations that broke it.
    pub broken: u64,
    /// Operations of the step.
    pub operations: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("a rule of the challenge was broken", "uma regra do desafio foi quebrada"),
    means: "",
    remedy: None,
};

impl Tell for BrokenRule {
    fn sentence(&self, lang: Lang) -> String {
        let Self { text, text_pt, cases, steps, .. } = self;
        let told: Vec<String> = steps.iter().map(|at| broken_at(at, lang)).collect();
        let mut who = lang.listed(&told);
        if *cases > 0 {
            let cases = lang.counted(*cases, CASE);
            let and = if who.is_empty() { "" } else { lang.pick(" and ", " e ") };
            who = say!(lang, "{cases} of conformance{and}{who}", "{cases} de conformidade{and}{who}");
        }
        let text = match lang {
            Lang::En => text,
            Lang::Pt => text_pt.as_ref().unwrap_or(text),
        };
        let many = *cases + steps.iter().map(|at| at.broken).sum::<u64>() != 1;
        let broke = if many { "quebraram" } else { "quebrou" };
        say!(lang, "{who} broke the rule: {text}", "{who} {broke} a regra: {text}")
    }
}

fn broken_at(at: &BrokenAt, lang: Lang) -> String {
    let (broken, operations) = (lang.whole(at.broken), lang.counted(at.operations, OPERATION));
    let step = at.step.sentence(lang);
    say!(lang, "{broken} of {operations} of {step}", "{broken} de {operations} de {step}")
}
