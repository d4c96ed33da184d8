//! `statement-stale` (must): a statement shows every move that was over before it was asked for.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::STATEMENT;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Statements that lack what was over before them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatementStale {
    /// Statements that do.
    pub stale: u64,
    /// All that could be read.
    pub statements: u64,
    /// The longest from the end of a missed move to such a statement.
    pub longest_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "a statement lacked a move that was over before it",
        "um extrato não trazia uma movimentação já terminada",
    ),
    means: "O extrato mostrou um momento passado: faltava uma movimentação confirmada antes do pedido.",
    remedy: Some(Both::word(
        "read statements where moves are written, or wait until they have got there",
        "Leia o extrato onde as movimentações são gravadas, ou espere que cheguem lá.",
    )),
};

impl Tell for StatementStale {
    fn sentence(&self, lang: Lang) -> String {
        let Self { stale, statements, longest_ns } = self;
        let (stale, statements) = (lang.whole(*stale), lang.counted(*statements, STATEMENT));
        let longest = lang.moment(*longest_ns);
        say!(
            lang,
            "{stale} of {statements} lacked a move that was over before, up to {longest} after it",
            "a {stale} de {statements} faltava uma movimentação já terminada, até {longest} depois"
        )
    }
}
