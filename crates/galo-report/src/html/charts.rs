//! Which charts a report has, from the series.

use serde::Serialize;

use super::chart::{Across, Chart, Line, Size, line_class};
use super::scale::Scale;
use crate::digits::significant;
use crate::series::{Percentile, RoundSeries, Second, ServiceSecond, ServiceSeries};
use crate::text::clean;
use crate::words::{self, LATENCY, SERVICE_TIME};

/// A chart as the page shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// Number of the chart among all; the readout's values are found by it.
    pub(crate) id: usize,
    /// Heading.
    pub(crate) title: String,
    /// The `svg` element, safe by construction.
    pub(crate) svg: String,
    /// One entry for each line.
    pub(crate) legend: Vec<LegendEntry>,
}

/// What a line looks like and is called.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LegendEntry {
    /// Style class.
    pub(crate) class: String,
    /// Name.
    pub(crate) name: String,
}

/// A chart's values for the readout at the cursor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Values {
    /// Unit of all values.
    unit: &'static str,
    /// By line.
    names: Vec<String>,
    /// By line, by second.
    values: Vec<Vec<Option<f64>>>,
}

/// Makes the figures of one page and collects their values.
#[derive(Debug, Default)]
pub(crate) struct Charts {
    /// By [`Figure::id`]; `None` for charts that are not over time.
    pub(crate) values: Vec<Option<Values>>,
}

/// One contender's round with the number that says its colour.
pub(crate) type Shown<'a> = (usize, &'a RoundSeries);

impl Charts {
    /// Median and 99 % of the right answers by second.
    pub(crate) fn latency(&mut self, shown: &[Shown<'_>]) -> Figure {
        let mut lines = Vec::new();
        for (contender, series) in shown {
            let name = clean(&series.contender);
            let over = |f: fn(&Second) -> Option<f64>| by_second(&series.seconds, |s| f(s).map(to_ms));
            lines.push(line(
                format!("{name} p50 of right answers"),
                *contender,
                true,
                over(|s| s.ok_latency_us_p50),
            ));
            lines.push(line(
                format!("{name} p99 of right answers"),
                *contender,
                false,
                over(|s| s.ok_latency_us_p99),
            ));
        }
        let up = Scale::log(values(&lines));
        let title = "Latency of right answers by second, from the intended start".to_owned();
        self.figure(title, "ms", Size::Large, seconds(shown), up, lines)
    }

    /// Arrivals and right answers by second.
    pub(crate) fn throughput(&mut self, shown: &[Shown<'_>]) -> Figure {
        let mut lines = Vec::new();
        if let Some((_, series)) = shown.first() {
            let arrivals = by_second(&series.seconds, |s| Some(s.arrivals as f64));
            lines.push(Line {
                name: "arrivals".to_owned(),
                contender: None,
                dashed: false,
                points: arrivals,
            });
        }
        for (contender, series) in shown {
            let name = clean(&series.contender);
            let ok = by_second(&series.seconds, |s| Some(s.ok as f64));
            lines.push(line(format!("{name} right"), *contender, false, ok));
            if series.seconds.iter().any(|s| s.not_ok > 0) {
                let not_ok = by_second(&series.seconds, |s| Some(s.not_ok as f64));
                lines.push(line(format!("{name} not right"), *contender, true, not_ok));
            }
        }
        let up = Scale::linear(values(&lines).fold(0.0, f64::max) * 1.05);
        self.figure("Operations per second".to_owned(), "per second", Size::Large, seconds(shown), up, lines)
    }

    /// Latency and service time by share.
    pub(crate) fn percentiles(&mut self, shown: &[Shown<'_>]) -> Figure {
        let mut lines = Vec::new();
        let mut most: f64 = 10.0;
        for (contender, series) in shown {
            let name = clean(&series.contender);
            let points = |curve: &[Percentile]| {
                curve.iter().map(|p| (p.one_in, Some(to_ms(p.us)))).collect::<Vec<_>>()
            };
            let (service_time, latency) = (points(&series.service_time), points(&series.latency));
            lines.push(line(format!("{name} {SERVICE_TIME}"), *contender, true, service_time));
            lines.push(line(format!("{name} {LATENCY}"), *contender, false, latency));
            most = series.latency.iter().map(|p| p.one_in).fold(most, f64::max);
        }
        let up = Scale::log(values(&lines));
        let title = "Percentiles of latency and of service time".to_owned();
        self.figure(title, "ms", Size::Large, Across::Shares { one_in: most }, up, lines)
    }

    /// CPU of each service against its limit, throttling as a strip.
    pub(crate) fn cpu(&mut self, contender: usize, series: &RoundSeries) -> Vec<Figure> {
        let services = series.services.iter();
        services
            .map(|service| {
                let used = over_time(service, |s| s.cpus);
                let strip: Vec<_> = service.seconds.iter().map(|s| s.throttled_share).collect();
                let lines = vec![line("CPU used".to_owned(), contender, false, used)];
                let title = format!("{}: {}", clean(&service.name), words::cpu_limit(service.cpus));
                self.service(series, title, "CPUs", service.cpus, strip, lines)
            })
            .collect()
    }

    /// Memory of each service against its limit.
    pub(crate) fn memory(&mut self, contender: usize, series: &RoundSeries) -> Vec<Figure> {
        let services = series.services.iter();
        services
            .map(|service| {
                let all = over_time(service, |s| s.memory_bytes.map(to_mib));
                let anonymous = over_time(service, |s| s.anonymous_bytes.map(to_mib));
                let lines = vec![
                    line("anonymous".to_owned(), contender, true, anonymous),
                    line("all memory".to_owned(), contender, false, all),
                ];
                let title =
                    format!("{}: {}", clean(&service.name), words::memory_limit(service.memory_bytes));
                self.service(series, title, "MiB", service.memory_bytes.map(to_mib), Vec::new(), lines)
            })
            .collect()
    }

    fn service(
        &mut self,
        series: &RoundSeries,
        title: String,
        unit: &'static str,
        limit: Option<f64>,
        strip: Vec<Option<f64>>,
        lines: Vec<Line>,
    ) -> Figure {
        let most = values(&lines).chain(limit).fold(0.0, f64::max);
        let mut chart = Chart {
            label: format!("{} {title}: {unit} by second", clean(&series.contender)),
            unit,
            size: Size::Small,
            across: Across::Seconds { count: series.seconds.len().max(strip.len()).max(1) },
            up: Scale::linear(most * 1.1),
            limit,
            strip: Vec::new(),
            lines,
        };
        let mut values = chart.values();
        if strip.iter().flatten().next().is_some() {
            values.names.push("throttled share".to_owned());
            values.values.push(strip.iter().map(|share| share.map(|s| significant(s, 3))).collect());
        }
        chart.strip = strip;
        self.add(title, &chart, Some(values))
    }

    fn figure(
        &mut self,
        title: String,
        unit: &'static str,
        size: Size,
        across: Across,
        up: Scale,
        lines: Vec<Line>,
    ) -> Figure {
        let names: Vec<_> = lines.iter().map(|l| l.name.as_str()).collect();
        let label = format!("{title} in {unit}: {}", names.join(", "));
        let chart = Chart { label, unit, size, across, up, limit: None, strip: Vec::new(), lines };
        let values = matches!(across, Across::Seconds { .. }).then(|| chart.values());
        self.add(title, &chart, values)
    }

    fn add(&mut self, title: String, chart: &Chart, values: Option<Values>) -> Figure {
        let legend = chart.lines.iter().map(|line| LegendEntry {
            class: line_class(line.contender, line.dashed),
            name: line.name.clone(),
        });
        self.values.push(values);
        Figure { id: self.values.len() - 1, title, svg: chart.svg(), legend: legend.collect() }
    }
}

impl Chart {
    fn values(&self) -> Values {
        let of = |line: &Line| line.points.iter().map(|(_, v)| v.map(|v| significant(v, 4))).collect();
        Values {
            unit: self.unit,
            names: self.lines.iter().map(|line| line.name.clone()).collect(),
            values: self.lines.iter().map(of).collect(),
        }
    }
}

fn line(name: String, contender: usize, dashed: bool, points: Vec<(f64, Option<f64>)>) -> Line {
    Line { name, contender: Some(contender), dashed, points }
}

fn values(lines: &[Line]) -> impl Iterator<Item = f64> + '_ {
    lines.iter().flat_map(|line| &line.points).filter_map(|(_, value)| *value)
}

fn seconds(shown: &[Shown<'_>]) -> Across {
    Across::Seconds { count: shown.iter().map(|(_, s)| s.seconds.len()).max().unwrap_or(1).max(1) }
}

/// A second's value stands at the middle of the second.
fn by_second(seconds: &[Second], value: impl Fn(&Second) -> Option<f64>) -> Vec<(f64, Option<f64>)> {
    seconds.iter().enumerate().map(|(i, s)| (i as f64 + 0.5, value(s))).collect()
}

fn over_time(
    service: &ServiceSeries,
    value: impl Fn(&ServiceSecond) -> Option<f64>,
) -> Vec<(f64, Option<f64>)> {
    service.seconds.iter().enumerate().map(|(i, s)| (i as f64 + 0.5, value(s))).collect()
}

fn to_ms(us: f64) -> f64 {
    us / 1e3
}

fn to_mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
