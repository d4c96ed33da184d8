//! One hold: rest, preload, constant traffic, count, judgement.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Result;
use galo_judge::limit::{Creations, Held, figures};
use galo_record::{HoldRecord, RoundData, RoundRecord};
use galo_report::limit::scale_words;
use galo_report::load::AssertionReport;

use super::ground::Ground;
use super::preload::Filled;
use super::setup::Setup;

impl Ground<'_> {
    /// Drives one hold; `None`: the caller broke it off.
    ///
    /// # Errors
    /// What is not the hold's result: the contender did not start again, galo failed.
    pub(super) fn hold(
        &mut self,
        setup: &Setup,
        scale_milli: u64,
        confirms: bool,
    ) -> Result<Option<HoldRecord>> {
        let length = if confirms { setup.confirm } else { setup.hold };
        self.rest(&setup.criterion)?;
        let filled = self.filled(setup, scale_milli, length)?;
        if self.is_stopped() {
            return Ok(None);
        }
        let target = self.target()?;
        let (round, broken) = match &filled.lack {
            Some(lack) => (RoundData::new(RoundRecord::new(1, 0, 0)), vec![lack.clone()]),
            None => {
                let plan = self.holds.hold(scale_milli, length, target)?;
                self.live.begin(&format!(
                    "hold of {} s at scale {}",
                    length.as_secs(),
                    scale_words(scale_milli as f64 / 1e3)
                ));
                let (round, is_interrupted) = self.load(&plan)?;
                if is_interrupted {
                    return Ok(None);
                }
                let outcomes = setup.criterion.evaluate(&figures(self.means.plan, &round));
                let broken = outcomes.iter().filter(|outcome| !outcome.met).map(|outcome| {
                    let outcome = AssertionReport::from(*outcome);
                    format!("{}: {}", outcome.assertion, outcome.actual())
                });
                (round, broken.collect())
            }
        };
        let people = [filled.people, self.count_after(target, filled.people, &round)];
        let held = Held {
            plan: self.means.plan,
            round: &round,
            scale_milli,
            confirms,
            length,
            rates: &self.holds.rates(scale_milli),
            preload: filled.preload,
            people,
            broken: &broken,
            min_answered: setup.terms.min_answered,
        };
        let hold = held.judge();
        self.unsettled = hold.unknown > 0;
        self.not_met_milli = (!hold.outcome.met).then_some(scale_milli);
        Ok((!self.is_stopped()).then_some(hold))
    }

    fn filled(&mut self, setup: &Setup, scale_milli: u64, length: Duration) -> Result<Filled> {
        if setup.preloads && self.means.plan.judges_the_count() {
            return self.fill(scale_milli, length);
        }
        let target = self.target()?;
        Ok(Filled { people: self.people(target), preload: None, lack: None })
    }

    /// The count right after; where that is not what was acknowledged, the count at rest, as in every round.
    fn count_after(&self, target: SocketAddr, before: Option<u64>, round: &RoundData) -> Option<u64> {
        let at_once = self.count(target);
        if !self.means.plan.judges_the_count() {
            return at_once;
        }
        let creations = Creations::of(self.means.plan, round);
        match creations.contradiction([before, at_once]) {
            None => at_once,
            Some(_) => self.count_at_rest(target),
        }
    }
}
