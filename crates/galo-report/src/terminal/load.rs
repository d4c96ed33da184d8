//! The summary of `galo load`: what came of it first, then latency, operations, answers, and galo's own part.

mod own;
mod rates;

use super::Look;
use crate::load::{LoadLatency, LoadReport};
use crate::report::LedgerReport;
use crate::text::{clean, left, right, shorten, wrap};
use crate::words::{self, count, labels, number, percent};

/// Columns of labels.
const LABEL: usize = 14;
/// Columns of a figure of latency.
const FIGURE: usize = 12;

impl LoadReport {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let mut lines = Vec::new();
        self.voided(look, &mut lines);
        lines.extend(wrap(&self.outcome(), look.width, "  ").iter().map(|line| look.bold(line)));
        lines.extend(wrap(&clean(&self.addresses()), look.width, "  ").iter().map(|line| look.dim(line)));
        self.asserted(look, &mut lines);
        self.noted(look, &mut lines);
        lines.push(String::new());
        latencies(&self.latency, &self.service_time, look, &mut lines);
        lines.push(String::new());
        ledgers(&self.ledger, look, &mut lines);
        self.answers(look, &mut lines);
        self.shown_wrong(look, &mut lines);
        lines.push(String::new());
        rates::lines(self, look, &mut lines);
        self.by_address(look, &mut lines);
        own::lines(self, look, &mut lines);
        lines.push(String::new());
        lines.join("\n")
    }

    /// Why it says nothing, before everything else.
    fn voided(&self, look: Look, lines: &mut Vec<String>) {
        let head = if self.forced { "VOID (and forced)" } else { "VOID" };
        for reason in &self.void {
            let text = clean(&format!("{head}: {reason}"));
            lines.extend(wrap(&text, look.width, "  ").iter().map(|line| look.warning(line)));
        }
    }

    /// All of it in one line.
    fn outcome(&self) -> String {
        let asked =
            self.asked_per_s.map_or_else(String::new, |rate| format!(" of {} asked", per_second(rate)));
        let errors = crate::load::errors(&self.ledger);
        let rest = match errors {
            0 if self.ledger.intended == 0 => "; no request fell due".to_owned(),
            0 => String::new(),
            n => format!("; {} not right ({})", count(n), percent(n as f64 / self.ledger.intended as f64)),
        };
        format!("{} right{asked} for {}{rest}", per_second(self.ok_per_s), words::seconds(self.elapsed_s))
    }

    fn addresses(&self) -> String {
        match self.urls.len() {
            0 | 1 => self.url.clone(),
            n => format!("{} and {} more", self.url, n - 1),
        }
    }

    fn asserted(&self, look: Look, lines: &mut Vec<String>) {
        for outcome in &self.assertions {
            for line in wrap(&clean(&outcome.line()), look.width, "  ") {
                lines.push(if outcome.met { line } else { look.warning(&line) });
            }
        }
    }

    /// How it ended, where that was before its time, and what is good to know.
    fn noted(&self, look: Look, lines: &mut Vec<String>) {
        let broken_off =
            self.interrupted.then(|| "broken off: the figures are of what was done until then".to_owned());
        let stopped = self.stopped_by.map(|status| format!("ended by an answer with status {status}"));
        let notes = self.notes.iter().map(|note| format!("note: {}", clean(note)));
        for note in broken_off.into_iter().chain(stopped).chain(notes) {
            lines.extend(wrap(&note, look.width, "  "));
        }
    }

    /// The first of each kind of wrong answer: the request and what differed. Failures are told by their kind.
    fn shown_wrong(&self, look: Look, lines: &mut Vec<String>) {
        for example in &self.examples {
            let Some(rule) = &example.rule else { continue };
            let request = example.request.lines().next().unwrap_or_default();
            for text in [format!("wrong ({rule}): {request}"), format!("  {}", example.difference)] {
                lines.push(look.dim(&shorten(&clean(&text), look.width)));
            }
        }
    }

    /// Statuses, failures and what galo itself could not do, where there are any; and bytes.
    fn answers(&self, look: Look, lines: &mut Vec<String>) {
        let statuses = self.statuses.iter().map(|(status, n)| (status.to_string(), *n)).collect();
        let errors = self.errors.iter().map(|(error, n)| (error.clone(), *n)).collect();
        let own = self.engine.all.own_errors.iter().map(|(error, n)| (error.clone(), *n)).collect();
        let kinds: [(&str, Vec<(String, u64)>); 3] =
            [("statuses", statuses), ("failures", errors), ("not even tried by galo", own)];
        for (kind, counts) in kinds {
            let counts: Vec<_> = counts.iter().map(|(what, n)| format!("{what}: {}", count(*n))).collect();
            if !counts.is_empty() {
                lines.extend(wrap(&clean(&format!("{kind}: {}", counts.join(", "))), look.width, "  "));
            }
        }
        let bytes = [self.engine.all.sent_bytes, self.engine.all.received_bytes];
        let [sent, received] = bytes.map(|bytes| words::mib(bytes as f64));
        lines.push(format!("bytes: {sent} sent, {received} received"));
    }

    fn by_address(&self, look: Look, lines: &mut Vec<String>) {
        if self.urls.is_empty() {
            return;
        }
        let widths = [12, 9, 10, 10, 10];
        let columns = widths.iter().sum::<usize>();
        let row = |name: &str, cells: [String; 5]| {
            let cells: String =
                cells.iter().zip(widths).map(|(cell, columns)| right(cell, columns)).collect();
            format!("{}{cells}", left(&clean(name), look.width.saturating_sub(columns)))
        };
        let head = ["ok", "errors", "p50 ms", "p99 ms", "max ms"];
        lines.push(look.dim(&row("address", head.map(str::to_owned))));
        for url in &self.urls {
            let LedgerReport { ok, .. } = url.ledger;
            let l = &url.latency.percentiles;
            let [p50, p99, max] = [l.p50, l.p99, l.max].map(ms);
            let errors = crate::load::errors(&url.ledger);
            lines.push(row(&url.url, [count(ok), count(errors), p50, p99, max]));
        }
        lines.push(String::new());
    }
}

/// Percentiles at the left, means at the right, each from the intended start and as service time.
fn latencies(latency: &LoadLatency, service: &LoadLatency, look: Look, lines: &mut Vec<String>) {
    let row = |label: &str, cells: [String; 2]| {
        let [intended, service] = cells.map(|cell| right(&cell, FIGURE));
        format!("{}{intended}{service}", left(label, LABEL))
    };
    let figure = |label: &str, of: fn(&LoadLatency) -> f64| row(label, [of(latency), of(service)].map(ms));
    let head = row("milliseconds", ["intended".to_owned(), "service".to_owned()]);
    let percentiles = [
        head.clone(),
        figure("min", |l| l.min),
        figure("p50", |l| l.percentiles.p50),
        figure("p75", |l| l.percentiles.p75),
        figure("p90", |l| l.percentiles.p90),
        figure("p95", |l| l.percentiles.p95),
        figure("p99", |l| l.percentiles.p99),
        figure("p99.9", |l| l.percentiles.p99_9),
        figure("p99.99", |l| l.percentiles.p99_99),
        figure("max", |l| l.percentiles.max),
    ];
    let means = [
        head,
        figure("mean", |l| l.percentiles.mean),
        figure("deviation", |l| l.standard_deviation),
        figure("tm95", |l| l.tm95),
        figure("tm99", |l| l.tm99),
        figure("tm99.9", |l| l.tm99_9),
    ];
    for (index, at_left) in percentiles.iter().enumerate() {
        let line = means.get(index).map_or_else(|| at_left.clone(), |mean| format!("{at_left}  {mean}"));
        lines.push(if index == 0 { look.dim(&line) } else { line });
    }
    let what = "intended: from intended start, all that ended; service: from sending, right only";
    lines.extend(wrap(what, look.width, "  ").iter().map(|line| look.dim(line)));
}

/// Microseconds as milliseconds to the microsecond, so that points stand below each other.
fn ms(us: f64) -> String {
    number(us / 1e3, 3)
}

/// A rate: whole from a hundred on, where a decimal says nothing.
fn per_second(rate: f64) -> String {
    format!("{}/s", number(rate, usize::from(rate < 100.0)))
}

/// Operations by result.
fn ledgers(ledger: &LedgerReport, look: Look, lines: &mut Vec<String>) {
    let row = |name: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: String = cells.map(|cell| right(&cell, 11)).collect();
        format!("{}{cells}", left(name, LABEL))
    };
    let mut heads = labels::LEDGER_HEADS.into_iter().map(|name| name.en.into_owned());
    lines.push(look.dim(&row(&labels::NUMBER.en, &mut heads)));
    lines.push(row("all", &mut words::ledger(ledger).map(|told| told.en.into_owned())));
}
