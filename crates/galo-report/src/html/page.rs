//! The page of a fight or a check as its template sees it: text that is ready to be written.

use askama::Template;
use galo_judge::{Standing, Verdict};

use super::HtmlError;
use super::card::Card;
use super::cpu::{self, CpuBar};
use super::data::ChartData;
use super::frame::{Frame, Opening};
use super::glance;
use super::lang::{self, Both, Language};
use super::tables::{self, Distribution, Table};
use super::why::{self, ConformanceView, FindingView};
use crate::report::{ContenderReport, Report, RoundReport};
use crate::series::RoundSeries;
use crate::text::clean;
use crate::words;

/// The whole page.
#[derive(Template)]
#[template(path = "report.html")]
pub(crate) struct Page {
    frame: Frame,
    card: Card,
    findings: Vec<FindingView>,
    has_charts: bool,
    percentile_table: Table,
    distributions: Vec<Distribution>,
    cpu_bars: Vec<CpuBar>,
    cpu_table: Table,
    service_table: Table,
    conformance: Vec<ConformanceView>,
    /// Whether no rule was broken, by a finding or by a case.
    is_clean: bool,
    ledgers: Table,
    steps: Vec<Table>,
    engine: Table,
    facts: Vec<(Both, Both)>,
    command: String,
}

impl Page {
    pub(crate) fn new(
        report: &Report,
        series: &[RoundSeries],
        language: Language,
    ) -> Result<Self, HtmlError> {
        let rounds = representatives(report);
        let data = ChartData::of_fight(report, series, &drawn_at_first(report, &rounds));
        let findings = why::findings(report);
        let conformance = why::conformance(report);
        let is_clean =
            !findings.iter().any(|f| f.is_rule) && conformance.iter().all(|round| round.broken.is_empty());
        let opening = opening(report, &findings, !data.is_empty());
        Ok(Self {
            has_charts: !data.is_empty(),
            frame: Frame::new(opening, &data, language)?,
            card: Card::new(report),
            percentile_table: tables::percentiles(&rounds),
            distributions: rounds.iter().map(|round| tables::distribution(round)).collect(),
            cpu_bars: cpu::bars(report),
            cpu_table: cpu::table(report),
            service_table: cpu::services(&rounds),
            ledgers: tables::ledgers(report),
            steps: rounds.iter().map(|round| tables::steps(round)).collect(),
            engine: tables::engine(report),
            facts: tables::facts(report),
            command: clean(&shell_line(&report.command)),
            findings,
            conformance,
            is_clean,
        })
    }
}

fn opening(report: &Report, findings: &[FindingView], has_charts: bool) -> Opening {
    let mut sections = vec![("score", lang::SCORE), ("why", lang::WHY)];
    sections.extend(has_charts.then_some(("time", lang::OVER_TIME)));
    sections.extend([
        ("latency", lang::PERCENTILES),
        ("distribution", lang::DISTRIBUTION),
        ("cpu", lang::WHERE_THE_CPU_WENT),
        ("rules", lang::BROKEN_RULES),
        ("ledger", lang::LEDGER),
        ("again-title", lang::MACHINE_AND_PLAN),
    ]);
    let names: Vec<_> = report.contenders.iter().map(|c| clean(&c.name)).collect();
    Opening {
        title: format!("{} – {}", names.join(" × "), clean(&report.challenge)),
        warnings: warning(report).into_iter().collect(),
        verdict: report.verdict.told.map(clean),
        verdict_class: verdict_class(&report.verdict.outcome),
        glance: glance::of_fight(report, findings),
        subject: subject(report),
        sections,
    }
}

fn warning(report: &Report) -> Option<Both> {
    let note = clean(report.limits_note.as_deref().unwrap_or_default());
    (!report.limits_enforced).then(|| words::not_enforced(&note))
}

fn subject(report: &Report) -> Both {
    let void = report.rounds.iter().filter(|r| matches!(r.standing, Standing::Void { .. })).count();
    let (challenge, profile) = (clean(&report.challenge), clean(&report.profile));
    let (scale, seed, rounds) = (Both::figure(report.scale.to_string()), report.seed, report.rounds.len());
    let plural = if rounds == 1 { "" } else { "s" };
    let en =
        format!("{challenge}, profile {profile}, scale {}, seed {seed}, {rounds} round{plural}", scale.en);
    let pt = format!(
        "{challenge}, perfil {profile}, escala {}, semente {seed}, {rounds} rodada{plural}",
        scale.pt
    );
    match void {
        0 => Both::new(en, pt),
        void => Both::new(format!("{en}, {void} of them void"), format!("{pt}, {void} delas nulas")),
    }
}

/// The round that stands for each contender: the first valid one, or else the first that was driven.
fn representatives(report: &Report) -> Vec<&RoundReport> {
    let rank = |round: &RoundReport| match round.standing {
        Standing::Valid => 0,
        Standing::Disqualified { .. } => 1,
        Standing::Void { .. } => 2,
        Standing::NotReady { .. } => 3,
    };
    let of = |name: &String| report.rounds.iter().filter(|r| r.contender == *name).min_by_key(|r| rank(r));
    report.contenders.iter().filter_map(|contender| of(&contender.name)).collect()
}

/// By contender: the number of the round that is drawn at first. Where two are compared these two are, else the first two: more
/// would be a tangle, and the others can be chosen.
fn drawn_at_first(report: &Report, rounds: &[&RoundReport]) -> Vec<Option<u32>> {
    const AT_ONCE: usize = 2;
    let compared = report.comparisons.first().map(|c| &c.contenders);
    let mut drawn = 0;
    let number = |contender: &ContenderReport| {
        let round = rounds.iter().find(|round| round.contender == contender.name)?;
        let is_meant = compared.is_none_or(|two| two.contains(&contender.name)) && drawn < AT_ONCE;
        is_meant.then(|| {
            drawn += 1;
            round.number
        })
    };
    report.contenders.iter().map(number).collect()
}

const fn verdict_class(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Better { .. } => "decided",
        Verdict::Disqualified { .. } | Verdict::NotReady { .. } => "broken",
        Verdict::Void { .. } => "void",
        _ => "open",
    }
}

/// A command line that a POSIX shell reads back as the same words.
pub(crate) fn shell_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    let quote = |word: &String| {
        if !word.is_empty() && word.chars().all(plain) {
            return word.clone();
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_can_be_pasted_into_a_shell() {
        let words = ["galo", "fight", "my contender", "it's", "--scale=3", ""].map(str::to_owned);
        assert_eq!(shell_line(&words), r"galo fight 'my contender' 'it'\''s' --scale=3 ''");
    }
}
