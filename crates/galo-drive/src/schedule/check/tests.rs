use super::*;
use crate::schedule::testing::{Fate, Scripted, acts, plan, replays, resumed_after, told};

const ROUND: &str = "0:0, start, count first, count quiet, load x1, count atrest";

fn plan_of(crashes: bool) -> Plan {
    Plan { kind: Kind::Check { crashes }, ..plan(1, 1) }
}

fn driven(crashes: bool, fates: &[Fate]) -> Vec<String> {
    let plan = plan_of(crashes);
    let check = Check::new(&plan, true, true).unwrap();
    let (acts, facts) = acts(&plan, &check, &mut Scripted::new(fates));
    replays(&check, &acts, &facts);
    told(&acts)
}

#[test]
fn a_check_asks_the_cases_and_starts_the_contender_once_more() {
    let renewed = "stop, start, count first, stop, close";
    assert_eq!(driven(false, &[]), [format!("{ROUND}, askcases, {renewed}")]);
}

#[test]
fn a_crash_and_an_outage_look_up_what_was_acknowledged() {
    let rounds = driven(true, &[]);
    let killed = |repeats| {
        format!("0:0, start, count first, count quiet, load x{repeats}, count atrest, lookup, stop, close")
    };
    assert_eq!(rounds[1..], [killed(1), killed(2)]);
}

#[test]
fn who_stays_down_after_a_crash_is_asked_nothing_but_after_an_outage_the_others_are() {
    let rounds = driven(true, &[Fate::Well, Fate::StaysDown, Fate::StaysDown]);
    assert_eq!(rounds[1], "0:0, start, count first, count quiet, load x1, stop, close");
    assert!(rounds[2].contains("lookup"));
}

#[test]
fn who_does_not_come_up_is_not_killed() {
    assert_eq!(driven(true, &[Fate::NotReady]), ["0:0, start, close"]);
}

#[test]
fn a_check_that_was_cut_off_after_any_act_comes_to_the_same_rounds_when_it_is_resumed() {
    let plan = plan_of(true);
    let check = Check::new(&plan, true, true).unwrap();
    let fates = [Fate::Well, Fate::StaysDown, Fate::Well];
    let (whole, _) = acts(&plan, &check, &mut Scripted::new(&fates));
    for cut in 0..whole.len() {
        let resumed = resumed_after(cut, &plan, &check, &fates);
        replays(&check, &resumed.acts, &resumed.facts);
        assert_eq!(resumed.rounds(), told(&whole), "cut off after {cut} acts");
    }
}
