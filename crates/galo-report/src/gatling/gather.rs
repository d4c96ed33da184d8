//! What a log adds up to, in bounded memory.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use galo_record::Latencies;

use super::record::{Record, Request, Run, Span};
use super::warnings::{Warning, Warnings};
use super::{FORMAT, GatlingReport, GroupReport, ScenarioReport, SecondReport, Simulation};
use crate::digits::{decimals, seconds};
use crate::requests::{GLOBAL, RequestReport, RequestsReport, ResponseTimes, most_frequent_first};
use galo_judge::judged::Class;
use galo_record::Percentiles;

/// Names that are told apart, of each kind: one takes some 200 KB.
const NAMES: usize = 256;
/// Messages that are told apart.
const MESSAGES: usize = 1_000;
/// Seconds that are told apart: a week.
const SECONDS: usize = 7 * 24 * 3_600;
/// What all others are called.
const OTHERS: &str = "(others)";
/// A request that ended so much before an earlier line's is out of order. Less is how Gatling's writer takes them.
const OUT_OF_ORDER_MS: u64 = 1_000;
/// Gatling's own bounds of the classes of its distribution.
const BOUNDS_MS: [u64; 2] = [800, 1_200];
/// The year 10000: what no clock says, and RFC 3339 cannot.
const NO_TIME_MS: u64 = 253_402_300_800_000;
/// What counts as response time.
const RESPONSE_TIME: &str = "Gatling's own, by its clock, in whole ms, from when it began to send (connecting included) \
                             to the end of the answer; what should have begun earlier does not show";

/// How long things took: whole milliseconds, ends and means exact, percentiles to 0.1 %.
#[derive(Default)]
struct Times {
    latencies: Option<Latencies>,
    count: u64,
    min_ms: u64,
    max_ms: u64,
    sum_ms: u128,
    squares: u128,
}

/// Requests of one name.
#[derive(Default)]
struct Asked {
    ok: Times,
    ko: Times,
    /// OK ones by class.
    classes: [u64; 3],
}

/// One group.
#[derive(Default)]
struct Grouped {
    ok: u64,
    ko: u64,
    duration: Times,
    cumulated: Times,
}

/// Things by name in the order in which they came, of which there are at most so many.
struct Named<T> {
    index: HashMap<String, usize>,
    all: Vec<(String, T)>,
}

/// See the module.
#[derive(Default)]
pub(super) struct Gathering {
    run: Option<Simulation>,
    asked: Named<Asked>,
    groups: Named<Grouped>,
    /// Users that started, and ended.
    users: Named<[u64; 2]>,
    errors: BTreeMap<String, u64>,
    /// By second since 1970: started, OK, KO.
    seconds: BTreeMap<u64, [u64; 3]>,
    /// Start of the first request, and end of the last.
    span: Option<Span>,
}

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self { index: HashMap::new(), all: Vec::new() }
    }
}

impl<T: Default> Named<T> {
    /// The thing of this name, or, where there are too many, that of all others.
    fn get(&mut self, name: &str, line: u64, warnings: &mut Warnings) -> &mut T {
        let known = self.index.get(name).copied();
        let index = known.unwrap_or_else(|| {
            let name = if self.all.len() < NAMES { name } else { OTHERS };
            if name == OTHERS {
                let text = || format!("has a name beyond the first {NAMES}, and is counted as `{OTHERS}`");
                warnings.tell("names", line, text);
            }
            let new = self.all.len();
            let index = *self.index.entry(name.to_owned()).or_insert(new);
            if index == new {
                self.all.push((name.to_owned(), T::default()));
            }
            index
        });
        &mut self.all[index].1
    }
}

impl Gathering {
    /// Takes in one record.
    pub(super) fn add(&mut self, line: u64, record: &Record<'_>, warnings: &mut Warnings) {
        match record {
            Record::Run(run) => self.add_run(line, run, warnings),
            Record::User { scenario, starts } => {
                self.users.get(scenario, line, warnings)[usize::from(!starts)] += 1;
            }
            Record::Request(request) => self.add_request(line, request, warnings),
            Record::Group { groups, span, cumulated_ms, ok } => {
                let took_ms = took_ms(*span, line, warnings);
                let group = self.groups.get(&groups.replace(',', " / "), line, warnings);
                *(if *ok { &mut group.ok } else { &mut group.ko }) += 1;
                group.duration.add(took_ms);
                group.cumulated.add(*cumulated_ms);
            }
            Record::Error { message } => self.add_error(message, line, warnings),
            Record::Assertion => {}
            Record::Unknown { kind } => {
                let kind = crate::text::shorten(&crate::clean(kind), 40);
                let text = || format!("was left out: there is no kind of record `{kind}`");
                warnings.tell(&format!("unknown {kind}"), line, text);
            }
        }
    }

    fn add_run(&mut self, line: u64, run: &Run<'_>, warnings: &mut Warnings) {
        if self.run.is_some() {
            let text = || "is of another run; all requests are counted together".to_owned();
            return warnings.tell("RUN", line, text);
        }
        if !run.is_known() {
            let version = run.version;
            let text = || format!("names version `{version}` of Gatling; galo knows the logs of 3.5 to 3.12");
            warnings.tell("version", line, text);
        }
        let start_ms = run.start_ms.filter(|ms| *ms < NO_TIME_MS);
        let started = start_ms.and_then(|ms| UNIX_EPOCH.checked_add(Duration::from_millis(ms)));
        self.run = Some(Simulation {
            class: run.class.to_owned(),
            description: run.description.trim().to_owned(),
            started: started.map(|at| humantime::format_rfc3339_seconds(at).to_string()),
            gatling: run.version.to_owned(),
        });
    }

    fn add_request(&mut self, line: u64, request: &Request<'_>, warnings: &mut Warnings) {
        let Request { groups, name, span, ok, message } = request;
        if name.contains('\t') {
            let text = || format!("has a tab in its name, `{}`", crate::clean(name));
            warnings.tell("tab", line, text);
        }
        let took_ms = took_ms(*span, line, warnings);
        self.look_at_order(line, *span, warnings);
        let full = if groups.is_empty() {
            name.to_string()
        } else {
            format!("{} / {name}", groups.replace(',', " / "))
        };
        self.asked.get(&full, line, warnings).add(*ok, took_ms);
        if !ok {
            self.add_error(if message.is_empty() { "no message" } else { message }, line, warnings);
        }
        self.add_second(span.start_ms, 0, line, warnings);
        self.add_second(span.end_ms, if *ok { 1 } else { 2 }, line, warnings);
    }

    fn look_at_order(&mut self, line: u64, span: Span, warnings: &mut Warnings) {
        let Some(known) = &mut self.span else {
            self.span = Some(span);
            return;
        };
        if let Some(late_ms) = known.end_ms.checked_sub(span.end_ms).filter(|ms| *ms > OUT_OF_ORDER_MS) {
            let text = || {
                format!("is out of order: it ends {late_ms} ms before a line above it; figures do not mind")
            };
            warnings.tell("order", line, text);
        }
        known.start_ms = known.start_ms.min(span.start_ms);
        known.end_ms = known.end_ms.max(span.end_ms);
    }

    fn add_error(&mut self, message: &str, line: u64, warnings: &mut Warnings) {
        let known = self.errors.len() < MESSAGES || self.errors.contains_key(message);
        let message = if known { message } else { OTHERS };
        if !known {
            let text = || format!("has a message beyond the first {MESSAGES}, and is counted as `{OTHERS}`");
            warnings.tell("messages", line, text);
        }
        *self.errors.entry(message.to_owned()).or_default() += 1;
    }

    fn add_second(&mut self, at_ms: u64, what: usize, line: u64, warnings: &mut Warnings) {
        let second = at_ms / 1_000;
        if self.seconds.len() >= SECONDS && !self.seconds.contains_key(&second) {
            let text = || "is of a second beyond the first 604,800, and is told in no second".to_owned();
            return warnings.tell("seconds", line, text);
        }
        self.seconds.entry(second).or_default()[what] += 1;
    }

    /// All of it.
    pub(super) fn told(self, path: &Path, lines: u64, warnings: Warnings) -> GatlingReport {
        let elapsed_ns =
            self.span.map_or(0, |span| span.end_ms.saturating_sub(span.start_ms).saturating_mul(1_000_000));
        let first_second = self.span.map_or(0, |span| span.start_ms / 1_000);
        let mut sum = Asked::default();
        self.asked.all.iter().for_each(|(_, asked)| sum.join(asked));
        let title = self.run.as_ref().map_or_else(|| path.display().to_string(), |run| run.class.clone());
        let all = sum.told(GLOBAL, elapsed_ns);
        let requests = RequestsReport {
            title,
            response_time: RESPONSE_TIME.to_owned(),
            whole_ms: true,
            elapsed_s: seconds(elapsed_ns),
            all,
            names: self.asked.all.iter().map(|(name, asked)| asked.told(name, elapsed_ns)).collect(),
            errors: most_frequent_first(self.errors),
        };
        GatlingReport {
            format: FORMAT,
            file: path.display().to_string(),
            lines,
            warnings: all_warnings(warnings, self.run.is_none(), sum.ok.count + sum.ko.count == 0),
            simulation: self.run,
            elapsed_s: seconds(elapsed_ns),
            ok_per_s: requests.all.ok.per_s,
            requests,
            groups: self.groups.all.into_iter().map(|(name, group)| group.told(name)).collect(),
            scenarios: self.users.all.into_iter().map(scenario).collect(),
            seconds: self
                .seconds
                .into_iter()
                .map(|(at, counts)| second(at - first_second.min(at), counts))
                .collect(),
        }
    }
}

/// What is wrong with the log as a whole comes first.
fn all_warnings(warnings: Warnings, no_run: bool, no_request: bool) -> Vec<Warning> {
    let whole = |text: &str| Warning { line: 0, lines: 0, text: text.to_owned() };
    let mut told = Vec::new();
    if no_run {
        told.push(whole("there is no RUN line, so the version of Gatling is not known"));
    }
    if no_request {
        told.push(whole("there is no request in it"));
    }
    told.extend(warnings.into_told());
    told
}

fn scenario((name, [started, ended]): (String, [u64; 2])) -> ScenarioReport {
    ScenarioReport { name, started, ended }
}

fn second(second: u64, [started, ok, ko]: [u64; 3]) -> SecondReport {
    SecondReport { second, started, ok, ko }
}

/// How long something took; what ends before it starts took no time.
fn took_ms(Span { start_ms, end_ms }: Span, line: u64, warnings: &mut Warnings) -> u64 {
    end_ms.checked_sub(start_ms).unwrap_or_else(|| {
        let text = || format!("ends {} ms before it starts, and is counted with 0 ms", start_ms - end_ms);
        warnings.tell("negative", line, text);
        0
    })
}

impl Times {
    fn add(&mut self, ms: u64) {
        self.latencies.get_or_insert_default().record_ns(ms.saturating_mul(1_000_000));
        self.min_ms = if self.count == 0 { ms } else { self.min_ms.min(ms) };
        self.max_ms = self.max_ms.max(ms);
        self.count += 1;
        self.sum_ms += u128::from(ms);
        self.squares = self.squares.saturating_add(u128::from(ms).saturating_mul(u128::from(ms)));
    }

    fn join(&mut self, other: &Self) {
        let Some(latencies) = &other.latencies else { return };
        self.latencies.get_or_insert_default().add(latencies);
        self.min_ms = if self.count == 0 { other.min_ms } else { self.min_ms.min(other.min_ms) };
        self.max_ms = self.max_ms.max(other.max_ms);
        self.count += other.count;
        self.sum_ms += other.sum_ms;
        self.squares = self.squares.saturating_add(other.squares);
    }

    fn told(&self) -> Percentiles {
        let Some(latencies) = &self.latencies else { return Percentiles::default() };
        let mut told = latencies.percentiles();
        let (count, us) = (self.count as f64, |ms: u64| ms as f64 * 1e3);
        let mean = self.sum_ms as f64 / count;
        let variance = (self.squares as f64 / count - mean * mean).max(0.0);
        told.min = us(self.min_ms);
        told.standard_deviation = decimals(variance.sqrt() * 1e3, 1);
        let times = &mut told;
        (times.max, times.mean) = (us(self.max_ms), decimals(mean * 1e3, 1));
        // A percentile is the end of its bucket, which lies within a millisecond for what took less than a second.
        for percentile in [
            &mut times.p50,
            &mut times.p75,
            &mut times.p90,
            &mut times.p95,
            &mut times.p99,
            &mut times.p99_9,
            &mut times.p99_99,
        ] {
            *percentile = ((*percentile / 1e3).floor() * 1e3).clamp(us(self.min_ms), us(self.max_ms));
        }
        for mean in [&mut told.tm95, &mut told.tm99, &mut told.tm99_9] {
            *mean = mean.clamp(us(self.min_ms), us(self.max_ms));
        }
        told
    }
}

impl Asked {
    fn add(&mut self, ok: bool, took_ms: u64) {
        if !ok {
            return self.ko.add(took_ms);
        }
        self.ok.add(took_ms);
        let class = BOUNDS_MS.iter().filter(|bound| took_ms >= **bound).count();
        self.classes[class] += 1;
    }

    fn join(&mut self, other: &Self) {
        self.ok.join(&other.ok);
        self.ko.join(&other.ko);
        self.classes.iter_mut().zip(other.classes).for_each(|(mine, its)| *mine += its);
    }

    fn told(&self, name: &str, elapsed_ns: u64) -> RequestReport {
        let mut all = Times::default();
        all.join(&self.ok);
        all.join(&self.ko);
        let bound = |index: usize| BOUNDS_MS.get(index).map(|ms| *ms as f64);
        let class = |(index, count): (usize, &u64)| Class {
            above_ms: index.checked_sub(1).and_then(bound).unwrap_or(0.0),
            up_to_ms: bound(index),
            count: *count,
            share: crate::digits::share(*count, all.count),
        };
        let times = |times: &Times| ResponseTimes::new(times.told(), elapsed_ns);
        RequestReport {
            name: name.to_owned(),
            classes: self.classes.iter().enumerate().map(class).collect(),
            all: times(&all),
            ok: times(&self.ok),
            ko: times(&self.ko),
        }
    }
}

impl Grouped {
    fn told(self, name: String) -> GroupReport {
        let Self { ok, ko, duration, cumulated } = self;
        GroupReport { name, ok, ko, duration: duration.told(), cumulated: cumulated.told() }
    }
}
