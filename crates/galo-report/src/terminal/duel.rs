//! The summary of a duel: the sentence first, then a table of both sides, then what to know of it.

use galo_judge::duel::{Compared, Figure};

use super::Look;
use crate::duel::{DuelFinding, DuelLevel, DuelReport, DuelSide, bound_words};
use crate::text::{clean, left, right, shorten, wrap};
use crate::words::{UNSEEN, count, counted, cpu_limit, memory_limit, mib, ms, number};

/// Columns of a figure's name, of each side's figure, and of their ratio.
const NAME: usize = 22;
const SIDE: usize = 14;
const RATIO: usize = 28;
/// Differences of answers, and findings, that are told.
const TOLD: usize = 3;

impl DuelReport {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let mut lines = Vec::new();
        let tell = |text: &str, paint: &dyn Fn(&str) -> String, lines: &mut Vec<String>| {
            lines.extend(wrap(&clean(text), look.width, "  ").iter().map(|line| paint(line)));
        };
        for warning in self.warnings() {
            tell(&warning, &|line| look.warning(line), &mut lines);
        }
        tell(&self.sentence, &|line| look.bold(line), &mut lines);
        if !self.notes.is_empty() {
            tell(&self.notes.join("; "), &|line| line.to_owned(), &mut lines);
        }
        tell(&self.subject(), &|line| look.dim(line), &mut lines);
        for outcome in &self.assertions {
            let paint = |line: &str| if outcome.met { line.to_owned() } else { look.warning(line) };
            tell(&bound_words(outcome), &paint, &mut lines);
        }
        self.table(look, &mut lines);
        self.held_back_lines(look, &mut lines);
        for note in self.remarks() {
            tell(&note, &|line| line.to_owned(), &mut lines);
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// What must be known before the verdict.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut told = Vec::new();
        let commands = self.sides.iter().any(|side| side.command.is_some());
        if commands && self.cpus.is_some() && !self.limits_enforced {
            told.push(format!(
                "limits are not enforced: {}",
                self.limits_note.as_deref().unwrap_or_default()
            ));
        }
        told.extend(self.end.warning(self.error.as_deref()));
        told
    }

    /// What was asked, how often, and under which limits.
    pub(crate) fn subject(&self) -> String {
        let pairs = self.compared.first().map_or(0, |compared| compared.pairs);
        let unit = if self.starts > 1 && pairs <= self.starts as usize { "starts" } else { "turns" };
        let pairs = format!("{} of {unit}", counted(pairs, "pair"));
        let limits = match (self.sides.iter().any(|side| side.command.is_some()), self.cpus) {
            (false, _) => "servers that ran before, without limits of galo's".to_owned(),
            (true, None) => "no limits".to_owned(),
            (true, cpus) => {
                let memory = self.memory_bytes.map(|bytes| format!(" and {}", memory_limit(Some(bytes))));
                format!("{}{} for each command", cpu_limit(cpus), memory.unwrap_or_default())
            }
        };
        format!("{}; {pairs}; {limits}", self.request)
    }

    fn table(&self, look: Look, lines: &mut Vec<String>) {
        let names = self.sides.each_ref().map(|side| right(&shorten(&clean(&side.name), SIDE - 1), SIDE));
        lines.push(String::new());
        lines.push(look.dim(&format!("{}{}{}{}", left("", NAME), names[0], names[1], right("ratio", RATIO))));
        for level in &self.levels {
            let rows: Vec<&Compared> = self.compared.iter().filter(|c| c.level == level.level).collect();
            if rows.is_empty() {
                continue;
            }
            lines.push(look.dim(&level_words(level)));
            lines.extend(rows.into_iter().map(row));
        }
        lines.push(String::new());
    }

    fn held_back_lines(&self, look: Look, lines: &mut Vec<String>) {
        let Some((level, told)) = self.held_back() else { return };
        lines.push(look.dim(&held_back_head(level)));
        lines.extend(told.iter().flat_map(|told| wrap(&clean(&told.text), look.width, "  ")));
        lines.push(String::new());
    }

    /// What is good to know.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let mut told: Vec<String> = self.sides.iter().filter_map(warmth).collect();
        told.extend(self.sides.iter().filter_map(errors));
        let [first, second] = self.sides.each_ref().map(|side| side.name.as_str());
        for difference in self.answers.differences.iter().take(TOLD) {
            let [mine, its] = &difference.values;
            told.push(format!("answers differ at {}: {first} {mine}, {second} {its}", difference.at));
        }
        told.extend(self.void.iter().take(TOLD).map(|spoiled| {
            let verb = if spoiled.loads == 1 { "does" } else { "do" };
            format!("{} {verb} not count: {}", counted(spoiled.loads as usize, "load"), spoiled.reason)
        }));
        told.extend(self.findings_in_words());
        told
    }

    /// Each finding once, with how often it was made.
    fn findings_in_words(&self) -> Vec<String> {
        let mut seen: Vec<(&DuelFinding, usize)> = Vec::new();
        for finding in &self.findings {
            match seen
                .iter_mut()
                .find(|(known, _)| (&known.side, &known.text) == (&finding.side, &finding.text))
            {
                Some((_, times)) => *times += 1,
                None => seen.push((finding, 1)),
            }
        }
        let told = seen.into_iter().take(TOLD).map(|(finding, times)| {
            let times = if times > 1 { format!(" ({times} times)") } else { String::new() };
            let hint = finding.hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"));
            let evidence = finding.evidence.last().map_or_else(String::new, |line| format!(": {line}"));
            format!("{}: {}{times}{evidence}{hint}", finding.side, finding.text)
        });
        told.collect()
    }
}

/// A level in words.
pub(crate) fn level_words(level: &DuelLevel) -> String {
    match level.rate_per_s {
        Some(rate) => {
            let mean = if level.varies { " on average" } else { "" };
            format!("at {}/s{mean}, {}", number(rate, if rate < 100.0 { 1 } else { 0 }), level.label)
        }
        None => format!("{}, {} at once", level.label, level.connections),
    }
}

/// What stands above what held each side back.
pub(crate) fn held_back_head(level: &DuelLevel) -> String {
    format!("what held each side back ({})", level_words(level))
}

fn row(compared: &Compared) -> String {
    let ratio = compared.ratio.map_or_else(|| UNSEEN.to_owned(), |ratio| in_words(ratio, compared.interval));
    let [first, second] = compared.values.map(|value| right(&figure(compared.figure, value), SIDE));
    let decides = if compared.decides { "" } else { " (told only)" };
    let name = left(&format!("  {}{decides}", compared.figure.label()), NAME + 2);
    // A long name takes from the room of the first figure.
    let room = SIDE.saturating_sub(2);
    format!("{name}{}{second}{}", right(first.trim_start(), room), right(&ratio, RATIO))
}

/// A ratio and, where known, its interval: `0.971 (0.933 to 1.010)`, `31.7 (22.6 to 44.4)`, `1/987 (1/1,179 to 1/827)`.
pub(crate) fn in_words(ratio: f64, interval: Option<[f64; 2]>) -> String {
    let above = |ratio: f64| match ratio {
        ..9.9995 => format!("{ratio:.3}"),
        ..99.95 => number(ratio, 1),
        _ => number(ratio, 0),
    };
    let one = |ratio: f64| if ratio < 0.1 { format!("1/{}", above(1.0 / ratio)) } else { above(ratio) };
    match interval {
        Some([low, high]) => format!("{} ({} to {})", one(ratio), one(low), one(high)),
        None => one(ratio),
    }
}

/// A figure with its unit.
pub(crate) fn figure(figure: Figure, value: Option<f64>) -> String {
    match (figure, value) {
        (_, None) => UNSEEN.to_owned(),
        (Figure::P99 | Figure::P50, Some(us)) => ms(us),
        (Figure::Rate, Some(rate)) => number(rate, if rate < 100.0 { 1 } else { 0 }),
        (Figure::Cpu, Some(us)) => format!("{} us", number(us, 1)),
        (Figure::Memory, Some(bytes)) => mib(bytes),
    }
}

/// How long a side needed to come to its speed.
fn warmth(side: &DuelSide) -> Option<String> {
    let after = side.warm_after_s?;
    Some(format!("{} needed {after} s of load to come to its speed", side.name))
}

fn errors(side: &DuelSide) -> Option<String> {
    let ledger = &side.ledger;
    let kinds = [
        (ledger.wrong, "wrong"),
        (ledger.failed, "failed"),
        (ledger.timed_out, "timed out"),
        (ledger.unfinished, "never ended"),
    ];
    let kinds: Vec<String> =
        kinds.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{} {what}", count(*n))).collect();
    (!kinds.is_empty())
        .then(|| format!("{}: of {} requests {}", side.name, count(ledger.intended), kinds.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_told_in_three_digits_or_so_also_far_from_1() {
        let told = |ratio, low, high| in_words(ratio, Some([low, high]));
        assert_eq!(told(0.9712, 0.933, 1.01), "0.971 (0.933 to 1.010)");
        assert_eq!(told(31.7, 9.61, 144.4), "31.7 (9.610 to 144)");
        assert_eq!(told(0.001_013, 0.000_848, 0.05), "1/987 (1/1,179 to 1/20.0)");
        assert_eq!(in_words(0.1, None), "0.100");
    }
}
