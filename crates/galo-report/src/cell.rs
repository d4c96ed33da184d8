//! What stands in one place of a table.

use std::borrow::Cow;

use galo_words::{Both, Figure, Lang};

/// What stands where something was not seen.
pub(crate) const UNSEEN: &str = "-";

/// What stands in one place of a table. A figure stays a number until a renderer's language writes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    /// There is nothing to tell.
    Nothing,
    /// It could have been seen, and was not.
    Unseen,
    Figure(Figure),
    Words(Both),
    /// A name, with the folder of its page below that of this one.
    Named(Both, String),
}

impl Cell {
    /// As a language writes it.
    pub(crate) fn write(&self, lang: Lang) -> Cow<'_, str> {
        match self {
            Self::Nothing => "".into(),
            Self::Unseen => UNSEEN.into(),
            Self::Figure(figure) => figure.write(lang).into(),
            Self::Words(words) => words.get(lang).into(),
            Self::Named(name, _) => name.get(lang).into(),
        }
    }

    /// What a figure is sorted by.
    pub(crate) const fn key(&self) -> Option<f64> {
        match self {
            Self::Figure(figure) => Some(figure.value()),
            Self::Nothing | Self::Unseen | Self::Words(_) | Self::Named(..) => None,
        }
    }

    /// The folder of the page that it names.
    pub(crate) fn page(&self) -> Option<&str> {
        match self {
            Self::Named(_, page) => Some(page),
            Self::Nothing | Self::Unseen | Self::Figure(_) | Self::Words(_) => None,
        }
    }

    /// The figure of a contender that is out, in brackets.
    pub(crate) fn bracketed(self) -> Self {
        match self {
            Self::Nothing | Self::Unseen => self,
            _ => Both::same("[").then(&self.both()).then(&Both::same("]")).into(),
        }
    }

    /// In both languages.
    pub(crate) fn both(&self) -> Both {
        Both::each(|lang| self.write(lang).into_owned())
    }
}

impl From<Figure> for Cell {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Figure(Figure::Count(number))
    }
}

impl From<Both> for Cell {
    fn from(words: Both) -> Self {
        Self::Words(words)
    }
}

impl From<String> for Cell {
    fn from(name: String) -> Self {
        Self::Words(Both::same(name))
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    /// Figures that were not seen are told as unseen.
    fn from(seen: Option<T>) -> Self {
        seen.map_or(Self::Unseen, Into::into)
    }
}
