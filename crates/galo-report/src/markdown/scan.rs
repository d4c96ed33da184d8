//! A scan: the sentence of each duel, then each of them folded.

use galo_record::RunHeader;

use super::{Origin, details, join, text};
use crate::scan::ScanReport;

impl ScanReport {
    /// The report as Markdown; `header` says how and where it was driven. Ends with a newline.
    pub fn markdown(&self, header: &RunHeader) -> String {
        let value = |value: &str| text(&format!("{}={value}", self.parameter));
        let sentences = self.duels.iter().map(|duel| {
            let sentence = text(&duel.report.sentence);
            format!("- **{}**: {sentence}\n", value(&duel.value))
        });
        let duels = self.duels.iter().map(|duel| details(&value(&duel.value), &duel.report.markdown_body()));
        let baseline = self.baseline.as_deref().map(|of| format!(", each value against {}", value(of)));
        let head = format!("### {} scanned{}", text(&self.parameter), baseline.unwrap_or_default());
        join(&[head, sentences.collect(), duels.collect(), Origin::from(header).told()])
    }
}
