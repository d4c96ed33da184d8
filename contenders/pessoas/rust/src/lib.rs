//! The `pessoas` API in Rust: a small HTTP server over a [`store::Store`].
//!
//! It is a contender, written to be read and copied: [`http`] knows the protocol, [`api`] knows the rules of the
//! contest, [`person`] knows what a valid person is, and [`store`] knows how people are kept. It is not a framework,
//! and it shares no code with galo, so that a bug in one can never hide the same bug in the other.
//!
//! The key decision: handlers see people only through the [`store::Store`] trait, and a creation is answered
//! after the store says that it is durable. How a store makes that cheap (group commit) is its own affair.

pub mod api;
pub mod config;
mod connection;
pub mod http;
pub mod listen;
pub mod log;
mod metrics;
pub mod person;
mod query;
pub mod server;
mod service;
pub mod store;
mod unix;
