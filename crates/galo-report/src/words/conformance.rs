//! What came of the cases of conformance in one sentence.

use galo_judge::Conformance;
use galo_record::Missing;
use galo_words::nouns::{CASE, RULE};
use galo_words::{Lang, say};

/// How many cases hold, of how many, and where.
pub(crate) fn conformance(told: &Conformance, lang: Lang) -> String {
    let cases = lang.counted(told.cases as u64, CASE);
    if told.instances.is_empty() {
        return say!(lang, "none of {cases} could be asked", "não deu para testar nenhum de {cases}");
    }
    let everywhere = everywhere(told.instances.len(), told.direct, lang);
    let held = lang.whole(told.held as u64);
    let (hold, certo) = if told.held == 1 { ("holds", "certo") } else { ("hold", "certos") };
    let missing = match &told.missing_because {
        Some(Missing { because, .. }) => {
            let pode = if told.missing == 1 { "pôde ser testado" } else { "puderam ser testados" };
            let missing = lang.whole(told.missing as u64);
            say!(lang, "; {missing} could not be asked: {because}", "; {missing} não {pode}: {because}")
        }
        None => String::new(),
    };
    let advice = match told.advice.len() {
        0 => String::new(),
        rules => {
            let rules = lang.counted(rules as u64, RULE);
            say!(lang, "; advice: {rules}", "; conselhos: {rules}")
        }
    };
    say!(
        lang,
        "{held} of {cases} {hold} {everywhere}{missing}{advice}",
        "{held} de {cases} {certo} {everywhere}{missing}{advice}"
    )
}

/// At all instances, or all times.
pub(crate) fn everywhere(number: usize, direct: bool, lang: Lang) -> String {
    match (number, direct) {
        (1, true) => lang.pick("on its instance", "na sua instância").to_owned(),
        (1, false) => lang.pick("once", "na única vez").to_owned(),
        (2, true) => lang.pick("on both instances", "nas duas instâncias").to_owned(),
        (2, false) => lang.pick("both times", "nas duas vezes").to_owned(),
        (number, true) => say!(lang, "on all {number} instances", "em todas as {number} instâncias"),
        (number, false) => say!(lang, "all {number} times", "em todas as {number} vezes"),
    }
}
