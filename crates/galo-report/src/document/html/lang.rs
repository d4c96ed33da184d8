//! The two languages of the pages. A page holds both; its style sheet shows one, by the language of the root element.

use askama::filters::{Html, Safe, escape};
use galo_words::Both;

use crate::text::clean_lines;

/// The language in which a page starts. Its reader can switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// The one that the reader's browser asks for; English where that is neither.
    #[default]
    OfBrowser,
    /// English.
    English,
    /// Portuguese.
    Portuguese,
}

impl Language {
    /// As HTML writes the language that a page has before any script ran.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::OfBrowser | Self::English => "en",
            Self::Portuguese => "pt",
        }
    }
}

/// A text of a template in both languages: harmless, escaped, and marked with the language where that matters.
pub(super) fn both(Both { en, pt }: &Both) -> Safe<String> {
    let [safe_en, safe_pt] =
        [en, pt].map(|text| escape(clean_lines(text), Html).map(|safe| safe.to_string()));
    let (Ok(safe_en), Ok(safe_pt)) = (safe_en, safe_pt);
    Safe(match en == pt {
        true => safe_en,
        false => format!(r#"<span lang="en">{safe_en}</span><span lang="pt">{safe_pt}</span>"#),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_escaped_in_both_languages() {
        let html = both(&Both::new("<b>", "<i>")).to_string();
        assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
        assert!(html.starts_with(r#"<span lang="en">"#) && html.contains(r#"<span lang="pt">"#), "{html}");
        assert_eq!(both(&Both::same("a")).to_string(), "a");
    }
}
