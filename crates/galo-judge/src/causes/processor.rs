//! `cpu-limit`, `slow-instance`: a service had used up its CPU while users waited.

use galo_plan::instances;

use super::memory::Shortage;
use super::scene::{Scene, Service};
use super::{FoundCause, tidy};
use crate::evidence::{CpuUse, Evidence};
use crate::findings::{CpuLimit, Explained, Part, SlowInstance, Split};

/// A service of which a twin is throttled less than this part of the time is slower than it.
const TWIN_PART: f64 = 0.34;
/// Another split is worth a word where it gives the service that was short so many times what it has.
const WORTH: f64 = 1.1;
/// Least CPU limit that is proposed.
const LEAST_CPUS: f64 = 0.02;

/// Finds the service whose quota had run out while users waited.
///
/// Proves that it was throttled then more than while all was well. It does not prove that more CPU would have been enough:
/// the next limit may be close.
pub(super) fn limit(scene: &Scene<'_>) -> Option<FoundCause> {
    let all: Vec<(Service<'_>, Explained)> =
        scene.services.iter().map(|service| (*service, explained_by(scene, *service))).collect();
    let (service, explained) = *all
        .iter()
        .max_by(|(_, a), (_, b)| a.share().total_cmp(&b.share()))
        .filter(|(s, _)| s.cpus.is_some())?;
    let (name, limit_cpus) = (service.name.to_owned(), service.cpus.unwrap_or_default());
    let (seen, share, evidence) = (explained.tidy(), explained.share(), usage(scene));
    Some(match slow_instance(scene, service, explained, &all) {
        Some((twin, twin_share)) => {
            let (twin, twin_share) = (twin.to_owned(), tidy(twin_share));
            let cause = SlowInstance { service: name, limit_cpus, seen, twin, twin_share };
            FoundCause::new(scene, cause, share, evidence)
        }
        None => {
            let (idle, split) = (idle_others(scene, &all), split(scene, service));
            FoundCause::new(scene, CpuLimit { service: name, limit_cpus, seen, idle, split }, share, evidence)
        }
    })
}

/// A service that is short of memory spends its CPU on reading pages again, so its memory is the cause then.
fn explained_by(scene: &Scene<'_>, service: Service<'_>) -> Explained {
    let shortage = Shortage::of(scene, service);
    let sign = |moment| if shortage.is_told_of(moment) { 0.0 } else { scene.throttled(service, moment) };
    scene.trouble.explained_by(scene.signs(sign))
}

/// An instance of the same thing that was not throttled.
fn slow_instance<'a>(
    scene: &Scene<'a>,
    service: Service<'a>,
    explained: Explained,
    all: &[(Service<'a>, Explained)],
) -> Option<(&'a str, f64)> {
    let contender = scene.plan.contenders.get(scene.round.record.contender)?;
    let groups = instances::groups(&contender.services);
    let twins = groups.iter().find(|group| group.iter().any(|one| one.name == service.name))?;
    let is_twin = |s: &&(Service<'a>, Explained)| {
        s.0.name != service.name && twins.iter().any(|one| one.name == s.0.name)
    };
    let (twin, of_twin) = all.iter().find(is_twin)?;
    (of_twin.in_trouble < TWIN_PART * explained.in_trouble).then_some((twin.name, of_twin.in_trouble))
}

/// What the services that were never throttled left unused.
fn idle_others(scene: &Scene<'_>, all: &[(Service<'_>, Explained)]) -> Vec<CpuUse> {
    let rests =
        |service: &Service<'_>| service.cpus.is_some_and(|limit| mean_cpus(scene, *service) < 0.7 * limit);
    let idle = all.iter().filter(|(service, explained)| explained.in_trouble < 0.05 && rests(service));
    idle.map(|(service, _)| cpu_use(scene, service)).collect()
}

fn cpu_use(scene: &Scene<'_>, service: &Service<'_>) -> CpuUse {
    let cpus = tidy(mean_cpus(scene, *service));
    CpuUse { service: service.name.to_owned(), cpus, limit_cpus: service.cpus }
}

/// CPUs that a service used while users waited.
fn mean_cpus(scene: &Scene<'_>, service: Service<'_>) -> f64 {
    scene.trouble.mean(scene.signs(|moment| scene.cpus(service, moment)))
}

/// What each service used, the one nearest to its limit first.
fn usage(scene: &Scene<'_>) -> Vec<Evidence> {
    let near = |service: &Service<'_>| mean_cpus(scene, *service) / service.cpus.unwrap_or(f64::INFINITY);
    let mut services = scene.services.clone();
    services.sort_by(|a, b| near(b).total_cmp(&near(a)));
    services.iter().map(|service| Evidence::CpuWhileWaiting(cpu_use(scene, service))).collect()
}

/// `None` where it would not be worth the while, or a service has no limit.
fn split(scene: &Scene<'_>, short: Service<'_>) -> Option<Split> {
    let cost = |service: &Service<'_>| {
        let used = (0..scene.trouble.moments()).map(|moment| scene.grown(*service, moment, |s| s.cpu_ns));
        used.sum::<u64>() as f64
    };
    let budget: f64 = scene.services.iter().map(|service| service.cpus).sum::<Option<f64>>()?;
    let all: f64 = scene.services.iter().map(cost).sum();
    let fair = |service: &Service<'_>| (budget * cost(service) / all).max(LEAST_CPUS);
    if scene.services.len() < 2 || !all.is_normal() || fair(&short) < WORTH * short.cpus? {
        return None;
    }
    let part = |service: &Service<'_>| Part { service: service.name.to_owned(), cpus: tidy(fair(service)) };
    Some(Split { budget_cpus: tidy(budget), parts: scene.services.iter().map(part).collect() })
}
