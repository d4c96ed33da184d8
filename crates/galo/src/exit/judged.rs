//! The exit code as a function of what a run came to.

use galo_judge::assertion::RatioOutcome;
use galo_judge::duel::{DuelVerdict, JudgedDuel};
use galo_judge::fight::{FightKind, JudgedFight};
use galo_judge::judged::Judged;
use galo_judge::limit::LimitedBy;
use galo_judge::load::JudgedLoad;
use galo_judge::{Judgement, Standing, Verdict};
use galo_record::RunEnd;

use super::Exit;

impl Exit {
    /// What a run came to. `is_strict`: what a duel's bounds ask for and was not measured is not done.
    pub(crate) fn of_run(judged: &Judged, is_strict: bool) -> Self {
        of_end(&judged.end()).unwrap_or_else(|| match judged {
            Judged::Fight(fight) => of_fight(fight),
            Judged::Duel(duel) => of_duel(duel, is_strict),
            Judged::Scan(scan) => {
                let duels = scan.duels.iter().map(|at| of_duel(&at.duel, is_strict));
                duels.max_by_key(|exit| exit.gravity()).unwrap_or(Self::Done)
            }
            Judged::Load(load) => of_load(load),
            // An entry that is out is a result.
            Judged::League(_) | Judged::Sweep(_) => Self::Done,
            Judged::Tune(tune) if tune.best.is_none() => Self::NotStarted,
            Judged::Tune(_) => Self::Done,
            Judged::Limit(limit) => of_limit(limit.at_least_met, limit.limited_by),
            Judged::Soak(soak) if soak.soaked.void.is_empty() => Self::Done,
            Judged::Soak(_) => Self::Void,
        })
    }
}

/// Exit code of a run that was not driven to its end.
const fn of_end(end: &RunEnd) -> Option<Exit> {
    match end {
        RunEnd::Interrupted => Some(Exit::Interrupted),
        RunEnd::Failed(_) => Some(Exit::NotStarted),
        RunEnd::Refused(_) => Some(Exit::WrongUse),
        RunEnd::Done | RunEnd::Running => None,
    }
}

/// In a fight a round that was not driven is graver than a void one. In a check a broken rule is the gravest, and a round whose figures
/// alone are void has been checked all the same.
fn of_fight(fight: &JudgedFight) -> Exit {
    let any = |is: fn(&Judgement) -> bool| fight.rounds.iter().any(|round| is(&round.judgement));
    let is_check = fight.kind == FightKind::Check;
    let is_void = match fight.kind {
        FightKind::Check => any(|j| matches!(j.standing, Standing::Void { .. }) && !j.believed),
        FightKind::Fight => matches!(fight.verdict, Verdict::Void { .. } | Verdict::VoidTooOften { .. }),
    };
    if is_check && any(|j| matches!(j.standing, Standing::Disqualified { .. })) {
        Exit::CheckFailed
    } else if any(|j| matches!(j.standing, Standing::NotReady { .. })) {
        Exit::NotStarted
    } else if is_void {
        Exit::Void
    } else {
        Exit::Done
    }
}

fn of_duel(duel: &JudgedDuel, is_strict: bool) -> Exit {
    if let Some(exit) = of_end(&duel.end) {
        return exit;
    }
    match &duel.verdict {
        DuelVerdict::Void { .. } => Exit::Void,
        _ if duel.assertions.iter().any(RatioOutcome::fails) => Exit::CheckFailed,
        _ if is_strict && duel.assertions.iter().any(|outcome| !outcome.met) => Exit::NotMeasured,
        _ => Exit::Done,
    }
}

/// The gravest of what happened. What the caller broke off is neither void nor held against an assertion.
fn of_load(load: &JudgedLoad) -> Exit {
    if !load.void.is_empty() && !load.forced {
        Exit::Void
    } else if load.is_unanswered() {
        Exit::NotStarted
    } else if !load.is_met() {
        Exit::CheckFailed
    } else {
        Exit::Done
    }
}

/// What was asked for and is known decides; then who was the limit.
const fn of_limit(at_least_met: Option<bool>, limited_by: LimitedBy) -> Exit {
    match (at_least_met, limited_by) {
        (Some(true), _) => Exit::Done,
        (_, LimitedBy::Galo) => Exit::Void,
        (Some(false), _) => Exit::CheckFailed,
        (None, _) => Exit::Done,
    }
}

#[cfg(test)]
mod tests {
    use galo_judge::duel::SideFinding;
    use galo_record::finding::ServiceLeftItsGroup;

    use super::*;

    /// The duel of the report's own tests with these bounds, changed, and judged.
    fn duel(bounds: &[&str], change: impl FnOnce(&mut JudgedDuel)) -> JudgedDuel {
        let mut duel: JudgedDuel =
            serde_json::from_str(include_str!("../../../galo-report/tests/report/duel.json")).unwrap();
        let known = duel.assertions[0].clone();
        let bound = |text: &&str| RatioOutcome { assertion: (*text).to_owned(), ..known.clone() };
        duel.assertions = bounds.iter().map(bound).collect();
        change(&mut duel);
        duel.judged()
    }

    #[test]
    fn the_exit_code_is_what_a_recorded_duel_comes_to() {
        let exit = |bounds, change: fn(&mut JudgedDuel)| of_duel(&duel(bounds, change), false);
        assert_eq!(exit(&[], |_| {}), Exit::Done);
        assert_eq!(exit(&["p99 ratio < 0.001"], |_| {}), Exit::CheckFailed);
        let late = |duel: &mut JudgedDuel| {
            let loads = duel.turns.iter_mut().flat_map(|turn| &mut turn.loads);
            loads.for_each(|load| load.engine.lag_us_p50 = 1e9);
        };
        assert_eq!(exit(&[], late), Exit::Void);
        assert_eq!(exit(&["p99 ratio < 0.001"], late), Exit::Void, "it says nothing of a bound");
        let left = |duel: &mut JudgedDuel| {
            let (service, command, groups) = ("command".to_owned(), "sh".to_owned(), Vec::new());
            let finding =
                galo_record::HostFact::from(ServiceLeftItsGroup { service, pid: 7, command, groups });
            duel.findings = vec![SideFinding { side: 0, pair: None, finding: (&finding).into() }];
        };
        assert_eq!(
            exit(&["p99 ratio < 9"], left),
            Exit::CheckFailed,
            "a bound of one that broke a rule is not met"
        );
        let broken_off = |duel: &mut JudgedDuel| duel.end = RunEnd::Interrupted;
        assert_eq!(exit(&[], broken_off), Exit::Interrupted);
        assert_eq!(exit(&["p99 ratio < 0.001"], broken_off), Exit::Interrupted);
    }

    #[test]
    fn what_was_not_measured_fails_nobody_but_whoever_asks_for_that() {
        let unseen = |duel: &mut JudgedDuel| {
            let loads = duel.turns.iter_mut().flat_map(|turn| &mut turn.loads);
            loads.for_each(|load| load.usage = None);
        };
        let known = duel(&["cpu ratio < 99", "p99 ratio < 99"], unseen);
        assert_eq!([false, true].map(|strict| of_duel(&known, strict)), [Exit::Done, Exit::NotMeasured]);
        let failed = duel(&["cpu ratio < 99", "p99 ratio < 99", "p99 ratio < 0.001"], unseen);
        assert_eq!(of_duel(&failed, true), Exit::CheckFailed, "what fails is graver");
        assert!(Exit::NotMeasured.gravity() < Exit::CheckFailed.gravity());
        assert!(Exit::Failed.gravity() < Exit::Interrupted.gravity());
    }

    #[test]
    fn a_scale_that_was_asked_for_decides_and_where_galo_was_the_limit_the_contender_is_not_to_blame() {
        assert_eq!(of_limit(None, LimitedBy::Contender), Exit::Done);
        assert_eq!(of_limit(None, LimitedBy::Galo), Exit::Void);
        assert_eq!(of_limit(Some(true), LimitedBy::Galo), Exit::Done);
        assert_eq!(of_limit(Some(false), LimitedBy::Galo), Exit::Void);
        assert_eq!(of_limit(Some(false), LimitedBy::Contender), Exit::CheckFailed);
    }

    #[test]
    fn a_run_that_was_not_driven_to_its_end_says_so_before_all_else() {
        let exit = |end: RunEnd| of_duel(&duel(&["p99 ratio < 0.001"], |duel| duel.end = end), false);
        assert_eq!(exit(RunEnd::Interrupted), Exit::Interrupted);
        assert_eq!(exit(RunEnd::Failed("exit status 3".to_owned())), Exit::NotStarted);
        assert_eq!(exit(RunEnd::Refused("nobody listens".to_owned())), Exit::WrongUse);
    }
}
