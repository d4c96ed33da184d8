//! What a log adds up to, in bounded memory.

use std::collections::{BTreeMap, HashMap};

use super::line::Line;
use super::record::{Group, NS_IN_MS, Record, Request, Run, Span};
use super::{AboutLog, GatlingLog, LoggedGroup, Oddity, Simulation};
use crate::{EngineRecord, LoadRecord, StepLatencies, StepRecord};

/// Names that are told apart, of each kind: one takes some 330 KB.
const NAMES: usize = 256;
/// Messages that are told apart.
const MESSAGES: usize = 1_000;
/// What all others are called.
const OTHERS: &str = "(others)";
/// The year 10000: what no clock says, and RFC 3339 cannot.
const NO_TIME_MS: u64 = 253_402_300_800_000;

/// Things by name in the order in which they came, and one for all names beyond the first [`NAMES`].
struct Named<T> {
    index: HashMap<String, usize>,
    all: Vec<(String, T)>,
}

/// How many messages are told apart: the same one of two steps counts twice.
#[derive(Default)]
struct Messages(usize);

/// All that was read so far.
#[derive(Default)]
pub(super) struct Gathering {
    about: AboutLog,
    steps: Named<(StepRecord, StepLatencies)>,
    groups: Named<LoggedGroup>,
    /// Errors outside of requests.
    errors: BTreeMap<String, u64>,
    messages: Messages,
    /// Start of the first request, and end of the last.
    span: Option<Span>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self { index: HashMap::new(), all: Vec::new() }
    }
}

impl<T: Default> Named<T> {
    fn get(&mut self, name: &str, about: &mut AboutLog, line: &Line<'_>) -> &mut T {
        let known = self.index.get(name).copied();
        let index = known.unwrap_or_else(|| {
            let name = if self.all.len() < NAMES { name } else { OTHERS };
            let new = self.all.len();
            let index = *self.index.entry(name.to_owned()).or_insert(new);
            if index == new {
                self.all.push((name.to_owned(), T::default()));
            }
            index
        });
        if index >= NAMES {
            about.tell(Oddity::OtherName, line);
        }
        &mut self.all[index].1
    }
}

impl Messages {
    /// Counts a message among `errors`.
    fn count(
        &mut self,
        message: &str,
        errors: &mut BTreeMap<String, u64>,
        about: &mut AboutLog,
        line: &Line<'_>,
    ) {
        if let Some(n) = errors.get_mut(message) {
            *n += 1;
            return;
        }
        let is_other = self.0 >= MESSAGES;
        if is_other {
            about.tell(Oddity::OtherMessage, line);
        }
        self.0 += 1;
        *errors.entry(if is_other { OTHERS } else { message }.to_owned()).or_default() += 1;
    }
}

impl Gathering {
    /// Takes in one line; `record`: what it is, if it can be read.
    pub(super) fn add(&mut self, line: &Line<'_>, record: Option<&Record<'_>>) {
        for what in line.oddities() {
            self.about.tell(what, line);
        }
        match record {
            None => self.about.tell(Oddity::NoRecord, line),
            Some(Record::Run(run)) => self.add_run(run, line),
            Some(Record::User { starts: true }) => self.about.users_started += 1,
            Some(Record::User { starts: false }) => self.about.users_ended += 1,
            Some(Record::Request(request)) => self.add_request(request, line),
            Some(Record::Group(group)) => self.add_group(group, line),
            Some(Record::Error { message }) => {
                self.messages.count(message, &mut self.errors, &mut self.about, line);
            }
            Some(Record::Assertion) => {}
        }
    }

    fn add_run(&mut self, run: &Run<'_>, line: &Line<'_>) {
        if self.about.simulation.is_some() {
            return self.about.tell(Oddity::AnotherRun, line);
        }
        if !run.is_known() {
            self.about.tell(Oddity::UnknownVersion, line);
        }
        self.about.simulation = Some(Simulation {
            class: run.class.to_owned(),
            description: run.description.trim().to_owned(),
            started_ms: run.start_ms.filter(|ms| *ms < NO_TIME_MS),
            gatling: run.version.to_owned(),
        });
    }

    fn add_request(&mut self, request: &Request<'_>, line: &Line<'_>) {
        let Request { groups, name, span, ok, message } = request;
        let took_ns = self.took_ns(*span, line);
        let all = self.span.get_or_insert(*span);
        all.start_ms = all.start_ms.min(span.start_ms);
        all.end_ms = all.end_ms.max(span.end_ms);
        let name = if groups.is_empty() { name.to_string() } else { path(&format!("{groups},{name}")) };
        let (record, latencies) = self.steps.get(&name, &mut self.about, line);
        record.ledger.intended += 1;
        if *ok {
            record.ledger.ok += 1;
            latencies.ok.record_ns(took_ns);
        } else {
            record.ledger.failed += 1;
            latencies.not_ok.record_ns(took_ns);
            let message = if message.is_empty() { "no message" } else { message };
            self.messages.count(message, &mut record.errors, &mut self.about, line);
        }
    }

    fn add_group(&mut self, group: &Group<'_>, line: &Line<'_>) {
        let took_ns = self.took_ns(group.span, line);
        let all = self.groups.get(&path(&group.groups), &mut self.about, line);
        all.ledger.intended += 1;
        *(if group.ok { &mut all.ledger.ok } else { &mut all.ledger.failed }) += 1;
        all.duration.record_ns(took_ns);
        all.cumulated.record_ns(group.cumulated_ms.saturating_mul(NS_IN_MS));
    }

    /// How long something took. What ends before it starts took no time.
    fn took_ns(&mut self, span: Span, line: &Line<'_>) -> u64 {
        if span.end_ms < span.start_ms {
            self.about.tell(Oddity::BackInTime, line);
        }
        span.length_ns()
    }

    /// All of it; `lines` is how many the log has.
    pub(super) fn into_log(self, file: String, lines: u64) -> GatlingLog {
        let (mut names, mut steps, mut latencies) = (Vec::new(), Vec::new(), Vec::new());
        for (name, (step, mut its)) in self.steps.all {
            its.ok_service = its.ok.clone();
            names.push(name);
            steps.push(step);
            latencies.push(its);
        }
        let engine = EngineRecord { own_errors: self.errors, ..EngineRecord::default() };
        let ended_ns = self.span.map_or(0, Span::length_ns);
        GatlingLog {
            about: AboutLog { file, lines, ..self.about },
            load: LoadRecord { ended_ns, steps, engine, ..LoadRecord::default() },
            names,
            latencies,
            groups: self.groups.all,
        }
    }
}

/// Names of groups, and of what is in them.
fn path(groups: &str) -> String {
    groups.replace(',', " / ")
}
