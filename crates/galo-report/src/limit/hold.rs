//! One hold of a [`LimitReport`](super::LimitReport).

use std::collections::BTreeMap;

use galo_judge::limit::{Hold, HoldService};
use galo_words::{Both, Lang};
use schemars::JsonSchema;
use serde::Serialize;

use super::{in_scale, reason};
use crate::digits::{decimals, seconds};
use galo_judge::Finding;
use galo_record::{Ledger, Percentiles};

/// Constant traffic at one scale.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HoldReport {
    /// The scale.
    pub scale: f64,
    /// Whether it is a long one, that confirms.
    pub confirms: bool,
    /// How long users arrived.
    pub length_s: f64,
    /// At which rate, by scenario.
    pub rates: Vec<ScenarioRateReport>,
    /// What was done before to give the tables their size; null: nothing was needed.
    pub preload: Option<PreloadReport>,
    /// The count before.
    pub people_before: Option<u64>,
    /// The count after.
    pub people_after: Option<u64>,
    /// Creations acknowledged, in all scenarios.
    pub acknowledged: u64,
    /// Creations of unknown effect, in all scenarios.
    pub unknown: u64,
    /// Operations of the compared scenarios.
    pub ledger: Ledger,
    /// Operations of the others.
    pub probe_ledger: Ledger,
    /// Failures by kind, in all scenarios.
    pub errors: BTreeMap<String, u64>,
    /// What was wrong with the first few wrong answers, advice included.
    pub wrong: Vec<String>,
    /// Operations of the compared scenarios that were due, per second.
    pub offered_per_s: f64,
    /// ... that ended while users arrived, per second.
    pub answered_per_s: f64,
    /// Latency from the intended start, of everything that ended in the compared scenarios.
    pub latency_us: Percentiles,
    /// CPU of all services for each operation that ended, probes included; null: not seen.
    pub cpu_us_per_request: Option<f64>,
    /// In the order of the placement.
    pub services: Vec<HoldServiceReport>,
    /// CPU of galo's own process, all threads; null: not seen.
    pub galo_cpu_s: Option<f64>,
    /// CPU of the load engine's threads.
    pub engine_cpu_s: f64,
    /// Lag of the load engine, 99 %.
    pub lag_us_p99: f64,
    /// Whether it was met.
    pub met: bool,
    /// Whether galo itself kept up. If not, the hold says nothing about the contender.
    pub valid: bool,
    /// Why it was not met, or says nothing.
    pub reasons: Vec<String>,
    /// The same in both languages.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) reasons_told: Vec<Both>,
    /// What held it back, the most telling first, where it was not met.
    pub causes: Vec<Finding>,
}

/// The rate of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ScenarioRateReport {
    /// Scenario's name.
    pub scenario: String,
    /// Users per second.
    pub per_s: f64,
    /// Whether it belongs to the compared figures.
    pub compared: bool,
}

/// How tables were given their size.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct PreloadReport {
    /// Whether the contender was started anew for it.
    pub fresh: bool,
    /// What the count grew by.
    pub created: u64,
    /// How long it took, without the start.
    pub took_s: f64,
}

/// What one service used.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HoldServiceReport {
    /// Its name.
    pub name: String,
    /// Its CPU limit; null: none.
    pub cpus: Option<f64>,
    /// Its memory limit; null: none.
    pub memory_limit_bytes: Option<u64>,
    /// CPU, user and system, to the end of the last operation; null: not seen.
    pub cpu_s: Option<f64>,
    /// The same for each operation that ended, probes included.
    pub cpu_us_per_request: Option<f64>,
    /// CPU while users arrived as a share of what its limit gives in that time.
    pub cpu_share: Option<f64>,
    /// Share of its CPU periods that were throttled while users arrived.
    pub throttled_share: f64,
    /// Most memory, page cache included.
    pub memory_peak_bytes: Option<u64>,
    /// Most anonymous memory.
    pub anonymous_peak_bytes: Option<u64>,
    /// Processes that the kernel killed for want of memory.
    pub oom_kills: u64,
}

impl From<&Hold> for HoldReport {
    fn from(hold: &Hold) -> Self {
        let ended = |ledger: &galo_record::Ledger| ledger.intended.saturating_sub(ledger.unfinished);
        let requests = ended(&hold.ledger) + ended(&hold.probe_ledger);
        let cpu_ns: Option<u64> = hold.services.iter().map(|service| service.cpu_ns).sum();
        let micros = |us: f64| decimals(us, 1);
        let told = |why| Both::told(|lang: Lang| reason::in_words(why, lang));
        let reasons_told: Vec<Both> = hold.outcome.reasons.iter().map(told).collect();
        let rates = hold.rates.iter().map(|rate| ScenarioRateReport {
            scenario: rate.scenario.clone(),
            per_s: decimals(rate.rate_micro as f64 / 1e6, 3),
            compared: rate.compared,
        });
        Self {
            scale: in_scale(hold.scale_milli),
            confirms: hold.confirms,
            length_s: seconds(hold.length_ns),
            rates: rates.collect(),
            preload: hold.preload.map(|preload| PreloadReport {
                fresh: preload.fresh,
                created: preload.created,
                took_s: seconds(preload.took_ns),
            }),
            people_before: hold.people_before,
            people_after: hold.people_after,
            acknowledged: hold.acknowledged,
            unknown: hold.unknown,
            ledger: hold.ledger,
            probe_ledger: hold.probe_ledger,
            errors: hold.errors.clone(),
            wrong: hold.wrong.clone(),
            offered_per_s: decimals(hold.outcome.offered_per_s, 1),
            answered_per_s: decimals(hold.outcome.achieved_per_s, 1),
            latency_us: hold.latency,
            cpu_us_per_request: per_request(cpu_ns.filter(|_| !hold.services.is_empty()), requests),
            services: hold.services.iter().map(|used| service(used, requests)).collect(),
            galo_cpu_s: hold.galo_cpu_ns.map(seconds),
            engine_cpu_s: seconds(hold.engine_cpu_ns),
            lag_us_p99: micros(hold.lag_us_p99),
            met: hold.outcome.met,
            valid: hold.outcome.valid,
            reasons: reasons_told.iter().map(|told| told.of(Lang::En).to_owned()).collect(),
            reasons_told,
            causes: hold.causes.clone(),
        }
    }
}

fn service(used: &HoldService, requests: u64) -> HoldServiceReport {
    HoldServiceReport {
        name: used.name.clone(),
        cpus: used.cpus_milli.map(|milli| f64::from(milli) / 1e3),
        memory_limit_bytes: used.memory_limit_bytes,
        cpu_s: used.cpu_ns.map(seconds),
        cpu_us_per_request: per_request(used.cpu_ns, requests),
        cpu_share: used.cpu_share.map(|share| decimals(share, 4)),
        throttled_share: decimals(used.throttled_share, 4),
        memory_peak_bytes: used.memory_peak_bytes,
        anonymous_peak_bytes: used.anonymous_peak_bytes,
        oom_kills: used.oom_kills,
    }
}

fn per_request(cpu_ns: Option<u64>, requests: u64) -> Option<f64> {
    cpu_ns.filter(|_| requests > 0).map(|ns| decimals(ns as f64 / 1e3 / requests as f64, 1))
}
