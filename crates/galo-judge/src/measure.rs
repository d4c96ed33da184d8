//! The figures that are compared between contenders and between sides of a duel: one table.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_plan::Plan;
use galo_record::{Ledger, RoundData, StepLatencies, Window};
use serde::{Deserialize, Serialize};

/// What was not answered rightly counts as an answer that took so long, in microseconds: nobody gains by failing fast.
pub const FAILED_US: f64 = 60e6;

/// What a figure is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// Latency in microseconds.
    Us,
    /// Answers.
    Answers,
    /// Answers per second.
    PerSecond,
    /// Milliseconds of CPU for 1,000 answers: microseconds for each.
    CpuMs,
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
}

/// Makes the table: name, id in JSON, which way is better, what it counts, and how it is taken from a round. The primary one is first.
macro_rules! measures {
    ($($(#[doc = $doc:literal])+ $name:ident: $id:literal, $better:ident, $quantity:ident, $take:expr;)+) => {
        /// One kind of figure.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        pub enum Measure {
            $($(#[doc = $doc])+ #[serde(rename = $id)] $name,)+
        }

        impl Measure {
            const ALL: &[Self] = &[$(Self::$name),+];

            const fn row(self) -> Row {
                match self {
                    $(Self::$name => Row { id: $id, better: Better::$better, quantity: Quantity::$quantity, take: $take },)+
                }
            }
        }
    };
}

measures! {
    /// 99 % of the latency from the intended start, of everything that fell due; what was not answered rightly
    /// counts as [`FAILED_US`]. Of a duel's turn: of everything that ended.
    LatencyUsP99: "latency_us_p99", Lower, Us, of_rounds(|round| round.quantile_us(0.99));
    /// Correct answers within the service level.
    CorrectWithinServiceLevel: "correct_within_service_level", Higher, Answers, of_rounds(correct_in_time);
    /// Same as p99, the median.
    LatencyUsP50: "latency_us_p50", Lower, Us, of_rounds(|round| round.quantile_us(0.5));
    /// Same, 99.9 %.
    LatencyUsP999: "latency_us_p99_9", Lower, Us, of_rounds(|round| round.quantile_us(0.999));
    /// CPU of all services per 1,000 correct answers, in milliseconds.
    CpuMsPer1000: "cpu_ms_per_1000", Lower, CpuMs, of_rounds(cpu_ms_per_1000);
    /// Most memory of all services at one moment, page cache included: the largest sum that a sample saw, but never
    /// less than one service had alone by the kernel's own count.
    MemoryPeakBytes: "memory_peak_bytes", Lower, Bytes, of_rounds(|round| {
        round.window?.memory_peak_bytes().map(|bytes| bytes as f64)
    });
    /// Most anonymous memory of all services at one moment that a sample saw.
    AnonymousPeakBytes: "anonymous_peak_bytes", Lower, Bytes, of_rounds(|round| {
        round.window?.anonymous_peak_bytes().map(|bytes| bytes as f64)
    });
    /// From the start of the load to the end of its last compared operation, in seconds; to the end of the load where no
    /// history was kept.
    ElapsedS: "elapsed_s", Lower, Seconds, of_rounds(|round| round.elapsed_ns().map(|ns| ns as f64 / 1e9));
    /// From the start of a service until it was ready, in seconds, of the slowest service; in containers from the start of all.
    /// Not seen where contenders are started in two ways.
    StartS: "start_s", Lower, Seconds, of_rounds(start_s);
    /// Right answers per second, of a side of a duel.
    AnswersPerS: "answers_per_s", Higher, PerSecond, None;
}

/// One row of the table.
struct Row {
    id: &'static str,
    better: Better,
    quantity: Quantity,
    take: Option<Take>,
}

enum Better {
    Lower,
    Higher,
}

/// How a measure is taken from a round; `None` where it was not seen.
type Take = fn(&SeenRound<'_>) -> Option<f64>;

const fn of_rounds(take: Take) -> Option<Take> {
    Some(take)
}

impl Measure {
    /// The measure that decides.
    pub const PRIMARY: Self = Self::LatencyUsP99;

    /// All that a round has, the primary one first.
    pub fn of_rounds() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|measure| measure.row().take.is_some())
    }

    /// As it is called in JSON.
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// What it is counted in.
    pub const fn quantity(self) -> Quantity {
        self.row().quantity
    }

    /// Whether a lower figure is the better one.
    pub const fn lower_is_better(self) -> bool {
        matches!(self.row().better, Better::Lower)
    }
}

/// The figures of one round; null where something was not seen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Measures(BTreeMap<Measure, Option<f64>>);

impl Measures {
    /// The figures of one round. `ledger` is that of its compared scenarios.
    pub(crate) fn of(plan: &Plan, round: &RoundData, ledger: &Ledger) -> Self {
        let seen = SeenRound::of(plan, round, ledger);
        Self::of_each(|measure| measure.row().take.and_then(|take| take(&seen)))
    }

    /// Each measure that rounds have.
    pub(crate) fn of_each(figure: impl Fn(Measure) -> Option<f64>) -> Self {
        Self(Measure::of_rounds().map(|measure| (measure, figure(measure))).collect())
    }

    /// One of them.
    pub fn get(&self, measure: Measure) -> Option<f64> {
        self.0.get(&measure).copied().flatten()
    }

    /// Changes one of them.
    #[cfg(test)]
    pub(crate) fn set(&mut self, measure: Measure, figure: Option<f64>) {
        self.0.insert(measure, figure);
    }
}

/// What measures are taken from.
struct SeenRound<'a> {
    plan: &'a Plan,
    round: &'a RoundData,
    ledger: &'a Ledger,
    latencies: StepLatencies,
    window: Option<Window<'a>>,
}

impl<'a> SeenRound<'a> {
    fn of(plan: &'a Plan, round: &'a RoundData, ledger: &'a Ledger) -> Self {
        Self { plan, round, ledger, latencies: round.compared_latencies(plan), window: round.window() }
    }

    fn due(&self) -> u64 {
        self.ledger.intended.max(self.latencies.ok.count() + self.latencies.not_ok.count())
    }

    fn quantile_us(&self, q: f64) -> Option<f64> {
        let (ok, due) = (&self.latencies.ok, self.due());
        // A right answer may have come even later.
        let failed_us = FAILED_US.max(ok.quantile_us(1.0));
        (due > 0).then(|| ok.quantile_us_among(q, due).unwrap_or(failed_us))
    }

    fn elapsed_ns(&self) -> Option<u64> {
        let compared: Vec<bool> =
            self.plan.challenge.steps().map(|(scenario, _)| scenario.compared).collect();
        let is_compared = |step: usize| compared.get(step).copied().unwrap_or(false);
        let operations = self.round.history.iter().filter(|o| is_compared(usize::from(o.step)));
        let load = &self.round.record.load;
        let all_ns = load.ended_ns.checked_sub(load.started_ns).filter(|&ns| ns > 0);
        operations.map(|o| o.done_ns).max().or(all_ns)
    }
}

fn correct_in_time(round: &SeenRound<'_>) -> Option<f64> {
    let within = round.latencies.ok.count_up_to_ns(round.plan.challenge.service_level.latency_ns);
    (round.due() > 0).then_some(within as f64)
}

fn start_s(round: &SeenRound<'_>) -> Option<f64> {
    let mut runners = round.plan.contenders.iter().map(|contender| contender.runner);
    let first = runners.next()?;
    if runners.any(|runner| runner != first) {
        return None;
    }
    let services = &round.round.record.placement.as_ref()?.services;
    services.iter().map(|service| service.ready_after_ns as f64 / 1e9).reduce(f64::max)
}

fn cpu_ms_per_1000(round: &SeenRound<'_>) -> Option<f64> {
    let cpu_ms = round.window?.cpu_ns()? as f64 / 1e6;
    (round.ledger.ok > 0).then(|| cpu_ms * 1000.0 / round.ledger.ok as f64)
}

/// The p99 in microseconds of everything that ended, rightly or not, where it is beyond the plan's service level.
pub(crate) fn slow_us(plan: &Plan, round: &RoundData) -> Option<f64> {
    let p99_us = round.compared_latencies(plan).all().quantile_us(0.99);
    (p99_us > plan.challenge.service_level.latency_ns as f64 / 1e3).then_some(p99_us)
}
