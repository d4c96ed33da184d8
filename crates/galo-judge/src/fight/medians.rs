//! Medians over the rounds of each contender of a larger fight: what it gave, and what it cost.

use galo_plan::JsonSchema;
use galo_record::Percentiles;
use serde::{Deserialize, Serialize};

use super::round::{JudgedRound, ServiceSeen};
use crate::judgement::Standing;

/// Medians over a contender's valid rounds; null where no round has the figure. Beside a baseline a contender's CPU and memory
/// are those of its own services, which the baseline does not have; a round has them only if each of these was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Medians {
    /// Name of the contender.
    pub contender: String,
    /// Right answers per second of load.
    pub answers_per_s: Option<f64>,
    /// CPU time of its own services for each right answer.
    pub cpu_us_per_answer: Option<f64>,
    /// CPU time of its own services, as a share of the load's length.
    pub cores_used: Option<f64>,
    /// CPU time of the whole machine for each right answer.
    pub machine_us_per_answer: Option<f64>,
    /// The peaks of its own services, added up.
    pub memory_peak_bytes: Option<f64>,
    /// Service time of right answers: each figure is a median of its own.
    pub service_time: Option<Percentiles>,
    /// p99 of the latency from the intended start.
    pub latency_us_p99: Option<f64>,
}

/// Medians of each of these contenders. `shared` names a baseline's services, which are not a contender's own.
pub(super) fn medians(contenders: &[String], shared: &[&str], rounds: &[JudgedRound]) -> Vec<Medians> {
    let is_own = |service: &ServiceSeen| !shared.contains(&service.name.as_str());
    let of = |name: &String| {
        let is_its =
            |round: &&JudgedRound| round.contender == *name && round.judgement.standing == Standing::Valid;
        Medians::of(name.clone(), &rounds.iter().filter(is_its).collect::<Vec<_>>(), is_own)
    };
    contenders.iter().map(of).collect()
}

impl Medians {
    fn of(contender: String, rounds: &[&JudgedRound], is_own: impl Fn(&ServiceSeen) -> bool) -> Self {
        let middle =
            |figure: &dyn Fn(&JudgedRound) -> Option<f64>| median(rounds.iter().filter_map(|r| figure(r)));
        let own = |round: &JudgedRound, figure: fn(&ServiceSeen) -> Option<f64>| {
            let services = round.services.iter().filter(|service| is_own(service));
            let each: Option<Vec<f64>> = services.map(figure).collect();
            each.filter(|each| !each.is_empty()).map(|each| each.iter().sum())
        };
        let cpu_ns = |round: &JudgedRound| own(round, |service| service.usage.cpu_ns.map(|ns| ns as f64));
        // A machine is never idle throughout: that is one at which nothing looked.
        let machine_ns = |round: &JudgedRound| Some(round.host.busy_ns as f64).filter(|ns| *ns > 0.0);
        let per_answer = |round: &JudgedRound, ns: f64| {
            let ok = round.judgement.ledger.ok;
            (ok > 0).then(|| ns / 1e3 / ok as f64)
        };
        let per_load = |round: &JudgedRound, n: f64| (round.load_ns > 0).then(|| n / round.load_ns as f64);
        let times: Vec<&Percentiles> =
            rounds.iter().map(|round| &round.service_time).filter(|times| times.count > 0).collect();
        Self {
            contender,
            answers_per_s: middle(&|round| per_load(round, round.judgement.ledger.ok as f64 * 1e9)),
            cpu_us_per_answer: middle(&|round| per_answer(round, cpu_ns(round)?)),
            cores_used: middle(&|round| per_load(round, cpu_ns(round)?)),
            machine_us_per_answer: middle(&|round| per_answer(round, machine_ns(round)?)),
            memory_peak_bytes: middle(&|round| {
                own(round, |service| service.usage.memory_peak_bytes.map(|bytes| bytes as f64))
            }),
            service_time: (!times.is_empty()).then(|| figure_by_figure(&times)),
            latency_us_p99: middle(&|round| (round.latency.count > 0).then_some(round.latency.p99)),
        }
    }
}

fn figure_by_figure(times: &[&Percentiles]) -> Percentiles {
    let of = |figure: fn(&Percentiles) -> f64| median(times.iter().map(|of| figure(of))).unwrap_or_default();
    Percentiles {
        count: of(|l| l.count as f64) as u64,
        min: of(|l| l.min),
        p50: of(|l| l.p50),
        p75: of(|l| l.p75),
        p90: of(|l| l.p90),
        p95: of(|l| l.p95),
        p99: of(|l| l.p99),
        p99_9: of(|l| l.p99_9),
        p99_99: of(|l| l.p99_99),
        max: of(|l| l.max),
        mean: of(|l| l.mean),
        standard_deviation: of(|l| l.standard_deviation),
        tm95: of(|l| l.tm95),
        tm99: of(|l| l.tm99),
        tm99_9: of(|l| l.tm99_9),
    }
}

fn median(figures: impl Iterator<Item = f64>) -> Option<f64> {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let upper = *figures.get(middle)?;
    Some(if figures.len() % 2 == 1 { upper } else { f64::midpoint(figures[middle - 1], upper) })
}

#[cfg(test)]
mod tests {
    use galo_record::Sample;
    use galo_record::sample::ServiceSample;

    use super::*;
    use crate::testing::{RoundBuilder, plan};

    #[test]
    fn cpu_that_was_not_seen_of_one_service_is_not_told() {
        let medians = |see: fn(&mut Sample)| {
            let mut data = RoundBuilder::clean().0;
            data.samples.iter_mut().for_each(see);
            let round = JudgedRound::of(&plan(), &data, crate::verdict::tests::round(0, 10.0));
            let Medians { cpu_us_per_answer, memory_peak_bytes, machine_us_per_answer, .. } =
                Medians::of("a".to_owned(), &[&round], |_| true);
            [cpu_us_per_answer, memory_peak_bytes, machine_us_per_answer].map(|figure| figure.is_some())
        };
        assert_eq!(medians(|_| {}), [true; 3]);
        let no_groups = |sample: &mut Sample| sample.services[1] = ServiceSample::default();
        assert_eq!(medians(no_groups), [false, false, true]);
        assert_eq!(medians(|sample| sample.host.busy_ns = 0), [true, true, false]);
    }

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let of = |figures: &[f64]| median(figures.iter().copied());
        assert_eq!([of(&[]), of(&[3.0, 1.0, 2.0]), of(&[4.0, 1.0, 2.0, 3.0])], [None, Some(2.0), Some(2.5)]);
    }
}
