//! From a run folder to every word of its report.

// Clippy's `allow-unwrap-in-tests` sees only functions marked as tests, not the helpers that they share.
#![allow(clippy::unwrap_used)]

mod agreement;
mod browser;
mod compare;
mod conformance;
mod duel;
mod json;
mod league;
mod limit;
mod load;
mod markdown;
mod page;
mod requests;
mod runs;
mod scan;
mod summary;
mod synthetic;
mod traffic;
mod trend;
mod tune;
mod widths;

use galo_record::{Machine, RunHeader};

/// How and where a run was driven.
fn header(command: &[&str]) -> RunHeader {
    RunHeader {
        format: 1,
        galo: "0.1.0".to_owned(),
        command: command.iter().map(|&word| word.to_owned()).collect(),
        started: "2026-01-02T03:04:05Z".to_owned(),
        machine: Machine { cpu: "Example CPU".to_owned(), cores: 2, ..Machine::default() },
    }
}
