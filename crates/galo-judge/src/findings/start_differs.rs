//! `start-differs` (must): an account begins with the balance that the challenge gives it.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::ACCOUNT;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Accounts that began with another balance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StartDiffers {
    /// Accounts.
    pub accounts: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("an account began with another balance", "uma conta começou com outro saldo"),
    means: "Antes de qualquer movimentação, o extrato já trazia outro saldo que não o inicial do desafio.",
    remedy: Some(Both::word(
        "seed the accounts at each start of an empty database, and nothing else",
        "Crie as contas a cada início de um banco vazio, e nada mais.",
    )),
};

impl Tell for StartDiffers {
    fn sentence(&self, lang: Lang) -> String {
        let Self { accounts } = self;
        let accounts = lang.counted(*accounts, ACCOUNT);
        say!(
            lang,
            "before any move a statement told another balance than the one to begin with: {accounts}",
            "antes de qualquer movimentação um extrato trazia outro saldo que não o inicial: {accounts}"
        )
    }
}
