//! Metrics for a Prometheus push gateway: every few seconds, and at the end.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use galo_plan::secret;

use super::Source;
use crate::exit::WrongUse;
use crate::output::say;

const EVERY: Duration = Duration::from_secs(10);
/// Bound for one push: the end of galo waits for the last one.
const PATIENCE: Duration = Duration::from_secs(5);
/// Where a gateway takes metrics of a job, but for its name.
const PATH: &str = "/metrics/job/";

/// Pushes until it is finished.
pub(super) struct Pusher {
    end: Sender<()>,
    thread: JoinHandle<()>,
}

impl Pusher {
    /// Starts pushing to a gateway: its address, or one with the path of another job.
    ///
    /// # Errors
    /// What is no such address.
    pub(super) fn start(gateway: &str, job: &str, source: Source) -> Result<Self, WrongUse> {
        let url = job_url(gateway, job)?;
        let (end, ended) = channel();
        let thread = std::thread::spawn(move || {
            let mut told = false;
            loop {
                let over = ended.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout);
                if let Err(error) = push(&url, &source())
                    && !std::mem::replace(&mut told, true)
                {
                    say(&secret::in_urls(&format!("cannot push to `{url}`: {error}")));
                }
                if over {
                    return;
                }
            }
        });
        Ok(Self { end, thread })
    }

    /// Pushes for the last time.
    pub(super) fn finish(self) {
        drop(self.end);
        // A panic of that thread has told itself.
        let _ = self.thread.join();
    }
}

fn job_url(gateway: &str, job: &str) -> Result<String, WrongUse> {
    let refused = || {
        WrongUse(format!(
            "`{}` is no push gateway\nhint: write for example `http://localhost:9091`; galo pushes without TLS",
            secret::in_address(gateway)
        ))
    };
    let place = gateway.strip_prefix("http://").ok_or_else(refused)?;
    match place.split_once('/') {
        _ if place.is_empty() => Err(refused()),
        None | Some((_, "")) => Ok(format!("{}{PATH}{job}", gateway.trim_end_matches('/'))),
        Some(_) => Ok(gateway.to_owned()),
    }
}

/// Replaces all that was pushed for the job before.
fn push(url: &str, text: &str) -> Result<(), String> {
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        .http_status_as_error(false)
        .proxy(None)
        .user_agent("galo/push")
        .build()
        .new_agent();
    let request = agent.put(url).header("Content-Type", "text/plain; version=0.0.4");
    let answer = request.send(text).map_err(|error| error.to_string())?;
    let status = answer.status();
    if status.is_success() { Ok(()) } else { Err(format!("status {}", status.as_u16())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_may_be_named_with_or_without_the_path_of_a_job() {
        let url = |gateway| job_url(gateway, "galo_load").map_err(|error| error.to_string());
        assert_eq!(url("http://h:9091").unwrap(), "http://h:9091/metrics/job/galo_load");
        assert_eq!(url("http://h:9091/").unwrap(), "http://h:9091/metrics/job/galo_load");
        assert_eq!(url("http://h/metrics/job/mine").unwrap(), "http://h/metrics/job/mine");
        for wrong in ["https://h", "h:9091", "http://", ""] {
            assert!(url(wrong).unwrap_err().contains("is no push gateway"), "{wrong}");
        }
        assert!(!url("https://me:SECRET@h").unwrap_err().contains("SECRET"));
    }
}
