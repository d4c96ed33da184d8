//! Texts in both languages at once.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::{Figure, Lang};

/// One text in both languages. JSON has the English of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Both {
    /// The English text.
    pub en: Cow<'static, str>,
    /// The Portuguese text.
    pub pt: Cow<'static, str>,
}

impl Both {
    /// Words that stand by themselves.
    pub const fn word(en: &'static str, pt: &'static str) -> Self {
        Self { en: Cow::Borrowed(en), pt: Cow::Borrowed(pt) }
    }

    /// Sentences that were made already.
    pub fn new(en: impl Into<Cow<'static, str>>, pt: impl Into<Cow<'static, str>>) -> Self {
        Self { en: en.into(), pt: pt.into() }
    }

    /// What `tell` says in each language.
    pub fn each(tell: impl Fn(Lang) -> String) -> Self {
        Self::new(tell(Lang::En), tell(Lang::Pt))
    }

    /// A text that no language changes: a name, an identifier.
    pub fn same(text: impl Into<Cow<'static, str>>) -> Self {
        let en = text.into();
        Self { pt: en.clone(), en }
    }

    /// A figure as each language writes it.
    pub fn figure(figure: impl Into<Figure>) -> Self {
        let figure = figure.into();
        Self::each(|lang| figure.write(lang))
    }

    /// The text in one language.
    pub fn get(&self, lang: Lang) -> &str {
        lang.pick(&self.en, &self.pt)
    }

    /// This text and the next one behind it.
    pub fn then(self, next: &Self) -> Self {
        Self::new(self.en.into_owned() + &next.en, self.pt.into_owned() + &next.pt)
    }

    /// As JSON holds it for the script: `[en, pt]`.
    pub fn pair(&self) -> [String; 2] {
        [self.en.to_string(), self.pt.to_string()]
    }
}

impl Serialize for Both {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.en)
    }
}
