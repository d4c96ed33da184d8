//! `lost-update` (must): two moves of an account never left one balance that was entered once.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::{ACCOUNT, BALANCE};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// Moves that did not see one another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LostUpdate {
    /// Balances that were left so, in all accounts.
    pub moves: u64,
    /// Accounts.
    pub accounts: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("updates of a balance were lost", "atualizações de um saldo se perderam"),
    means: "Duas transações partiram do mesmo saldo: uma não viu a outra, e o dinheiro de uma delas sumiu.",
    remedy: Some(Both::word(
        "read, check and write the balance in one statement, or under a lock that both instances share",
        "Leia, confira e grave o saldo em um só comando, ou sob uma trava que as duas instâncias dividam.",
    )),
};

impl Tell for LostUpdate {
    fn sentence(&self, lang: Lang) -> String {
        let Self { moves, accounts } = self;
        let (moves, accounts) = (lang.counted(*moves, BALANCE), lang.counted(*accounts, ACCOUNT));
        say!(
            lang,
            "two moves at once left the same balance, so an update was lost: {moves}, in {accounts}",
            "duas movimentações partiram do mesmo saldo, e uma atualização se perdeu: {moves}, em {accounts}"
        )
    }
}
