//! `balance-not-conserved` (must): at rest a balance is the sum of all acknowledged moves, and of some of what was left open.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::ACCOUNT;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Balances at rest that are another sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BalanceNotConserved {
    /// Accounts.
    pub accounts: u64,
    /// The most that one is off by.
    pub off_by: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word(
        "a balance at rest was not the sum of its moves",
        "um saldo em repouso não era a soma das movimentações",
    ),
    means: "Quando tudo terminou, o saldo não era o inicial mais tudo o que foi confirmado.",
    remedy: Some(Both::word(
        "make each move once, and answer 200 only once it is stored",
        "Faça cada movimentação uma só vez, e responda 200 só depois de gravada.",
    )),
};

impl Tell for BalanceNotConserved {
    fn sentence(&self, lang: Lang) -> String {
        let Self { accounts, off_by } = self;
        let (accounts, off_by) = (lang.counted(*accounts, ACCOUNT), lang.whole(*off_by));
        say!(
            lang,
            "at rest the balance of {accounts} was not the sum of all moves, by up to {off_by}",
            "em repouso o saldo de {accounts} não era a soma das movimentações, por até {off_by}"
        )
    }
}
