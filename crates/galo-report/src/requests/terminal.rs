//! Requests in the form in which Gatling ends a simulation: 80 columns, whatever the terminal has.

use galo_judge::judged::Class;
use galo_words::number;

use super::{RequestReport, RequestsReport, ResponseTimes};
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
/// What stands where there is nothing.
const NOTHING: &str = "-";

type Figure = fn(&ResponseTimes) -> f64;

/// Rows of times, as Gatling has them, but for p99, which it has too.
const TIMES: [(&str, Figure); 8] = [
    ("min response time", |r| r.times.min),
    ("max response time", |r| r.times.max),
    ("mean response time", |r| r.times.mean),
    ("std deviation", |r| r.times.standard_deviation),
    ("response time 50th percentile", |r| r.times.p50),
    ("response time 75th percentile", |r| r.times.p75),
    ("response time 95th percentile", |r| r.times.p95),
    ("response time 99th percentile", |r| r.times.p99),
];

impl RequestsReport {
    /// The block in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let rule = "=".repeat(WIDTH);
        let mut lines = vec![rule.clone()];
        lines.push(look.bold(&shorten(&clean(&self.title), WIDTH)));
        let what = format!("times in ms: {}", self.response_time);
        lines.extend(wrap(&clean(&what), WIDTH, "  ").iter().map(|line| look.dim(line)));
        self.section(&self.all, look, &mut lines);
        if self.names.len() > 1 {
            self.names.iter().for_each(|name| self.section(name, look, &mut lines));
        }
        self.errors(look, &mut lines);
        lines.extend([rule, String::new()]);
        lines.join("\n")
    }

    fn section(&self, of: &RequestReport, look: Look, lines: &mut Vec<String>) {
        lines.push(look.bold(&title(&of.name)));
        let parts = [&of.all, &of.ok, &of.ko];
        let counted = parts.map(|part| part.times.count);
        let row = |label: &str, [all, ok, ko]: [String; 3]| {
            // A part that is longer takes from the room before the figure.
            let parts = format!("(OK={ok:PART$} KO={ko:PART$})");
            let room = (WIDTH - "> ".len() - " ".len()).saturating_sub(LABEL + parts.len());
            shorten(&format!("> {}{} {parts}", left(label, LABEL), right(&all, room)), WIDTH)
        };
        lines.push(row("request count", counted.map(|n| n.to_string())));
        let cells = |figure: &dyn Fn(&ResponseTimes) -> String| {
            let told = |index: usize| {
                if counted[index] == 0 { NOTHING.to_owned() } else { figure(parts[index]) }
            };
            [0, 1, 2].map(told)
        };
        for (label, figure) in TIMES {
            lines.push(row(label, cells(&|part| self.ms(figure(part)))));
        }
        lines.push(row("mean requests/sec", cells(&|part| short(part.per_s))));
        lines.push(title("Response Time Distribution"));
        let (mut above, all) = (None, counted[0]);
        for class in &of.classes {
            lines.push(share(&class_label(above, class), class.count, all));
            above = class.up_to_ms;
        }
        lines.push(share("failed", counted[2], all));
    }

    /// Microseconds as milliseconds.
    fn ms(&self, us: f64) -> String {
        if self.whole_ms { format!("{:.0}", us / 1e3) } else { short(us / 1e3) }
    }

    fn errors(&self, look: Look, lines: &mut Vec<String>) {
        let sum: u64 = self.errors.iter().map(|error| error.count).sum();
        if sum == 0 {
            return;
        }
        lines.push(look.bold(&title("Errors")));
        for error in self.errors.iter().take(ERRORS) {
            let percent = error.count as f64 * 100.0 / sum as f64;
            let percent = if error.count == sum { "100.0".to_owned() } else { format!("{percent:.2}") };
            let message = left(&clean(&error.message), MESSAGE);
            lines.push(format!(
                "> {message}{} ({}%)",
                right(&error.count.to_string(), 8),
                right(&percent, 5)
            ));
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
    number(value, decimals).replace(',', "")
}
