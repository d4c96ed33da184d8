//! What the restarts of several rounds say together.

use crate::fact::Fact;
use crate::judgement::{Judgement, Standing};

/// The rule by which somebody is out who lost what it held.
const LOST: &str = "lost-after-restart";

/// The rounds with the standing that all restarts of their contender give them: who held everybody after one restart, and nobody after
/// another, does not empty its tables at its start. It lost them before.
pub fn settled(rounds: &[Judgement]) -> Vec<Judgement> {
    let crash_facts = |round: &Judgement| {
        let facts = round.findings.iter().filter_map(|finding| match &finding.fact {
            Fact::Crash(fact) => Some(fact.name()),
            _ => None,
        });
        facts.collect::<Vec<_>>()
    };
    let kept = |contender: usize| {
        rounds.iter().any(|round| round.contender == contender && crash_facts(round).contains(&KEPT))
    };
    let settle = |round: &Judgement| {
        let mut settled = round.clone();
        if crash_facts(round).contains(&EMPTIED) && kept(round.contender) {
            match &mut settled.standing {
                Standing::Disqualified { rules } if !rules.iter().any(|rule| rule == LOST) => {
                    rules.push(LOST.to_owned());
                }
                Standing::Disqualified { .. } | Standing::NotReady { .. } => {}
                standing => *standing = Standing::Disqualified { rules: vec![LOST.to_owned()] },
            }
        }
        settled
    };
    rounds.iter().map(settle).collect()
}

/// Everybody was there after a restart; nobody was, although the volumes may have held all.
const KEPT: &str = "restart";
const EMPTIED: &str = "emptied-at-start";

#[cfg(test)]
mod tests {
    use galo_plan::Blame;
    use galo_record::Halt;

    use super::*;
    use crate::fact::{AllThere, CrashFact, Finding};
    use crate::verdict::tests::round;

    #[test]
    fn who_holds_everybody_after_one_restart_and_nobody_after_another_lost_them() {
        let emptied = CrashFact::EmptiedAtStart {
            halt: Halt::Asked,
            acknowledged: 9,
            grown_bytes: 9999,
            flushes: Some(9),
        };
        let there = AllThere { sought: 9, untold: 0 };
        let kept = CrashFact::Restart { halt: Halt::Killed, there, down_ns: 1, up_ns: 1 };
        let with = |slot: usize, fact: &CrashFact| {
            let mut round = round(slot, 10.0);
            round.findings = vec![Finding::note(fact.clone(), Blame::Contender)];
            round
        };
        let standings = |facts: [&CrashFact; 2]| {
            let rounds = [with(0, facts[0]), with(2, facts[1]), with(1, &kept)];
            settled(&rounds).into_iter().map(|round| round.standing).collect::<Vec<_>>()
        };
        let lost = Standing::Disqualified { rules: vec![LOST.to_owned()] };
        assert_eq!(standings([&emptied, &kept]), [lost, Standing::Valid, Standing::Valid]);
        assert_eq!(standings([&emptied, &emptied]), [Standing::Valid, Standing::Valid, Standing::Valid]);
        assert_eq!(standings([&kept, &kept]), [Standing::Valid, Standing::Valid, Standing::Valid]);
    }
}
