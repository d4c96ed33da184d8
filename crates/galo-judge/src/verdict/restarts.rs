//! What the restarts of several rounds say together.

use crate::fact::{CrashFact, Fact};
use crate::judgement::{Judgement, Standing};

/// The rule by which somebody is out who lost what it held.
const LOST: &str = "lost-after-restart";

/// The rounds with the standing that all restarts of their contender give them: who held everybody after one restart, and nobody after
/// another, does not empty its tables at its start. It lost them before.
pub fn settled(rounds: &[Judgement]) -> Vec<Judgement> {
    let says = |round: &Judgement, is: fn(&CrashFact) -> bool| {
        round.findings.iter().any(|finding| matches!(&finding.fact, Fact::Crash(fact) if is(fact)))
    };
    let kept = |contender: usize| {
        let is_kept = |fact: &CrashFact| matches!(fact, CrashFact::Restart { .. });
        rounds.iter().any(|round| round.contender == contender && says(round, is_kept))
    };
    let is_emptied = |fact: &CrashFact| matches!(fact, CrashFact::EmptiedAtStart { .. });
    let settle = |round: &Judgement| {
        let mut settled = round.clone();
        if says(round, is_emptied) && kept(round.contender) {
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

#[cfg(test)]
mod tests {
    use galo_plan::Blame;
    use galo_record::Halt;

    use super::*;
    use crate::fact::{AllThere, Finding};
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
