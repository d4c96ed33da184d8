//! The load of a hold, or of a soak, as a round: what the rules for rounds are asked of.

use super::super::{Act, LoadTerms, Outcome, Started, Workload};
use super::Unit;
use crate::round::{RoundEnd, RoundRecord};

/// Of a unit that is a hold. What its other acts say (how it came to rest, how it was filled) is not in it.
///
/// # Errors
/// A load with an outcome that it cannot have; in words.
pub(super) fn record(unit: &Unit<'_>) -> Result<RoundRecord, String> {
    let mut record = RoundRecord::new(unit.terms.number, 0, 0);
    unit.up.into_iter().for_each(|started| start(&mut record, started));
    for acted in unit.acts {
        match (&acted.act, &acted.outcome) {
            (_, Outcome::Lost) => record.end = RoundEnd::Interrupted,
            (Act::Start { .. }, Outcome::Started(started)) => start(&mut record, started),
            (Act::Start { .. }, Outcome::NotReady(reason)) => record.end = RoundEnd::NotReady(reason.clone()),
            (
                Act::Load(LoadTerms { traffic: Workload::Hold { .. } | Workload::Soak { .. }, .. }),
                Outcome::Loaded(loaded),
            ) => {
                record.load = loaded.load.clone();
                record.findings.clone_from(&loaded.findings);
                record.beside = loaded.beside.clone();
            }
            (Act::Load(_), Outcome::Loaded(_)) => {}
            (act @ (Act::Load(_) | Act::Start { .. }), _) => {
                return Err(format!("an act has an outcome of another kind: {act:?}"));
            }
            _ => {}
        }
    }
    Ok(record)
}

fn start(record: &mut RoundRecord, started: &Started) {
    record.placement = Some(started.placement.clone());
    record.databases.clone_from(&started.databases);
}
