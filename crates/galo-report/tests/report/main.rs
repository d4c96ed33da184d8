//! From a run folder to every word of its report.

// Clippy's `allow-unwrap-in-tests` sees only functions marked as tests, not the helpers that they share.
#![allow(clippy::unwrap_used)]

mod agreement;
mod compare;
mod conformance;
mod duel;
mod gatling;
mod json;
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
