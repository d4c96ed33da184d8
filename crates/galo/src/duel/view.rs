//! The live line of a duel: whose turn it is, and how it goes.

use std::sync::{Arc, Mutex, PoisonError};

use galo_record::event::Progress;

use crate::live::Where;

/// Whose turn it is; shared with the live view.
#[derive(Debug, Clone, Default)]
pub(super) struct Status(Arc<Mutex<String>>);

impl Status {
    /// From now on it is this.
    pub(super) fn set(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// The view. Where lines stay, there is one for each pair, and no more is said.
    pub(super) fn view(&self) -> impl FnMut(&Progress, Where) -> String + Send + 'static {
        let status = self.clone();
        move |progress, place| match place {
            Where::Line => String::new(),
            Where::Redrawn => {
                let turn = status.0.lock().unwrap_or_else(PoisonError::into_inner);
                let per_s = progress.done as f64 * 1e9 / progress.elapsed_ns.max(1) as f64;
                format!("{turn}  {per_s:.0}/s  p99 {:.1} ms", progress.latency_us_p99 as f64 / 1e3)
            }
        }
    }
}
