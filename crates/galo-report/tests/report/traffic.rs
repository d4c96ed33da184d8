//! The operations, samples and counts of one made-up round.

use std::collections::BTreeMap;
use std::path::PathBuf;

use galo_plan::Plan;
use galo_plan::rules::model_rule;
use galo_record::load::{Priority, StepRecord};
use galo_record::round::{CountReading, RoundEnd};
use galo_record::sample::{HostSample, ServiceSample};
use galo_record::{
    Evidence, Latencies, Operation, OperationResult, Placement, RoundData, RoundRecord, Sample,
    SecondLatencies, ServicePlacement, StepLatencies,
};

use crate::synthetic::{Fate, Made, SERVICES, effect, target};

/// Length of the load.
pub(crate) const SECONDS: u64 = 20;
/// What a contender answers that would like to be more than text.
pub(crate) const HOSTILE: &str = "<script>alert('galo')</script>\u{1b}[2J";

const START_NS: u64 = 1_000_000_000_000;
const SECOND_NS: u64 = 1_000_000_000;
const MS_NS: u64 = 1_000_000;
/// Flat numbers of the steps that take part, with their users; the one that the profile leaves out is 3.
const STEPS: [(u8, u64); 5] = [(0, 1500), (1, 1500), (2, 400), (4, 100), (5, 100)];

/// Makes one round.
pub(crate) fn round(plan: &Plan, number: u32, made: Made) -> RoundData {
    let mut data = RoundData::new(RoundRecord::new(number, made.contender, made.slot));
    data.record.pair.pair = (made.slot / plan.contenders.len()) as u32;
    if made.fate == Fate::NotReady {
        let why = "service `api1` was not ready after 60 s (last answer: connection refused)";
        data.record.end = RoundEnd::NotReady(why.to_owned());
        return data;
    }
    data.record.placement = Some(placement(plan, made));
    data.record.load.started_ns = START_NS;
    data.record.load.ended_ns = START_NS + SECONDS * SECOND_NS;
    data.record.load.steps = vec![StepRecord::default(); 6];
    data.latencies = vec![StepLatencies::default(); 6];
    let mut luck = Luck(u64::from(number) * 7919 + made.contender as u64);
    for (step, users) in STEPS {
        operations(&mut data, step, users, made, &mut luck);
    }
    data.history.sort_by_key(|o| o.done_ns);
    data.samples = samples(made);
    data.record.count_before = Some(reading(START_NS - SECOND_NS, 0));
    data.record.counts_after = vec![reading(data.record.load.ended_ns + 8 * MS_NS, 1600)];
    let engine = &mut data.record.load.engine;
    engine.threads = 1;
    engine.priority = Priority::Nice(-5);
    engine.lag_us_p50 = 31.44;
    engine.lag_us_p99 = if made.fate == Fate::Late { 41_234.56 } else { 184.26 };
    engine.lag_us_p99_9 = 402.7;
    engine.lag_us_max = 61_234.5;
    engine.cpu_ns = 1_234_567_890;
    engine.connections = 2000;
    data
}

fn operations(data: &mut RoundData, step: u8, users: u64, made: Made, luck: &mut Luck) {
    let creates = matches!(step, 0 | 4);
    let mut seconds: Vec<(SecondLatencies, Latencies, Latencies)> = Vec::new();
    for user in 0..users {
        // A ramp from nothing: the n-th of N arrives when the square of time has reached n.
        let part = (user as f64 / users as f64).sqrt();
        let intended_ns = (part * (SECONDS - 1) as f64 * 1e9) as u64;
        let service_ns = luck.latency_ns(part, made.slowness * if step == 2 { 2.0 } else { 1.0 });
        let waited_ns = 40_000 + (part.powi(6) * 2e6 * made.slowness) as u64;
        let done_ns = intended_ns + waited_ns + service_ns;
        let stale = made.fate == Fate::Stale && step == 5 && user % 3 != 0;
        let result = if stale { OperationResult::Wrong } else { OperationResult::Ok };
        data.history.push(Operation {
            intended_ns,
            sent_ns: Some(intended_ns + waited_ns),
            first_byte_ns: Some(done_ns - 1000),
            done_ns,
            id: None,
            user: user as u32,
            connection: user as u32,
            found: 0,
            seen: 0,
            kept: 0,
            status: if creates { 201 } else { 200 },
            step,
            result,
            effect: effect(creates),
            broken: stale.then(|| model_rule(0)),
        });
        let record = &mut data.record.load.steps[usize::from(step)];
        record.ledger.intended += 1;
        record.ledger.end(result);
        *record.statuses.entry(if creates { 201 } else { 200 }).or_default() += 1;
        let (due, done) = ((intended_ns / SECOND_NS) as usize, (done_ns / SECOND_NS) as usize);
        if seconds.len() <= done {
            seconds.resize_with(done + 1, Default::default);
        }
        seconds[due].0.intended += 1;
        let latencies = &mut data.latencies[usize::from(step)];
        if stale {
            latencies.not_ok.record_ns(waited_ns + service_ns);
            seconds[done].0.wrong += 1;
            if data.evidence.len() < 2 {
                data.evidence.push(evidence(step, user, done_ns));
            }
        } else {
            latencies.ok.record_ns(waited_ns + service_ns);
            latencies.ok_service.record_ns(service_ns);
            seconds[done].1.record_ns(waited_ns + service_ns);
            seconds[done].2.record_ns(service_ns);
        }
    }
    data.latencies[usize::from(step)].seconds = seconds
        .into_iter()
        .map(|(mut second, mut ok, mut service)| {
            second.ok = ok.take_sparse();
            second.ok_service = service.take_sparse();
            second
        })
        .collect();
}

fn evidence(step: u8, user: u64, done_ns: u64) -> Evidence {
    Evidence {
        broken: Some(model_rule(0)),
        step,
        user: user as u32,
        done_ns,
        request: format!("GET /pessoas?t=galo{user} HTTP/1.1"),
        difference: "the person who was acknowledged 3 ms before is not among the 0 found".to_owned(),
        answer: format!("HTTP/1.1 200 OK\n{HOSTILE}"),
    }
}

fn placement(plan: &Plan, made: Made) -> Placement {
    let service = |(name, cpus, memory): &(&str, u32, u64)| ServicePlacement {
        name: (*name).to_owned(),
        group: None,
        pid: 42,
        log: PathBuf::from(format!("logs/{name}.log")),
        cpus_milli: Some(*cpus),
        memory_bytes: Some(*memory),
        ulimits: BTreeMap::new(),
        ready_after_ns: 120 * MS_NS,
        listens: None,
        image: None,
    };
    Placement {
        contender: plan.contenders[made.contender].name.clone(),
        target: target(),
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        services: SERVICES.iter().map(service).collect(),
    }
}

/// Every 100 ms from a second before the load to three seconds after it; CPU rises to each limit.
fn samples(made: Made) -> Vec<Sample> {
    let mut totals = [ServiceSample::default(); 4];
    let mut samples = Vec::new();
    for tick in 0..(SECONDS + 4) * 10 {
        let load = (tick.saturating_sub(10) as f64 / (SECONDS * 10) as f64).min(1.0);
        let running = (10..(SECONDS + 1) * 10).contains(&tick);
        for (index, (total, (_, cpus, memory))) in totals.iter_mut().zip(SERVICES).enumerate() {
            let wanted = if running { load * made.slowness * (1.1 + index as f64 * 0.05) } else { 0.01 };
            total.cpu_ns += (wanted.min(1.0) * f64::from(cpus) * 1e5) as u64;
            total.periods += 1;
            total.throttled_periods += u64::from(wanted > 1.0);
            total.throttled_ns += if wanted > 1.0 { 30 * MS_NS } else { 0 };
            total.anonymous_bytes = memory / 12 + (load * memory as f64 / 10.0) as u64;
            total.memory_bytes = total.anonymous_bytes + memory / 20;
            total.memory_peak_bytes = total.memory_peak_bytes.max(total.memory_bytes);
            total.tasks = 3;
        }
        samples.push(Sample {
            at_ns: START_NS - SECOND_NS + tick * 100 * MS_NS,
            services: totals.to_vec(),
            host: HostSample {
                busy_ns: tick * 150 * MS_NS,
                retransmissions: tick / 50,
                ..HostSample::default()
            },
            galo_cpu_ns: tick * 10 * MS_NS,
            cores_busy_ns: Vec::new(),
        });
    }
    samples
}

fn reading(at_ns: u64, value: u64) -> CountReading {
    CountReading { at_ns, status: 200, text: value.to_string(), value: Some(value), took_ns: 1_000_000 }
}

/// A small generator: the same on every machine.
struct Luck(u64);

impl Luck {
    fn part(&mut self) -> f64 {
        // Constants of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Around a millisecond, with a long tail that grows with the load.
    fn latency_ns(&mut self, load: f64, slowness: f64) -> u64 {
        let tail = 1.0 / (1.0 - 0.999 * self.part()).powf(0.3 + 0.5 * load);
        (tail * slowness * 800_000.0) as u64
    }
}
