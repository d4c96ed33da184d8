//! A contender asked for the count.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
const FIRST_WITHIN_NS: u64 = 15_000_000_000;

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
        let end_ns = now_ns() + FIRST_WITHIN_NS;
        loop {
            let (reading, failure) = self.asked();
            if reading.is_answered() || now_ns() >= end_ns || self.is_stopped() {
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
        self.asked().0
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// A reading, and why there is no answer.
    fn asked(&self) -> (CountReading, Option<FailureKind>) {
        let asked_ns = now_ns();
        let asked = galo_load::get(self.target, &self.count.path, TIMEOUT);
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
