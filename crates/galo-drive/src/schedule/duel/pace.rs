//! Which loads a turn is made of, by what was seen before the first one.

use std::time::Duration;

use galo_judge::duel::{PART_NS, warm_ups};
use galo_plan::Injection;
use galo_plan::duel::{AskedTraffic, DuelPlan};
use galo_record::act::{Act, Acted};
use galo_record::duel::{Level, LevelTerms, SliceTerms};

/// What a turn takes beside its loads.
const HAND_OVER_NS: u64 = 100_000_000;
/// A slice: of those tried (25 ms to 2.5 s) the one that told best how two servers differ in their CPU for each answer, and as well as
/// any in their answers per second (`benches/duel/slices`).
const SLICE_NS: u64 = 100_000_000;
const LONGEST_SLICE_NS: u64 = 1_000_000_000;
/// Answers that each connection of a closed loop gets in a slice, at least.
const ANSWERS_OF_A_CONNECTION: f64 = 10.0;
/// Users who arrive in a slice, at least.
const ARRIVALS_OF_A_SLICE: f64 = 20.0;
/// A load at a rate is never shorter.
const SHORTEST_NS: u64 = 1_000_000_000;

/// What was seen before the first turn.
#[derive(Debug, Clone, Copy)]
struct Before {
    /// What the slower side reaches in a closed loop, in answers per second.
    slower_per_s: f64,
    /// How long the duel took so far.
    taken_ns: u64,
    /// How much longer than asked for a closed loop takes to its end.
    overrun_ns: u64,
}

/// The loads of every turn of a duel of which these acts are known, the whole warm-up among them.
pub(super) fn levels(plan: &DuelPlan, acts: &[Acted]) -> Vec<LevelTerms> {
    let before = acts.iter().take_while(|acted| !matches!(acted.act, Act::Begin(_)));
    let taken_ns = before.map(|acted| acted.ended_ns.saturating_sub(acted.began_ns)).sum();
    let warm_ups = warm_ups(plan, acts);
    let reached = warm_ups.each_ref().map(|parts| parts.last().map_or(0.0, |last| last.ok_per_s));
    let longest_ns = warm_ups.iter().flatten().map(|part| part.elapsed_ns).max().unwrap_or(0);
    let overrun_ns = longest_ns.saturating_sub(PART_NS);
    chosen(plan, &Before { slower_per_s: reached[0].min(reached[1]), taken_ns, overrun_ns })
}

/// How long slices are in which a level is driven: a tenth of a second, but long enough for several answers of each connection, and
/// for several arrivals, and never so long that the machine's mood changes.
pub(super) fn slices(plan: &DuelPlan, acts: &[Acted], terms: &LevelTerms) -> SliceTerms {
    let reached = warm_ups(plan, acts).map(|parts| parts.last().map_or(f64::INFINITY, |last| last.ok_per_s));
    let slower_per_s = reached[0].min(reached[1]).max(1.0);
    let answers_s = ANSWERS_OF_A_CONNECTION * f64::from(plan.connections) / slower_per_s;
    let arrivals_s = terms.mean_rate().map_or(0.0, |per_s| ARRIVALS_OF_A_SLICE / per_s.max(1.0));
    let length_ns = (answers_s.max(arrivals_s) * 1e9) as u64;
    let length_ns = length_ns.clamp(SLICE_NS, LONGEST_SLICE_NS);
    SliceTerms { length_ns, drain_ns: length_ns }
}

/// At the rate that was asked for, or at rates by what the slower side reaches.
fn chosen(plan: &DuelPlan, seen: &Before) -> Vec<LevelTerms> {
    let (pace, connections) = (&plan.pace, plan.connections);
    let load = |level, length_ns: u64, rate_micro: Option<u64>| LevelTerms {
        level,
        length_ns,
        injection: rate_micro.map(|micro| Injection::constant(micro, Duration::from_nanos(length_ns))),
        connections,
    };
    // Rates are of users.
    let slower_per_s = seen.slower_per_s / plan.requests_per_user.max(1.0);
    let of_slower = |share: f64| Some(((slower_per_s * share * 1e6) as u64).max(1_000_000));
    match &plan.asked {
        None => {}
        Some(AskedTraffic::Rate(micro)) => {
            let open_ns = shortened(plan, pace.open_ns + pace.closed_ns, seen.taken_ns, HAND_OVER_NS);
            return vec![load(Level::Asked, open_ns, Some(*micro))];
        }
        Some(AskedTraffic::Arrivals(injection)) => {
            let length_ns = injection.duration_ns();
            let injection = Some(injection.clone());
            return vec![LevelTerms { level: Level::Asked, length_ns, injection, connections }];
        }
    }
    let near_ns = if pace.near { pace.closed_ns } else { 0 };
    let others_ns = near_ns + pace.closed_ns + seen.overrun_ns + HAND_OVER_NS;
    let open_ns = shortened(plan, pace.open_ns, seen.taken_ns, others_ns);
    let mut levels = vec![load(Level::Half, open_ns, of_slower(0.5))];
    if pace.near {
        levels.push(load(Level::Near, near_ns, of_slower(0.9)));
    }
    levels.push(load(Level::Highest, pace.closed_ns, None));
    levels
}

/// A load's length, where all of it has a bound: what is left of a turn that also takes `others_ns`. Every start takes as long as the first.
fn shortened(plan: &DuelPlan, length_ns: u64, taken_ns: u64, others_ns: u64) -> u64 {
    let Some(within_ns) = plan.pace.within_ns else { return length_ns };
    let starts = u64::from(plan.start_of(plan.pace.pairs.saturating_sub(1))) + 1;
    let turn_ns = within_ns.saturating_sub(taken_ns * starts) / u64::from((plan.pace.pairs * 2).max(1));
    turn_ns.saturating_sub(others_ns).min(length_ns).max(SHORTEST_NS)
}

#[cfg(test)]
mod tests {
    use galo_plan::duel::Pace;

    use super::*;
    use crate::schedule::duel::tests::plan;

    const SEEN: Before = Before { slower_per_s: 1_000.0, taken_ns: 7_000_000_000, overrun_ns: 20_000_000 };

    fn told(pace: Pace, asked: Option<&AskedTraffic>) -> Vec<(&'static str, u64, Option<u64>)> {
        let plan = DuelPlan { pace, asked: asked.cloned(), ..plan() };
        let rate = |injection: &Injection| injection.final_rate_micro() / 1_000_000;
        let levels = chosen(&plan, &SEEN);
        let told = levels.iter().map(|terms| {
            (terms.level.name(), terms.length_ns / 1_000_000, terms.injection.as_ref().map(rate))
        });
        told.collect()
    }

    #[test]
    fn rates_follow_what_the_slower_side_reaches() {
        assert_eq!(
            told(Pace::USUAL, None),
            [("half", 1_500, Some(500)), ("near", 750, Some(900)), ("highest", 750, None)]
        );
        assert_eq!(told(Pace::USUAL, Some(&AskedTraffic::Rate(77_000_000))), [("asked", 2_250, Some(77))]);
    }

    #[test]
    fn rates_count_users_who_send_several_requests_each() {
        let plan = DuelPlan { pace: Pace::QUICK, requests_per_user: 4.0, asked: None, ..plan() };
        let half = chosen(&plan, &SEEN)[0].injection.clone().unwrap();
        assert_eq!(half.final_rate_micro(), 125_000_000);
    }

    #[test]
    fn a_profile_is_driven_as_it_is() {
        let profile =
            AskedTraffic::Arrivals(Injection::parse(&["1/s for 2s", "ramp 10/s to 30/s over 9s"]).unwrap());
        assert_eq!(told(Pace::QUICK, Some(&profile)), [("asked", 11_000, Some(30))]);
    }

    #[test]
    fn where_all_has_a_bound_the_loads_at_a_rate_keep_to_it() {
        assert_eq!(told(Pace::QUICK, None), [("half", 2_380, Some(500)), ("highest", 500, None)]);
        let late = Pace { within_ns: Some(10_000_000_000), ..Pace::QUICK };
        assert_eq!(told(late, None)[0], ("half", 1_000, Some(500)));
        assert_eq!(told(Pace { pairs: 2, ..Pace::QUICK }, None)[0], ("half", 2_400, Some(500)));
        let long = Pace::USUAL.filling(607_000_000_000);
        assert_eq!(told(long, None)[0], ("half", 15_598, Some(500)));
    }
}
