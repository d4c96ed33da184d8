//! What came of the cases of conformance, with the requests that show it.

use galo_judge::evidence::difference;
use galo_judge::{Advice, BrokenCase, Conformance};
use galo_record::finding::Weight;
use galo_words::nouns::CASE;
use galo_words::{Both, Lang, say};

use crate::document::Exchange;
use crate::words::{everywhere, labels};

/// The requests that show it: what disqualifies first, then advice.
pub(super) fn exchanges(of: &Conformance) -> impl Iterator<Item = Exchange> {
    let must = of.broken.iter().map(|broken| {
        exchange(
            broken,
            Weight::Must,
            Both::each(|lang| format!("{} ({})", rule_and_case(broken), found_on(broken, of, lang))),
        )
    });
    let should = of.advice.iter().map(|advice| {
        exchange(&advice.example, Weight::Should, Both::each(|lang| advised(advice, of, lang)))
    });
    must.chain(should)
}

fn rule_and_case(broken: &BrokenCase) -> String {
    format!("{}: {}", broken.rule, broken.case)
}

/// Rule, in how many cases, the first of them, and where it was found.
fn advised(advice: &Advice, of: &Conformance, lang: Lang) -> String {
    let BrokenCase { rule, case, .. } = &advice.example;
    let on = found_on(&advice.example, of, lang);
    match advice.cases {
        1 => format!("{} ({on})", rule_and_case(&advice.example)),
        cases => {
            let cases = lang.counted(cases as u64, CASE);
            let first = lang.pick("first", "o primeiro");
            format!("{rule}: {cases} ({on}), {first}: {case}")
        }
    }
}

fn found_on(broken: &BrokenCase, of: &Conformance, lang: Lang) -> String {
    let some = broken.instances.join(lang.pick(" and ", " e "));
    match (broken.instances.as_slice(), of.direct) {
        (all, _) if all.len() == of.instances.len() => everywhere(all.len(), of.direct, lang),
        (_, true) => say!(lang, "on {some}", "em {some}"),
        (_, false) => some,
    }
}

fn exchange(broken: &BrokenCase, weight: Weight, head: Both) -> Exchange {
    let more =
        [(labels::REQUESTS_BEFORE, broken.before.join("\n")), (labels::THE_ANSWER, broken.answer.clone())];
    let differs = |lang| difference(&broken.expected, &broken.came, lang);
    Exchange {
        id: None,
        weight,
        head,
        about: broken.headline.as_ref().map(|[_, pt]| Both::same(pt.clone())),
        difference: Some(Both::each(differs)),
        texts: vec![Both::same(broken.request.clone())],
        more: more.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
    }
}
