//! In which order findings are told: what disqualifies, then what held a round back by how much it explains, then defects,
//! then notes. What is a mere symptom comes after its cause.
//!
//! Shares alone do not tell the two apart: whoever has no CPU drops connections, keeps sessions of a database in use and fails
//! operations, and each of these lies in the same moments.

use std::cmp::Reverse;

use galo_record::finding::Weight;

use crate::findings::{Finding, Kind};

/// What a finding is placed by.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// What it is.
    pub kind: Kind,
    /// Name of the contender, where findings of several contenders stand together; `None`: it is about all.
    pub of: Option<&'a str>,
    /// What it means for the contender.
    pub weight: Weight,
    /// A cause's share of the trouble, in thousandths.
    pub explains_milli: Option<u16>,
}

/// A finding's place among those of one contender.
pub(crate) fn placed(finding: &Finding) -> Placed<'_> {
    let Finding { fact, weight, explains_milli, .. } = finding;
    Placed { kind: fact.kind(), of: None, weight: *weight, explains_milli: *explains_milli }
}

/// A cause comes before its symptom where it explains at least this part of what the symptom does.
const PART_OF_SYMPTOM: f64 = 0.5;

/// Something of it was killed, or ended, or was refused a process.
const DEATHS: [Kind; 3] = [Kind::ServiceOutOfMemory, Kind::ServiceOutOfProcesses, Kind::ServiceDied];
/// What takes the CPU or the memory away that everything else needs.
const RESOURCES: [Kind; 4] = [Kind::MemoryLimit, Kind::BusyNeighbour, Kind::CpuLimit, Kind::SlowInstance];
/// What makes everybody wait who asks the database.
const DATABASE: [Kind; 2] = [Kind::SlowDisk, Kind::DatabaseLock];
/// What makes galo itself late.
const GALO: [Kind; 2] = [Kind::HostSteal, Kind::GaloBusy];

/// Symptoms, and what each may be a symptom of. No cause is a symptom of its own symptom, by whatever way round.
const SYMPTOMS: [(Kind, &[&[Kind]]); 14] = [
    (
        Kind::ServiceDied,
        &[&[Kind::MemoryLimit, Kind::Heap, Kind::ServiceOutOfMemory, Kind::ServiceOutOfProcesses]],
    ),
    (Kind::ServiceOutOfMemory, &[&[Kind::MemoryLimit]]),
    (Kind::CpuLimit, &[&[Kind::MemoryLimit]]),
    (Kind::SlowInstance, &[&[Kind::MemoryLimit, Kind::BusyNeighbour]]),
    (Kind::DatabaseLock, &[&[Kind::SlowDisk]]),
    (Kind::PoolExhausted, &[&DEATHS, &RESOURCES, &DATABASE]),
    (
        Kind::AcceptQueue,
        &[&DEATHS, &RESOURCES, &DATABASE, &[Kind::PoolExhausted, Kind::Descriptors, Kind::Heap]],
    ),
    (Kind::Stalls, &[&DEATHS, &RESOURCES, &DATABASE, &[Kind::PoolExhausted, Kind::AcceptQueue, Kind::Heap]]),
    (Kind::Pauses, &[&DEATHS]),
    (Kind::SettledLate, &[&DEATHS]),
    (Kind::CountUnanswered, &[&DEATHS]),
    (Kind::OperationsFailed, &[&DEATHS, &[Kind::SecondStartFailed]]),
    (Kind::GaloLate, &[&GALO]),
    (Kind::GaloLag, &[&GALO, &[Kind::GaloLate]]),
];

/// Orders findings. Of equals the earlier one stays before the later.
pub fn order<T>(findings: &mut [T], placed: impl Fn(&T) -> Placed<'_>) {
    findings.sort_by_key(|finding| rank(&placed(finding)));
    let mut at = 0;
    while at < findings.len() {
        let symptom = placed(&findings[at]);
        let cause = findings[at + 1..].iter().position(|later| is_cause(&placed(later), &symptom));
        match cause {
            // It is looked at in its turn, since it may be a symptom itself.
            Some(after) => findings[at..=at + 1 + after].rotate_right(1),
            None => at += 1,
        }
    }
}

fn rank(placed: &Placed<'_>) -> (u8, Reverse<u16>) {
    match (placed.weight, placed.explains_milli) {
        (Weight::Must, _) => (0, Reverse(0)),
        (_, Some(milli)) => (1, Reverse(milli)),
        (Weight::Should, None) => (2, Reverse(0)),
        (Weight::Note, None) => (3, Reverse(0)),
    }
}

fn is_cause(cause: &Placed<'_>, symptom: &Placed<'_>) -> bool {
    let known = SYMPTOMS.iter().find(|(kind, _)| *kind == symptom.kind);
    let is_known = known.is_some_and(|(_, causes)| causes.concat().contains(&cause.kind));
    // What says nothing of a share was seen to happen.
    let explains = |placed: &Placed<'_>| placed.explains_milli.map(f64::from);
    let is_enough = match (explains(cause), explains(symptom)) {
        (Some(cause), Some(symptom)) => cause >= PART_OF_SYMPTOM * symptom,
        _ => true,
    };
    let is_of_one = cause.of.zip(symptom.of).is_none_or(|(cause, symptom)| cause == symptom);
    is_known && is_enough && is_of_one && symptom.weight != Weight::Must
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Row = (Kind, Weight, Option<u16>);

    const fn cause(kind: Kind, milli: u16) -> Row {
        (kind, Weight::Should, Some(milli))
    }

    const fn defect(kind: Kind) -> Row {
        (kind, Weight::Should, None)
    }

    fn placed(row: &Row) -> Placed<'_> {
        Placed { kind: row.0, of: None, weight: row.1, explains_milli: row.2 }
    }

    fn ordered<const N: usize>(mut rows: [Row; N]) -> [Kind; N] {
        order(&mut rows, placed);
        rows.map(|row| row.0)
    }

    #[test]
    fn a_cause_comes_before_the_symptom_that_explains_more() {
        assert_eq!(
            ordered([
                cause(Kind::AcceptQueue, 950),
                cause(Kind::PoolExhausted, 900),
                cause(Kind::CpuLimit, 800)
            ]),
            [Kind::CpuLimit, Kind::PoolExhausted, Kind::AcceptQueue]
        );
        assert_eq!(
            ordered([
                cause(Kind::PoolExhausted, 990),
                cause(Kind::DatabaseLock, 700),
                cause(Kind::SlowDisk, 600)
            ]),
            [Kind::SlowDisk, Kind::DatabaseLock, Kind::PoolExhausted]
        );
        assert_eq!(
            ordered([cause(Kind::CpuLimit, 900), cause(Kind::MemoryLimit, 500)]),
            [Kind::MemoryLimit, Kind::CpuLimit]
        );
    }

    #[test]
    fn what_explains_less_than_half_of_a_symptom_is_not_its_cause() {
        let rows = [cause(Kind::AcceptQueue, 950), cause(Kind::CpuLimit, 400)];
        assert_eq!(ordered(rows), [Kind::AcceptQueue, Kind::CpuLimit]);
    }

    #[test]
    fn a_service_that_died_comes_before_what_failed_and_queued_for_it() {
        assert_eq!(
            ordered([
                defect(Kind::OperationsFailed),
                defect(Kind::SettledLate),
                defect(Kind::ServiceDied),
                cause(Kind::AcceptQueue, 900),
            ]),
            [Kind::ServiceDied, Kind::AcceptQueue, Kind::OperationsFailed, Kind::SettledLate]
        );
        assert_eq!(
            ordered([
                defect(Kind::OperationsFailed),
                defect(Kind::ServiceDied),
                cause(Kind::MemoryLimit, 300)
            ]),
            [Kind::MemoryLimit, Kind::ServiceDied, Kind::OperationsFailed]
        );
    }

    #[test]
    fn galos_lateness_comes_after_what_made_it_late() {
        let note = |kind, milli| (kind, Weight::Note, milli);
        assert_eq!(
            ordered([
                note(Kind::GaloLag, None),
                note(Kind::GaloLate, Some(1000)),
                note(Kind::HostSteal, Some(1000))
            ]),
            [Kind::HostSteal, Kind::GaloLate, Kind::GaloLag]
        );
    }

    #[test]
    fn what_is_wrong_with_one_contender_is_no_cause_of_anothers_symptoms() {
        let mut rows =
            [("b", Kind::AcceptQueue, 900), ("a", Kind::CpuLimit, 800), ("b", Kind::SlowDisk, 700)];
        order(&mut rows, |&(of, kind, milli)| Placed {
            kind,
            of: Some(of),
            weight: Weight::Should,
            explains_milli: Some(milli),
        });
        assert_eq!(rows.map(|row| row.1), [Kind::SlowDisk, Kind::AcceptQueue, Kind::CpuLimit]);
    }

    #[test]
    fn what_disqualifies_comes_before_any_cause_and_else_weight_and_share_decide() {
        let must = (Kind::CountDiffers, Weight::Must, None);
        assert_eq!(
            ordered([
                defect(Kind::Unbalanced),
                cause(Kind::CpuLimit, 300),
                (Kind::Stressed, Weight::Note, None),
                cause(Kind::SlowDisk, 700),
                must
            ]),
            [Kind::CountDiffers, Kind::SlowDisk, Kind::CpuLimit, Kind::Unbalanced, Kind::Stressed]
        );
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let weight = prop_oneof![Just(Weight::Must), Just(Weight::Should), Just(Weight::Note)];
        let row = (proptest::sample::select(Kind::ALL), weight, proptest::option::of(0..=1000_u16));
        proptest::collection::vec(row, 0..40)
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_symptom_stands_before_its_cause(mut rows in rows()) {
            let mut before = rows.clone();
            order(&mut rows, placed);
            for (at, symptom) in rows.iter().enumerate() {
                for later in &rows[at + 1..] {
                    prop_assert!(!is_cause(&placed(later), &placed(symptom)), "{:?} before {:?}", symptom.0, later.0);
                }
            }
            let key = |row: &Row| format!("{row:?}");
            let mut after = rows;
            before.sort_by_key(key);
            after.sort_by_key(key);
            prop_assert_eq!(before, after);
        }
    }
}
