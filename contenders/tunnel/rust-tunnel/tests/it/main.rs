//! The program itself, over both ways to the kernel.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod answers;
mod attacks;
mod balance;
mod clients;
mod connect;
mod operation;
mod support;
mod tcp;
mod tls;
