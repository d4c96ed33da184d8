//! Runs of the past: the ratio of each pair from run to run, and what changed meanwhile.
//!
//! A ratio is taken within its run, where both had the same machine at the same time. Figures of two runs are never divided by each
//! other.
//!
//! Its one key decision: a run on another machine, on other terms, or of other requests belongs to another line. So a step within a
//! line comes from one of the two that are compared, or from galo.

mod pairs;
mod terms;

#[cfg(test)]
mod tests;

use galo_plan::JsonSchema;
use galo_plan::knob::{self, Turn};
use galo_record::RunHeader;
use galo_record::duel::Level;
use serde::{Deserialize, Serialize};

use crate::judged::Judged;
use crate::measure::Measure;
use crate::pairing::Ratios;

use pairs::ComparedPair;
pub use terms::{Hardware, TrendTerms};

/// A run of the past, judged.
#[derive(Debug, Clone)]
pub struct PastRun {
    /// Its folder, as it is told.
    pub folder: String,
    /// How and where it was driven.
    pub header: RunHeader,
    /// The setting at which both sides were driven, of a scan of two commands; else empty. Another setting is another pair.
    pub setting: Vec<Turn>,
    /// Digest of what it sent; `None`: not recorded.
    pub sent_sha256: Option<String>,
    /// What it came to.
    pub judged: Judged,
}

/// Ratios over the runs of the past.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "trend")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedTrend {
    /// Runs that have a ratio, the oldest first.
    pub runs: Vec<TrendRun>,
    /// Each pair that was compared, in the order of their first runs.
    pub pairs: Vec<TrendPair>,
    /// Folders that have no ratio, by reason.
    pub left_out: Vec<LeftOut>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrendRun {
    /// Its folder.
    pub folder: String,
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
}

/// A folder without a ratio.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Which.
    pub folder: String,
    /// Why it has none.
    pub why: WhyLeftOut,
}

/// Why a folder has no ratio, the gravest reason first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhyLeftOut {
    /// It cannot be read; the error.
    Unreadable(String),
    /// The run is not over.
    Unfinished,
    /// galo or its machine spoiled it.
    Void,
    /// One of the two broke a rule, failed or did not do the same, so their figures say nothing.
    NoGround,
    /// It was over before both had a figure.
    NoFigure,
    /// It compares no two: a check, a limit, a soak, or a fight of one.
    ComparesNone,
    /// Neither it nor a folder below it is a run.
    NoRun,
}

/// Two that are compared by one request, or in one challenge. A ratio is the head divided by the base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendPair {
    /// What a duel sends, with the setting if it is of a scan of two commands; or the name of a fight's challenge.
    pub subject: String,
    /// The dividend: a duel's second side, or a contender.
    pub head: String,
    /// The divisor: a duel's first side, or the contender that the head is compared with.
    pub base: String,
    /// Where, on which terms and by which requests it was compared. Points of two lines must not be joined.
    pub lines: Vec<TrendLine>,
    /// One for each run of the pair, the oldest first.
    pub points: Vec<TrendPoint>,
}

/// What all points of a line have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendLine {
    /// The machine.
    pub hardware: Hardware,
    /// The terms.
    pub terms: TrendTerms,
    /// SHA-256 in hex of what a duel sends, values of secrets left out; null: not recorded, as of fights and by older galos.
    #[serde(default)]
    pub sent_sha256: Option<String>,
}

/// A pair in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendPoint {
    /// Its run, from 0.
    pub run: usize,
    /// Its line, from 0.
    pub line: usize,
    /// Which version of the head it was; null: not recorded.
    pub head: Option<Version>,
    /// Which version of the base it was; null: not recorded.
    pub base: Option<Version>,
    /// What is not as it was in the pair's run before.
    pub changed: Vec<Change>,
    /// Its ratios, the primary one first.
    pub figures: Vec<TrendFigure>,
}

/// Which version of a side, or of a contender, a run had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Version {
    /// The commit that a duel's side is of.
    Commit(String),
    /// SHA-256 of a contender's Compose file, in hex.
    FileSha256(String),
}

/// Something that may change from one run to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The machine, so the point is on another line.
    Machine,
    /// The terms, so the point is on another line.
    Terms,
    /// What a duel sends, so the point is on another line.
    Requests,
    /// The head's version.
    Head,
    /// The base's version.
    Base,
    /// galo's version.
    Galo,
    /// The system, its kernel or its control groups.
    System,
    /// Kernel settings, or the clock source.
    Settings,
}

/// One ratio of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendFigure {
    /// The figure that is compared.
    pub measure: Measure,
    /// At which level of a duel; null: of a fight.
    pub level: Option<Level>,
    /// Whether it may make a winner.
    pub decides: bool,
    /// The head's figure.
    pub head: Option<f64>,
    /// The base's figure.
    pub base: Option<f64>,
    /// The ratio as the run judged it. The difference is seen from the head.
    #[serde(flatten)]
    pub ratios: Ratios,
}

impl JudgedTrend {
    /// Joins runs in any order. `left_out`: folders that could not be judged.
    pub fn from_runs(mut runs: Vec<PastRun>, left_out: Vec<LeftOut>) -> Self {
        let when = |run: &PastRun| (run.header.started.clone(), run.folder.clone());
        runs.sort_by_cached_key(when);
        let mut trend = Self { runs: Vec::new(), pairs: Vec::new(), left_out };
        runs.into_iter().for_each(|run| trend.add(run));
        trend.left_out.sort_by(|a, b| (&a.why, &a.folder).cmp(&(&b.why, &b.folder)));
        trend
    }

    fn add(&mut self, PastRun { folder, header, setting, sent_sha256, judged }: PastRun) {
        match pairs::compared_pairs(&judged) {
            Err(why) => self.left_out.push(LeftOut { folder, why }),
            Ok(mut pairs) => {
                if !setting.is_empty() {
                    pairs.iter_mut().for_each(|pair| pair.subject += &format!(", {}", knob::told(&setting)));
                }
                self.runs.push(TrendRun { folder, header });
                pairs.into_iter().for_each(|pair| self.add_point(pair, sent_sha256.clone()));
            }
        }
    }

    /// Adds what the newest run says of a pair.
    fn add_point(&mut self, compared: ComparedPair, sent_sha256: Option<String>) {
        let ComparedPair { subject, names: [head, base], versions, terms, figures } = compared;
        let run = self.runs.len() - 1;
        let header = &self.runs[run].header;
        let is_it = |pair: &TrendPair| pair.subject == subject && pair.head == head && pair.base == base;
        let known = self.pairs.iter().position(is_it);
        let index = known.unwrap_or(self.pairs.len());
        if known.is_none() {
            self.pairs.push(TrendPair { subject, head, base, lines: Vec::new(), points: Vec::new() });
        }
        let pair = &mut self.pairs[index];
        let own = TrendLine { hardware: Hardware::of_machine(&header.machine), terms, sent_sha256 };
        let [head, base] = versions;
        let changed = pair.points.last().map_or_else(Vec::new, |last| {
            let before = &self.runs[last.run].header;
            let versions = [last.head != head, last.base != base];
            changes([&pair.lines[last.line], &own], versions, [before, header])
        });
        let line = pair.lines.iter().position(|line| line.is_same(&own)).unwrap_or(pair.lines.len());
        match pair.lines.get_mut(line) {
            // What older runs sent is taken to be what the first does that tells.
            Some(known) => known.sent_sha256 = known.sent_sha256.take().or(own.sent_sha256),
            None => pair.lines.push(own),
        }
        pair.points.push(TrendPoint { run, line, head, base, changed, figures });
    }
}

impl TrendLine {
    fn is_same(&self, other: &Self) -> bool {
        self.hardware.is_same(&other.hardware) && self.terms == other.terms && self.sends_same(other)
    }

    /// Where one of two does not tell what it sent, nothing says that it was something else.
    fn sends_same(&self, other: &Self) -> bool {
        let [one, other] = [self, other].map(|line| line.sent_sha256.as_ref());
        one.is_none() || other.is_none() || one == other
    }
}

impl TrendPair {
    /// The points of a line, the oldest first.
    pub fn points_on(&self, line: usize) -> impl Iterator<Item = &TrendPoint> {
        self.points.iter().filter(move |point| point.line == line)
    }
}

impl TrendPoint {
    /// Its ratio of one figure.
    pub fn figure(&self, measure: Measure, level: Option<Level>) -> Option<&TrendFigure> {
        self.figures.iter().find(|figure| figure.measure == measure && figure.level == level)
    }
}

impl Version {
    /// The commit or the digest.
    pub fn id(&self) -> &str {
        match self {
            Self::Commit(id) | Self::FileSha256(id) => id,
        }
    }
}

/// What differs between two runs of a pair, the earlier one first. `versions`: whether head and base do.
fn changes(
    [before, now]: [&TrendLine; 2],
    [head, base]: [bool; 2],
    [earlier, later]: [&RunHeader; 2],
) -> Vec<Change> {
    let [old, new] = [&earlier.machine, &later.machine];
    let all = [
        (Change::Machine, !before.hardware.is_same(&now.hardware)),
        (Change::Terms, before.terms != now.terms),
        (Change::Requests, !before.sends_same(now)),
        (Change::Head, head),
        (Change::Base, base),
        (Change::Galo, earlier.galo != later.galo),
        (
            Change::System,
            (&old.system, &old.kernel, &old.cgroups) != (&new.system, &new.kernel, &new.cgroups),
        ),
        (Change::Settings, (&old.settings, &old.clock_source) != (&new.settings, &new.clock_source)),
    ];
    all.into_iter().filter(|(_, differs)| *differs).map(|(change, _)| change).collect()
}
