//! What a request costs the engine: CPU time on one engine thread, against a server that does next to nothing.
//!
//! `cargo run --release -p galo-load --example cost [USERS_PER_SECOND [SECONDS [STEPS]]]`: every user opens a connection,
//! sends STEPS requests on it, one after another, and closes it. The server runs in a process of its own, so that
//! `strace -c -f` on the engine counts the engine's calls alone.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use galo_load::LoadOptions;
use galo_plan::Plan;
use galo_plan::injection::Injection;
use galo_plan::single::{SingleRequest, no_model};
use galo_record::Events;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::net::{RecvFlags, SendFlags};

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n\r\nhello, world";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|word| word == "serve") {
        return serve();
    }
    let number = |index: usize, default: u64| arguments.get(index).map_or(Ok(default), |word| word.parse());
    let (rate, seconds, steps) = (number(1, 700)?, number(2, 10)?, number(3, 1)?);
    let mut server = Command::new(std::env::current_exe()?).arg("serve").stdout(Stdio::piped()).spawn()?;
    let outcome = drive(&mut server, rate, seconds, steps);
    server.kill()?;
    server.wait()?;
    outcome
}

fn drive(
    server: &mut std::process::Child,
    rate: u64,
    seconds: u64,
    steps: u64,
) -> Result<(), Box<dyn Error>> {
    let mut address = String::new();
    BufReader::new(server.stdout.take().ok_or("no output")?).read_line(&mut address)?;
    let request = SingleRequest {
        method: "GET".to_owned(),
        target: "/".to_owned(),
        headers: Vec::new(),
        body: None,
        statuses: vec![200],
        timeout: Duration::from_secs(10),
        connection_per_request: false,
    };
    let injection = Injection::constant(rate * 1_000_000, Duration::from_secs(seconds));
    let mut plan = Plan::of_one_request(&request, injection, 1);
    let scenario = &mut plan.challenge.scenarios[0].steps;
    scenario.resize(usize::try_from(steps)?.clamp(1, 250), scenario[0].clone());
    let options = LoadOptions {
        threads: 1,
        history: true,
        real_time: false,
        drain: Duration::from_secs(10),
        stop: Arc::new(AtomicBool::new(false)),
        events: Events::none(),
    };
    let outcome = galo_load::run(&plan, no_model(), address.trim().parse()?, &options)?;
    let ok: u64 = outcome.steps.iter().map(|step| step.ledger.ok).sum();
    let intended: u64 = outcome.steps.iter().map(|step| step.ledger.intended).sum();
    let engine = &outcome.engine;
    println!("{ok} of {intended} right on {} connections", engine.connections);
    println!("{:.2} us of CPU a request", engine.cpu_ns as f64 / 1000.0 / intended as f64);
    println!(
        "lag: p50 {:.0} us, p99 {:.0} us, p99.9 {:.0} us, max {:.0} us; {}",
        engine.lag_us_p50, engine.lag_us_p99, engine.lag_us_p99_9, engine.lag_us_max, engine.priority
    );
    println!(
        "latency: p50 {:.0} us, p99 {:.0} us",
        outcome.latencies[0].ok.quantile_us(0.5),
        outcome.latencies[0].ok.quantile_us(0.99)
    );
    println!("own errors: {:?}", engine.own_errors);
    Ok(())
}

/// Answers whatever arrives, one answer for one read: enough for a client that does not pipeline.
fn serve() -> Result<(), Box<dyn Error>> {
    let listener =
        rustix::net::socket(rustix::net::AddressFamily::INET, rustix::net::SocketType::STREAM, None)?;
    rustix::net::bind(&listener, &std::net::SocketAddr::from(([127, 0, 0, 1], 0)))?;
    rustix::net::listen(&listener, 4096)?;
    println!("{}", std::net::SocketAddr::try_from(rustix::net::getsockname(&listener)?)?);
    let queue = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&queue, &listener, EventData::new_u64(0), EventFlags::IN)?;
    let mut connections: Vec<Option<OwnedFd>> = Vec::new();
    let mut events: Vec<Event> = Vec::with_capacity(256);
    let mut buffer = [0; 4096];
    loop {
        events.clear();
        epoll::wait(&queue, rustix::buffer::spare_capacity(&mut events), None)?;
        for event in &events {
            let index = event.data.u64() as usize;
            if index == 0 {
                let connection = rustix::net::accept(&listener)?;
                let index = connection.as_raw_fd() as usize;
                epoll::add(&queue, &connection, EventData::new_u64(index as u64), EventFlags::IN)?;
                if connections.len() <= index {
                    connections.resize_with(index + 1, || None);
                }
                connections[index] = Some(connection);
            } else if let Some(connection) = &connections[index] {
                match rustix::net::recv(connection, &mut buffer, RecvFlags::DONTWAIT) {
                    Ok((n, _)) if n > 0 => _ = rustix::net::send(connection, ANSWER, SendFlags::NOSIGNAL)?,
                    _ => connections[index] = None,
                }
            }
        }
    }
}
