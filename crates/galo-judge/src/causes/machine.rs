//! `busy-neighbour`: somebody else took the CPU.

use super::scene::Scene;
use super::{FoundCause, tidy};
use crate::evidence::Evidence;
use crate::findings::BusyNeighbour;
use crate::signs::{CORE_FULL, STRANGERS_CPUS};

/// The kernel counts a core's time in ticks of 10 ms, so it is taken over this many moments.
const OVER: usize = 5;

/// Somebody else used a core that was full.
///
/// Proves that services were ready to run and had no core, while one was full and strangers had part of it. Not that it was
/// the same core: services wait for one another as well.
pub(super) fn busy_neighbour(scene: &Scene<'_>) -> Option<FoundCause> {
    let moments = scene.trouble.moments();
    let strangers: Vec<Strangers> = (0..moments).map(|moment| Strangers::of(scene, moment)).collect();
    // A service at its own limit would not have run any longer.
    let sign = |moment: usize| strangers[moment].sign() * (1.0 - scene.most_throttled(moment));
    // What strangers do is no sign that all is well, so nothing is taken off for calm moments.
    let share = scene.trouble.explained_by(scene.signs(sign)).in_trouble;
    let waited = scene.trouble.mean(scene.signs(|moment| strangers[moment].waited));
    let cpus = scene.trouble.mean(scene.signs(|moment| strangers[moment].cpus));
    let neighbours = &scene.round.record.beside.neighbours;
    let named =
        neighbours.iter().map(|n| Evidence::Neighbour { name: n.name.clone(), pid: n.pid, cpu_ns: n.cpu_ns });
    let cause = BusyNeighbour {
        waited_share: tidy(waited),
        others_cpus: tidy(cpus),
        busiest: neighbours.first().map(|busiest| busiest.name.clone()),
    };
    Some(FoundCause::new(scene, cause, share, named))
}

/// What neither contender nor galo used.
#[derive(Debug, Clone, Copy)]
struct Strangers {
    cpus: f64,
    contender_cpus: f64,
    /// Share of the time in which the services wanted a core, in which they had none.
    waited: f64,
    /// Whether a core was full.
    is_full: bool,
}

impl Strangers {
    fn of(scene: &Scene<'_>, moment: usize) -> Self {
        let moments = scene.trouble.moments();
        let from = moment.saturating_sub(OVER / 2).min(moments.saturating_sub(OVER));
        let [before, after] = scene.samples(from, (from + OVER).min(moments));
        let length_ns = after.at_ns.saturating_sub(before.at_ns).max(1) as f64;
        let grown = |before: u64, after: u64| after.saturating_sub(before) as f64 / length_ns;
        let services = || before.services.iter().zip(&after.services);
        let contender_cpus: f64 = services().map(|(b, a)| grown(b.cpu_ns, a.cpu_ns)).sum();
        let galo_cpus = grown(before.galo_cpu_ns, after.galo_cpu_ns);
        let taken = grown(before.host.taken_ns(), after.host.taken_ns());
        let mut cores = before.cores_busy_ns.iter().zip(&after.cores_busy_ns);
        Self {
            cpus: (taken - contender_cpus - galo_cpus).max(0.0),
            contender_cpus,
            waited: scene.waited_for_core(moment),
            is_full: cores.any(|(b, a)| grown(*b, *a) >= CORE_FULL),
        }
    }

    /// How much the services waited for a core, as far as strangers had what was missing: by their part of what they and
    /// the contender used.
    fn sign(self) -> f64 {
        let is_there = self.is_full && self.cpus >= STRANGERS_CPUS;
        if is_there { self.waited * self.cpus / (self.cpus + self.contender_cpus) } else { 0.0 }
    }
}
