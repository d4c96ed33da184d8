//! A run while it goes on, as Prometheus reads it: what is over, by what it was worth, and the unit under way.

use galo_record::event::Progress;
use galo_record::sample::ServiceSample;
use galo_record::{Placement, Sample, ServicePlacement};

use super::{Ongoing, Phase, UnderWay};
use crate::metrics::{Label, Text};

/// A run as text, for a scrape or a push (`Content-Type: text/plain; version=0.0.4`). `kind` (`fight`) and `unit` (`round`)
/// are names as metrics have them; `planned`: units to be driven, `None` where that depends on what they come to.
pub fn run_metrics(run: &Ongoing, [kind, unit]: [&str; 2], planned: Option<usize>) -> String {
    let mut text = Text::new(&format!("galo_{kind}_"));
    units(&mut text, run, unit, planned);
    requests(&mut text, run);
    if let Some((contender, progress)) = run.load_now() {
        load(&mut text, contender, progress);
    }
    let mut text = text.into_string();
    if let Some((placement, sample)) = run.services() {
        text.push_str(&services(placement, sample));
    }
    text
}

/// What a unit does, in order.
const PHASES: [(Phase, &str); 4] =
    [(Phase::Starting, "starting"), (Phase::Ready, "ready"), (Phase::Load, "load"), (Phase::Rest, "rest")];

fn units(text: &mut Text, run: &Ongoing, unit: &str, planned: Option<usize>) {
    if let Some(planned) = planned {
        let help = format!("Each {unit} that is to be driven, but those that are driven again.");
        text.single(&format!("{unit}s_planned"), "gauge", &help, &[], planned);
    }
    let name = format!("{unit}s_total");
    text.head(&name, "counter", &format!("Each {unit} that is over, by what it was worth."));
    for ((contender, worth), n) in &run.over {
        let mut labels: Vec<Label<'_>> = Vec::new();
        labels.extend(contender.as_ref().map(|name| -> Label<'_> { ("contender", name) }));
        labels.push(("standing", worth));
        text.value(&name, &labels, n);
    }
    let Some(UnderWay { number, contender }) = &run.unit else { return };
    let of: Vec<Label<'_>> = contender.iter().map(|name| -> Label<'_> { ("contender", name) }).collect();
    text.single(unit, "gauge", &format!("Number of the {unit} under way."), &of, number);
    text.head("phase", "gauge", &format!("What the {unit} does: 1 for this, 0 for all else."));
    for (phase, name) in PHASES {
        text.value("phase", &[("phase", &name)], u8::from(phase == run.phase()));
    }
}

fn requests(text: &mut Text, run: &Ongoing) {
    text.head("requests_total", "counter", "Requests that ended, by result; timed out ones have failed.");
    for (contender, past) in &run.ledgers {
        let now = run.load_now().filter(|(name, _)| name == contender);
        let now = now.map(|(_, progress)| *progress).unwrap_or_default();
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

/// A figure of a service; `None`: nothing is seen of it.
fn seen(sample: &ServiceSample, figure: f64) -> Option<f64> {
    sample.is_seen().then_some(figure)
}

/// All that is told of a service.
const SERVICE: [ServiceMetric; 9] = [
    ("cpu_seconds_total", "counter", "CPU used, user and system.", |_, s| seen(s, s.cpu_ns as f64 / 1e9)),
    ("cpu_limit_cores", "gauge", "CPU limit.", |p, _| p.cpus_milli.map(|milli| f64::from(milli) / 1e3)),
    ("cpu_periods_total", "counter", "CPU quota periods in which it wanted to run.", |_, s| {
        seen(s, s.periods as f64)
    }),
    (
        "throttled_periods_total",
        "counter",
        "Periods in which it was stopped for want of CPU quota.",
        |_, s| seen(s, s.throttled_periods as f64),
    ),
    ("throttled_seconds_total", "counter", "Time for which it was stopped for want of CPU quota.", |_, s| {
        seen(s, s.throttled_ns as f64 / 1e9)
    }),
    ("memory_bytes", "gauge", "Memory in use, page cache included.", |_, s| seen(s, s.memory_bytes as f64)),
    ("memory_anonymous_bytes", "gauge", "Memory in use without page cache.", |_, s| {
        seen(s, s.anonymous_bytes as f64)
    }),
    ("memory_limit_bytes", "gauge", "Memory limit.", |p, _| p.memory_bytes.map(|bytes| bytes as f64)),
    ("oom_kills_total", "counter", "Processes that the kernel killed for want of memory.", |_, s| {
        seen(s, s.oom_kills as f64)
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
