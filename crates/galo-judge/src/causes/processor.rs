//! `cpu-limit`, `slow-instance`: a service had used up its CPU while users waited.

use galo_plan::{Blame, instances};

use super::Cause;
use super::memory::Shortage;
use super::scene::{Scene, Service};
use super::trouble::Explained;

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
pub(super) fn limit(scene: &Scene<'_>) -> Option<Cause> {
    let all: Vec<(Service<'_>, Explained)> =
        scene.services.iter().map(|service| (*service, explained_by(scene, *service))).collect();
    let (service, explained) = *all
        .iter()
        .max_by(|(_, a), (_, b)| a.share().total_cmp(&b.share()))
        .filter(|(s, _)| s.cpus.is_some())?;
    let twin = slow_instance(scene, service, explained, &all);
    let seen = format!(
        "`{}` had used up its CPU limit of {} in {}",
        service.name,
        cpus(service.cpus.unwrap_or_default()),
        explained.of("the quota periods")
    );
    Some(match twin {
        Some((twin, share)) => Cause {
            name: "slow-instance",
            blame: Blame::Contender,
            share: explained.share(),
            text: format!(
                "{seen}, its twin `{twin}` in {:.0} %: one instance is slower than the others",
                share * 100.0
            ),
            evidence: usage(scene),
            hint: format!(
                "give `{}` and `{twin}` the same limits, or give the slower one less to do (weights of the balancer)",
                service.name
            ),
        },
        None => Cause {
            name: "cpu-limit",
            blame: Blame::Contender,
            share: explained.share(),
            text: format!("{seen}{}", idle_others(scene, &all)),
            evidence: usage(scene),
            hint: hint(scene, service),
        },
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
fn idle_others(scene: &Scene<'_>, all: &[(Service<'_>, Explained)]) -> String {
    let idle = all.iter().filter(|(_, explained)| explained.in_trouble < 0.05).filter_map(|(service, _)| {
        let (used, limit) = (mean_cpus(scene, *service), service.cpus?);
        (used < 0.7 * limit).then(|| format!("`{}` used {used:.2} of {}", service.name, cpus(limit)))
    });
    let idle: Vec<String> = idle.collect();
    if idle.is_empty() { String::new() } else { format!(", while {}", idle.join(", ")) }
}

/// CPUs that a service used while users waited.
fn mean_cpus(scene: &Scene<'_>, service: Service<'_>) -> f64 {
    scene.trouble.mean(scene.signs(|moment| scene.cpus(service, moment)))
}

/// What each service used, the one nearest to its limit first.
fn usage(scene: &Scene<'_>) -> Vec<String> {
    let near = |service: &Service<'_>| mean_cpus(scene, *service) / service.cpus.unwrap_or(f64::INFINITY);
    let mut services = scene.services.clone();
    services.sort_by(|a, b| near(b).total_cmp(&near(a)));
    let of = |service: &Service<'_>| {
        let limit = service.cpus.map_or_else(|| "no limit".to_owned(), |limit| format!("of {}", cpus(limit)));
        format!("`{}`: {:.2} CPU {limit} while users waited", service.name, mean_cpus(scene, *service))
    };
    services.iter().map(of).collect()
}

/// Where it would help: the same CPU shared out by what an answer costs each service, which does not depend on who was
/// throttled.
fn hint(scene: &Scene<'_>, short: Service<'_>) -> String {
    split(scene, short).unwrap_or_else(|| {
        format!("make an answer cost `{}` less CPU, or give it more than its part of the budget", short.name)
    })
}

/// `None` where it would not be worth the while, or a service has no limit.
fn split(scene: &Scene<'_>, short: Service<'_>) -> Option<String> {
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
    let each = scene.services.iter().map(|service| format!("`{}` {:.2}", service.name, fair(service)));
    let each: Vec<String> = each.collect();
    Some(format!(
        "shared out by what an answer cost each of them, the same {} CPU are: {}",
        cpus(budget),
        each.join(", ")
    ))
}

/// `0.5`, `1.25`.
fn cpus(cpus: f64) -> String {
    let text = format!("{cpus:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
