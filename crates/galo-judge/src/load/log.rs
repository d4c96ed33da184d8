//! A load that another tool drove, by its log.

use galo_plan::JsonSchema;
use galo_record::gatling::{AboutLog, GatlingLog};
use galo_record::{Latencies, Ledger, Percentiles};
use serde::{Deserialize, Serialize};

use super::answered::USUAL_BOUNDS_NS;
use super::{JudgedLoad, Measured, PartName, Subject, Users};
use crate::fight::{Class, classes};

/// The log of a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedLog {
    /// What it says beside its requests.
    #[serde(flatten)]
    pub about: AboutLog,
    /// Groups of requests.
    pub groups: Vec<JudgedGroup>,
}

/// A group of requests. Percentiles are in microseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedGroup {
    /// Its name, after those of the groups around it.
    pub name: String,
    /// How often all of it was right, and how often it was not.
    pub ledger: Ledger,
    /// From its start to its end, pauses included.
    pub duration: Percentiles,
    /// Response times of its requests, added up.
    pub cumulated: Percentiles,
}

impl JudgedLoad {
    /// What a log of Gatling's tells. Nothing in it says what the load was worth.
    pub fn of_log(log: GatlingLog) -> Self {
        let GatlingLog { about, load, names, latencies, groups } = log;
        let class = about.simulation.as_ref().map(|simulation| simulation.class.clone());
        let subject = Subject {
            url: class.unwrap_or_else(|| about.file.clone()),
            parts: PartName::addresses(&names),
            ..Subject::default()
        };
        let measured = Measured::new(load, latencies, Vec::new(), None);
        let sum = measured.all_latencies();
        let mut judged = Self::summed(&subject, &measured, &sum);
        let parts = judged.parts.iter_mut().map(|part| &mut part.answered).zip(&measured.latencies);
        parts.chain([(&mut judged.answered, &sum)]).for_each(|(of, latencies)| {
            of.classes = classes_of_whole_ms(&latencies.ok, of.ledger.intended);
            let all = [&mut of.latency, &mut of.latency_ok, &mut of.latency_not_ok, &mut of.service_time];
            all.into_iter().for_each(|times| *times = in_whole_ms(*times));
        });
        judged.users = Some(Users { begun: about.users_started, asked_per_s: None });
        let groups = groups.into_iter().map(|(name, group)| JudgedGroup {
            name,
            ledger: group.ledger,
            duration: in_whole_ms(group.duration.percentiles()),
            cumulated: in_whole_ms(group.cumulated.percentiles()),
        });
        judged.log = Some(JudgedLog { about, groups: groups.collect() });
        judged
    }
}

/// Classes of times that were whole milliseconds. Gatling counts a time that is a bound in the class above it.
fn classes_of_whole_ms(ok: &Latencies, intended: u64) -> Vec<Class> {
    const HALF_MS_NS: u64 = 500_000;
    let bounds = USUAL_BOUNDS_NS.map(|bound| bound - HALF_MS_NS);
    let written = |class: Class| Class {
        above_ms: class.above_ms.ceil(),
        up_to_ms: class.up_to_ms.map(f64::ceil),
        ..class
    };
    classes(&bounds, ok, intended).into_iter().map(written).collect()
}

/// Figures of times that were whole milliseconds: ends of buckets as the whole ones within them.
fn in_whole_ms(mut times: Percentiles) -> Percentiles {
    times.min = (times.min / 1e3).ceil() * 1e3;
    let Percentiles { p50, p75, p90, p95, p99, p99_9, p99_99, max, .. } = &mut times;
    for us in [p50, p75, p90, p95, p99, p99_9, p99_99, max] {
        *us = (*us / 1e3).floor() * 1e3;
    }
    times
}
