//! Gets the images that are named and not here, and tries again where a registry is busy or out of reach.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use galo_plan::Contender;
use galo_record::{Event, StartFailure};

use super::overrides;
use crate::engine::{Engine, SOON};
use crate::errand::{Done, Errand};
use crate::error::HostError;
use crate::inner::Inner;
use crate::log;

/// Pauses between the tries, in seconds; in minutes where the registry allows no more pulls for now. Docker Hub counts them by hours.
const PAUSES: [u32; 4] = [1, 4, 16, 64];
/// What a registry says where it allows no more pulls for now.
const BUSY: [&str; 2] = ["toomanyrequests", "too many requests"];
/// Time between two looks at whether the caller breaks it off.
const LOOK: Duration = Duration::from_millis(100);

/// See the module.
pub(super) fn pull(inner: &Inner, engine: &Engine, contender: &Contender) -> Result<(), HostError> {
    let built = overrides::images(contender);
    let named = contender.services.iter().filter(|service| !built.contains_key(&service.name));
    let images: BTreeSet<&String> =
        named.filter_map(|service| service.container.as_ref()?.image.as_ref()).collect();
    for image in images {
        if engine.attempt(&["image", "inspect", "--format", "{{.Id}}", "--", image], SOON)?.is_ok() {
            continue;
        }
        let tell = |before: &str| {
            let command = format!("{before}docker pull {image}");
            inner.options.events.send(Event::Building { contender: contender.name.clone(), command });
        };
        tell("");
        let program = crate::process::find_program("docker", "/".as_ref(), &engine.environment())?;
        let errand = Errand {
            what: "pull",
            program: &program,
            arguments: &["pull".to_owned(), "--".to_owned(), image.clone()],
            environment: &engine.environment(),
            workdir: "/".as_ref(),
            within: None,
            limits: None,
        };
        let attempt = || {
            let done = errand.run(inner)?;
            // An engine that is gone is no word of a registry.
            if done.is_good() { Ok(done) } else { engine.version().map(|_| done) }
        };
        let done = tried(attempt, |pause| {
            tell(&format!("again in {} s: ", pause.as_secs()));
            let begun = Instant::now();
            while begun.elapsed() < pause {
                inner.go_on()?;
                thread::sleep(LOOK);
            }
            Ok(())
        })?;
        if !done.is_good() {
            let lines = log::quoted(&done.lines);
            return Err(HostError::contender(format!(
                "image `{image}` is not on this machine and cannot be pulled{lines}\n\
                 hint: make it by hand, or see that its name is right; `docker image ls` tells what is here"
            )));
        }
    }
    Ok(())
}

/// Tries until it goes well, or surely never will; the last try's end.
fn tried(
    mut attempt: impl FnMut() -> Result<Done, HostError>,
    mut wait: impl FnMut(Duration) -> Result<(), HostError>,
) -> Result<Done, HostError> {
    for pause in PAUSES {
        let done = attempt()?;
        let said = done.lines.join("\n").to_lowercase();
        let is_sure =
            matches!(StartFailure::of(&said), StartFailure::ImageGone | StartFailure::WrongPlatform)
                || said.contains("invalid reference format");
        if done.is_good() || is_sure {
            return Ok(done);
        }
        let unit_s = if BUSY.iter().any(|words| said.contains(words)) { 60 } else { 1 };
        wait(Duration::from_secs(unit_s) * pause)?;
    }
    attempt()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    /// Pauses in seconds, and whether it went well at last, where each try in turn says this; nothing: it goes well.
    fn pauses(says: &[&str]) -> (Vec<u64>, bool) {
        let (mut says, mut waited) = (says.iter(), Vec::new());
        let attempt = || {
            let said = *says.next().expect("a try too many");
            let status = Some(ExitStatus::from_raw(if said.is_empty() { 0 } else { 256 }));
            Ok(Done { status, lines: vec![said.to_owned()] })
        };
        let wait = |pause: Duration| {
            waited.push(pause.as_secs());
            Ok(())
        };
        let done = tried(attempt, wait).unwrap();
        assert_eq!(says.next(), None, "a try too few");
        (waited, done.is_good())
    }

    #[test]
    fn what_may_pass_is_tried_five_times_and_a_limit_of_pulls_is_waited_out() {
        let cut = "Get \"https://registry/v2/\": net/http: TLS handshake timeout";
        let limit = "toomanyrequests: You have reached your unauthenticated pull rate limit.";
        let busy = "received unexpected HTTP status: 429 Too Many Requests";
        assert_eq!(pauses(&[""]), (vec![], true));
        assert_eq!(pauses(&[cut, ""]), (vec![1], true));
        assert_eq!(pauses(&[limit, cut, busy, ""]), (vec![60, 4, 16 * 60], true));
        assert_eq!(pauses(&[cut; 5]), (vec![1, 4, 16, 64], false));
    }

    #[test]
    fn what_surely_cannot_be_pulled_is_not_tried_again() {
        for said in [
            "manifest for x/y:latest not found: manifest unknown: manifest unknown",
            "pull access denied for x, repository does not exist or may require 'docker login'",
            "no matching manifest for linux/amd64 in the manifest list entries",
            "invalid reference format: repository name must be lowercase",
        ] {
            assert_eq!(pauses(&[said]), (vec![], false), "{said}");
        }
    }

    #[test]
    fn who_breaks_it_off_in_a_pause_is_not_kept() {
        let fails = || Ok(Done { status: None, lines: Vec::new() });
        assert!(tried(fails, |_| Err(HostError::interrupted())).unwrap_err().interrupted);
    }
}
