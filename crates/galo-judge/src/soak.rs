//! What a soak showed: how latency and memory drift over hours.
//!
//! Drift is told as what was at the beginning, what was at the end, and how steep the line is that lies closest to all parts
//! (least squares). What it is to mean is the reader's to say: a cache may fill, and a table grow.

use galo_plan::JsonSchema;
use galo_record::act::{Outcome, SoakPart, Unit};
use galo_record::round::RoundEnd;
use galo_record::{HostFact, Latencies, Ledger, RoundData, Run, RunEnd, RunHeader};
use serde::{Deserialize, Serialize};

use crate::terms::Demand;
use crate::void::{self, VoidReason};

/// First and last are of so many parts of all.
const TENTH: usize = 10;

/// What one soak showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "soak")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedSoak {
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
    /// Contender's name.
    pub contender: String,
    /// The factor on the rates with which the profile ends, in thousandths.
    pub scale_milli: u64,
    /// What the contender takes.
    pub takes: Demand,
    /// What it may take.
    pub budget: Demand,
    /// What its load showed.
    #[serde(flatten)]
    pub soaked: Soaked,
}

/// What the load of a soak showed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Soaked {
    /// How it ended: by an error where the contender did not come up.
    pub end: RunEnd,
    /// From the first arrival to the end of the last operation.
    pub elapsed_ns: u64,
    /// All scenarios.
    pub ledger: Ledger,
    /// p50 in microseconds; null: too little ended.
    pub latency_us_p50: Option<Drift>,
    /// p99 in microseconds.
    pub latency_us_p99: Option<Drift>,
    /// Anonymous memory of each service.
    pub memory: Vec<MemoryDrift>,
    /// By part in which something ended.
    pub points: Vec<LatencyAt>,
    /// What the host saw meanwhile.
    pub findings: Vec<HostFact>,
    /// Why it says nothing: galo or its machine did not keep up.
    pub void: Vec<VoidReason>,
}

/// How a figure moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// Over the first tenth.
    pub first: f64,
    /// Over the last tenth.
    pub last: f64,
    /// By so much an hour, by the line closest to all parts.
    pub per_hour: f64,
}

/// How the memory of a service moved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryDrift {
    /// The service.
    pub service: String,
    /// Its anonymous memory; null: too little was seen of it.
    pub anonymous_bytes: Option<Drift>,
}

/// Latency of one part of a soak.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyAt {
    /// Middle of the part, in hours from the start.
    pub hours: f64,
    /// p99 in microseconds.
    pub us_p99: f64,
}

impl JudgedSoak {
    /// Folds a run and what was judged of its load; `None`: it was broken off.
    ///
    /// # Errors
    /// The run is none of this kind; in words.
    pub fn judge(run: &Run, soaked: Option<Soaked>) -> Result<Self, String> {
        let terms = run.plan.kind.soak().ok_or("the run is no soak")?;
        let contender = run.plan.contenders.first().ok_or("the run has no contender")?;
        Ok(Self {
            header: run.header.clone(),
            contender: contender.name.clone(),
            scale_milli: terms.scale_milli,
            takes: Demand::from_contender(contender),
            budget: Demand::budget(&run.plan.challenge.policy),
            soaked: soaked.unwrap_or_else(|| Soaked { end: RunEnd::Interrupted, ..Soaked::default() }),
        })
    }
}

/// Judges a soak of its unit's acts.
pub fn judge_soak(unit: Unit<'_>, round: &RoundData) -> Soaked {
    let loaded = unit.acts.iter().find_map(|acted| match &acted.outcome {
        Outcome::Loaded(loaded) => Some(loaded),
        _ => None,
    });
    let parts = loaded.map_or(&[][..], |loaded| &loaded.parts);
    let load = &round.record.load;
    let part_hours = load.elapsed_ns() as f64 / 3.6e12 / parts.len().max(1) as f64;
    let all = latencies(parts);
    let percentiles = [all.quantile_us(0.5), all.quantile_us(0.99)];
    let of_quantile = |q: f64| {
        let figure =
            |parts: &[SoakPart]| Some(latencies(parts)).filter(|l| !l.is_empty()).map(|l| l.quantile_us(q));
        drift(parts, part_hours, figure)
    };
    let placement = round.record.placement.as_ref();
    let memory = placement.into_iter().flat_map(|placement| placement.services.iter().enumerate());
    let memory = memory.map(|(index, service)| {
        let figure =
            |parts: &[SoakPart]| mean(parts.iter().filter_map(|part| part.anonymous_bytes.get(index)));
        MemoryDrift { service: service.name.clone(), anonymous_bytes: drift(parts, part_hours, figure) }
    });
    let ended = parts.iter().enumerate().filter(|(_, part)| part.latencies.count() > 0);
    let points = ended.map(|(index, part)| {
        let hours = (index as f64 + 0.5) * part_hours;
        LatencyAt { hours, us_p99: latencies(std::slice::from_ref(part)).quantile_us(0.99) }
    });
    Soaked {
        end: match &round.record.end {
            RoundEnd::NotReady(reason) => RunEnd::Failed(reason.clone()),
            _ if loaded.is_none() => RunEnd::Failed("it never answered the count".to_owned()),
            _ => RunEnd::Done,
        },
        elapsed_ns: load.elapsed_ns(),
        ledger: load.total().ledger,
        latency_us_p50: of_quantile(0.5),
        latency_us_p99: of_quantile(0.99),
        memory: memory.collect(),
        points: points.collect(),
        findings: round.record.findings.clone(),
        void: void::of_engine(
            &load.engine,
            (load.elapsed_ns(), load.total().ledger.intended),
            percentiles,
            true,
        ),
    }
}

fn latencies(parts: &[SoakPart]) -> Latencies {
    let mut sum = Latencies::default();
    parts.iter().for_each(|part| sum.add_sparse(&part.latencies));
    sum
}

fn mean<'a>(values: impl Iterator<Item = &'a u64>) -> Option<f64> {
    let values: Vec<f64> = values.map(|value| *value as f64).collect();
    crate::stats::mean(&values)
}

/// `None`: there are too few parts with a figure.
fn drift(parts: &[SoakPart], part_hours: f64, figure: impl Fn(&[SoakPart]) -> Option<f64>) -> Option<Drift> {
    let tenth = parts.len().div_ceil(TENTH);
    let of_each = parts
        .iter()
        .enumerate()
        .filter_map(|(index, part)| Some([index as f64 * part_hours, figure(std::slice::from_ref(part))?]));
    let of_each: Vec<[f64; 2]> = of_each.collect();
    let count = of_each.len() as f64;
    let middle = [0, 1].map(|axis| of_each.iter().map(|point| point[axis]).sum::<f64>() / count);
    let moment = |axis: usize| -> f64 {
        of_each.iter().map(|point| (point[0] - middle[0]) * (point[axis] - middle[axis])).sum()
    };
    let (first, last) = (figure(parts.get(..tenth)?)?, figure(&parts[parts.len() - tenth..])?);
    (of_each.len() > 2 && moment(0) > 0.0).then(|| Drift { first, last, per_hour: moment(1) / moment(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty parts of an hour each, with one answer that takes `ms(part)` milliseconds and so many bytes.
    fn parts(ms: impl Fn(u64) -> u64, bytes: impl Fn(u64) -> u64) -> Vec<SoakPart> {
        let part = |number: u64| {
            let mut one = Latencies::new();
            one.record_ns(ms(number) * 1_000_000);
            SoakPart { latencies: one.to_sparse(), errors: 0, anonymous_bytes: vec![bytes(number)] }
        };
        (0..20).map(part).collect()
    }

    fn memory(parts: &[SoakPart]) -> Option<Drift> {
        drift(parts, 1.0, |parts| mean(parts.iter().filter_map(|part| part.anonymous_bytes.first())))
    }

    #[test]
    fn memory_that_leaks_is_told_by_its_ends_and_its_slope() {
        let leaks = memory(&parts(|_| 1, |hour| 1_000 + 10 * hour)).unwrap();
        assert_eq!((leaks.first, leaks.last), (1_005.0, 1_185.0));
        assert!((leaks.per_hour - 10.0).abs() < 1e-9, "{leaks:?}");
        assert_eq!(memory(&parts(|_| 1, |_| 7)).unwrap().per_hour, 0.0);
    }

    #[test]
    fn what_a_soak_showed_reads_back_from_its_json() {
        let drift =
            drift(&parts(|hour| 5 + hour, |_| 1), 1.0, |parts| Some(latencies(parts).quantile_us(0.99)));
        let void =
            vec![crate::findings::GaloLate { percentile: 99, lag_us: 50_000.0, bound_us: 5_000.0 }.into()];
        let memory = vec![MemoryDrift { service: "api1".to_owned(), anonymous_bytes: drift }];
        let points = vec![LatencyAt { hours: 0.1 / 3.0, us_p99: 1_234.567_8 }];
        for end in [RunEnd::Done, RunEnd::Failed("exit status 3".to_owned())] {
            let soaked = Soaked {
                end,
                latency_us_p99: drift,
                memory: memory.clone(),
                points: points.clone(),
                void: void.clone(),
                ..Soaked::default()
            };
            let json = crate::json::pretty(&soaked);
            let read: Soaked = serde_json::from_str(&json).unwrap();
            assert_eq!(crate::json::pretty(&read), json);
        }
    }

    #[test]
    fn what_ended_nothing_has_no_drift() {
        assert_eq!(memory(&[]), None);
        assert_eq!(memory(&vec![SoakPart::default(); 20]), None);
    }

    #[test]
    fn one_slow_moment_in_the_middle_is_no_drift_of_first_and_last() {
        let parts = parts(|part| if part == 10 { 900 } else { 5 }, |_| 1);
        let p99 = drift(&parts, 1.0, |parts| Some(latencies(parts).quantile_us(0.99))).unwrap();
        assert_eq!(p99.first, p99.last);
        assert!(p99.per_hour > 0.0);
    }
}
