//! `statement-list` (must): a statement lists the last moves of its account, in the order in which they changed the balance.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::STATEMENT;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Statements with another list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatementList {
    /// Statements that do.
    pub wrong: u64,
    /// All that could be read.
    pub statements: u64,
    /// What the first of them has wrong.
    pub first: Listing,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "a statement did not list the last moves in their order",
        "um extrato não trazia as últimas movimentações em ordem",
    ),
    means: "A lista do extrato tem de trazer as últimas movimentações da conta, da mais nova para a mais velha.",
    remedy: Some(Both::word(
        "order by what was counted up under the account's lock, and limit the list in the query",
        "Ordene pelo que foi numerado sob a trava da conta, e limite a lista na consulta.",
    )),
};

impl Tell for StatementList {
    fn sentence(&self, lang: Lang) -> String {
        let Self { wrong, statements, first } = self;
        let (wrong, statements) = (lang.whole(*wrong), lang.counted(*statements, STATEMENT));
        let first = listing(*first, lang);
        say!(
            lang,
            "had a wrong list: {wrong} of {statements}; the first: {first}",
            "vieram com uma lista errada: {wrong} de {statements}; a primeira: {first}"
        )
    }
}

/// What is wrong with a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Listing {
    /// More than there may be.
    TooMany,
    /// Fewer than there must be.
    TooFew,
    /// One that no move of this account is, or that was refused.
    Unknown,
    /// In another order than that in which they changed the balance.
    Order,
    /// The same, but by their own times, newest first; which is a matter of how times are taken.
    OrderByTimes,
}

fn listing(what: Listing, lang: Lang) -> &'static str {
    match what {
        Listing::TooMany => lang.pick("more moves than it may have", "mais movimentações do que pode ter"),
        Listing::TooFew => {
            lang.pick("fewer moves than it must have", "menos movimentações do que tem de ter")
        }
        Listing::Unknown => lang.pick(
            "a move that nothing asked of this account, or that was refused",
            "uma movimentação que não foi pedida desta conta, ou que foi recusada",
        ),
        Listing::Order => lang.pick("another order, or a gap", "outra ordem, ou uma lacuna"),
        Listing::OrderByTimes => lang.pick("the order of their times", "a ordem dos horários"),
    }
}
