//! Operations of a load by result, with what went wrong.

use std::collections::BTreeMap;

use galo_judge::findings::failure;
use galo_judge::load::{Example, JudgedLoad};
use galo_record::Ledger;
use galo_record::finding::Weight;
use galo_words::{Both, Figure, Lang, say};

use crate::columns;
use crate::document::{Block, Column, Emphasis, Exchange, Section, Table};

/// Kinds of statuses and failures that are told; the JSON has all.
const KINDS: usize = 20;

/// By result; statuses, failures and what galo itself could not do, where there are any; the first wrong answers.
pub(super) fn operations(load: &JudgedLoad) -> Section {
    let all = Column::text(Both::same(""), |_: &Ledger| Both::word("all", "todas"));
    let columns = [all].into_iter().chain(columns::ledger(|ledger: &Ledger| ledger));
    let caption = Both::word("Operations by result", "Operações por resultado");
    let table = Table::new("ledger", caption, columns, [&load.answered.ledger]);
    let statuses = load.statuses.iter().map(|(status, n)| (Both::same(status.to_string()), *n)).collect();
    let failures =
        |kinds: &BTreeMap<String, u64>| kinds.iter().map(|(kind, n)| (failure(kind), *n)).collect::<Vec<_>>();
    let own_errors = match &load.log {
        Some(_) => Both::word("errors outside of requests", "erros fora de requisições"),
        None => Both::word("not even tried by galo", "nem tentadas pelo galo"),
    };
    let kinds = [
        (Both::word("statuses", "status"), statuses),
        (Both::word("failures", "falhas"), failures(&load.errors)),
        (own_errors, failures(&load.engine.own_errors)),
    ];
    let kinds = kinds.into_iter().filter(|(_, counts)| !counts.is_empty());
    let kinds = kinds.map(|(kind, counts)| Both::each(|lang| told_counts(&kind, &counts, lang)));
    let [sent, received] = [load.engine.sent_bytes, load.engine.received_bytes]
        .map(|bytes| Both::figure(Figure::Mib(bytes as f64)));
    let bytes = Both::each(|lang| {
        let [sent, received] = [&sent, &received].map(|bytes| bytes.get(lang));
        say!(lang, "bytes: {sent} sent, {received} received", "bytes: {sent} enviados, {received} recebidos")
    });
    let wrong = load.examples.iter().filter_map(wrong).map(|of| Block::Exchange(Box::new(of)));
    // A log does not tell them.
    let bytes = load.log.is_none().then_some(bytes);
    let texts = kinds.chain(bytes).map(Block::Text);
    Section {
        id: "operations".into(),
        name: Both::word("Operations", "Operações"),
        emphasis: Emphasis::First,
        blocks: [Block::Table(table)].into_iter().chain(texts).chain(wrong).collect(),
    }
}

/// Kinds with their counts: all in their order, or of too many the most frequent.
fn told_counts(kind: &Both, counts: &[(Both, u64)], lang: Lang) -> String {
    let mut counts: Vec<_> = counts.iter().collect();
    let more = counts.len().saturating_sub(KINDS);
    if more > 0 {
        counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        counts.truncate(KINDS);
    }
    let told = counts.iter().map(|(what, n)| format!("{}: {}", what.get(lang), lang.whole(*n)));
    let told = told.collect::<Vec<_>>().join(", ");
    let more = match more {
        0 => String::new(),
        more => say!(lang, " and {more} other kinds", " e mais {more} tipos"),
    };
    format!("{}: {told}{more}", kind.get(lang))
}

/// The first of a kind of wrong answer. Failures are told by their kind.
fn wrong(example: &Example) -> Option<Exchange> {
    let Example { rule, difference, request, answer } = example;
    let rule = rule.as_ref()?;
    Some(Exchange {
        id: None,
        weight: Weight::Must,
        head: Both::each(|lang| say!(lang, "wrong ({rule})", "errada ({rule})")),
        about: None,
        difference: Some(Both::same(difference.clone())),
        texts: [request, answer].map(|text| Both::same(text.clone())).into(),
        more: Vec::new(),
    })
}
