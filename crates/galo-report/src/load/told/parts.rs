//! Parts of a load in rows: addresses, steps, names and groups of requests.

use galo_judge::load::{JudgedLoad, Part};
use galo_record::{Ledger, Percentiles};
use galo_words::{Both, count};

use super::ms;
use crate::document::{Block, Emphasis, Narrow, Row, Section, Table};
use crate::words::labels;

pub(super) fn by_part(load: &JudgedLoad) -> Section {
    let rows = |name: &dyn Fn(&Part) -> String| {
        let row = |part: &Part| row(name(part), &part.answered.ledger, &part.answered.latency);
        load.parts.iter().map(row).collect()
    };
    let name = |part: &Part| part.name.clone();
    match (&load.log, &load.users) {
        (Some(_), _) => {
            let caption =
                Both::word("What requests of each name were answered", "O que cada nome recebeu de resposta");
            parts("requests", [Both::word("Requests", "Requisições"), caption], rows(&name))
        }
        (None, Some(_)) => {
            let one = load.parts.iter().all(|part| part.scenario == load.parts[0].scenario);
            let told = |part: &Part| match &part.scenario {
                Some(scenario) if !one => format!("{scenario}: {}", part.name),
                _ => part.name.clone(),
            };
            let caption = Both::word("What each step was answered", "O que cada passo recebeu de resposta");
            parts("steps", [Both::word("Steps", "Passos"), caption], rows(&told))
        }
        (None, None) => {
            let caption = Both::word("What each address answered", "O que cada endereço respondeu");
            let rows = if load.parts.len() > 1 { rows(&name) } else { Vec::new() };
            parts("addresses", [Both::word("Addresses", "Endereços"), caption], rows)
        }
    }
}

/// A table of parts.
pub(super) fn parts(id: &'static str, words: [Both; 2], rows: Vec<Row>) -> Section {
    let milliseconds = Both::same(", ms");
    let heads = [
        Both::same(""),
        labels::OK,
        labels::ERRORS,
        Both::same("p50, ms"),
        Both::same("p99, ms"),
        labels::MAX.then(&milliseconds),
    ];
    section(id, words, heads.into(), rows)
}

/// One part.
pub(super) fn row(name: String, ledger: &Ledger, latency: &Percentiles) -> Row {
    let [ok, errors] = [ledger.ok, ledger.not_ok()].map(|n| Both::figure(count(n)));
    let cells = vec![Both::same(name), ok, errors, ms(latency.p50), ms(latency.p99), ms(latency.max)];
    Row { cells, warning: None }
}

/// One table; without rows nothing.
pub(super) fn section(
    id: &'static str,
    [name, caption]: [Both; 2],
    heads: Vec<Both>,
    rows: Vec<Row>,
) -> Section {
    let table =
        (!rows.is_empty()).then_some(Table { id: id.into(), caption, heads, rows, narrow: Narrow::All });
    let blocks = table.into_iter().map(Block::Table).collect();
    Section { id: id.into(), name, emphasis: Emphasis::First, blocks }
}
