//! Parts of a load in rows: addresses, steps, names and groups of requests.

use galo_judge::load::{JudgedLoad, Part};
use galo_record::{Ledger, Percentiles};
use galo_words::Both;

use super::ms;
use crate::columns::{self, Statistic};
use crate::document::{Block, Column, Emphasis, Section, Table};
use crate::words::labels;

/// Name, operations and response times of a part.
pub(super) type Row<'a> = (String, &'a Ledger, &'a Percentiles);

pub(super) fn by_part(load: &JudgedLoad) -> Section {
    let rows = |name: &dyn Fn(&Part) -> String| {
        let row = |part| (name(part), &part.answered.ledger, &part.answered.latency);
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
            let of_scenario = |part: &Part| match &part.scenario {
                Some(scenario) if !one => format!("{scenario}: {}", part.name),
                _ => part.name.clone(),
            };
            let caption = Both::word("What each step was answered", "O que cada passo recebeu de resposta");
            parts("steps", [Both::word("Steps", "Passos"), caption], rows(&of_scenario))
        }
        (None, None) => {
            let caption = Both::word("What each address answered", "O que cada endereço respondeu");
            let rows = if load.parts.len() > 1 { rows(&name) } else { Vec::new() };
            parts("addresses", [Both::word("Addresses", "Endereços"), caption], rows)
        }
    }
}

/// A table of parts; without any nothing.
pub(super) fn parts(id: &'static str, [name, caption]: [Both; 2], rows: Vec<Row<'_>>) -> Section {
    type OfRow<'a> = Column<'a, Row<'a>>;
    let in_ms = |statistic: Statistic| {
        let head = statistic.name.clone().then(&Both::same(", ms"));
        OfRow::new(head, move |(_, _, times)| statistic.figure(times, ms))
    };
    let columns = [
        OfRow::text(Both::same(""), |(name, _, _)| name.clone()),
        OfRow::new(labels::OK, |(_, ledger, _)| ledger.ok),
        OfRow::new(labels::ERRORS, |(_, ledger, _)| ledger.not_ok()),
        in_ms(columns::P50),
        in_ms(columns::P99),
        in_ms(columns::MAX),
    ];
    section(id, name, Table::new(format!("{id}-table"), caption, columns, rows))
}

/// A section of one table; without rows it has none.
pub(super) fn section(id: &'static str, name: Both, table: Table) -> Section {
    let blocks = if table.is_empty() { Vec::new() } else { vec![Block::Table(table)] };
    Section { id: id.into(), name, emphasis: Emphasis::First, blocks }
}
