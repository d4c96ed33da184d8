//! Loads of one thing at several settings.

use std::mem::discriminant;

use galo_plan::{JsonSchema, Knob};
use galo_record::{Ledger, Percentiles};
use serde::{Deserialize, Serialize};

use super::{Answered, JudgedLoad, Measured, Subject};
use crate::void::VoidReason;

/// What loads at one setting came to together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadSetting {
    /// The value of each knob.
    pub values: Vec<String>,
    /// How many were driven there.
    pub loads: usize,
    /// Arrival rate asked for, where it was one rate.
    pub asked_per_s: Option<f64>,
    /// Right answers per second, over all of them.
    pub ok_per_s: f64,
    /// The least and the most of any of them.
    pub ok_per_s_range: [f64; 2],
    /// Operations by result.
    pub ledger: Ledger,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// Why some of them say nothing about the server; empty where all do.
    pub void: Vec<VoidReason>,
    /// Largest share of the time in which galo's threads were busy, where that is worth telling.
    pub busy_share: Option<f64>,
}

impl LoadSetting {
    /// Sums up a setting: what each load there came to, and what was measured in all of them. `None`: none was driven.
    pub fn of(values: Vec<String>, loads: &[JudgedLoad], measured: &Measured) -> Option<Self> {
        let ledger = measured.load.total().ledger;
        let rates = loads.iter().map(|load| load.ok_per_s);
        Some(Self {
            values,
            loads: loads.len(),
            asked_per_s: loads.first()?.asked_per_s,
            ok_per_s: measured.ok_per_s(),
            ok_per_s_range: [rates.clone().fold(f64::INFINITY, f64::min), rates.fold(0.0, f64::max)],
            ledger,
            latency: Answered::of_load(ledger, &measured.all_latencies()).latency,
            void: first_of_each(loads.iter().flat_map(|load| &load.void)),
            busy_share: loads.iter().filter_map(|load| load.busy_share).reduce(f64::max),
        })
    }
}

/// Each kind of reason once.
fn first_of_each<'a>(reasons: impl Iterator<Item = &'a VoidReason>) -> Vec<VoidReason> {
    let mut first: Vec<VoidReason> = Vec::new();
    for reason in reasons {
        if !first.iter().any(|known| discriminant(known) == discriminant(reason)) {
            first.push(reason.clone());
        }
    }
    first
}

/// What loads at several settings came to. `measured` is the sum of all; none: nothing was driven.
pub fn swept(
    subject: &Subject,
    knobs: Vec<Knob>,
    settings: Vec<LoadSetting>,
    measured: Option<&Measured>,
) -> JudgedLoad {
    let Some(measured) = measured else {
        return JudgedLoad { url: subject.url.clone(), knobs, ..JudgedLoad::default() };
    };
    let all = measured.all_latencies();
    JudgedLoad {
        is_open: settings.iter().any(|setting| setting.asked_per_s.is_some()),
        void: settings.iter().flat_map(|setting| setting.void.clone()).collect(),
        knobs,
        settings,
        ..JudgedLoad::summed(subject, measured, &all)
    }
}
