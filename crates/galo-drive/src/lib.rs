//! Drives a run: a schedule says which act is next, a stage performs it, the record keeps what came of it.
//!
//! This is the one place where host, load and watch meet, and nothing is put into words here.
//!
//! Its one key decision is Jepsen's: what is decided and what is done are apart. A [`Schedule`] is a pure function of what
//! was heard so far, without a clock of its own; a [`Stage`] has all side effects, and decides nothing. So a schedule is
//! tested without a server, asks of a recorded run for exactly the acts that it has, and goes on where a run was cut off.

pub mod ceiling;
mod error;
mod instances;
pub mod schedule;
pub mod stage;

use std::collections::BTreeSet;

use galo_record::act::{Act, Acted, Outcome, Unit, units};
use galo_record::clock::now_ns;
use galo_record::{RoundData, RunWriter};

pub use error::DriveError;

/// What a schedule has heard so far.
#[derive(Debug)]
pub struct Heard<'a, F> {
    /// All acts of the run, in their order.
    pub acts: &'a [Acted],
    /// What the judge says of each unit that was closed, in their order.
    pub facts: &'a [F],
}

/// The pure rule that says which act is next.
pub trait Schedule {
    /// What the judge says of a closed unit.
    type Facts;

    /// The next act, by all that was heard; `None`: the run is over.
    fn next(&self, heard: &Heard<'_, Self::Facts>) -> Option<Act>;
}

/// What performs acts: the only code with side effects.
pub trait Stage {
    /// What of a unit is not in its acts.
    type Bulk;

    /// Performs an act; `None`: the caller broke it off.
    ///
    /// # Errors
    /// What is neither the contender's doing nor the caller's: it ends the run.
    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError>;

    /// The bulk of the unit that was closed last.
    fn take_bulk(&mut self) -> Self::Bulk;

    /// Removes all that is up.
    ///
    /// # Errors
    /// What could not be removed.
    fn clear(&mut self) -> Result<(), DriveError>;
}

/// Who is told what happens, as it happens.
pub trait Watch<F> {
    /// An act begins.
    fn begins(&mut self, act: &Act);

    /// An act has ended, and is on disk.
    fn ended(&mut self, _: &Acted) {}

    /// A unit was closed and judged.
    fn judged(&mut self, unit: Unit<'_>, facts: &F);
}

/// A run as far as it was driven.
#[derive(Debug)]
pub struct Driven<F> {
    /// What the judge says of each unit that was closed.
    pub facts: Vec<F>,
    /// Whether the caller broke it off.
    pub interrupted: bool,
}

impl<'a, F> Heard<'a, F> {
    /// The acts of the unit that is under way; `None` between units.
    pub fn under_way(&self) -> Option<&'a [Acted]> {
        let first = self.acts.iter().rposition(|acted| matches!(acted.act, Act::Begin(_)))?;
        let unit = self.acts.get(first..)?;
        let is_over = unit.iter().any(|acted| acted.act == Act::Close || acted.outcome == Outcome::Lost);
        (!is_over).then_some(unit)
    }

    /// Whether a contender was started, and neither stopped nor lost since.
    pub fn is_up(&self, contender: usize) -> bool {
        self.up().contains(&contender)
    }

    fn up(&self) -> BTreeSet<usize> {
        let mut up = BTreeSet::new();
        for acted in self.acts {
            match (&acted.act, &acted.outcome) {
                (_, Outcome::Lost) => up.clear(),
                (Act::Start { contender }, Outcome::Started(_)) => drop(up.insert(*contender)),
                (Act::Stop { contender }, _) => drop(up.remove(contender)),
                _ => {}
            }
        }
        up
    }

    /// The number of the next unit.
    pub fn next_number(&self) -> u32 {
        1 + self.acts.iter().filter(|acted| matches!(acted.act, Act::Begin(_))).count() as u32
    }
}

/// What was heard of a run before it was cut off; nothing of a run that begins.
#[derive(Debug)]
pub struct Before<F> {
    /// All acts of the run so far.
    pub acts: Vec<Acted>,
    /// What the judge says of each unit that was closed.
    pub facts: Vec<F>,
}

impl<F> Default for Before<F> {
    fn default() -> Self {
        Self { acts: Vec::new(), facts: Vec::new() }
    }
}

/// Drives a run to its end, or until the caller stops, from what was heard of it before. However it ends, nothing is left up.
///
/// What was under way or up before is lost: the act that would have been next gets that outcome, and the schedule begins the
/// unit again. Without a writer nothing is kept but in memory.
///
/// # Errors
/// What ended it that is neither the contender's doing nor the caller's. The units that were closed before are on disk.
pub fn drive<'w, S: Schedule, T: Stage>(
    schedule: &S,
    stage: &mut T,
    writer: impl Into<Option<&'w RunWriter>>,
    mut judge: impl FnMut(Unit<'_>, T::Bulk) -> Result<S::Facts, DriveError>,
    watch: &mut impl Watch<S::Facts>,
    before: Before<S::Facts>,
) -> Result<Driven<S::Facts>, DriveError> {
    let writer = writer.into();
    let Before { mut acts, mut facts } = before;
    let heard = Heard { acts: &acts, facts: &facts };
    if (heard.under_way().is_some() || !heard.up().is_empty())
        && let Some(act) = schedule.next(&heard)
    {
        let now_ns = now_ns();
        acts.push(kept(writer, &acts, [now_ns, now_ns], act, Outcome::Lost)?);
    }
    let mut go_on = || -> Result<bool, DriveError> {
        while let Some(act) = schedule.next(&Heard { acts: &acts, facts: &facts }) {
            watch.begins(&act);
            let began_ns = now_ns();
            let Some(outcome) = stage.perform(&act)? else { return Ok(true) };
            let closes = act == Act::Close;
            let acted = kept(writer, &acts, [began_ns, now_ns()], act, outcome)?;
            watch.ended(&acted);
            acts.push(acted);
            if closes {
                let unit = last_unit(&acts).map_err(DriveError::Bug)?;
                let judged = judge(unit, stage.take_bulk())?;
                watch.judged(unit, &judged);
                facts.push(judged);
            }
        }
        Ok(false)
    };
    let ended = go_on();
    let cleared = stage.clear();
    let interrupted = ended?;
    cleared?;
    Ok(Driven { facts, interrupted })
}

fn kept(
    writer: Option<&RunWriter>,
    before: &[Acted],
    times_ns: [u64; 2],
    act: Act,
    outcome: Outcome,
) -> Result<Acted, DriveError> {
    let [began_ns, ended_ns] = times_ns;
    match writer {
        Some(writer) => Ok(writer.act(times_ns, act, outcome)?),
        None => Ok(Acted { number: before.len() as u32, began_ns, ended_ns, act, outcome }),
    }
}

/// The round that a unit and its bulk are.
///
/// # Errors
/// An outcome that its act cannot have.
pub fn round(unit: Unit<'_>, bulk: RoundData) -> Result<RoundData, DriveError> {
    Ok(RoundData { record: unit.round().map_err(DriveError::Bug)?, ..bulk })
}

fn last_unit(acts: &[Acted]) -> Result<Unit<'_>, String> {
    units(acts)?.pop().ok_or_else(|| "a unit was closed that was never begun".to_owned())
}
