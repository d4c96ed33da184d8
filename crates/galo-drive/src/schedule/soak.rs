//! A soak: start, one load of hours, stop. What the load showed is all that is judged.

use galo_judge::soak::Soaked;
use galo_plan::{Plan, PlanError, SoakTerms};
use galo_record::act::{Act, LoadTerms, Outcome, Reading, UnitKind, UnitTerms, Workload};
use galo_record::round::CountReading;

use crate::{Heard, Schedule};

/// The plan's only contender.
const CONTENDER: usize = 0;

/// The soak that a plan is of.
#[derive(Debug)]
pub struct Soak {
    terms: SoakTerms,
    /// Where the count is asked for, to see whether it answers; `None`: the challenge has none.
    count: Option<String>,
}

impl Soak {
    /// By the terms in the plan.
    ///
    /// # Errors
    /// The plan is of another kind of run.
    pub fn new(plan: &Plan) -> Result<Self, PlanError> {
        let terms =
            *plan.kind.soak().ok_or_else(|| PlanError::Invalid("the plan is none of a soak".to_owned()))?;
        Ok(Self { terms, count: plan.challenge.count.as_ref().map(|count| count.path.clone()) })
    }

    fn load(&self) -> Act {
        let SoakTerms { scale_milli, length_ns } = self.terms;
        let traffic = Workload::Soak { scale_milli, length_ns };
        Act::Load(LoadTerms { contender: CONTENDER, traffic, kill: None })
    }
}

impl Schedule for Soak {
    type Facts = Soaked;

    fn next(&self, heard: &Heard<'_, Soaked>) -> Option<Act> {
        let Some(last) = heard.under_way().and_then(<[_]>::last) else {
            let terms = UnitTerms { number: heard.next_number(), kind: UnitKind::Soak };
            return heard.facts.is_empty().then_some(Act::Begin(terms));
        };
        let is_answered = |readings: &[CountReading]| readings.last().is_some_and(CountReading::is_answered);
        Some(match (&last.act, &last.outcome) {
            (Act::Begin(_), _) => Act::Start { contender: CONTENDER },
            (Act::Start { .. }, Outcome::Started(_)) => match self.count.clone() {
                Some(path) => Act::Count { path, reading: Reading::First },
                None => self.load(),
            },
            (Act::Count { .. }, Outcome::Counted(readings)) if is_answered(readings) => self.load(),
            (Act::Count { .. } | Act::Load(_), _) => Act::Stop { contender: CONTENDER },
            _ => Act::Close,
        })
    }
}

#[cfg(test)]
mod tests {
    use galo_judge::soak::judge_soak;
    use galo_plan::Kind;
    use galo_record::act::{Unit, units};
    use galo_record::{Run, RunWriter};

    use super::*;
    use crate::schedule::testing::{self, Fate, Nobody, Scripted, replays, seeds, told};
    use crate::{Before, drive, round};

    fn plan() -> Plan {
        let terms = SoakTerms { scale_milli: 500, length_ns: 7_200_000_000_000 };
        Plan { kind: Kind::Soak(terms), ..testing::plan(1, 1) }
    }

    /// The units of a soak that was cut off after so many acts and resumed.
    fn driven(fate: Fate, cut: usize) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        let (path, plan) = (root.path().join("run"), plan());
        let schedule = Soak::new(&plan).unwrap();
        let judge = |unit: Unit<'_>, bulk| Ok(judge_soak(unit, &round(unit, bulk)?));
        let judged = |run: &Run| {
            let all = units(&run.acts).unwrap();
            let closed = all.into_iter().filter(Unit::is_closed).enumerate();
            closed.map(|(index, unit)| judge_soak(unit, &run.round(index).unwrap())).collect::<Vec<_>>()
        };
        let first = testing::writer(&path, &plan);
        let mut script = Scripted::new(&[fate]);
        script.acts_left = cut;
        drive(&schedule, &mut script.on(&first), &first, judge, &mut Nobody, Before::default()).unwrap();
        drop(first);
        let (second, run) = RunWriter::resume::<Plan>(&path, &seeds(&path)).unwrap();
        let before = Before { facts: judged(&run), acts: run.acts };
        let mut script = Scripted::new(&[fate]);
        drive(&schedule, &mut script.on(&second), &second, judge, &mut Nobody, before).unwrap();
        let run = Run::<Plan>::open(&path, &seeds(&path)).unwrap();
        replays(&schedule, &run.acts, &judged(&run));
        let closed = units(&run.acts).unwrap().into_iter().filter(Unit::is_closed);
        closed.flat_map(|unit| told(unit.acts)).collect()
    }

    #[test]
    fn a_soak_is_one_load_wherever_it_was_cut_off_before() {
        let whole = "soak, start, count first, soak, stop, close";
        for cut in 0..=6 {
            assert_eq!(driven(Fate::Well, cut), [whole], "cut off after {cut} acts");
        }
    }

    #[test]
    fn who_does_not_start_or_answer_is_not_soaked() {
        assert_eq!(driven(Fate::NotReady, 9), ["soak, start, close"]);
        assert_eq!(driven(Fate::Silent, 9), ["soak, start, count first, stop, close"]);
    }
}
