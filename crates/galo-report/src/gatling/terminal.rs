//! A log of Gatling's: what is odd about it, whose it is, then its requests as Gatling tells them.

use galo_words::{count, counted, ms, number};

use super::{GatlingReport, SecondReport, Warning};
use crate::text::{Look, clean, wrap};

/// Warnings that are told; the JSON has all.
const WARNINGS: usize = 10;
/// Groups that are told.
const GROUPS: usize = 20;

impl GatlingReport {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let mut lines = Vec::new();
        let mut tell = |text: &str, paint: &dyn Fn(&str) -> String| {
            lines.extend(wrap(&clean(text), look.width, "  ").iter().map(|line| paint(line)));
        };
        for warning in self.warnings.iter().take(WARNINGS) {
            tell(&warning.told(), &|line| look.warning(line));
        }
        if let Some(more) = self.warnings.len().checked_sub(WARNINGS).filter(|more| *more > 0) {
            tell(&format!("{more} more kinds of trouble are in the JSON"), &|line| look.warning(line));
        }
        tell(&self.subject(), &|line| line.to_owned());
        self.groups.iter().take(GROUPS).for_each(|group| {
            let latency = &group.duration;
            let figures = format!(
                "{} OK, {} KO, p50 {}, p99 {}",
                count(group.ok),
                count(group.ko),
                ms(latency.p50),
                ms(latency.p99)
            );
            tell(&format!("group {}: {figures}, pauses included", group.name), &|line| line.to_owned());
        });
        tell(&self.by_second(), &|line| line.to_owned());
        lines.join("\n") + "\n" + &self.requests.terminal(look)
    }

    /// Whose log it is.
    fn subject(&self) -> String {
        let simulation = self.simulation.as_ref().map_or_else(String::new, |run| {
            let description =
                if run.description.is_empty() { String::new() } else { format!(" ({})", run.description) };
            let started =
                run.started.as_ref().map_or_else(String::new, |started| format!(", started {started}"));
            format!("{}{description}, by Gatling {}{started}: ", run.class, run.gatling)
        });
        let started: u64 = self.scenarios.iter().map(|scenario| scenario.started).sum();
        let ended: u64 = self.scenarios.iter().map(|scenario| scenario.ended).sum();
        let open = if started > ended {
            format!(", of which {} did not end", count(started - ended))
        } else {
            String::new()
        };
        let users = counted(started as usize, "user");
        format!(
            "{simulation}{} s, {users}{open}, in {}",
            number(self.elapsed_s, 1),
            counted(self.lines as usize, "line")
        )
    }

    /// How even the seconds were.
    fn by_second(&self) -> String {
        let ended = |second: &SecondReport| second.ok + second.ko;
        let Some(most) = self.seconds.iter().max_by_key(|second| ended(second)) else { return String::new() };
        let started =
            self.seconds.iter().max_by_key(|second| second.started).map_or(0, |second| second.started);
        let all = self.seconds.last().map_or(0, |last| last.second + 1);
        let silent = all - self.seconds.iter().filter(|second| ended(second) > 0).count() as u64;
        format!(
            "in one second at most {} started and {} ended (second {}); none ended in {} of {} seconds",
            count(started),
            count(ended(most)),
            most.second,
            count(silent),
            count(all),
        )
    }
}

impl Warning {
    /// It in one sentence.
    fn told(&self) -> String {
        let more = match self.lines {
            0 | 1 => String::new(),
            lines => format!(" (and {} like it)", counted(lines as usize - 1, "line")),
        };
        if self.line == 0 { self.text.clone() } else { format!("line {} {}{more}", self.line, self.text) }
    }
}
