//! `operations-failed`: operations failed.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::OPERATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::failures::{Number, numbers};
use super::{About, Tell};

/// Operations had no complete answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OperationsFailed {
    /// All operations.
    pub operations: u64,
    /// No complete answer, or a 5xx.
    pub failed: u64,
    /// No complete answer in time.
    pub timed_out: u64,
    /// Under way at the end.
    pub unfinished: u64,
    /// The kinds of failure, most frequent first; at most three.
    pub kinds: Vec<Number>,
    /// When answers of 5xx began.
    pub first: Option<FirstErrors>,
}

/// The first answers of 5xx.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstErrors {
    /// From the start of the load.
    pub at_ns: u64,
    /// The most frequent status of the first of them.
    pub status: u16,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("operations failed", "operações falharam"),
    means: "Algumas operações falharam, expiraram ou não terminaram.",
    remedy: None,
};

impl Tell for OperationsFailed {
    fn sentence(&self, lang: Lang) -> String {
        let Self { operations, failed, timed_out, unfinished, kinds, first } = self;
        let operations = lang.counted(*operations, OPERATION);
        let without = without_answer([*failed, *timed_out, *unfinished], lang);
        let kinds = numbers(kinds, lang).join(", ");
        let mostly = if kinds.is_empty() {
            String::new()
        } else {
            say!(lang, "; mostly {kinds}", "; principalmente {kinds}")
        };
        let began = first.map(|first| first_errors(first, lang)).unwrap_or_default();
        say!(lang, "of {operations}, {without}{mostly}{began}", "de {operations}, {without}{mostly}{began}")
    }
}

/// The operations without a complete answer: `300 failed and 12 timed out`; empty where there are none.
pub(super) fn without_answer([failed, timed_out, unfinished]: [u64; 3], lang: Lang) -> String {
    let kinds = [
        (failed, lang.pick("failed", if failed == 1 { "falhou" } else { "falharam" })),
        (timed_out, lang.pick("timed out", if timed_out == 1 { "expirou" } else { "expiraram" })),
        (
            unfinished,
            lang.pick("never ended", if unfinished == 1 { "não terminou" } else { "não terminaram" }),
        ),
    ];
    let kinds = kinds.iter().filter(|(number, _)| *number > 0);
    let kinds: Vec<String> = kinds.map(|(number, what)| format!("{} {what}", lang.whole(*number))).collect();
    lang.listed(&kinds)
}

/// That 502 and 504 are a balancer's words for an instance that is gone or too slow is what RFC 9110 (section 15.6) says of a
/// gateway.
fn first_errors(FirstErrors { at_ns, status }: FirstErrors, lang: Lang) -> String {
    let at = lang.seconds(at_ns);
    let meaning = match status {
        502 => lang.pick(
            "by which a balancer says that an instance was gone or broke off",
            "com que um balanceador diz que uma instância sumiu ou interrompeu",
        ),
        504 => lang.pick(
            "by which a balancer says that an instance was too slow",
            "com que um balanceador diz que uma instância demorou demais",
        ),
        503 => lang.pick(
            "by which a balancer or an instance says that it is full",
            "com que um balanceador ou uma instância diz que está cheio",
        ),
        _ => lang.pick("an instance's own failure", "uma falha da própria instância"),
    };
    say!(
        lang,
        "; errors began at {at} with status {status}, {meaning}",
        "; os erros começaram em {at} com o status {status}, {meaning}"
    )
}
