//! The two languages of the pages. A page holds both; its style sheet shows one, by the language of the root element.

use std::borrow::Cow;
use std::fmt;

use askama::filters::{Html, HtmlSafe, escape};

use crate::text::clean_lines;
use crate::words::Both;

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

/// Written into a template it is made harmless, escaped, and marked with the language where that matters.
impl HtmlSafe for Both {}

impl fmt::Display for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let safe = |text: &Cow<'static, str>| {
            let Ok(safe) = escape(clean_lines(text), Html);
            safe.to_string()
        };
        if self.en == self.pt {
            return f.write_str(&safe(&self.en));
        }
        write!(f, r#"<span lang="en">{}</span><span lang="pt">{}</span>"#, safe(&self.en), safe(&self.pt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_escaped_in_both_languages() {
        let both = Both::new("<b>", "<i>");
        let html = both.to_string();
        assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
        assert!(html.starts_with(r#"<span lang="en">"#) && html.contains(r#"<span lang="pt">"#), "{html}");
        assert_eq!(Both::same("a").to_string(), "a");
    }
}
