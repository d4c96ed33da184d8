//! `accept-queue`: connections that nobody accepted in time were dropped.

use galo_plan::Runner;

use super::FoundCause;
use super::scene::Scene;
use crate::evidence::Evidence;
use crate::findings::AcceptQueue;

/// A client whose connection is dropped tries again after a second (RFC 6298, section 2), and then some.
const RETRY_NS: u64 = 1_200_000_000;

/// Finds moments after the kernel dropped connections because an accept queue was full.
///
/// Proves that this machine dropped some then. Its counter is the machine's: another server's queue would count as well, so
/// the longest queue's port is told.
pub(super) fn queue(scene: &Scene<'_>) -> Option<FoundCause> {
    let moments = scene.trouble.moments();
    let overflows = |moment: usize| scene.host_grown(moment, |host| host.listen_overflows);
    let dropped: u64 = (0..moments).map(overflows).sum();
    let ends: Vec<u64> = (0..moments)
        .filter(|moment| overflows(*moment) > 0)
        .map(|moment| scene.trouble.start_ns(moment) + RETRY_NS)
        .collect();
    let last_end = |start_ns: u64| {
        let begun = ends.partition_point(|end_ns| *end_ns <= start_ns + RETRY_NS);
        begun.checked_sub(1).map(|last| ends[last])
    };
    let sign = |moment: usize| {
        let start_ns = scene.trouble.start_ns(moment);
        f64::from(u8::from(last_end(start_ns).is_some_and(|end_ns| start_ns < end_ns)))
    };
    let explained = scene.trouble.explained_by(scene.signs(sign));
    let longest = (0..moments).map(|moment| scene.host(moment)).max_by_key(|host| host.accept_queue)?;
    let (connections, port) = (longest.accept_queue, longest.accept_queue_port);
    let longest = (connections > 0).then_some(Evidence::AcceptQueue { connections, port });
    let cause = AcceptQueue { dropped, seen: explained.tidy(), is_engines: is_engines(scene, port) };
    (dropped > 0).then(|| FoundCause::new(scene, cause, explained.share(), longest))
}

/// Whether the proxy of a container engine listens at a port: it is the one where containers are asked, and none of theirs listens
/// there on this machine itself.
fn is_engines(scene: &Scene<'_>, port: u16) -> bool {
    let record = &scene.round.record;
    let contender = scene.plan.contenders.get(record.contender);
    let is_contained = contender.is_some_and(|contender| contender.runner == Runner::Docker);
    record.placement.as_ref().is_some_and(|placement| {
        let here = placement.services.iter().filter_map(|service| service.listens);
        is_contained
            && placement.target.port() == port
            && !here.filter(|heard| heard.ip().is_loopback()).any(|heard| heard.port() == port)
    })
}
