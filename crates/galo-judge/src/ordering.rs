//! In which order findings are told: what disqualifies, then what held a round back by how much it explains, then defects,
//! then notes. What is a mere symptom comes after its cause.
//!
//! Shares alone do not tell the two apart: whoever has no CPU drops connections, keeps sessions of a database in use and fails
//! operations, and each of these lies in the same moments.

use std::cmp::Reverse;

use galo_record::finding::Weight;

/// What a finding is placed by.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// Its name.
    pub name: &'a str,
    /// Name of the contender, where findings of several contenders stand together; `None`: it is about all.
    pub of: Option<&'a str>,
    /// What it means for the contender.
    pub weight: Weight,
    /// A cause's share of the trouble, in thousandths.
    pub explains_milli: Option<u16>,
}

/// A cause comes before its symptom where it explains at least this part of what the symptom does.
const PART_OF_SYMPTOM: f64 = 0.5;

/// Something of it was killed, or ended, or was refused a process.
const DEATHS: [&str; 3] = ["service-out-of-memory", "service-out-of-processes", "service-died"];
/// What takes the CPU or the memory away that everything else needs.
const RESOURCES: [&str; 4] = ["memory-limit", "busy-neighbour", "cpu-limit", "slow-instance"];
/// What makes everybody wait who asks the database.
const DATABASE: [&str; 2] = ["slow-disk", "database-lock"];
/// What makes galo itself late.
const GALO: [&str; 2] = ["host-steal", "galo-busy"];

/// Symptoms, and what each may be a symptom of. No cause is a symptom of its own symptom, by whatever way round.
const SYMPTOMS: [(&str, &[&[&str]]); 14] = [
    ("service-died", &[&["memory-limit", "heap", "service-out-of-memory", "service-out-of-processes"]]),
    ("service-out-of-memory", &[&["memory-limit"]]),
    ("cpu-limit", &[&["memory-limit"]]),
    ("slow-instance", &[&["memory-limit", "busy-neighbour"]]),
    ("database-lock", &[&["slow-disk"]]),
    ("pool-exhausted", &[&DEATHS, &RESOURCES, &DATABASE]),
    ("accept-queue", &[&DEATHS, &RESOURCES, &DATABASE, &["pool-exhausted", "descriptors", "heap"]]),
    ("stalls", &[&DEATHS, &RESOURCES, &DATABASE, &["pool-exhausted", "accept-queue", "heap"]]),
    ("pauses", &[&DEATHS]),
    ("settled-late", &[&DEATHS]),
    ("count-unanswered", &[&DEATHS]),
    ("operations-failed", &[&DEATHS, &["second-start-failed"]]),
    ("galo-late", &[&GALO]),
    ("galo-lag", &[&GALO, &["galo-late"]]),
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
    let known = SYMPTOMS.iter().find(|(name, _)| *name == symptom.name);
    let is_known = known.is_some_and(|(_, causes)| causes.concat().contains(&cause.name));
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
    use crate::causes::CAUSES;
    use crate::names;

    type Row = (&'static str, Weight, Option<u16>);

    const fn cause(name: &'static str, milli: u16) -> Row {
        (name, Weight::Should, Some(milli))
    }

    const fn defect(name: &'static str) -> Row {
        (name, Weight::Should, None)
    }

    fn placed(row: &Row) -> Placed<'_> {
        Placed { name: row.0, of: None, weight: row.1, explains_milli: row.2 }
    }

    fn ordered<const N: usize>(mut rows: [Row; N]) -> [&'static str; N] {
        order(&mut rows, placed);
        rows.map(|row| row.0)
    }

    #[test]
    fn a_cause_comes_before_the_symptom_that_explains_more() {
        assert_eq!(
            ordered([cause("accept-queue", 950), cause("pool-exhausted", 900), cause("cpu-limit", 800)]),
            ["cpu-limit", "pool-exhausted", "accept-queue"]
        );
        assert_eq!(
            ordered([cause("pool-exhausted", 990), cause("database-lock", 700), cause("slow-disk", 600)]),
            ["slow-disk", "database-lock", "pool-exhausted"]
        );
        assert_eq!(
            ordered([cause("cpu-limit", 900), cause("memory-limit", 500)]),
            ["memory-limit", "cpu-limit"]
        );
    }

    #[test]
    fn what_explains_less_than_half_of_a_symptom_is_not_its_cause() {
        let rows = [cause("accept-queue", 950), cause("cpu-limit", 400)];
        assert_eq!(ordered(rows), ["accept-queue", "cpu-limit"]);
    }

    #[test]
    fn a_service_that_died_comes_before_what_failed_and_queued_for_it() {
        assert_eq!(
            ordered([
                defect("operations-failed"),
                defect("settled-late"),
                defect("service-died"),
                cause("accept-queue", 900),
            ]),
            ["service-died", "accept-queue", "operations-failed", "settled-late"]
        );
        assert_eq!(
            ordered([defect("operations-failed"), defect("service-died"), cause("memory-limit", 300)]),
            ["memory-limit", "service-died", "operations-failed"]
        );
    }

    #[test]
    fn galos_lateness_comes_after_what_made_it_late() {
        let note = |name, milli| (name, Weight::Note, milli);
        assert_eq!(
            ordered([note("galo-lag", None), note("galo-late", Some(1000)), note("host-steal", Some(1000))]),
            ["host-steal", "galo-late", "galo-lag"]
        );
    }

    #[test]
    fn what_is_wrong_with_one_contender_is_no_cause_of_anothers_symptoms() {
        let mut rows = [("b", "accept-queue", 900), ("a", "cpu-limit", 800), ("b", "slow-disk", 700)];
        order(&mut rows, |&(of, name, milli)| Placed {
            name,
            of: Some(of),
            weight: Weight::Should,
            explains_milli: Some(milli),
        });
        assert_eq!(rows.map(|row| row.1), ["slow-disk", "accept-queue", "cpu-limit"]);
    }

    #[test]
    fn what_disqualifies_comes_before_any_cause_and_else_weight_and_share_decide() {
        let must = ("count-differs", Weight::Must, None);
        assert_eq!(
            ordered([
                defect("unbalanced"),
                cause("cpu-limit", 300),
                ("stressed", Weight::Note, None),
                cause("slow-disk", 700),
                must
            ]),
            ["count-differs", "slow-disk", "cpu-limit", "unbalanced", "stressed"]
        );
    }

    #[test]
    fn every_name_of_the_table_is_that_of_a_finding() {
        let of_host = [&DEATHS[..], &["second-start-failed"]].concat();
        let is_known = |name: &str| names::all().any(|known| known == name) || of_host.contains(&name);
        let named = SYMPTOMS.iter().flat_map(|(symptom, causes)| [vec![*symptom], causes.concat()].concat());
        for name in named {
            assert!(is_known(name), "{name}");
        }
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let names: Vec<&'static str> =
            SYMPTOMS.iter().map(|(name, _)| *name).chain(DEATHS).chain(CAUSES).collect();
        let weight = prop_oneof![Just(Weight::Must), Just(Weight::Should), Just(Weight::Note)];
        let row = (proptest::sample::select(names), weight, proptest::option::of(0..=1000_u16));
        proptest::collection::vec(row, 0..20)
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_symptom_stands_before_its_cause(mut rows in rows()) {
            let mut before = rows.clone();
            order(&mut rows, placed);
            for (at, symptom) in rows.iter().enumerate() {
                for later in &rows[at + 1..] {
                    prop_assert!(!is_cause(&placed(later), &placed(symptom)), "{} before {}", symptom.0, later.0);
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
