//! A load that another tool drove, by its log.

use galo_record::gatling::{AboutLog, GatlingLog};
use galo_record::{Ledger, Percentiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JudgedLoad, Measured, PartName, Subject, Users};

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
        let mut judged = Self::summed(&subject, &measured, &measured.all_latencies());
        let answered = judged.parts.iter_mut().map(|part| &mut part.answered).chain([&mut judged.answered]);
        answered.for_each(|of| {
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

/// Figures of times that were whole milliseconds: ends of buckets as the whole ones within them.
fn in_whole_ms(mut times: Percentiles) -> Percentiles {
    times.min = (times.min / 1e3).ceil() * 1e3;
    let Percentiles { p50, p75, p90, p95, p99, p99_9, p99_99, max, .. } = &mut times;
    for us in [p50, p75, p90, p95, p99, p99_9, p99_99, max] {
        *us = (*us / 1e3).floor() * 1e3;
    }
    times
}
