//! A search for the best setting, judged: what was tried, what is best, what it gains on the start, and which knobs mattered.

mod search;
#[cfg(test)]
mod simulation;
mod surrogate;

use galo_plan::JsonSchema;
use galo_plan::knob::{self, Turn};
use galo_plan::tune::{Objective, TunePlan};
use galo_record::RunHeader;
use serde::{Deserialize, Serialize};

use crate::child::{CameTo, Child};
use crate::fight::{JudgedFight, ServiceSeen};
use crate::judgement::Standing;
use crate::league::Ratio;
use crate::limit::{JudgedLimit, LimitedBy};
use crate::measure::Measure;
use crate::verdict::Comparison;

pub use search::{Tried, propose};

/// What a search for the best setting came to, as far as it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "tune")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedTune {
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
    /// Name of the contender.
    pub contender: String,
    /// Short name of the challenge.
    pub challenge: String,
    /// Name of the profile.
    pub profile: String,
    /// Factor on its rates where the objective is not the highest scale.
    pub scale: f64,
    /// Seed of all that was drawn; of a run that is not over `sha256:` and its commitment.
    pub seed: String,
    /// What is best.
    pub objective: Objective,
    /// All tries, the first of which is the start.
    pub tries: Vec<Try>,
    /// Index of the best one; null: none succeeded.
    pub best: Option<usize>,
    /// The objective of the best divided by the start's: above 1 is better for the highest scale, below 1 else. CPU and p99 are
    /// compared by the fight at the end, once it has an interval; null: the best is the start, or the start failed.
    pub gain: Option<Ratio>,
    /// Which coordinates mattered, by the tries; empty: too few were.
    pub effects: Vec<Effect>,
    /// How many tries it takes to say so.
    pub effects_after: usize,
    /// What to paste into the Compose file for the best, as YAML; null: the start is the best.
    pub fragment: Option<String>,
    /// The fight of the best against the start at the end; null: none was driven.
    pub fight: Option<Box<JudgedFight>>,
}

/// One try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Try {
    /// The child, from 1.
    pub child: u32,
    /// The setting; none: the contender's own.
    pub turns: Vec<Turn>,
    /// The objective there: a scale, microseconds of CPU for each right answer, or p99 in microseconds; null: it failed.
    pub value: Option<f64>,
    /// Where it lies for sure; null: nobody can say, or it failed.
    pub interval: Option<[f64; 2]>,
    /// Why it failed; null: it did not.
    pub failed: Option<String>,
    /// Whether galo or the machine spoiled it: that says nothing of the setting.
    pub void: bool,
}

/// What a coordinate does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Effect {
    /// The knob, or the share of CPU.
    pub knob: String,
    /// The largest factor between objectives that turning it alone makes from the best setting, as expected by all tries.
    pub factor: f64,
    /// Whether that is more than the noise of a try.
    pub matters: bool,
}

impl JudgedTune {
    /// Folds a search. `children` are those that are over, in their order.
    pub fn judge(header: RunHeader, plan: &TunePlan, seed: String, children: &[Child<'_>]) -> Self {
        let (mut tried, mut tries) = (Vec::new(), Vec::new());
        for child in children.iter().filter(|child| last(child).is_none()) {
            let turns = propose(plan, &tried);
            let outcome = Outcome::of(plan.objective, child.came_to);
            tried.push(outcome.tried(turns.clone(), plan.objective));
            let Outcome { value, interval, failed, void, .. } = outcome;
            tries.push(Try { child: child.number, turns, value, interval, failed, void });
        }
        let best = (!tried.is_empty()).then(|| search::best(plan, &tried));
        let best = best.filter(|&best| tries[best].value.is_some());
        let fought = children.iter().find_map(last);
        let by_fight =
            fought.and_then(|fight| gain_of_fight(plan.objective, &plan.contender.name, &fight.comparisons));
        let by_tries = || gain([&tries[0], &tries[best?]]);
        Self {
            header,
            contender: plan.contender.name.clone(),
            challenge: plan.challenge.clone(),
            profile: plan.profile.clone(),
            scale: f64::from(plan.scale_milli) / 1e3,
            seed,
            objective: plan.objective,
            gain: best.and(by_fight).or_else(by_tries),
            effects: best.map_or_else(Vec::new, |best| effects(plan, &tried, best)),
            effects_after: effects_after(plan),
            fragment: best.and_then(|best| fragment(plan, &tries[best].turns)),
            tries,
            best,
            fight: fought.cloned().map(Box::new),
        }
    }

    /// The best try, where it is another setting than the start.
    pub fn better(&self) -> Option<&Try> {
        self.best.map(|best| &self.tries[best]).filter(|best| !best.turns.is_empty())
    }
}

/// The fight of the best against the start, if a child is that.
fn last<'a>(child: &Child<'a>) -> Option<&'a JudgedFight> {
    child.fight().filter(|fight| fight.contenders.len() == 2)
}

/// What was tried so far; `None`: the best has fought the start, so the search is over.
pub fn tried(plan: &TunePlan, children: &[Child<'_>]) -> Option<Vec<Tried>> {
    if children.iter().any(|child| last(child).is_some()) {
        return None;
    }
    let mut tried = Vec::new();
    for child in children {
        let turns = propose(plan, &tried);
        tried.push(Outcome::of(plan.objective, child.came_to).tried(turns, plan.objective));
    }
    Some(tried)
}

/// The setting that is expected to be best; `None`: the start is, or nothing succeeded.
pub fn best(plan: &TunePlan, tried: &[Tried]) -> Option<Vec<Turn>> {
    let best = tried.get(search::best(plan, tried))?;
    (best.log.is_some() && !best.turns.is_empty()).then(|| best.turns.clone())
}

/// What a try came to.
struct Outcome {
    value: Option<f64>,
    interval: Option<[f64; 2]>,
    failed: Option<String>,
    void: bool,
    costs: Vec<(String, f64)>,
}

impl Outcome {
    fn of(objective: Objective, came_to: CameTo<'_>) -> Self {
        match came_to {
            CameTo::Nothing(reason) => Self::failed(reason.to_owned()),
            CameTo::Limit(limit) => Self::of_limit(limit),
            CameTo::Fight(fight) => Self::of_rounds(objective, fight),
        }
    }

    const fn failed(reason: String) -> Self {
        Self { value: None, interval: None, failed: Some(reason), void: false, costs: Vec::new() }
    }

    fn of_limit(limit: &JudgedLimit) -> Self {
        let costs = limit.standing().or(limit.holds.first()).map_or_else(Vec::new, |hold| {
            let requests = hold.requests().max(1) as f64;
            let cost = |service: &crate::limit::HoldService| {
                Some((service.name.clone(), service.cpu_ns? as f64 / 1e3 / requests))
            };
            hold.services.iter().filter_map(cost).collect()
        });
        let [scale, low, high] =
            [limit.scale_milli, limit.low_milli, limit.high_milli].map(|milli| milli.map(|m| m as f64 / 1e3));
        let Some(scale) = scale else {
            let (reason, void) = match (&limit.end, limit.limited_by) {
                (galo_record::RunEnd::Failed(reason), _) => (reason.clone(), false),
                (_, LimitedBy::Galo) => ("its holds were void".to_owned(), true),
                _ => ("it held no scale".to_owned(), false),
            };
            return Self { costs, void, ..Self::failed(reason) };
        };
        // Between what is held and what is not: finer than the steps of the search.
        let middle = low.zip(high).map_or(scale, |(low, high)| (low * high).sqrt());
        Self {
            value: Some(middle),
            interval: low.zip(high).map(|(low, high)| [low, high]),
            failed: None,
            void: false,
            costs,
        }
    }

    fn of_rounds(objective: Objective, fight: &JudgedFight) -> Self {
        let counts = || fight.rounds.iter().filter(|round| round.judgement.standing == Standing::Valid);
        let measure = measure(objective);
        let logs: Vec<f64> =
            counts().filter_map(|round| Some(round.judgement.measures.get(measure)?.ln())).collect();
        let Some(mean) = crate::stats::mean(&logs) else {
            let why = fight.rounds.iter().find_map(|round| match &round.judgement.standing {
                Standing::NotReady { reason } => Some(reason.clone()),
                Standing::Disqualified { rules } => Some(format!("it broke a rule: {}", rules.join(", "))),
                Standing::Valid | Standing::Void { .. } => None,
            });
            let void = why.is_none();
            return Self { void, ..Self::failed(why.unwrap_or_else(|| "its rounds were void".to_owned())) };
        };
        let costs = counts().next().map_or_else(Vec::new, |round| {
            let right = round.judgement.ledger.ok.max(1) as f64;
            let cost = |service: &ServiceSeen| Some((service.name.clone(), service.cpu_s()? * 1e6 / right));
            round.services.iter().filter_map(cost).collect()
        });
        Self { value: Some(mean.exp()), interval: None, failed: None, void: false, costs }
    }

    fn tried(&self, turns: Vec<Turn>, objective: Objective) -> Tried {
        let log = self.value.filter(|value| *value > 0.0).map(f64::ln);
        let log = if objective == Objective::Scale { log } else { log.map(|log| -log) };
        Tried { turns, log, void: self.void, costs: self.costs.clone() }
    }
}

/// The best by the start, with the widest factor that both intervals allow.
fn gain([start, best]: [&Try; 2]) -> Option<Ratio> {
    let ratio = best.value? / start.value?;
    if best.turns.is_empty() {
        return None;
    }
    let ([start_low, start_high], [low, high]) = start.interval.zip(best.interval).unwrap_or_default();
    let is_known = start_low > 0.0 && low > 0.0;
    let interval = if is_known { [low / start_high, high / start_low] } else { [ratio, ratio] };
    Some(Ratio { ratio, interval })
}

/// What a round tells of an objective.
const fn measure(objective: Objective) -> Measure {
    match objective {
        Objective::Cpu => Measure::CpuMsPer1000,
        Objective::Scale | Objective::P99 => Measure::LatencyUsP99,
    }
}

/// The gain by the fight at the end; `None`: a fight does not compare the objective, or it has no interval of it.
fn gain_of_fight(objective: Objective, start: &str, comparisons: &[Comparison]) -> Option<Ratio> {
    let compared = comparisons.iter().find(|of| of.measure == measure(objective))?;
    let (ratio, [low, high]) = (compared.ratios.ratio?, compared.ratios.interval?);
    (objective != Objective::Scale).then(|| match compared.contenders[0] == start {
        true => Ratio { ratio: 1.0 / ratio, interval: [1.0 / high, 1.0 / low] },
        false => Ratio { ratio, interval: [low, high] },
    })
}

/// A setting as its Compose file would say it; `None`: it is the contender's own.
fn fragment(plan: &TunePlan, turns: &[Turn]) -> Option<String> {
    let places = |turn: &Turn| {
        let dial = plan.dials.iter().find(|dial| dial.knob == turn.knob);
        let places = dial.map_or_else(|| vec![turn.knob.clone()], |dial| dial.to.clone());
        let value = turn.value.clone();
        places.into_iter().map(move |place| (place, value.clone()))
    };
    let all: Vec<(String, String)> = turns.iter().flat_map(places).collect();
    (!all.is_empty()).then(|| knob::fragment(&all))
}

/// Fewer tries say nothing of so many coordinates.
fn effects_after(plan: &TunePlan) -> usize {
    plan.names().len() + 3
}

/// What each coordinate does from the best setting on.
fn effects(plan: &TunePlan, tried: &[Tried], best: usize) -> Vec<Effect> {
    /// Places of a coordinate that are looked at.
    const PLACES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
    let names = plan.names();
    if tried.len() < effects_after(plan) {
        return Vec::new();
    }
    let known = search::Known::of(plan, tried);
    let effect = |(coordinate, knob): (usize, String)| {
        let at = |place: f64| {
            let mut point = known.points[best].clone();
            point[coordinate] = place;
            known.expected(&point)
        };
        let means = PLACES.map(at);
        let [least, most] = means.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], mean| {
            [least.min(*mean), most.max(*mean)]
        });
        let by = most - least;
        Effect { knob, factor: by.exp(), matters: by > 2.0 * known.noise() }
    };
    let mut effects: Vec<Effect> = names.into_iter().enumerate().map(effect).collect();
    effects.sort_by(|a, b| b.factor.total_cmp(&a.factor));
    effects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::judge_fight;

    #[test]
    fn the_fight_at_the_end_gives_the_gain_in_p99_its_interval() {
        // `a` is the start; `b`, the best, takes four fifths as long.
        let p99_ms = |slot: usize| [10.0, 8.0][slot % 2] + (slot % 3) as f64 / 10.0;
        let rounds: Vec<_> = (0..12).map(|slot| crate::verdict::tests::round(slot, p99_ms(slot))).collect();
        let (_, comparisons) = judge_fight(&crate::testing::plan(), &rounds);
        let gain = |start| gain_of_fight(Objective::P99, start, &comparisons).unwrap();
        let Ratio { ratio, interval: [low, high] } = gain("a");
        assert!((ratio - 0.8).abs() < 0.02 && low < ratio && ratio < high, "{low} {ratio} {high}");
        assert!((gain("b").ratio * ratio - 1.0).abs() < 1e-9);
        assert_eq!(gain_of_fight(Objective::Scale, "a", &comparisons), None);
    }
}
