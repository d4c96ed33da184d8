//! The store on a real PostgreSQL that is killed, frozen and lied to.

#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

#[path = "../common/machine.rs"]
mod machine;
mod measure;
mod outages;
#[path = "../common/postgres.rs"]
mod postgres;
mod restarts;
mod support;
mod together;
