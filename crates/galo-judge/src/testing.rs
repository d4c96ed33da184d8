//! Plans and rounds written by hand, for tests.

pub(crate) mod story;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use galo_plan::challenge::{Connection, Count, Policy, Profile, ServiceLevel, Timeouts};
use galo_plan::injection::Injection;
use galo_plan::model::{Answer, Ceiling, ChallengeData, Effect, Examination, Question, Seen};
use galo_plan::plan::ScenarioTraffic;
use galo_plan::rules::GENERIC;
use galo_plan::template::Template;
use galo_plan::{Challenge, Contender, Flow, Plan, Ready, Rule, RuleCode, Scenario, Service, Step};
use galo_record::HostFact;
use galo_record::finding::{Ended, ServiceDied};
use galo_record::load::StepRecord;
use galo_record::round::{CountReading, RoundEnd};
use galo_record::sample::ServiceSample;
use galo_record::{
    Evidence, Operation, OperationResult, Placement, RoundData, RoundRecord, Sample, ServicePlacement,
    StepLatencies,
};

use crate::findings::{Finding, VoidReason};
use crate::stats::SplitMix64;

/// Flat step numbers of [`plan`].
pub(crate) const CREATE: u8 = 0;
pub(crate) const READ: u8 = 1;
pub(crate) const PROBE_CREATE: u8 = 3;
pub(crate) const PROBE_SEARCH: u8 = 4;

/// Rule codes of [`plan`].
pub(crate) const PHANTOM: RuleCode = RuleCode(1);
pub(crate) const EXACT: RuleCode = RuleCode(2);

/// Start and end of the load of [`RoundBuilder`].
pub(crate) const START_NS: u64 = 5_000_000_000;
pub(crate) const END_NS: u64 = 25_000_000_000;

/// How many creations a correct contender acknowledges.
pub(crate) const CEILING: Ceiling = Ceiling { min: 98, max: 100 };

/// Rows of which nothing is known but how many creations a correct contender acknowledges.
pub(crate) struct Counted(pub(crate) Ceiling);

impl ChallengeData for Counted {
    fn write_field(&self, _feeder: usize, _row: u64, _field: usize, _out: &mut Vec<u8>) {}

    fn ceiling(&self) -> Ceiling {
        self.0
    }

    fn examine(&self, _question: &Question, _answer: &Answer<'_>, _seen: &mut Vec<Seen>) -> Examination {
        Examination::RIGHT
    }
}

/// Two contenders `a` and `b`, eight slots, a ceiling of 98 to 100, a service level of 1,200 ms.
pub(crate) fn plan() -> Plan {
    plan_of(&["a", "b"], 4)
}

pub(crate) fn plan_of(names: &[&str], rounds: usize) -> Plan {
    let injection = Injection::constant(1_000_000, Duration::from_secs(20));
    let mut rules = GENERIC.to_vec();
    rules.push(Rule::must("search-phantom", "a search finds only who matches it"));
    rules.push(Rule::should("exact-refusal", "a refusal has the status that the rules name"));
    Plan {
        format: 1,
        challenge: challenge(),
        rules,
        checks: Vec::new(),
        profile: "quick".to_owned(),
        scale_milli: 1000,
        seed: galo_plan::Seed::of_number(1),
        limited: true,
        contenders: names.iter().map(|name| contender(name)).collect(),
        order: (0..names.len() * rounds).map(|slot| slot % names.len()).collect(),
        traffic: vec![Some(ScenarioTraffic { flow: Flow::Open(injection), users: 10_000 }); 3],
        ceiling: CEILING,
        data_sha256: String::new(),
        noise_floor: None,
        detect_percent: 5.0,
        kind: galo_plan::Kind::Fight { ends_early: false, looks: Vec::new(), restarts: true },
    }
}

fn challenge() -> Challenge {
    let scenario = |name: &str, compared, steps| Scenario {
        name: name.to_owned(),
        feeder: None,
        connection: Connection::PerUser,
        compared,
        cookies: false,
        after: Vec::new(),
        steps,
    };
    Challenge {
        name: "made-up".to_owned(),
        title: "Made up".to_owned(),
        model: "made-up".to_owned(),
        policy: Policy::of_budget(9999, 1500, 3 << 30),
        count: Some(Count {
            path: "/count".to_owned(),
            settle_ns: 3_000_000_000,
            settle_max_ns: 30_000_000_000,
            noun: galo_plan::Noun::default(),
        }),
        timeouts: Timeouts { connect_ns: 10_000_000_000, answer_ns: 60_000_000_000 },
        score: None,
        service_level: ServiceLevel {
            latency_ns: 1_200_000_000,
            classes_ns: vec![800_000_000, 1_200_000_000],
        },
        headers: Vec::new(),
        scenarios: vec![
            scenario("create and read", true, vec![step("create", true), step("read", false)]),
            scenario("search", true, vec![step("search", false)]),
            scenario("probe", false, vec![step("create", true), step("search", false)]),
        ],
        profiles: vec![Profile { name: "quick".to_owned(), flows: vec![None, None, None] }],
        cases: Vec::new(),
        data: galo_plan::described::Data::default(),
        baseline: None,
        origin: None,
    }
}

fn step(name: &str, creates: bool) -> Step {
    Step {
        name: name.to_owned(),
        pause_ns: None,
        method: if creates { "POST" } else { "GET" }.to_owned(),
        target: Template::literal("/"),
        headers: Vec::new(),
        body: None,
        statuses: vec![200, 201],
        check: None,
        creates,
        captures: Vec::new(),
        fresh: false,
        at_once: 1,
        needs: Vec::new(),
    }
}

fn contender(name: &str) -> Contender {
    Contender {
        name: name.to_owned(),
        title: name.to_owned(),
        language: None,
        challenge: "made-up".to_owned(),
        file: PathBuf::from(format!("/contenders/{name}/compose.yaml")),
        file_sha256: name.to_owned(),
        services: vec![service("api", 500, 256 << 20), service("db", 1000, 512 << 20)],
        runner: galo_plan::Runner::Process,
        own_names: galo_plan::OwnNames::default(),
        connects: false,
        setting: None,
        null_of: None,
    }
}

fn service(name: &str, cpus_milli: u32, memory_bytes: u64) -> Service {
    Service {
        name: name.to_owned(),
        build: None,
        setup: None,
        command: vec![name.to_owned()],
        environment: BTreeMap::new(),
        workdir: PathBuf::from("/"),
        user: None,
        ready: Ready::Started,
        ready_timeout_ns: 1,
        depends_on: Vec::new(),
        cpus_milli,
        memory_bytes,
        cpuset: Vec::new(),
        ulimits: BTreeMap::new(),
        pids_max: None,
        volumes: Vec::new(),
        stop: None,
        container: None,
    }
}

/// A round of contender 0 in slot 0 that is right in everything, to be spoiled: 100 creations, 100 reads and 50
/// searches of 10 ms each, 10 probes; the services idle (10 % of a CPU each); galo is in time.
pub(crate) struct RoundBuilder(pub(crate) RoundData);

impl RoundBuilder {
    pub(crate) fn clean() -> Self {
        let mut record = RoundRecord::new(1, 0, 0);
        record.end = RoundEnd::Driven;
        record.load.started_ns = START_NS;
        record.load.ended_ns = END_NS;
        record.load.steps = vec![StepRecord::default(); 5];
        record.placement = Some(placement());
        record.count_before = Some(reading(START_NS - 1, "0"));
        record.counts_after = vec![reading(END_NS + 4_000_000, "110")];
        record.load.engine.threads = 1;
        record.load.engine.lag_us_p99 = 150.0;
        record.load.engine.cpu_ns = 2_000_000_000;
        let mut data = RoundData::new(record);
        data.latencies = vec![StepLatencies::default(); 5];
        data.samples = samples(|_, sample| sample.cpu_ns += 10_000_000);
        let mut round = Self(data);
        for (step, number) in [(0, 100), (1, 100), (2, 50), (3, 10), (4, 10)] {
            round.operations(step, number, OperationResult::Ok);
        }
        round
    }

    /// Adds so many operations of 10 ms to ledger, history and histograms.
    pub(crate) fn operations(&mut self, step: u8, number: usize, result: OperationResult) {
        self.operations_of_ms(step, number, result, 10);
    }

    pub(crate) fn operations_of_ms(&mut self, step: u8, number: usize, result: OperationResult, ms: u64) {
        let creates = [CREATE, PROBE_CREATE].contains(&step);
        let latency_ns = ms * 1_000_000;
        let ledger = &mut self.0.record.load.steps[usize::from(step)].ledger;
        let latencies = &mut self.0.latencies[usize::from(step)];
        for user in (self.0.history.iter().filter(|o| o.step == step).count() as u32..).take(number) {
            let done_ns = self.0.history.last().map_or(0, |o| o.done_ns) + latency_ns;
            let effect = match result {
                _ if !creates => Effect::None,
                OperationResult::Ok => Effect::Yes,
                OperationResult::Wrong | OperationResult::Failed => Effect::No,
                OperationResult::TimedOut | OperationResult::Unfinished => Effect::Unknown,
            };
            self.0.history.push(Operation {
                result,
                effect,
                broken: (result == OperationResult::Wrong).then_some(PHANTOM),
                ..operation(step, user, [done_ns - latency_ns, done_ns])
            });
            ledger.intended += 1;
            ledger.end(result);
            let right = result == OperationResult::Ok;
            if right { &mut latencies.ok } else { &mut latencies.not_ok }.record_ns(latency_ns);
        }
    }

    /// Changes the first so many right operations of a step into others.
    pub(crate) fn change(&mut self, step: u8, number: usize, change: impl Fn(&mut Operation)) {
        let ledger = &mut self.0.record.load.steps[usize::from(step)].ledger;
        let latencies = &mut self.0.latencies[usize::from(step)];
        let right =
            |o: &&mut Operation| o.step == step && o.result == OperationResult::Ok && o.broken.is_none();
        for operation in self.0.history.iter_mut().filter(right).take(number) {
            change(operation);
            ledger.ok -= 1;
            ledger.end(operation.result);
        }
        *latencies = StepLatencies::default();
        for operation in self.0.history.iter().filter(|o| o.step == step) {
            let right = operation.result == OperationResult::Ok;
            let kind = if right { &mut latencies.ok } else { &mut latencies.not_ok };
            kind.record_ns(operation.done_ns - operation.intended_ns);
        }
    }

    pub(crate) fn counts_after(mut self, readings: &[(u64, &str)]) -> Self {
        self.0.record.counts_after =
            readings.iter().map(|(at_ns, text)| reading(END_NS + at_ns, text)).collect();
        self
    }

    pub(crate) fn evidence(&mut self, broken: Option<RuleCode>, step: u8, difference: &str) {
        self.0.evidence.push(Evidence {
            broken,
            step,
            user: 7,
            done_ns: 1,
            request: "GET /search".to_owned(),
            difference: difference.to_owned(),
            answer: "200 []".to_owned(),
        });
    }
}

/// A right operation without effect, sent as soon as it was due.
pub(crate) fn operation(step: u8, user: u32, [due_ns, done_ns]: [u64; 2]) -> Operation {
    Operation {
        intended_ns: due_ns,
        sent_ns: Some(due_ns),
        first_byte_ns: None,
        done_ns,
        id: None,
        user,
        connection: 0,
        found: 0,
        seen: 0,
        kept: 0,
        status: 0,
        step,
        result: OperationResult::Ok,
        effect: Effect::None,
        broken: None,
    }
}

/// A reading whose answer was a 200 with this text, or none where the text is empty.
pub(crate) fn reading(at_ns: u64, text: &str) -> CountReading {
    CountReading {
        at_ns,
        status: if text.is_empty() { 0 } else { 200 },
        text: if text.is_empty() { "connection refused" } else { text }.to_owned(),
        value: text.parse().ok(),
        took_ns: 4_000_000,
    }
}

fn placement() -> Placement {
    let service = |name: &str, cpus_milli, memory_bytes| ServicePlacement {
        name: name.to_owned(),
        group: None,
        pid: 1,
        log: PathBuf::new(),
        cpus_milli: Some(cpus_milli),
        memory_bytes: Some(memory_bytes),
        ulimits: BTreeMap::new(),
        ready_after_ns: 1,
        listens: None,
        image: None,
    };
    Placement {
        contender: "a".to_owned(),
        target: std::net::SocketAddr::from(([127, 0, 0, 1], 9999)),
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        services: vec![service("api", 500, 256 << 20), service("db", 1000, 512 << 20)],
    }
}

/// A sample every 100 ms, from 1 s before the load to 1 s after it, of two services with 100 MiB each (60 MiB of
/// them anonymous); `next` moves a service (by number) on from one sample to the next.
pub(crate) fn samples(next: impl Fn(usize, &mut ServiceSample)) -> Vec<Sample> {
    let start = ServiceSample {
        cpu_ns: 500_000_000,
        memory_bytes: 100 << 20,
        anonymous_bytes: 60 << 20,
        ..ServiceSample::default()
    };
    let mut services = vec![start; 2];
    let second = 1_000_000_000;
    (START_NS - second..=END_NS + second)
        .step_by(100_000_000)
        .map(|at_ns| {
            services.iter_mut().enumerate().for_each(|(number, service)| next(number, service));
            let mut sample = Sample { at_ns, services: services.clone(), ..Sample::default() };
            sample.host.busy_ns = at_ns / 2;
            sample
        })
        .collect()
}

/// Seeded noise, so that a simulated fight never changes.
pub(crate) struct Noise(SplitMix64);

impl Noise {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(SplitMix64(seed))
    }

    /// Evenly from (0, 1].
    pub(crate) fn even(&mut self) -> f64 {
        ((self.0.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.even().ln()).sqrt() * (std::f64::consts::TAU * self.even()).cos()
    }

    /// Student's t with 4 degrees of freedom, scaled to a standard deviation of 1.
    pub(crate) fn heavy(&mut self) -> f64 {
        let chi_square: f64 = (0..4).map(|_| self.normal().powi(2)).sum();
        self.normal() / (chi_square / 4.0).sqrt() / std::f64::consts::SQRT_2
    }

    /// A round's p99, skewed: now and then a round is hit by something.
    pub(crate) fn skewed(&mut self) -> f64 {
        (0.2 * self.normal()).exp() + 0.5 * self.normal().exp()
    }
}

/// What a finding says, as JSON: the area and kind of its fact, and the figures.
pub(crate) fn figures(finding: &Finding) -> String {
    let fact = serde_json::to_string(&finding.fact).expect("facts are plain data");
    finding.excuse.map_or_else(|| fact.clone(), |excuse| format!("{fact}, excused: {excuse:?}"))
}

/// Why something is void, as JSON, a line each.
pub(crate) fn reasons(reasons: &[VoidReason]) -> String {
    let each = reasons.iter().map(|reason| serde_json::to_string(reason).expect("plain data"));
    each.collect::<Vec<_>>().join("\n")
}

/// What shows it, as JSON.
pub(crate) fn shown(finding: &Finding) -> Vec<String> {
    finding.evidence.iter().map(|piece| serde_json::to_string(piece).expect("plain data")).collect()
}

/// A service that died.
pub(crate) fn died(service: &str) -> HostFact {
    HostFact::ServiceDied(ServiceDied {
        service: service.to_owned(),
        ended: Ended::Status(1),
        out_of_memory: None,
        log: Vec::new(),
        log_path: format!("{service}.log"),
    })
}
