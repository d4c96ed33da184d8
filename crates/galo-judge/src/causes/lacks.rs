//! What programs say in their own logs that they lack: `balancer-connections`, `database-connections`, `descriptors`,
//! `ports`, `heap`, and `pool-exhausted` where a pool's own timeout says so.

use galo_record::round::{Lack, LogSign};

use super::FoundCause;
use super::scene::{Look, Scene};
use crate::evidence::Evidence;
use crate::findings::{
    BalancerConnections, DatabaseConnections, Descriptors, Heap, Lacking, PoolExhausted, Ports, Said,
};

/// Sessions that PostgreSQL keeps for superusers (`superuser_reserved_connections`).
const RESERVED: u32 = 3;

/// One cause for each lack that a log tells of, as far as operations failed.
///
/// Proves that the program said so, and how many operations failed. That those are the ones it spoke of is likely, not
/// proven: a log line names no request.
pub(super) fn all(scene: &Scene<'_>) -> Vec<FoundCause> {
    let trouble = &scene.trouble;
    // Of several that failed, each may be any lack's; what is slow only waited.
    let failed = trouble.failed as f64 / trouble.troubled.max(1) as f64;
    let mut lacks: Vec<Lack> = scene.round.record.beside.log_signs.iter().map(|sign| sign.lack).collect();
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

fn cause(scene: &Scene<'_>, lack: Lack, share: f64) -> FoundCause {
    let signs: Vec<&LogSign> =
        scene.round.record.beside.log_signs.iter().filter(|sign| sign.lack == lack).collect();
    let said = signs.iter().map(|sign| Said { service: sign.service.clone(), lines: sign.lines }).collect();
    let line =
        |sign: &&LogSign| Evidence::LogLine { service: sign.service.clone(), line: sign.first.clone() };
    let (lacking, lines) = (Lacking { said, failed: scene.trouble.failed }, signs.iter().map(line));
    match lack {
        Lack::BalancerConnections => FoundCause::new(scene, BalancerConnections(lacking), share, lines),
        Lack::DatabaseConnections => FoundCause::new(scene, DatabaseConnections(lacking), share, lines),
        Lack::PoolConnections => FoundCause::new(scene, PoolExhausted::Log(lacking), share, lines),
        Lack::Descriptors => FoundCause::new(scene, Descriptors(lacking), share, lines),
        Lack::Ports => FoundCause::new(scene, Ports(lacking), share, lines),
        Lack::Heap => FoundCause::new(scene, Heap(lacking), share, lines),
    }
}
