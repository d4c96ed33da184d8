//! What programs say in their own logs that they lack: `balancer-connections`, `database-connections`, `descriptors`,
//! `ports`, `heap`, and `pool-exhausted` where a pool's own timeout says so.

use galo_plan::Blame;
use galo_record::round::{Lack, LogSign};

use super::Cause;
use super::scene::{Look, Scene};
use crate::words::counted;

/// Sessions that PostgreSQL keeps for superusers (`superuser_reserved_connections`).
const RESERVED: u32 = 3;

/// One cause for each lack that a log tells of, as far as operations failed.
///
/// Proves that the program said so, and how many operations failed. That those are the ones it spoke of is likely, not
/// proven: a log line names no request.
pub(super) fn all(scene: &Scene<'_>) -> Vec<Cause> {
    let trouble = &scene.trouble;
    // Of several that failed, each may be any lack's; what is slow only waited.
    let failed = trouble.failed as f64 / trouble.troubled.max(1) as f64;
    let mut lacks: Vec<Lack> = scene.round.record.log_signs.iter().map(|sign| sign.lack).collect();
    lacks.sort_unstable();
    lacks.dedup();
    let share_of =
        |lack| if lack == Lack::DatabaseConnections { failed.max(all_taken(scene)) } else { failed };
    lacks.into_iter().map(|lack| cause(scene, lack, share_of(lack))).collect()
}

/// How far moments in which the database had no session left explain the trouble: whoever waits for one is slow, and fails
/// only after long. galo's own session counts.
fn all_taken(scene: &Scene<'_>) -> f64 {
    let is_full = |look: Look<'_>| look.seen.sessions() + 1 + RESERVED >= look.seen.max_connections;
    let explained = scene.explained_by_looks(|look| f64::from(u8::from(is_full(look))));
    explained.map_or(0.0, |explained| explained.in_trouble)
}

fn cause(scene: &Scene<'_>, lack: Lack, share: f64) -> Cause {
    let signs: Vec<&LogSign> = scene.round.record.log_signs.iter().filter(|sign| sign.lack == lack).collect();
    let (name, what, hint) = words(lack);
    let told: Vec<String> = signs
        .iter()
        .map(|sign| format!("`{}` says so in {}", sign.service, counted(sign.lines, "line")))
        .collect();
    Cause {
        name,
        blame: Blame::Contender,
        share,
        text: format!(
            "{what}: {}, and {} failed",
            told.join(", "),
            counted(scene.trouble.failed, "operation")
        ),
        evidence: signs.iter().map(|sign| format!("{}.log: {}", sign.service, sign.first)).collect(),
        hint: hint.to_owned(),
    }
}

const fn words(lack: Lack) -> (&'static str, &'static str, &'static str) {
    match lack {
        Lack::BalancerConnections => (
            "balancer-connections",
            "the load balancer had no connection left",
            "raise its limit (nginx: `worker_connections`, two for each request under way; HAProxy: `maxconn`), with `nofile` to match",
        ),
        Lack::DatabaseConnections => (
            "database-connections",
            "the database refused sessions",
            "make the pools of all instances together smaller than the database's `max_connections` (less what it reserves), or raise that; check that the configuration file is loaded at all",
        ),
        Lack::PoolConnections => (
            "pool-exhausted",
            "a connection pool had nothing left",
            "measure a larger pool; if the database is busy, shorten what holds a connection instead",
        ),
        Lack::Descriptors => (
            "descriptors",
            "no file descriptor was left",
            "raise `ulimits: { nofile: ... }` of the service, or look for what is never closed",
        ),
        Lack::Ports => (
            "ports",
            "no local port was left",
            "keep connections between the services open (keep-alive, pools), or let them talk through Unix sockets",
        ),
        Lack::Heap => (
            "heap",
            "a runtime's own heap was full",
            "give the heap more of the service's memory (`-Xmx`, `--max-old-space-size`), or keep less in it",
        ),
    }
}
