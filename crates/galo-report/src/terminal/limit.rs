//! The summary of `galo limit`: the sentence first, then why, then every hold, then the one that stands for the scale.

use super::Look;
use super::detail::narrow_ms;
use super::notes::finding_lines;
use crate::limit::{HoldReport, HoldServiceReport, LimitReport, LimitedBy, scale_words};
use crate::text::{clean, left, right, wrap};
use crate::words::{self, UNSEEN, count, number, percent};

/// Columns of a hold.
const HOLD: [usize; 9] = [8, 7, 11, 9, 9, 9, 9, 8, 8];
/// Columns of a service.
const SERVICE: [usize; 6] = [9, 11, 12, 11, 11, 11];
/// Columns of a service's name.
const NAME: usize = 14;
/// Reasons told of a hold that was not met.
const REASONS: usize = 3;
/// Causes told of what held it back.
const CAUSES: usize = 3;

impl LimitReport {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let mut lines = Vec::new();
        let tell = |text: &str, paint: &dyn Fn(&str) -> String, lines: &mut Vec<String>| {
            lines.extend(wrap(&clean(text), look.width, "  ").iter().map(|line| paint(line)));
        };
        if let Some(warning) = self.limits_warning() {
            tell(&warning, &|line| look.warning(line), &mut lines);
        }
        tell(&self.sentence, &|line| look.bold(line), &mut lines);
        for (text, is_warning) in self.standing_words() {
            let paint = |line: &str| if is_warning { look.warning(line) } else { line.to_owned() };
            tell(&text, &paint, &mut lines);
        }
        tell(&self.subject(), &|line| look.dim(line), &mut lines);
        lines.push(String::new());
        self.causes(look, &mut lines);
        holds(&self.holds, look, &mut lines);
        if let Some(hold) = self.standing().or(self.holds.last()) {
            lines.push(String::new());
            services(hold, look, &mut lines);
        }
        lines.push(String::new());
        lines.join("\n")
    }

    fn limits_warning(&self) -> Option<String> {
        let note = self.limits_note.as_deref().unwrap_or_default();
        (!self.limits_enforced).then(|| format!("limits are not enforced: {note}"))
    }

    /// What else is to be known of the result, and whether it is a warning.
    fn standing_words(&self) -> Vec<(String, bool)> {
        let mut told = Vec::new();
        if self.scale.is_some() {
            told.push(match self.confirmed {
                true => (format!("confirmed: held for {}", words::seconds(self.confirm_s)), false),
                false => ("NOT confirmed: no longer hold at it was met".to_owned(), true),
            });
        }
        if let Some(service) = &self.held_up_by {
            told.push((format!("held up by: {service}, at {}", self.next_scale()), false));
        } else if self.limited_by == LimitedBy::Contender {
            let at = self.next_scale();
            told.push((format!("held up by: no service was at a limit of CPU or memory at {at}"), false));
        }
        match self.limited_by {
            LimitedBy::Contender => {}
            LimitedBy::Galo => told.push((
                "galo itself or its machine did not keep up with a higher scale, the contender might: give galo a core \
                 of its own, or more threads (--threads)"
                    .to_owned(),
                true,
            )),
            LimitedBy::Asked => told.push(("nothing higher was to be tried (--max)".to_owned(), false)),
            LimitedBy::Holds => told.push(("it ended before a higher scale was tried".to_owned(), true)),
        }
        if let (Some(least), Some(met)) = (self.at_least, self.at_least_met) {
            let met_words = if met { "met" } else { "NOT met" };
            told.push((format!("at least {}: {met_words}", scale_words(least)), !met));
        }
        told.extend(self.end.warning(self.error.as_deref()).map(|words| (words, true)));
        told
    }

    /// What held back the lowest scale that was not met, as far as galo knows.
    fn causes(&self, look: Look, lines: &mut Vec<String>) {
        let Some(hold) = self.lowest_not_met().filter(|hold| !hold.causes.is_empty()) else { return };
        lines.push(
            look.dim(&format!("what held back scale {}, the most telling first", scale_words(hold.scale))),
        );
        lines.extend(
            hold.causes.iter().take(CAUSES).flat_map(|cause| finding_lines(cause, &cause.name, look)),
        );
        lines.push(String::new());
    }

    /// The lowest scale above the one that is held that was not met.
    fn next_scale(&self) -> String {
        let lowest = self.lowest_not_met();
        lowest
            .map_or_else(|| "a higher scale".to_owned(), |hold| format!("scale {}", scale_words(hold.scale)))
    }

    fn subject(&self) -> String {
        let starts = words::counted(self.starts as usize, "start");
        let holds = words::counted(self.holds.len(), "hold");
        let preloads = if self.preloads { "" } else { ", without preload" };
        format!("{}, seed {}, {holds}, {starts}{preloads}", self.challenge, self.seed)
    }
}

impl HoldReport {
    /// One line on it, of 80 columns at most.
    pub fn line(&self) -> String {
        let kind = if self.confirms { "confirming " } else { "" };
        let worth = match (self.valid, self.met) {
            (false, _) => "says nothing",
            (true, true) => "met",
            (true, false) => "NOT met",
        };
        let errors = crate::load::errors(&self.ledger);
        let cpu = self.cpu_us_per_request.map_or_else(String::new, |us| format!(", {} us", number(us, 0)));
        let busiest = self.busiest().map_or_else(String::new, |(name, share)| {
            format!(", {} {}", left(name, 10).trim_end(), percent(share))
        });
        let line = format!(
            "{kind}hold {} for {}: {worth} (p99 {}, {} errors{cpu}{busiest})",
            scale_words(self.scale),
            words::seconds(self.length_s),
            words::ms(self.latency_us.p99),
            count(errors),
        );
        crate::text::shorten(&clean(&line), 80)
    }

    /// The service that used most of its CPU.
    fn busiest(&self) -> Option<(&str, f64)> {
        let shares =
            self.services.iter().filter_map(|service| Some((service.name.as_str(), service.cpu_share?)));
        shares.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

fn row<const N: usize>(cells: &[String; N], widths: [usize; N]) -> String {
    cells.iter().zip(widths).map(|(cell, columns)| right(cell, columns)).collect()
}

/// A row for each hold, with the reasons below those that were not met.
fn holds(holds: &[HoldReport], look: Look, lines: &mut Vec<String>) {
    let head = ["scale", "for s", "people", "due/s", "p50 ms", "p99 ms", "p99.9 ms", "errors", "us each"];
    lines.push(look.dim(&row(&head.map(str::to_owned), HOLD)));
    for hold in holds {
        let l = &hold.latency_us;
        let cells = [
            scale_words(hold.scale),
            number(hold.length_s, 0),
            hold.people_before.map_or_else(|| UNSEEN.to_owned(), count),
            number(hold.offered_per_s, 0),
            narrow_ms(l.p50),
            narrow_ms(l.p99),
            narrow_ms(l.p99_9),
            count(crate::load::errors(&hold.ledger)),
            hold.cpu_us_per_request.map_or_else(|| UNSEEN.to_owned(), |us| number(us, 0)),
        ];
        let cells = row(&cells, HOLD);
        match (hold.met, hold.valid) {
            (true, _) => lines.push(cells),
            (false, valid) => {
                lines.push(look.warning(&cells));
                let head = if valid { "not met" } else { "says nothing" };
                let reasons = hold.reasons.iter().take(REASONS).map(String::as_str).collect::<Vec<_>>();
                let text = clean(&format!("{head}: {}", reasons.join("; ")));
                let told = wrap(&text, look.width.saturating_sub(HOLD[0]), "  ");
                lines.extend(told.iter().map(|line| look.dim(&format!("{:>1$}{line}", "", HOLD[0]))));
            }
        }
    }
    lines.push(look.dim("us each: CPU of all services for each request"));
}

/// What services and galo used in one hold.
fn services(hold: &HoldReport, look: Look, lines: &mut Vec<String>) {
    let at = format!("at {}", scale_words(hold.scale));
    let head = ["CPU s", "of limit", "us/request", "throttled", "peak MiB", "anon MiB"];
    lines.push(look.dim(&format!("{}{}", left(&at, NAME), row(&head.map(str::to_owned), SERVICE))));
    for service in &hold.services {
        lines.push(format!("{}{}", left(&clean(&service.name), NAME), row(&cells(service), SERVICE)));
    }
    let own = hold.galo_cpu_s.unwrap_or(hold.engine_cpu_s);
    let lag = words::ms(hold.lag_us_p99);
    lines.push(look.dim(&format!("galo itself: {} of CPU, lag p99 {lag}", words::seconds(own))));
}

fn cells(service: &HoldServiceReport) -> [String; 6] {
    let unseen = |told: Option<String>| told.unwrap_or_else(|| UNSEEN.to_owned());
    let mib = |bytes: Option<u64>| unseen(bytes.map(|bytes| number(bytes as f64 / f64::from(1 << 20), 1)));
    [
        unseen(service.cpu_s.map(|s| number(s, 1))),
        unseen(service.cpu_share.map(percent)),
        unseen(service.cpu_us_per_request.map(|us| number(us, 1))),
        percent(service.throttled_share),
        mib(service.memory_peak_bytes),
        mib(service.anonymous_peak_bytes),
    ]
}
