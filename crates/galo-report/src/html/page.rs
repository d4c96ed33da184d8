//! The page as its template sees it: text that is ready to be written.

use askama::Template;
use galo_judge::{Standing, Verdict};
use galo_record::finding::Weight;

use super::HtmlError;
use super::card::Card;
use super::charts::{Charts, Figure, Shown};
use super::tables::{self, Distribution, Table};
use crate::conformance::{BrokenCaseReport, ConformanceReport};
use crate::findings::{groups, untold_void_rounds};
use crate::report::{Report, RoundReport};
use crate::series::RoundSeries;
use crate::terminal::{limits_warning, subject};
use crate::text::{clean, clean_lines};

/// The whole page.
#[derive(Template)]
#[template(path = "report.html")]
pub(crate) struct Page {
    style: &'static str,
    script: &'static str,
    title: String,
    warning: Option<String>,
    verdict: String,
    verdict_class: &'static str,
    subject: String,
    card: Card,
    shown: String,
    over_time: Vec<Figure>,
    percentiles: Option<Figure>,
    percentile_table: Table,
    distributions: Vec<Distribution>,
    resources: Vec<Resources>,
    service_table: Table,
    findings: Vec<FindingView>,
    void_rounds: Vec<String>,
    conformance: Vec<ConformanceView>,
    ledgers: Table,
    engine: Table,
    steps: Vec<Table>,
    facts: Vec<(String, String)>,
    command: String,
    values: String,
}

/// CPU and memory of one contender.
struct Resources {
    name: String,
    cpu: Vec<Figure>,
    memory: Vec<Figure>,
}

/// A finding with its evidence.
struct FindingView {
    weight: &'static str,
    who: String,
    name: String,
    how_often: String,
    text: String,
    evidence: Vec<String>,
    hint: Option<String>,
}

/// What came of the cases of one round.
struct ConformanceView {
    text: String,
    broken: Vec<BrokenView>,
}

/// A rule that a case found broken.
struct BrokenView {
    weight: &'static str,
    head: String,
    difference: String,
    request: String,
    before: String,
    answer: String,
}

impl Page {
    pub(crate) fn new(report: &Report, series: &[RoundSeries]) -> Result<Self, HtmlError> {
        let shown: Vec<(usize, &RoundReport, &RoundSeries)> = shown(report, series);
        let rounds: Vec<&RoundReport> = shown.iter().map(|(_, round, _)| *round).collect();
        let drawn: Vec<Shown<'_>> =
            shown.iter().filter(|(_, _, s)| !s.is_empty()).map(|(i, _, s)| (*i, *s)).collect();
        let mut charts = Charts::default();
        let (over_time, percentiles) = if drawn.is_empty() {
            (Vec::new(), None)
        } else {
            (vec![charts.latency(&drawn), charts.throughput(&drawn)], Some(charts.percentiles(&drawn)))
        };
        let resources = drawn
            .iter()
            .filter(|(_, s)| !s.services.is_empty())
            .map(|(contender, s)| Resources {
                name: clean(&s.contender),
                cpu: charts.cpu(*contender, s),
                memory: charts.memory(*contender, s),
            })
            .collect();
        Ok(Self {
            style: include_str!("../../templates/style.css"),
            script: include_str!("../../templates/cursor.js"),
            title: title(report),
            warning: limits_warning(report),
            verdict: clean(&report.verdict.text),
            verdict_class: verdict_class(&report.verdict.outcome),
            subject: clean(&subject(report)),
            card: Card::new(report),
            shown: told_rounds(&rounds),
            over_time,
            percentiles,
            percentile_table: tables::percentiles(&rounds),
            distributions: tables::distributions(&rounds),
            resources,
            service_table: tables::services(&rounds),
            findings: findings(report),
            void_rounds: untold_void_rounds(report).iter().map(|text| clean(text)).collect(),
            conformance: conformance(report),
            ledgers: tables::ledgers(report),
            engine: tables::engine(report),
            steps: rounds.iter().map(|round| tables::steps(round)).collect(),
            facts: tables::facts(report),
            command: clean(&shell_line(&report.command)),
            values: embedded(&charts)?,
        })
    }
}

/// By contender: the round that stands for it, the first valid one or else the first that was driven.
fn shown<'a>(
    report: &'a Report,
    series: &'a [RoundSeries],
) -> Vec<(usize, &'a RoundReport, &'a RoundSeries)> {
    let rank = |round: &RoundReport| match round.standing {
        Standing::Valid => 0,
        Standing::Disqualified { .. } => 1,
        Standing::Void { .. } => 2,
        Standing::NotReady { .. } => 3,
    };
    report
        .contenders
        .iter()
        .enumerate()
        .filter_map(|(index, contender)| {
            let own = report.rounds.iter().filter(|r| r.contender == contender.name);
            let round = own.min_by_key(|r| rank(r))?;
            let series = series.iter().find(|s| s.number == round.number)?;
            Some((index, round, series))
        })
        .collect()
}

fn told_rounds(rounds: &[&RoundReport]) -> String {
    let rounds: Vec<_> =
        rounds.iter().map(|r| format!("round {} of {}", r.number, clean(&r.contender))).collect();
    rounds.join(" and ")
}

fn title(report: &Report) -> String {
    let names: Vec<_> = report.contenders.iter().map(|c| clean(&c.name)).collect();
    format!("{}: {}", clean(&report.challenge), names.join(" against "))
}

const fn verdict_class(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Better { .. } => "decided",
        Verdict::Disqualified { .. } | Verdict::NotReady { .. } => "broken",
        Verdict::Void { .. } => "void",
        _ => "open",
    }
}

fn findings(report: &Report) -> Vec<FindingView> {
    let view = |group: &crate::findings::FindingGroup<'_>| FindingView {
        weight: group.weight(),
        who: clean(group.who()),
        name: clean(&group.finding.name),
        how_often: group.how_often(),
        text: clean(&group.finding.text),
        evidence: group.finding.evidence.iter().map(|e| clean_lines(e)).collect(),
        hint: group.finding.hint.as_deref().map(|h| clean(h.trim_start_matches("hint: "))),
    };
    groups(report).iter().map(view).collect()
}

fn conformance(report: &Report) -> Vec<ConformanceView> {
    let view = |round: &RoundReport, conformance: &ConformanceReport| ConformanceView {
        text: clean(&format!("{}, round {}: {}", round.contender, round.number, conformance.text)),
        broken: conformance.broken.iter().map(|broken| broken_case(broken, conformance)).collect(),
    };
    report.rounds.iter().filter_map(|round| Some(view(round, round.conformance.as_ref()?))).collect()
}

fn broken_case(broken: &BrokenCaseReport, of: &ConformanceReport) -> BrokenView {
    BrokenView {
        weight: if broken.weight == Weight::Must { "must" } else { "should" },
        head: clean(&broken.head(of)),
        difference: clean(&broken.difference()),
        request: clean(&broken.request),
        before: clean_lines(&broken.before.join("\n")),
        answer: clean_lines(&broken.answer),
    }
}

/// A command line that a POSIX shell reads back as the same words.
fn shell_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    let quote = |word: &String| {
        if !word.is_empty() && word.chars().all(plain) {
            return word.clone();
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// The charts' values as JSON that may stand in a `script` element: without `<` nothing can end it.
fn embedded(charts: &Charts) -> Result<String, HtmlError> {
    Ok(serde_json::to_string(&charts.values)?.replace('<', "\\u003c"))
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
