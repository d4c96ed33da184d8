//! `galo doctor --calibrate`: what the load engine can reach on this machine, against a server that does nothing. What
//! a load then finds near these figures is galo's and the machine's, not the server's.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, anyhow};
use galo_drive::ceiling::{CALIBRATION_CONNECTIONS, CALIBRATION_S, Ceiling, ceiling};
use galo_load::Backend;

use crate::exit::Exit;
use crate::output::{print, say};
use crate::stop::{stop_flag, stopped};

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
        "\nceiling: 1 thread, {CALIBRATION_CONNECTIONS} connections, a server that does nothing on a core of its own\n\
         {:<10}{:>12}{:>16}{:>14}{:>14}{:>14}\n",
        "backend", "requests/s", "CPU us/request", "at half: /s", "lag p50 us", "lag p99 us"
    );
    for (name, backend) in [("io_uring", Backend::IoUring), ("epoll", Backend::Epoll)] {
        if stopped(&stop) {
            break;
        }
        say(&format!("calibrating {name}: {CALIBRATION_S} s"));
        let _ = match ceiling(server.address, backend, &stop) {
            Ok(Ceiling { per_s: 0.0, .. }) => {
                writeln!(table, "{name:<10}  no request was answered")
            }
            Ok(Ceiling { per_s, cpu_us, half_per_s, lag_us: [p50, p99] }) => {
                writeln!(
                    table,
                    "{name:<10}{per_s:>12.0}{cpu_us:>16.2}{half_per_s:>14.0}{p50:>14.0}{p99:>14.0}"
                )
            }
            Err(error) => {
                let error = error.to_string();
                writeln!(table, "{name:<10}  {}", error.lines().next().unwrap_or_default())
            }
        };
    }
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() < 2) {
        table.push_str("this machine has one core, which galo and the server shared\n");
    }
    Ok(table)
}

impl NullServer {
    fn start() -> Result<Self> {
        let galo = std::env::current_exe().context("galo cannot find its own program")?;
        let mut child = Command::new(galo)
            .arg(galo_plan::null::COMMAND)
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

/// The server process: at this address, until it is killed; else it tells its own, and answers until its standard input is closed.
pub(crate) fn serve_null(address: Option<SocketAddr>) -> Result<Exit> {
    let options = galo_null::Options::default();
    let options = galo_null::Options { address: address.unwrap_or(options.address), ..options };
    let mut server = galo_null::Server::bind(options)?;
    if address.is_none() {
        server.tie_to(std::io::stdin())?;
        print(&format!("{}\n", server.address()))?;
    }
    server.run(&AtomicBool::new(false))?;
    Ok(Exit::Done)
}
