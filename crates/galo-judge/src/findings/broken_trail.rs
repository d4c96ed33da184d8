//! `broken-trail` (must): the balances that an account's answers told form one trail.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::{ACCOUNT, MOVE};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Balances that cannot follow from one another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BrokenTrail {
    /// Moves from a balance that nothing led to, or that fit no order, in all accounts.
    pub moves: u64,
    /// Accounts.
    pub accounts: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "the balances that were told do not follow from one another",
        "os saldos informados não decorrem uns dos outros",
    ),
    means: "Cada resposta traz o saldo depois da movimentação, e todas têm de formar um só caminho a partir do saldo inicial. Aqui não formam.",
    remedy: Some(Both::word(
        "answer with the balance that the move itself left, and make each move once",
        "Responda com o saldo que a própria movimentação deixou, e faça cada uma só uma vez.",
    )),
};

impl Tell for BrokenTrail {
    fn sentence(&self, lang: Lang) -> String {
        let Self { moves, accounts } = self;
        let (moves, accounts) = (lang.counted(*moves, MOVE), lang.counted(*accounts, ACCOUNT));
        say!(
            lang,
            "began from a balance that nothing led to, or fit no order: {moves}, of {accounts}",
            "partiram de um saldo a que nada levou, ou não cabem em nenhuma ordem: {moves}, de {accounts}"
        )
    }
}
