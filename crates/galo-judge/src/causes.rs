//! Why a round was slow, or failed: rules that name what held it back, each with its evidence and a remedy.
//!
//! Every rule is a pure function of a scene that names moments by a *sign*: a service was throttled, sessions of the
//! database waited for a disk. What a rule explains is the share of the *trouble* (the waiting of operations that were
//! slow or failed) that lies in moments with its sign, less how often the sign was there while all was well. The rules are
//! ranked by that; each has a page in `docs/findings`.
//!
//! Its one key decision: a sign that is always there explains nothing. That two things happen at once is no proof that one
//! is the other's cause, so a rule's text gives what was seen, and says "while", not "because".

mod accepting;
mod database;
mod lacks;
mod machine;
mod memory;
mod processor;
mod scene;
mod stalls;
mod trouble;

use galo_plan::{Blame, Plan};
use galo_record::RoundData;

use crate::evidence::Evidence;
use crate::findings::{Caused, Fact, Finding};
use crate::ordering::{order, placed};
use galo_words::significant;

use scene::Scene;
use trouble::Trouble;

/// What explains less than this share of the trouble is not worth a word.
const LEAST_SHARE: f64 = 0.2;
/// Where something explains more than this, a mere symptom needs no mention.
const EXPLAINED: f64 = 0.3;
/// Where more than this share of operations failed that is a defect, however fast the others were.
const FAILED_SHARE: f64 = 0.001;

/// Something that held a round back.
#[derive(Debug, Clone, PartialEq)]
struct FoundCause {
    /// The finding that it becomes, as a defect.
    finding: Finding,
    /// Share of the trouble, 0 to 1.
    share: f64,
}

impl FoundCause {
    fn new<T>(scene: &Scene<'_>, cause: T, share: f64, evidence: impl IntoIterator<Item = Evidence>) -> Self
    where
        Fact: From<Caused<T>>,
    {
        let share_milli = (share.clamp(0.0, 1.0) * 1000.0).round() as u16;
        let fact = Caused { cause, share: tidy(share), waiting: scene.trouble.waiting() };
        let finding = Finding::new(fact).shown_by(evidence);
        Self { finding: Finding { explains_milli: Some(share_milli), ..finding }, share }
    }

    /// Only what the contender can mend, and only where it must, is a defect of it.
    fn weighed(self, is_defect: bool) -> Finding {
        let is_its = is_defect && self.finding.blame == Blame::Contender;
        if is_its { self.finding } else { self.finding.noted() }
    }
}

/// What held a round back, the most telling first and each cause before its symptoms; nothing where hardly anything was slow or failed. Where the service
/// level was missed, or too many failed, it is a defect; what is merely slower than the rest is a note.
pub(crate) fn findings(plan: &Plan, round: &RoundData, has_missed: bool) -> Vec<Finding> {
    let Some(trouble) = Trouble::of(plan, round) else { return Vec::new() };
    let Some(scene) = Scene::of(plan, round, trouble) else { return Vec::new() };
    let is_slow = scene.trouble.slow_ns.is_some();
    let mut causes = if is_slow { slowness(&scene) } else { Vec::new() };
    // A program that says what it lacks is believed, however few operations failed.
    causes.extend(lacks::all(&scene));
    causes.retain(|found| found.share >= LEAST_SHARE);
    if is_slow && causes.iter().all(|found| found.share < EXPLAINED) {
        causes.extend(stalls::finding(&scene).filter(|found| found.share >= LEAST_SHARE));
    }
    // The sort is stable: where shares are equal, the earlier rule stays first, since it looks deeper.
    causes.sort_by(|a, b| b.share.total_cmp(&a.share));
    let is_defect =
        has_missed || scene.trouble.failed as f64 > FAILED_SHARE * scene.trouble.operations as f64;
    let mut findings: Vec<Finding> = causes.into_iter().map(|found| found.weighed(is_defect)).collect();
    order(&mut findings, placed);
    findings
}

/// What is seen of the services, the database and the machine while operations are slow.
fn slowness(scene: &Scene<'_>) -> Vec<FoundCause> {
    let causes = [
        machine::busy_neighbour(scene),
        memory::limit(scene),
        processor::limit(scene),
        database::lock(scene),
        database::slow_disk(scene),
        database::pool(scene),
        accepting::queue(scene),
    ];
    causes.into_iter().flatten().collect()
}

/// Without a binary tail.
fn tidy(value: f64) -> f64 {
    significant(value, 6)
}

#[cfg(test)]
mod tests;
