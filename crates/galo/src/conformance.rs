//! The cases of conformance asked: each once on every instance, one request after the other, and all that came kept.
//! Nothing is judged here.

mod run;
mod wire;

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use galo_plan::conformance::{Case, mark};
use galo_plan::{Contender, Ready, Service};
use galo_record::conformance::FailureKind;
use galo_record::round::CountReading;
use galo_record::{CaseRecord, CaseRun};

use crate::check::resolve;
use crate::session::stopped;

/// After so many requests without an answer in time nothing new is to be learnt.
const TIMEOUTS_MAX: usize = 10;
/// How often a server is asked whether it still answers.
const TRIES: u32 = 4;

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// For one answer.
    within: Duration,
    /// For all cases. An honest server needs some seconds.
    all_within: Duration,
    /// Between two questions whether a server still answers.
    pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            within: Duration::from_secs(5),
            all_within: Duration::from_secs(180),
            pause: Duration::from_millis(500),
        }
    }
}

/// Somebody to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    /// Name of the instance, or which time it is asked.
    name: String,
    address: SocketAddr,
    /// Whether it is an instance itself.
    direct: bool,
}

/// Asks cases.
pub(crate) struct Asker<'a> {
    /// Of the marks.
    pub(crate) seed: u64,
    /// Path of the count, by which a server tells that it still answers.
    pub(crate) count_path: &'a str,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) patience: Patience,
}

impl Asker<'_> {
    /// Whom to ask: the instances, if galo knows two of them, or twice whoever stands before them.
    pub(crate) fn servers(&self, contender: &Contender, target: SocketAddr) -> Vec<Server> {
        let instance = |service: &Service| {
            let Ready::Http(url) = &service.ready else { return None };
            let authority = url.strip_prefix("http://")?.split(['/', '?']).next()?;
            let address = resolve(authority).ok().filter(|address| address.port() != target.port())?;
            // A database may answer over HTTP as well, but knows nothing of people.
            let is_instance = self.counts(address);
            is_instance.then(|| Server { name: service.name.clone(), address, direct: true })
        };
        let instances: Vec<Server> = contender.services.iter().filter_map(instance).collect();
        if instances.len() >= 2 {
            return instances;
        }
        let time = |name: &str| Server { name: name.to_owned(), address: target, direct: false };
        vec![time("first time"), time("second time")]
    }

    fn counts(&self, address: SocketAddr) -> bool {
        galo_load::get(address, self.count_path, self.patience.within).is_ok_and(|answer| {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            CountReading::new(0, answer.status, text).value.is_some()
        })
    }

    /// Asks all cases. Once a server answers no more, or too many requests had no answer, the others are left out, and
    /// why is said.
    pub(crate) fn ask(&self, cases: &[Case], servers: &[Server]) -> Vec<CaseRecord> {
        let deadline = Instant::now() + self.patience.all_within;
        let mut timeouts = 0;
        let mut missing: Option<String> = None;
        let mut records = Vec::with_capacity(cases.len());
        for (number, case) in cases.iter().enumerate() {
            let mut runs = Vec::with_capacity(servers.len());
            for (place, server) in servers.iter().enumerate() {
                missing = missing.or_else(|| self.is_over(deadline, timeouts));
                if missing.is_some() {
                    break;
                }
                let run = self.run(case, servers, place, mark(self.seed, number, place));
                timeouts += timeouts_in(&run);
                missing = run.gone.as_ref().map(|_| format!("{} answers no more", server.named()));
                runs.push(run);
            }
            let lacks = missing.clone().filter(|_| runs.len() < servers.len());
            records.push(CaseRecord { case: case.clone(), runs, missing: lacks });
        }
        records
    }

    /// Why nothing more is to be asked.
    fn is_over(&self, deadline: Instant, timeouts: usize) -> Option<String> {
        let Patience { within, all_within, .. } = self.patience;
        if stopped(self.stop) {
            Some("it was broken off".to_owned())
        } else if timeouts >= TIMEOUTS_MAX {
            Some(format!("{timeouts} requests had no answer within {within:?}"))
        } else if Instant::now() > deadline {
            Some(format!("all together took over {all_within:?}"))
        } else {
            None
        }
    }

    /// Why a server gives no answer any more; `None`: it does.
    fn gone(&self, server: &Server) -> Option<String> {
        let mut last = None;
        for _ in 0..TRIES {
            match galo_load::get(server.address, self.count_path, self.patience.within) {
                Ok(_) => return None,
                Err(error) => last = Some(error),
            }
            std::thread::sleep(self.patience.pause);
        }
        last
    }
}

impl Server {
    fn named(&self) -> String {
        if self.direct { self.name.clone() } else { format!("the server at {}", self.address) }
    }
}

fn timeouts_in(run: &CaseRun) -> usize {
    let failures = run.exchanges.iter().flatten().filter_map(|exchange| exchange.failure.as_ref());
    failures.filter(|failure| failure.kind == FailureKind::TimedOut).count()
}

#[cfg(test)]
mod tests;
