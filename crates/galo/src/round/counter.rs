//! A contender asked for the count.

use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Result, bail};
use galo_plan::challenge::Count;
use galo_record::clock::now_ns;
use galo_record::conformance::FailureKind;
use galo_record::round::CountReading;
use galo_record::{Event, Events};

use super::LOOK;
use super::rest::until_rest;
use crate::session::stopped;

/// Bound for one answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// A contender that became ready must answer within this time, or it was not ready.
const FIRST_WITHIN_NS: u64 = 15_000_000_000;

/// See the module.
pub(crate) struct Counter<'a> {
    pub(super) count: &'a Count,
    pub(super) target: SocketAddr,
    pub(super) stop: &'a AtomicBool,
    pub(super) events: &'a Events,
}

impl Counter<'_> {
    /// Where it is asked.
    pub(crate) fn path(&self) -> &str {
        &self.count.path
    }

    /// The count before the first request. A contender may have said that it is ready a moment too early.
    /// That galo itself could not even ask is an error, and nothing against the contender.
    pub(crate) fn first(&self) -> Result<CountReading> {
        let end_ns = now_ns() + FIRST_WITHIN_NS;
        loop {
            let (reading, failure) = self.asked();
            if reading.is_answered() || now_ns() >= end_ns || stopped(self.stop) {
                if failure == Some(FailureKind::Own) && !stopped(self.stop) {
                    bail!("the count could not be asked for: {}\nhint: see `galo doctor`", reading.text);
                }
                return Ok(reading);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Reads it until it is at rest.
    pub(crate) fn until_rest(&self) -> Vec<CountReading> {
        let mut is_first = true;
        until_rest(self.count, now_ns(), || {
            if !std::mem::take(&mut is_first) {
                if stopped(self.stop) {
                    return None;
                }
                std::thread::sleep(LOOK);
            }
            Some(self.read())
        })
    }

    /// Reads it once.
    pub(crate) fn read(&self) -> CountReading {
        self.asked().0
    }

    /// A reading, and why there is no answer.
    fn asked(&self) -> (CountReading, Option<FailureKind>) {
        let asked_ns = now_ns();
        let asked = galo_load::get(self.target, self.path(), TIMEOUT);
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
