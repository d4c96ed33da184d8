//! The summary of `galo load`.

use super::{Look, detail};
use crate::load::LoadReport;
use crate::text::{clean, wrap};
use crate::words::{self, count};

impl LoadReport {
    /// The summary in a terminal. Ends with a newline.
    pub fn terminal(&self, look: Look) -> String {
        let mut lines = Vec::new();
        let head = format!(
            "{}: {} right answers per second over {}",
            self.url,
            words::number(self.ok_per_s, 1),
            words::seconds(self.elapsed_s)
        );
        lines.extend(wrap(&clean(&head), look.width, "  ").iter().map(|line| look.bold(line)));
        lines.push(String::new());
        detail::ledgers(&[("all", &self.ledger)], look, &mut lines);
        lines.push(String::new());
        detail::latencies(&self.latency, &self.service_time, look, &mut lines);
        lines.push(String::new());
        self.answers(look, &mut lines);
        lines.extend(wrap(&detail::engine(&self.engine), look.width, "  "));
        lines.push(String::new());
        lines.join("\n")
    }

    /// Statuses, failures and what galo itself could not do, where there are any.
    fn answers(&self, look: Look, lines: &mut Vec<String>) {
        let statuses = self.statuses.iter().map(|(status, n)| (status.to_string(), *n)).collect();
        let errors = self.errors.iter().map(|(error, n)| (error.clone(), *n)).collect();
        let own = self.engine.own_errors.iter().map(|(error, n)| (error.clone(), *n)).collect();
        let kinds: [(&str, Vec<(String, u64)>); 3] =
            [("statuses", statuses), ("failures", errors), ("not even tried by galo", own)];
        for (kind, counts) in kinds {
            let counts: Vec<_> = counts.iter().map(|(what, n)| format!("{what}: {}", count(*n))).collect();
            if !counts.is_empty() {
                lines.extend(wrap(&clean(&format!("{kind}: {}", counts.join(", "))), look.width, "  "));
            }
        }
    }
}
