//! The load of a soak. Nothing of it grows with its length: there is no history, its seconds and samples are added to parts of
//! equal length as they come.

use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use galo_load::LoadOptions;
use galo_record::act::{Loaded, Outcome, SoakPart, Workload};
use galo_record::clock::now_ns;
use galo_record::{Sample, SecondLatencies};
use galo_watch::Watcher;

use super::super::load::{LOOK, keep, options, run_beside};
use super::ContenderStage;
use super::in_turn::DRAIN;
use crate::DriveError;

/// In so many parts.
const PARTS: usize = 100;
/// Samples are kept for so long at most before they are added to a part.
const SAMPLES_FOR: Duration = Duration::from_secs(60);

impl ContenderStage<'_> {
    /// Sends it; `None`: the caller broke it off.
    pub(super) fn soak(&mut self, traffic: &Workload, length_ns: u64) -> Result<Option<Outcome>, DriveError> {
        let plan = self.plan_in_turn(traffic)?;
        let means = self.means;
        let Some(running) = self.up()?.running.as_mut() else {
            return Err(DriveError::Bug("a contender soaked that galo did not start".to_owned()));
        };
        let placement = running.placement().clone();
        let watch = || Watcher::start(&placement, means.events);
        let (seconds, coming) = channel();
        let options = LoadOptions { history: false, seconds: Some(seconds), ..options(&means, DRAIN) };
        let mut parts =
            Parts { parts: vec![SoakPart::default(); PARTS], length_ns, began_ns: now_ns(), heard: 0 };
        let (mut watcher, mut since, mut failed) = (Some(watch()?), Instant::now(), None);
        let mut loaded = Loaded::default();
        let outcome = run_beside(&plan, &options, LOOK, || {
            loaded.findings.extend(running.trouble());
            parts.hear(&coming);
            if since.elapsed() >= SAMPLES_FOR {
                watcher.take().into_iter().for_each(|watcher| parts.see(&watcher.stop()));
                (watcher, since) = (watch().map_err(|error| failed = Some(error)).ok(), Instant::now());
            }
        });
        drop(options);
        watcher.into_iter().for_each(|watcher| parts.see(&watcher.stop()));
        parts.hear(&coming);
        let is_interrupted = keep(outcome?, &mut self.data);
        if let Some(error) = failed {
            return Err(error.into());
        }
        if is_interrupted || self.is_stopped() {
            return Ok(None);
        }
        loaded.load = self.data.record.load.clone();
        loaded.parts = parts.parts;
        Ok(Some(Outcome::Loaded(Box::new(loaded))))
    }
}

struct Parts {
    parts: Vec<SoakPart>,
    length_ns: u64,
    began_ns: u64,
    /// Seconds so far.
    heard: u64,
}

impl Parts {
    /// What is over at a moment belongs to the last.
    fn at(&mut self, after_ns: u64) -> &mut SoakPart {
        let last = self.parts.len() - 1;
        let part = u128::from(after_ns) * self.parts.len() as u128 / u128::from(self.length_ns.max(1));
        &mut self.parts[usize::try_from(part).unwrap_or(last).min(last)]
    }

    /// Adds the seconds that have come.
    fn hear(&mut self, coming: &Receiver<SecondLatencies>) {
        while let Ok(second) = coming.try_recv() {
            let part = self.at(self.heard * 1_000_000_000);
            part.latencies.add(&second.all());
            part.errors += second.not_ok.count();
            self.heard += 1;
        }
    }

    /// Keeps the last memory of each part.
    fn see(&mut self, samples: &[Sample]) {
        for sample in samples {
            let after_ns = sample.at_ns.saturating_sub(self.began_ns);
            let memory = sample.services.iter().map(|service| service.anonymous_bytes).collect();
            self.at(after_ns).anonymous_bytes = memory;
        }
    }
}

#[cfg(test)]
mod tests {
    use galo_record::Latencies;
    use galo_record::sample::ServiceSample;

    use super::*;

    #[test]
    fn seconds_and_samples_go_to_the_part_in_which_they_are() {
        let parts = vec![SoakPart::default(); 2];
        let mut parts = Parts { parts, length_ns: 4_000_000_000, began_ns: 10_000_000_000, heard: 0 };
        let (seconds, coming) = channel();
        let mut one = Latencies::new();
        one.record_ns(1_000_000);
        // Answers come for a while after the last arrival.
        for _ in 0..6 {
            let second = SecondLatencies { not_ok: one.to_sparse(), ..SecondLatencies::default() };
            seconds.send(second).unwrap();
        }
        parts.hear(&coming);
        assert_eq!(parts.parts.iter().map(|part| part.errors).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(parts.parts[1].latencies.count(), 4);
        let sample = |at_ns, anonymous_bytes| Sample {
            at_ns,
            services: vec![ServiceSample { anonymous_bytes, ..ServiceSample::default() }],
            ..Sample::default()
        };
        parts.see(&[sample(9_900_000_000, 1), sample(11_900_000_000, 2), sample(12_000_000_000, 3)]);
        assert_eq!([&parts.parts[0], &parts.parts[1]].map(|part| part.anonymous_bytes[0]), [2, 3]);
    }
}
