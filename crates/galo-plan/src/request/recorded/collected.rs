//! Requests as they are found in a recording: what is the same once, and one host of several.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::Timestamp;

use super::beside::Beside;
use super::left_out::{Change, Left, LeftOut, Reason, Tally, Unit};
use super::read::Wrong;
use super::sent::Sent;
use super::{MAX_REQUESTS, Recorded, Recording, pace};
use crate::address::Place;

/// Bytes of different requests that are kept while a file is read, to see which are frequent; of those that come first when there is
/// room no longer, only how many there were is known.
const MOST_KEPT: usize = 256 << 20;

/// Requests of which is kept when they came: some 256 MiB.
const MOST_TIMES: usize = if cfg!(test) { 1_000 } else { 8_000_000 };

/// Hosts that are told where the one that is asked for is not among them.
const HOSTS_TOLD: usize = 5;

/// A different request.
struct Kept {
    request: Recorded,
    /// Where it first stands.
    number: u64,
}

/// Requests as they are found.
#[derive(Default)]
pub(super) struct Collected {
    /// Where files lie that a recording names.
    pub(super) beside: Beside,
    requests: Vec<Kept>,
    /// Their indices, each by the request once.
    known: HashMap<Recorded, usize>,
    /// Bytes of them, some more for each.
    kept: usize,
    held: u64,
    left_out: LeftOut,
    changed: Tally<Change>,
    /// What is wrong with the first entry that is none.
    first_wrong: Option<Wrong>,
    /// When which request came; `None`: not known. More than [`MOST_TIMES`] are as good as none.
    arrivals: Vec<(Option<Timestamp>, usize)>,
}

impl Collected {
    pub(super) fn new(beside: Beside) -> Self {
        Self { beside, ..Self::default() }
    }

    /// Whether nothing was found yet, not even what is left out.
    pub(super) fn is_empty(&self) -> bool {
        self.held == 0
    }

    pub(super) fn has_requests(&self) -> bool {
        !self.requests.is_empty()
    }

    /// One more, number `number` of the file, of which is known when it came if the file says so.
    pub(super) fn add_at(&mut self, number: u64, at: Option<Timestamp>, sent: Result<Sent, Left>) {
        if let Some(request) = self.add(number, 1, sent)
            && self.arrivals.len() <= MOST_TIMES
        {
            self.arrivals.push((at, request));
        }
    }

    /// One more, `weight` times, and its index; `None`: it is left out.
    pub(super) fn add(&mut self, number: u64, weight: u32, sent: Result<Sent, Left>) -> Option<usize> {
        self.beside.next_request();
        self.held = self.held.saturating_add(u64::from(weight));
        let Sent { request, changes } = match sent {
            Ok(sent) => sent,
            Err(Left { reason, about }) => {
                self.left_out.add(reason, number, u64::from(weight), &about);
                return None;
            }
        };
        for change in changes {
            self.changed.add(change, number, u64::from(weight), "");
        }
        if let Some(&index) = self.known.get(&request) {
            let known = &mut self.requests[index].request;
            known.weight = known.weight.saturating_add(weight);
            return Some(index);
        }
        let more = size(&request);
        if self.kept + more > MOST_KEPT {
            self.left_out.add(Reason::NoRoom, number, u64::from(weight), "");
            return None;
        }
        self.kept += more;
        let index = self.requests.len();
        self.known.insert(request.clone(), index);
        self.requests.push(Kept { request: Recorded { weight, ..request }, number });
        Some(index)
    }

    /// An entry that is not as its format has it: the first one is what refuses a file without any request.
    pub(super) fn wrong(&mut self, number: u64, reason: Reason, wrong: Wrong) {
        self.held += 1;
        self.left_out.add(reason, number, 1, &wrong.what);
        self.first_wrong.get_or_insert(wrong);
    }

    /// The file cannot be read from there on.
    pub(super) fn cut_off(&mut self, wrong: &Wrong) {
        self.held += 1;
        self.left_out.add(Reason::CutOff, wrong.line as u64, 1, &wrong.what);
    }

    pub(super) fn first_wrong(&mut self) -> Option<Wrong> {
        self.first_wrong.take()
    }

    /// The recording of what was collected.
    ///
    /// # Errors
    /// There are requests, and none of the host that is asked for: what to do, with the hosts that there are.
    pub(super) fn finish(mut self, host: Option<&str>, unit: Unit) -> Result<Recording, String> {
        let hosts = self.hosts();
        let taken = |known: &str| match host {
            None => hosts.first().is_some_and(|(first, _)| first == known),
            Some(asked) => is_host(known, asked),
        };
        if host.is_some() && self.has_requests() && !hosts.iter().any(|(known, _)| taken(known)) {
            let told = hosts.iter().take(HOSTS_TOLD).map(|(known, count)| format!("{known} ({count})"));
            let told = told.collect::<Vec<_>>().join(", ");
            let none = || "it names no host: leave --host out".to_owned();
            return Err(if told.is_empty() { none() } else { format!("it has {told}") });
        }
        let is_taken = |kept: &Kept| kept.request.host.as_deref().is_none_or(taken);
        let (mut kept, others): (Vec<usize>, Vec<usize>) =
            (0..self.requests.len()).partition(|&index| is_taken(&self.requests[index]));
        for index in others {
            let Kept { request: Recorded { host, weight, .. }, number } = &self.requests[index];
            let about = host.as_deref().unwrap_or_default();
            self.left_out.add(Reason::OtherHost, *number, u64::from(*weight), about);
        }
        // The most frequent first; of equal ones who came first.
        kept.sort_by_key(|&index| Reverse(self.requests[index].request.weight));
        let mut rare = kept.split_off(MAX_REQUESTS.min(kept.len()));
        rare.sort_unstable();
        for index in rare {
            let Kept { request, number } = &self.requests[index];
            self.left_out.add(Reason::Rare, *number, u64::from(request.weight), "");
        }
        kept.sort_unstable();
        let all = Some(&self.arrivals[..]).filter(|all| all.len() <= MOST_TIMES);
        let arrivals = pace::arrivals(all.unwrap_or_default(), &kept);
        let requests = kept.into_iter().map(|index| self.requests[index].request.clone()).collect();
        let host = host.or(hosts.first().map(|(first, _)| first.as_str())).map(str::to_owned);
        let Self { left_out, changed, held, .. } = self;
        Ok(Recording { requests, left_out, changed, held, host, arrivals, unit })
    }

    /// Hosts with how many requests each has, the most frequent first, of equal ones the one that came first.
    fn hosts(&self) -> Vec<(String, u64)> {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut hosts: Vec<(String, u64)> = Vec::new();
        for Kept { request: Recorded { host, weight, .. }, .. } in &self.requests {
            let Some(host) = host.as_deref() else { continue };
            let place = *places.entry(host).or_insert_with(|| {
                hosts.push((host.to_owned(), 0));
                hosts.len() - 1
            });
            hosts[place].1 += u64::from(*weight);
        }
        hosts.sort_by_key(|(_, count)| Reverse(*count));
        hosts
    }
}

/// Whether a host is the one that is asked for: with its port, or without.
fn is_host(known: &str, asked: &str) -> bool {
    let (Ok(known), Ok(asked)) = (Place::parse(known), Place::parse(asked)) else { return false };
    known.host.eq_ignore_ascii_case(&asked.host) && (asked.port.is_none() || asked.port == known.port)
}

/// Bytes that a request takes. Twice: it is a key as well.
fn size(Recorded { host, method, target, headers, body, .. }: &Recorded) -> usize {
    let of_header =
        |(name, value): &(String, String)| name.len() + value.len() + size_of::<(String, String)>();
    let headers: usize = headers.iter().map(of_header).sum();
    let length = host.as_ref().map_or(0, String::len)
        + method.len()
        + target.len()
        + headers
        + body.as_ref().map_or(0, Vec::len);
    2 * (length + size_of::<Kept>())
}
