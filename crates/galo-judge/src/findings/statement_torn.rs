//! `statement-torn` (must): total and list of a statement are of one moment.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::STATEMENT;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Statements whose total is not the one after the newest move that they list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatementTorn {
    /// Statements that do.
    pub torn: u64,
    /// All that could be read.
    pub statements: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "a statement's total and list did not fit together",
        "o total e a lista de um extrato não combinavam",
    ),
    means: "O total não é o saldo depois da movimentação mais nova da lista: foram lidos em momentos diferentes, ou o total foi inventado.",
    remedy: Some(Both::word(
        "read total and list in one statement of SQL, or in one snapshot",
        "Leia total e lista em um só comando SQL, ou em um só instantâneo.",
    )),
};

impl Tell for StatementTorn {
    fn sentence(&self, lang: Lang) -> String {
        let Self { torn, statements } = self;
        let (torn, statements) = (lang.whole(*torn), lang.counted(*statements, STATEMENT));
        say!(
            lang,
            "had a total that their list does not lead to: {torn} of {statements}",
            "vieram com um total a que a lista não leva: {torn} de {statements}"
        )
    }
}
