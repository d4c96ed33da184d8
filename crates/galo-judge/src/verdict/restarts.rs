//! What the restarts of several rounds say together.

use crate::findings::Kind;
use crate::judgement::{Judgement, Standing};

/// The rounds with the standing that all restarts of their contender give them: who held everybody after one restart, and nobody after
/// another, does not empty its tables at its start. It lost them before.
pub fn settled(rounds: &[Judgement]) -> Vec<Judgement> {
    let lost = Kind::LostAfterRestart.name();
    let says = |round: &Judgement, kind| round.findings.iter().any(|finding| finding.fact.kind() == kind);
    let kept = |contender: usize| {
        rounds.iter().any(|round| round.contender == contender && says(round, Kind::Restart))
    };
    let settle = |round: &Judgement| {
        let mut settled = round.clone();
        if says(round, Kind::EmptiedAtStart) && kept(round.contender) {
            match &mut settled.standing {
                Standing::Disqualified { rules } if !rules.iter().any(|rule| rule == lost) => {
                    rules.push(lost.to_owned());
                }
                Standing::Disqualified { .. } | Standing::NotReady { .. } => {}
                standing => *standing = Standing::Disqualified { rules: vec![lost.to_owned()] },
            }
        }
        settled
    };
    rounds.iter().map(settle).collect()
}

#[cfg(test)]
mod tests {
    use galo_record::Halt;

    use super::*;
    use crate::findings::{AllThere, EmptiedAtStart, Fact, Finding, Restart};
    use crate::verdict::tests::round;

    #[test]
    fn who_holds_everybody_after_one_restart_and_nobody_after_another_lost_them() {
        let emptied = Fact::from(EmptiedAtStart {
            halt: Halt::Asked,
            acknowledged: 9,
            grown_bytes: 9999,
            flushes: Some(9),
        });
        let there = AllThere { sought: 9, untold: 0, accounts: 0 };
        let kept = Fact::from(Restart { halt: Halt::Killed, there, down_ns: 1, up_ns: 1 });
        let with = |slot: usize, fact: &Fact| {
            let mut round = round(slot, 10.0);
            round.findings = vec![Finding::new(fact.clone())];
            round
        };
        let standings = |facts: [&Fact; 2]| {
            let rounds = [with(0, facts[0]), with(2, facts[1]), with(1, &kept)];
            settled(&rounds).into_iter().map(|round| round.standing).collect::<Vec<_>>()
        };
        let lost = Standing::Disqualified { rules: vec!["lost-after-restart".to_owned()] };
        assert_eq!(standings([&emptied, &kept]), [lost, Standing::Valid, Standing::Valid]);
        assert_eq!(standings([&emptied, &emptied]), [Standing::Valid, Standing::Valid, Standing::Valid]);
        assert_eq!(standings([&kept, &kept]), [Standing::Valid, Standing::Valid, Standing::Valid]);
    }
}
