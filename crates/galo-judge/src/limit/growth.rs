//! `cost-grows-with-stored`: a contender that stays up over the holds of a search keeps what they stored, and a request costs more.

use galo_plan::{Plan, Step};
use galo_record::act::{Act, Acted, Loaded, Outcome};

use super::hold::Hold;
use super::{HeldUp, held_up_by, is_hold};
use crate::behaviour::growth::{CORRELATION, correlation};
use crate::bottleneck::thousandths;
use crate::findings::{CostGrowsWithStored, Finding, HoldCost, Kind};
use crate::signs::STRANGERS_CPUS;

/// A hold with so many times as much stored ...
const STORED: f64 = 1.5;
/// ... and so many writes more ...
const LEAST_WRITES: u64 = 100;
/// ... shows growth where a request takes so many times as much CPU. Neighbours, clocks and queues change that by less.
const CPU: f64 = 1.5;
/// Or where the median latency is so many times as long, and longer by so much, though no service was short of anything.
const LATENCY: f64 = 3.0;
const LATENCY_US: f64 = 5_000.0;
/// Fewest requests of a hold of which anything is said.
const LEAST_REQUESTS: u64 = 50;

/// A hold, and what is known of its cost.
#[derive(Debug, Clone, Copy)]
struct Costed {
    index: usize,
    /// The number of its start.
    start: u32,
    cost: HoldCost,
    /// Whether it says something of its cost: at rest a program uses CPU as well.
    is_known: bool,
}

/// Puts the finding before all other causes of the holds that were not met and cost more, and takes the blame off other programs
/// there: what another program takes away makes nobody's requests dearer.
///
/// Proves that a request took half as much CPU again, or three times as long without any service short of anything, as in every earlier
/// hold of the same start at the same scale or a higher one with two thirds of the writes at most, and that cost goes with writes over all
/// holds of that start. Not that it is what is stored: something else may pile up with it, such as memory that leaks.
pub(super) fn tell(plan: &Plan, acts: &[Acted], holds: &mut [Hold]) {
    let costed = costed(plan, acts, holds);
    let held_back: Vec<&Costed> = costed.iter().filter(|of| holds[of.index].outcome.is_not_met()).collect();
    let found: Vec<(&Costed, [HoldCost; 2])> =
        held_back.iter().filter_map(|later| Some((*later, grown(&costed, later, holds)?))).collect();
    for held in held_back {
        // What is stored stays; and a scale is tried twice: what the second try shows of the first one is told of both.
        let is_its = |(later, _): &&(&Costed, [HoldCost; 2])| {
            let is_same = later.cost.scale_milli == held.cost.scale_milli;
            later.start == held.start && (later.index <= held.index || is_same)
        };
        let Some((_, [earlier, later])) = found.iter().rfind(is_its) else { continue };
        let fact = CostGrowsWithStored { earlier: *earlier, later: *later };
        let causes = &mut holds[held.index].causes;
        causes.retain(|cause| !is_neighbours(cause));
        causes.insert(0, Finding::new(fact));
    }
}

fn is_neighbours(cause: &Finding) -> bool {
    cause.fact.kind() == Kind::BusyNeighbour
}

/// The last of the earlier holds that are comparable, and the later one, if a request of that costs more than in each of them.
fn grown(costed: &[Costed], later: &Costed, holds: &[Hold]) -> Option<[HoldCost; 2]> {
    let of_start: Vec<&Costed> = costed
        .iter()
        .filter(|hold| hold.is_known && hold.start == later.start && hold.index <= later.index)
        .collect();
    let is_comparable = |hold: &&&Costed| {
        let [few, many] = [hold.cost.written, later.cost.written];
        hold.cost.scale_milli >= later.cost.scale_milli
            && many >= few.saturating_add(LEAST_WRITES)
            && many as f64 >= STORED * few as f64
    };
    let comparable: Vec<&Costed> = of_start.iter().filter(is_comparable).copied().collect();
    let by_cpu = |hold: &Costed| hold.cost.cpu_us_each;
    let by_latency = |hold: &Costed| Some(hold.cost.latency_us_p50);
    let is_dearer = |of: fn(&Costed) -> Option<f64>, factor: f64, least: f64| {
        let dearer = |hold: &&Costed| {
            of(hold).zip(of(later)).is_some_and(|(few, many)| many >= factor * few && many >= few + least)
        };
        let both: Option<Vec<[u64; 2]>> =
            of_start.iter().map(|hold| Some([hold.cost.written, (of(hold)? * 1e3) as u64])).collect();
        comparable.iter().all(dearer) && both.is_some_and(|both| correlation(&both) >= CORRELATION)
    };
    later.is_known.then_some(())?;
    let last = comparable.iter().max_by_key(|hold| hold.cost.written)?;
    let both = [last.cost, later.cost];
    if is_dearer(by_cpu, CPU, 0.0) {
        return Some(both);
    }
    let is_slower = is_dearer(by_latency, LATENCY, LATENCY_US) && is_left_alone(&holds[later.index]);
    is_slower.then(|| both.map(|cost| HoldCost { cpu_us_each: None, ..cost }))
}

/// Whether no service was short of anything, and nobody else used much.
fn is_left_alone(hold: &Hold) -> bool {
    let used = |others: Option<f64>, stolen: f64| others.is_some_and(|cpus| cpus + stolen < STRANGERS_CPUS);
    held_up_by(hold) == HeldUp::NothingShort
        && hold
            .services
            .iter()
            .filter_map(|service| service.usage.as_ref())
            .all(|of| used(of.other_cpus, of.stolen_cpus))
}

/// All holds, in their order.
fn costed(plan: &Plan, acts: &[Acted], holds: &[Hold]) -> Vec<Costed> {
    let (mut start, mut written, mut middle) = (0, 0, 0);
    let (mut index, mut costed) = (0, Vec::new());
    for acted in acts {
        match (&acted.act, &acted.outcome) {
            (Act::Start { .. } | Act::Stop { .. }, _) | (_, Outcome::Lost) => {
                (start, written) = (start + 1, 0);
            }
            (Act::Load(_), Outcome::Loaded(loaded)) => {
                let writes = writes(plan, loaded);
                if is_hold(acted) {
                    middle = written + writes / 2;
                }
                written += writes;
            }
            (Act::Close, Outcome::Done) => {
                costed.extend(holds.get(index).map(|hold| cost(hold, index, start, middle)));
                index += 1;
            }
            _ => {}
        }
    }
    costed
}

/// What a hold cost. `written`: writes since its start, to its middle.
fn cost(hold: &Hold, index: usize, start: u32, written: u64) -> Costed {
    let requests = hold.requests();
    let cost = HoldCost {
        scale_milli: hold.scale_milli,
        written,
        cpu_us_each: hold.cpu_us_each().map(thousandths),
        latency_us_p50: thousandths(hold.latency.p50),
    };
    Costed { index, start, cost, is_known: hold.outcome.valid && requests >= LEAST_REQUESTS }
}

/// Right answers of a load to requests that may have stored something.
fn writes(plan: &Plan, loaded: &Loaded) -> u64 {
    let stores = |step: &Step| step.creates || matches!(step.method.as_str(), "POST" | "PUT" | "PATCH");
    let steps = plan.challenge.steps().zip(&loaded.load.steps);
    steps.filter(|((_, step), _)| stores(step)).map(|(_, step)| step.ledger.ok).sum()
}

#[cfg(test)]
mod tests;
