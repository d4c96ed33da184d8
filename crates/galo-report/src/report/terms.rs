//! On which terms a run was fought: the budget, the noise that is known.

use galo_words::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;

/// The CPU and memory that all services of a contender share.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BudgetReport {
    /// CPUs.
    pub cpus: f64,
    /// Memory.
    pub memory_bytes: u64,
}

/// The noise floor that the run took from an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoiseFloorReport {
    /// Ratios of p99 from `1 / ratio` to `ratio` are noise.
    pub ratio: f64,
    /// The same of the CPU time for each answer.
    pub cpu_ratio: f64,
    /// Who fought itself there; empty where the run does not say.
    pub contender: String,
    /// Folder of that run.
    pub from_run: String,
    /// When it started, UTC, RFC 3339; empty where the run does not say.
    pub measured: String,
}

impl NoiseFloorReport {
    /// The noise floor and where it is from.
    pub(crate) fn told(&self, lang: Lang) -> String {
        let Self { ratio, cpu_ratio, contender, from_run, measured } = self;
        let who = if contender.is_empty() { lang.pick("a contender", "um competidor") } else { contender };
        let when = measured.split('T').next().filter(|day| !day.is_empty());
        let when = when.map_or_else(String::new, |day| say!(lang, " on {day}", " em {day}"));
        let [ratio, cpu] = [ratio, cpu_ratio].map(|ratio| lang.decimals(*ratio, 3));
        say!(
            lang,
            "{ratio} (CPU {cpu}): {who} against itself{when}, in {from_run}",
            "{ratio} (CPU {cpu}): {who} contra si mesmo{when}, em {from_run}"
        )
    }
}
