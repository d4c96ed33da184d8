//! Writes a run folder with one round of `pessoas` in which nothing is wrong, for `benches/report/speed`. Arguments: a factor on
//! the rates of the profile `official`, and the folder. Prints the number of operations.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use galo_challenge_pessoas::model;
use galo_plan::{Contender, PairId, Ready, Service};
use galo_record::sample::{HostSample, ServiceSample};
use galo_record::{
    Latencies, Machine, Placement, RoundData, RunHeader, RunWriter, Sample, SecondLatencies, Seeds,
    ServicePlacement,
};

#[path = "../judge/made.rs"]
mod made;

use made::Made;

const SERVICES: [&str; 4] = ["balancer", "api1", "api2", "db"];
const SECOND_NS: u64 = 1_000_000_000;
/// From one sample to the next.
const TICK_NS: u64 = 100_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let scale: f64 = arguments.next().ok_or("hint: rounds SCALE FOLDER")?.parse()?;
    let folder = arguments.next().ok_or("hint: rounds SCALE FOLDER")?;
    let plan = made::plan(scale, vec![contender()])?;
    let data = plan.prepare(plan.seed.of_pair(PairId::default()), model());
    let mut round = Made::new(&plan, &*data).round();
    complete(&mut round);
    let header = RunHeader {
        format: galo_record::run::FORMAT,
        galo: env!("CARGO_PKG_VERSION").to_owned(),
        command: vec!["benches/report/speed".to_owned()],
        started: "2026-01-02T03:04:05Z".to_owned(),
        machine: Machine::default(),
    };
    let folder = Path::new(&folder);
    let writer = RunWriter::create(folder, &header, &plan, &Seeds::at(&folder.with_extension("seeds")))?;
    writer.write_made("made", &round)?;
    writer.tell_seed()?;
    println!("{}", round.history.len());
    Ok(())
}

fn contender() -> Contender {
    let service = |name: &str| Service {
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
        ready_timeout_ns: SECOND_NS,
        depends_on: Vec::new(),
        cpus_milli: 300,
        memory_bytes: 512 << 20,
        cpuset: Vec::new(),
        ulimits: BTreeMap::new(),
        pids_max: None,
        volumes: Vec::new(),
    };
    Contender {
        name: "made".to_owned(),
        title: "Made up by a rule".to_owned(),
        language: None,
        challenge: "pessoas".to_owned(),
        file: PathBuf::from("/made/compose.yaml"),
        file_sha256: "00".repeat(32),
        services: SERVICES.map(service).into(),
        runner: galo_plan::Runner::Process,
        own_names: galo_plan::OwnNames::default(),
        connects: false,
        setting: None,
        null_of: None,
    }
}

/// What a round has beside its history: seconds, samples, and where its services were.
fn complete(round: &mut RoundData) {
    let length = round.record.load.ended_ns.div_ceil(SECOND_NS) as usize;
    for (step, latencies) in round.latencies.iter_mut().enumerate() {
        latencies.seconds = vec![SecondLatencies::default(); length];
        latencies.ok_service = latencies.ok.clone();
        let mut of_second = Latencies::new();
        let mut current = 0;
        // In the order in which they were done.
        for o in round.history.iter().filter(|o| usize::from(o.step) == step) {
            let done = (o.done_ns / SECOND_NS) as usize;
            if done != current {
                latencies.seconds[current].ok = of_second.take_sparse();
                current = done;
            }
            of_second.record_ns(o.done_ns - o.intended_ns);
            latencies.seconds[(o.intended_ns / SECOND_NS) as usize].intended += 1;
        }
        latencies.seconds[current].ok = of_second.take_sparse();
    }
    round.samples = (0..=round.record.load.ended_ns / TICK_NS + 1).map(sample).collect();
    let service = |name: &str| ServicePlacement {
        name: name.to_owned(),
        group: None,
        pid: 1,
        log: PathBuf::from(format!("logs/{name}.log")),
        cpus_milli: Some(300),
        memory_bytes: Some(512 << 20),
        ulimits: BTreeMap::new(),
        ready_after_ns: TICK_NS,
        listens: None,
        image: None,
    };
    round.record.placement = Some(Placement {
        contender: "made".to_owned(),
        target: ([127, 0, 0, 1], 9999).into(),
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        services: SERVICES.map(service).into(),
    });
}

fn sample(tick: u64) -> Sample {
    let service = |share: u64| ServiceSample {
        cpu_ns: tick * TICK_NS / 20 * share,
        periods: tick,
        throttled_periods: tick / 50 * share,
        memory_bytes: (100 << 20) + (tick << 10) * share,
        anonymous_bytes: (80 << 20) + (tick << 10) * share,
        ..ServiceSample::default()
    };
    Sample {
        at_ns: tick * TICK_NS,
        services: (1..=SERVICES.len() as u64).map(service).collect(),
        host: HostSample::default(),
        galo_cpu_ns: tick * TICK_NS / 10,
        cores_busy_ns: Vec::new(),
    }
}
