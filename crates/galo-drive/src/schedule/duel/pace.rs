//! Which loads a turn is made of, by what was seen before the first one.

use std::time::Duration;

use galo_judge::duel::warm_ups;
use galo_plan::Injection;
use galo_plan::duel::{AskedTraffic, DuelPlan};
use galo_record::act::Acted;
use galo_record::duel::{Level, LevelTerms, SliceTerms};

/// A slice: of those tried (25 ms to 2.5 s, by a small client outside of galo) the one that told best how two servers differ in their
/// CPU for each answer, and as well as any in their answers per second.
const SLICE_NS: u64 = 100_000_000;
const LONGEST_SLICE_NS: u64 = 1_000_000_000;
/// Answers that each connection of a closed loop gets in a slice, at least.
const ANSWERS_OF_A_CONNECTION: f64 = 10.0;
/// Users who arrive in a slice, at least.
const ARRIVALS_OF_A_SLICE: f64 = 20.0;
/// The loads of every turn of a duel of which these acts are known, the whole warm-up among them.
pub(super) fn levels(plan: &DuelPlan, acts: &[Acted]) -> Vec<LevelTerms> {
    chosen(plan, slower_per_s(plan, acts).unwrap_or(0.0))
}

/// What the slower side reaches in a closed loop, in answers per second; `None`: neither was warmed up by one.
fn slower_per_s(plan: &DuelPlan, acts: &[Acted]) -> Option<f64> {
    let reached = warm_ups(plan, acts).map(|parts| parts.last().map(|last| last.ok_per_s));
    reached.into_iter().flatten().reduce(f64::min)
}

/// Length of the slices in which a level is driven: a tenth of a second, but long enough for several arrivals at a rate, and in a
/// closed loop for several answers on each connection.
pub(super) fn slices(plan: &DuelPlan, acts: &[Acted], terms: &LevelTerms) -> SliceTerms {
    let wanted_s = match terms.mean_rate() {
        Some(per_s) => ARRIVALS_OF_A_SLICE / per_s.max(1.0),
        None => {
            let answers = ANSWERS_OF_A_CONNECTION * f64::from(plan.connections);
            slower_per_s(plan, acts).map_or(0.0, |per_s| answers / per_s.max(1.0))
        }
    };
    let length_ns = (wanted_s * 1e3).ceil() as u64 * 1_000_000;
    let length_ns = length_ns.clamp(SLICE_NS, LONGEST_SLICE_NS);
    SliceTerms { length_ns, drain_ns: length_ns }
}

/// At the rate that was asked for, or at rates by what the slower side reaches.
fn chosen(plan: &DuelPlan, slower_per_s: f64) -> Vec<LevelTerms> {
    let (pace, connections) = (&plan.pace, plan.connections);
    let load = |level, length_ns: u64, rate_micro: Option<u64>| LevelTerms {
        level,
        length_ns,
        injection: rate_micro.map(|micro| Injection::constant(micro, Duration::from_nanos(length_ns))),
        connections,
    };
    // Rates are of users.
    let slower_per_s = slower_per_s / plan.requests_per_user.max(1.0);
    let of_slower = |share: f64| Some(((slower_per_s * share * 1e6) as u64).max(1_000_000));
    match &plan.asked {
        None => {}
        Some(AskedTraffic::Rate(micro)) => {
            return vec![load(Level::Asked, pace.open_ns + pace.closed_ns, Some(*micro))];
        }
        Some(AskedTraffic::Arrivals(injection)) => {
            let length_ns = injection.duration_ns();
            let injection = Some(injection.clone());
            return vec![LevelTerms { level: Level::Asked, length_ns, injection, connections }];
        }
    }
    let mut levels = vec![load(Level::Half, pace.open_ns, of_slower(0.5))];
    if pace.near {
        levels.push(load(Level::Near, pace.closed_ns, of_slower(0.9)));
    }
    levels.push(load(Level::Highest, pace.closed_ns, None));
    levels
}

#[cfg(test)]
mod tests {
    use galo_plan::duel::Pace;

    use super::*;
    use crate::schedule::duel::tests::plan;

    fn told(pace: Pace, asked: Option<&AskedTraffic>) -> Vec<(&'static str, u64, Option<u64>)> {
        let plan = DuelPlan { pace, asked: asked.cloned(), ..plan() };
        let rate = |injection: &Injection| injection.final_rate_micro() / 1_000_000;
        let levels = chosen(&plan, 1_000.0);
        let told = levels.iter().map(|terms| {
            (terms.level.name(), terms.length_ns / 1_000_000, terms.injection.as_ref().map(rate))
        });
        told.collect()
    }

    #[test]
    fn rates_follow_what_the_slower_side_reaches() {
        assert_eq!(
            told(Pace::THOROUGH, None),
            [("half", 1_500, Some(500)), ("near", 500, Some(900)), ("highest", 500, None)]
        );
        assert_eq!(told(Pace::USUAL, None), [("half", 1_500, Some(500)), ("highest", 500, None)]);
        assert_eq!(told(Pace::USUAL, Some(&AskedTraffic::Rate(77_000_000))), [("asked", 2_000, Some(77))]);
    }

    #[test]
    fn rates_count_users_who_send_several_requests_each() {
        let plan = DuelPlan { pace: Pace::QUICK, requests_per_user: 4.0, asked: None, ..plan() };
        let half = chosen(&plan, 1_000.0)[0].injection.clone().unwrap();
        assert_eq!(half.final_rate_micro(), 125_000_000);
    }

    #[test]
    fn a_profile_is_driven_as_it_is() {
        let profile =
            AskedTraffic::Arrivals(Injection::parse(&["1/s for 2s", "ramp 10/s to 30/s over 9s"]).unwrap());
        assert_eq!(told(Pace::QUICK, Some(&profile)), [("asked", 11_000, Some(30))]);
    }
}
