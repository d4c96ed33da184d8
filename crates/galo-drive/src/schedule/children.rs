//! Children one after the other: whole runs of any kind, each driven until one attempt of it came to its end.

use galo_judge::ChildFacts;
use galo_record::act::{Act, ChildId, UnitKind, UnitTerms};

use crate::{Heard, Schedule};

/// Children, one at a time.
#[derive(Debug, Clone, Copy)]
pub struct Children<N> {
    /// The number of the next one, by what those before it came to; `None`: there is no more.
    pub next: N,
}

impl<N: Fn(&[ChildFacts]) -> Option<u32>> Schedule for Children<N> {
    type Facts = ChildFacts;

    fn next(&self, heard: &Heard<'_, ChildFacts>) -> Option<Act> {
        match heard.under_way() {
            None => {
                let child = (self.next)(heard.facts)?;
                Some(Act::Begin(UnitTerms { number: heard.next_number(), kind: UnitKind::Child { child } }))
            }
            Some([begun]) => {
                let Act::Begin(UnitTerms { kind: UnitKind::Child { child }, .. }) = begun.act else {
                    return None;
                };
                let attempts = heard.acts.iter().filter(|acted| begins(&acted.act, child));
                Some(Act::Child(ChildId { child, attempt: attempts.count() as u32 }))
            }
            Some(_) => Some(Act::Close),
        }
    }
}

/// Whether an act begins an attempt to drive a child.
fn begins(act: &Act, wanted: u32) -> bool {
    matches!(act, Act::Begin(UnitTerms { kind: UnitKind::Child { child }, .. }) if *child == wanted)
}

#[cfg(test)]
mod tests {
    use galo_judge::judged::Judged;
    use galo_plan::{ScanPlan, Seed, scan};
    use galo_record::act::{Acted, Outcome, Unit, units};
    use galo_record::{Run, RunEnd, RunWriter};

    use super::*;
    use crate::schedule::testing::{Nobody, replays, seeds, writer};
    use crate::stage::ChildStage;
    use crate::{Before, DriveError, Driven, drive};

    type Next = fn(&[ChildFacts]) -> Option<u32>;
    const THREE: Children<Next> =
        Children { next: |facts| (facts.len() < 3).then_some(facts.len() as u32 + 1) };

    fn plan() -> ScanPlan {
        ScanPlan {
            format: scan::FORMAT,
            baseline: None,
            seed: Seed::of_number(1),
            settings: vec![Vec::new(); 3],
        }
    }

    /// A child may be a run of any kind.
    fn judged(child: u32) -> ChildFacts {
        ChildFacts { child, came_to: Ok(Judged::Load(Box::default())) }
    }

    /// Drives what is left of a run; its caller breaks it off in the child after so many.
    fn driven(writer: &RunWriter, before: Before<ChildFacts>, children: usize) -> Driven<ChildFacts> {
        let mut left = children;
        let drive_child = |_: ChildId| -> Result<Option<RunEnd>, DriveError> {
            let ended = left.checked_sub(1).map(|fewer| left = fewer);
            Ok(ended.map(|()| RunEnd::Done))
        };
        let judge = |unit: Unit<'_>, ()| {
            let (id, _) = unit.child().expect("what counts was driven to its end");
            Ok(judged(id.child))
        };
        drive(&THREE, &mut ChildStage::new(drive_child), writer, judge, &mut Nobody, before).unwrap()
    }

    /// The acts of a run of which only so many are on disk, once it was gone on with.
    fn resumed_after(cut: usize) -> Vec<Acted> {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("run");
        let first = writer(&path, &plan());
        driven(&first, Before::default(), 3);
        drop(first);
        let acts = path.join("acts.jsonl");
        let lines = std::fs::read_to_string(&acts).unwrap();
        std::fs::write(&acts, lines.lines().take(cut).map(|line| format!("{line}\n")).collect::<String>())
            .unwrap();
        let (second, run) = RunWriter::resume::<ScanPlan>(&path, &seeds(&path)).unwrap();
        let closed = units(&run.acts).unwrap().iter().filter(|unit| unit.is_closed()).count();
        let before = Before { facts: (1..=closed as u32).map(judged).collect(), acts: run.acts };
        let Driven { facts, interrupted } = driven(&second, before, 3);
        assert!(!interrupted && facts.len() == 3);
        let run = Run::<ScanPlan>::open(&path, &seeds(&path)).unwrap();
        replays(&THREE, &run.acts, &facts);
        run.acts
    }

    /// The attempts that count.
    fn counting(acts: &[Acted]) -> Vec<String> {
        let units = units(acts).unwrap();
        let closed = units.iter().filter(|unit| unit.is_closed());
        closed.filter_map(|unit| Some(unit.child()?.0.folder())).collect()
    }

    #[test]
    fn wherever_a_run_of_runs_was_cut_off_one_attempt_of_each_child_counts() {
        for cut in 0..=9 {
            let counting = counting(&resumed_after(cut));
            for (child, folder) in (1..=3).zip(&counting) {
                let attempt = if cut / 3 + 1 == child && cut % 3 > 0 { 2 } else { 1 };
                assert_eq!(*folder, format!("children/00{child}/attempt-{attempt}"), "cut after {cut} acts");
            }
            assert_eq!(counting.len(), 3);
        }
    }

    #[test]
    fn a_child_that_the_caller_broke_off_is_driven_anew() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("run");
        let first = writer(&path, &plan());
        assert!(driven(&first, Before::default(), 1).interrupted);
        drop(first);
        let (second, run) = RunWriter::resume::<ScanPlan>(&path, &seeds(&path)).unwrap();
        driven(&second, Before { facts: vec![judged(1)], acts: run.acts }, 2);
        let acts = Run::<ScanPlan>::open(&path, &seeds(&path)).unwrap().acts;
        assert!(acts.iter().any(|acted| acted.outcome == Outcome::Lost));
        let wanted = ["children/001/attempt-1", "children/002/attempt-2", "children/003/attempt-1"];
        assert_eq!(counting(&acts), wanted);
    }
}
