//! `galo doctor --calibrate`: what the load engine can reach on this machine, against a server that does nothing. What
//! a load then finds near these figures is galo's and the machine's, not the server's.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use galo_load::{Backend, LoadOptions, LoadOutcome};
use galo_plan::challenge::Connection;
use galo_plan::load::{Arrivals, Pool, Spacing, Target};
use galo_plan::single::SingleRequest;
use galo_plan::{Injection, LoadPlan};
use galo_record::{Events, Ledger};

use crate::exit::Exit;
use crate::output::{print, say};
use crate::session::{stop_flag, stopped};

const CONNECTIONS: u32 = 64;
/// Of each of the four loads.
const LENGTH: Duration = Duration::from_secs(3);
/// Share of what a closed loop reaches at which lag is measured.
const SHARE: f64 = 0.5;
/// Between the end of the arrivals and the end of a load.
const DRAIN: Duration = Duration::from_secs(2);

/// A server of galo's own in a process of its own, which ends with this one.
struct NullServer {
    child: Child,
    address: SocketAddr,
}

/// Drives the null server by each of the kernel's interfaces, and says in a table what came of it.
///
/// # Errors
/// Where the server cannot be started.
pub(crate) fn run() -> Result<String> {
    let stop = stop_flag()?;
    let server = NullServer::start()?;
    let mut table = format!(
        "\nceiling: 1 thread, {CONNECTIONS} connections, a server that does nothing on a core of its own\n\
         {:<10}{:>12}{:>16}{:>14}{:>14}{:>14}\n",
        "backend", "requests/s", "CPU us/request", "at half: /s", "lag p50 us", "lag p99 us"
    );
    for (name, backend) in [("io_uring", Backend::IoUring), ("epoll", Backend::Epoll)] {
        if stopped(&stop) {
            break;
        }
        say(&format!("calibrating {name}: {} s", 2 * LENGTH.as_secs()));
        let row = measure(server.address, backend, &stop).unwrap_or_else(|error| format!("  {error:#}"));
        let row = row.split('\n').next().unwrap_or_default();
        let _ = writeln!(table, "{name:<10}{row}");
    }
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) {
        table.push_str("this machine has one core, which galo and the server shared\n");
    }
    Ok(table)
}

/// As fast as it goes, and then at a fixed rate.
fn measure(address: SocketAddr, backend: Backend, stop: &Arc<AtomicBool>) -> Result<String> {
    let users =
        Arrivals::Closed { users: CONNECTIONS, total: None, duration_ns: Some(LENGTH.as_nanos() as u64) };
    let closed = drive(address, users, backend, stop)?;
    let (ledger, per_s) = achieved(&closed);
    if ledger.ok == 0 {
        return Err(anyhow!("no request was answered"));
    }
    let cpu_us = closed.load.engine.cpu_ns as f64 / 1e3 / ledger.ok as f64;
    let injection = Injection::constant((per_s * SHARE * 1e6) as u64, LENGTH);
    let open = drive(address, Arrivals::Open { injection, spacing: Spacing::Even }, backend, stop)?;
    let (_, open_per_s) = achieved(&open);
    let lag = &open.load.engine;
    Ok(format!(
        "{per_s:>12.0}{cpu_us:>16.2}{open_per_s:>14.0}{:>14.0}{:>14.0}",
        lag.lag_us_p50, lag.lag_us_p99
    ))
}

fn drive(
    target: SocketAddr,
    arrivals: Arrivals,
    backend: Backend,
    stop: &Arc<AtomicBool>,
) -> Result<LoadOutcome> {
    let request = SingleRequest {
        method: "GET".to_owned(),
        target: "/".to_owned(),
        headers: Vec::new(),
        body: None,
        statuses: Vec::new(),
        timeout: DRAIN,
        connection: Connection::Shared,
    };
    let mut plan = LoadPlan::of_one_request(&request, arrivals, Target::plain(target));
    plan.pool = Pool { connections: CONNECTIONS, streams: 1 };
    let options = LoadOptions {
        threads: 1,
        history: false,
        real_time: false,
        backend,
        spin: false,
        drain: DRAIN,
        stop: Arc::clone(stop),
        events: Events::none(),
        seconds: None,
    };
    Ok(galo_load::run(&plan, &options)?)
}

/// The ledger, and right answers per second.
fn achieved(outcome: &LoadOutcome) -> (Ledger, f64) {
    let ledger = outcome.load.total().ledger;
    (ledger, ledger.ok as f64 * 1e9 / outcome.load.elapsed_ns().max(1) as f64)
}

impl NullServer {
    fn start() -> Result<Self> {
        let galo = std::env::current_exe().context("galo cannot find its own program")?;
        let mut child = Command::new(galo)
            .arg("__null")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the null server")?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line).context("cannot read the null server's address")?;
        }
        match line.trim().parse() {
            Ok(address) => Ok(Self { child, address }),
            Err(_) => {
                // It told why on standard error, which is galo's own.
                let _ = child.kill().and_then(|()| child.wait().map(drop));
                Err(anyhow!("the null server did not start"))
            }
        }
    }
}

impl Drop for NullServer {
    fn drop(&mut self) {
        // It ends when its standard input does.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The server process: tells its address, and answers until its standard input is closed.
pub(crate) fn serve_null() -> Result<Exit> {
    let mut server = galo_null::Server::bind(galo_null::Options::default())?;
    server.tie_to(std::io::stdin())?;
    print(&format!("{}\n", server.address()))?;
    server.run(&AtomicBool::new(false))?;
    Ok(Exit::Done)
}
