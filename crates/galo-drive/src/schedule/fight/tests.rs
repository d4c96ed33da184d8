use std::collections::BTreeSet;

use galo_plan::{PairId, Seed};
use galo_record::act::units;

use super::*;
use crate::schedule::testing::{Fate, Scripted, acts, acts_judged, plan, replays, resumed_after, told};

const DRIVEN: &str = "start, count first, count quiet, load x1, count atrest";
const AGAIN: &str = "count first, lookup, stop, close";

#[test]
fn a_fight_drives_each_round_from_its_start_to_its_removal() {
    let plan = plan(2, 1);
    let fight = Fight::new(&plan, true);
    let (acts, facts) = acts(&plan, &fight, &mut Scripted::new(&[]));
    let [first, second] = [plan.order[0], plan.order[1]];
    let round = format!("{DRIVEN}, askcases, rest, count once, restart asked, {AGAIN}");
    assert_eq!(told(&acts), [format!("0:{first}, {round}"), format!("1:{second}, {round}")]);
    replays(&fight, &acts, &facts);
}

#[test]
fn both_of_a_pair_are_ended_and_started_again_each_way_in_one_of_the_first_two_and_once_later_and_asked_the_cases_once()
 {
    let (mut first_ways, mut later_pairs) = (BTreeSet::new(), BTreeSet::new());
    for seed in 0..40 {
        let plan = Plan { seed: Seed::of_number(seed), ..plan(2, 6) };
        let fight = Fight::new(&plan, true);
        let rounds: Vec<_> = (0..6).map(|pair| fight.round(pair, 0)).collect();
        let halts: Vec<_> = rounds.iter().map(|round| round.halt).collect();
        assert!(halts[0].is_some() && halts[1].is_some() && halts[0] != halts[1], "{halts:?}");
        assert_eq!(halts.iter().flatten().count(), 3, "{halts:?}");
        assert_eq!(rounds.iter().filter(|round| round.cases).count(), 1);
        first_ways.insert(format!("{:?}", halts[0]));
        later_pairs.extend(halts[2..].iter().position(Option::is_some));
        let none = Plan {
            kind: Kind::Fight { ends_early: false, looks: Vec::new(), restarts: false },
            ..plan.clone()
        };
        let fight = Fight::new(&none, true);
        assert!((0..6).all(|pair| fight.round(pair, 0).halt.is_none()));
    }
    assert_eq!((first_ways.len(), later_pairs.len()), (2, 4));
}

#[test]
fn a_fight_that_creates_nothing_asks_the_cases_once_and_starts_nobody_again() {
    let mut plan = plan(2, 6);
    let steps = plan.challenge.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps);
    steps.for_each(|step| step.creates = false);
    let fight = Fight::new(&plan, true);
    let rounds: Vec<_> = (0..6).map(|pair| fight.round(pair, 0)).collect();
    assert_eq!(rounds.iter().filter(|round| round.cases).count(), 1);
    assert!(rounds.iter().all(|round| round.halt.is_none()));
}

#[test]
fn null_servers_are_asked_nothing_but_the_traffic() {
    let mut plan = plan(2, 1);
    plan.contenders[1].null_of = Some(plan.contenders[0].name.clone());
    let (acts, facts) = acts(&plan, &Fight::new(&plan, true), &mut Scripted::new(&[]));
    let of_null = told(&acts).into_iter().filter(|round| round.contains(":1, ")).collect::<Vec<_>>();
    let [round] = &of_null[..] else { panic!("{of_null:?}") };
    assert!(round.ends_with(":1, start, load x1, stop, close"), "{round}");
    replays(&Fight::new(&plan, true), &acts, &facts);
}

#[test]
fn a_void_round_of_null_servers_is_not_driven_anew() {
    let rounds = |null: Option<&str>| {
        let mut plan = plan(2, 10);
        plan.contenders[1].null_of = null.map(str::to_owned);
        let voids = std::cell::Cell::new(0);
        let judge = |judgement: Judgement| {
            let is_void = judgement.contender == 1 && voids.replace(voids.get() + 1) == 0;
            let standing = if is_void { Standing::Void { reasons: Vec::new() } } else { Standing::Valid };
            Judgement { standing, stressed: true, ..judgement }
        };
        acts_judged(&plan, &Fight::new(&plan, false), &mut Scripted::new(&[]), judge).1.len()
    };
    assert!(rounds(None) > 20);
    assert_eq!(rounds(Some("a")), 20);
}

#[test]
fn who_does_not_come_up_again_is_not_asked() {
    let plan = plan(1, 1);
    let fight = Fight::new(&plan, false);
    let (acts, facts) = acts(&plan, &fight, &mut Scripted::new(&[Fate::StaysDown]));
    assert_eq!(told(&acts), [format!("0:0, {DRIVEN}, rest, count once, restart asked, stop, close")]);
    assert!(facts[0].findings.iter().any(|finding| finding.name() == "not-up-after-restart"));
    replays(&fight, &acts, &facts);
}

#[test]
fn a_contender_that_does_not_come_up_or_never_answers_is_not_driven() {
    let plan = plan(1, 2);
    let fight = Fight::new(&plan, true);
    let (acts, facts) = acts(&plan, &fight, &mut Scripted::new(&[Fate::NotReady, Fate::Silent]));
    assert_eq!(told(&acts), ["0:0, start, close", "1:0, start, count first, stop, close"]);
    assert!(facts.iter().all(|j| matches!(j.standing, Standing::NotReady { .. })));
    replays(&fight, &acts, &facts);
}

#[test]
fn a_fight_that_is_decided_ends_early_where_it_may() {
    let all_down = [Fate::NotReady; 12];
    let rounds = |ends_early| {
        let plan = Plan { kind: Kind::Fight { ends_early, looks: Vec::new(), restarts: true }, ..plan(2, 6) };
        let fight = Fight::new(&plan, true);
        let (acts, facts) = acts(&plan, &fight, &mut Scripted::new(&all_down));
        replays(&fight, &acts, &facts);
        facts.len()
    };
    assert_eq!((rounds(false), rounds(true)), (12, 4));
}

#[test]
fn a_disqualified_contender_is_driven_no_more_where_a_fight_may_end_early_and_the_other_has_both_ways_to_end()
{
    let rounds_of = |liar: usize, contenders: usize, ends_early| {
        let plan = Plan {
            kind: Kind::Fight { ends_early, looks: Vec::new(), restarts: true },
            ..plan(contenders, 3)
        };
        let fight = Fight::new(&plan, true);
        let judge = |judgement: Judgement| {
            let rules = vec!["lost-after-restart".to_owned()];
            let lies = judgement.contender == liar;
            let standing = if lies { Standing::Disqualified { rules } } else { Standing::Valid };
            Judgement { standing, stressed: true, ..judgement }
        };
        let (acts, facts) = acts_judged(&plan, &fight, &mut Scripted::new(&[]), judge);
        replays(&fight, &acts, &facts);
        let rounds = |contender| facts.iter().filter(|round| round.contender == contender).count();
        (0..contenders).map(rounds).collect::<Vec<_>>()
    };
    assert_eq!(rounds_of(0, 2, true), [1, 2], "of the other one each way is known");
    assert_eq!(rounds_of(1, 2, true), [2, 1]);
    assert_eq!(rounds_of(1, 3, true), [3, 1, 3], "the others fight on");
    assert_eq!(rounds_of(1, 2, false), [3, 3], "a number of rounds that was asked for is driven");
}

#[test]
fn void_rounds_do_not_count_towards_the_least_number() {
    let plan =
        Plan { kind: Kind::Fight { ends_early: true, looks: Vec::new(), restarts: true }, ..plan(2, 6) };
    let fight = Fight::new(&plan, true);
    let voids = std::cell::Cell::new(0);
    let judge = |judgement: Judgement| {
        let rules = vec!["lost-after-restart".to_owned()];
        let is_void = judgement.contender == 0 && voids.get() < 2;
        let standing = match judgement.contender {
            1 => Standing::Disqualified { rules },
            _ if is_void => Standing::Void { reasons: Vec::new() },
            _ => Standing::Valid,
        };
        voids.set(voids.get() + u32::from(is_void));
        Judgement { standing, stressed: true, ..judgement }
    };
    let (_, facts) = acts_judged(&plan, &fight, &mut Scripted::new(&[]), judge);
    let of_honest = facts.iter().filter(|round| round.contender == 0);
    assert_eq!(of_honest.filter(|round| round.standing == Standing::Valid).count(), 2);
}

/// A judge that finds what was driven light, or stressed from a round on.
fn light(judgement: &Judgement, stressed_from: usize) -> Judgement {
    let stressed = judgement.number as usize > stressed_from;
    Judgement { standing: Standing::Valid, stressed, ..judgement.clone() }
}

#[test]
fn a_fight_ends_after_the_first_whole_pair_where_its_load_is_too_light_and_it_may_end_early() {
    let rounds = |contenders: usize, ends_early, stressed_from| {
        let kind = Kind::Fight { ends_early, looks: Vec::new(), restarts: true };
        let mut plan = Plan { kind, ..plan(contenders, 3) };
        for (number, contender) in plan.contenders.iter_mut().enumerate() {
            contender.file_sha256 = number.to_string();
        }
        let fight = Fight::new(&plan, true);
        let judge = |judgement: Judgement| light(&judgement, stressed_from);
        let (acts, facts) = acts_judged(&plan, &fight, &mut Scripted::new(&[]), judge);
        replays(&fight, &acts, &facts);
        facts.len()
    };
    assert_eq!([rounds(2, true, 99), rounds(3, true, 99)], [2, 3]);
    assert_eq!(rounds(2, false, 99), 6, "whoever names a number of rounds gets them");
    assert_eq!(rounds(2, true, 1), 6, "the second one was near a limit");
    assert_eq!(rounds(1, true, 99), 3, "one alone is compared with nobody");
}

#[test]
fn the_pair_of_a_void_round_is_driven_anew_with_other_rows_once_for_every_ten_pairs_of_the_plan() {
    let plan = plan(2, 12);
    let fight = Fight::new(&plan, true);
    let (acts, facts) = acts(&plan, &fight, &mut Scripted::new(&[Fate::NotReady; 24]));
    let of = |judgement: &Judgement, void: bool| {
        let standing = if void { Standing::Void { reasons: Vec::new() } } else { Standing::Valid };
        Judgement { standing, ..judgement.clone() }
    };
    let judgements =
        |void: &[bool]| -> Vec<Judgement> { void.iter().map(|void| of(&facts[0], *void)).collect() };
    let slot = |void: &[bool]| fight.slot(&judgements(void));
    assert_eq!(slot(&[]), Some((0, 0)));
    assert_eq!(slot(&[true]), Some((0, 1)));
    assert_eq!(slot(&[false, true]), Some((0, 1)), "the other one of the pair has the same rows again");
    assert_eq!(slot(&[true, true]), Some((0, 2)), "of twelve pairs two may be driven anew");
    assert_eq!(slot(&[true, true, true]), Some((1, 2)));
    assert_eq!(slot(&[false, false, false, true, false, false]), Some((4, 0)));
    let pairs: Vec<PairId> = units(&acts).unwrap().iter().map(|unit| unit.round().unwrap().pair).collect();
    assert!(
        pairs.chunks(2).all(|pair| pair[0] == pair[1]) && pairs.chunks(2).is_sorted_by(|a, b| a[0] != b[0])
    );
    replays(&fight, &acts, &facts);
}

#[test]
fn a_fight_that_was_cut_off_after_any_act_comes_to_the_same_rounds_when_it_is_resumed() {
    let plan = plan(2, 2);
    let fight = Fight::new(&plan, true);
    let fates = [Fate::Well, Fate::NotReady, Fate::Silent];
    let (whole, facts) = acts(&plan, &fight, &mut Scripted::new(&fates));
    let rounds = told(&whole);
    for cut in 0..whole.len() {
        let resumed = resumed_after(cut, &plan, &fight, &fates);
        replays(&fight, &resumed.acts, &resumed.facts);
        assert_eq!(resumed.rounds(), rounds, "cut off after {cut} acts");
        assert_eq!(resumed.facts.len(), facts.len());
        assert_eq!(told(&resumed.acts).len() - rounds.len(), resumed.lost, "what was cut off is kept");
    }
}
