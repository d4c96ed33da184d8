//! `statement-order-by-times` (should): a statement lists moves in the order in which they changed the balance, also where their times say otherwise.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::STATEMENT;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Statements in the order of their own times, which is not that of the balance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatementOrderByTimes {
    /// Statements that do.
    pub wrong: u64,
    /// All that could be read.
    pub statements: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "a statement was in the order of times, not of balances",
        "um extrato veio na ordem dos horários, não dos saldos",
    ),
    means: "A lista está na ordem dos próprios horários, mas não naquela em que o saldo mudou: horários iguais, ou tomados antes da trava.",
    remedy: Some(Both::word(
        "order by what was counted up under the account's lock, or take the time under it",
        "Ordene pelo que foi numerado sob a trava da conta, ou tome o horário sob ela.",
    )),
};

impl Tell for StatementOrderByTimes {
    fn sentence(&self, lang: Lang) -> String {
        let Self { wrong, statements } = self;
        let (wrong, statements) = (lang.whole(*wrong), lang.counted(*statements, STATEMENT));
        say!(
            lang,
            "were in the order of their own times, not of the balances: {wrong} of {statements}",
            "vieram na ordem dos próprios horários, não dos saldos: {wrong} de {statements}"
        )
    }
}
