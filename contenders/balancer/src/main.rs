//! A round-robin HTTP/1.1 load balancer for contenders.
//!
//! Every request goes to the next upstream in turn, over connections that are kept between requests; clients
//! come with a connection for each user. It is not a general reverse proxy: no TLS, no rewriting, no health
//! checks, no WebSockets. What it must do well is cost little, since it lives within the contender's budget.
//!
//! The key decision: a request is tried again only where the first upstream cannot have seen it (no
//! connection, or a kept one that turned out to be closed before anything was sent). A creation is never sent
//! twice.

use std::process::ExitCode;

mod config;
mod headers;
mod proxy;
mod server;
mod upstream;

fn main() -> ExitCode {
    match config::Config::from_environment().and_then(|config| server::run(&config)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("balancer: {error}");
            ExitCode::FAILURE
        }
    }
}
