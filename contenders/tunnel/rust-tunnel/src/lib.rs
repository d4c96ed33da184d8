//! A TCP proxy, an HTTP CONNECT proxy and a small HTTP load balancer that cost little.
//!
//! It is no general web server: it serves no files, rewrites nothing, and speaks HTTP/1.1 alone.
//!
//! The key decision: a thread for each core has all of a connection to itself, and hands the kernel what is to be done in one call for
//! each turn of its loop (`net`), since nearly all that a proxy costs is system calls.

mod address;
mod admission;
mod allow;
mod balance;
mod bulk;
mod connect;
mod dial;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod http;
mod log;
mod metrics;
mod net;
mod options;
mod own;
mod relay;
mod resolve;
mod server;
mod shared;
mod side;
mod tcp;
mod tls;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

/// Runs the program with these words: exit code 0 after an ordered end, 1 where it cannot run, 2 where the words are wrong.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words = match options::with_file(words) {
        Ok(words) => words,
        Err(error) => {
            eprintln!("tunnel: {error}");
            return ExitCode::from(2);
        }
    };
    let options = options::Options::try_parse_from(words).unwrap_or_else(|error| error.exit());
    match server::run(options.mode) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tunnel: {error}");
            ExitCode::FAILURE
        }
    }
}
