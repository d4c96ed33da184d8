//! `memory-limit`: a service had used up its memory.

use super::scene::{Scene, Service};
use super::{FoundCause, LEAST_SHARE};
use crate::evidence::Evidence;
use crate::findings::{Explained, MemoryLimit};
use crate::signs::{FAULTS_PER_MOMENT, is_at_memory_limit, is_full_of_anonymous};

/// How long after the kernel killed a process its absence may be felt, if the service goes on.
const AFTER_KILL_NS: u64 = 3_000_000_000;

/// Finds the service that was at its memory limit and lost what it needed, or was killed for it.
///
/// Proves that memory ran short while users waited. A limit that is merely reached proves nothing: the kernel fills any
/// limit with page cache, so the service must also read pages again, or be full of what cannot be dropped.
pub(super) fn limit(scene: &Scene<'_>) -> Option<FoundCause> {
    let all = scene.services.iter().map(|service| (service, Shortage::of(scene, *service).explained));
    let (service, explained) = all.max_by(|(_, a), (_, b)| a.share().total_cmp(&b.share()))?;
    let limit = service.memory_bytes?;
    let sum =
        |counter| (0..scene.trouble.moments()).map(|moment| scene.grown(*service, moment, counter)).sum();
    let (hits, faults): (u64, u64) = (sum(|s| s.memory_limit_hits), sum(|s| s.major_faults));
    let killed: u64 = sum(|s| s.oom_kills);
    let peak =
        (0..scene.trouble.moments()).map(|moment| scene.at(*service, moment, |s| s.anonymous_bytes)).max();
    let (service, seen) = (service.name.to_owned(), explained.tidy());
    let cause = MemoryLimit { service, limit_bytes: limit, seen, killed };
    let most = Evidence::MostAnonymous { bytes: peak.unwrap_or(0) };
    Some(FoundCause::new(scene, cause, explained.share(), [Evidence::MemoryHits { hits, faults }, most]))
}

/// When the kernel killed processes of a service, from the start of the load.
fn kills(scene: &Scene<'_>, service: Service<'_>) -> Vec<u64> {
    let killed = |moment: &usize| scene.grown(service, *moment, |s| s.oom_kills) > 0;
    (0..scene.trouble.moments()).filter(killed).map(|moment| scene.trouble.start_ns(moment)).collect()
}

/// The moments in which a service was short of memory.
pub(super) struct Shortage {
    moments: Vec<bool>,
    explained: Explained,
}

impl Shortage {
    pub(super) fn of(scene: &Scene<'_>, service: Service<'_>) -> Self {
        let kills = kills(scene, service);
        let moments = 0..scene.trouble.moments();
        let moments: Vec<bool> = moments.map(|moment| is_short(scene, service, &kills, moment)).collect();
        let explained = scene.trouble.explained_by(scene.signs(|moment| moments[moment]));
        Self { moments, explained }
    }

    /// Whether it was there in a moment and explains enough to be told.
    pub(super) fn is_told_of(&self, moment: usize) -> bool {
        self.moments[moment] && self.explained.share() >= LEAST_SHARE
    }
}

fn is_short(scene: &Scene<'_>, service: Service<'_>, kills: &[u64], moment: usize) -> bool {
    let start_ns = scene.trouble.start_ns(moment);
    let is_gone = scene.grown(service, moment, |s| s.cpu_ns) == 0;
    let is_felt =
        |killed_ns: &u64| start_ns >= *killed_ns && (is_gone || start_ns <= killed_ns + AFTER_KILL_NS);
    if kills.iter().any(is_felt) {
        return true;
    }
    let Some(limit) = service.memory_bytes else { return false };
    let is_full = is_full_of_anonymous(scene.at(service, moment, |s| s.anonymous_bytes), limit);
    let is_at_limit = is_at_memory_limit(scene.at(service, moment, |s| s.memory_bytes), limit)
        || scene.grown(service, moment, |s| s.memory_limit_hits) > 0;
    is_at_limit && (is_full || scene.grown(service, moment, |s| s.major_faults) >= FAULTS_PER_MOMENT)
}
