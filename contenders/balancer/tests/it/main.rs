//! The balancer as a process, between plain sockets on both sides.

#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod balancing;
mod failures;
mod messages;
mod support;
