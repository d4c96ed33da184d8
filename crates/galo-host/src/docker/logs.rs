//! A container's log, written into the run folder as it comes: by the engine's own client, which ends with the container.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::error::HostError;
use crate::{log, reap};

/// How long a client may take to write the last of a container that has ended.
const LAST_WITHIN: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(5);

/// Follows one log.
#[derive(Debug, Default)]
pub(super) struct Follower {
    client: Option<Child>,
}

impl Follower {
    /// Follows what the container has written since its first start, or since this moment, at the end of the log.
    ///
    /// # Errors
    /// The log cannot be written, or the client not started.
    pub(super) fn start(
        engine: &Engine,
        id: &str,
        path: &Path,
        since: Option<&str>,
    ) -> Result<Self, HostError> {
        let file = log::open(path)?;
        let fail = |e: std::io::Error| HostError::io("write", path, &e);
        let both = file.try_clone().map_err(fail)?;
        let mut command = Command::new("docker");
        command.args(["logs", "--follow"]);
        command.args(since.map(|moment| format!("--since={moment}")));
        command.arg(id).env_clear().envs(engine.environment()).current_dir("/");
        command.stdin(Stdio::null()).stdout(file).stderr(both).process_group(0);
        let client = command.spawn().map_err(|e| {
            HostError::host(format!("cannot follow its log: {e}\nhint: is `docker` still installed?"))
        })?;
        Ok(Self { client: Some(client) })
    }

    /// Whether the container has ended, as far as its client knows.
    pub(super) fn has_ended(&mut self) -> bool {
        self.client.as_mut().is_none_or(|client| !matches!(client.try_wait(), Ok(None)))
    }

    /// Lets it write the last of a container that has ended.
    pub(super) fn finish(&mut self) {
        let begun = Instant::now();
        while !self.has_ended() && begun.elapsed() < LAST_WITHIN {
            std::thread::sleep(LOOK);
        }
    }

    /// Ends it.
    pub(super) fn end(&mut self) {
        if let Some(mut client) = self.client.take() {
            let _ = reap::end(&mut client);
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.end();
    }
}
