//! A contender asked for the count.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use galo_plan::challenge::Count;
use galo_record::clock::now_ns;
use galo_record::conformance::FailureKind;
use galo_record::round::CountReading;
use galo_record::{Event, Events};

use super::load::LOOK;
use super::rest::until_rest;
use crate::DriveError;

/// Bound for one answer: that of any other.
const TIMEOUT: Duration = Duration::from_secs(60);
/// A contender that became ready must answer within this time, or it was not ready.
const FIRST_WITHIN: Duration = Duration::from_secs(15);

/// Asks one contender.
pub struct Counter<'a> {
    /// Where, and how long it may take to come to rest.
    pub count: &'a Count,
    /// The contender.
    pub target: SocketAddr,
    /// Set by the caller to break off.
    pub stop: &'a AtomicBool,
    /// Hears every reading.
    pub events: &'a Events,
}

impl Counter<'_> {
    /// The count before the first request. A contender may have said that it is ready a moment too early.
    /// That galo itself could not even ask is an error, and nothing against the contender.
    ///
    /// # Errors
    /// galo could not ask.
    pub fn first(&self) -> Result<CountReading, DriveError> {
        self.first_within(FIRST_WITHIN)
    }

    fn first_within(&self, within: Duration) -> Result<CountReading, DriveError> {
        let end = Instant::now() + within;
        loop {
            // The last question has some time, too.
            let left = end.saturating_duration_since(Instant::now()).max(LOOK);
            let (reading, failure) = self.asked(left);
            if reading.is_answered() || Instant::now() >= end || self.is_stopped() {
                if failure == Some(FailureKind::Own) && !self.is_stopped() {
                    return Err(DriveError::Count(reading.text));
                }
                return Ok(reading);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Reads it until it is at rest.
    pub fn until_rest(&self) -> Vec<CountReading> {
        let mut is_first = true;
        until_rest(self.count, now_ns(), || {
            if !std::mem::take(&mut is_first) {
                if self.is_stopped() {
                    return None;
                }
                std::thread::sleep(LOOK);
            }
            Some(self.read())
        })
    }

    /// Reads it once.
    pub fn read(&self) -> CountReading {
        self.asked(TIMEOUT).0
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// A reading, and why there is no answer.
    fn asked(&self, within: Duration) -> (CountReading, Option<FailureKind>) {
        let asked_ns = now_ns();
        let asked = galo_load::get_unless(Some(self.stop), self.target, &self.count.path, within);
        let kind = asked.as_ref().err().map(|failure| failure.kind);
        let (status, text) = match asked {
            Ok(answer) => (answer.status, String::from_utf8_lossy(&answer.body).chars().take(200).collect()),
            Err(failure) => (0, failure.text),
        };
        let at_ns = now_ns();
        let reading = CountReading { took_ns: at_ns - asked_ns, ..CountReading::new(at_ns, status, text) };
        self.events.send(Event::Counted { value: reading.value });
        (reading, kind)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;
    use std::sync::Arc;

    use galo_plan::challenge::Noun;

    use super::*;

    /// Takes a question, and tells by `asked`; it never answers.
    fn hanging(asked: impl FnOnce() + Send + 'static) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 1024];
            assert!(stream.read(&mut bytes).unwrap() > 0);
            asked();
            while stream.read(&mut bytes).is_ok_and(|n| n > 0) {}
        });
        address
    }

    fn count() -> Count {
        Count { path: "/count".to_owned(), settle_ns: 0, settle_max_ns: 0, noun: Noun::default() }
    }

    #[test]
    fn a_count_that_hangs_ends_as_soon_as_the_caller_breaks_off() {
        for is_first in [true, false] {
            let stop = Arc::new(AtomicBool::new(false));
            let stopper = Arc::clone(&stop);
            let target = hanging(move || stopper.store(true, Ordering::Relaxed));
            let counter = Counter { count: &count(), target, stop: &stop, events: &Events::none() };
            let reading = if is_first { counter.first().unwrap() } else { counter.read() };
            assert_eq!(reading.text, "GET /count: it was broken off");
        }
    }

    #[test]
    fn the_first_count_is_waited_for_only_as_long_as_it_may_take() {
        let stop = AtomicBool::new(false);
        let counter =
            Counter { count: &count(), target: hanging(|| {}), stop: &stop, events: &Events::none() };
        let reading = counter.first_within(Duration::from_millis(300)).unwrap();
        assert!(reading.text.starts_with("GET /count: no answer within "), "{reading:?}");
        assert!(!reading.is_answered());
    }
}
