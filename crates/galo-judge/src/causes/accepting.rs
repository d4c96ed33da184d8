//! `accept-queue`: connections that nobody accepted in time were dropped.

use galo_plan::Blame;

use super::Cause;
use super::scene::Scene;
use crate::words::{counted, grouped};

/// A client whose connection is dropped tries again after a second (RFC 6298, section 2), and then some.
const RETRY_NS: u64 = 1_200_000_000;

/// Finds moments after the kernel dropped connections because an accept queue was full.
///
/// Proves that this machine dropped some then. Its counter is the machine's: another server's queue would count as well, so
/// the longest queue's port is told.
pub(super) fn queue(scene: &Scene<'_>) -> Option<Cause> {
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
    (dropped > 0).then(|| Cause {
        name: "accept-queue",
        blame: Blame::Contender,
        share: explained.share(),
        text: format!(
            "{} dropped because an accept queue was full, and such a client waits a second before it tries again; {} \
             followed on that",
            counted_were(dropped),
            explained.of("the time")
        ),
        evidence: match longest.accept_queue {
            0 => Vec::new(),
            waiting => vec![format!(
                "longest queue seen: {} at port {}",
                counted(u64::from(waiting), "connection"),
                longest.accept_queue_port
            )],
        },
        hint: "accept sooner (a thread that does only that, more CPU), or raise the backlog: the server's own, and \
               net.core.somaxconn"
            .to_owned(),
    })
}

fn counted_were(number: u64) -> String {
    if number == 1 { "1 connection was".to_owned() } else { format!("{} connections were", grouped(number)) }
}
