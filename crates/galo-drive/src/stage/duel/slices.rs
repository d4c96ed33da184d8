//! Drives both sides at once, slice by slice: one is thawed, driven, let finish and frozen, then the other one.

use std::sync::Arc;

use galo_host::Running;
use galo_load::{Gate, LoadOptions, LoadOutcome};
use galo_plan::{LoadPlan, Seed, turns};
use galo_record::act::Alternation;
use galo_record::duel::{Slice, SliceTerms};
use galo_record::{LoadUsage, Window};
use galo_watch::Looks;

use crate::DriveError;
use crate::stage::load::run_engine;

/// One side, as it is driven in slices.
pub(super) struct Lane<'a> {
    pub(super) plan: &'a LoadPlan,
    pub(super) options: LoadOptions,
    /// `None`: it is not galo's to freeze.
    pub(super) running: Option<&'a dyn Running>,
    /// `None`: there is nothing to look at.
    looks: Option<Looks>,
    usage: Option<LoadUsage>,
    restless: u64,
    gate: Arc<Gate>,
}

/// What came of a side's load.
pub(super) struct Driven {
    pub(super) outcome: LoadOutcome,
    pub(super) usage: Option<LoadUsage>,
    /// Slices after which it did not stand still.
    pub(super) restless: u64,
}

impl<'a> Lane<'a> {
    /// A side that stands still so far, if galo can freeze it.
    pub(super) fn new(
        plan: &'a LoadPlan,
        options: LoadOptions,
        running: Option<&'a dyn Running>,
    ) -> Result<Self, DriveError> {
        let gate = Arc::new(Gate::default());
        let options = LoadOptions { gate: Some(Arc::clone(&gate)), ..options };
        let looks = running.map(|running| Looks::open(running.placement())).transpose()?;
        Ok(Self { plan, options, running, looks, usage: None, restless: 0, gate })
    }

    /// Drives it for a slice; `None`: its load has come to its end. A look before and after sees nothing of the other side.
    fn slice(&mut self, terms: SliceTerms) -> Option<Slice> {
        let before = self.looks.as_mut().map(Looks::look);
        self.running.inspect(|running| running.resume());
        let slice = self.gate.slice(terms);
        self.restless += u64::from(!self.running.is_none_or(Running::pause));
        let after = self.looks.as_mut().map(Looks::look);
        let mut slice = slice?;
        if let Some(looks) = before.zip(after) {
            let part = Window::between(&looks.into()).all();
            slice.cpu_ns = part.cpu_ns();
            match &mut self.usage {
                Some(usage) => usage.add(&part),
                None => self.usage = Some(part),
            }
        }
        Some(slice)
    }
}

/// Drives both loads to their end. In each pair of slices the order is drawn by the seed.
pub(super) fn alternate(
    lanes: [Lane<'_>; 2],
    terms: &Alternation,
    seed: Seed,
) -> Result<([Driven; 2], Vec<[Slice; 2]>), DriveError> {
    let [mut first, mut second] = lanes;
    let mut slices = Vec::new();
    let [one, other] = std::thread::scope(|scope| {
        let loads = [&first, &second].map(|lane| {
            let (plan, options) = (lane.plan, lane.options.clone());
            scope.spawn(move || run_engine(plan, &options))
        });
        let lanes = [&mut first, &mut second];
        for number in terms.first_slice.. {
            let mut pair = [None, None];
            for side in turns::block(seed, number, 2) {
                pair[side] = lanes[side].slice(terms.slices);
            }
            match pair {
                [None, None] => break,
                [Some(one), Some(other)] => slices.push([one, other]),
                // One that is not over when the other one is has no partner any more.
                _ => {}
            }
        }
        loads.map(std::thread::ScopedJoinHandle::join)
    });
    let outcome = |joined: std::thread::Result<_>| -> Result<LoadOutcome, DriveError> {
        Ok(joined.map_err(|_| DriveError::Bug("the load engine panicked".to_owned()))??)
    };
    let driven = [
        Driven { outcome: outcome(one)?, usage: first.usage, restless: first.restless },
        Driven { outcome: outcome(other)?, usage: second.usage, restless: second.restless },
    ];
    Ok((driven, slices))
}
