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
use galo_record::finding::Weight;

use crate::fact::{Cause, CauseFact, Evidence, Fact, Finding};
use crate::ordering::order;
use crate::words::significant;

use scene::Scene;
use trouble::Trouble;

/// What explains less than this share of the trouble is not worth a word.
const LEAST_SHARE: f64 = 0.2;
/// Where something explains more than this, a mere symptom needs no mention.
const EXPLAINED: f64 = 0.3;
/// Where more than this share of operations failed that is a defect, however fast the others were.
const FAILED_SHARE: f64 = 0.001;

/// Names of all causes: each is a page of `docs/findings`. What makes a round void ([`crate::void`]) is one as well, and
/// comes before all others.
pub const CAUSES: [&str; 20] = [
    "accept-queue",
    "balancer-connections",
    "busy-neighbour",
    "cpu-limit",
    "database-connections",
    "database-lock",
    "descriptors",
    "galo-busy",
    "galo-could-not-send",
    "galo-late",
    "galo-throttled",
    "heap",
    "host-steal",
    "memory-limit",
    "pool-exhausted",
    "ports",
    "slow-disk",
    "slow-instance",
    "stalls",
    "unequal-terms",
];

/// Something that held a round back.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    cause: Cause,
    /// Share of the trouble, 0 to 1.
    share: f64,
    evidence: Vec<Evidence>,
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
    let weight = if is_defect { Weight::Should } else { Weight::Note };
    let mut findings: Vec<Finding> = causes.into_iter().map(|found| finding(&scene, found, weight)).collect();
    order(&mut findings, Finding::placed);
    findings
}

/// What is seen of the services, the database and the machine while operations are slow.
fn slowness(scene: &Scene<'_>) -> Vec<Found> {
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

fn finding(scene: &Scene<'_>, found: Found, weight: Weight) -> Finding {
    let Found { cause, share, evidence } = found;
    let blame = cause.blame();
    let share_milli = (share.clamp(0.0, 1.0) * 1000.0).round() as u16;
    let fact = CauseFact { cause, share: tidy(share), waiting: scene.trouble.waiting() };
    // Only what the contender can mend is a defect of it.
    let weight = if blame == Blame::Contender { weight } else { Weight::Note };
    let finding = Finding::weighing(weight, Fact::Cause(fact), blame).shown_by(evidence);
    Finding { explains_milli: Some(share_milli), ..finding }
}

/// Without a binary tail.
fn tidy(value: f64) -> f64 {
    significant(value, 6)
}

#[cfg(test)]
mod tests;
