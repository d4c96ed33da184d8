//! A finding: a fact with blame, remedy and evidence.

use galo_judge::findings::{Finding, Wording};
use galo_plan::Blame;
use galo_record::finding::Weight;
use galo_words::{Both, Figure};

use crate::text::clean;
use crate::words::labels;

/// A finding.
#[derive(Debug, Clone)]
pub(crate) struct ShownFinding {
    pub(crate) name: String,
    pub(crate) weight: Weight,
    pub(crate) blame: Blame,
    /// The contender, if it is to blame.
    pub(crate) contender: Option<String>,
    pub(crate) how_often: Option<Both>,
    /// What was seen, in a few words; `None`: it has no other name.
    pub(crate) headline: Option<Both>,
    /// What it means beside that, in Portuguese; may be empty.
    pub(crate) means: &'static str,
    pub(crate) told: Wording,
    /// The share of the trouble that it explains; `None`: it is no cause.
    pub(crate) explains: Option<f64>,
    /// Whether its requests have a place of their own further down.
    pub(crate) has_requests: bool,
}

impl ShownFinding {
    /// A finding of a run in which only this contender was driven.
    pub(crate) fn of(finding: &Finding, contender: &str) -> Self {
        let Finding { name, weight, blame, explains_milli, fact, .. } = finding;
        Self {
            name: name.clone(),
            weight: *weight,
            blame: *blame,
            contender: (*blame == Blame::Contender).then(|| contender.to_owned()),
            how_often: None,
            headline: fact.headline(),
            means: fact.kind().about().means,
            told: finding.wording(),
            explains: explains_milli.map(|milli| f64::from(milli) / 1e3),
            has_requests: false,
        }
    }

    /// Whether it is called otherwise than by its name.
    pub(super) fn is_known(&self) -> bool {
        self.headline.is_some()
    }

    /// What was seen, in a few words.
    pub(crate) fn title(&self) -> Both {
        self.headline.clone().unwrap_or_else(|| Both::same(clean(&self.name)))
    }

    /// What it means beside that, in Portuguese.
    pub(super) fn means(&self) -> Option<&'static str> {
        Some(self.means).filter(|means| !means.is_empty())
    }

    /// Who is to blame: a name, or a few words.
    pub(crate) fn blamed(&self) -> Both {
        match self.blame {
            Blame::Client => labels::GALO_IS_TO_BLAME,
            Blame::Host => labels::THE_MACHINE_IS_TO_BLAME,
            Blame::Contender => Both::same(self.contender.clone().unwrap_or_default()),
        }
    }

    /// How much of the trouble it explains.
    pub(super) fn explained(&self) -> Option<Both> {
        let percent = Both::figure(Figure::Share(self.explains?));
        Some(Both::new(
            format!("explains {} of the waiting of slow and failed operations", percent.en),
            format!("explica {} da espera das operações lentas e falhas", percent.pt),
        ))
    }
}

/// What links to it: the name as far as it can stand in an address, and a number where `before` bear the same.
pub(crate) fn identifier(name: &str, before: usize) -> String {
    let kept: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }).collect();
    match before {
        0 => format!("finding-{kept}"),
        more => format!("finding-{kept}-{}", more + 1),
    }
}

/// A weight as the style sheet names it.
pub(super) const fn class(weight: &Weight) -> &'static str {
    match weight {
        Weight::Must => "must",
        Weight::Should => "should",
        Weight::Note => "note",
    }
}

/// A weight for people.
pub(super) const fn word(weight: &Weight) -> Both {
    match weight {
        Weight::Must => labels::MUST,
        Weight::Should => labels::SHOULD,
        Weight::Note => labels::NOTE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_of_one_name_can_each_be_linked_to() {
        assert_eq!(identifier("search-misses", 0), "finding-search-misses");
        assert_eq!(identifier("search-misses", 1), "finding-search-misses-2");
        assert_eq!(identifier("\"><script>", 0), "finding----script-");
    }
}
