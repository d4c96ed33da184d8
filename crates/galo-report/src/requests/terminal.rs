//! Requests in the form in which Gatling ends a simulation: 80 columns, whatever the terminal has.

use galo_judge::fight::Class;
use galo_judge::load::Answered;
use galo_record::Percentiles;

use super::Requests;
use crate::text::{Look, clean, left, right, shorten, wrap};

/// Columns in all, of a label, of a figure with its label, and, at least, of that of OK or KO.
const WIDTH: usize = 80;
const LABEL: usize = 40;
const FIGURE: usize = 56;
const PART: usize = 6;
/// Columns of a message.
const MESSAGE: usize = 61;
/// Kinds of errors that are told.
const ERRORS: usize = 20;
/// What all together are called, by Gatling too.
const GLOBAL: &str = "Global Information";
/// What stands where there is nothing.
const NOTHING: &str = "-";

type Figure = fn(&Percentiles) -> f64;

/// Rows of times, as Gatling has them, but for p99, which it has too.
const TIMES: [(&str, Figure); 8] = [
    ("min response time", |times| times.min),
    ("max response time", |times| times.max),
    ("mean response time", |times| times.mean),
    ("std deviation", |times| times.standard_deviation),
    ("response time 50th percentile", |times| times.p50),
    ("response time 75th percentile", |times| times.p75),
    ("response time 95th percentile", |times| times.p95),
    ("response time 99th percentile", |times| times.p99),
];

impl Requests {
    /// The block in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let rule = "=".repeat(WIDTH);
        let mut lines = vec![rule.clone()];
        lines.push(look.bold(&shorten(&clean(&self.title), WIDTH)));
        let what = format!("times in ms: {}", self.response_time);
        lines.extend(wrap(&clean(&what), WIDTH, "  ").iter().map(|line| look.dim(line)));
        self.section(GLOBAL, &self.all, look, &mut lines);
        if self.names.len() > 1 {
            self.names.iter().for_each(|(name, of)| self.section(name, of, look, &mut lines));
        }
        self.errors(look, &mut lines);
        lines.extend([rule, String::new()]);
        lines.join("\n")
    }

    fn section(&self, name: &str, of: &Answered, look: Look, lines: &mut Vec<String>) {
        lines.push(look.bold(&title(name)));
        let parts = [&of.latency, &of.latency_ok, &of.latency_not_ok];
        let counted = parts.map(|part| part.count);
        let row = |label: &str, [all, ok, ko]: [String; 3]| {
            // A part that is longer takes from the room before the figure.
            let parts = format!("(OK={ok:PART$} KO={ko:PART$})");
            let room = (WIDTH - "> ".len() - " ".len()).saturating_sub(LABEL + parts.len());
            shorten(&format!("> {}{} {parts}", left(label, LABEL), right(&all, room)), WIDTH)
        };
        lines.push(row("request count", counted.map(|n| n.to_string())));
        let cells = |figure: &dyn Fn(&Percentiles) -> String| {
            let told = |index: usize| {
                if counted[index] == 0 { NOTHING.to_owned() } else { figure(parts[index]) }
            };
            [0, 1, 2].map(told)
        };
        for (label, figure) in TIMES {
            lines.push(row(label, cells(&|part| short(figure(part) / 1e3))));
        }
        lines.push(row("mean requests/sec", cells(&|part| short(self.per_s(part.count)))));
        lines.push(title("Response Time Distribution"));
        let (mut above, all) = (None, counted[0]);
        for class in &of.classes {
            lines.push(share(&class_label(above, class), class.count, all));
            above = class.up_to_ms;
        }
        lines.push(share("failed", counted[2], all));
    }

    fn per_s(&self, count: u64) -> f64 {
        if self.elapsed_s > 0.0 { count as f64 / self.elapsed_s } else { 0.0 }
    }

    fn errors(&self, look: Look, lines: &mut Vec<String>) {
        let sum: u64 = self.errors.iter().map(|(_, count)| count).sum();
        if sum == 0 {
            return;
        }
        lines.push(look.bold(&title("Errors")));
        for (message, count) in self.errors.iter().take(ERRORS) {
            let percent = *count as f64 * 100.0 / sum as f64;
            let percent = if *count == sum { "100.0".to_owned() } else { format!("{percent:.2}") };
            let message = left(&clean(message), MESSAGE);
            lines.push(format!("> {message}{} ({}%)", right(&count.to_string(), 8), right(&percent, 5)));
        }
        if let Some(more) = self.errors.len().checked_sub(ERRORS).filter(|more| *more > 0) {
            lines.push(format!("> and {more} other messages"));
        }
    }
}

/// `---- Errors ------...`
fn title(name: &str) -> String {
    let head = shorten(&clean(name), WIDTH - 10);
    let head = format!("---- {head} ");
    let rest = WIDTH.saturating_sub(crate::text::width(&head));
    head + &"-".repeat(rest)
}

fn class_label(above_ms: Option<f64>, class: &Class) -> String {
    match (above_ms, class.up_to_ms) {
        (None, Some(bound)) => format!("t < {bound} ms"),
        (Some(above), Some(bound)) => format!("{above} ms <= t < {bound} ms"),
        (Some(above), None) => format!("t >= {above} ms"),
        (None, None) => "any t".to_owned(),
    }
}

fn share(label: &str, n: u64, of: u64) -> String {
    let percent = if of == 0 { 0.0 } else { n as f64 * 100.0 / of as f64 };
    format!("> {}{} ({percent:3.0}%)", left(label, LABEL), right(&n.to_string(), FIGURE - LABEL))
}

/// Some three digits, in at most seven columns, without commas, as Gatling has it.
fn short(value: f64) -> String {
    let decimals = match value {
        ..9.995 => 2,
        ..999.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}
