//! A fight while it runs, as Prometheus reads it.

use std::collections::BTreeMap;

use galo_judge::Standing;
use galo_record::event::Progress;
use galo_record::sample::ServiceSample;
use galo_record::{Event, Ledger, Placement, Sample, ServicePlacement};

use super::{Label, Text};

/// Rounds that are over by contender, and the one under way. Counters of requests go on over the rounds of a contender;
/// those of services are the kernel's, which begin with each start.
#[derive(Debug, Default)]
pub struct FightMetrics {
    planned: usize,
    contenders: BTreeMap<String, Rounds>,
    now: Option<Round>,
}

/// What the closed rounds of a contender came to.
#[derive(Debug, Default)]
struct Rounds {
    ledger: Ledger,
    by_standing: BTreeMap<&'static str, u64>,
}

/// The round under way.
#[derive(Debug)]
struct Round {
    number: u32,
    contender: String,
    /// Only with it is known that news is of this round: what an earlier one left may come late.
    placement: Option<Placement>,
    sample: Option<Sample>,
    progress: Option<Progress>,
    /// Whether the count is read after the load.
    rests: bool,
}

/// What a round does, in order.
const PHASES: [&str; 4] = ["starting", "ready", "load", "rest"];

impl Round {
    const fn phase(&self) -> &'static str {
        match (&self.placement, &self.progress, self.rests) {
            (None, ..) => "starting",
            (_, None, _) => "ready",
            (.., false) => "load",
            (.., true) => "rest",
        }
    }
}

impl FightMetrics {
    /// Of a fight of so many rounds.
    pub fn new(planned: usize) -> Self {
        Self { planned, ..Self::default() }
    }

    /// A round begins.
    pub fn begin_round(&mut self, number: u32, contender: &str) {
        self.contenders.entry(contender.to_owned()).or_default();
        self.now = Some(Round {
            number,
            contender: contender.to_owned(),
            placement: None,
            sample: None,
            progress: None,
            rests: false,
        });
    }

    /// Something happened in it.
    pub fn hear(&mut self, event: &Event) {
        let Some(round) = &mut self.now else { return };
        match event {
            Event::Watched(placement) => round.placement = Some(Placement::clone(placement)),
            _ if round.placement.is_none() => {}
            Event::Sampled(sample) => round.sample = Some(sample.clone()),
            Event::Progress(progress) => round.progress = Some(*progress),
            Event::Counted { .. } => round.rests = round.progress.is_some(),
            _ => {}
        }
    }

    /// The round is over, and judged. Of its operations this is the last word.
    pub fn close_round(&mut self, ledger: &Ledger, standing: &Standing) {
        let Some(round) = self.now.take() else { return };
        let rounds = self.contenders.entry(round.contender).or_default();
        rounds.ledger.add(ledger);
        let standing = match standing {
            Standing::Valid => "valid",
            Standing::Disqualified { .. } => "disqualified",
            Standing::Void { .. } => "void",
            Standing::NotReady { .. } => "not_ready",
        };
        *rounds.by_standing.entry(standing).or_default() += 1;
    }

    /// All of it as text, for a scrape or a push (`Content-Type: text/plain; version=0.0.4`).
    pub fn to_text(&self) -> String {
        let mut text = Text::new("galo_fight_");
        self.rounds(&mut text);
        self.requests(&mut text);
        let Some(round) = &self.now else { return text.into_string() };
        if let Some(progress) = &round.progress {
            load(&mut text, &round.contender, progress);
        }
        let mut text = text.into_string();
        if let (Some(placement), Some(sample)) = (&round.placement, &round.sample) {
            text.push_str(&services(placement, sample));
        }
        text
    }

    fn rounds(&self, text: &mut Text) {
        let help = "Rounds to be driven, without those that are driven again.";
        text.single("rounds_planned", "gauge", help, &[], self.planned);
        text.head("rounds_total", "counter", "Rounds that are over, by what they were worth.");
        for (contender, rounds) in &self.contenders {
            for (standing, n) in &rounds.by_standing {
                text.value("rounds_total", &[("contender", contender), ("standing", standing)], n);
            }
        }
        let Some(round) = &self.now else { return };
        let help = "Number of the round under way.";
        text.single("round", "gauge", help, &[("contender", &round.contender)], round.number);
        text.head("phase", "gauge", "What the round does: 1 for this, 0 for all else.");
        for phase in PHASES {
            text.value("phase", &[("phase", &phase)], u8::from(phase == round.phase()));
        }
    }

    fn requests(&self, text: &mut Text) {
        text.head("requests_total", "counter", "Requests that ended, by result; timed out ones have failed.");
        for (contender, rounds) in &self.contenders {
            let now = self.now.as_ref().filter(|round| round.contender == *contender);
            let now = now.and_then(|round| round.progress).unwrap_or_default();
            let past = &rounds.ledger;
            let results = [
                ("ok", past.ok + now.done.saturating_sub(now.wrong + now.failed)),
                ("wrong", past.wrong + now.wrong),
                ("failed", past.failed + past.timed_out + now.failed),
                ("unfinished", past.unfinished),
            ];
            for (result, n) in results {
                text.value("requests_total", &[("contender", contender), ("result", &result)], n);
            }
        }
    }
}

/// Where the load of the round is.
fn load(text: &mut Text, contender: &str, progress: &Progress) {
    let labels: [Label<'_>; 1] = [("contender", &contender)];
    if let Some(rate) = progress.arrival_rate {
        text.single("arrivals_per_second", "gauge", "Arrival rate of users now.", &labels, rate);
    }
    text.single("in_flight_requests", "gauge", "Requests under way.", &labels, progress.in_flight);
    let latencies = [("0.5", progress.latency_us_p50), ("0.99", progress.latency_us_p99)];
    let help = "Latency from the intended start, of all that ended in the last moment.";
    quantiles(text, "latency_seconds", help, contender, &latencies);
    let help = "How late requests were sent in the last moment, by galo's own doing.";
    quantiles(text, "lag_seconds", help, contender, &[("0.99", progress.lag_us_p99)]);
}

/// What is 0 is of nothing, and left out.
fn quantiles(text: &mut Text, name: &str, help: &str, contender: &str, values: &[(&str, u64)]) {
    text.head(name, "summary", help);
    for (quantile, us) in values.iter().filter(|(_, us)| *us > 0) {
        let labels: [Label<'_>; 2] = [("contender", &contender), ("quantile", quantile)];
        text.value(name, &labels, *us as f64 / 1e6);
    }
}

/// A metric of a service: name, kind, help, and its value; `None`: there is none.
type ServiceMetric =
    (&'static str, &'static str, &'static str, fn(&ServicePlacement, &ServiceSample) -> Option<f64>);

/// All that is told of a service.
const SERVICE: [ServiceMetric; 9] = [
    ("cpu_seconds_total", "counter", "CPU used, user and system.", |_, s| Some(s.cpu_ns as f64 / 1e9)),
    ("cpu_limit_cores", "gauge", "CPU limit.", |p, _| p.cpus_milli.map(|milli| f64::from(milli) / 1e3)),
    ("cpu_periods_total", "counter", "CPU quota periods in which it wanted to run.", |_, s| {
        Some(s.periods as f64)
    }),
    (
        "throttled_periods_total",
        "counter",
        "Periods in which it was stopped for want of CPU quota.",
        |_, s| Some(s.throttled_periods as f64),
    ),
    ("throttled_seconds_total", "counter", "Time for which it was stopped for want of CPU quota.", |_, s| {
        Some(s.throttled_ns as f64 / 1e9)
    }),
    ("memory_bytes", "gauge", "Memory in use, page cache included.", |_, s| Some(s.memory_bytes as f64)),
    ("memory_anonymous_bytes", "gauge", "Memory in use without page cache.", |_, s| {
        Some(s.anonymous_bytes as f64)
    }),
    ("memory_limit_bytes", "gauge", "Memory limit.", |p, _| p.memory_bytes.map(|bytes| bytes as f64)),
    ("oom_kills_total", "counter", "Processes that the kernel killed for want of memory.", |_, s| {
        Some(s.oom_kills as f64)
    }),
];

fn services(placement: &Placement, sample: &Sample) -> String {
    let mut text = Text::new("galo_service_");
    for (name, kind, help, value) in SERVICE {
        text.head(name, kind, help);
        for (service, sample) in placement.services.iter().zip(&sample.services) {
            if let Some(value) = value(service, sample) {
                let labels: [Label<'_>; 2] =
                    [("contender", &placement.contender), ("service", &service.name)];
                text.value(name, &labels, value);
            }
        }
    }
    text.into_string()
}

#[cfg(test)]
mod tests;
