//! A fight as others watch it while it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Result;
use galo_judge::Standing;
use galo_record::{Event, RoundRecord};
use galo_report::FightMetrics;

use crate::cli::MetricsArgs;
use crate::metrics::Exporter;

/// What is known now, and who tells it.
pub(crate) struct Watched {
    metrics: Shared,
    exporter: Exporter,
}

#[derive(Clone)]
struct Shared(Arc<Mutex<FightMetrics>>);

impl Shared {
    fn get(&self) -> MutexGuard<'_, FightMetrics> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    /// Begins to tell what was asked for, of a fight of so many rounds.
    ///
    /// # Errors
    /// An address that cannot be had, or is none.
    pub(crate) fn open(args: &MetricsArgs, planned: usize, quiet: bool) -> Result<Self> {
        let metrics = Shared(Arc::new(Mutex::new(FightMetrics::new(planned))));
        let exporter = Exporter::open(args, "galo_fight", quiet, {
            let metrics = metrics.clone();
            move || metrics.get().to_text()
        })?;
        Ok(Self { metrics, exporter })
    }

    /// What hears the news of a round.
    pub(crate) fn ear(&self) -> impl FnMut(&Event) + Send + 'static {
        let metrics = self.metrics.clone();
        move |event| metrics.get().hear(event)
    }

    /// A round begins.
    pub(crate) fn begin_round(&self, number: u32, contender: &str) {
        self.metrics.get().begin_round(number, contender);
    }

    /// A round is over, and judged.
    pub(crate) fn close_round(&self, record: &RoundRecord, standing: &Standing) {
        self.metrics.get().close_round(&record.load.total().ledger, standing);
    }

    /// Tells the last of it.
    pub(crate) fn finish(self) {
        self.exporter.finish();
    }
}
