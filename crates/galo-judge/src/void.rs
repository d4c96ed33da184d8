//! When a round is void: spoiled by galo or the host, so that it says nothing about the contender.

use galo_plan::Blame;
use galo_record::HostFact;
use galo_record::round::RoundEnd;
use galo_record::{RoundData, RoundRecord, Sample};

use crate::words::{counted, grouped};

/// galo's own lag (99 %) above which a round is void, in microseconds. Latency is counted from the intended start,
/// so galo's lateness is charged to the contender; more than this would be seen in its percentiles.
pub const LAG_US_P99_MAX: f64 = 5_000.0;
/// galo's goal for the same: above it the round counts, but the report says so.
pub const LAG_US_P99_GOAL: f64 = 2_000.0;
/// Where one load is judged by itself and compared with none, lag up to this share of the median latency is fine as well:
/// what is slower is measured well enough all the same.
pub const LAG_SHARE_FINE: f64 = 0.1;
/// Share of the CPU time wanted on the machine that a hypervisor took away, above which a round is void.
pub const STEAL_SHARE_MAX: f64 = 0.10;
/// ... if it also took more than this share of the load's time: less cannot reach a 99th percentile, however little the
/// machine wanted meanwhile.
pub const STEAL_OF_TIME_MAX: f64 = 0.01;
/// Share of their wall time that galo's engine threads may be busy; above it they were the bottleneck, or about to
/// be: the arrivals of the next moment would have waited for them.
pub const ENGINE_BUSY_MAX: f64 = 0.90;

/// Times its CPU limit that a service may use over a second and longer, and one period's quota.
const QUOTA_SHARE_MAX: f64 = 1.05;
/// The kernel's period, in nanoseconds.
const QUOTA_PERIOD_NS: f64 = 100_000_000.0;
/// How long a service must use more than its limit allows.
const OVER_NS: u64 = 1_000_000_000;

const UNEQUAL_TERMS: &str = "unequal-terms";
const FAIR_AGAIN: &str = "fight again; `galo doctor` says what this machine can enforce";

/// Name of the finding that galo itself was late.
pub(crate) const GALO_LATE: &str = "galo-late";

/// One reason for a round to be void.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoidReason {
    /// Name of the finding that it becomes.
    pub name: &'static str,
    /// Who is to blame: galo (or its caller), or the host.
    pub blame: Blame,
    /// With its numbers, without a full stop.
    pub text: String,
    /// What it spoils.
    pub spoils: Spoils,
    /// What to do about it; `None`: nothing that would help.
    pub hint: Option<&'static str>,
}

/// What gives galo time enough.
const GIVE_GALO_TIME: &str = "leave galo a core of its own (`cpuset` in the contender's file), end what else runs here, \
                              or lower the load (`--scale`)";

/// How far a void round may still be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoils {
    /// Its times and rates. An answer is as wrong as ever, however late it was asked for.
    Figures,
    /// The account itself: nothing in it may be held against anybody.
    Account,
}

/// Why a round is void, gravest first; empty where it is not. Contradictions of its records are judged elsewhere.
pub fn void_reasons(round: &RoundData) -> Vec<VoidReason> {
    let record = &round.record;
    let interrupted = (record.end == RoundEnd::Interrupted).then(|| VoidReason {
        name: "interrupted",
        blame: Blame::Client,
        text: "the caller broke it off".to_owned(),
        spoils: Spoils::Account,
        hint: None,
    });
    let own_errors = own_errors(record);
    interrupted
        .into_iter()
        .chain(own_errors)
        .chain(late(record))
        .chain(busy(record))
        .chain(stolen(round))
        .chain(unequal(record))
        .chain(over_quota(round))
        .collect()
}

/// What the host found and must not have been, such as limits that did not hold to the end: the fight was not fair.
fn unequal(record: &RoundRecord) -> impl Iterator<Item = VoidReason> + '_ {
    record.findings.iter().filter_map(|fact| match fact {
        HostFact::LimitsLost { .. } => Some(VoidReason {
            name: UNEQUAL_TERMS,
            blame: Blame::Host,
            text: crate::words::host(fact),
            spoils: Spoils::Figures,
            hint: Some(FAIR_AGAIN),
        }),
        _ => None,
    })
}

/// A service that used more CPU than its limit allows: something lifted that meanwhile.
///
/// The kernel hands the quota out by periods of 0.1 s, and a second may lie across eleven of them, so one quota more is not
/// held against anybody. A look at a time `t` is known to be over when the next one begins, which is what counts as elapsed.
fn over_quota(round: &RoundData) -> Option<VoidReason> {
    let placed = &round.record.placement.as_ref()?.services;
    let over = placed.iter().enumerate().filter_map(|(index, service)| {
        let quota = f64::from(service.cpus_milli?) / 1000.0;
        let most = most_over(&round.samples, index, QUOTA_SHARE_MAX * quota)?;
        (most > quota * QUOTA_PERIOD_NS).then_some((service, quota, most))
    });
    let (service, quota, most) = over.max_by(|a, b| a.2.total_cmp(&b.2))?;
    Some(VoidReason {
        name: UNEQUAL_TERMS,
        blame: Blame::Host,
        text: format!(
            "service `{}` used {:.2} s of CPU more than {QUOTA_SHARE_MAX} times its limit of {quota} CPU, over a second or longer",
            service.name,
            most / 1e9
        ),
        spoils: Spoils::Figures,
        hint: Some(FAIR_AGAIN),
    })
}

/// By how much, in nanoseconds, a service's use of CPU exceeded this rate (in CPUs) at most, over any second or longer.
fn most_over(samples: &[Sample], index: usize, cpus: f64) -> Option<f64> {
    let looks: Vec<(u64, u64)> = samples
        .iter()
        .filter_map(|sample| Some((sample.at_ns, sample.services.get(index)?.cpu_ns)))
        .collect();
    let balance = |at_ns: u64, used_ns: u64| used_ns as f64 - cpus * at_ns as f64;
    let (mut least, mut begin, mut most) = (f64::INFINITY, 0, None::<f64>);
    for pair in looks.windows(2) {
        let [(at_ns, used_ns), (next_ns, _)] = *pair else { continue };
        while looks[begin].0 + OVER_NS <= at_ns {
            least = least.min(balance(looks[begin].0, looks[begin].1));
            begin += 1;
        }
        let over = balance(next_ns, used_ns) - least;
        most = Some(most.map_or(over, |most| most.max(over)));
    }
    most
}

fn own_errors(record: &RoundRecord) -> Option<VoidReason> {
    let errors = &record.load.engine.own_errors;
    (!errors.is_empty()).then(|| {
        let kinds: Vec<String> = errors.iter().map(|(kind, n)| format!("{kind}: {}", grouped(*n))).collect();
        VoidReason {
            name: "galo-could-not-send",
            blame: Blame::Client,
            text: format!("galo could not even try some operations ({})", kinds.join(", ")),
            spoils: Spoils::Figures,
            hint: Some("raise the limits of this machine: `galo doctor` says which, and how"),
        }
    })
}

fn late(record: &RoundRecord) -> Option<VoidReason> {
    let lag = record.load.engine.lag_us_p99;
    // Not `lag > MAX`: a figure that is no number must not pass.
    let in_time = lag <= LAG_US_P99_MAX;
    (!in_time).then(|| VoidReason {
        name: GALO_LATE,
        blame: Blame::Client,
        text: format!(
            "galo itself was late: p99 of its lag is {:.1} ms, over {:.0} ms",
            lag / 1000.0,
            LAG_US_P99_MAX / 1000.0
        ),
        spoils: Spoils::Figures,
        hint: Some(GIVE_GALO_TIME),
    })
}

fn busy(record: &RoundRecord) -> Option<VoidReason> {
    let wall_ns = record.load.elapsed_ns() as f64 * f64::from(record.load.engine.threads);
    let share = record.load.engine.cpu_ns as f64 / wall_ns;
    (wall_ns > 0.0 && share > ENGINE_BUSY_MAX).then(|| VoidReason {
        name: "galo-busy",
        blame: Blame::Client,
        text: format!(
            "galo was the bottleneck: its load engine ({}) was busy {:.0} % of the time, over {:.0} %",
            counted(u64::from(record.load.engine.threads), "thread"),
            share * 100.0,
            ENGINE_BUSY_MAX * 100.0
        ),
        spoils: Spoils::Figures,
        hint: Some(GIVE_GALO_TIME),
    })
}

fn stolen(round: &RoundData) -> Option<VoidReason> {
    let host = round.window()?.host();
    let share = steal_share(host.steal_ns as f64, host.busy_ns as f64);
    let elapsed_ns = round.record.load.elapsed_ns();
    let matters = host.steal_ns as f64 > STEAL_OF_TIME_MAX * elapsed_ns as f64;
    (share > STEAL_SHARE_MAX && matters).then(|| VoidReason {
        name: "host-steal",
        blame: Blame::Host,
        text: format!(
            "the hypervisor took {:.0} % of the CPU time that this machine wanted, over {:.0} %",
            share * 100.0,
            STEAL_SHARE_MAX * 100.0
        ),
        spoils: Spoils::Figures,
        hint: Some("fight again when the machine has its CPU for itself, or on another one"),
    })
}

/// Stolen time as a share of the time that something wanted to run, which does not depend on how many cores idled.
fn steal_share(steal_ns: f64, busy_ns: f64) -> f64 {
    if steal_ns > 0.0 { steal_ns / (steal_ns + busy_ns) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    /// Why a round is void in which the first service, limited to 0.5 CPU, used so many milliseconds until each look.
    fn told(used_ms: impl Fn(u64) -> u64) -> Vec<String> {
        let mut round = RoundBuilder::clean();
        let placed = round.0.record.placement.as_mut().expect("placed");
        placed.services[0].cpus_milli = Some(500);
        let look = std::cell::Cell::new(0);
        round.0.samples = samples(|service, sample| {
            if service == 0 {
                sample.cpu_ns = used_ms(look.replace(look.get() + 1)) * 1_000_000;
            }
        });
        void_reasons(&round.0).into_iter().map(|reason| reason.text).collect()
    }

    #[test]
    fn a_service_that_used_more_than_its_quota_for_a_second_makes_a_round_void() {
        insta::assert_snapshot!(told(|look| 50 * look + 25 * look.saturating_sub(5).min(20)).join("; "), @"service `api` used 0.40 s of CPU more than 1.05 times its limit of 0.5 CPU, over a second or longer");
    }

    #[test]
    fn a_quota_used_up_and_one_period_more_is_nothing_unusual() {
        assert_eq!(told(|look| 50 * look), [""; 0]);
        // All of a period at its end, then all of the next ones at their beginnings.
        assert_eq!(told(|look| 50 * look + if look > 5 { 50 } else { 0 }), [""; 0]);
    }
}
