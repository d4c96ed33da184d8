//! `galo load URL`: the engine by itself.

use std::time::Duration;

use anyhow::{Context, Result};
use galo_load::{Backend, LoadOptions};
use galo_plan::challenge::Connection;
use galo_plan::load::{Arrivals, Spacing, Target};
use galo_plan::single::SingleRequest;
use galo_plan::units::parse_duration;
use galo_plan::{Injection, LoadPlan};
use galo_report::LoadReport;

use crate::check::resolve;
use crate::cli::LoadArgs;
use crate::exit::{Exit, WrongUse};
use crate::live::Live;
use crate::output::{look, print, write_json};
use crate::session::{stop_flag, stopped};

/// Runs the command.
pub(crate) fn run(args: &LoadArgs) -> Result<Exit> {
    let stop = stop_flag()?;
    let (authority, target) = split_url(&args.url)?;
    let address = resolve(authority)?;
    let request = request(args, authority, target)?;
    let arrivals = Arrivals::Open { injection: injection(args)?, spacing: Spacing::Even };
    let plan = LoadPlan::of_one_request(&request, arrivals, Target::plain(address));

    let live = Live::start(args.output.quiet);
    let options = LoadOptions {
        threads: usize::from(args.threads),
        history: false,
        real_time: false,
        backend: Backend::Auto,
        spin: false,
        // After the last arrival: to connect, to be answered, and a second more, so that timeouts come first.
        drain: request.timeout.saturating_mul(2).saturating_add(Duration::from_secs(1)),
        stop: stop.clone(),
        events: live.events(),
        seconds: None,
    };
    let outcome = galo_load::run(&plan, &options)?;
    drop(live);

    let elapsed_ns = outcome.ended_ns - outcome.started_ns;
    let report =
        LoadReport::new(&args.url, elapsed_ns, &outcome.steps[0], &outcome.latencies[0], &outcome.engine);
    if !write_json(args.output.json.as_deref(), &report.to_json())? && !args.output.quiet {
        print(&report.terminal(look()))?;
    }
    Ok(if stopped(&stop) { Exit::Interrupted } else { Exit::Done })
}

/// `http://host:port/path?query` as authority and target.
fn split_url(url: &str) -> Result<(&str, &str)> {
    let rest = url
        .strip_prefix("http://")
        .ok_or_else(|| WrongUse(format!("`{url}` is no http address\nhint: write http://host:port/path")))?;
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, target) = rest.split_at(at);
    Ok((authority, if target.is_empty() { "/" } else { target }))
}

fn request(args: &LoadArgs, authority: &str, target: &str) -> Result<SingleRequest> {
    let mut headers = args
        .header
        .iter()
        .map(|line| {
            let (name, value) =
                line.split_once(':').filter(|_| !line.contains(['\r', '\n'])).ok_or_else(|| {
                    WrongUse(format!("header `{line}` is no header line\nhint: write 'Name: value'"))
                })?;
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        })
        .collect::<Result<Vec<_>>>()?;
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        headers.insert(0, ("Host".to_owned(), authority.to_owned()));
    }
    let method =
        args.request.clone().unwrap_or_else(|| if args.data.is_some() { "POST" } else { "GET" }.into());
    Ok(SingleRequest {
        method,
        target: target.to_owned(),
        headers,
        body: args.data.clone(),
        statuses: args.status.clone(),
        timeout: parse_duration(&args.timeout).map_err(WrongUse)?,
        connection: Connection::PerUser,
    })
}

fn injection(args: &LoadArgs) -> Result<Injection> {
    let constant = [format!("{}/s for {}", args.rate, args.duration)];
    let phases = if args.inject.is_empty() { &constant[..] } else { &args.inject };
    Injection::parse(phases).map_err(|e| WrongUse(e.to_string())).context("cannot plan the load")
}
