//! The cases of conformance asked: each once on every instance, or twice at the contender's own port if it is about
//! that, one request after the other, and all that came kept. A case in which a server said that it cannot just now is asked again.
//! Nothing is judged here.

mod run;
mod wire;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use galo_plan::conformance::{Case, CaseRequest, mark};
use galo_plan::{Blame, Contender, Seed};
use galo_record::conformance::{Failure, FailureKind};
use galo_record::round::CountReading;
use galo_record::{CaseRecord, CaseRun, Exchange, Missing, ServicePlacement};
use galo_watch::FlushCounter;

use crate::instances;

/// After so many requests without an answer in time nothing new is to be learnt.
const TIMEOUTS_MAX: usize = 10;

/// So often a case is asked of one server as long as it says that it cannot just now.
const TRIES: usize = 4;

/// A gateway found nobody behind it who answers (RFC 9110, section 15.6.3).
const BAD_GATEWAY: u16 = 502;

/// How long to wait for what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// For one answer.
    within: Duration,
    /// For an answer to the count.
    count_within: Duration,
    /// For all cases. An honest server needs some seconds.
    all_within: Duration,
    /// For any answer of a server that gave none before. Where it only lets galo wait, the bound of one answer holds.
    gone_within: Duration,
    /// Between two questions whether it still answers, and before a case is asked again.
    pause: Duration,
    /// Until a gateway finds somebody behind it again. By default nginx sends nothing for 10 s to an instance that ended a connection early,
    /// as honest ones do where a body is far too long.
    gateway_within: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            within: Duration::from_secs(5),
            count_within: Duration::from_secs(60),
            all_within: Duration::from_secs(180),
            gone_within: Duration::from_secs(2),
            pause: Duration::from_millis(500),
            gateway_within: Duration::from_secs(15),
        }
    }
}

/// Somebody to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    /// Name of the instance, or the port, or which time it is asked.
    name: String,
    address: SocketAddr,
    /// Whether it is an instance itself.
    direct: bool,
}

/// Whom to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Servers {
    /// Each case is asked of each.
    instances: Vec<Server>,
    /// The contender's own port, once for each time.
    front: Vec<Server>,
}

/// Asks cases.
pub(super) struct Asker<'a> {
    /// Seed of the marks.
    pub(super) seed: Seed,
    /// Path of the count, by which a server tells that it still answers; `None`: it does so by any answer.
    pub(super) count_path: Option<&'a str>,
    /// Where the tunnel leads that each connection begins with; `None`: there is none.
    pub(super) origin: Option<SocketAddr>,
    pub(super) stop: &'a AtomicBool,
    /// What the contender's services flushed so far, if that is counted.
    pub(super) flushes: Option<&'a FlushCounter>,
    pub(super) patience: Patience,
}

impl Asker<'_> {
    /// Servers to ask: the instances, if galo knows two of them, and the contender's own port; else that port twice. The contest
    /// speaks of its one port alone: what only an instance itself shows is told, and held against no contender.
    pub(super) fn servers(
        &self,
        contender: &Contender,
        placed: &[ServicePlacement],
        target: SocketAddr,
    ) -> Servers {
        let server = |name: &str| Server { name: name.to_owned(), address: target, direct: false };
        let front = vec![server("first time"), server("second time")];
        let mut known = Vec::new();
        for service in galo_plan::instances::largest(&contender.services) {
            let is_front =
                |address: &SocketAddr| address.ip().is_loopback() && address.port() == target.port();
            let address = instances::address(service, placed).filter(|address| !is_front(address));
            // Two databases may be alike and answer over HTTP as well, but know nothing of people.
            if let Some(address) = address.filter(|address| self.counts(*address)) {
                known.push(Server { name: service.name.clone(), address, direct: true });
            }
        }
        if known.len() < 2 {
            return Servers { instances: front.clone(), front };
        }
        let front = server(&format!("port {}", target.port()));
        known.push(front.clone());
        Servers { instances: known, front: vec![front.clone(), front] }
    }

    /// Whether it answers the count, as instances do. Without a count it cannot be told.
    fn counts(&self, address: SocketAddr) -> bool {
        let Some(path) = self.count_path else { return false };
        galo_load::get(address, path, self.patience.within).is_ok_and(|answer| {
            let text = String::from_utf8_lossy(&answer.body).into_owned();
            CountReading::new(0, answer.status, text).value.is_some()
        })
    }

    /// Asks all cases. Once a server answers no more, or too many requests had no answer, the others are left out, and
    /// why is said.
    pub(super) fn ask(&self, cases: &[Case], servers: &Servers) -> Vec<CaseRecord> {
        let deadline = Instant::now() + self.patience.all_within;
        let mut timeouts = 0;
        let mut over: Option<Missing> = None;
        let mut has_come_back = true;
        let mut records = Vec::with_capacity(cases.len());
        for (number, case) in cases.iter().enumerate() {
            let servers = if case.front { &servers.front } else { &servers.instances };
            let mut runs = Vec::with_capacity(servers.len());
            let mut missing = None;
            for (place, server) in servers.iter().enumerate() {
                let bounds = Bounds { deadline, timeouts };
                over = over.or_else(|| self.is_over(bounds));
                if over.is_some() {
                    break;
                }
                let asked = AskedCase { case, number, servers, place };
                let run = match self.run_until_able(asked, bounds, &mut has_come_back) {
                    Ok(run) => run,
                    Err(unable) => {
                        missing = Some(unable);
                        continue;
                    }
                };
                timeouts += timeouts_in(&run.exchanges);
                if let Some(failure) = own_failure(&run.exchanges) {
                    let because = format!("galo itself could not ask: {}", failure.text);
                    missing = Some(Missing { because, blame: Blame::Client });
                    continue;
                }
                if run.exchanges.len() < case.requests.len() {
                    over = self.is_over(Bounds { deadline, timeouts });
                    missing.clone_from(&over);
                }
                let gone = || contenders(format!("{} answers no more", server.named()));
                over = run.gone.as_ref().map(|_| gone()).or(over);
                runs.push(run);
            }
            let lacks = over.clone().filter(|_| runs.len() < servers.len());
            records.push(CaseRecord { case: case.without_secrets(), runs, missing: missing.or(lacks) });
        }
        records
    }

    /// A case on a server: again under another mark, as long as an answer says that the server cannot just now. Where it says so of another
    /// request each time, the question is not why, and the case cannot be asked. A gateway whom nobody came back to is not waited for again.
    fn run_until_able(
        &self,
        AskedCase { case, number, servers, place }: AskedCase<'_>,
        bounds: Bounds,
        has_come_back: &mut bool,
    ) -> Result<CaseRun, Missing> {
        // Of which requests it said so every time; `None`: it was not asked yet.
        let mut always: Option<HashSet<usize>> = None;
        for tried in 0..TRIES {
            if tried > 0 {
                std::thread::sleep(self.patience.pause);
            }
            let mark = mark(self.seed, number, place + tried * servers.len());
            let run = self.run(case, servers, place, mark, bounds);
            let unable = unable(case, &run.exchanges);
            let of_all = always.map_or(unable.clone(), |before| &before & &unable);
            let is_last = tried + 1 == TRIES && !of_all.is_empty();
            if unable.is_empty() || is_last || self.is_over(bounds).is_some() {
                return Ok(run);
            }
            if *has_come_back && has_bad_gateway(&run.exchanges, &unable) {
                *has_come_back = self.wait_behind(&servers[place]);
            }
            always = Some(of_all);
        }
        let busy = "of another request each time it said that it cannot just now (408, 429, 502 or 503)";
        Err(contenders(format!("{}: {busy}", servers[place].named())))
    }

    /// Until a gateway finds somebody behind it; whether it did.
    fn wait_behind(&self, server: &Server) -> bool {
        let Patience { within, gateway_within, pause, .. } = self.patience;
        let until = Instant::now() + gateway_within;
        let path = self.count_path.unwrap_or("/");
        // What a tunnel leads to is asked through it, by the case itself.
        while self.origin.is_none() && !self.stop.load(Ordering::Relaxed) {
            let asked = galo_load::get(server.address, path, within);
            if !asked.is_ok_and(|answer| answer.status == BAD_GATEWAY) {
                return true;
            }
            if Instant::now() > until {
                return false;
            }
            std::thread::sleep(pause);
        }
        true
    }

    /// Why nothing more is to be asked.
    fn is_over(&self, Bounds { deadline, timeouts }: Bounds) -> Option<Missing> {
        let Patience { within, all_within, .. } = self.patience;
        if self.stop.load(Ordering::Relaxed) {
            Some(Missing { because: "it was broken off".to_owned(), blame: Blame::Client })
        } else if timeouts >= TIMEOUTS_MAX {
            Some(contenders(format!("{timeouts} requests had no answer within {within:?}")))
        } else if Instant::now() > deadline {
            Some(contenders(format!("all together took over {all_within:?}")))
        } else {
            None
        }
    }

    /// Why a server gives no answer any more; `None`: it does, or it cannot be told.
    fn gone(&self, server: &Server) -> Option<String> {
        let Patience { within, count_within, gone_within, pause, .. } = self.patience;
        let until = Instant::now() + gone_within;
        let (mut why, mut is_late) = (None, false);
        while !self.stop.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                // Who takes connections may only be slow, and some count for seconds by design.
                let is_there = is_late && galo_load::Connection::open(server.address, gone_within).is_ok();
                let longest = if self.count_path.is_some() { count_within } else { within };
                return if is_there { self.answer(server, longest).err().map(|f| f.text) } else { why };
            }
            let asked = self.answer(server, left);
            is_late = asked.as_ref().is_err_and(|failure| failure.kind == FailureKind::TimedOut);
            match asked {
                Ok(()) => return None,
                // The last question may have had next to no time.
                Err(_) if is_late && why.is_some() => {}
                Err(failure) => why = Some(failure.text),
            }
            std::thread::sleep(pause.min(until.saturating_duration_since(Instant::now())));
        }
        None
    }

    /// Why a server does not answer the count, or anything where there is none. What galo cannot ask, or not read to its end, is not its
    /// doing.
    fn answer(&self, server: &Server, within: Duration) -> Result<(), Failure> {
        let asked = match self.origin {
            Some(origin) => galo_load::Connection::open_through(server.address, origin, within).map(drop),
            None => {
                let path = self.count_path.unwrap_or("/");
                galo_load::get_unless(Some(self.stop), server.address, path, within).map(drop)
            }
        };
        asked.or_else(|failure| match failure.kind {
            FailureKind::Own | FailureKind::TooLong => Ok(()),
            _ => Err(failure),
        })
    }
}

/// A case, and of whom it is asked.
#[derive(Clone, Copy)]
struct AskedCase<'a> {
    case: &'a Case,
    number: usize,
    servers: &'a [Server],
    /// Place of the server that is asked.
    place: usize,
}

/// When there is an end to all asking.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    deadline: Instant,
    /// Requests so far that had no answer in time.
    timeouts: usize,
}

fn contenders(because: String) -> Missing {
    Missing { because, blame: Blame::Contender }
}

impl Server {
    fn named(&self) -> String {
        if self.direct { self.name.clone() } else { format!("the server at {}", self.address) }
    }
}

/// The requests of which a server said that it is too busy, or just not there: RFC 9110 (408, 503, and 502 where that will not do), RFC 6585
/// (429).
fn unable(case: &Case, exchanges: &[Option<Exchange>]) -> HashSet<usize> {
    let is_unable = |(request, exchange): (&CaseRequest, &Exchange)| match exchange.status {
        BAD_GATEWAY => !request.takes_server_error(BAD_GATEWAY),
        status => matches!(status, 408 | 429 | 503),
    };
    let told = case.requests.iter().zip(exchanges).enumerate();
    told.filter(|(_, (request, exchange))| exchange.as_ref().is_some_and(|e| is_unable((request, e))))
        .map(|(at, _)| at)
        .collect()
}

fn has_bad_gateway(exchanges: &[Option<Exchange>], of: &HashSet<usize>) -> bool {
    of.iter().any(|at| exchanges[*at].as_ref().is_some_and(|exchange| exchange.status == BAD_GATEWAY))
}

fn failures(exchanges: &[Option<Exchange>]) -> impl Iterator<Item = &Failure> {
    exchanges.iter().flatten().filter_map(|exchange| exchange.failure.as_ref())
}

fn timeouts_in(exchanges: &[Option<Exchange>]) -> usize {
    failures(exchanges).filter(|failure| failure.kind == FailureKind::TimedOut).count()
}

/// What galo could not even try.
fn own_failure(exchanges: &[Option<Exchange>]) -> Option<&Failure> {
    failures(exchanges).find(|failure| failure.kind == FailureKind::Own)
}

#[cfg(test)]
mod tests;
