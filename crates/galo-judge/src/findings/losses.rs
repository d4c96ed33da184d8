//! What crashes, outages and restarts have in common: what was lost, and whether services came up again.

use galo_plan::JsonSchema;
use galo_record::Halt;
use galo_words::nouns::{ACCOUNT, ACKNOWLEDGED};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::count_differs::{CountDifference, count_difference};

/// Acknowledged creations that were lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum Loss {
    /// As lookups say.
    Lookups {
        /// Acknowledged creations that were looked up.
        sought: u64,
        /// Not there, or changed.
        lost: u64,
        /// Could not be read any more.
        unreadable: u64,
    },
    /// As the balances of accounts say.
    Balances {
        /// Accounts whose statements were asked for.
        accounts: u64,
        /// Not the sum of what was acknowledged.
        wrong: u64,
    },
    /// As the count says.
    Count(CountDifference),
}

/// What lookups say where nothing is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AllThere {
    /// Acknowledged creations that were looked up.
    pub sought: u64,
    /// ... of these no answer told.
    pub untold: u64,
    /// Accounts whose balances were asked for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub accounts: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks for it")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How it was seen that services did not come up again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "seen")]
pub enum NotUp {
    /// They could not be started.
    NotStarted {
        /// What the host said.
        error: String,
        /// What it said to do about it.
        hint: Option<String>,
    },
    /// They said that they were ready, but most lookups had no answer.
    Silent(AllThere),
}

impl NotUp {
    /// By what the host said: an error, with a hint or without.
    pub(crate) fn not_started(reason: &str) -> Self {
        let (error, hint) = match reason.split_once("\nhint: ") {
            Some((error, hint)) => (error.to_owned(), Some(hint.to_owned())),
            None => (reason.to_owned(), None),
        };
        Self::NotStarted { error, hint }
    }

    /// What to do where the host said it.
    pub(super) fn remedy(&self) -> Option<Both> {
        let Self::NotStarted { hint, .. } = self else { return None };
        Some(match hint {
            Some(hint) => Both::same(hint.clone()),
            None => Both::word("look at the services' logs", "Veja os logs dos serviços."),
        })
    }
}

pub(super) fn crash_at(at_ns: u64, lang: Lang) -> String {
    let at = lang.seconds(at_ns);
    say!(lang, "crash at {at}", "queda em {at}")
}

pub(super) fn restart_of(halt: Halt, lang: Lang) -> String {
    match halt {
        Halt::Asked => {
            lang.pick("ended at rest and started again", "encerrado em repouso e iniciado de novo")
        }
        Halt::Killed => lang.pick("killed at rest and started again", "morto em repouso e iniciado de novo"),
    }
    .to_owned()
}

pub(super) fn not_up(head: &str, why: &NotUp, lang: Lang) -> String {
    match why {
        NotUp::NotStarted { error, .. } => {
            say!(lang, "{head}: it did not come up again: {error}", "{head}: ele não voltou: {error}")
        }
        NotUp::Silent(untold) => {
            let untold = untold_of(*untold, lang);
            say!(
                lang,
                "{head}: it said that it was ready again, but {untold}",
                "{head}: ele disse que estava pronto de novo, mas {untold}"
            )
        }
    }
}

pub(super) fn outage_of(services: &[String], lang: Lang) -> String {
    let names: Vec<String> = services.iter().map(|name| format!("`{name}`")).collect();
    let names = lang.listed(&names);
    say!(lang, "outage of {names}", "falta de {names}")
}

pub(super) fn lost(loss: Loss, lang: Lang) -> String {
    let (sought, lost, unreadable) = match loss {
        Loss::Lookups { sought, lost, unreadable } => (sought, lost, unreadable),
        Loss::Balances { accounts, wrong } => {
            let (accounts, wrong) = (lang.counted(accounts, ACCOUNT), lang.whole(wrong));
            return say!(
                lang,
                "of {accounts}, {wrong} did not have the balance that was acknowledged",
                "de {accounts}, {wrong} não tinham o saldo que foi confirmado"
            );
        }
        Loss::Count(difference) => return count_difference(difference, lang),
    };
    let facts = [
        (
            lost,
            lang.pick(
                "not there, or changed",
                if lost == 1 { "sumiu ou mudou" } else { "sumiram ou mudaram" },
            ),
        ),
        (
            unreadable,
            lang.pick(
                "could not be read any more",
                if unreadable == 1 { "não pôde mais ser lida" } else { "não puderam mais ser lidas" },
            ),
        ),
    ];
    let facts = facts.iter().filter(|(number, _)| *number > 0);
    let facts: Vec<String> = facts.map(|(number, what)| format!("{} {what}", lang.whole(*number))).collect();
    let (sought, facts) = (lang.counted(sought, ACKNOWLEDGED), facts.join(lang.pick(", and ", ", e ")));
    say!(lang, "of {sought}, {facts}", "de {sought}, {facts}")
}

pub(super) fn untold_of(AllThere { sought, untold, accounts }: AllThere, lang: Lang) -> String {
    let could = if untold == 1 { "não pôde ser consultada" } else { "não puderam ser consultadas" };
    let noun = if accounts > 0 { ACCOUNT } else { ACKNOWLEDGED };
    let (sought, untold) = (lang.counted(sought, noun), lang.whole(untold));
    say!(lang, "of {sought}, {untold} could not be looked up", "de {sought}, {untold} {could}")
}

pub(super) fn all_there(there: AllThere, lang: Lang) -> String {
    if there.untold > 0 {
        let untold = untold_of(there, lang);
        return say!(lang, "{untold}, all others there", "{untold}, todas as outras lá");
    }
    if there.accounts > 0 {
        let accounts = lang.counted(there.accounts, ACCOUNT);
        return say!(
            lang,
            "{accounts}, all with the balance that was acknowledged",
            "{accounts}, todas com o saldo confirmado"
        );
    }
    let sought = lang.counted(there.sought, ACKNOWLEDGED);
    say!(lang, "{sought}, all there", "{sought}, tudo lá")
}
