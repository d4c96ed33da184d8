//! All holds of a run, as far as it came.

use galo_plan::{LimitTerms, Plan};
use galo_record::RunEnd;
use galo_record::act::{Act, Acted, Outcome, Reading};

use super::filling::counted;
use super::growth;
use super::hold::Hold;
use super::search;

/// A search for the highest scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// What was searched for.
    pub terms: LimitTerms,
    /// Whether limits were in force.
    pub limits_enforced: bool,
    /// Why not.
    pub limits_note: Option<String>,
    /// Why services were not kept apart.
    pub walls_note: Option<String>,
    /// How often the contender was started, each time with fresh volumes.
    pub starts: u32,
    /// In the order in which they were driven.
    pub holds: Vec<Hold>,
    /// How it ended.
    pub end: RunEnd,
}

impl Searched {
    /// Of all acts of a run, and of what the judge says of its holds.
    ///
    /// # Errors
    /// The run is none of this kind; in words.
    pub fn of(plan: &Plan, acts: &[Acted], mut holds: Vec<Hold>) -> Result<Self, String> {
        let terms = plan.kind.limit().ok_or("the run is no search for the highest scale")?.clone();
        let starts = acts.iter().filter(|acted| is_start(acted));
        let placement = starts.clone().find_map(|acted| match &acted.outcome {
            Outcome::Started(started) => Some(&started.placement),
            _ => None,
        });
        growth::tell(plan, acts, &mut holds);
        let is_over = search(&terms.search, &holds).next().is_none();
        let end = match not_up(acts) {
            Some(why) => RunEnd::Failed(why),
            None if is_over => RunEnd::Done,
            // Whoever broke it off, or died in it, may go on with it.
            None => RunEnd::Interrupted,
        };
        Ok(Self {
            limits_enforced: placement.is_none_or(|placement| placement.limits_enforced),
            limits_note: placement.and_then(|placement| placement.limits_note.clone()),
            walls_note: placement.and_then(|placement| placement.walls_note.clone()),
            starts: starts.count() as u32,
            terms,
            holds,
            end,
        })
    }
}

/// An attempt to start it; not one that nobody saw the end of.
fn is_start(acted: &Acted) -> bool {
    matches!(acted.act, Act::Start { .. }) && acted.outcome != Outcome::Lost
}

/// Why the contender did not come up when it was started last.
fn not_up(acts: &[Acted]) -> Option<String> {
    let last = acts.iter().rposition(is_start)?;
    if let Outcome::NotReady(reason) = &acts[last].outcome {
        return Some(reason.clone());
    }
    let first = acts.get(last + 1)?;
    match (&first.act, &first.outcome) {
        (Act::Count { path, reading: Reading::First }, Outcome::Counted(readings))
            if counted(first) == Some(None) =>
        {
            let said = readings.last().map_or("", |reading| &reading.text);
            Some(format!(
                "it never answered the count at {path} by a number (last: {said})\nhint: see its logs"
            ))
        }
        _ => None,
    }
}
