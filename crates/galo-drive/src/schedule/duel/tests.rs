use galo_judge::duel::{JudgedDuel, judge_pair};
use galo_plan::duel::{AskedTraffic, DuelCommand, DuelSide, FORMAT, Pace};
use galo_plan::{Contender, Injection};
use galo_record::act::{Alternated, Loaded, Started, Unit, units};
use galo_record::duel::{AnswersRecord, Slice};
use galo_record::finding::{Ended, ServiceDied};
use galo_record::load::{EngineRecord, StepRecord};
use galo_record::{Ledger, LoadFigures, LoadRecord, Placement, Run, RunEnd, RunHeader, RunWriter};

use super::*;
use crate::schedule::testing::{Nobody, replays, seeds, service, writer};
use crate::{Before, DriveError, Driven, Stage, drive};

/// A duel of two commands on ports of their own, in three pairs.
pub(super) fn plan() -> DuelPlan {
    let side = |name: &str| {
        let contender = Contender {
            name: name.to_owned(),
            title: name.to_owned(),
            language: None,
            challenge: String::new(),
            file: Default::default(),
            file_sha256: String::new(),
            services: vec![service("command")],
            runner: galo_plan::Runner::Process,
            own_names: galo_plan::OwnNames::default(),
            connects: false,
            setting: None,
            null_of: None,
        };
        let command = DuelCommand { contender, port: 1, commit: None, after: None };
        DuelSide {
            name: name.to_owned(),
            url: "http://127.0.0.1:1/".to_owned(),
            command: Some(Box::new(command)),
        }
    };
    DuelPlan {
        requests_per_user: 1.0,
        format: FORMAT,
        sides: ["a", "b"].map(side),
        request: "GET /".to_owned(),
        requests_sha256: None,
        sent_sha256: None,
        timeout_ns: 1_000_000_000,
        asked: None,
        connections: 16,
        seed: galo_plan::Seed::of_number(4),
        pace: Pace { pairs: 3, looks: 1, in_slices: false, near: false, pairs_per_start: 0, ..Pace::USUAL },
        rest: Rest::StandsStill,
        cpus_milli: Some(500),
        memory_bytes: None,
        cores: Some(2),
        assertions: Vec::new(),
        ignored: Vec::new(),
        detect_percent: None,
        uncommitted_files: 0,
    }
}

fn sliced(plan: DuelPlan) -> DuelPlan {
    DuelPlan { pace: Pace { in_slices: true, ..plan.pace }, ..plan }
}

fn addresses() -> DuelPlan {
    let mut plan = DuelPlan { rest: Rest::GoesOn, ..plan() };
    plan.sides.iter_mut().for_each(|side| side.command = None);
    plan
}

/// What goes as it should not, in acts of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It does not come up.
    NotReady,
    /// It gives no right answer.
    Refuses,
    /// It dies in its turn of this pair.
    Dies(u32),
    /// It dies while the other one has its turn in this pair.
    IsGone(u32),
    /// galo spoils its turn of this pair.
    Spoiled(u32),
    /// It does not stand still after its slices of this pair.
    Restless(u32),
}

/// Answers acts as they come, and breaks off after so many.
struct Scripted {
    fates: Vec<(usize, Fate)>,
    acts_left: usize,
    pair: u32,
    up: [bool; 2],
    frozen: [bool; 2],
    /// Who was asked for answers that the other one was not asked for yet, and from which user on.
    kept: Option<(usize, u64)>,
}

impl Scripted {
    fn new(fates: &[(usize, Fate)]) -> Self {
        let fates = fates.to_vec();
        Self { fates, acts_left: usize::MAX, pair: 0, up: [false; 2], frozen: [false; 2], kept: None }
    }

    fn has(&self, side: usize, fate: Fate) -> bool {
        self.fates.contains(&(side, fate))
    }

    /// The same, and it happens once.
    fn meets(&mut self, side: usize, fate: Fate) -> bool {
        let met = self.has(side, fate);
        self.fates.retain(|known| *known != (side, fate));
        met
    }

    fn start(&mut self, side: usize) -> Outcome {
        assert!(!self.up[side], "it is up already");
        if self.has(side, Fate::NotReady) {
            return Outcome::NotReady("no".to_owned());
        }
        (self.up[side], self.frozen[side]) = (true, false);
        let placement = Placement {
            contender: "c".to_owned(),
            target: ([127, 0, 0, 1], 1).into(),
            limits_enforced: true,
            limits_note: None,
            walls_note: None,
            services: Vec::new(),
        };
        Outcome::Started(Box::new(Started { placement, databases: Vec::new() }))
    }

    fn alternate(&mut self, traffic: &LevelTraffic) -> Outcome {
        assert_eq!(self.up, [true; 2]);
        let sides = [0, 1].map(|side| self.loaded(side, traffic));
        let slice = Slice { elapsed_ns: 1, ok: 1, ..Slice::default() };
        let restless = [0, 1].map(|side| if self.has(side, Fate::Restless(self.pair)) { 2 } else { 0 });
        Outcome::Alternated(Box::new(Alternated { sides, slices: vec![[slice; 2]], restless }))
    }

    fn load(&mut self, side: usize, traffic: &LevelTraffic) -> Outcome {
        assert!(self.up[side] && !self.frozen[side], "side {side} is not there");
        Outcome::Loaded(Box::new(self.loaded(side, traffic)))
    }

    fn loaded(&mut self, side: usize, traffic: &LevelTraffic) -> Loaded {
        let ok = if traffic.purpose == Purpose::Answers && self.has(side, Fate::Refuses) { 0 } else { 1_000 };
        let is_turn = traffic.purpose == Purpose::Turn;
        let run_queue_ns = if is_turn && self.has(side, Fate::Spoiled(self.pair)) { 100_000_000 } else { 0 };
        let load = LoadRecord {
            started_ns: 0,
            ended_ns: 1_000_000_000,
            steps: vec![StepRecord {
                ledger: Ledger { intended: ok, ok, ..Ledger::default() },
                ..StepRecord::default()
            }],
            engine: EngineRecord { run_queue_ns: vec![run_queue_ns], ..EngineRecord::default() },
            ..LoadRecord::default()
        };
        let answers = match self.kept {
            _ if traffic.kept == 0 => None,
            Some((other, user)) if other != side && user == traffic.first_user => Some(AnswersRecord {
                compared: traffic.kept,
                equal: traffic.kept,
                ..AnswersRecord::default()
            }),
            _ => {
                self.kept = Some((side, traffic.first_user));
                None
            }
        };
        let findings =
            if is_turn && self.meets(side, Fate::Dies(self.pair)) { vec![death()] } else { Vec::new() };
        let figures = Some(Box::new(LoadFigures::default()));
        Loaded { load, findings, figures, answers, ..Loaded::default() }
    }
}

fn death() -> HostFact {
    HostFact::ServiceDied(ServiceDied {
        service: "command".to_owned(),
        ended: Ended::Status(9),
        out_of_memory: None,
        log: Vec::new(),
        log_path: String::new(),
    })
}

impl Stage for Scripted {
    type Bulk = ();

    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError> {
        let Some(left) = self.acts_left.checked_sub(1) else { return Ok(None) };
        self.acts_left = left;
        Ok(Some(match act {
            Act::Begin(UnitTerms { kind: UnitKind::Pair { pair, .. }, .. }) => {
                self.pair = *pair;
                Outcome::Done
            }
            Act::Close => Outcome::Done,
            Act::Start { contender } => self.start(*contender),
            Act::Freeze { contender } => {
                assert!(!std::mem::replace(&mut self.frozen[*contender], true), "it stands still already");
                Outcome::Done
            }
            Act::Resume { contender } if self.meets(*contender, Fate::IsGone(self.pair)) => {
                Outcome::Gone(vec![death()])
            }
            Act::Resume { contender } => {
                self.frozen[*contender] = false;
                Outcome::Done
            }
            Act::Load(LoadTerms { contender, traffic: Workload::Level(traffic), .. }) => {
                self.load(*contender, traffic)
            }
            Act::Alternate(terms) => self.alternate(&terms.traffic),
            Act::Stop { contender } => {
                assert!(std::mem::take(&mut self.up[*contender]), "it is not up");
                Outcome::Stopped(Box::default())
            }
            other => panic!("{other:?}"),
        }))
    }

    fn take_bulk(&mut self) {}

    fn clear(&mut self) -> Result<(), DriveError> {
        self.up = [false; 2];
        Ok(())
    }
}

fn judge(unit: Unit<'_>, (): ()) -> Result<PairFacts, DriveError> {
    judge_pair(unit).map_err(DriveError::Bug)
}

fn judged(plan: &DuelPlan, acts: &[Acted]) -> JudgedDuel {
    JudgedDuel::of_acts(plan, &RunHeader::default(), acts, "1".to_owned()).unwrap()
}

/// All acts of a duel, with what the judge says of its pairs. The schedule asks of them for exactly these.
fn driven(plan: &DuelPlan, fates: &[(usize, Fate)]) -> (Vec<Acted>, Vec<PairFacts>) {
    resumed_after(usize::MAX, plan, fates)
}

/// The same of one that was broken off after so many acts, and resumed.
fn resumed_after(cut: usize, plan: &DuelPlan, fates: &[(usize, Fate)]) -> (Vec<Acted>, Vec<PairFacts>) {
    let root = tempfile::tempdir().unwrap();
    let (path, duel) = (root.path().join("run"), Duel::new(plan));
    let first = writer(&path, plan);
    let mut script = Scripted { acts_left: cut, ..Scripted::new(fates) };
    drive(&duel, &mut script, &first, judge, &mut Nobody, Before::default()).unwrap();
    drop(first);

    let (second, run) = RunWriter::resume::<DuelPlan>(&path, &seeds(&path)).unwrap();
    let closed = units(&run.acts).unwrap().into_iter().filter(Unit::is_closed);
    let before = Before { facts: closed.map(|unit| judge_pair(unit).unwrap()).collect(), acts: run.acts };
    let mut script = Scripted::new(&script.fates);
    let Driven { facts, interrupted } =
        drive(&duel, &mut script, &second, judge, &mut Nobody, before).unwrap();
    assert!(!interrupted && script.up == [false; 2], "however a duel ends, nothing is up");
    let acts = Run::<DuelPlan>::open(&path, &seeds(&path)).unwrap().acts;
    replays(&duel, &acts, &facts);
    (acts, facts)
}

/// Acts in a word each, a pair a line; what comes before the first one is a line as well. Loads of one kind after one another
/// are one.
fn told(acts: &[Acted]) -> Vec<String> {
    let mut lines: Vec<Vec<String>> = vec![Vec::new()];
    for acted in acts {
        let word = match &acted.act {
            Act::Begin(UnitTerms { kind: UnitKind::Pair { pair, start }, .. }) => {
                lines.push(Vec::new());
                format!("{pair}/{start}:")
            }
            Act::Start { contender } => format!("start{contender}"),
            Act::Stop { contender } => format!("stop{contender}"),
            Act::Freeze { contender } => format!("freeze{contender}"),
            Act::Resume { contender } => format!("resume{contender}"),
            Act::Load(LoadTerms { contender, traffic: Workload::Level(traffic), .. }) => {
                match traffic.purpose {
                    Purpose::Answers => format!("answers{contender}"),
                    Purpose::WarmUp => format!("warm{contender}"),
                    Purpose::Turn => format!("{}{contender}", traffic.terms.level.name()),
                }
            }
            Act::Alternate(terms) => format!("{}01", terms.traffic.terms.level.name()),
            Act::Close => "close".to_owned(),
            other => panic!("{other:?}"),
        };
        let line = lines.last_mut().unwrap();
        if line.last() != Some(&word) {
            line.push(word);
        }
    }
    lines.iter().map(|words| words.join(" ")).collect()
}

const FIRST: &str =
    "start0 answers0 freeze0 start1 answers1 freeze1 resume0 warm0 freeze0 resume1 warm1 freeze1";
const TURNS: &str = "resume0 half0 highest0 freeze0 resume1 half1 highest1 freeze1 close";

#[test]
fn both_sides_are_asked_and_warmed_up_and_then_driven_in_turns() {
    let (acts, facts) = driven(&plan(), &[]);
    let last = format!("2/0: {TURNS} stop0 stop1");
    assert_eq!(told(&acts), [FIRST.to_owned(), format!("0/0: {TURNS}"), format!("1/0: {TURNS}"), last]);
    assert!(facts.iter().all(|pair| pair.spoiled.is_none() && pair.turns.len() == 2));
    let duel = judged(&plan(), &acts);
    assert_eq!((duel.end, duel.turns.len(), duel.answers.compared), (RunEnd::Done, 6, 20 + 3 * 50));
    // A rate that rises no more is seen in three further parts.
    assert_eq!(duel.sides.each_ref().map(|side| side.warm_up.len()), [4, 4]);
    assert_eq!(duel.levels.len(), 2);
    let of = |purpose: Purpose| {
        let loads = acts.iter().flat_map(loads_of).filter(move |(_, traffic, _)| traffic.purpose == purpose);
        loads.map(|(side, traffic, _)| (side, traffic.first_user)).collect::<Vec<_>>()
    };
    let turns = of(Purpose::Turn);
    let users =
        |side: usize| turns.iter().filter(|(of, _)| *of == side).map(|(_, user)| *user).collect::<Vec<_>>();
    assert_eq!(users(0), users(1), "both sides are asked the same");
    assert!(users(0).windows(2).all(|pair| pair[0] < pair[1]), "and never the same again");
}

#[test]
fn a_warm_up_takes_no_longer_than_it_may_however_late_its_last_answers_are() {
    let plan = DuelPlan { pace: Pace { warm_up_max_ns: 2_500_000_000, ..plan().pace }, ..plan() };
    let duel = judged(&plan, &driven(&plan, &[]).0);
    // Parts of half a second that took a whole one.
    assert_eq!(duel.sides.each_ref().map(|side| side.warm_up.len()), [3, 3]);
}

#[test]
fn in_slices_both_are_up_and_still_when_a_load_of_both_begins_and_after_it() {
    let (acts, facts) = driven(&sliced(plan()), &[]);
    let pair = "half01 highest01 close";
    let lines = [
        FIRST.to_owned(),
        format!("0/0: {pair}"),
        format!("1/0: {pair}"),
        format!("2/0: {pair} stop0 stop1"),
    ];
    assert_eq!(told(&acts), lines);
    assert!(facts.iter().all(|pair| pair.turns.iter().all(|turn| turn.loads.len() == 2)));
    let starts = DuelPlan { pace: Pace { pairs_per_start: 1, pairs: 2, ..plan().pace }, ..plan() };
    let again = "start1 warm1 freeze1 start0 warm0 freeze0";
    assert!(told(&driven(&sliced(starts), &[]).0)[2].contains(again), "each start is warmed up");
    let (acts, _) = driven(&sliced(plan()), &[(0, Fate::Dies(1))]);
    assert!(
        told(&acts)[2].starts_with("1/0: half01 stop0 start0 warm0 freeze0 highest01"),
        "{:?}",
        told(&acts)
    );
    let (acts, _) = driven(&sliced(addresses()), &[]);
    assert_eq!(told(&acts)[1], "0/0: half01 highest01 close");
}

#[test]
fn slices_are_long_enough_for_answers_and_arrivals() {
    let (acts, _) = driven(&sliced(plan()), &[]);
    let at = |plan: &DuelPlan, terms: &LevelTerms| pace::slices(plan, &acts, terms).length_ns / 1_000_000;
    let first = |plan: &DuelPlan| at(plan, &pace::levels(plan, &acts)[0]);
    let of = |plan: &DuelPlan| at(plan, pace::levels(plan, &acts).last().unwrap());
    // 1,000 answers a second: ten for each of 16 connections take 160 ms, of 200 more than two seconds.
    assert_eq!(of(&plan()), 160);
    assert_eq!(of(&DuelPlan { connections: 200, ..plan() }), 1_000);
    assert_eq!(of(&DuelPlan { connections: 1, ..plan() }), 100);
    assert_eq!(first(&DuelPlan { connections: 200, ..plan() }), 100, "500 arrive in a second");
    let rare = DuelPlan { connections: 1, asked: Some(AskedTraffic::Rate(50_000_000)), ..plan() };
    assert!((395..=400).contains(&of(&rare)), "{}", of(&rare));
}

#[test]
fn commands_that_share_a_port_are_up_one_at_a_time_and_who_begins_is_drawn() {
    let plan = DuelPlan { rest: Rest::Ends, pace: Pace { pairs_per_start: 1, ..plan().pace }, ..plan() };
    let (acts, _) = driven(&plan, &[]);
    let turn = |side: usize| format!("start{side} warm{side} half{side} highest{side} stop{side}");
    let pair = |pair: u32, [first, second]: [usize; 2]| {
        format!("{pair}/{pair}: {} {} close", turn(first), turn(second))
    };
    let first = "start0 answers0 stop0 start1 answers1 stop1 start0 warm0 stop0 start1 warm1 stop1";
    // The third is drawn again, and the plan's seed draws this.
    assert_eq!(told(&acts), [first.to_owned(), pair(0, [0, 1]), pair(1, [1, 0]), pair(2, [1, 0])]);
}

#[test]
fn nobody_goes_on_from_first_answers_to_warm_up_or_from_there_to_its_turn() {
    let begins = (0..8).map(|number| {
        let plan = DuelPlan { rest: Rest::Ends, seed: galo_plan::Seed::of_number(number), ..plan() };
        let told = told(&driven(&plan, &[]).0);
        let [a, b] = turns::block(plan.seed, 0, 2)[..] else { unreachable!("two sides") };
        let phase = |name: &str| format!("start{a} {name}{a} stop{a} start{b} {name}{b} stop{b}");
        assert_eq!(told[0], format!("{} {}", phase("answers"), phase("warm")));
        assert!(told[1].starts_with(&format!("0/0: start{a} ")), "{told:?}");
        a
    });
    let begins = begins.collect::<std::collections::BTreeSet<_>>();
    assert_eq!(begins.len(), 2, "of eight seeds some let either side begin");
}

#[test]
fn both_are_started_afresh_after_so_many_pairs_and_warmed_up_again() {
    let plan = DuelPlan { pace: Pace { pairs: 4, pairs_per_start: 2, ..plan().pace }, ..plan() };
    let told = told(&driven(&plan, &[]).0);
    assert!(told[2].ends_with("close stop0 stop1"), "{told:?}");
    let afresh = "2/1: start1 warm1 half1 highest1 freeze1 start0 warm0 half0 highest0 freeze0 close";
    assert_eq!(told[3], afresh);
}

#[test]
fn addresses_are_never_stopped_or_resumed() {
    let (acts, _) = driven(&addresses(), &[]);
    let first = "start0 answers0 start1 answers1 warm0 warm1";
    let pair = |pair: u32| format!("{pair}/0: half0 highest0 half1 highest1 close");
    assert_eq!(told(&acts), [first.to_owned(), pair(0), pair(1), pair(2)]);
}

#[test]
fn who_asks_for_a_traffic_gets_no_more_than_that() {
    let asked = AskedTraffic::Arrivals(Injection::parse(&["ramp 10/s to 30/s over 9s"]).unwrap());
    let (acts, _) = driven(&DuelPlan { asked: Some(asked.clone()), ..plan() }, &[]);
    for (_, traffic, _) in acts.iter().flat_map(loads_of) {
        let is_bounded = traffic.total.is_some()
            || traffic.terms.injection.as_ref().is_some_and(|injection| {
                injection
                    .phases()
                    .iter()
                    .all(|phase| phase.to_micro.max(phase.from_micro) <= asked.peak_micro())
            });
        assert!(is_bounded, "{traffic:?}");
    }
    let duel = judged(&DuelPlan { asked: Some(asked), ..plan() }, &acts);
    assert!(duel.sides.iter().all(|side| side.warm_up.is_empty()));
}

#[test]
fn a_side_that_dies_is_ended_after_its_turn_and_started_for_its_next_one() {
    let (acts, _) = driven(&plan(), &[(0, Fate::Dies(1)), (1, Fate::IsGone(2))]);
    let told = told(&acts);
    assert_eq!(told[2], "1/0: resume0 half0 highest0 stop0 resume1 half1 highest1 freeze1 close");
    let gone = "2/0: start0 warm0 half0 highest0 freeze0 resume1 stop1 start1 warm1 half1 highest1 freeze1 close stop0 stop1";
    assert_eq!(told[3], gone);
    let duel = judged(&plan(), &acts);
    let findings: Vec<_> = duel.findings.iter().map(|found| (found.side, found.pair)).collect();
    assert_eq!(findings, [(0, Some(1)), (1, Some(2))]);
}

#[test]
fn for_a_pair_that_galo_spoiled_another_one_is_driven() {
    let spoiled = [(1, Fate::Spoiled(1))];
    let (acts, facts) = driven(&plan(), &spoiled);
    let counting: Vec<bool> = facts.iter().map(|pair| pair.spoiled.is_none()).collect();
    assert_eq!(counting, [true, false, true, true]);
    assert_eq!(judged(&plan(), &acts).end, RunEnd::Done);
}

#[test]
fn where_a_side_does_not_stand_still_after_a_slice_whole_turns_follow_and_it_is_told() {
    let plan = sliced(plan());
    let (acts, facts) = driven(&plan, &[(1, Fate::Restless(0))]);
    let in_slices =
        |pair: &PairFacts| pair.turns.iter().flat_map(|turn| &turn.loads).any(|load| !load.slices.is_empty());
    let seen: Vec<bool> = facts.iter().map(in_slices).collect();
    assert_eq!((facts.len(), seen[1..].contains(&true)), (plan.pace.pairs as usize, false));
    let restless = judged(&plan, &acts).sliced.unwrap().restless;
    assert!(restless[0] == 0 && restless[1] > 0, "{restless:?}");
}

#[test]
fn a_side_that_was_late_to_stand_still_a_few_times_is_driven_in_slices_to_the_end() {
    assert!(!Alternated::are_restless(15, [2, 2]));
    assert!(Alternated::are_restless(15, [0, 3]));
    // One in thirty, as a busy machine is seen.
    assert!(!Alternated::are_restless(1_440, [48, 0]));
}

#[test]
fn a_pair_for_which_there_is_no_time_is_not_begun() {
    let bounded = |within_ns| DuelPlan { pace: Pace { within_ns: Some(within_ns), ..plan().pace }, ..plan() };
    let pairs = |within_ns| driven(&bounded(within_ns), &[]).1.len();
    assert_eq!([pairs(1), pairs(u64::MAX)], [1, 3]);
    let (acts, _) = driven(&bounded(1), &[]);
    assert_eq!(judged(&bounded(1), &acts).end, RunEnd::Done);
}

#[test]
fn a_side_that_does_not_come_up_or_answer_ends_the_duel_once_the_other_one_was_asked_too() {
    let told_of = |plan: &DuelPlan, fates: &[(usize, Fate)]| {
        let (acts, facts) = driven(plan, fates);
        assert!(facts.is_empty());
        (told(&acts).concat(), judged(plan, &acts).end)
    };
    for (fate, seed) in
        [Fate::NotReady, Fate::Refuses].into_iter().flat_map(|fate| (0..8).map(move |seed| (fate, seed)))
    {
        let plan = DuelPlan { seed: galo_plan::Seed::of_number(seed), ..plan() };
        let is_expected = |end: &RunEnd| match (fate, end) {
            (Fate::NotReady, RunEnd::Failed(why)) | (Fate::Refuses, RunEnd::Refused(why)) => {
                Some(why.clone())
            }
            _ => None,
        };
        for side in 0..2 {
            let (acts, end) = told_of(&plan, &[(side, fate)]);
            assert!(acts.contains(&format!("answers{}", 1 - side)), "{acts}");
            assert!(is_expected(&end).is_some_and(|why| why.lines().count() <= 2), "{end:?}");
        }
        let (acts, end) = told_of(&plan, &[(0, fate), (1, fate)]);
        let asked = if fate == Fate::NotReady { "start" } else { "answers" };
        assert_eq!(acts.matches(asked).count(), 2, "{acts}");
        let why = is_expected(&end).unwrap();
        assert!(
            fate == Fate::NotReady && why == "no\nno" || why.contains("`a`") && why.contains("`b`"),
            "{why}"
        );
    }
}

#[test]
fn a_duel_that_was_cut_off_after_any_act_comes_to_the_same_pairs_when_it_is_resumed() {
    let two = |plan: DuelPlan| DuelPlan { pace: Pace { pairs: 2, ..plan.pace }, ..plan };
    let shared = DuelPlan { rest: Rest::Ends, pace: Pace { pairs_per_start: 1, ..plan().pace }, ..plan() };
    let asked = DuelPlan { asked: Some(AskedTraffic::Rate(77_000_000)), ..plan() };
    let fates = [(0, Fate::Dies(0)), (0, Fate::Spoiled(1)), (1, Fate::IsGone(1))];
    for plan in [plan(), shared, addresses(), sliced(plan()), sliced(addresses()), asked].map(two) {
        let (acts, whole) = driven(&plan, &fates);
        for cut in 0..acts.len() {
            let (resumed, pairs) = resumed_after(cut, &plan, &fates);
            let told = |pairs: &[PairFacts]| -> Vec<_> {
                let of = |pair: &PairFacts| (pair.pair, pair.turns.clone(), pair.spoiled.is_some());
                pairs.iter().map(of).collect()
            };
            assert_eq!(told(&pairs), told(&whole), "cut off after {cut} acts");
            let (resumed, acts) = (judged(&plan, &resumed), judged(&plan, &acts));
            assert_eq!(resumed.end, RunEnd::Done);
            let but_findings = |duel| JudgedDuel { findings: Vec::new(), ..duel };
            assert_eq!(but_findings(resumed), but_findings(acts), "after {cut} acts");
        }
    }
}

#[test]
fn a_duel_that_was_cut_off_between_two_pairs_is_not_done() {
    let (acts, _) = driven(&plan(), &[]);
    let second = acts.iter().rposition(|acted| matches!(acted.act, Act::Begin(_))).unwrap();
    let cut = judged(&plan(), &acts[..second]);
    assert_eq!((cut.end, cut.turns.len()), (RunEnd::Interrupted, 4));
}
