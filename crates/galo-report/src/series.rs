//! What the charts need: one round over time, second by second from the start of the load.

use galo_plan::Plan;
use galo_record::sample::ServiceSample;
use galo_record::{Latencies, RoundData, Sample, SecondLatencies};

/// One second.
const SECOND_NS: u64 = 1_000_000_000;
/// Seconds that are drawn for each sample, at most.
const SECONDS_PER_SAMPLE: u64 = 10;

/// One round over time. All lists of seconds start at the start of the load.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundSeries {
    /// The round's number.
    pub number: u32,
    /// Contender's name.
    pub contender: String,
    /// The compared scenarios. Latencies by second are of right answers alone, other than [`Self::latency`]: of what
    /// ended otherwise a second keeps only the number.
    pub seconds: Vec<Second>,
    /// In the order of the placement.
    pub services: Vec<ServiceSeries>,
    /// Latency from the intended start of everything that ended, by share.
    pub latency: Vec<Percentile>,
    /// Latency from the actual send of right answers, by share.
    pub service_time: Vec<Percentile>,
}

/// One second of the compared scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Second {
    /// Operations that fell due.
    pub arrivals: u64,
    /// Right answers.
    pub ok: u64,
    /// Wrong answers, failures and timeouts.
    pub not_ok: u64,
    /// Median of the right answers from the intended start; `None`: there was none.
    pub ok_latency_us_p50: Option<f64>,
    /// Same, 99 %.
    pub ok_latency_us_p99: Option<f64>,
}

/// One service over time.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceSeries {
    /// Name in the Compose file.
    pub name: String,
    /// CPU limit as read back.
    pub cpus: Option<f64>,
    /// Memory limit as read back.
    pub memory_bytes: Option<u64>,
    /// What was seen in each second.
    pub seconds: Vec<ServiceSecond>,
}

/// One second of a service; `None`: nothing was seen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServiceSecond {
    /// CPUs used on average.
    pub cpus: Option<f64>,
    /// Share of the quota periods that were throttled.
    pub throttled_share: Option<f64>,
    /// Most memory in use, page cache included.
    pub memory_bytes: Option<u64>,
    /// Most anonymous memory in use.
    pub anonymous_bytes: Option<u64>,
}

/// One point of a percentile curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Percentile {
    /// One divided by the share of operations that took longer: 100 stands for 99 %.
    pub one_in: f64,
    /// Latency in microseconds.
    pub us: f64,
}

impl RoundSeries {
    /// What is drawn of a round.
    pub fn from_round(plan: &Plan, round: &RoundData) -> Self {
        let record = &round.record;
        let compared = round.compared_latencies(plan);
        let mut scratch = Latencies::new();
        let seconds = compared.seconds.iter().map(|second| one_second(second, &mut scratch)).collect();
        Self {
            number: record.number,
            contender: plan.contender_name(record.contender),
            seconds,
            services: services(round),
            latency: curve(&compared.all()),
            service_time: curve(&compared.ok_service),
        }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }
}

fn one_second(second: &SecondLatencies, scratch: &mut Latencies) -> Second {
    let mut out = Second {
        arrivals: u64::from(second.intended),
        not_ok: u64::from(second.wrong) + u64::from(second.failed) + u64::from(second.timed_out),
        ..Second::default()
    };
    scratch.add_sparse(&second.ok);
    out.ok = scratch.count();
    if !scratch.is_empty() {
        out.ok_latency_us_p50 = Some(scratch.quantile_us(0.5));
        out.ok_latency_us_p99 = Some(scratch.quantile_us(0.99));
    }
    // One histogram serves all seconds: taking its buckets out is what empties it.
    scratch.take_sparse();
    out
}

/// Eight points for every further nine, from "all but none" to the last one.
fn curve(latencies: &Latencies) -> Vec<Percentile> {
    let count = latencies.count();
    if count == 0 {
        return Vec::new();
    }
    let mut points: Vec<_> = (0..)
        .map(|i| 10_f64.powf(f64::from(i) / 8.0))
        .take_while(|one_in| *one_in < count as f64)
        .map(|one_in| Percentile { one_in, us: latencies.quantile_us(1.0 - 1.0 / one_in) })
        .collect();
    points.push(Percentile { one_in: count as f64, us: latencies.max_us() });
    points
}

fn services(round: &RoundData) -> Vec<ServiceSeries> {
    let record = &round.record;
    let placed = record.placement.iter().flat_map(|p| &p.services).enumerate();
    let seconds = seconds(record.load.started_ns, record.load.ended_ns, round.samples.len());
    placed
        .map(|(index, service)| ServiceSeries {
            name: service.name.clone(),
            cpus: service.cpus_milli.map(|milli| f64::from(milli) / 1e3),
            memory_bytes: service.memory_bytes,
            seconds: seconds.clone().map(|from_ns| service_second(&round.samples, index, from_ns)).collect(),
        })
        .collect()
}

/// When each second of a load began. A load is sampled several times a second, so there is nothing to draw of more seconds than
/// some for each sample: the record's word alone could ask for any number of them.
fn seconds(started_ns: u64, ended_ns: u64, samples: usize) -> impl Iterator<Item = u64> + Clone {
    let length = ended_ns.saturating_sub(started_ns).div_ceil(SECOND_NS);
    let most = SECONDS_PER_SAMPLE * samples as u64;
    (0..length.min(most)).map(move |second| started_ns.saturating_add(second * SECOND_NS))
}

fn service_second(samples: &[Sample], service: usize, from_ns: u64) -> ServiceSecond {
    let to_ns = from_ns.saturating_add(SECOND_NS);
    let grown = |counter: fn(&ServiceSample) -> u64| {
        Some((at(samples, service, to_ns, counter)? - at(samples, service, from_ns, counter)?).max(0.0))
    };
    let inside = samples
        .iter()
        .skip(samples.partition_point(|s| s.at_ns < from_ns))
        .take_while(|s| s.at_ns <= to_ns)
        .filter_map(|s| s.services.get(service));
    let periods = grown(|s| s.periods);
    // Where the kernel does not tell, CPU and memory are 0 throughout: a program that runs has always used some.
    let is_told = at(samples, service, to_ns, |s| s.cpu_ns) > Some(0.0);
    ServiceSecond {
        cpus: grown(|s| s.cpu_ns).filter(|_| is_told).map(|ns| ns / SECOND_NS as f64),
        throttled_share: periods
            .filter(|periods| *periods > 0.0)
            .and_then(|periods| Some((grown(|s| s.throttled_periods)? / periods).min(1.0))),
        memory_bytes: inside.clone().map(|s| s.memory_bytes).max().filter(|most| *most > 0),
        anonymous_bytes: inside.map(|s| s.anonymous_bytes).max().filter(|most| *most > 0),
    }
}

/// A counter's value at a moment, on the straight line between the two samples around it; `None` outside of them.
fn at(samples: &[Sample], service: usize, at_ns: u64, counter: fn(&ServiceSample) -> u64) -> Option<f64> {
    let next = samples.partition_point(|s| s.at_ns < at_ns);
    let after = samples.get(next)?;
    let value = |sample: &Sample| Some(counter(sample.services.get(service)?) as f64);
    if after.at_ns == at_ns {
        return value(after);
    }
    let before = samples.get(next.checked_sub(1)?)?;
    let part =
        at_ns.saturating_sub(before.at_ns) as f64 / after.at_ns.saturating_sub(before.at_ns).max(1) as f64;
    let (low, high) = (value(before)?, value(after)?);
    Some(low + (high - low) * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crafted_end_of_the_load_makes_no_more_seconds_than_samples_account_for() {
        assert_eq!(
            seconds(5, 5 + 3 * SECOND_NS, 12).collect::<Vec<_>>(),
            [5, 5 + SECOND_NS, 5 + 2 * SECOND_NS]
        );
        assert_eq!(seconds(5, u64::MAX, 12).count(), 120);
        assert_eq!(seconds(u64::MAX - 1, u64::MAX, 12).count(), 1);
        assert_eq!(seconds(9, 5, 12).count(), 0);
        let samples = vec![Sample::default(); 2];
        assert_eq!(at(&samples, 0, u64::MAX, |s| s.cpu_ns), None);
    }
}
