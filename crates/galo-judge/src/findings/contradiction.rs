//! How the records of a round contradict one another.

use galo_plan::JsonSchema;
use galo_record::Ledger;
use galo_words::nouns::{ACKNOWLEDGED, OPERATION, STEP};
use galo_words::{Lang, say};
use serde::{Deserialize, Serialize};

use crate::step::StepName;

/// How the records of a round contradict one another: a bug in galo, or a damaged run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "what")]
pub enum Contradiction {
    /// The ledger of a step does not add up.
    LedgerDoesNotAddUp {
        /// The step.
        step: StepName,
        /// As recorded.
        ledger: Ledger,
    },
    /// The round recorded another number of steps than the challenge has.
    OtherSteps {
        /// Steps of the challenge.
        planned: u64,
        /// Steps of the round.
        recorded: u64,
    },
    /// The history has operations that cannot be.
    History {
        /// How they are strange.
        fault: HistoryFault,
        /// How many.
        operations: u64,
    },
    /// The ledger has operations, but the history is empty.
    EmptyHistory {
        /// Operations of the ledger.
        operations: u64,
    },
    /// Ledger and history of a step differ.
    HistoryDiffers {
        /// The step.
        step: StepName,
        /// As recorded.
        ledger: Ledger,
        /// As the history adds up.
        history: Ledger,
    },
    /// The ledger and the latencies of a step differ.
    LatenciesDiffer {
        /// The step.
        step: StepName,
        /// Right operations of the ledger.
        right: u64,
        /// All others.
        other: u64,
        /// Latencies of right operations.
        right_latencies: u64,
        /// Latencies of the others.
        other_latencies: u64,
    },
    /// The count was not read before and after the load.
    CountNotRead,
    /// A round made for a kill had none.
    NobodyKilled,
    /// It looked up creations that its history does not have.
    StrangeLookups,
    /// It did not look up what was acknowledged.
    NotLookedUp {
        /// Acknowledged creations.
        creations: u64,
    },
}

/// How operations of a history are strange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryFault {
    /// Its step is not in the challenge.
    NoSuchStep,
    /// With a broken rule that the plan does not have.
    NoSuchRule,
    /// With a wrong answer but no rule that it breaks.
    NoRule,
    /// Out of the order of time.
    OutOfOrder,
    /// There already: one user did one step twice.
    Twice,
    /// Ended before it was sent, or sent before it was due.
    EndedBeforeSent,
    /// Ended after the load.
    EndedAfterTheLoad,
    /// Its answer began before it was due, or after its end.
    AnsweredOutside,
    /// Its user is not in the plan.
    NoSuchUser,
    /// Showed more than the history has.
    ShowedMore,
}

/// How records contradict one another.
pub(super) fn contradicting(what: &Contradiction, lang: Lang) -> String {
    match what {
        Contradiction::LedgerDoesNotAddUp { step: of, ledger } => {
            let (step, ledger) = (of.sentence(lang), sums(ledger, lang));
            say!(
                lang,
                "the ledger of {step} does not add up: {ledger}",
                "a conta de {step} não fecha: {ledger}"
            )
        }
        Contradiction::OtherSteps { planned, recorded } => {
            let planned = lang.counted(*planned, STEP);
            say!(
                lang,
                "the challenge has {planned}, but the round recorded {recorded}",
                "o desafio tem {planned}, mas a rodada registrou {recorded}"
            )
        }
        Contradiction::History { fault, operations } => {
            let (operations, fault) = (lang.counted(*operations, OPERATION), strange(*fault, lang));
            say!(lang, "the history has {operations} {fault}", "o histórico tem {operations} {fault}")
        }
        Contradiction::EmptyHistory { operations } => {
            let operations = lang.counted(*operations, OPERATION);
            say!(
                lang,
                "the ledger has {operations}, but the history is empty",
                "a conta tem {operations}, mas o histórico está vazio"
            )
        }
        Contradiction::HistoryDiffers { step: of, ledger, history } => {
            let (step, [ledger, history]) = (of.sentence(lang), [ledger, history].map(|sum| sums(sum, lang)));
            say!(
                lang,
                "ledger and history of {step} differ: {ledger}, and {history}",
                "a conta e o histórico de {step} diferem: {ledger}, e {history}"
            )
        }
        Contradiction::LatenciesDiffer { step: of, right, other, right_latencies, other_latencies } => {
            let step = of.sentence(lang);
            say!(
                lang,
                "{step}: the ledger has {right} right and {other} other operations, but latencies of {right_latencies} and \
                 {other_latencies}",
                "{step}: a conta tem {right} operações certas e {other} outras, mas latências de {right_latencies} e \
                 {other_latencies}"
            )
        }
        Contradiction::CountNotRead => lang
            .pick(
                "the count was not read before and after the load",
                "a contagem não foi lida antes e depois da carga",
            )
            .to_owned(),
        Contradiction::NobodyKilled => lang
            .pick(
                "nobody was killed in a round that was made for it",
                "ninguém foi morto numa rodada feita para isso",
            )
            .to_owned(),
        Contradiction::StrangeLookups => lang
            .pick(
                "it looked up creations that its history does not have",
                "consultou criações que o seu histórico não tem",
            )
            .to_owned(),
        Contradiction::NotLookedUp { creations } => {
            let creations = lang.counted(*creations, ACKNOWLEDGED);
            say!(lang, "it did not look up {creations}", "não consultou {creations}")
        }
    }
}

const fn strange(fault: HistoryFault, lang: Lang) -> &'static str {
    match fault {
        HistoryFault::NoSuchStep => {
            lang.pick("of a step that the challenge does not have", "de um passo que o desafio não tem")
        }
        HistoryFault::NoSuchRule => lang.pick(
            "with a broken rule that the plan does not have",
            "com uma regra quebrada que o plano não tem",
        ),
        HistoryFault::NoRule => lang.pick(
            "with a wrong answer but no rule that it breaks",
            "com uma resposta errada mas nenhuma regra que ela quebre",
        ),
        HistoryFault::OutOfOrder => lang.pick("out of the order of time", "fora da ordem do tempo"),
        HistoryFault::Twice => lang.pick(
            "that is there already: one user did one step twice",
            "a mais: um usuário fez um passo duas vezes",
        ),
        HistoryFault::EndedBeforeSent => lang.pick(
            "that ended before it was sent, or was sent before it was due",
            "com o fim antes do envio, ou o envio antes da hora",
        ),
        HistoryFault::EndedAfterTheLoad => {
            lang.pick("that ended after the load", "com o fim depois da carga")
        }
        HistoryFault::AnsweredOutside => lang.pick(
            "whose answer began before it was due, or after its end",
            "cuja resposta começou antes da hora, ou depois do fim",
        ),
        HistoryFault::NoSuchUser => {
            lang.pick("of a user that the plan does not have", "de um usuário que o plano não tem")
        }
        HistoryFault::ShowedMore => {
            lang.pick("that showed more than the history has", "com mais à mostra do que o histórico tem")
        }
    }
}

fn sums(sum: &Ledger, lang: Lang) -> String {
    let Ledger { intended, ok, wrong, failed, timed_out, unfinished, .. } = sum;
    say!(
        lang,
        "{intended} intended, {ok} ok + {wrong} wrong + {failed} failed + {timed_out} timed out + {unfinished} unfinished",
        "{intended} previstas, {ok} certas + {wrong} erradas + {failed} falhas + {timed_out} expiradas + {unfinished} \
         inacabadas"
    )
}
