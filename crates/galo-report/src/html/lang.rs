//! The two languages of the pages. A page holds both; its style sheet shows one, by the language of the root element.

mod findings;
mod held_back;
mod sentence;
mod words;

use std::borrow::Cow;
use std::fmt;

use askama::filters::{Html, HtmlSafe, escape};

pub use findings::finding_names;
pub(crate) use findings::{FindingWords, finding_words};
pub(crate) use held_back::{bottleneck, held_back};
pub(crate) use sentence::{
    conformance_sentence, duel_figure, duel_sentence, level, measure, measure_label, verdict_sentence,
};
pub(crate) use words::{CHART_WORDS, *};

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

/// The same in both languages. Written into a template it is escaped, and marked with the language where that matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Both {
    pub(crate) en: Cow<'static, str>,
    pub(crate) pt: Cow<'static, str>,
}

impl Both {
    pub(crate) const fn word(en: &'static str, pt: &'static str) -> Self {
        Self { en: Cow::Borrowed(en), pt: Cow::Borrowed(pt) }
    }

    pub(crate) fn new(en: impl Into<Cow<'static, str>>, pt: impl Into<Cow<'static, str>>) -> Self {
        Self { en: en.into(), pt: pt.into() }
    }

    /// What no language changes: names, identifiers.
    pub(crate) fn same(text: impl Into<Cow<'static, str>>) -> Self {
        let en = text.into();
        Self { pt: en.clone(), en }
    }

    /// A figure written in English: Portuguese writes `1.234,5` where English writes `1,234.5`.
    pub(crate) fn figure(text: impl Into<Cow<'static, str>>) -> Self {
        let en = text.into();
        Self { pt: with_decimal_commas(&en).into(), en }
    }

    /// One after the other.
    pub(crate) fn then(self, next: &Self) -> Self {
        Self::new(self.en.into_owned() + &next.en, self.pt.into_owned() + &next.pt)
    }

    /// As JSON holds it for the script: `[en, pt]`.
    pub(crate) fn pair(&self) -> [String; 2] {
        [self.en.to_string(), self.pt.to_string()]
    }
}

impl HtmlSafe for Both {}

impl fmt::Display for Both {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let safe = |text: &Cow<'static, str>| {
            let Ok(safe) = escape(text.as_ref(), Html);
            safe.to_string()
        };
        if self.en == self.pt {
            return f.write_str(&safe(&self.en));
        }
        write!(f, r#"<span lang="en">{}</span><span lang="pt">{}</span>"#, safe(&self.en), safe(&self.pt))
    }
}

/// Points and commas between digits, swapped.
fn with_decimal_commas(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
    let swapped = chars.iter().enumerate().map(|(at, &c)| match c {
        '.' | ',' if digit(at.checked_sub(1)) && digit(Some(at + 1)) => {
            if c == '.' {
                ','
            } else {
                '.'
            }
        }
        c => c,
    });
    swapped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_take_the_signs_of_their_language() {
        assert_eq!(Both::figure("1,234.5 ms").pt, "1.234,5 ms");
        assert_eq!(Both::figure("0.71, or so.").pt, "0,71, or so.");
        assert_eq!(Both::figure("p99").pt, "p99");
    }

    #[test]
    fn what_is_written_is_escaped_in_both_languages() {
        let both = Both::new("<b>", "<i>");
        let html = both.to_string();
        assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
        assert!(html.starts_with(r#"<span lang="en">"#) && html.contains(r#"<span lang="pt">"#), "{html}");
        assert_eq!(Both::same("a").to_string(), "a");
    }
}
