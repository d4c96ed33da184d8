//! Loads of a contender that stays up over several: holds, light loads and those that fill its tables. It is seen load by
//! load, not from its start to its end.

use std::time::Duration;

use galo_load::LoadOptions;
use galo_plan::LoadPlan;
use galo_record::act::{Creations, Loaded, Outcome, Workload};
use galo_record::latencies::StepSparse;
use galo_record::{RoundData, RoundRecord};
use galo_watch::{Logs, Witness};

use super::super::load::{LOOK, keep, options, run_beside};
use super::{ContenderStage, Up};
use crate::DriveError;

/// After the last arrival, how long to wait for answers. Less than the challenge's timeouts, so that a hold far beyond
/// what is held does not take minutes; what has no answer then is unfinished, which is an error.
pub(super) const DRAIN: Duration = Duration::from_secs(10);

impl ContenderStage<'_> {
    /// Sends one of them; `None`: the caller broke it off. Only a hold has bulk, which is the unit's.
    pub(super) fn load_in_turn(&mut self, traffic: &Workload) -> Result<Option<Outcome>, DriveError> {
        let plan = self.plan_in_turn(traffic)?;
        let has_bulk = matches!(traffic, Workload::Hold { .. });
        let mut data = RoundData::new(RoundRecord::new(0, 0, 0));
        let mut loaded = Loaded::default();
        let means = self.means;
        let Some(running) = self.up()?.running.as_mut() else {
            return Err(DriveError::Bug("a contender held that galo did not start".to_owned()));
        };
        let placement = running.placement().clone();
        let logs = Logs::from_now(&placement);
        let witness = Witness::start(placement, &running.services(), logs, means.events)?;
        let options = LoadOptions { history: has_bulk, ..options(&means, DRAIN) };
        let outcome = run_beside(&plan, &options, LOOK, || loaded.findings.extend(running.trouble()))?;
        let is_interrupted = keep(outcome, &mut data);
        witness.end(&mut data);
        loaded.findings.extend(running.trouble());
        if is_interrupted || self.is_stopped() {
            return Ok(None);
        }
        loaded.load = data.record.load.clone();
        if let Workload::Light { .. } = traffic {
            loaded.latencies = data.latencies.iter().map(StepSparse::from_step).collect();
        }
        if has_bulk {
            loaded.creations = Creations::from_history(&means.plan.challenge, &data.history);
            loaded.beside = data.record.beside.clone();
            self.data = data;
        }
        Ok(Some(Outcome::Loaded(Box::new(loaded))))
    }

    pub(super) fn plan_in_turn(&mut self, traffic: &Workload) -> Result<LoadPlan, DriveError> {
        let &mut Up { target, contender, .. } = self.up()?;
        let load = match *traffic {
            Workload::Hold { scale_milli, length_ns }
            | Workload::Soak { scale_milli, length_ns }
            | Workload::Light { scale_milli, length_ns } => {
                self.holds.hold(scale_milli, Duration::from_nanos(length_ns), target)?
            }
            Workload::Fill { users, rows } => {
                let plan = self.holds.creations(users, rows, target)?;
                plan.ok_or_else(|| {
                    DriveError::Bug("the profile creates nothing to fill tables with".to_owned())
                })?
            }
            _ => return Err(DriveError::Bug("a load that no hold has".to_owned())),
        };
        Ok(self.by_its_way(contender, load))
    }
}
