//! The same tests as `engine.rs`, over epoll.

#![allow(
    clippy::unwrap_used,
    reason = "what a test sets up itself; clippy takes only the test functions for tests"
)]

mod engine;
