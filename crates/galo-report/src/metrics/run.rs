//! A run while it goes on, as Prometheus reads it: what is over, by what it was worth, and the unit under way.

use std::collections::BTreeMap;

use galo_record::event::Progress;
use galo_record::sample::ServiceSample;
use galo_record::{Event, Ledger, Placement, Sample, ServicePlacement};

use super::{Label, Text};

/// What has come of a run so far. Counters of requests go on over all loads of a contender; those of services are the
/// kernel's, which begin with each start.
#[derive(Debug)]
pub struct RunMetrics {
    /// `galo_`, the kind of run, and `_`: what all of its metrics begin with.
    prefix: String,
    /// What counts in it, e.g. `round`.
    unit: &'static str,
    /// Units to be driven; `None`: that depends on what they come to.
    planned: Option<usize>,
    /// By contender: what its loads came to that are over.
    ledgers: BTreeMap<String, Ledger>,
    /// Units that are over by contender, if they are of one, and what they were worth.
    over: BTreeMap<(Option<String>, &'static str), u64>,
    /// Number of the unit under way, and whose it is, if it is of one.
    under_way: Option<(u32, Option<String>)>,
    /// Whose load it is, or was last.
    contender: Option<String>,
    placement: Option<Placement>,
    sample: Option<Sample>,
    progress: Option<Progress>,
    /// Whether the count is read after the load.
    rests: bool,
}

/// What a unit does, in order.
const PHASES: [&str; 4] = ["starting", "ready", "load", "rest"];

impl RunMetrics {
    /// Of a kind of run (`fight`), of so many units (`round`) if that is known.
    pub fn new(kind: &str, unit: &'static str, planned: Option<usize>) -> Self {
        Self {
            prefix: format!("galo_{kind}_"),
            unit,
            planned,
            ledgers: BTreeMap::new(),
            over: BTreeMap::new(),
            under_way: None,
            contender: None,
            placement: None,
            sample: None,
            progress: None,
            rests: false,
        }
    }

    /// A unit begins; `contender` is whose it is, if it is of one.
    pub fn begin_unit(&mut self, number: u32, contender: Option<&str>) {
        self.under_way = Some((number, contender.map(str::to_owned)));
        self.ledgers.extend(
            contender.map(|name| (name.to_owned(), self.ledgers.get(name).copied().unwrap_or_default())),
        );
        (self.progress, self.rests) = (None, false);
    }

    /// What was up is stopped, or to be started anew.
    pub fn stop(&mut self) {
        (self.placement, self.sample, self.progress) = (None, None, None);
    }

    /// A load of a contender begins.
    pub fn begin_load(&mut self, contender: &str) {
        self.contender = Some(contender.to_owned());
        self.ledgers.entry(contender.to_owned()).or_default();
        (self.progress, self.rests) = (None, false);
    }

    /// It is over: of its operations this is the last word.
    pub fn end_load(&mut self, ledger: &Ledger) {
        let of = self.contender.clone().unwrap_or_default();
        self.ledgers.entry(of).or_default().add(ledger);
        self.progress = None;
        self.rests = true;
    }

    /// Something happened meanwhile.
    pub fn hear(&mut self, event: &Event) {
        match event {
            Event::Watched(placement) => self.placement = Some(Placement::clone(placement)),
            Event::Sampled(sample) => self.sample = Some(sample.clone()),
            Event::Progress(progress) if !self.rests => self.progress = Some(*progress),
            _ => {}
        }
    }

    /// The unit is over, and judged.
    pub fn close_unit(&mut self, worth: &'static str) {
        let contender = self.under_way.take().and_then(|(_, contender)| contender);
        *self.over.entry((contender, worth)).or_default() += 1;
    }

    /// All of it as text, for a scrape or a push (`Content-Type: text/plain; version=0.0.4`).
    pub fn to_text(&self) -> String {
        let mut text = Text::new(&self.prefix);
        self.units(&mut text);
        self.requests(&mut text);
        if let (Some(contender), Some(progress)) = (&self.contender, &self.progress) {
            load(&mut text, contender, progress);
        }
        let mut text = text.into_string();
        if let (Some(placement), Some(sample)) = (&self.placement, &self.sample) {
            text.push_str(&services(placement, sample));
        }
        text
    }

    const fn phase(&self) -> &'static str {
        match (&self.placement, &self.progress, self.rests) {
            (_, Some(_), _) => "load",
            (_, None, true) => "rest",
            (Some(_), None, false) => "ready",
            (None, None, false) => "starting",
        }
    }

    fn units(&self, text: &mut Text) {
        let unit = self.unit;
        if let Some(planned) = self.planned {
            let help = format!("Each {unit} that is to be driven, but those that are driven again.");
            text.single(&format!("{unit}s_planned"), "gauge", &help, &[], planned);
        }
        let name = format!("{unit}s_total");
        text.head(&name, "counter", &format!("Each {unit} that is over, by what it was worth."));
        for ((contender, worth), n) in &self.over {
            let mut labels: Vec<Label<'_>> = Vec::new();
            labels.extend(contender.as_ref().map(|name| -> Label<'_> { ("contender", name) }));
            labels.push(("standing", worth));
            text.value(&name, &labels, n);
        }
        let Some((number, contender)) = &self.under_way else { return };
        let of: Vec<Label<'_>> = contender.iter().map(|name| -> Label<'_> { ("contender", name) }).collect();
        text.single(unit, "gauge", &format!("Number of the {unit} under way."), &of, number);
        text.head("phase", "gauge", &format!("What the {unit} does: 1 for this, 0 for all else."));
        for phase in PHASES {
            text.value("phase", &[("phase", &phase)], u8::from(phase == self.phase()));
        }
    }

    fn requests(&self, text: &mut Text) {
        text.head("requests_total", "counter", "Requests that ended, by result; timed out ones have failed.");
        for (contender, past) in &self.ledgers {
            let now =
                self.progress.filter(|_| self.contender.as_ref() == Some(contender)).unwrap_or_default();
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

/// Where the load is.
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
