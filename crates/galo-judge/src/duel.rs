//! A duel's verdict: two sides, turn by turn, compared pair by pair.
//!
//! A request is never a unit of comparison ([`crate::stats`]), and a pair is not the only one: what differs by the luck of one
//! start (where its memory came to lie, how its tables hash) is the same in all pairs of it, and would else look like a difference
//! between the two. So pairs are parts of starts ([`crate::stats::nested`]).

pub mod answers;
mod compared;
mod fold;
mod held_back;
mod terms;
mod turn;

use galo_plan::{DuelPlan, JsonSchema};
use galo_record::duel::{AnswersRecord, Level, LevelTerms};
use galo_record::{Latencies, Ledger, RunEnd, RunHeader};
use serde::{Deserialize, Serialize};

use crate::assertion::{RatioAssertion, RatioOutcome, SeenRatio};
use crate::measure::Measure;
use crate::ordering::{Placed, order, placed};
use crate::pairing::Ratios;
use crate::verdict::{Difference, is_inconclusive};
use crate::void::VoidReason;
use compared::{Starts, by_pair};

pub use compared::Compared;
pub use fold::{PART_NS, PairFacts, is_over, is_refused, is_warm, judge_pair, loads_of, seen_of, warm_ups};
pub use held_back::HeldBack;
pub use turn::{SideFinding, Sliced, Turn, TurnLoad, WarmUp};

/// A side that does not answer rightly more often than this cannot win.
pub const FAILED_SHARE_MAX: f64 = 0.01;

/// Share of its final rate from which on a side has come to its speed.
const WARM_SHARE: f64 = 0.9;

/// A connection that took as long was asked for again: a client whose first packet is dropped, as by a full listen queue, tries again
/// after a second (RFC 6298, section 2).
const AGAIN_NS: u64 = 900_000_000;

/// A duel, as far as it came. Turns are of pairs that were driven to their end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename = "duel")]
#[schemars(transform = crate::schema::tell_kind)]
pub struct JudgedDuel {
    /// How and where it was driven.
    #[serde(flatten)]
    pub header: RunHeader,
    /// What came of it.
    pub verdict: DuelVerdict,
    /// The two, in their order.
    pub sides: [JudgedSide; 2],
    /// What is sent, in a few words, e.g. `GET /`.
    pub request: String,
    /// Seed of all that was drawn; of a run that is not over `sha256:` and its commitment.
    pub seed: String,
    /// What every ratio is: the second side divided by the first, e.g. `new / old`.
    pub ratio_of: String,
    /// All figures at all levels, the primary one first.
    pub compared: Vec<Compared>,
    /// How turns were cut into slices; null: they were not.
    pub sliced: Option<Sliced>,
    /// Loads of each turn, in this order.
    pub levels: Vec<LevelTerms>,
    /// Pairs of turns that were to be driven, if it was not decided before.
    pub pairs: u32,
    /// How often both sides were started.
    pub starts: u32,
    /// How often the duel may be looked at to see whether it is decided; looks share the chance of a false winner.
    pub looks: u32,
    /// CPU limit of each command, in thousandths; null: none.
    pub cpus_milli: Option<u32>,
    /// Memory limit of each command; null: none.
    pub memory_bytes: Option<u64>,
    /// Cores of the machine that galo and the commands share; null: not known.
    pub cores: Option<u32>,
    /// The difference that the caller wants found, in percent; null: by how the duel is driven.
    pub detect_percent: Option<f64>,
    /// Whether limits were in force where there are any.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<String>,
    /// Why commands were not kept apart from one another and from galo; null where they were.
    pub walls_note: Option<String>,
    /// Files of the work tree that are changed or new, where both sides are revisions without them.
    pub uncommitted_files: u64,
    /// How answers compared.
    pub answers: AnswersRecord,
    /// JSON pointers of what does not count in answers.
    pub ignored: Vec<String>,
    /// What came of each bound that was to hold.
    pub assertions: Vec<RatioOutcome>,
    /// How it ended.
    pub end: RunEnd,
    /// Deaths and the like, causes before their symptoms.
    pub findings: Vec<SideFinding>,
    /// In the order in which they were driven.
    pub turns: Vec<Turn>,
}

/// One side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedSide {
    /// For people; the two differ.
    pub name: String,
    /// The command; null: a server that ran before, which galo neither starts nor limits.
    pub command: Option<String>,
    /// The commit that the command is of; null: of the files as they were, or of a server that ran before.
    pub commit: Option<String>,
    /// The address that is asked.
    pub url: String,
    /// How it came to its speed. Empty where it was not looked for.
    pub warm_up: Vec<WarmUp>,
    /// Operations of all turns.
    pub ledger: Ledger,
    /// What held it back at its hardest load; null: nothing was watched, or that does not tell.
    pub held_back: Option<HeldBack>,
}

/// What came of a duel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum DuelVerdict {
    /// galo or its machine spoiled too many turns, or the terms of the two were not equal.
    Void {
        /// Why the first load that does not count does not, or what was unequal; null: no turn was driven to its end.
        reason: Option<VoidReason>,
        /// The side whose terms were not those that were set; null: it is of neither.
        side: Option<usize>,
    },
    /// At least one of them broke a rule that holds whatever the figures.
    Disqualified {
        /// Which.
        sides: Vec<usize>,
        /// Names of the rules, each once.
        rules: Vec<String>,
    },
    /// It ended before there were enough pairs.
    TooFewPairs {
        /// Pairs that count.
        pairs: usize,
        /// The fewest that can make a verdict.
        needed: usize,
    },
    /// The two answer the same request by different statuses, so they do not do the same.
    DifferentStatuses,
    /// At least one of them does not answer rightly.
    Fails {
        /// Which.
        sides: Vec<usize>,
    },
    /// One is better in at least one figure that decides, and worse in none.
    Better {
        /// Which.
        winner: usize,
    },
    /// Each is better in some figure that decides.
    Mixed,
    /// No figure that decides tells them apart.
    NoDifference,
    /// Nor does any, and each leaves room for a difference of more than 100 %.
    Inconclusive,
}

impl DuelVerdict {
    /// Whether what the two answered is no ground for any figure of theirs.
    pub const fn has_no_ground(&self) -> bool {
        matches!(self, Self::Disqualified { .. } | Self::Fails { .. } | Self::DifferentStatuses)
    }
}

impl JudgedDuel {
    /// Judges what was seen: which loads count, all figures, the verdict, bounds, and what held each side back. Judging it
    /// again changes nothing.
    pub fn judged(mut self) -> Self {
        for load in self.turns.iter_mut().flat_map(|turn| &mut turn.loads) {
            let terms = self.levels.iter().find(|terms| terms.level == load.level);
            load.judge(terms.is_some_and(|terms| terms.injection.is_some()));
        }
        let starts = self.seen();
        let compared = starts.compare_all(&self.levels);
        let verdict = verdict(&self, &compared, &starts);
        let bound = |known: &RatioOutcome| asserted(&known.assertion, &verdict, &compared);
        self.assertions = self.assertions.iter().map(bound).collect();
        (self.verdict, self.compared) = (verdict, compared);
        self.ratio_of = format!("{} / {}", self.sides[1].name, self.sides[0].name);
        self.starts = self.turns.iter().map(|turn| turn.start + 1).max().unwrap_or(0);
        for side in 0..2 {
            let mut ledger = Ledger::default();
            self.loads_of(side).for_each(|load| ledger.add(&load.ledger));
            self.sides[side].ledger = ledger;
            self.sides[side].held_back = held_back::held_back(&self, side);
        }
        order(&mut self.findings, |found| Placed {
            of: ["first", "second"].get(found.side).copied(),
            ..placed(&found.finding)
        });
        self
    }

    /// Whether CPU limits were in force for both sides.
    pub fn is_limited(&self) -> bool {
        self.cpu_limit().is_some() && self.sides.iter().all(|side| side.command.is_some())
    }

    /// The CPU limit in force, in cores; `None`: there is none.
    fn cpu_limit(&self) -> Option<f64> {
        self.cpus_milli.filter(|_| self.limits_enforced).map(|milli| f64::from(milli) / 1e3)
    }

    /// The load of every turn at a level.
    pub fn level(&self, level: Level) -> Option<&LevelTerms> {
        self.levels.iter().find(|terms| terms.level == level)
    }

    /// Both turns of each pair.
    pub fn turns_by_pair(&self) -> Vec<[&Turn; 2]> {
        by_pair(&self.turns)
    }

    fn seen(&self) -> Starts<'_> {
        Starts::of(&self.turns, &self.levels, self.looks, self.detect_percent)
    }

    /// The loads of a side.
    fn loads_of(&self, side: usize) -> impl Iterator<Item = &TurnLoad> {
        self.turns.iter().filter(move |turn| turn.side == side).flat_map(|turn| &turn.loads)
    }

    /// How many connections to a side had to be asked for again, and how many there were, over all its turns.
    pub fn connects_again(&self, side: usize) -> (u64, u64) {
        let mut all = Latencies::new();
        self.loads_of(side).for_each(|load| all.add_sparse(&load.engine.connects));
        (all.count() - all.count_up_to_ns(AGAIN_NS), all.count())
    }

    /// A figure of one side at a level, start by start: of each turn that counts with the other one of its pair.
    pub fn figures_of(&self, side: usize, measure: Measure, level: Level) -> Vec<Vec<f64>> {
        self.seen().figures_of(side, measure, level)
    }
}

impl JudgedSide {
    /// The rate that the last warm-up reached; `None`: there was none.
    pub fn reached_per_s(&self) -> Option<f64> {
        self.warm_up.last().map(|last| last.ok_per_s)
    }

    /// How long it took to come near that rate; `None`: it was there at once, or there was no warm-up.
    pub fn warm_after_ns(&self) -> Option<u64> {
        let bound = self.reached_per_s()? * WARM_SHARE;
        let slow = self.warm_up.iter().position(|part| part.ok_per_s >= bound).filter(|slow| *slow > 0)?;
        Some(self.warm_up[..slow].iter().map(|part| part.elapsed_ns).sum())
    }
}

/// What comes of a bound as it was written; one that cannot be read is not met, nor is any where a side broke a rule, or does not
/// answer rightly: failing fast does not win.
fn asserted(text: &str, verdict: &DuelVerdict, compared: &[Compared]) -> RatioOutcome {
    let Ok(assertion) = text.parse::<RatioAssertion>() else { return RatioOutcome::unreadable(text) };
    if verdict.has_no_ground() {
        return assertion.without_ground();
    }
    held_against(&assertion, compared)
}

/// What comes of a bound by the first level that has its figure. Pairs too few for a winner decide no bound either.
fn held_against(assertion: &RatioAssertion, compared: &[Compared]) -> RatioOutcome {
    let seen = compared.iter().filter(|c| c.measure == assertion.measure()).find_map(|compared| {
        let Ratios { ratio, interval, difference, .. } = compared.ratios;
        let interval = interval.filter(|_| difference != Difference::TooFewRounds);
        Some(SeenRatio { ratio: ratio?, interval })
    });
    assertion.evaluate(seen)
}

/// All figures at all levels after these pairs, the primary one first.
pub fn compare(plan: &DuelPlan, pairs: &[PairFacts]) -> Vec<Compared> {
    let Some(first) = pairs.first() else { return Vec::new() };
    let turns = pairs.iter().flat_map(|pair| &pair.turns);
    Starts::of(turns, &first.levels, plan.pace.looks, plan.detect_percent).compare_all(&first.levels)
}

/// Whether these figures settle the duel: one that decides tells the two apart, or of bounds that are to hold each one surely does or
/// does not.
fn is_settled(compared: &[Compared], assertions: &[String]) -> bool {
    let mut bounds = assertions.iter().filter_map(|text| text.parse::<RatioAssertion>().ok()).peekable();
    match bounds.peek() {
        None => compared.iter().any(|c| c.decides && c.differs()),
        Some(_) => bounds.all(|bound| held_against(&bound, compared).said.is_sure()),
    }
}

fn verdict(duel: &JudgedDuel, compared: &[Compared], starts: &Starts<'_>) -> DuelVerdict {
    if let Some((sides, rules)) = terms::broken(duel) {
        return DuelVerdict::Disqualified { sides, rules };
    }
    if duel.answers.other_status > 0 {
        return DuelVerdict::DifferentStatuses;
    }
    if let Some((side, reason)) = terms::unequal(duel) {
        return DuelVerdict::Void { reason: Some(reason), side: Some(side) };
    }
    if let Some(reason) = void(duel) {
        return DuelVerdict::Void { reason, side: None };
    }
    let sides: Vec<usize> = (0..2).filter(|&side| fails(duel, side)).collect();
    if !sides.is_empty() {
        return DuelVerdict::Fails { sides };
    }
    let deciding = || compared.iter().filter(|c| c.decides);
    if deciding().all(|c| c.ratios.difference == Difference::TooFewRounds) {
        return DuelVerdict::TooFewPairs { pairs: starts.len(), needed: starts.needed() };
    }
    let is = |difference| deciding().any(|c| c.ratios.difference == difference);
    match (is(Difference::Better), is(Difference::Worse)) {
        (true, false) => DuelVerdict::Better { winner: 1 },
        (false, true) => DuelVerdict::Better { winner: 0 },
        (true, true) => DuelVerdict::Mixed,
        (false, false) => {
            let mut bounds = deciding().filter_map(Compared::may_differ_by);
            let is_known = bounds.any(|factor| !is_inconclusive(factor));
            if is_known { DuelVerdict::NoDifference } else { DuelVerdict::Inconclusive }
        }
    }
}

/// Why it says nothing: at the first level, whose p99 is the primary figure, half of it or more was spoiled. What the caller
/// broke off is merely short.
fn void(duel: &JudgedDuel) -> Option<Option<VoidReason>> {
    let first_loads = || duel.turns.iter().filter_map(|turn| turn.loads.first());
    let mut spoiled = first_loads().filter_map(|load| load.void.first());
    let is_void = duel.end == RunEnd::Done && 2 * spoiled.clone().count() >= first_loads().count();
    is_void.then(|| spoiled.next().cloned())
}

/// Whether a side does not answer rightly, at the level where it has time to, or gave no right answer at all in a load: that pair has no
/// ratio, and the others alone would speak for it.
fn fails(duel: &JudgedDuel, side: usize) -> bool {
    let counts = |load: &&TurnLoad| load.void.is_empty();
    let gave_none = |load: &TurnLoad| load.ledger.intended > 0 && load.ledger.ok == 0;
    if duel.loads_of(side).filter(counts).any(gave_none) {
        return true;
    }
    let mut sum = Ledger::default();
    let of_side = duel.turns.iter().filter(|turn| turn.side == side);
    let loads = of_side.filter_map(|turn| turn.loads.first());
    loads.filter(counts).for_each(|load| sum.add(&load.ledger));
    let ended = sum.intended.max(1) as f64;
    sum.intended > 0 && 1.0 - sum.ok as f64 / ended > FAILED_SHARE_MAX
}

#[cfg(test)]
mod tests;
