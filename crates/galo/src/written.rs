//! What the options of a request and of commands mean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::operands;
use galo_plan::request::RequestOptions;

use crate::cli::RequestArgs;
use crate::exit::WrongUse;
use crate::output::say;

pub(crate) use galo_plan::operands::{is_address, server, words_apart as apart};

/// The request of the options, to this address.
pub(crate) fn request(args: &RequestArgs, url: &str) -> RequestOptions {
    RequestOptions {
        urls: vec![url.to_owned()],
        method: args.method.clone(),
        headers: args.header.clone(),
        body: args.data.clone(),
        statuses: args.status.clone(),
        timeout: args.timeout.clone(),
        ..RequestOptions::default()
    }
}

/// Says so where a `Connection: close` gives each request a connection of its own. A file of scenarios says itself which it has.
pub(crate) fn tell_connections(plans: &[LoadPlan], asked: Connection, file: Option<&Path>) {
    let mut scenarios = plans.iter().flat_map(|plan| &plan.scenarios);
    if file.is_none() && scenarios.any(|scenario| scenario.connection != asked) {
        say("`Connection: close`: each request takes a new connection, as by --connection per-request");
    }
}

/// `NAME=VALUE` as a map.
pub(crate) fn variables(texts: &[String]) -> Result<BTreeMap<String, String>, WrongUse> {
    operands::variables(texts).map_err(WrongUse)
}

/// The folder where commands run, without links.
pub(crate) fn folder(cwd: &Path) -> Result<PathBuf, WrongUse> {
    operands::folder(cwd).map_err(WrongUse)
}
