//! The newest ratio of each pair, in the forms of tools that keep a history of their own.
//!
//! A form is that of its tool's documentation: [Bencher Metric Format][bencher], and the entries of [github-action-benchmark][action]
//! (`BenchmarkResult` in its `src/extract.ts`), which hold only figures that are all better one way.
//!
//! [bencher]: https://bencher.dev/docs/reference/bencher-metric-format
//! [action]: https://github.com/benchmark-action/github-action-benchmark

use std::collections::BTreeMap;

use galo_judge::json::pretty;
use galo_judge::trend::{JudgedTrend, TrendFigure, TrendPair, TrendPoint, TrendRun};
use galo_words::{Lang, significant};
use serde::Serialize;

use super::pair_name;
use super::runs::short_id;
use super::terms::in_words;

/// Whose form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// Bencher Metric Format.
    Bencher,
    /// github-action-benchmark, `customSmallerIsBetter`.
    SmallerIsBetter,
    /// github-action-benchmark, `customBiggerIsBetter`.
    BiggerIsBetter,
}

/// Digits of a bound that stands in a text.
const DIGITS: usize = 4;

/// One value of Bencher's.
#[derive(Serialize)]
struct Metric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

/// One entry of github-action-benchmark's.
#[derive(Serialize)]
struct Entry {
    name: String,
    unit: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// A ratio with all that it is of.
struct Newest<'a> {
    pair: &'a TrendPair,
    point: &'a TrendPoint,
    run: &'a TrendRun,
    figure: &'a TrendFigure,
    ratio: f64,
}

impl Export {
    /// The text of the file; `None`: no ratio belongs into it.
    pub fn text(self, trend: &JudgedTrend) -> Option<String> {
        let smaller = self == Self::SmallerIsBetter;
        let all = newest(trend);
        match self {
            Self::Bencher => {
                let mut benchmarks: BTreeMap<String, BTreeMap<String, Metric>> = BTreeMap::new();
                for ratio in &all {
                    benchmarks.entry(ratio.benchmark()).or_default().insert(ratio.measure(), ratio.metric());
                }
                (!benchmarks.is_empty()).then(|| pretty(&benchmarks))
            }
            Self::SmallerIsBetter | Self::BiggerIsBetter => {
                let fits = |of: &&Newest<'_>| of.figure.measure.lower_is_better() == smaller;
                let entries: Vec<Entry> = all.iter().filter(fits).map(Newest::entry).collect();
                (!entries.is_empty()).then(|| pretty(&entries))
            }
        }
    }
}

fn newest(trend: &JudgedTrend) -> Vec<Newest<'_>> {
    let mut all = Vec::new();
    for pair in &trend.pairs {
        let Some(point) = pair.points.last() else { continue };
        let Some(run) = trend.runs.get(point.run) else { continue };
        for figure in &point.figures {
            all.extend(figure.ratios.ratio.map(|ratio| Newest { pair, point, run, figure, ratio }));
        }
    }
    all
}

impl Newest<'_> {
    /// `new / old: GET /, half`.
    fn benchmark(&self) -> String {
        let level = self.figure.level.map_or_else(String::new, |level| format!(", {}", level.name()));
        format!("{}{level}", pair_name(self.pair))
    }

    /// Its slug at Bencher: `latency-us-p99-ratio`.
    fn measure(&self) -> String {
        format!("{}-ratio", self.figure.measure.id().replace('_', "-"))
    }

    fn metric(&self) -> Metric {
        let [lower_value, upper_value] = match self.figure.ratios.interval {
            Some([low, high]) => [Some(low), Some(high)],
            None => [None, None],
        };
        Metric { value: self.ratio, lower_value, upper_value }
    }

    fn entry(&self) -> Entry {
        let bound = |value: f64| significant(value, DIGITS);
        let range = self.figure.ratios.interval;
        Entry {
            name: format!("{}: {}", self.benchmark(), self.figure.measure.id()),
            unit: "ratio",
            value: self.ratio,
            range: range.map(|[low, high]| format!("{} to {}", bound(low), bound(high))),
            extra: self.extra(),
        }
    }

    /// What a reader of the chart may ask, a line each.
    fn extra(&self) -> String {
        let TrendPair { head, base, lines, .. } = self.pair;
        let of = (self.figure.measure, self.figure.level);
        let side = |name: &str, value, version| {
            let version = match short_id(version) {
                id if version.is_some() => format!(" at {id}"),
                _ => String::new(),
            };
            format!("{name}{version}: {}", super::lines::value(of, value).write(Lang::En))
        };
        let mut told = vec![
            side(head, self.figure.head, self.point.head.as_ref()),
            side(base, self.figure.base, self.point.base.as_ref()),
            format!("pairs: {}", self.figure.ratios.pairs),
            format!("galo {}, {}", self.run.header.galo, self.run.header.started),
        ];
        told.extend(lines.get(self.point.line).map(|line| in_words(line, Lang::En)));
        told.join("\n")
    }
}
