//! A duel by its plan and its acts: what is judged of it, and what its schedule has to know of them.

use galo_plan::DuelPlan;
use galo_plan::duel::DuelSide;
use galo_record::act::{Act, Acted, Alternated, LoadTerms, Loaded, Outcome, Unit, UnitKind, Workload, units};
use galo_record::duel::{AnswersRecord, LevelTerms, LevelTraffic, Purpose, Slice};
use galo_record::{HostFact, Ledger, LoadRecord, Placement, RecordError, Run, RunEnd, RunHeader};

use super::{
    DuelVerdict, JudgedDuel, JudgedSide, SideFinding, Sliced, Turn, TurnLoad, WarmUp, compare, is_settled,
};
use crate::assertion::RatioOutcome;
use crate::void::VoidReason;

/// Length of a part of a warm-up.
pub const PART_NS: u64 = 500_000_000;
/// Parts without a higher rate after which a side is warm.
const STEADY: usize = 2;
/// What counts as a higher rate.
const RISE: f64 = 1.03;

/// What a pair that was driven to its end came to.
#[derive(Debug, Clone, PartialEq)]
pub struct PairFacts {
    /// Which, from 0.
    pub pair: u32,
    /// In the order in which they were driven.
    pub turns: Vec<Turn>,
    /// The loads of each turn.
    pub levels: Vec<LevelTerms>,
    /// Why it does not count, by galo's own doing; `None`: it does.
    pub spoiled: Option<VoidReason>,
}

/// Judges a pair.
///
/// # Errors
/// What no pair of a duel's has; in words.
pub fn judge_pair(unit: Unit<'_>) -> Result<PairFacts, String> {
    let UnitKind::Pair { pair, start } = unit.terms.kind else {
        return Err(format!("unit {} is no pair of turns", unit.terms.number));
    };
    let (mut turns, mut levels) = (Vec::<Turn>::new(), Vec::new());
    for (acted, (side, traffic, loaded)) in
        unit.acts.iter().flat_map(|acted| loads_of(acted).map(move |load| (acted, load)))
    {
        if traffic.purpose != Purpose::Turn {
            continue;
        }
        let load = turn_load(&traffic.terms, loaded, slices_of(acted, side))?;
        let known = turns.iter().position(|turn| turn.side == side);
        let at = known.unwrap_or(turns.len());
        if known.is_none() {
            turns.push(Turn { side, pair, start, loads: Vec::new() });
        }
        if at == 0 {
            levels.push(traffic.terms.clone());
        }
        turns[at].loads.push(load);
    }
    let is_pair = matches!(turns.as_slice(), [a, b] if a.side + b.side == 1);
    if !is_pair || turns.iter().any(|turn| turn.loads.len() != levels.len()) {
        return Err(format!("unit {} was closed without a turn of each side", unit.terms.number));
    }
    let spoiled = turns.iter().flat_map(|turn| &turn.loads).find_map(|load| load.void.first()).cloned();
    Ok(PairFacts { pair, turns, levels, spoiled })
}

/// The loads of each side's warm-up before the first pair, as far as it holds: one that was cut off begins anew.
pub fn warm_ups(plan: &DuelPlan, acts: &[Acted]) -> [Vec<WarmUp>; 2] {
    let mut all = [Vec::new(), Vec::new()];
    for acted in acts.iter().take_while(|acted| !matches!(acted.act, Act::Begin(_))) {
        match loads_of(acted).next() {
            Some((side, traffic, loaded)) if traffic.purpose == Purpose::WarmUp => {
                all[side].push(warm_up(&loaded.load));
            }
            _ if acted.outcome == Outcome::Lost => {
                all.iter_mut().filter(|parts| !is_warm(plan, parts)).for_each(Vec::clear);
            }
            _ => {}
        }
    }
    all
}

/// Whether a side was driven until its rate rose no more, or for as long as that may take. Where a traffic was asked for, one
/// load is enough.
pub fn is_warm(plan: &DuelPlan, parts: &[WarmUp]) -> bool {
    if plan.asked.is_some() {
        return !parts.is_empty();
    }
    let (mut best, mut steady) = (0.0_f64, 0);
    for part in parts {
        steady = if part.ok_per_s > best * RISE { 0 } else { steady + 1 };
        best = best.max(part.ok_per_s);
    }
    // A part lasts longer where its last answers are late.
    let taken_ns: u64 = parts.iter().map(|part| part.elapsed_ns.max(PART_NS)).sum();
    steady > STEADY || taken_ns >= plan.pace.warm_up_max_ns
}

/// What the host saw in an act, and of which side.
pub fn seen_of(acted: &Acted) -> impl Iterator<Item = (usize, &HostFact)> {
    let of_one = match acted.act {
        Act::Load(LoadTerms { contender, .. })
        | Act::Start { contender }
        | Act::Stop { contender }
        | Act::Freeze { contender }
        | Act::Resume { contender } => contender,
        _ => 0,
    };
    let seen: [(usize, &[HostFact]); 2] = match &acted.outcome {
        Outcome::Loaded(loaded) => [(of_one, &loaded.findings), (of_one, &[])],
        Outcome::Stopped(stopped) => [(of_one, &stopped.findings), (of_one, &[])],
        Outcome::Gone(findings) => [(of_one, findings), (of_one, &[])],
        Outcome::Alternated(both) => [(0, &both.sides[0].findings), (1, &both.sides[1].findings)],
        _ => [(of_one, &[]), (of_one, &[])],
    };
    seen.into_iter().flat_map(|(side, findings)| findings.iter().map(move |finding| (side, finding)))
}

/// Whether a side gave no right answer to the first requests, so that there is nothing to compare.
pub fn is_refused(traffic: &LevelTraffic, loaded: &Loaded) -> bool {
    traffic.purpose == Purpose::Answers && loaded.load.total().ledger.ok == 0
}

/// The loads of a duel in an act: to which side, what was sent, what came of it.
pub fn loads_of(acted: &Acted) -> impl Iterator<Item = (usize, &LevelTraffic, &Loaded)> {
    let loads = match (&acted.act, &acted.outcome) {
        (
            Act::Load(LoadTerms { contender: side @ 0..2, traffic: Workload::Level(traffic), .. }),
            Outcome::Loaded(loaded),
        ) => [Some((*side, &**traffic, &**loaded)), None],
        (Act::Alternate(terms), Outcome::Alternated(both)) => {
            let [first, second] = &both.sides;
            [Some((0, &terms.traffic, first)), Some((1, &terms.traffic, second))]
        }
        _ => [None, None],
    };
    loads.into_iter().flatten()
}

/// What a side did in each slice of an act; nothing where it was not driven in slices.
fn slices_of(acted: &Acted, side: usize) -> Vec<Slice> {
    match &acted.outcome {
        Outcome::Alternated(both) => both.slices.iter().map(|pair| pair[side]).collect(),
        _ => Vec::new(),
    }
}

impl JudgedDuel {
    /// Judges a run.
    ///
    /// # Errors
    /// Acts that no duel has.
    pub fn judge(run: &Run<DuelPlan>) -> Result<Self, RecordError> {
        let of_acts = Self::of_acts(&run.plan, &run.header, &run.acts, run.seed_told());
        of_acts.map_err(|reason| run.damaged(reason))
    }

    /// Judges a duel as far as its acts go. `seed`: as it is told.
    ///
    /// # Errors
    /// What no duel's acts have; in words.
    pub fn of_acts(
        plan: &DuelPlan,
        header: &RunHeader,
        acts: &[Acted],
        seed: String,
    ) -> Result<Self, String> {
        let units = units(acts)?;
        let closed = units.iter().copied().filter(Unit::is_closed);
        let pairs = closed.map(judge_pair).collect::<Result<Vec<_>, _>>()?;
        let [first, second] =
            warm_ups(plan, acts).map(|parts| if plan.asked.is_some() { Vec::new() } else { parts });
        let placements = || acts.iter().filter_map(|acted| placement(plan, acted));
        let limits_note = placements().find_map(|placement| placement.limits_note.clone());
        let seen = Self {
            header: header.clone(),
            verdict: DuelVerdict::Void { reason: None, side: None },
            sides: [side(plan, 0, first), side(plan, 1, second)],
            request: plan.request.clone(),
            seed,
            ratio_of: String::new(),
            compared: Vec::new(),
            sliced: sliced(&units),
            levels: pairs.first().map(|pair| pair.levels.clone()).unwrap_or_default(),
            pairs: plan.pace.pairs,
            starts: 0,
            looks: plan.pace.looks,
            cpus_milli: plan.cpus_milli,
            memory_bytes: plan.memory_bytes,
            cores: plan.cores,
            detect_percent: plan.detect_percent,
            limits_enforced: limits_note.is_none(),
            limits_note,
            walls_note: placements().find_map(|placement| placement.walls_note.clone()),
            uncommitted_files: plan.uncommitted_files,
            answers: answers(acts, &units),
            ignored: plan.ignored.clone(),
            assertions: plan.assertions.iter().map(|text| RatioOutcome::unreadable(text)).collect(),
            end: end(plan, acts, &pairs),
            findings: findings(acts)?,
            turns: pairs.into_iter().flat_map(|pair| pair.turns).collect(),
        };
        Ok(seen.judged())
    }
}

/// How the turns of closed pairs were cut into slices.
fn sliced(units: &[Unit<'_>]) -> Option<Sliced> {
    let mut all: Option<Sliced> = None;
    for acted in units.iter().filter(|unit| unit.is_closed()).flat_map(|unit| unit.acts) {
        let (Act::Alternate(terms), Outcome::Alternated(both)) = (&acted.act, &acted.outcome) else {
            continue;
        };
        let sum = all.get_or_insert(Sliced { length_ns: terms.slices.length_ns, ..Sliced::default() });
        sum.slices += both.slices.len() as u64;
        let length_ns = terms.slices.length_ns;
        let arrives = terms.traffic.terms.injection.is_some();
        sum.arrivals_ns += u64::from(arrives) * length_ns * both.slices.len() as u64;
        for side in 0..2 {
            let drained = both.slices.iter().filter(|_| arrives).map(|pair| pair[side].elapsed_ns);
            sum.drained_ns[side] += drained.map(|ns| ns.saturating_sub(length_ns)).sum::<u64>();
            sum.under_way[side] += both.slices.iter().map(|pair| pair[side].under_way).sum::<u64>();
            sum.restless[side] += both.restless[side];
        }
        sum.gave_way_to_turns = Alternated::are_restless(sum.slices, sum.restless);
    }
    all
}

fn side(plan: &DuelPlan, side: usize, warm_up: Vec<WarmUp>) -> JudgedSide {
    let DuelSide { name, url, command } = plan.sides[side].clone();
    let commit = command.as_ref().and_then(|command| command.commit.clone());
    let command = command.map(|command| command.contender.title);
    JudgedSide { name, command, commit, url, warm_up, ledger: Ledger::default(), held_back: None }
}

fn warm_up(load: &LoadRecord) -> WarmUp {
    let elapsed_ns = load.elapsed_ns();
    let ok_per_s = load.total().ledger.ok as f64 * 1e9 / elapsed_ns.max(1) as f64;
    WarmUp { elapsed_ns, ok_per_s }
}

fn turn_load(terms: &LevelTerms, loaded: &Loaded, slices: Vec<Slice>) -> Result<TurnLoad, String> {
    let ledger = loaded.load.total().ledger;
    if !ledger.is_possible() {
        return Err("a load tells of more operations than there can be".to_owned());
    }
    let Some(figures) = &loaded.figures else {
        return Err("a load of a turn has no figures".to_owned());
    };
    let mut load = TurnLoad {
        level: terms.level,
        elapsed_ns: loaded.load.elapsed_ns(),
        ledger,
        latency: figures.latencies.percentiles(),
        usage: figures.usage.clone(),
        engine: loaded.load.engine.clone(),
        slices,
        void: Vec::new(),
    };
    load.judge(terms.injection.is_some());
    Ok(load)
}

/// Where a command is that was started here.
fn placement<'a>(plan: &DuelPlan, acted: &'a Acted) -> Option<&'a Placement> {
    match (&acted.act, &acted.outcome) {
        (Act::Start { contender }, Outcome::Started(started)) if plan.is_own(*contender) => {
            Some(&started.placement)
        }
        _ => None,
    }
}

/// How the first answers compared, and those of pairs that were driven to their end.
fn answers(acts: &[Acted], units: &[Unit<'_>]) -> AnswersRecord {
    let mut all = AnswersRecord::default();
    let first = acts.iter().take_while(|acted| !matches!(acted.act, Act::Begin(_)));
    let pairs = units.iter().filter(|unit| unit.is_closed()).flat_map(|unit| unit.acts);
    for (_, _, loaded) in first.chain(pairs).flat_map(loads_of) {
        loaded.answers.iter().for_each(|compared| all.add(compared));
    }
    all
}

fn findings(acts: &[Acted]) -> Result<Vec<SideFinding>, String> {
    let (mut all, mut pair) = (Vec::new(), None);
    for acted in acts {
        if let Act::Begin(terms) = &acted.act {
            pair = match terms.kind {
                UnitKind::Pair { pair, .. } => Some(pair),
                _ => None,
            };
        }
        for (side, finding) in seen_of(acted) {
            if side > 1 {
                return Err(format!("act {} is of a side that a duel has not", acted.number));
            }
            all.push(SideFinding { side, pair, finding: finding.into() });
        }
    }
    Ok(all)
}

fn end(plan: &DuelPlan, acts: &[Acted], pairs: &[PairFacts]) -> RunEnd {
    let mut failed = acts.iter().filter_map(|acted| failed(plan, acted));
    match (failed.next(), failed.next()) {
        (Some(one), Some(other)) => return both_failed(one, other),
        (Some(one), None) => return one,
        _ => {}
    }
    if is_over(plan, acts, pairs) { RunEnd::Done } else { RunEnd::Interrupted }
}

/// How a duel ended of which neither side came as far as its first right answer: why the one did not, and all that is known of the
/// other.
fn both_failed(one: RunEnd, other: RunEnd) -> RunEnd {
    let told = |one: String, other: String| format!("{}\n{other}", one.lines().next().unwrap_or_default());
    match (one, other) {
        (RunEnd::Refused(one), RunEnd::Refused(other)) => RunEnd::Refused(told(one, other)),
        (RunEnd::Failed(one) | RunEnd::Refused(one), RunEnd::Failed(other) | RunEnd::Refused(other)) => {
            RunEnd::Failed(told(one, other))
        }
        (one, _) => one,
    }
}

/// Whether no further pair is to be driven after these: enough count, there is no time for another one, or at a look they settle it.
pub fn is_over(plan: &DuelPlan, acts: &[Acted], pairs: &[PairFacts]) -> bool {
    let counting = pairs.iter().filter(|pair| pair.spoiled.is_none()).count() as u32;
    plan.has_enough(pairs.len() as u32, counting)
        || plan.pace.within_ns.is_some_and(|within_ns| !has_time(acts, within_ns))
        || plan.pace.is_look(pairs.len() as u32) && is_settled(&compare(plan, pairs), &plan.assertions)
}

/// Whether there is time for one more pair, and what comes before it, if it takes as long as the longest so far.
fn has_time(acts: &[Acted], within_ns: u64) -> bool {
    let taken_ns = |acts: &[Acted]| -> u64 {
        acts.iter().map(|acted| acted.ended_ns.saturating_sub(acted.began_ns)).sum()
    };
    let Some(first) = acts.iter().position(|acted| matches!(acted.act, Act::Begin(_))) else { return true };
    let pairs = acts[first..].split_inclusive(|acted| acted.act == Act::Close);
    let longest_ns = pairs.map(taken_ns).max().unwrap_or(0);
    taken_ns(acts) + longest_ns <= within_ns
}

/// Why an act ends the duel, if it does: a command does not come up, or a server is not there or does not answer rightly.
fn failed(plan: &DuelPlan, acted: &Acted) -> Option<RunEnd> {
    match (&acted.act, &acted.outcome) {
        (Act::Start { contender }, Outcome::NotReady(reason)) if plan.is_own(*contender) => {
            Some(RunEnd::Failed(reason.clone()))
        }
        (_, Outcome::NotReady(reason)) => Some(RunEnd::Refused(reason.clone())),
        _ => {
            let (side, _, loaded) =
                loads_of(acted).find(|(_, traffic, loaded)| is_refused(traffic, loaded))?;
            Some(RunEnd::Refused(no_answer(plan, side, loaded)))
        }
    }
}

/// Why a side that does not answer rightly at all cannot fight.
fn no_answer(plan: &DuelPlan, side: usize, loaded: &Loaded) -> String {
    let DuelSide { name, url, .. } = &plan.sides[side];
    let total = loaded.load.total();
    let statuses: Vec<String> = total.statuses.keys().map(u16::to_string).collect();
    if statuses.is_empty() {
        let errors = total.errors.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        return format!("`{name}` gives no answer at {url} ({errors})\nhint: try it: curl -i {url}");
    }
    let hint = "give an address that it answers, or say what is right: --status";
    let [told, right] = [" and ", ","].map(|between| statuses.join(between));
    format!("`{name}` answers {url} by status {told}\nhint: {hint} {right}")
}
