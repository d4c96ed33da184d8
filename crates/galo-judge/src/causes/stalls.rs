//! `stalls`: again and again nobody was answered for a moment, though many waited and no limit was reached.

use super::FoundCause;
use super::scene::Scene;
use crate::evidence::{EVIDENCE_MAX, Evidence};
use crate::findings::Stalls;

/// A stall is at least so many moments long: 200 ms.
const LEAST_MOMENTS: usize = 2;
/// So many operations must be under way on average, or there was too little to answer.
const LEAST_UNDER_WAY: f64 = 3.0;
/// Fewer stalls than this are chance.
const LEAST_STALLS: usize = 3;
/// How far the distances of stalls may be from their median to be called periodic.
const PERIODIC: f64 = 0.25;

/// Finds stretches of 0.2 s and more without any answer.
///
/// Proves that the whole contender stood still, as seen from outside, and that no service was throttled meanwhile. It cannot
/// tell why: a collector, a lock, a checkpoint.
pub(super) fn finding(scene: &Scene<'_>) -> Option<FoundCause> {
    let moments = scene.trouble.moments();
    let is_still = |moment: usize| {
        scene.trouble.ended[moment] == 0
            && scene.trouble.in_flight[moment] >= LEAST_UNDER_WAY
            && scene.nobody_is_throttled(moment)
    };
    let mut stalls: Vec<(usize, usize)> = Vec::new();
    for moment in (0..moments).filter(|moment| is_still(*moment)) {
        match stalls.last_mut() {
            Some((_, end)) if *end == moment => *end += 1,
            _ => stalls.push((moment, moment + 1)),
        }
    }
    stalls.retain(|(from, end)| end - from >= LEAST_MOMENTS);
    if stalls.len() < LEAST_STALLS {
        return None;
    }
    let sign =
        |moment: usize| f64::from(u8::from(stalls.iter().any(|(from, end)| (*from..*end).contains(&moment))));
    let explained = scene.trouble.explained_by(scene.signs(sign));
    let starts: Vec<u64> = stalls.iter().map(|(from, _)| scene.trouble.start_ns(*from)).collect();
    let longest_ns =
        stalls.iter().map(|(from, end)| (*from..*end).map(|m| scene.trouble.length_ns(m)).sum()).max();
    let cause = Stalls {
        stalls: stalls.len() as u64,
        longest_ns: longest_ns.unwrap_or(0),
        period_ns: period_ns(&starts),
    };
    let began = starts.iter().take(EVIDENCE_MAX).map(|&at_ns| Evidence::StallBegan { at_ns });
    Some(FoundCause::new(scene, cause, explained.share(), began))
}

/// From the start of one stall to the start of the next, where it is always about the same.
fn period_ns(starts: &[u64]) -> Option<u64> {
    let mut distances: Vec<u64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    distances.sort_unstable();
    let median = *distances.get(distances.len() / 2)?;
    let is_near = |d: &u64| d.abs_diff(median) as f64 <= PERIODIC * median as f64;
    (4 * distances.iter().filter(|d| is_near(d)).count() >= 3 * distances.len()).then_some(median)
}
