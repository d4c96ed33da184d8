//! From what was written to what is to be driven.

use std::time::Duration;

use anyhow::Result;
use galo_drive::schedule::{Highest, Loads};
use galo_judge::assertion::Assertions;
use galo_judge::load::{PartName, Range, Subject};
use galo_load::Backend;
use galo_plan::challenge::Connection;
use galo_plan::injection::{Climb, RateSteps};
use galo_plan::load::{Arrivals, Pick, Pool, Protocol, Spacing, Transport};
use galo_plan::request::{DataOptions, RequestOptions, Requests};
use galo_plan::units::{parse_duration, parse_rate_micro};
use galo_plan::{Injection, LoadPlan, PlanError, secret};

use crate::address::Resolver;
use crate::cli::{AmountArgs, BackendArg, ConnectionArg, LoadArgs, PickArg, WayArgs};
use crate::exit::WrongUse;
use crate::written::tell_connections;

/// At once in a closed loop.
const CLOSED_CONNECTIONS: u32 = 64;
/// Connections at most in the open model: what a server of a small machine still takes well.
const OPEN_CONNECTIONS: u32 = 512;
/// Requests at once on a connection of HTTP/2 in the open model, as browsers and servers allow.
const OPEN_STREAMS: u32 = 100;
/// At once at most in the closed loop that says where a search begins.
const SCOUT_USERS: u32 = 64;
const LENGTH: Duration = Duration::from_secs(10);
/// After the last arrival, beside the timeouts, so that those come first.
const DRAIN_MORE: Duration = Duration::from_secs(1);

/// All that the options mean.
pub(super) struct Setup {
    /// What is driven. The arrivals are those that were asked for where there is one load; else only their spacing is.
    pub(super) plan: LoadPlan,
    /// Which loads.
    pub(super) loads: Loads,
    /// Whom all loads ask, and what is to hold.
    pub(super) subject: Subject,
    /// The arrival rate of the only load, where it is one rate.
    pub(super) asked_per_s: Option<f64>,
    pub(super) threads: usize,
    pub(super) backend: Backend,
    /// After the last arrival, how long to wait for answers.
    pub(super) drain: Duration,
}

impl Setup {
    /// Validates all options, reads the files that they name and looks up the hosts.
    ///
    /// # Errors
    /// What is wrong, with what to do.
    pub(super) fn new(args: &LoadArgs) -> Result<Self> {
        let requests = requests(args)?;
        let (arrivals, loads, asked_per_s) = loads(&args.amount, &args.way)?;
        let mut assertions = Vec::with_capacity(args.tell.assertions.len());
        for text in &args.tell.assertions {
            assertions.push(parse_assertions(text)?);
        }
        let mut resolver =
            Resolver::new(&args.way.reach, args.way.unix_socket.as_deref(), args.way.proxy.is_some())?;
        let transport = transport(&args.way, &resolver)?;
        let pool = pool(&args.amount, &args.way, matches!(arrivals, Arrivals::Closed { .. }));
        let pick = pick(args.amount.pick);
        let mut plan = requests.into_plan(arrivals, pick, transport, pool, |url| resolver.address(url))?;
        resolver.name(&mut plan)?;
        tell_connections(
            std::slice::from_ref(&plan),
            connection(&args.way),
            args.request.scenario.as_deref(),
        );
        let drain = Duration::from_nanos(plan.longest_user_ns()).saturating_add(DRAIN_MORE);
        let urls: Vec<String> = args.urls.iter().map(|url| secret::in_address(url)).collect();
        let parts = match args.request.scenario {
            Some(_) => PartName::steps(&plan),
            None => PartName::addresses(&urls),
        };
        let url = urls.into_iter().next().unwrap_or_default();
        Ok(Self {
            plan,
            subject: Subject { url, parts, spins: args.engine.spin, assertions },
            loads,
            asked_per_s,
            threads: usize::from(args.engine.threads),
            backend: match args.engine.backend {
                BackendArg::Auto => Backend::Auto,
                BackendArg::IoUring => Backend::IoUring,
                BackendArg::Epoll => Backend::Epoll,
            },
            drain,
        })
    }

    /// How long users arrive whatever the server does, in the load that was asked for; `None`: a closed loop.
    pub(super) fn arriving_ns(&self) -> Option<u64> {
        let lengths = self.plan.sources.iter().map(|source| match &source.arrivals {
            Arrivals::Open { injection, .. } => Some(injection.duration_ns()),
            Arrivals::Closed { .. } => None,
        });
        lengths.collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}

/// `p99<50ms`, or several with commas.
fn parse_assertions(text: &str) -> Result<Assertions, WrongUse> {
    text.parse().map_err(|error: galo_judge::assertion::AssertionError| WrongUse(error.to_string()))
}

/// One request, or scenarios of several steps.
fn requests(args: &LoadArgs) -> Result<Requests, PlanError> {
    let options = request_options(args);
    match &args.request.scenario {
        None => options.resolve(),
        Some(file) => options.resolve_scenarios(file, &args.request.only),
    }
}

fn request_options(args: &LoadArgs) -> RequestOptions {
    let (request, right) = (&args.request, &args.right);
    let data = request.feed.as_ref().map(|file| DataOptions {
        file: file.clone(),
        format: None,
        pick: pick(request.feed_pick),
    });
    RequestOptions {
        urls: args.urls.clone(),
        method: request.method.clone(),
        headers: request.header.clone(),
        headers_any: request.header_any.clone(),
        body: request.data.clone(),
        template: request.template,
        data,
        statuses: right.status.clone(),
        stop_statuses: right.stop_on.clone(),
        body_holds: right.expect_body.clone(),
        json_is: right.expect_json.clone(),
        header_is: right.expect_header.clone(),
        timeout: right.timeout.clone(),
        connect_timeout: right.connect_timeout.clone(),
        connection: connection(&args.way),
        seed: args.amount.seed,
    }
}

const fn connection(way: &WayArgs) -> Connection {
    match way.connection {
        ConnectionArg::Shared => Connection::Shared,
        ConnectionArg::PerRequest => Connection::PerRequest,
    }
}

const fn pick(arg: PickArg) -> Pick {
    match arg {
        PickArg::Turn => Pick::InTurn,
        PickArg::Random => Pick::Random,
    }
}

/// The arrivals of a load by itself, which loads, and at which rate where it is one.
fn loads(amount: &AmountArgs, way: &WayArgs) -> Result<(Arrivals, Loads, Option<f64>)> {
    let spacing = if amount.poisson { Spacing::Poisson } else { Spacing::Even };
    let open = |injection| Arrivals::Open { injection, spacing };
    let length = amount.duration.as_deref().map_or(Ok(LENGTH), length)?;
    let rate = amount.rate.as_deref().map(rate).transpose()?;
    let max_micro = amount.rate_max.as_deref().map(self::rate).transpose()?;
    if let Some(criterion) = &amount.max_under {
        let hold = Duration::from_secs(length.as_secs_f64().ceil() as u64);
        let criterion = parse_assertions(criterion)?;
        let milli = |micro: u64| micro / 1000;
        let range = Range { start_milli: rate.map(milli), max_milli: max_micro.map(milli) };
        let scout_users = pool(amount, way, false).connections.min(SCOUT_USERS);
        let highest = Highest { criterion, range, hold, spacing, scout_users };
        return Ok((open(Injection::constant(0, hold)), Loads::Highest(highest), None));
    }
    if let (Some(step), Some(max_micro)) = (&amount.rate_step, max_micro) {
        let rates = steps(amount, rate, self::rate(step)?, max_micro)?;
        return Ok((open(rates.injection.clone()), Loads::Steps(rates), None));
    }
    if max_micro.is_some() {
        return Err(WrongUse(
            "--rate-max bounds nothing\nhint: give --rate-step or --max-under with it".into(),
        )
        .into());
    }
    if !amount.inject.is_empty() {
        let injection = Injection::parse(&amount.inject).map_err(|error| WrongUse(error.to_string()))?;
        return Ok((open(injection), Loads::One, None));
    }
    let Some(rate_micro) = rate else {
        if amount.poisson {
            return Err(
                WrongUse("--poisson needs a rate\nhint: give for example `--rate 1000`".into()).into()
            );
        }
        return Ok((closed(amount, way, length), Loads::One, None));
    };
    // Of a number and a time, where both are given, what comes first, as in a closed loop.
    let most = if amount.duration.is_some() { length } else { Duration::MAX };
    let length = amount.requests.map_or(length, |requests| length_of(requests, rate_micro).min(most));
    let asked_per_s = Some(rate_micro as f64 / 1e6);
    Ok((open(Injection::constant(rate_micro, length)), Loads::One, asked_per_s))
}

fn steps(amount: &AmountArgs, rate: Option<u64>, step_micro: u64, max_micro: u64) -> Result<RateSteps> {
    let length = amount.step.as_deref().map_or(Ok(LENGTH), length)?;
    let climb = Climb {
        start_micro: rate.unwrap_or(step_micro),
        step_micro,
        max_micro,
        length_ns: nanoseconds(length),
        repeats_of_last: amount.max_steps.unwrap_or(1) - 1,
    };
    Ok(RateSteps::new(&climb).map_err(|error| WrongUse(error.to_string()))?)
}

/// So many at once, for a time or until so many were sent.
fn closed(amount: &AmountArgs, way: &WayArgs, length: Duration) -> Arrivals {
    let connections = amount.connections.unwrap_or(CLOSED_CONNECTIONS);
    let bounded_by_number = amount.requests.is_some() && amount.duration.is_none();
    Arrivals::Closed {
        users: connections.saturating_mul(way.streams.unwrap_or(1)),
        total: amount.requests,
        duration_ns: (!bounded_by_number).then(|| nanoseconds(length)),
    }
}

/// Connections and streams at most.
fn pool(amount: &AmountArgs, way: &WayArgs, closed: bool) -> Pool {
    let (connections, streams) = match closed {
        true => (CLOSED_CONNECTIONS, 1),
        false => (OPEN_CONNECTIONS, if way.http2 { OPEN_STREAMS } else { 1 }),
    };
    Pool { connections: amount.connections.unwrap_or(connections), streams: way.streams.unwrap_or(streams) }
}

fn transport(way: &WayArgs, resolver: &Resolver) -> Result<Transport> {
    if way.streams.is_some_and(|streams| streams > 1) && !way.http2 {
        let hint = "add --http2, or raise --connections";
        return Err(WrongUse(format!("HTTP/1.1 has one stream on each connection\nhint: {hint}")).into());
    }
    let protocol = if way.http2 { Protocol::Http2 } else { Protocol::Http1 };
    let proxy = way.proxy.as_deref().map(|text| resolver.proxy(text)).transpose()?;
    Ok(Transport { protocol, tls: way.tls.settings(), proxy })
}

fn rate(text: &str) -> Result<u64, WrongUse> {
    parse_rate_micro(text).map_err(WrongUse)
}

fn length(text: &str) -> Result<Duration, WrongUse> {
    let length = parse_duration(text).map_err(WrongUse)?;
    if length.is_zero() {
        return Err(WrongUse(format!("`{text}` is no time at all\nhint: write for example `10s`")));
    }
    if length.as_nanos() > u128::from(galo_plan::injection::MAX_DURATION_NS) {
        return Err(WrongUse(format!("`{text}` is too long\nhint: 30 days are the most")));
    }
    Ok(length)
}

/// Only of lengths that [`length`] let pass.
fn nanoseconds(length: Duration) -> u64 {
    u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)
}

/// The longest time in which exactly so many fall due at a rate: of `n` users the last one starts at `(n - 1) / rate`,
/// and the one after it, at `n / rate`, is none.
fn length_of(requests: u64, rate_micro: u64) -> Duration {
    let ns = u128::from(requests) * 1_000_000_000_000_000 / u128::from(rate_micro);
    Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
