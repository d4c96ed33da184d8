//! What causes have in common: shares of a round's trouble.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_words::nouns::{FAILED_OPERATION, SLOW_OPERATION};
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{Cause, Tell};
use crate::evidence::in_cpus;

/// What held a round back, and how much of its trouble that covers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Caused{T}")]
pub struct Caused<T> {
    /// What was seen.
    #[serde(flatten)]
    pub cause: T,
    /// Share of the trouble that it covers, 0 to 1.
    pub share: f64,
    /// The trouble.
    pub waiting: Waiting,
}

/// The trouble of a round: the waiting of operations that were slow or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// How many were slow or failed.
    pub operations: u64,
    /// Above this an operation is slow; null: too few were, and only those that failed are counted.
    pub slow_ns: Option<u64>,
}

/// How often a sign was there.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explained {
    /// Share of the trouble.
    pub in_trouble: f64,
    /// Share of the calm moments; null: there were too few.
    pub in_calm: Option<f64>,
}

impl Explained {
    /// What the sign explains.
    pub(crate) fn share(self) -> f64 {
        (self.in_trouble - self.in_calm.unwrap_or(0.0)).max(0.0)
    }
}

impl<T: Cause> Tell for Caused<T> {
    fn sentence(&self, lang: Lang) -> String {
        let (seen, share) = (self.cause.seen(lang), lang.figure(Figure::WholeShare(self.share)));
        let waiting = waiting(self.waiting, lang);
        say!(lang, "{seen}; this covers {share} of {waiting}", "{seen}; isso cobre {share} {waiting}")
    }

    fn blame(&self) -> Blame {
        self.cause.blame()
    }

    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        self.cause.remedy(usual)
    }
}

/// What a sign covers a share of, in both languages.
type Covered = (&'static str, &'static str);
pub(super) const TIME: Covered = ("the time", "do tempo");
pub(super) const BUSY_TIME: Covered = ("the busy time", "do tempo ocupado");

/// `93 % of the time in which users waited (4 % while all was well)`.
pub(super) fn covered(seen: Explained, (en, pt): Covered, lang: Lang) -> String {
    let calm = seen.in_calm.map_or_else(String::new, |share| {
        let share = lang.figure(Figure::WholeShare(share));
        say!(lang, " ({share} while all was well)", " ({share} enquanto tudo ia bem)")
    });
    let share = lang.figure(Figure::WholeShare(seen.in_trouble));
    say!(lang, "{share} of {en} in which users waited{calm}", "{share} {pt} em que usuários esperavam{calm}")
}

/// `the waiting of 4,312 slow or failed operations (over 40 ms)`.
fn waiting(Waiting { operations, slow_ns }: Waiting, lang: Lang) -> String {
    match slow_ns {
        Some(slow_ns) => {
            let ms = lang.decimals(slow_ns as f64 / 1e6, 0);
            let operations = lang.counted(operations, SLOW_OPERATION);
            say!(
                lang,
                "the waiting of {operations} (over {ms} ms)",
                "da espera de {operations} (acima de {ms} ms)"
            )
        }
        None => {
            let operations = lang.counted(operations, FAILED_OPERATION);
            say!(lang, "the waiting of {operations}", "da espera de {operations}")
        }
    }
}

pub(super) fn used_up(service: &str, limit_cpus: f64, seen: Explained, lang: Lang) -> String {
    let (limit, seen) =
        (in_cpus(limit_cpus, lang), covered(seen, ("the quota periods", "dos períodos da cota"), lang));
    say!(
        lang,
        "`{service}` had used up its CPU limit of {limit} in {seen}",
        "`{service}` tinha esgotado o seu limite de CPU de {limit} em {seen}"
    )
}
