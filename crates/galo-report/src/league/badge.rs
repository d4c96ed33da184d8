//! A badge: where an entry stands, for its README.

use askama::Template;

use crate::text;

/// Room beside each text.
const BESIDE: usize = 6;
/// About as wide as a letter of eleven points is; the letters are fitted to it.
const LETTER: usize = 7;

/// How an entry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    In,
    Out,
    NotStarted,
}

/// Two fields side by side, as SVG 1.1.
#[derive(Template)]
#[template(path = "badge.svg")]
struct Badge {
    label: String,
    message: String,
    /// Where the second field begins.
    left: usize,
    width: usize,
    /// Dark enough for white letters (WCAG 2, level AA).
    colour: &'static str,
}

/// The badge of an entry that stands so.
pub(super) fn badge(label: &str, message: &str, stands: Stands) -> String {
    let colour = match stands {
        Stands::In => "#2f6f2f",
        Stands::Out => "#b3261e",
        Stands::NotStarted => "#5f6368",
    };
    let [label, message] = [label, message].map(text::clean);
    let [left, right] = [&label, &message].map(|text| LETTER * text.chars().count() + 2 * BESIDE);
    let badge = Badge { left, width: left + right, label, message, colour };
    // Into memory nothing can fail.
    badge.render().unwrap_or_default()
}
