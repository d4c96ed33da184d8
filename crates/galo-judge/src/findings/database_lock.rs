//! `database-lock`: sessions of the database waited for a lock.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::caused::{BUSY_TIME, Explained, covered};
use super::{About, Cause};

/// Sessions of the database waited for a lock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseLock {
    /// In how much of the time in which sessions were busy.
    pub seen: Explained,
    /// How many did at once.
    pub most: u32,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "sessions of the database waited for a lock",
        "sessões do banco esperaram por um lock",
    ),
    means: "Uma transação segurava um lock (de uma tabela, ou de uma linha que todos atualizam), e \
        outras sessões do banco esperavam por ele.",
    remedy: Some(Both::word(
        "hold locks for less long (shorter transactions, no `LOCK TABLE`, no rows that everybody \
            updates), or take the work that holds them out of the load",
        "Segure locks por menos tempo (transações mais curtas, nada de `LOCK TABLE`, nenhuma linha \
            que todo mundo atualiza), ou tire da carga o trabalho que os segura.",
    )),
};

impl Cause for DatabaseLock {
    fn seen(&self, lang: Lang) -> String {
        let Self { seen, most } = self;
        let seen = covered(*seen, BUSY_TIME, lang);
        say!(
            lang,
            "sessions of the database waited for a lock in {seen}, up to {most} at once",
            "sessões do banco esperaram por um lock em {seen}, até {most} de uma vez"
        )
    }
}
