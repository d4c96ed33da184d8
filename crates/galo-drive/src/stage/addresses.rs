//! Sends loads to addresses. Nobody is started, and nothing is kept but what a load came to.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use galo_load::{LoadOptions, LoadOutcome};
use galo_plan::load::{Arrivals, Spacing};
use galo_plan::{Injection, LoadPlan};
use galo_record::act::{Act, Loaded, Outcome, Workload};
use galo_record::{Evidence, StepLatencies};

use super::load::run_engine;
use crate::{DriveError, Stage};

/// Time between two looks at whether the caller wants to stop.
const LOOK: Duration = Duration::from_millis(20);

/// The stage of `galo load`.
pub struct AddressStage {
    plan: LoadPlan,
    spacing: Spacing,
    options: LoadOptions,
    bulk: LoadBulk,
}

/// What of a load is not in its act.
#[derive(Debug, Default)]
pub struct LoadBulk {
    /// By flat step number.
    pub latencies: Vec<StepLatencies>,
    /// The first few answers that were not right.
    pub evidence: Vec<Evidence>,
}

impl AddressStage {
    /// Sends these requests. The arrivals of the plan's first source are used for [`Workload::Asked`], and its spacing for every
    /// constant rate.
    pub fn new(plan: LoadPlan, options: LoadOptions) -> Self {
        let spacing = match plan.sources.first().map(|source| &source.arrivals) {
            Some(Arrivals::Open { spacing, .. }) => *spacing,
            Some(Arrivals::Closed { .. }) | None => Spacing::Even,
        };
        Self { plan, spacing, options, bulk: LoadBulk::default() }
    }

    fn is_stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
    }

    /// What was broken off is told as far as it came.
    fn load(&mut self, traffic: &Workload) -> Result<Loaded, DriveError> {
        let arrivals = match *traffic {
            Workload::Asked => None,
            Workload::Rate { rate_micro, length_ns } => {
                let injection = Injection::constant(rate_micro, Duration::from_nanos(length_ns));
                Some(Arrivals::Open { injection, spacing: self.spacing })
            }
            Workload::Closed { users, length_ns } => {
                Some(Arrivals::Closed { users, total: None, duration_ns: Some(length_ns) })
            }
            _ => return Err(DriveError::Bug("addresses are sent no such traffic".to_owned())),
        };
        if let (Some(arrivals), Some(source)) = (arrivals, self.plan.sources.first_mut()) {
            source.arrivals = arrivals;
        }
        let LoadOutcome { load, latencies, evidence, .. } = run_engine(&self.plan, &self.options)?;
        self.bulk = LoadBulk { latencies, evidence };
        Ok(Loaded { load, ..Loaded::default() })
    }

    fn rest(&self, length: Duration) {
        let begun = Instant::now();
        while begun.elapsed() < length && !self.is_stopped() {
            std::thread::sleep(LOOK);
        }
    }
}

impl Stage for AddressStage {
    type Bulk = LoadBulk;

    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError> {
        match act {
            Act::Begin(_) => Ok((!self.is_stopped()).then_some(Outcome::Done)),
            Act::Rest { length_ns } => {
                self.rest(Duration::from_nanos(*length_ns));
                Ok((!self.is_stopped()).then_some(Outcome::Done))
            }
            Act::Load(terms) => Ok(Some(Outcome::Loaded(Box::new(self.load(&terms.traffic)?)))),
            Act::Close => Ok(Some(Outcome::Done)),
            _ => Err(DriveError::Bug("addresses are only sent loads".to_owned())),
        }
    }

    fn take_bulk(&mut self) -> LoadBulk {
        std::mem::take(&mut self.bulk)
    }

    fn clear(&mut self) -> Result<(), DriveError> {
        Ok(())
    }
}
