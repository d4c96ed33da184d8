//! A load that was too light for a verdict: how near to a limit it came, and which one would do ([ADR 50]).
//!
//! [ADR 50]: ../../../../docs/adr/050-a-fight-that-is-too-light-ends.md

use galo_plan::JsonSchema;
use galo_plan::Plan;
use galo_plan::plan::SCALES_MILLI;
use serde::{Deserialize, Serialize};

use super::{Verdict, judge_fight, name_of};
use crate::judgement::{Judgement, Standing};
use crate::nearness::{Nearness, Used, larger};
use crate::pairing::valid;
use galo_words::significant;

/// Share of its limit that the busier contender should use in its busiest second: above what makes a round
/// [stressed](crate::signs::CPU_SHARE), since answers mostly cost less the more of them there are, and below all of it,
/// where only queues are compared.
const CPU_GOAL: f64 = 0.9;
/// Share of its time that galo's engine may be busy in that second: below what makes a round
/// [void](crate::void::ENGINE_BUSY_MAX).
const CLIENT_MOST: f64 = 0.7;
/// A scale is worth another fight if it is at least so much higher.
const WORTH_IT: f64 = 1.05;

/// How near to one kind of limit any round came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Nearest {
    /// Name of the contender whose round it was.
    pub contender: String,
    /// How much of which limit.
    #[serde(flatten)]
    pub used: Used,
}

/// A scale with which more is seen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Raised {
    /// Factor on every arrival rate, for `--scale`.
    pub scale: f64,
    /// Share of its limit of CPU that the busier contender should use then, by its CPU for each answer.
    pub cpu_share: f64,
    /// Whether it is no higher because galo itself could not drive more.
    pub held_by_client: bool,
}

/// Whether the last pair of a fight is whole and says that the load is too light for all who may be ranked, so that more
/// pairs would name no winner. Not where a contender fights itself: that is for the noise, whatever the load.
pub fn is_too_light(plan: &Plan, rounds: &[Judgement]) -> bool {
    let is_valid = |round: &&Judgement| round.standing == Standing::Valid;
    let contenders = &plan.contenders;
    let last_pair = rounds.last().map(|round| round.pair);
    let pair = || rounds.iter().filter(|round| Some(round.pair) == last_pair);
    let is_whole = pair().count() == contenders.len()
        && !pair()
            .any(|round| matches!(round.standing, Standing::Void { .. }) && !plan.is_null(round.contender));
    let is_against_itself =
        contenders.first().is_some_and(|first| contenders[1..].iter().all(|other| first.is_same(other)));
    is_whole
        && !is_against_itself
        && !rounds.iter().filter(is_valid).any(|round| round.stressed && !plan.is_null(round.contender))
        && matches!(judge_fight(plan, rounds).0, Verdict::NeitherWasStressed { .. })
}

/// The verdict over two of whose rounds that count none was stressed.
pub(super) fn neither_was_stressed(plan: &Plan, rounds: &[&Judgement], contenders: [usize; 2]) -> Verdict {
    let counted = || contenders.into_iter().flat_map(|contender| valid(rounds, contender));
    let nearest_to = |kind: usize| {
        let each = counted().filter_map(|round| Some((round.contender, round.nearness.used[kind].as_ref()?)));
        let (contender, used) = each.max_by(|(_, a), (_, b)| a.share.total_cmp(&b.share))?;
        let used = Used { share: significant(used.share, 3), ..used.clone() };
        Some(Nearest { contender: name_of(plan, contender), used })
    };
    let mut nearest: Vec<Nearest> = (0..3).filter_map(nearest_to).collect();
    nearest.sort_by(|a, b| b.used.share.total_cmp(&a.used.share));
    let most =
        |of: fn(&Nearness) -> Option<f64>| counted().map(|round| of(&round.nearness)).fold(None, larger);
    let cpu = most(|of| of.cpu_at_peak).filter(|cpu| *cpu > 0.0);
    let raised = cpu.and_then(|cpu| raised(plan, cpu, most(|of| of.client_at_peak)));
    Verdict::NeitherWasStressed { nearest, raised }
}

/// What to raise the scale to, by what the busier contender and galo's engine use of theirs at this one.
fn raised(plan: &Plan, cpu: f64, client: Option<f64>) -> Option<Raised> {
    let now = f64::from(plan.scale_milli) / 1000.0;
    let users = plan.traffic.iter().flatten().map(|traffic| traffic.users).max().unwrap_or(0).max(1);
    let planned = (f64::from(u32::MAX) / users as f64).min(f64::from(*SCALES_MILLI.end()) / 1000.0 / now);
    let wanted = (CPU_GOAL / cpu).min(planned);
    let most = client.map_or(f64::INFINITY, |client| CLIENT_MOST / client);
    let scale = significant(now * wanted.min(most), 2);
    let times = scale / now;
    (times.is_finite() && times >= WORTH_IT).then(|| Raised {
        scale,
        cpu_share: significant(cpu * times, 2),
        held_by_client: most < wanted,
    })
}

#[cfg(test)]
mod tests {
    use galo_plan::PairId;

    use super::*;
    use crate::findings::Interrupted;
    use crate::testing::plan_of;
    use crate::verdict::tests::round;

    /// A light round: so much of its CPU limit in its busiest second, and galo's engine so busy.
    fn light(slot: usize, contenders: usize, [cpu, client]: [f64; 2]) -> Judgement {
        let mut round = round(slot, 10.0);
        (round.stressed, round.contender) = (false, slot % contenders);
        round.pair = PairId { pair: (slot / contenders) as u32, attempt: 0 };
        (round.nearness.cpu_at_peak, round.nearness.client_at_peak) = (Some(cpu), Some(client));
        round
    }

    fn pair(cpu: [f64; 2], client: f64) -> Vec<Judgement> {
        (0..2).map(|slot| light(slot, 2, [cpu[slot], client])).collect()
    }

    fn told(plan: &Plan, rounds: &[Judgement]) -> String {
        serde_json::to_string(&judge_fight(plan, rounds).0).expect("plain data")
    }

    #[test]
    fn it_is_told_how_near_each_kind_of_limit_was_and_which_scale_brings_the_busier_one_near() {
        let plan = plan_of(&["a", "b"], 9);
        let mut rounds = pair([0.05, 0.1], 0.01);
        rounds[0].nearness.used[1].as_mut().expect("memory").share = 0.5;
        insta::assert_snapshot!(told(&plan, &rounds), @r#"{"kind":"neither_was_stressed","nearest":[{"contender":"a","share":0.5,"of":{"kind":"service","service":"api","near":[{"limit":"memory","bytes":62914560,"limit_bytes":268435456}]}},{"contender":"b","share":0.2,"of":{"kind":"service","service":"api","near":[{"limit":"cpu","cpus":0.1,"limit_milli":500}]}},{"contender":"b","share":0.00834,"of":{"kind":"slow","latency_us_p99":10002.4,"service_level_ns":1200000000}}],"raised":{"scale":9.0,"cpu_share":0.9,"held_by_client":false}}"#);
    }

    #[test]
    fn the_scale_goes_by_that_of_the_plan_and_is_no_higher_than_galo_can_drive() {
        let scale = |milli, cpu, client| {
            let plan = Plan { scale_milli: milli, ..plan_of(&["a", "b"], 9) };
            let Verdict::NeitherWasStressed { raised, .. } = judge_fight(&plan, &pair([cpu, 0.01], client)).0
            else {
                panic!("it is light");
            };
            raised.map(|raised| (raised.scale, raised.cpu_share, raised.held_by_client))
        };
        assert_eq!(scale(1000, 0.3, 0.1), Some((3.0, 0.9, false)));
        assert_eq!(scale(500, 0.3, 0.1), Some((1.5, 0.9, false)));
        assert_eq!(scale(1000, 0.09, 0.35), Some((2.0, 0.18, true)));
        assert_eq!(scale(1000, 0.09, 0.69), None, "galo can drive no more");
        assert!(scale(1000, 0.0, 0.1).is_some(), "the other one used some");
        assert_eq!(scale(900_000, 0.01, 0.001), Some((1000.0, 0.011, false)), "the highest that there is");
    }

    #[test]
    fn a_whole_pair_of_light_rounds_says_that_the_load_is_too_light() {
        let plan = plan_of(&["a", "b"], 9);
        let rounds = pair([0.1, 0.1], 0.1);
        assert!(
            is_too_light(&plan, &rounds) && !is_too_light(&plan, &rounds[..1]) && !is_too_light(&plan, &[])
        );
        let but = |change: fn(&mut Judgement)| {
            let mut rounds = rounds.clone();
            change(&mut rounds[1]);
            is_too_light(&plan, &rounds)
        };
        assert!(!but(|round| round.stressed = true));
        assert!(!but(|round| round.standing = Standing::Void { reasons: vec![Interrupted {}.into()] }));
        assert!(!but(
            |round| round.standing = Standing::Disqualified { rules: vec!["count-differs".to_owned()] }
        ));
        assert!(!but(|round| round.standing = Standing::NotReady { reason: "no".to_owned() }));
        let itself = Plan { contenders: vec![plan.contenders[0].clone(); 2], ..plan.clone() };
        assert!(!is_too_light(&itself, &rounds), "its noise is asked for");
    }

    #[test]
    fn of_three_all_that_may_be_ranked_must_have_been_idle() {
        let plan = plan_of(&["a", "b", "c"], 9);
        let rounds: Vec<Judgement> = (0..3).map(|slot| light(slot, 3, [0.1, 0.1])).collect();
        assert!(is_too_light(&plan, &rounds) && !is_too_light(&plan, &rounds[..2]));
        let with = |change: fn(&mut Judgement)| {
            let mut rounds = rounds.clone();
            change(&mut rounds[2]);
            is_too_light(&plan, &rounds)
        };
        assert!(!with(|round| round.stressed = true), "though it is not among the best two");
        assert!(with(
            |round| round.standing = Standing::Disqualified { rules: vec!["count-differs".to_owned()] }
        ));
    }
}
