//! The summary of a scan: for each figure a row of each value, with its ratio as a bar.

use galo_judge::duel::{Compared, Figure};
use galo_judge::verdict::Difference;

use super::Look;
use super::duel::{figure, held_back_head, in_words};
use crate::scan::{ScanDuelReport, ScanReport};
use crate::text::{clean, left, right, shorten, wrap};
use crate::words::UNSEEN;

/// Columns of a value, of each side's figure, of their ratio, and of its bar.
const VALUE: usize = 10;
const SIDE: usize = 12;
const RATIO: usize = 26;
const BAR: usize = 18;
const NOTE: &str = "ratio: second column by first; *: told apart, as 1 duel of 20 between equals is";
/// What is told of each duel: by the first load that has the figure.
pub(crate) const FIGURES: [Figure; 4] = [Figure::P99, Figure::Rate, Figure::Cpu, Figure::Memory];

impl ScanReport {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let mut lines = Vec::new();
        for duel in &self.duels {
            let text = format!("{}={}: {}", self.parameter, duel.value, duel.report.sentence);
            lines.extend(wrap(&clean(&text), look.width, "  ").iter().map(|line| look.bold(line)));
        }
        for figure in FIGURES {
            self.block(figure, look, &mut lines);
        }
        self.held_back(look, &mut lines);
        lines.push(String::new());
        lines.push(look.dim(NOTE));
        lines.push(String::new());
        lines.join("\n")
    }

    /// What held each side back; of what all are compared with, in the first duel that tells it.
    fn held_back(&self, look: Look, lines: &mut Vec<String>) {
        let Some((level, _)) = self.duels.iter().find_map(|duel| duel.report.held_back()) else { return };
        lines.extend([String::new(), look.bold(&held_back_head(level))]);
        let text = |duel: &ScanDuelReport, side: usize| {
            let text = &duel.report.sides[side].held_back.as_ref()?.text;
            // The sides of one command are called by their values.
            let at = self.baseline.is_none().then(|| format!("{}={}: ", self.parameter, duel.value));
            Some(at.unwrap_or_default() + text)
        };
        let mut told = Vec::new();
        if self.baseline.is_some() {
            told.extend(self.duels.iter().find_map(|duel| text(duel, 0)));
        }
        let first = usize::from(self.baseline.is_some());
        for duel in &self.duels {
            told.extend((first..2).filter_map(|side| text(duel, side)));
        }
        lines.extend(told.iter().flat_map(|told| wrap(&clean(told), look.width, "  ")));
    }

    fn block(&self, figure: Figure, look: Look, lines: &mut Vec<String>) {
        let seen: Vec<(&ScanDuelReport, &Compared)> =
            self.duels.iter().filter_map(|duel| Some((duel, of(duel, figure)?))).collect();
        if seen.iter().all(|(_, compared)| compared.ratio.is_none()) {
            return;
        }
        let Some((first, _)) = seen.first() else { return };
        let names = match &self.baseline {
            Some(baseline) => [format!("at {baseline}"), "at it".to_owned()],
            None => first.report.sides.each_ref().map(|side| side.name.clone()),
        };
        let [a, b] = names.map(|name| right(&shorten(&clean(&name), SIDE - 1), SIDE));
        // What all are compared with has a bar, too.
        let least = if self.baseline.is_some() { 1.0 } else { 0.0 };
        let largest = seen.iter().filter_map(|(_, c)| c.ratio).map(|r| 1.0 / r).fold(least, f64::max);
        lines.push(String::new());
        lines.push(look.bold(figure.label()));
        lines.push(look.dim(&format!(
            "{}{a}{b}{}",
            left(&shorten(&clean(&self.parameter), VALUE - 1), VALUE),
            right("ratio", RATIO)
        )));
        if let Some(baseline) = &self.baseline {
            let value = left(&shorten(&clean(baseline), VALUE - 1), VALUE);
            lines.push(format!("{value}{:>2$}{}", 1, " ".to_owned() + &bar(1.0 / largest), 2 * SIDE + RATIO));
        }
        lines.extend(seen.into_iter().map(|(duel, compared)| row(&duel.value, compared, largest)));
    }
}

/// A figure at the first load that has it.
pub(crate) fn of(duel: &ScanDuelReport, figure: Figure) -> Option<&Compared> {
    duel.report.compared.iter().find(|compared| compared.figure == figure)
}

fn row(value: &str, compared: &Compared, largest: f64) -> String {
    let [first, second] = compared.values.map(|value| right(&figure(compared.figure, value), SIDE));
    let interval = compared.interval.map(|[low, high]| [1.0 / high, 1.0 / low]);
    let ratio = compared.ratio.map_or_else(|| UNSEEN.to_owned(), |ratio| in_words(1.0 / ratio, interval));
    let mark = match compared.difference {
        Difference::Better | Difference::Worse => "*",
        Difference::NoDifference | Difference::TooFewRounds => " ",
    };
    let bar = compared.ratio.map_or_else(String::new, |ratio| bar(1.0 / ratio / largest));
    let value = left(&shorten(&clean(value), VALUE - 1), VALUE);
    format!("{value}{first}{second}{}{mark}{bar}", right(&ratio, RATIO)).trim_end().to_owned()
}

/// A share of the widest bar, in eighths of a column.
fn bar(share: f64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = (share.clamp(0.0, 1.0) * (BAR * 8) as f64).round() as usize;
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(1.0).chars().count(), BAR);
        assert_eq!((bar(0.0).as_str(), bar(0.5 / BAR as f64).as_str()), ("", "▌"));
        assert_eq!(bar(2.0), bar(1.0));
    }
}
