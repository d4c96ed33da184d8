//! Metrics of what runs, for others while it runs: to be scraped, and pushed to a gateway. Whoever asks is answered from
//! galo's own memory, so nothing that is watched notices.

mod push;
mod scrape;

use std::sync::Arc;

use anyhow::Result;

use crate::cli::MetricsArgs;
use crate::output::say;
use push::Pusher;

/// Writes all metrics as they are now.
type Source = Arc<dyn Fn() -> String + Send + Sync>;

/// What tells others, until it is finished.
pub(crate) struct Exporter {
    pusher: Option<Pusher>,
}

impl Exporter {
    /// Begins to tell what was asked for; a gateway gets it under the name of `job`.
    ///
    /// # Errors
    /// An address that cannot be had, or is none.
    pub(crate) fn open(
        args: &MetricsArgs,
        job: &str,
        quiet: bool,
        source: impl Fn() -> String + Send + Sync + 'static,
    ) -> Result<Self> {
        let source: Source = Arc::new(source);
        if let Some(address) = &args.prometheus {
            let address = scrape::serve(scrape::listening(address)?, &source)?;
            if !quiet {
                say(&format!("metrics: http://{address}/metrics"));
            }
        }
        let push = |gateway: &String| Pusher::start(gateway, job, source);
        Ok(Self { pusher: args.push_gateway.as_ref().map(push).transpose()? })
    }

    /// Pushes for the last time.
    pub(crate) fn finish(self) {
        if let Some(pusher) = self.pusher {
            pusher.finish();
        }
    }
}
