//! A run while it goes on, folded from its acts and its news. Screen, line and metrics are views of it.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use galo_record::act::{Act, Acted, LoadTerms, Outcome, UnitKind, Workload};
use galo_record::event::Progress;
use galo_record::sample::ServiceSample;
use galo_record::{Event, Ledger, Placement, Sample, ServicePlacement};

/// How far back the charts go.
const WINDOW_S: f64 = 300.0;
/// Time over which the use of services is averaged.
const RECENT_NS: u64 = 1_000_000_000;

/// What has come of a run so far, and what goes on in it.
///
/// Counters of requests go on over all loads of a contender; the kernel's counters of services begin with each start.
#[derive(Debug, Default)]
pub struct Ongoing {
    /// Names of the contenders, by their place in the plan.
    names: Vec<String>,
    /// What is driven, e.g. `round 3 (12 planned): rust-sqlite`; empty: nothing was said of it.
    pub(super) heading: String,
    /// Whose turn it is within that, e.g. `pair 3 of 8: a.js`; empty: there are no turns.
    pub(super) turn: String,
    /// What happens beside the load, e.g. `starting api1`; empty: the load runs.
    pub(super) doing: String,
    /// The unit under way.
    pub(crate) unit: Option<UnderWay>,
    /// The load under way, or the last one.
    load: Option<Load>,
    /// Whether acts are told: there is no load then before its act.
    has_acts: bool,
    /// The latest news of this load or the one before.
    pub(super) progress: Option<Progress>,
    /// Points of the charts, the oldest first. Time goes on over the loads of one heading.
    pub(super) points: VecDeque<Point>,
    /// Seconds that the loads before this one took.
    pub(super) before_s: f64,
    /// What is up.
    placement: Option<Placement>,
    /// Samples of the last second and a little more, the oldest first.
    samples: VecDeque<Sample>,
    /// What the loads of each contender came to that are over.
    pub(crate) ledgers: BTreeMap<String, Ledger>,
    /// Units that are over: by their contender, if they have one, and by what they were worth.
    pub(crate) over: BTreeMap<(Option<String>, &'static str), u64>,
}

/// A unit that has begun.
#[derive(Debug)]
pub(crate) struct UnderWay {
    pub(crate) number: u32,
    /// `None`: it has several.
    pub(crate) contender: Option<String>,
}

/// A load that has begun.
#[derive(Debug)]
struct Load {
    contender: String,
    /// Rows that are sent; `None`: it ends by itself.
    rows: Option<u64>,
    begun: Instant,
    /// Its latest news.
    progress: Option<Progress>,
    is_over: bool,
}

/// A moment of the load. One in which nothing ended has no latency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) at_s: f64,
    /// `None`: answers decide.
    pub(super) arrivals_per_s: Option<f64>,
    /// Operations that had ended by then.
    pub(super) done: u64,
    pub(super) ended_per_s: f64,
    pub(super) p50_us: Option<u64>,
    pub(super) p99_us: Option<u64>,
}

/// What a service has used over the last second.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Use<'a> {
    pub(super) name: &'a str,
    /// `None`: nothing is seen of it.
    pub(super) cores: Option<f64>,
    /// `None`: there is no limit.
    pub(super) cores_limit: Option<f64>,
    /// Share of its quota periods in which it was throttled.
    pub(super) throttled: f64,
    /// `None`: nothing is seen of it.
    pub(super) memory_bytes: Option<u64>,
    /// `None`: there is no limit.
    pub(super) memory_limit_bytes: Option<u64>,
}

/// What a unit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Starting,
    Ready,
    Load,
    Rest,
}

impl Ongoing {
    /// Acts to come are of contenders with these names, by their place in the plan. Nothing is up yet.
    pub fn name_contenders(&mut self, names: Vec<String>) {
        self.names = names;
        (self.unit, self.load, self.placement) = (None, None, None);
        self.samples.clear();
    }

    /// Something else is driven from here on: the charts begin anew.
    pub fn begin(&mut self, heading: &str) {
        heading.clone_into(&mut self.heading);
        self.turn.clear();
        self.doing.clear();
        self.points.clear();
        self.before_s = 0.0;
        self.progress = None;
    }

    /// It is another one's turn.
    pub fn turn(&mut self, turn: String) {
        self.turn = turn;
    }

    /// An act begins.
    pub fn begins(&mut self, act: &Act, now: Instant) {
        self.has_acts = true;
        match act {
            Act::Begin(terms) => {
                let contender = match terms.kind {
                    UnitKind::Round { contender, .. } => self.names.get(contender).cloned(),
                    UnitKind::Hold { .. } | UnitKind::Soak => self.names.first().cloned(),
                    _ => None,
                };
                if let Some(name) = &contender {
                    self.ledgers.entry(name.clone()).or_default();
                }
                self.unit = Some(UnderWay { number: terms.number, contender });
                self.load = None;
            }
            Act::Start { .. } | Act::Stop { .. } => {
                self.placement = None;
                self.samples.clear();
                if matches!(act, Act::Start { .. }) {
                    self.load = None;
                }
            }
            Act::Load(LoadTerms { contender, traffic, .. }) => {
                let contender = self.names.get(*contender).cloned().unwrap_or_default();
                self.ledgers.entry(contender.clone()).or_default();
                let rows = if let Workload::Fill { rows, .. } = traffic { Some(*rows) } else { None };
                self.load = Some(Load { contender, rows, begun: now, progress: None, is_over: false });
            }
            _ => {}
        }
    }

    /// An act has ended.
    pub fn ended(&mut self, acted: &Acted) {
        if let (Outcome::Loaded(loaded), Some(load)) = (&acted.outcome, &mut self.load) {
            self.ledgers.entry(load.contender.clone()).or_default().add(&loaded.load.total().ledger);
            load.is_over = true;
        }
    }

    /// The unit is over, and judged as worth this.
    pub fn judged(&mut self, worth: &'static str) {
        let contender = self.unit.take().and_then(|unit| unit.contender);
        *self.over.entry((contender, worth)).or_default() += 1;
    }

    /// Something happened meanwhile. Nothing is heard of a load that is over: its last word is in its act.
    pub fn hears(&mut self, event: &Event, now: Instant) {
        match event {
            Event::Building { contender, command } => self.doing = format!("building {contender}: {command}"),
            Event::ServiceStarted { service } => self.doing = format!("starting {service}"),
            Event::ServiceReady { service, after_ns } => {
                self.doing = format!("{service} is ready after {} ms", after_ns / 1_000_000);
            }
            Event::Counted { value: Some(value) } => self.doing = format!("the count is {value}"),
            Event::Watched(placement) => {
                self.placement = Some(Placement::clone(placement));
                self.samples.clear();
            }
            Event::Sampled(sample) => self.sampled(sample),
            Event::Progress(progress) if !self.is_stale(progress, now) => self.progressed(progress),
            _ => {}
        }
    }

    /// Whether this is of a load that is over.
    fn is_stale(&self, progress: &Progress, now: Instant) -> bool {
        let Some(load) = &self.load else { return self.has_acts };
        load.is_over || Duration::from_nanos(progress.elapsed_ns) > now.saturating_duration_since(load.begun)
    }

    fn sampled(&mut self, sample: &Sample) {
        self.samples.push_back(sample.clone());
        // The first of them is the youngest that is a second old.
        while self.samples.get(1).is_some_and(|second| sample.at_ns.saturating_sub(second.at_ns) >= RECENT_NS)
        {
            self.samples.pop_front();
        }
    }

    fn progressed(&mut self, progress: &Progress) {
        self.doing.clear();
        let before = self.progress.replace(*progress);
        let last = match &mut self.load {
            Some(load) => load.progress.replace(*progress),
            None => before,
        };
        let last = last.filter(|last| last.elapsed_ns < progress.elapsed_ns);
        if last.is_none() {
            // Another load began.
            self.before_s = self.points.back().map_or(0.0, |point| point.at_s);
        }
        let since = last.unwrap_or_default();
        let ended = progress.done.saturating_sub(since.done);
        let passed_ns = (progress.elapsed_ns - since.elapsed_ns).max(1);
        let us = |us: u64| (us > 0).then_some(us);
        let point = Point {
            at_s: self.before_s + progress.elapsed_ns as f64 / 1e9,
            arrivals_per_s: progress.arrival_rate,
            done: progress.done,
            ended_per_s: ended as f64 * 1e9 / passed_ns as f64,
            p50_us: us(progress.latency_us_p50),
            p99_us: us(progress.latency_us_p99),
        };
        self.points.push_back(point);
        while self.points.front().is_some_and(|first| point.at_s - first.at_s > WINDOW_S) {
            self.points.pop_front();
        }
    }

    /// What the unit under way does.
    pub(crate) fn phase(&self) -> Phase {
        match (&self.load, &self.placement) {
            (Some(load), _) if load.is_over => Phase::Rest,
            (Some(_), _) if self.load_now().is_some() => Phase::Load,
            (_, Some(_)) => Phase::Ready,
            (_, None) => Phase::Starting,
        }
    }

    /// Whose load is under way, and how far it is; `None`: none is, or nothing was heard of it yet.
    pub fn load_now(&self) -> Option<(&str, &Progress)> {
        let load = self.load.as_ref().filter(|load| !load.is_over)?;
        Some((&load.contender, load.progress.as_ref()?))
    }

    /// Where the load under way is, or the last one; `None`: nothing was heard of one.
    pub(super) const fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// Rows that the load under way sends; `None`: it ends by itself.
    pub(super) fn rows(&self) -> Option<u64> {
        self.load.as_ref()?.rows
    }

    /// What is up, and its services' latest use; `None`: nothing is, or it was not looked at yet.
    pub(crate) fn services(&self) -> Option<(&Placement, &Sample)> {
        self.placement.as_ref().zip(self.samples.back())
    }

    /// The contender of [`Self::uses`].
    pub(super) fn contender(&self) -> &str {
        self.placement.as_ref().map_or("", |placement| &placement.contender)
    }

    /// What each service has used; empty where nothing is watched.
    pub(super) fn uses(&self) -> Vec<Use<'_>> {
        let (Some(placement), Some(first), Some(last)) =
            (&self.placement, self.samples.front(), self.samples.back())
        else {
            return Vec::new();
        };
        let passed_ns = last.at_ns.saturating_sub(first.at_ns);
        let services = first.services.iter().zip(&last.services);
        placement
            .services
            .iter()
            .zip(services)
            .map(|(service, (a, b))| used(service, a, b, passed_ns))
            .collect()
    }

    /// The span of time that the charts show, in seconds.
    pub(super) fn span_s(&self) -> [f64; 2] {
        let at = |point: Option<&Point>| point.map_or(0.0, |point| point.at_s);
        let planned = self.progress.and_then(|progress| progress.duration_ns);
        let end = self.before_s + planned.map_or(0.0, |ns| ns as f64 / 1e9);
        let (first, last) = (at(self.points.front()), at(self.points.back()));
        // From 0 as long as the window holds all of it.
        let begin = if last <= WINDOW_S { 0.0 } else { first };
        [begin, last.max(end.min(begin + WINDOW_S)).max(begin + 1.0)]
    }
}

fn used<'a>(service: &'a ServicePlacement, a: &ServiceSample, b: &ServiceSample, passed_ns: u64) -> Use<'a> {
    let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
    Use {
        name: &service.name,
        cores: b.is_seen().then(|| share(b.cpu_ns.saturating_sub(a.cpu_ns), passed_ns)),
        cores_limit: service.cpus_milli.map(|milli| f64::from(milli) / 1e3),
        throttled: share(
            b.throttled_periods.saturating_sub(a.throttled_periods),
            b.periods.saturating_sub(a.periods),
        )
        .min(1.0),
        memory_bytes: b.is_seen().then_some(b.memory_bytes),
        memory_limit_bytes: service.memory_bytes,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    /// A load of 20 s, a tenth of a second after the other.
    pub(in crate::live) fn progress(tenths: u64, done: u64) -> Event {
        Event::Progress(Progress {
            elapsed_ns: tenths * SECOND_NS / 10,
            duration_ns: Some(20 * SECOND_NS),
            arrival_rate: Some(1_000.0),
            in_flight: 3,
            done,
            latency_us_p50: 900,
            latency_us_p99: 4_000,
            ..Progress::default()
        })
    }

    pub(in crate::live) fn placement(names: &[&str]) -> Event {
        let service = |name: &&str| ServicePlacement {
            name: (*name).to_owned(),
            group: None,
            pid: 1,
            log: "x.log".into(),
            cpus_milli: Some(500),
            memory_bytes: Some(64 << 20),
            ulimits: BTreeMap::new(),
            ready_after_ns: 1,
            listens: None,
            image: None,
        };
        Event::Watched(Box::new(Placement {
            contender: "a".into(),
            target: ([127, 0, 0, 1], 9999).into(),
            limits_enforced: true,
            limits_note: None,
            walls_note: None,
            services: names.iter().map(service).collect(),
        }))
    }

    /// A look after so many tenths of a second at services that used so many milliseconds of CPU by then.
    pub(in crate::live) fn sample(tenths: u64, cpu_ms: &[u64]) -> Event {
        let services = cpu_ms
            .iter()
            .map(|ms| ServiceSample {
                cpu_ns: ms * 1_000_000,
                periods: tenths,
                throttled_periods: tenths / 2,
                memory_bytes: 31 << 20,
                ..ServiceSample::default()
            })
            .collect();
        Event::Sampled(Sample { at_ns: tenths * SECOND_NS / 10, services, ..Sample::default() })
    }

    /// A run of which this was heard, and no act.
    pub(in crate::live) fn heard(events: impl IntoIterator<Item = Event>) -> Ongoing {
        let mut run = Ongoing::default();
        events.into_iter().for_each(|event| run.hears(&event, Instant::now()));
        run
    }

    #[test]
    fn what_a_service_uses_is_that_of_the_last_second() {
        // Idle for two seconds, then four tenths of a core.
        let samples = (0..=40).map(|t| sample(t, &[if t <= 20 { 0 } else { (t - 20) * 40 }]));
        let run = heard([placement(&["api"])].into_iter().chain(samples));
        let uses = run.uses();
        let [api] = &uses[..] else { panic!("{uses:?}") };
        assert!((api.cores.unwrap() - 0.4).abs() < 1e-9, "{api:?}");
        assert_eq!((api.cores_limit, api.throttled), (Some(0.5), 0.5));
        assert!(run.samples.len() <= 11);
    }

    #[test]
    fn nothing_is_told_of_services_that_were_not_looked_at() {
        assert_eq!(heard([placement(&["api"])]).uses(), []);
        assert_eq!(heard([sample(1, &[3])]).uses(), []);
    }

    #[test]
    fn rates_are_those_between_two_pieces_of_progress() {
        let run = heard([progress(2, 100), progress(4, 400)]);
        let rates: Vec<f64> = run.points.iter().map(|point| point.ended_per_s).collect();
        assert_eq!(rates, [500.0, 1_500.0]);
        assert_eq!(run.span_s(), [0.0, 20.0]);
    }

    #[test]
    fn time_goes_on_over_the_loads_of_one_heading_and_begins_anew_with_another() {
        let mut run = heard([progress(2, 100), progress(4, 400), progress(1, 50)]);
        let at: Vec<f64> = run.points.iter().map(|point| point.at_s).collect();
        assert_eq!(at, [0.2, 0.4, 0.5]);
        assert_eq!(run.points[2].ended_per_s, 500.0);
        run.begin("another");
        assert_eq!((run.points.len(), run.span_s()), (0, [0.0, 1.0]));
    }

    #[test]
    fn charts_begin_anew_with_a_heading_and_what_is_over_stays() {
        let mut run = heard([placement(&["api"]), sample(1, &[3]), progress(2, 100)]);
        run.judged("valid");
        run.begin("another");
        assert!(run.progress().is_none() && run.services().is_some());
        assert_eq!(run.over[&(None, "valid")], 1);
    }

    #[test]
    fn only_the_last_five_minutes_are_kept() {
        let run = heard((1..=4_000).map(|tenths| progress(tenths, tenths * 100)));
        assert_eq!(run.points.len(), 3_001);
        assert_eq!(run.span_s(), [100.0, 400.0]);
    }
}
