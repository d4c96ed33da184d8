//! Runs made up by a rule, written to a folder as a real one is: everything a report reads, without a fight.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use galo_plan::challenge::{Connection, Count, Policy, Profile, ServiceLevel, Timeouts};
use galo_plan::model::{
    Answer, Ceiling, ChallengeData, ChallengeModel, CheckSpec, Effect, Examination, FeederSpec, Question,
    Seen,
};
use galo_plan::plan::ScenarioTraffic;
use galo_plan::rules::{GENERIC, model_rule};
use galo_plan::template::Template;
use galo_plan::{
    Challenge, Contender, Flow, Injection, Plan, Ready, Rule, Scenario, Seed, Service, Severity, Step,
};
use galo_record::{Machine, RoundData, Run, RunHeader, RunWriter, Seeds};
use tempfile::TempDir;

use crate::traffic;

/// How many creations a correct contender acknowledges.
const CEILING: Ceiling = Ceiling { min: 1495, max: 1505 };

/// A model of which nothing is known but [`CEILING`].
pub(crate) struct Counted;

impl ChallengeModel for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }

    fn feeders(&self) -> &'static [FeederSpec] {
        &[]
    }

    fn checks(&self) -> &'static [CheckSpec] {
        &[]
    }

    fn rules(&self) -> &'static [Rule] {
        &[]
    }

    fn prepare(&self, _: Seed, _: &[u64]) -> Box<dyn ChallengeData> {
        Box::new(Self)
    }
}

impl ChallengeData for Counted {
    fn write_field(&self, _: usize, _: u64, _: usize, _: &mut Vec<u8>) {}

    fn ceiling(&self) -> Ceiling {
        CEILING
    }

    fn examine(&self, _: &Question, _: &Answer<'_>, _: &mut Vec<Seen>) -> Examination {
        Examination::RIGHT
    }
}

/// What happens in a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    /// All is well.
    Right,
    /// Probe searches miss people who were acknowledged.
    Stale,
    /// galo itself is late.
    Late,
    /// The contender does not start.
    NotReady,
}

/// One round to make up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Made {
    pub(crate) contender: usize,
    pub(crate) slot: usize,
    /// Factor on all latencies.
    pub(crate) slowness: f64,
    pub(crate) fate: Fate,
}

/// A folder with a run in it; gone when dropped.
pub(crate) struct Folder {
    _root: TempDir,
    pub(crate) run: Run,
}

impl Folder {
    /// The run as it was read; its files go away.
    pub(crate) fn into_run(self) -> Run {
        self.run
    }
}

pub(crate) const SERVICES: [(&str, u32, u64); 4] = [
    ("balancer", 150, 64 << 20),
    ("api1", 450, 512 << 20),
    ("api2", 450, 512 << 20),
    ("db", 450, 1024 << 20),
];

/// Writes a run of these contenders and rounds.
pub(crate) fn folder(names: &[&str], rounds: &[Made]) -> Folder {
    folder_of(&plan(names, rounds), rounds)
}

/// The same with a plan of one's own.
pub(crate) fn folder_of(plan: &Plan, rounds: &[Made]) -> Folder {
    folder_but(plan, rounds, |_| {})
}

/// The same with rounds that are changed before they are written.
pub(crate) fn folder_but(plan: &Plan, rounds: &[Made], change: impl Fn(&mut RoundData)) -> Folder {
    let root = tempfile::tempdir().unwrap();
    let (path, seeds) = (root.path().join("run"), Seeds::at(&root.path().join("seeds")));
    let writer = RunWriter::create(&path, &header(), plan, &seeds).unwrap();
    for (index, made) in rounds.iter().enumerate() {
        let number = index as u32 + 1;
        let name = &plan.contenders[made.contender].name;
        let mut data = traffic::round(plan, number, *made);
        change(&mut data);
        writer.write_made(name, &data).unwrap();
    }
    writer.tell_seed().unwrap();
    let run = Run::<Plan>::open(&path, &seeds).unwrap();
    Folder { _root: root, run }
}

/// A B B A ..., so many rounds each; the second contender is slower by a factor.
pub(crate) fn fair(pairs: usize, factor: f64) -> Vec<Made> {
    let order = [0, 1, 1, 0];
    (0..2 * pairs)
        .map(|slot| {
            let contender = order[slot % 4];
            // Rounds differ by a few percent, as they do.
            let luck = 1.0 + (slot * 7 % 5) as f64 / 50.0;
            let slowness = if contender == 1 { factor * luck } else { luck };
            Made { contender, slot, slowness, fate: Fate::Right }
        })
        .collect()
}

pub(crate) fn plan(names: &[&str], rounds: &[Made]) -> Plan {
    let mut rules = GENERIC.to_vec();
    rules.push(Rule::worded(
        Severity::Must,
        "search-misses-acknowledged",
        "a search finds whoever was acknowledged before it",
        [
            "a search lacked what was acknowledged before",
            "uma busca não trouxe o que já tinha sido confirmado",
        ],
        "uma busca traz quem foi confirmado antes dela",
    ));
    assert_eq!(usize::from(model_rule(0).0), rules.len() - 1);
    let traffic = |rate: u64| {
        let injection = Injection::constant(rate * 1_000_000, Duration::from_secs(traffic::SECONDS));
        let users = injection.users();
        Some(ScenarioTraffic { flow: Flow::Open(injection), users })
    };
    Plan {
        format: 1,
        challenge: challenge(),
        rules,
        checks: Vec::new(),
        profile: "quick".to_owned(),
        scale_milli: 1000,
        seed: galo_plan::Seed::of_number(7),
        limited: true,
        contenders: names.iter().map(|name| contender(name)).collect(),
        order: rounds.iter().map(|made| made.contender).collect(),
        traffic: vec![traffic(75), traffic(20), None, traffic(5)],
        ceiling: CEILING,
        data_sha256: "5a".repeat(32),
        noise_floor: None,
        detect_percent: 5.0,
        kind: galo_plan::Kind::Fight { ends_early: false, looks: Vec::new(), restarts: true },
    }
}

pub(crate) fn header() -> RunHeader {
    let words =
        ["galo", "fight", "contenders/pessoas/rust-sqlite", "fixtures/it's queued", "--profile", "quick"];
    let settings = [("net.core.somaxconn", "4096"), ("net.ipv4.ip_local_port_range", "32768 60999")];
    RunHeader {
        format: galo_record::run::FORMAT,
        galo: "0.1.0".to_owned(),
        command: words.map(str::to_owned).to_vec(),
        started: "2026-01-02T03:04:05Z".to_owned(),
        machine: Machine {
            cpu: "Example CPU @ 2.50GHz".to_owned(),
            cores: 2,
            memory_bytes: 8 << 30,
            kernel: "Linux 6.1.0".to_owned(),
            system: "debian 12".to_owned(),
            virtual_machine: true,
            cgroups: "v1".to_owned(),
            clock_source: "tsc".to_owned(),
            settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        },
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
        name: "pessoas".to_owned(),
        title: "Rinha de Backend 2023 Q3".to_owned(),
        model: "pessoas".to_owned(),
        policy: Policy::of_budget(9999, 1500, 3 << 30),
        count: Some(Count {
            path: "/contagem-pessoas".to_owned(),
            settle_ns: 1_000_000_000,
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
            scenario("not in this profile", true, vec![step("never", false)]),
            scenario("probe", false, vec![step("create", true), step("find", false)]),
        ],
        profiles: vec![Profile { name: "quick".to_owned(), flows: vec![None; 4] }],
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
        target: Template::parse("/pessoas", &[]).unwrap(),
        headers: Vec::new(),
        body: None,
        statuses: vec![200, 201, 422],
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
        title: format!("{name} & friends"),
        language: Some("Rust".to_owned()),
        challenge: "pessoas".to_owned(),
        file: PathBuf::from(format!("/contenders/pessoas/{name}/compose.yaml")),
        file_sha256: "c0".repeat(32),
        services: SERVICES.iter().map(|(name, cpus, memory)| service(name, *cpus, *memory)).collect(),
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
        stop: None,
        container: None,
        ready: Ready::Started,
        ready_timeout_ns: 60_000_000_000,
        depends_on: Vec::new(),
        cpus_milli,
        memory_bytes,
        cpuset: Vec::new(),
        ulimits: BTreeMap::new(),
        pids_max: None,
        volumes: Vec::new(),
    }
}

pub(crate) fn target() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 9999))
}

pub(crate) const fn effect(creates: bool) -> Effect {
    if creates { Effect::Yes } else { Effect::None }
}
