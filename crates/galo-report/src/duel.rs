//! A duel between two commands or addresses: who is better, and the figures that say so.

mod spoiled;
mod told;

use galo_judge::assertion::RatioOutcome;
use galo_judge::duel::{Compared, DuelJudgement, DuelVerdict, HeldBack, judge_duel};
use galo_judge::ordering::{Placed, order};
use galo_plan::Injection;
use galo_record::duel::{DuelRecord, LevelTerms, SideFinding, SideRecord};
use galo_record::{HostFact, Ledger, duel};
use galo_words::Both;
use schemars::JsonSchema;
use serde::Serialize;

use crate::FORMAT;
use crate::digits::{decimals, seconds, significant};
use crate::end::End;
use crate::words::{self, Told};
use galo_judge::json::pretty;

pub use spoiled::SpoiledLoads;
pub(crate) use told::{apart, figure, held_back_at};

/// Share of its final rate from which on a side has come to its speed.
const WARM_SHARE: f64 = 0.9;

/// What a duel came to.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DuelReport {
    /// Version of this form: 1.
    pub format: u32,
    /// The verdict in one sentence.
    pub sentence: String,
    /// What else should be known of it.
    pub notes: Vec<String>,
    /// The verdict.
    pub verdict: DuelVerdict,
    /// The two, in their order.
    pub sides: [DuelSide; 2],
    /// What was sent.
    pub request: String,
    /// Seed of all that was drawn; of a run that is not over `sha256:` and its commitment.
    pub seed: String,
    /// What every ratio is: the second side divided by the first, e.g. `new / old`.
    pub ratio_of: String,
    /// All figures at all levels, the primary one first.
    pub compared: Vec<Compared>,
    /// The loads of each turn.
    pub levels: Vec<DuelLevel>,
    /// Pairs of turns that were to be driven.
    pub pairs: u32,
    /// How often both sides were started.
    pub starts: u32,
    /// CPU limit of each command; null: none.
    pub cpus: Option<f64>,
    /// Memory limit of each command; null: none.
    pub memory_bytes: Option<u64>,
    /// Whether limits were in force where there are any.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<String>,
    /// Why services were not kept apart from one another and from galo; null where they were.
    pub walls_note: Option<String>,
    /// Files of the work tree that are changed or new, where both sides are revisions and so have none of them.
    pub uncommitted_files: u64,
    /// How answers compared.
    pub answers: Answers,
    /// What came of each bound that was to hold.
    pub assertions: Vec<RatioOutcome>,
    /// How it ended.
    pub end: End,
    /// The error that ended it.
    pub error: Option<String>,
    /// Why loads say nothing, each kind of reason once.
    pub void: Vec<SpoiledLoads>,
    /// Deaths and the like.
    pub findings: Vec<DuelFinding>,
    /// The sentence in both languages.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told: Both,
    /// The notes in both, but for that which is told first.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told_notes: Vec<Both>,
    /// That the two do not answer the same, where they do not.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told_differ: Option<Both>,
}

/// Something remarkable of how a side ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DuelFinding {
    /// The side's name.
    pub side: String,
    /// In which pair, from 1; null: before the first one.
    pub pair: Option<u32>,
    /// One sentence.
    pub text: String,
    /// What shows it, such as the last lines of a log.
    pub evidence: Vec<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// The same as figures, told by its `kind`.
    pub fact: HostFact,
    /// In words, in both languages. Those above are the English ones.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told: Told,
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DuelSide {
    /// For people.
    pub name: String,
    /// The command; null: a server that ran before.
    pub command: Option<String>,
    /// The address that is asked.
    pub url: String,
    /// Operations of all turns.
    pub ledger: Ledger,
    /// Right answers per second at the end of the warm-up, in a closed loop; null: there was none.
    pub reached_per_s: Option<f64>,
    /// How long the warm-up took to come to nine tenths of that; null: it was there at once, or there was none.
    pub warm_after_s: Option<f64>,
    /// What held it back at its hardest load, by what was seen meanwhile; null: nothing was watched, or that does not tell.
    pub held_back: Option<HeldBackReport>,
}

/// What held a side back.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HeldBackReport {
    /// One sentence, which begins with the side's name where it can.
    pub text: String,
    /// What it was, and what shows it.
    #[serde(flatten)]
    pub fact: HeldBack,
    /// The sentence in both languages.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) told: Both,
}

/// One load of each turn.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DuelLevel {
    /// `asked`, `half`, `near` or `highest`.
    pub level: String,
    /// In words.
    pub label: String,
    /// Length.
    pub length_s: f64,
    /// Arrivals per second, on average; null: a closed loop.
    pub rate_per_s: Option<f64>,
    /// Whether that changes over a load.
    pub varies: bool,
    /// Connections at most; in a closed loop so many at once.
    pub connections: u32,
}

/// How the two sides' answers to the same requests compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answers {
    /// Requests of which both answers were compared.
    pub compared: u64,
    /// ... and were the same by meaning.
    pub equal: u64,
    /// Whether all that were compared were the same. If not, the figures may be of different work.
    pub same: bool,
    /// JSON pointers of what did not count.
    pub ignored: Vec<String>,
    /// The first few differences.
    pub differences: Vec<Difference>,
}

/// Two answers that differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// Where: `status`, `content-type`, `body` or a JSON pointer.
    pub at: String,
    /// What the sides had there, in their order.
    pub values: [String; 2],
}

impl DuelReport {
    /// Judges what was recorded.
    pub fn of(record: &DuelRecord) -> Self {
        let judged = judge_duel(record);
        let duel = words::Duel::of(record, &judged);
        let told = Both::told(|lang| words::duel_verdict(&duel, lang));
        let (told_notes, told_differ) = (words::duel_notes(&duel), words::answers_differ(&duel));
        let DuelJudgement { verdict, compared, assertions, held_back: [first, second] } = judged;
        let terms = &record.terms;
        let (end, error) = End::of(&record.end);
        Self {
            format: FORMAT,
            sentence: told.en.to_string(),
            notes: told_differ.iter().chain(&told_notes).map(|note| note.en.to_string()).collect(),
            verdict,
            sides: [DuelSide::of(record, 0, first), DuelSide::of(record, 1, second)],
            request: record.request.clone(),
            seed: terms.seed.to_string(),
            ratio_of: words::ratio_of([&record.sides[1].name, &record.sides[0].name]),
            compared: compared.into_iter().map(rounded).collect(),
            levels: terms.levels.iter().map(DuelLevel::of).collect(),
            pairs: terms.pairs,
            starts: record.turns.iter().map(|turn| turn.start + 1).max().unwrap_or(0),
            cpus: terms.cpus_milli.map(|milli| f64::from(milli) / 1e3),
            memory_bytes: terms.memory_bytes,
            limits_enforced: record.limits_enforced,
            limits_note: record.limits_note.clone(),
            walls_note: record.walls_note.clone(),
            uncommitted_files: record.uncommitted_files,
            answers: Answers::of(record),
            assertions: assertions.into_iter().map(rounded_outcome).collect(),
            end,
            error,
            void: SpoiledLoads::of(record),
            findings: DuelFinding::all(record),
            told,
            told_notes,
            told_differ,
        }
    }

    /// What held each side back, where that is known, and the load at which it did.
    pub(crate) fn held_back(&self) -> Option<(&DuelLevel, Vec<&HeldBackReport>)> {
        let told: Vec<&HeldBackReport> =
            self.sides.iter().filter_map(|side| side.held_back.as_ref()).collect();
        let level =
            self.levels.iter().find(|level| told.iter().any(|told| told.fact.level == level.level))?;
        Some((level, told))
    }

    /// Pretty JSON with a newline at the end.
    pub fn to_json(&self) -> String {
        pretty(self)
    }
}

/// The JSON schema of [`DuelReport`], pretty, with a newline at the end.
pub fn duel_schema() -> String {
    pretty(&schemars::schema_for!(DuelReport))
}

/// Figures without a binary tail.
fn rounded(mut compared: Compared) -> Compared {
    let short = |value: f64| significant(value, 4);
    compared.values = compared.values.map(|value| value.map(short));
    compared.ratio = compared.ratio.map(short);
    compared.interval = compared.interval.map(|bounds| bounds.map(short));
    compared.p_value = compared.p_value.map(short);
    if let Some(told) = &mut compared.sensitivity {
        told.noise = short(told.noise);
        told.smallest_ratio = told.smallest_ratio.map(short);
    }
    compared
}

fn rounded_outcome(mut outcome: RatioOutcome) -> RatioOutcome {
    let short = |value: f64| significant(value, 4);
    outcome.ratio = outcome.ratio.map(short);
    outcome.interval = outcome.interval.map(|ends| ends.map(short));
    outcome
}

impl DuelSide {
    fn of(record: &DuelRecord, side: usize, held_back: Option<HeldBack>) -> Self {
        let SideRecord { name, command, url, .. } = &record.sides[side];
        let mut ledger = Ledger::default();
        let turns = record.turns.iter().filter(|turn| turn.side == side);
        turns.flat_map(|turn| &turn.loads).for_each(|load| ledger.add(&load.ledger));
        Self {
            name: name.clone(),
            command: command.clone(),
            url: url.clone(),
            ledger,
            reached_per_s: record.sides[side].reached_per_s().map(|rate| significant(rate, 4)),
            warm_after_s: warm_after(&record.sides[side]),
            held_back: held_back.map(|fact| HeldBackReport::of(name, fact)),
        }
    }
}

impl HeldBackReport {
    fn of(name: &str, fact: HeldBack) -> Self {
        let HeldBack { by, connections, usage, .. } = &fact;
        let told = Both::told(|lang| words::held_back(name, *by, usage, Some(*connections), lang));
        Self { text: told.en.to_string(), fact, told }
    }
}

/// When its speed was first reached.
fn warm_after(side: &SideRecord) -> Option<f64> {
    let bound = side.reached_per_s()? * WARM_SHARE;
    let slow = side.warm_up.iter().position(|part| part.ok_per_s >= bound).filter(|slow| *slow > 0)?;
    let ns: u64 = side.warm_up[..slow].iter().map(|part| part.elapsed_ns).sum();
    Some(decimals(ns as f64 / 1e9, 1))
}

impl DuelLevel {
    fn of(terms: &LevelTerms) -> Self {
        Self {
            level: terms.level.name().to_owned(),
            label: terms.level.label().to_owned(),
            length_s: seconds(terms.length_ns),
            rate_per_s: terms.injection.as_ref().map(mean_rate),
            varies: terms.varies(),
            connections: terms.connections,
        }
    }
}

/// Users per second.
fn mean_rate(injection: &Injection) -> f64 {
    let seconds = injection.duration_ns().max(1) as f64 / 1e9;
    decimals(injection.users() as f64 / seconds, 1)
}

impl DuelFinding {
    /// In the order in which they were made, but for causes, which come before their symptoms.
    fn all(record: &DuelRecord) -> Vec<Self> {
        let mut found: Vec<Self> = record.findings.iter().map(|found| Self::of(record, found)).collect();
        order(&mut found, |found| Placed {
            name: found.fact.name(),
            of: Some(&found.side),
            weight: found.fact.weight(),
            explains_milli: None,
        });
        found
    }

    fn of(record: &DuelRecord, found: &SideFinding) -> Self {
        let told = Told::of_host(&found.finding);
        Self {
            side: record.sides.get(found.side).map_or_else(String::new, |side| side.name.clone()),
            pair: found.pair.map(|pair| pair + 1),
            text: told.text.en.to_string(),
            evidence: told.evidence.iter().map(|piece| piece.en.to_string()).collect(),
            hint: told.remedy.as_ref().map(|remedy| remedy.en.to_string()),
            fact: found.finding.clone(),
            told,
        }
    }
}

impl Answers {
    fn of(DuelRecord { answers: record, ignored, .. }: &DuelRecord) -> Self {
        let told = |difference: &duel::AnswerDifference| Difference {
            at: difference.at.clone(),
            values: difference.values.clone(),
        };
        Self {
            compared: record.compared,
            equal: record.equal,
            same: record.equal >= record.compared,
            ignored: ignored.clone(),
            differences: record.differences.iter().map(told).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use galo_record::duel::WarmUp;

    use super::*;

    #[test]
    fn a_side_is_warm_when_it_first_comes_near_its_speed() {
        let side = |rates: &[f64]| SideRecord {
            name: "a".to_owned(),
            command: None,
            url: String::new(),
            warm_up: rates.iter().map(|&ok_per_s| WarmUp { elapsed_ns: 500_000_000, ok_per_s }).collect(),
        };
        assert_eq!(warm_after(&side(&[500.0, 700.0, 950.0, 800.0, 1_000.0])), Some(1.0));
        assert_eq!(warm_after(&side(&[950.0, 1_000.0])), None);
        assert_eq!(warm_after(&side(&[])), None);
    }
}
