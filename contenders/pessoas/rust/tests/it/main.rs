//! Real instances on free ports, asked over plain sockets.

#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod bounds;
mod durability;
mod http;
#[path = "../common/instance.rs"]
mod instance;
mod operation;
mod protocol;
mod rules;
mod search;
mod support;
mod two_instances;
