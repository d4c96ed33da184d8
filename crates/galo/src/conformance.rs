//! The cases of conformance asked: each once on every instance, one request after the other, and all that came kept.
//! Nothing is judged here.

mod run;
mod wire;

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use galo_plan::conformance::{Case, mark};
use galo_plan::{Contender, Ready};
use galo_record::conformance::FailureKind;
use galo_record::round::CountReading;
use galo_record::{CaseRecord, CaseRun};

use crate::check::resolve;
use crate::session::stopped;

/// Bound for one answer.
const WITHIN: Duration = Duration::from_secs(5);
/// Bound for all cases. An honest server needs some seconds.
const ALL_WITHIN: Duration = Duration::from_secs(180);
/// After so many requests without an answer in time nothing new is to be learnt.
const TIMEOUTS_MAX: usize = 10;
/// How often, and with which pause, a server is asked whether it still answers.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(500);

/// Somebody to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    /// Name of the instance, or which time it is asked.
    name: String,
    address: SocketAddr,
    /// Whether it is an instance itself.
    direct: bool,
}

/// Whom to ask: the instances, if galo knows two of them, or twice whoever stands before them.
pub(crate) fn servers(contender: &Contender, target: SocketAddr, count_path: &str) -> Vec<Server> {
    let instances: Vec<Server> = contender
        .services
        .iter()
        .filter_map(|service| {
            let Ready::Http(url) = &service.ready else { return None };
            let authority = url.strip_prefix("http://")?.split(['/', '?']).next()?;
            let address = resolve(authority).ok().filter(|address| address.port() != target.port())?;
            // A database may answer over HTTP as well, but knows nothing of people.
            counts(address, count_path).then(|| Server { name: service.name.clone(), address, direct: true })
        })
        .collect();
    if instances.len() >= 2 {
        return instances;
    }
    let time = |name: &str| Server { name: name.to_owned(), address: target, direct: false };
    vec![time("first time"), time("second time")]
}

fn counts(address: SocketAddr, count_path: &str) -> bool {
    let answer = galo_load::get(address, count_path, WITHIN);
    answer.is_ok_and(|answer| {
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        CountReading::new(0, answer.status, text).value.is_some()
    })
}

/// Asks all cases. Once a server answers no more, or too many requests had no answer, the others are left out, and why
/// is said.
pub(crate) fn ask(
    cases: &[Case],
    seed: u64,
    servers: &[Server],
    count_path: &str,
    stop: &AtomicBool,
) -> Vec<CaseRecord> {
    let deadline = Instant::now() + ALL_WITHIN;
    let mut timeouts = 0;
    let mut missing: Option<String> = None;
    let mut records = Vec::with_capacity(cases.len());
    for (number, case) in cases.iter().enumerate() {
        let mut runs = Vec::with_capacity(servers.len());
        for place in 0..servers.len() {
            if stopped(stop) {
                missing.get_or_insert_with(|| "it was broken off".to_owned());
            } else if Instant::now() > deadline {
                let text = format!("they took over {} min", ALL_WITHIN.as_secs() / 60);
                missing.get_or_insert(text);
            }
            if missing.is_some() {
                break;
            }
            let run = run::run(case, servers, place, mark(seed, number, place), count_path);
            timeouts += timeouts_in(&run);
            missing = run.gone.as_ref().map(|_| format!("{} answers no more", with_name(&servers[place])));
            if timeouts >= TIMEOUTS_MAX {
                let text = format!("{timeouts} requests had no answer within {} s", WITHIN.as_secs());
                missing.get_or_insert(text);
            }
            runs.push(run);
        }
        let lacks = missing.clone().filter(|_| runs.len() < servers.len());
        records.push(CaseRecord { case: case.clone(), runs, missing: lacks });
    }
    records
}

fn with_name(server: &Server) -> String {
    if server.direct { server.name.clone() } else { format!("the server at {}", server.address) }
}

fn timeouts_in(run: &CaseRun) -> usize {
    let failures = run.exchanges.iter().flatten().filter_map(|exchange| exchange.failure.as_ref());
    failures.filter(|failure| failure.kind == FailureKind::TimedOut).count()
}

/// Why a server gives no answer any more; `None`: it does.
fn gone(server: &Server, count_path: &str) -> Option<String> {
    let mut last = None;
    for _ in 0..TRIES {
        match galo_load::get(server.address, count_path, WITHIN) {
            Ok(_) => return None,
            Err(error) => last = Some(error),
        }
        std::thread::sleep(PAUSE);
    }
    last
}

#[cfg(test)]
mod tests;
