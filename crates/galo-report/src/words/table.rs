//! What a finding is called, what it means, and what to do: what is told of it without figures. Its own sentence, with the
//! figures, is made of the fact ([`super::fact`]).
//!
//! Names come from all over galo. A test of the command line, which knows all of them, holds that none is missing here and
//! none is here that nobody gives; of one that is unknown all the same, as of a newer galo's, the page tells the name.

use galo_words::Both;

/// One finding's words.
pub(crate) struct FindingWords {
    pub(crate) name: &'static str,
    /// What was seen, in a few words; lower case, without a full stop. True of a broken rule and of a mere note alike.
    pub(crate) headline: Both,
    /// In Portuguese: what it means, beside what its sentence says. Empty of a broken rule of a challenge, whose sentence
    /// says the rule.
    pub(crate) means: &'static str,
    /// In Portuguese: the rule of a challenge. In English the challenge says it.
    pub(crate) rule: Option<&'static str>,
    /// What to do, where anything can be done. The English of some has figures, and is made of the fact.
    pub(crate) remedy: Option<Both>,
}

/// `name: headline, its Portuguese; meaning => remedy, its Portuguese;` or `name: headline, its Portuguese; rule text;`.
macro_rules! findings {
    (@remedy) => { None };
    (@remedy $pt:literal) => { Some(Both::word("", $pt)) };
    (@remedy $en:literal, $pt:literal) => { Some(Both::word($en, $pt)) };
    (@means rule $rule:literal) => { "" };
    (@means $means:literal) => { $means };
    (@rule rule $rule:literal) => { Some($rule) };
    (@rule $means:literal) => { None };
    ($($name:literal: $en:literal, $pt:literal; $($kind:ident)? $means:literal $(=> $($remedy:literal),+)?;)*) => {
        pub(super) const ALL: &[FindingWords] = &[$(FindingWords {
            name: $name,
            headline: Both::word($en, $pt),
            means: findings!(@means $($kind)? $means),
            rule: findings!(@rule $($kind)? $means),
            remedy: findings!(@remedy $($($remedy),+)?),
        }),*];
    };
}

mod causes;
mod others;
mod pessoas;
mod rules;

fn all() -> impl Iterator<Item = &'static FindingWords> {
    [causes::ALL, rules::ALL, others::ALL, pessoas::ALL].into_iter().flatten()
}

/// Names of all rules of challenges that have words.
pub fn rule_names() -> impl Iterator<Item = &'static str> {
    all().filter(|words| words.rule.is_some()).map(|words| words.name)
}

/// All names that have words.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|words| words.name)
}

/// The words for a finding of this name.
pub(crate) fn finding_words(name: &str) -> Option<&'static FindingWords> {
    all().find(|words| words.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use galo_judge::causes::CAUSES;

    use super::*;

    #[test]
    fn every_finding_has_one_entry_and_all_of_its_words() {
        let mut seen = HashSet::new();
        for FindingWords { name, headline: Both { en, pt }, means, rule, remedy } in all() {
            assert!(seen.insert(name), "{name} is there twice");
            assert!(!en.is_empty() && !pt.is_empty() && en != pt, "{name}: {en}, {pt}");
            assert!(!en.ends_with('.') && !pt.ends_with('.'), "{name}: a headline has no full stop");
            assert_eq!(means.is_empty(), rule.is_some(), "{name}");
            for told in [*means].into_iter().chain(remedy.iter().map(|remedy| &*remedy.pt)) {
                assert!(told.is_empty() || told.ends_with('.'), "{name}: {told}");
            }
        }
    }

    #[test]
    fn a_cause_is_called_as_its_page_is() {
        let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings");
        for name in CAUSES {
            let page = std::fs::read_to_string(pages.join(format!("{name}.md"))).unwrap();
            let headline = &finding_words(name).unwrap().headline.en;
            assert_eq!(page.lines().next(), Some(format!("# `{name}`: {headline}").as_str()));
        }
    }

    #[test]
    fn causes_and_rules_of_the_judge_come_with_what_to_do() {
        let others = galo_judge::names::OTHERS;
        for name in galo_judge::names::all().filter(|name| !others.contains(name)) {
            assert!(finding_words(name).is_some_and(|words| words.remedy.is_some()), "{name}");
        }
    }
}
