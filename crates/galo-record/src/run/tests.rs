use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;

use galo_plan::challenge::{Challenge, Count, Policy, ServiceLevel, Timeouts};
use galo_plan::conformance::{Case, CaseRequest, Content, Expect, Expectation};
use galo_plan::model::{Ceiling, Effect, Id};
use galo_plan::plan::NoiseFloor;
use galo_plan::{Blame, Contender, Plan, Ready, RuleCode, Service};
use proptest::prelude::*;

use super::*;
use crate::conformance::{CaseRun, Exchange, Failure, FailureKind, Missing};
use crate::finding::{Ended, HostFact, ServiceDied};
use crate::group::Group;
use crate::load::{Priority, StepRecord};
use crate::placement::{Placement, ServicePlacement};
use crate::round::{CountReading, RoundEnd, RoundRecord};
use crate::sample::{HostSample, ServiceSample};
use crate::{CaseRecord, DatabaseSample};
use crate::{Evidence, Ledger, Operation, OperationResult, Sample, StepLatencies};

mod bad_input;
mod sealed;

fn plan() -> Plan {
    Plan {
        format: galo_plan::plan::FORMAT,
        challenge: Challenge {
            name: "pessoas".into(),
            title: "Rinha de Backend".into(),
            model: "pessoas".into(),
            policy: Policy::of_budget(9999, 1500, 3 << 30),
            count: Some(Count {
                path: "/contagem-pessoas".into(),
                settle_ns: 1,
                settle_max_ns: 2,
                noun: Default::default(),
            }),
            timeouts: Timeouts { connect_ns: 10, answer_ns: 60 },
            score: None,
            service_level: ServiceLevel { latency_ns: 800, classes_ns: vec![800, 1200] },
            headers: vec![],
            scenarios: vec![],
            profiles: vec![],
            cases: vec![],
            data: galo_plan::described::Data::default(),
            baseline: None,
            origin: None,
        },
        rules: galo_plan::rules::GENERIC.to_vec(),
        checks: Vec::new(),
        profile: "quick".into(),
        scale_milli: 1000,
        seed: galo_plan::Seed::of_number(7),
        limited: true,
        contenders: vec![],
        order: vec![],
        traffic: vec![],
        ceiling: Ceiling { min: 1, max: 2 },
        data_sha256: "00".into(),
        noise_floor: Some(NoiseFloor {
            ratio: 1.023_456_789_012_345_7,
            cpu_ratio: 1.01,
            from_run: "runs/a".into(),
            contender: "a".into(),
            measured: "2026-01-02T03:04:05Z".into(),
        }),
        detect_percent: 0.5,
        kind: galo_plan::Kind::Fight { ends_early: false, looks: Vec::new(), restarts: true },
    }
}

/// Beside the run.
pub(super) fn seeds(run: &Path) -> Seeds {
    Seeds::at(&run.with_extension("seeds"))
}

fn header() -> RunHeader {
    RunHeader {
        format: FORMAT,
        galo: "0.1.0".into(),
        command: vec!["galo".into(), "fight".into()],
        started: "2026-11-20T11:00:00Z".into(),
        machine: Machine {
            cores: 2,
            settings: BTreeMap::from([("a".into(), "b".into())]),
            ..Machine::default()
        },
    }
}

fn operation(done_ns: u64) -> Operation {
    Operation {
        intended_ns: 5,
        sent_ns: Some(6),
        first_byte_ns: None,
        done_ns,
        id: Some(Id(1 << 100)),
        user: 3,
        connection: 4,
        found: 0,
        seen: 0,
        kept: 0,
        status: 201,
        step: 0,
        result: OperationResult::Ok,
        effect: Effect::Yes,
        broken: None,
    }
}

fn placement() -> Placement {
    let group = |name: &str| PathBuf::from("/sys/fs/cgroup").join(name);
    let v1 = Group::V1 {
        cpu: group("cpu"),
        cpuacct: group("cpuacct"),
        memory: group("memory"),
        freezer: None,
        pids: None,
    };
    let service = |name: &str, group| ServicePlacement {
        name: name.into(),
        group,
        pid: 42,
        log: "logs/api1.log".into(),
        cpus_milli: Some(450),
        memory_bytes: None,
        ulimits: BTreeMap::new(),
        ready_after_ns: 1,
        listens: None,
        image: None,
    };
    Placement {
        contender: "rust-sqlite".into(),
        target: ([127, 0, 0, 1], 9999).into(),
        limits_enforced: false,
        limits_note: Some("no control groups".into()),
        walls_note: None,
        services: vec![
            service("api1", Some(v1)),
            service("api2", Some(Group::V2 { path: group("api2") })),
            service("db", None),
        ],
    }
}

fn case(name: &str) -> CaseRecord {
    let mut request = CaseRequest::new("GET", "/x?{mark}");
    request.expect = vec![Expectation { rule: 1, that: Expect::Status(vec![200]) }];
    let exchange = Exchange {
        target: ([127, 0, 0, 1], 8081).into(),
        through: None,
        reused: false,
        status: 200,
        head: Content::from("HTTP/1.1 200 OK\r\n\r\n"),
        body: Content::of_bytes(b"\xff\0"),
        body_bytes: 2,
        failure: Some(Failure { kind: FailureKind::Cut, text: "connection reset".to_owned() }),
    };
    let run = CaseRun {
        instance: "api1".to_owned(),
        direct: true,
        mark: "a1".to_owned(),
        exchanges: vec![Some(exchange), None],
        flushes: None,
        gone: Some("connection refused".to_owned()),
    };
    let case = Case { name: name.to_owned(), requests: vec![request], front: false };
    CaseRecord {
        case,
        runs: vec![run],
        missing: Some(Missing { because: "it is gone".to_owned(), blame: Blame::Contender }),
    }
}

/// A round with something in every field, figures from `lag`.
fn round(number: u32, lag: f64) -> RoundData {
    let mut record = RoundRecord::new(number, 1, 2);
    record.end = RoundEnd::Driven;
    record.placement = Some(placement());
    let reading =
        CountReading { at_ns: u64::MAX, status: 200, text: "0\n\"".into(), value: Some(0), took_ns: 7 };
    record.count_before = Some(reading.clone());
    record.counts_after =
        vec![reading, CountReading { at_ns: 1, status: 0, text: String::new(), value: None, took_ns: 0 }];
    record.load.steps = vec![StepRecord {
        ledger: Ledger { intended: 3, ok: 2, wrong: 1, ..Ledger::default() },
        statuses: BTreeMap::from([(201, 2), (500, 1)]),
        errors: BTreeMap::from([("connection refused".into(), 1)]),
    }];
    record.load.engine.lag_us_p99 = lag;
    record.load.engine.priority = Priority::Nice(-5);
    record.findings = vec![HostFact::ServiceDied(ServiceDied {
        service: "api".into(),
        ended: Ended::Status(1),
        out_of_memory: None,
        log: vec!["a line".into()],
        log_path: "logs/api.log".into(),
    })];
    let mut data = RoundData::new(record);
    data.history = (0..100).map(operation).collect();
    data.conformance = vec![case("one"), case("two")];
    data.record.cases = 2;
    let waiting = [("IO:WALSync".to_owned(), 2)].into();
    data.database = vec![DatabaseSample { at_ns: 1, running: 1, waiting, ..DatabaseSample::default() }];
    data.record.beside.database_looks = 1;
    let mut step = StepLatencies::default();
    step.ok.record_ns(123_456);
    data.latencies = vec![step];
    let sample = Sample {
        at_ns: 1,
        services: vec![ServiceSample { cpu_ns: 5, tasks: 2, ..ServiceSample::default() }],
        host: HostSample { steal_ns: 6, ..HostSample::default() },
        galo_cpu_ns: 7,
        cores_busy_ns: vec![3, 4],
    };
    data.samples = vec![sample; 3];
    data.evidence = vec![Evidence {
        broken: Some(RuleCode(0)),
        step: 0,
        user: 9,
        done_ns: 1,
        request: "GET /pessoas?t=a\nb".into(),
        difference: "é".into(),
        answer: "HTTP/1.1 200 OK".into(),
    }];
    data
}

fn write_round(writer: &RunWriter, data: &RoundData) -> Result<PathBuf, RecordError> {
    writer.write_made("rust-sqlite", data)
}

#[test]
fn a_run_is_read_back_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs/1");
    let writer = RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
    // More than nine, so that an order by name alone would show.
    for number in 1..=11 {
        write_round(&writer, &round(number, 0.1)).unwrap();
    }
    let run = Run::<Plan>::open(&path, &seeds(&path)).unwrap();
    assert_eq!((&run.header, &run.plan), (&header(), &plan()));
    assert_eq!(run.len(), 11);
    for (index, number) in (1..=11).enumerate() {
        assert_eq!(run.round(index).unwrap(), round(number, 0.1));
    }
    assert!(run.round(11).is_err());
}

#[test]
fn nothing_temporary_is_left_and_every_file_has_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let writer = RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
    let round = write_round(&writer, &round(1, 0.1)).unwrap();
    assert_eq!(writer.folder().write("report.json", b"{}").unwrap(), path.join("report.json"));
    let names = |path: &Path| {
        let mut names: Vec<_> =
            std::fs::read_dir(path).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&path), ["acts.jsonl", "plan.json", "report.json", "rounds", "run.json"]);
    assert_eq!(round, path.join("rounds/01-rust-sqlite"));
    assert_eq!(
        names(&round),
        [
            "conformance.jsonl",
            "database.jsonl.zst",
            "evidence.jsonl",
            "history.bin.zst",
            "latencies.bin.zst",
            "logs",
            "samples.jsonl.zst"
        ]
    );
}

#[test]
fn a_folder_with_anything_in_it_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.txt"), "mine").unwrap();
    let for_all = || Permissions::from_mode(0o1777);
    fs::set_permissions(folder.path(), for_all()).unwrap();
    let refused = RunWriter::create(folder.path(), &header(), &plan(), &seeds(folder.path()));
    assert!(matches!(refused, Err(RecordError::NotEmpty(_))), "{refused:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o7777, for_all().mode());
}

#[test]
fn what_could_not_be_begun_is_begun_by_the_same_command_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    fs::write(folder.path().join("file"), "").unwrap();
    let nowhere = Seeds::at(&folder.path().join("file/seeds"));
    let refused = RunWriter::create(&path, &header(), &plan(), &nowhere);
    assert!(matches!(refused, Err(RecordError::SeedNotKept { .. })), "{refused:?}");
    drop(RunWriter::create(&path, &header(), &plan(), &Seeds::within(&path)).unwrap());
    let begun = Folder::open(&path).unwrap();
    fs::remove_dir_all(path.join("seeds")).unwrap();
    fs::create_dir(path.join("seeds")).unwrap();
    empty(&begun);
    assert!(begun.is_empty().unwrap(), "what a run makes first is taken away again");
    RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
}

#[test]
fn a_round_whose_folder_was_only_half_made_is_no_hindrance() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    drop(RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap());
    fs::create_dir(path.join(ROUNDS).join(round_folder(1, "a"))).unwrap();
    RunWriter::resume::<Plan>(&path, &seeds(&path)).unwrap();
}

#[test]
fn a_round_that_was_never_closed_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let writer = RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
    write_round(&writer, &round(1, 0.1)).unwrap();
    writer.open_round(2, "other").unwrap();
    assert_eq!(Run::<Plan>::open(&path, &seeds(&path)).unwrap().len(), 1);
}

#[test]
fn a_round_is_written_through_no_link() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let precious = root.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    let writer = RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
    let folder = writer.open_round(1, "a").unwrap();
    for name in [HISTORY, "history.bin.zst.tmp", "round.json.tmp", "samples.jsonl.zst.tmp"] {
        std::os::unix::fs::symlink(&precious, folder.join(name)).unwrap();
    }
    writer.write_bulk(&folder, &round(1, 0.0)).unwrap();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
    // A folder that was swapped for a link is none of the run's.
    let folder = writer.open_round(2, "a").unwrap();
    fs::remove_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(root.path(), &folder).unwrap();
    assert!(writer.write_bulk(&folder, &round(2, 0.0)).is_err());
    assert!(!root.path().join(HISTORY).exists());
}

fn service() -> Service {
    Service {
        name: "api1".to_owned(),
        build: None,
        setup: Some("TOKEN=SECRET ./setup".to_owned()),
        command: Vec::new(),
        environment: BTreeMap::new(),
        workdir: PathBuf::from("/"),
        user: None,
        ready: Ready::Http("http://me:SECRET@h/".to_owned()),
        ready_timeout_ns: 0,
        depends_on: Vec::new(),
        cpus_milli: 1000,
        cpuset: Vec::new(),
        memory_bytes: 1 << 20,
        ulimits: BTreeMap::new(),
        pids_max: None,
        volumes: Vec::new(),
        stop: None,
        container: None,
    }
}

#[test]
fn no_secret_of_the_command_or_of_an_environment_is_written_down() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("run");
    let command = [
        "galo",
        "fight",
        "mine",
        "-H",
        "Authorization: Bearer SECRET",
        "TOKEN=SECRET node a.js --api-key SECRET http://h/?token=SECRET",
    ];
    let header = RunHeader { command: command.map(str::to_owned).to_vec(), ..header() };
    let mut plan = plan();
    let service = Service {
        environment: [("KEY", "SECRET"), ("WORKERS", "4")].map(|(k, v)| (k.into(), v.into())).into(),
        command: [
            "app",
            "--db=postgres://me:SECRET@db/x",
            "--password",
            "SECRET",
            "--token=SECRET",
            "http://h/?api_key=SECRET",
        ]
        .map(String::from)
        .to_vec(),
        setup: Some("PGPASSWORD=SECRET psql --password SECRET".into()),
        ..service()
    };
    let address = "127.0.0.1:9999".parse().unwrap();
    plan.contenders =
        vec![Contender { services: vec![service], ..Contender::at_address(address, "pessoas") }];
    RunWriter::create(&path, &header, &plan, &seeds(&path)).unwrap();
    for file in [HEADER, PLAN] {
        assert!(!fs::read_to_string(path.join(file)).unwrap().contains("SECRET"), "{file}");
    }
    let run = Run::<Plan>::open(&path, &seeds(&path)).unwrap();
    let environment = &run.plan.contenders[0].services[0].environment;
    assert_eq!((environment["KEY"].as_str(), environment["WORKERS"].as_str()), ("***", "4"));
    assert_eq!(run.header.command[4], "Authorization: ***");
    assert_eq!(run.header.command[5], "TOKEN=*** node a.js --api-key *** http://h/?token=***");
}

#[test]
fn a_round_is_opened_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let writer = RunWriter::create(&path, &header(), &plan(), &seeds(&path)).unwrap();
    writer.open_round(1, "a").unwrap();
    assert!(matches!(writer.open_round(1, "a"), Err(RecordError::Io { action: "create", .. })));
}

#[test]
fn round_folders_hold_only_what_every_file_system_takes() {
    let cases = [
        ("rust-sqlite", "01-rust-sqlite"),
        ("rust-sqlite (2)", "01-rust-sqlite-2"),
        ("../../etc/passwd", "01-etc-passwd"),
        ("a__b..c", "01-a-b-c"),
        ("v1.2_final", "01-v1.2_final"),
        ("é", "01"),
        ("", "01"),
    ];
    for (name, folder) in cases {
        assert_eq!(round_folder(1, name), folder);
    }
    assert_eq!(round_folder(123, "a"), "123-a");
    assert_eq!(round_folder(1, &"a".repeat(1000)).len(), 64);
}

/// A file system of 64 KiB; `None` where this process may not mount one.
struct Tiny(tempfile::TempDir);

impl Tiny {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(folder.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        mounted.then(|| Self(folder))
    }
}

impl Drop for Tiny {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_is_told_and_leaves_earlier_rounds_readable() {
    let Some(tiny) = Tiny::mount() else {
        needs::lacked("a small tmpfs cannot be mounted (only root may)");
        return;
    };
    let (path, elsewhere) = (tiny.0.path().join("run"), tempfile::tempdir().unwrap());
    let seeds = Seeds::at(elsewhere.path());
    let writer = RunWriter::create(&path, &header(), &plan(), &seeds).unwrap();
    write_round(&writer, &round(1, 0.1)).unwrap();
    let mut large = round(2, 0.1);
    // Identities that do not compress.
    large.history = (0..10_000_u64)
        .map(|n| Operation {
            id: Some(Id(u128::from(n).wrapping_mul(u128::MAX / 0x1_0001_0005))),
            ..operation(n)
        })
        .collect();
    let error = write_round(&writer, &large).unwrap_err();
    let text = error.to_string();
    assert!(matches!(&error, RecordError::Io { action: "write", .. }), "{text}");
    assert!(text.contains("history.bin.zst") && text.contains("hint: make room"), "{text}");
    let run = Run::<Plan>::open(&path, &seeds).unwrap();
    assert_eq!((run.len(), run.round(0).unwrap()), (1, round(1, 0.1)));
    // Nothing half-written takes the room that is left.
    write_round(&writer, &round(3, 0.1)).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn figures_come_back_to_the_last_bit(lag in -1e12..1e12_f64) {
        let folder = tempfile::tempdir().unwrap();
        let record = round(1, lag).record;
        files::write_json(&Folder::open(folder.path()).unwrap(), "round.json", &record).unwrap();
        prop_assert_eq!(files::read_json::<RoundRecord>(&folder.path().join("round.json")).unwrap(), record);
    }
}

#[test]
fn cases_that_are_missing_from_a_record_are_told() {
    let root = tempfile::tempdir().unwrap();
    let writer =
        RunWriter::create(&root.path().join("run"), &header(), &plan(), &seeds(&root.path().join("run")))
            .unwrap();
    let folder = writer.write_made("a", &round(1, 0.0)).unwrap();
    let path = folder.join("conformance.jsonl");
    let lines = fs::read_to_string(&path).unwrap();
    fs::write(&path, lines.lines().next().unwrap().to_owned() + "\n").unwrap();
    let error =
        Run::<Plan>::open(writer.path(), &seeds(writer.path())).unwrap().round(0).unwrap_err().to_string();
    assert!(error.contains("it has 1 lines, but 2 were written"), "{error}");
    fs::remove_file(&path).unwrap();
    assert!(Run::<Plan>::open(writer.path(), &seeds(writer.path())).unwrap().round(0).is_err());
}

#[test]
fn whoever_is_just_being_started_keeps_no_run_from_its_next_galo() {
    let place = tempfile::tempdir().unwrap();
    let acts = || File::options().append(true).create(true).open(place.path().join(ACTS)).unwrap();
    let refused = thread::scope(|scope| {
        let starting = scope.spawn(|| {
            for _ in 0..100 {
                Command::new("true").status().unwrap();
            }
        });
        let mut refused = 0;
        while !starting.is_finished() {
            refused += u32::from(lock(&acts(), place.path()).is_err());
        }
        refused
    });
    assert_eq!(refused, 0, "locks whose owners were gone");
    let held = acts();
    lock(&held, place.path()).unwrap();
    assert!(matches!(lock(&acts(), place.path()), Err(RecordError::InUse(_))));
}
