//! Findings, and the rules that were broken, with the requests that show it.

use galo_judge::Standing;
use galo_plan::Blame;
use galo_record::finding::Weight;

use super::lang::{self, Both, finding_words};
use crate::conformance::{BrokenCaseReport, ConformanceReport};
use crate::findings::{FindingGroup, groups};
use crate::report::{Report, RoundReport};
use crate::text::{clean, clean_lines};
use crate::words::{FindingWords, Told, percent};

/// A finding with its evidence.
pub(crate) struct FindingView {
    /// What links to it: the finding's name, and a number where several bear it.
    pub(crate) id: String,
    pub(crate) weight: Weight,
    pub(crate) name: String,
    /// What it is called, and what it means and what to do in Portuguese; `None` of an unknown name.
    pub(crate) words: Option<&'static FindingWords>,
    /// The contender who is to blame, if one is.
    pub(crate) contender: Option<String>,
    /// Names of the contenders in whose rounds it was made, of those rounds that count.
    pub(crate) held_back: Vec<String>,
    pub(crate) blame: Both,
    pub(crate) how_often: Option<Both>,
    /// Of a cause: how much of the trouble it explains.
    pub(crate) explains: Option<Both>,
    pub(crate) text: Both,
    pub(crate) evidence: Vec<Both>,
    /// What to do.
    pub(crate) remedy: Option<Both>,
    /// Whether it is a broken rule, whose requests have a section of their own.
    pub(crate) is_rule: bool,
}

/// All findings, ranked: the order is [`groups`]', here as in the terminal.
pub(crate) fn findings(report: &Report) -> Vec<FindingView> {
    let groups = groups(report);
    let view = |(index, group): (usize, &FindingGroup<'_>)| {
        let before = groups[..index].iter().filter(|g| g.finding.name == group.finding.name).count();
        FindingView::new(group, report, before)
    };
    groups.iter().enumerate().map(view).collect()
}

impl FindingView {
    fn new(group: &FindingGroup<'_>, report: &Report, before: usize) -> Self {
        let of = (group.finding.blame == Blame::Contender).then(|| group.contender.to_owned());
        let how_often = (report.rounds.len() > 1).then(|| how_often(group));
        let finding = group.finding;
        let told = Found {
            name: &finding.name,
            weight: finding.weight,
            blame: finding.blame,
            told: &finding.told,
            explains: group.explained(),
        };
        let counts = |round: &&RoundReport| {
            group.rounds.contains(&round.number) && !matches!(round.standing, Standing::Void { .. })
        };
        let held_back = report.rounds.iter().filter(counts).map(|round| round.contender.clone()).collect();
        Self { held_back, ..Self::of(&told, of, how_often, before) }
    }

    /// `contender` is the one to blame, `before` the number of findings before it that bear the same name.
    pub(crate) fn of(
        found: &Found<'_>,
        contender: Option<String>,
        how_often: Option<Both>,
        before: usize,
    ) -> Self {
        Self {
            id: identifier(found.name, before),
            weight: found.weight,
            name: clean(found.name),
            words: finding_words(found.name),
            blame: match (found.blame, &contender) {
                (Blame::Client, _) => lang::GALO_IS_TO_BLAME,
                (Blame::Host, _) => lang::THE_MACHINE_IS_TO_BLAME,
                (Blame::Contender, name) => Both::same(clean(name.as_deref().unwrap_or_default())),
            },
            held_back: contender.iter().cloned().collect(),
            contender,
            how_often,
            explains: found.explains.map(explains),
            text: found.told.text.map(clean),
            evidence: found.told.evidence.iter().map(|piece| piece.map(clean_lines)).collect(),
            remedy: found.told.remedy.as_ref().map(|remedy| remedy.map(clean)),
            is_rule: found.weight == Weight::Must,
        }
    }

    /// What was seen, in a few words.
    pub(crate) fn title(&self) -> Both {
        self.words.map_or_else(|| Both::same(self.name.clone()), |words| words.headline.clone())
    }

    /// What it means beside that, in Portuguese.
    pub(crate) fn means(&self) -> Option<&'static str> {
        self.words.map(|words| words.means).filter(|means| !means.is_empty())
    }

    /// Its weight as the style sheet names it.
    pub(crate) const fn class(&self) -> &'static str {
        match self.weight {
            Weight::Must => "must",
            Weight::Should => "should",
            Weight::Note => "note",
        }
    }

    pub(crate) const fn weight_word(&self) -> Both {
        match self.weight {
            Weight::Must => lang::MUST,
            Weight::Should => lang::SHOULD,
            Weight::Note => lang::NOTE,
        }
    }
}

/// What a finding says, be it a fight's or a duel's.
pub(crate) struct Found<'a> {
    pub(crate) name: &'a str,
    pub(crate) weight: Weight,
    pub(crate) blame: Blame,
    pub(crate) told: &'a Told,
    /// The share of the trouble that it explains; `None`: it is no cause.
    pub(crate) explains: Option<f64>,
}

fn how_often(group: &FindingGroup<'_>) -> Both {
    let (made, of) = (group.rounds.len(), group.of);
    if of == 1 {
        return lang::IN_ITS_ROUND;
    }
    Both::new(format!("in {made} of {of} rounds"), format!("em {made} de {of} rodadas"))
}

fn explains(share: f64) -> Both {
    let percent = Both::figure(percent(share));
    Both::new(
        format!("explains {} of the waiting of slow and failed operations", percent.en),
        format!("explica {} da espera das operações lentas e falhas", percent.pt),
    )
}

/// The name as far as it can stand in an address without being written otherwise.
fn identifier(name: &str, before: usize) -> String {
    let kept: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' }).collect();
    match before {
        0 => format!("finding-{kept}"),
        more => format!("finding-{kept}-{}", more + 1),
    }
}

/// What came of the cases of one round.
pub(crate) struct ConformanceView {
    pub(crate) text: Both,
    pub(crate) broken: Vec<BrokenView>,
}

/// A rule that a case found broken.
pub(crate) struct BrokenView {
    pub(crate) weight: &'static str,
    pub(crate) head: Both,
    /// What was seen, in Portuguese.
    pub(crate) in_portuguese: Option<&'static str>,
    pub(crate) difference: Both,
    pub(crate) request: String,
    pub(crate) before: String,
    pub(crate) answer: String,
}

/// What came of the cases, where any were asked.
pub(crate) fn conformance(report: &Report) -> Vec<ConformanceView> {
    let view = |round: &RoundReport, conformance: &ConformanceReport| ConformanceView {
        text: {
            let (contender, number) = (&round.contender, round.number);
            let of = Both::new(
                format!("{contender}, round {number}: "),
                format!("{contender}, rodada {number}: "),
            );
            of.then(&conformance.told).map(clean)
        },
        broken: broken_views(conformance),
    };
    report.rounds.iter().filter_map(|round| Some(view(round, round.conformance.as_ref()?))).collect()
}

/// What disqualifies first, then advice.
fn broken_views(of: &ConformanceReport) -> Vec<BrokenView> {
    let must =
        of.broken.iter().map(|broken| broken_case("must", &Both::told(|lang| broken.head(of, lang)), broken));
    let should = of
        .advice
        .iter()
        .map(|advice| broken_case("should", &Both::told(|lang| advice.head(of, lang)), &advice.example));
    must.chain(should).collect()
}

fn broken_case(weight: &'static str, head: &Both, broken: &BrokenCaseReport) -> BrokenView {
    BrokenView {
        weight,
        head: head.map(clean),
        in_portuguese: finding_words(&broken.rule).map(|words| &*words.headline.pt),
        difference: Both::told(|lang| clean(&broken.difference(lang))),
        request: clean(&broken.request),
        before: clean_lines(&broken.before.join("\n")),
        answer: clean_lines(&broken.answer),
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
