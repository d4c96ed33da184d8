//! The rounds of each contender, summed up.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_plan::Plan;
use serde::{Deserialize, Serialize};

use super::round::JudgedRound;
use crate::judgement::Standing;
use crate::measure::Measures;

/// The rounds of a contender, summed up.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Rounds driven, repeated ones included.
    pub rounds: usize,
    /// ... of these valid.
    pub valid: usize,
    /// ... disqualified.
    pub disqualified: usize,
    /// ... void.
    pub void: usize,
    /// ... in which it did not start.
    pub not_ready: usize,
    /// Whether it may be ranked: at least one valid round, and no other kind but void ones.
    pub ranked: bool,
    /// Geometric means over its valid rounds; where it may not be ranked, over its valid and disqualified ones.
    pub measures: Measures,
    /// Share of the quota periods in which the most throttled service was throttled, over the same rounds.
    pub throttled_share: Option<f64>,
    /// That service.
    pub throttled_service: Option<String>,
    /// Right answers, over the same rounds.
    pub ok: u64,
    /// CPU of each service over the same rounds, in the order in which they start.
    pub cpu: Vec<ServiceCpu>,
    /// CPU of the machine's container engines beside, over the same rounds; null: no round has it.
    pub container_engine_ns: Option<u64>,
}

/// CPU of one service over several rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceCpu {
    /// Name in the Compose file.
    pub service: String,
    /// CPU used while loads ran; null: not every one of these rounds has it.
    pub cpu_ns: Option<u64>,
}

impl Summary {
    /// CPU of all services together; `None`: there is no service, or one was not seen.
    pub fn cpu_ns(&self) -> Option<u64> {
        let each = self.cpu.iter().map(|service| service.cpu_ns);
        each.sum::<Option<u64>>().filter(|_| !self.cpu.is_empty())
    }
}

/// One for each contender of the plan, in its order.
pub(super) fn summaries(plan: &Plan, rounds: &[JudgedRound]) -> Vec<Summary> {
    plan.contenders
        .iter()
        .map(|contender| {
            let own: Vec<_> = rounds.iter().filter(|r| r.contender == contender.name).collect();
            summary(&own)
        })
        .collect()
}

fn summary(rounds: &[&JudgedRound]) -> Summary {
    let of = |wanted: fn(&Standing) -> bool| rounds.iter().filter(|r| wanted(&r.judgement.standing)).count();
    let mut summary = Summary {
        rounds: rounds.len(),
        valid: of(|s| matches!(s, Standing::Valid)),
        disqualified: of(|s| matches!(s, Standing::Disqualified { .. })),
        void: of(|s| matches!(s, Standing::Void { .. })),
        not_ready: of(|s| matches!(s, Standing::NotReady { .. })),
        ..Summary::default()
    };
    summary.ranked = summary.valid > 0 && summary.disqualified + summary.not_ready == 0;
    // A round that does not count is no part of any figure. Those of a disqualified contender are shown struck
    // through, so that it can be seen what the lie would have brought.
    let told: Vec<_> = rounds
        .iter()
        .copied()
        .filter(|r| matches!(r.judgement.standing, Standing::Valid | Standing::Disqualified { .. }))
        .collect();
    summary.measures = mean_measures(&told);
    if let Some((name, share)) = most_throttled(told.iter().copied()) {
        summary.throttled_service = Some(name);
        summary.throttled_share = Some(share);
    }
    summary.ok = told.iter().map(|round| round.judgement.ledger.ok).sum();
    summary.cpu = cpu_by_service(&told);
    summary.container_engine_ns =
        told.iter().filter_map(|round| round.container_engine_ns).reduce(|all, one| all + one);
    summary
}

/// Services of the first round, with what they used in all of them.
fn cpu_by_service(rounds: &[&JudgedRound]) -> Vec<ServiceCpu> {
    let all = || rounds.iter().flat_map(|round| &round.services);
    let used = |name: &str| all().filter(|s| s.name == name).map(|s| s.usage.cpu_ns).sum();
    let first = rounds.first().into_iter().flat_map(|round| &round.services);
    first.map(|s| ServiceCpu { service: s.name.clone(), cpu_ns: used(&s.name) }).collect()
}

fn mean_measures(rounds: &[&JudgedRound]) -> Measures {
    Measures::of_each(|measure| {
        geometric_mean(rounds.iter().filter_map(|round| round.judgement.measures.get(measure)))
    })
}

/// The mean that fits ratios: two contenders' geometric means differ by exactly the geometric mean of their ratios.
fn geometric_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.collect();
    match values.as_slice() {
        [] => None,
        // The way over the logarithm would change the last digits of a figure that is exact.
        [one] => Some(*one),
        many if many.iter().any(|v| *v <= 0.0) => Some(0.0),
        many => Some((many.iter().map(|v| v.ln()).sum::<f64>() / many.len() as f64).exp()),
    }
}

/// The service that was throttled in the largest share of its periods, over all of these rounds.
fn most_throttled<'a>(rounds: impl Iterator<Item = &'a JudgedRound>) -> Option<(String, f64)> {
    let mut totals: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for service in rounds.flat_map(|r| &r.services) {
        let total = totals.entry(&service.name).or_default();
        total.0 += service.usage.throttled_periods;
        total.1 += service.usage.periods;
    }
    totals
        .into_iter()
        .filter(|(_, (_, periods))| *periods > 0)
        .map(|(name, (throttled, periods))| (name.to_owned(), throttled as f64 / periods as f64))
        .max_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use galo_record::sample::ServiceSample;

    use super::*;
    use crate::testing::{RoundBuilder, plan};

    #[test]
    fn cpu_that_one_round_lacks_is_told_of_no_round() {
        let round = |is_seen: bool| {
            let mut data = RoundBuilder::clean().0;
            let seen = data.samples.iter_mut().filter(|_| !is_seen);
            seen.for_each(|sample| sample.services[1] = ServiceSample::default());
            JudgedRound::of(&plan(), &data, crate::verdict::tests::round(0, 10.0))
        };
        let cpu = |rounds: [bool; 2]| {
            let [first, second] = rounds.map(round);
            let summary = summary(&[&first, &second]);
            (
                summary.cpu.iter().map(|service| service.cpu_ns.is_some()).collect::<Vec<_>>(),
                summary.cpu_ns().is_some(),
            )
        };
        assert_eq!(cpu([true, true]), (vec![true, true], true));
        assert_eq!(cpu([true, false]), (vec![true, false], false));
        assert_eq!(Summary::default().cpu_ns(), None);
    }

    #[test]
    fn the_geometric_mean_keeps_the_ratio_of_two_contenders() {
        let mean = |values: &[f64]| geometric_mean(values.iter().copied()).unwrap();
        let (a, b) = (mean(&[1.0, 4.0]), mean(&[2.0, 8.0]));
        assert!((b / a - 2.0).abs() < 1e-12);
        assert_eq!(mean(&[0.1]), 0.1);
        assert_eq!(mean(&[0.0, 5.0]), 0.0);
        assert_eq!(geometric_mean(std::iter::empty()), None);
    }
}
