//! `stressed`: it was near a limit.

use galo_plan::JsonSchema;
use galo_plan::units::in_binary_unit;
use galo_record::finding::Weight;
use galo_words::nouns::OPERATION;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::operations_failed::without_answer;
use super::{About, Tell};

/// What a round was near to: never empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stressed {
    /// Each limit.
    pub by: Vec<Stress>,
}

/// One way in which a round was near a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Stress {
    /// A service was near limits of its own.
    Service {
        /// Which.
        service: String,
        /// All that it was near; never empty.
        near: Vec<Near>,
    },
    /// Operations had no complete answer.
    Failed {
        /// All operations.
        operations: u64,
        /// No complete answer, or a 5xx.
        failed: u64,
        /// No complete answer in time.
        timed_out: u64,
        /// Under way at the end.
        unfinished: u64,
    },
    /// p99 was over the service level.
    Slow {
        /// p99.
        latency_us_p99: f64,
        /// The service level.
        service_level_ns: u64,
    },
}

/// A limit of a service, and how much of it was used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "limit")]
pub enum Near {
    /// CPU over a second.
    Cpu {
        /// Used, in cores.
        cpus: f64,
        /// The limit, in thousandths of a core.
        limit_milli: u32,
    },
    /// Quota periods that were throttled.
    Throttled {
        /// Share of all.
        share: f64,
    },
    /// Anonymous memory.
    Memory {
        /// Most of it.
        bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("it was near a limit", "chegou perto de um limite"),
    means: "A rodada exigiu o competidor: CPU ou memória perto do limite, operações que falharam, ou \
        p99 acima do nível de serviço.",
    remedy: None,
};

impl Tell for Stressed {
    fn sentence(&self, lang: Lang) -> String {
        let each: Vec<String> = self.by.iter().map(|stress| stress.clause(lang)).collect();
        let each = each.join("; ");
        say!(lang, "it was near a limit: {each}", "ele esteve perto de um limite: {each}")
    }
}

impl Stress {
    /// What it was near, in a clause.
    pub(crate) fn clause(&self, lang: Lang) -> String {
        match self {
            Self::Service { service, near } => {
                let near: Vec<String> = near.iter().map(|near| near_to(*near, lang)).collect();
                format!("`{service}` {}", near.join(", "))
            }
            Self::Failed { operations, failed, timed_out, unfinished } => {
                let operations = lang.counted(*operations, OPERATION);
                let without = without_answer([*failed, *timed_out, *unfinished], lang);
                say!(lang, "of {operations}, {without}", "de {operations}, {without}")
            }
            Self::Slow { latency_us_p99, service_level_ns } => {
                let p99 = lang.decimals(latency_us_p99 / 1e3, 0);
                let level = lang.decimals(*service_level_ns as f64 / 1e6, 0);
                say!(
                    lang,
                    "p99 is {p99} ms, over the service level of {level} ms",
                    "o p99 é de {p99} ms, acima do nível de serviço de {level} ms"
                )
            }
        }
    }
}

fn near_to(near: Near, lang: Lang) -> String {
    match near {
        Near::Cpu { cpus, limit_milli } => {
            let (cpus, limit) =
                (lang.decimals(cpus, 2), lang.figure(Figure::Plain(f64::from(limit_milli) / 1e3)));
            say!(lang, "CPU {cpus} of {limit}", "CPU {cpus} de {limit}")
        }
        Near::Throttled { share } => {
            let share = lang.decimals(share * 100.0, 0);
            say!(lang, "throttled {share} %", "com a CPU cortada em {share} %")
        }
        Near::Memory { bytes, limit_bytes } => {
            let [bytes, limit] = [bytes, limit_bytes].map(|bytes| lang.figure(in_binary_unit(bytes)));
            say!(lang, "anonymous memory {bytes} of {limit}", "memória anônima {bytes} de {limit}")
        }
    }
}
