//! A plan, and a stage that does nothing but answer as it was told to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use galo_judge::{Judgement, judge_round};
use galo_plan::contender::Ready;
use galo_plan::{Challenge, Contender, Options, Plan, Service};
use galo_record::act::{
    Act, Acted, Killed, LoadTerms, Loaded, Outcome, Reading, Started, Unit, UnitKind, Workload, units,
};
use galo_record::round::CountReading;
use galo_record::run::Planned;
use galo_record::{
    Placement, Restarted, RoundData, RoundRecord, Run, RunHeader, RunWriter, Seeds, ServicePlacement,
};

use crate::{Before, DriveError, Driven, Heard, Schedule, Stage, Watch, drive, round};

/// A plan of so many contenders with two instances each, in so many rounds.
pub(super) fn plan(contenders: usize, rounds: u32) -> Plan {
    let model = galo_challenge_pessoas::model();
    let text = galo_challenge_pessoas::CHALLENGE_TOML;
    let challenge = Challenge::parse("challenge.toml", text, model).unwrap();
    let contender = |number: usize| {
        let mut contender = Contender::at_address(([127, 0, 0, 1], 1).into(), &challenge.name);
        contender.name = format!("c{number}");
        contender.services = ["api1", "api2"].map(service).into();
        contender
    };
    let contenders = (0..contenders).map(contender).collect();
    let options = Options {
        profile: "check".to_owned(),
        scale_milli: 1000,
        rounds,
        seed: galo_plan::Seed::of_number(1),
        limited: false,
        noise_floor: None,
    };
    Plan::new(challenge.clone(), model, contenders, &options).unwrap()
}

/// A service that is up.
pub(crate) fn placed(name: &str) -> ServicePlacement {
    ServicePlacement {
        name: name.to_owned(),
        group: None,
        pid: 1,
        log: PathBuf::new(),
        cpus_milli: None,
        memory_bytes: None,
        ulimits: BTreeMap::new(),
        ready_after_ns: 1,
        listens: None,
        image: None,
    }
}

/// A service that needs nothing.
pub(crate) fn service(name: &str) -> Service {
    Service {
        name: name.to_owned(),
        build: None,
        setup: None,
        command: vec!["server".to_owned()],
        environment: Default::default(),
        workdir: PathBuf::from("/"),
        user: None,
        ready: Ready::Started,
        ready_timeout_ns: 1,
        depends_on: Vec::new(),
        cpus_milli: 100,
        memory_bytes: 1 << 20,
        cpuset: Vec::new(),
        ulimits: Default::default(),
        pids_max: None,
        volumes: Vec::new(),
        stop: None,
        container: None,
    }
}

/// What goes as it should not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Well,
    /// The contender does not come up.
    NotReady,
    /// It never answers the count.
    Silent,
    /// What was killed does not come up again.
    StaysDown,
}

/// Answers acts as they come, by the fate of each unit in turn, and breaks off after so many.
pub(super) struct Scripted {
    fates: Vec<Fate>,
    /// Acts that are performed before the caller breaks it off.
    pub(super) acts_left: usize,
    unit: usize,
    up: bool,
}

/// The stage of a script, which writes what every stage writes.
pub(super) struct Performed<'a> {
    script: &'a mut Scripted,
    writer: &'a RunWriter,
    folder: PathBuf,
}

impl Scripted {
    pub(super) fn new(fates: &[Fate]) -> Self {
        Self { fates: fates.to_vec(), acts_left: usize::MAX, unit: 0, up: false }
    }

    pub(super) fn on<'a>(&'a mut self, writer: &'a RunWriter) -> Performed<'a> {
        Performed { script: self, writer, folder: PathBuf::new() }
    }

    fn fate(&self) -> Fate {
        self.fates.get(self.unit.saturating_sub(1)).copied().unwrap_or(Fate::Well)
    }

    fn outcome(&mut self, act: &Act) -> Outcome {
        let fate = self.fate();
        match act {
            Act::Begin(_) | Act::Rest { .. } | Act::Close => Outcome::Done,
            Act::Start { .. } if fate == Fate::NotReady => Outcome::NotReady("no".to_owned()),
            Act::Start { .. } => {
                assert!(!std::mem::replace(&mut self.up, true), "it is up already");
                started()
            }
            Act::Count { reading: Reading::First, .. } if fate == Fate::Silent => {
                Outcome::Counted(vec![CountReading::new(1, 0, "refused".to_owned())])
            }
            Act::Count { .. } => Outcome::Counted(vec![CountReading::new(1, 200, "0".to_owned())]),
            Act::Load(terms) => {
                let ready_at_ns = (fate != Fate::StaysDown).then_some(3);
                let killed = terms.kill.as_ref().map(|_| Killed {
                    killed_at_ns: Some(1),
                    restarted_at_ns: Some(2),
                    ready_at_ns,
                    ..Killed::default()
                });
                Outcome::Loaded(Box::new(Loaded { killed, ..Loaded::default() }))
            }
            Act::AskCases => Outcome::Asked(0),
            Act::Restart { .. } => Outcome::Restarted(Box::new(Restarted {
                halted_at_ns: 1,
                restarted_at_ns: 2,
                ready_at_ns: (fate != Fate::StaysDown).then_some(3),
                not_up: (fate == Fate::StaysDown).then(|| "no".to_owned()),
                volumes_bytes: [0, 0],
                traced: None,
                flushes: Vec::new(),
                findings: Vec::new(),
            })),
            Act::LookUp => Outcome::Found(Vec::new()),
            Act::Freeze { .. } | Act::Resume { .. } | Act::Alternate(_) | Act::Child(_) | Act::TellSeed => {
                panic!("{act:?}")
            }
            Act::Stop { .. } => {
                assert!(std::mem::take(&mut self.up), "nothing is up");
                Outcome::Stopped(Box::default())
            }
        }
    }
}

/// What is up, without services.
pub(super) fn started() -> Outcome {
    let placement = Placement {
        contender: "c".to_owned(),
        target: ([127, 0, 0, 1], 1).into(),
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        services: Vec::new(),
    };
    Outcome::Started(Box::new(Started { placement, databases: Vec::new() }))
}

fn nothing() -> RoundData {
    RoundData::new(RoundRecord::new(0, 0, 0))
}

impl Stage for Performed<'_> {
    type Bulk = RoundData;

    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError> {
        let Some(left) = self.script.acts_left.checked_sub(1) else { return Ok(None) };
        self.script.acts_left = left;
        match act {
            Act::Begin(terms) => {
                self.script.unit += 1;
                self.folder = self.writer.open_round(terms.number, "c")?;
            }
            Act::Close => self.writer.write_bulk(&self.folder, &nothing())?,
            _ => {}
        }
        Ok(Some(self.script.outcome(act)))
    }

    fn take_bulk(&mut self) -> RoundData {
        nothing()
    }

    fn clear(&mut self) -> Result<(), DriveError> {
        self.script.up = false;
        Ok(())
    }
}

pub(super) struct Nobody;

impl<F> Watch<F> for Nobody {
    fn begins(&mut self, _: &Act) {}
    fn judged(&mut self, _: Unit<'_>, _: &F) {}
}

/// Where the seed of a run is until it is over.
pub(super) fn seeds(run: &Path) -> Seeds {
    Seeds::at(&run.with_extension("seeds"))
}

/// A run folder of a plan.
pub(super) fn writer(folder: &Path, plan: &impl Planned) -> RunWriter {
    let header = RunHeader {
        format: galo_record::run::FORMAT,
        galo: galo_record::run::VERSION.to_owned(),
        command: Vec::new(),
        started: "2026-01-02T03:04:05Z".to_owned(),
        machine: Default::default(),
    };
    RunWriter::create(folder, &header, plan, &seeds(folder)).unwrap()
}

/// What the judge says of a round.
pub(super) fn judged(plan: &Plan, round: &RoundData) -> Judgement {
    judge_round(
        plan,
        &*plan.prepare(plan.seed.of_pair(round.record.pair), galo_challenge_pessoas::model()),
        round,
    )
}

/// Drives a schedule on a scripted stage; all acts of the run.
pub(super) fn acts(
    plan: &Plan,
    schedule: &impl Schedule<Facts = Judgement>,
    stage: &mut Scripted,
) -> (Vec<Acted>, Vec<Judgement>) {
    acts_judged(plan, schedule, stage, |judgement| judgement)
}

/// The same, of a judge that changes its mind.
pub(super) fn acts_judged(
    plan: &Plan,
    schedule: &impl Schedule<Facts = Judgement>,
    stage: &mut Scripted,
    says: impl Fn(Judgement) -> Judgement,
) -> (Vec<Acted>, Vec<Judgement>) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let writer = writer(&path, plan);
    let judge = |unit: Unit<'_>, bulk| Ok(says(judged(plan, &round(unit, bulk)?)));
    let Driven { facts, .. } =
        drive(schedule, &mut stage.on(&writer), &writer, judge, &mut Nobody, Before::default()).unwrap();
    assert!(!stage.up, "however a run ends, nothing is up");
    (Run::<Plan>::open(&path, &seeds(&path)).unwrap().acts, facts)
}

/// A run that was cut off and resumed.
pub(super) struct Resumed {
    pub(super) acts: Vec<Acted>,
    pub(super) facts: Vec<Judgement>,
    /// Units that were cut off.
    pub(super) lost: usize,
}

impl Resumed {
    /// The units that count, in a few words.
    pub(super) fn rounds(&self) -> Vec<String> {
        let units = units(&self.acts).unwrap();
        let closed = units.iter().filter(|unit| unit.is_closed());
        closed.flat_map(|unit| told(unit.acts)).collect()
    }
}

/// What a run comes to that the caller broke off after so many acts, and that was resumed.
pub(super) fn resumed_after(
    cut: usize,
    plan: &Plan,
    schedule: &impl Schedule<Facts = Judgement>,
    fates: &[Fate],
) -> Resumed {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let judge = |unit: Unit<'_>, bulk| Ok(judged(plan, &round(unit, bulk)?));
    let first = writer(&path, plan);
    let mut script = Scripted { acts_left: cut, ..Scripted::new(fates) };
    drive(schedule, &mut script.on(&first), &first, judge, &mut Nobody, Before::default()).unwrap();
    drop(first);

    let (second, run) = RunWriter::resume::<Plan>(&path, &seeds(&path)).unwrap();
    let closed = (0..run.len()).map(|round| judged(plan, &run.round(round).unwrap()));
    let facts: Vec<Judgement> = closed.collect();
    let lost = units(&run.acts).unwrap().len() - facts.len();
    // The units that count have gone as they should; what was lost meets its fate anew.
    let mut script = Scripted::new(&fates[facts.len().min(fates.len())..]);
    let before = Before { acts: run.acts, facts };
    let driven = drive(schedule, &mut script.on(&second), &second, judge, &mut Nobody, before);
    let Driven { facts, .. } = driven.unwrap();
    Resumed { acts: Run::<Plan>::open(&path, &seeds(&path)).unwrap().acts, facts, lost }
}

/// Whether a schedule asks of a run for exactly the acts that it has.
pub(super) fn replays<F>(schedule: &impl Schedule<Facts = F>, acts: &[Acted], facts: &[F]) {
    for (index, acted) in acts.iter().enumerate() {
        let before = &acts[..index];
        let closed = units(before).unwrap().iter().filter(|unit| unit.is_closed()).count();
        let asked = schedule.next(&Heard { acts: before, facts: &facts[..closed] });
        assert_eq!(asked.as_ref(), Some(&acted.act), "act {index}");
    }
    assert_eq!(schedule.next(&Heard { acts, facts }), None);
}

fn load_told(traffic: &Workload) -> &'static str {
    match traffic {
        Workload::Hold { .. } => "hold",
        Workload::Light { .. } => "light",
        Workload::Soak { .. } => "soak",
        Workload::Fill { .. } => "fill",
        _ => "load",
    }
}

/// Acts in a few words, a unit a line.
pub(super) fn told(acts: &[Acted]) -> Vec<String> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    for acted in acts {
        let word = match &acted.act {
            Act::Begin(terms) => {
                lines.push(Vec::new());
                match terms.kind {
                    UnitKind::Round { contender, slot, .. } => format!("{slot}:{contender}"),
                    UnitKind::Hold { scale_milli, confirms: false } => format!("{scale_milli}"),
                    UnitKind::Hold { scale_milli, confirms: true } => format!("{scale_milli} long"),
                    ref other => format!("{other:?}").to_lowercase(),
                }
            }
            Act::Count { reading, .. } => format!("count {reading:?}").to_lowercase(),
            Act::Load(LoadTerms { traffic: Workload::Profile { repeats }, .. }) => format!("load x{repeats}"),
            Act::Load(LoadTerms { traffic, .. }) => load_told(traffic).to_owned(),
            Act::Start { .. } => "start".to_owned(),
            Act::Stop { .. } => "stop".to_owned(),
            Act::Rest { .. } => "rest".to_owned(),
            Act::Restart { halt, .. } => format!("restart {halt:?}").to_lowercase(),
            other => format!("{other:?}").to_lowercase(),
        };
        lines.last_mut().unwrap().push(word);
    }
    lines.iter().map(|words| words.join(", ")).collect()
}
