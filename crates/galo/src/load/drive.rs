//! Drives one load after another with what they share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;

use anyhow::Result;
use galo_load::LoadOptions;
use galo_record::SecondLatencies;

use super::measured::Measured;
use super::setup::Setup;
use crate::live::Live;
use crate::session::stopped;

/// See the module.
pub(super) struct Driver {
    pub(super) setup: Setup,
    /// As they were written.
    pub(super) urls: Vec<String>,
    pub(super) live: Live,
    pub(super) stop: Arc<AtomicBool>,
}

impl Driver {
    /// Drives the plan as it stands. With `seconds` they go there, and the outcome keeps none.
    ///
    /// # Errors
    /// What kept the engine from running at all.
    pub(super) fn drive(&self, seconds: Option<Sender<SecondLatencies>>) -> Result<Measured> {
        let options = LoadOptions {
            threads: self.setup.threads,
            history: false,
            real_time: false,
            backend: self.setup.backend,
            spin: self.setup.spin,
            drain: self.setup.drain,
            stop: Arc::clone(&self.stop),
            events: self.live.events(),
            seconds,
        };
        Ok(galo_load::run(&self.setup.plan, &options)?.into())
    }

    /// Whether the caller wants to stop.
    pub(super) fn is_stopped(&self) -> bool {
        stopped(&self.stop)
    }
}
