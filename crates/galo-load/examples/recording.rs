//! What the history costs the engine: CPU per operation with it and without, in alternating pairs against a null
//! server, as Markdown. Every answer shows one thing, which is kept too.
//!
//! ```sh
//! cargo run --release -p galo-load --example recording
//! ```

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use galo_load::{Backend, LoadOptions};
use galo_plan::LoadPlan;
use galo_plan::challenge::{Connection, Step};
use galo_plan::load::{Arrivals, Pool, Target};
use galo_plan::model::{Answer, Ceiling, ChallengeData, Examination, Id, Question, Seen};
use galo_record::Events;

const OPERATIONS: u64 = 400_000;
const CONNECTIONS: u32 = 64;
const PAIRS: usize = 9;

/// Finds one thing in every answer.
struct OneThing;

impl ChallengeData for OneThing {
    fn write_field(&self, _feeder: usize, _row: u64, _field: usize, _out: &mut Vec<u8>) {}

    fn ceiling(&self) -> Ceiling {
        Ceiling { min: 0, max: 0 }
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
        seen.push(Seen { id: Id(question.row.into()), digest: answer.body.len() as u64 });
        Examination::RIGHT
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = galo_null::Server::bind(galo_null::Options::default())?;
    let address = server.address();
    let stop = Arc::new(AtomicBool::new(false));
    let stop_server = Arc::clone(&stop);
    let serving = std::thread::spawn(move || server.run(&stop_server));

    println!("{OPERATIONS} operations on {CONNECTIONS} connections, {PAIRS} pairs\n");
    println!("| pair | without, ns of CPU each | with | ratio |\n| --- | --- | --- | --- |");
    let mut ratios = Vec::new();
    for pair in 1..=PAIRS {
        // Who goes first alternates, too.
        let (first, second) = (cpu_ns(address, pair % 2 == 0)?, cpu_ns(address, pair % 2 == 1)?);
        let (without, with) = if pair % 2 == 0 { (second, first) } else { (first, second) };
        println!("| {pair} | {without:.0} | {with:.0} | {:.3} |", with / without);
        ratios.push(with / without);
    }
    ratios.sort_by(f64::total_cmp);
    let (least, median, most) = (ratios[0], ratios[PAIRS / 2], ratios[PAIRS - 1]);
    println!("\nCPU with the history, to that without it: median {median:.3} ({least:.3} to {most:.3})");
    stop.store(true, Ordering::Relaxed);
    serving.join().map_err(|_| "the null server panicked")??;
    Ok(())
}

/// CPU of the engine for one operation, in nanoseconds.
fn cpu_ns(address: SocketAddr, history: bool) -> Result<f64, Box<dyn std::error::Error>> {
    let arrivals = Arrivals::Closed { users: CONNECTIONS, total: Some(OPERATIONS), duration_ns: None };
    let mut plan = LoadPlan::repeating(
        Step::plain("GET", "/"),
        Connection::Shared,
        Duration::from_secs(5),
        arrivals,
        Target::plain(address),
    );
    plan.pool = Pool { connections: CONNECTIONS, streams: 1 };
    plan.scenarios[0].feeder = Some(0);
    plan.scenarios[0].steps[0].check = Some(0);
    plan.data = Box::new(OneThing);
    let options = LoadOptions {
        threads: 1,
        history,
        real_time: false,
        backend: Backend::Auto,
        spin: false,
        drain: Duration::from_secs(5),
        stop: Arc::default(),
        events: Events::none(),
        seconds: None,
        gate: None,
    };
    let outcome = galo_load::run(&plan, &options)?;
    let right: u64 = outcome.load.steps.iter().map(|step| step.ledger.ok).sum();
    Ok(outcome.load.engine.cpu_ns as f64 / right as f64)
}
