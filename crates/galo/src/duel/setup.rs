//! From what was written to the plan of a duel, and to what is sent.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use galo_host::{Host, HostError, Revision, uncommitted};
use galo_judge::assertion::RatioAssertion;
use galo_plan::address::Url;
use galo_plan::challenge::Connection;
use galo_plan::duel::{AskedTraffic, DuelSide, FORMAT, Pace, Rest};
use galo_plan::load::Address;
use galo_plan::units::parse_duration;
use galo_plan::{DuelPlan, LoadPlan};
use galo_record::Machine;

use super::limits::Limits;

use super::side::sides;
use super::traffic::TurnTraffic;
use crate::address::Resolver;
use crate::cli::DuelArgs;
use crate::contenders::drawn_unless;
use crate::exit::WrongUse;
use crate::written::{folder, tell_connections};

/// The shortest that `--for` may ask for.
const LEAST_LENGTH: Duration = Duration::from_secs(10);
/// Lengths that `--turns` may ask for.
const TURN: std::ops::RangeInclusive<Duration> = Duration::from_millis(500)..=Duration::from_secs(60);
/// Requests per second that a server on another machine gets without a word.
const STRANGER_MICRO: u64 = 100_000_000;

/// What a machine of one core, or a job with a quota of less than two, is told.
const ONE_CPU: &str = "galo and the commands share one CPU, so many loads may not count\n\
    hint: give the machine, the container or the job 2 CPUs or more (`galo doctor` tells a quota)";

/// Where a command listens that is not started yet.
const NOWHERE: Address = Address::Ip(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0));

/// All that is needed to drive a duel.
pub(super) struct Setup {
    pub(super) plan: DuelPlan,
    /// What each side is sent; how it arrives, and where it goes, is set later. `None`: it is driven.
    pub(super) loads: Option<[LoadPlan; 2]>,
    /// Entries of a recording that are not sent as they were, one line for each reason; that there is one CPU for all.
    pub(super) told: Vec<String>,
    /// Whether limits hold for commands.
    pub(super) is_limited: bool,
    revisions: [Option<Revision>; 2],
}

impl Setup {
    /// Validates all options. `known`: the duel that is gone on with.
    ///
    /// # Errors
    /// What is wrong, with what to do.
    pub(super) fn new(duel: &DuelArgs, machine: &Machine, known: Option<&DuelPlan>) -> Result<Self> {
        let limits = Limits::new(duel, machine)?;
        let (sides, revisions) = sides(duel, &limits, known)?;
        let seed = drawn_unless(known.map(|plan| plan.seed).or(duel.seed))?;
        let traffic = TurnTraffic::new(duel, seed)?;
        let asked = traffic.asked()?;
        for side in &sides {
            spare_strangers(side, asked.as_ref().map(AskedTraffic::peak_micro), duel.yes)?;
        }
        let rest = rest(duel, &sides);
        // What is wrong with a request is told before anything is started.
        let mut resolver = Resolver::new(&duel.reach, None, false)?;
        let mut load = |side: usize| -> Result<LoadPlan> {
            let DuelSide { url, command, .. } = &sides[side];
            let mut load = traffic.plan(side, url, |url| match command {
                // It listens once it is started.
                Some(_) => Ok(NOWHERE),
                None => resolver.address(url),
            })?;
            resolver.name(&mut load)?;
            Ok(load)
        };
        let loads = [load(0)?, load(1)?];
        tell_connections(&loads, Connection::Shared, duel.scenario.as_deref());
        let has_commands = sides.iter().any(|side| side.command.is_some());
        let is_limited = has_commands && !duel.unlimited;
        let one_cpu = (has_commands && limits.cpus_usable < 2).then(|| ONE_CPU.to_owned());
        let told = traffic.told().into_iter().chain(one_cpu).collect();
        let plan = DuelPlan {
            format: FORMAT,
            request: traffic.described(&sides[0].url),
            requests_sha256: traffic.is_of_file().then(|| loads[0].requests_sha256()),
            sent_sha256: Some(traffic.sent_sha256(&sides)?),
            requests_per_user: loads[0].requests_per_user(),
            timeout_ns: loads[0].timeouts.answer_ns,
            connections: duel.connections,
            seed,
            pace: pace(duel, rest, asked.as_ref())?,
            asked,
            rest,
            cpus_milli: is_limited.then_some(limits.cpus_milli),
            memory_bytes: limits.memory_asked.filter(|_| is_limited),
            cores: Some(machine.cores).filter(|cores| *cores > 0),
            assertions: assertions(&duel.assertions)?,
            ignored: duel.ignore.clone(),
            detect_percent: duel.detect,
            uncommitted_files: match known {
                // What a duel that is gone on with was begun with.
                Some(known) => known.uncommitted_files,
                None if revisions.iter().all(Option::is_some) => {
                    uncommitted(&folder(duel.cwd.as_deref().unwrap_or(Path::new(".")))?)?
                }
                None => 0,
            },
            sides,
        };
        Ok(Self { plan, loads: Some(loads), told, is_limited: !duel.unlimited, revisions })
    }

    /// Builds what was not built before. Where the first revision fails, the second is built all the same: who blames the
    /// first has to know whether the second does any better.
    ///
    /// # Errors
    /// A build failed, or the caller broke it off.
    pub(super) fn build(&self, host: &Host) -> Result<()> {
        let mut first: Option<HostError> = None;
        for (side, revision) in self.plan.sides.iter().zip(&self.revisions) {
            let Some(command) = &side.command else { continue };
            if revision.as_ref().is_some_and(Revision::is_built) {
                continue;
            }
            match (host.build(&command.contender), first.take()) {
                (Ok(()), before) => {
                    revision.as_ref().map_or(Ok(()), Revision::keep_built)?;
                    first = before;
                }
                (Err(error), None) if !error.interrupted && self.revisions.iter().any(Option::is_some) => {
                    first = Some(error);
                }
                (Err(error), Some(first)) if !error.interrupted => {
                    let both = format!("contender `{}` does not build either", side.name);
                    return Err(self.not_built(first).context(both));
                }
                (Err(error), _) => return Err(self.not_built(error)),
            }
        }
        first.map_or(Ok(()), |error| Err(self.not_built(error)))
    }

    /// Why a revision is not built, with what fresh work trees often lack.
    fn not_built(&self, error: HostError) -> anyhow::Error {
        let error = anyhow::Error::from(error);
        match self.revisions.iter().flatten().any(Revision::has_submodules) {
            true => error.context(
                "submodules of a revision are empty unless its build fetches them\n\
                 hint: begin --build with `git submodule update --init --recursive &&`",
            ),
            false => error,
        }
    }
}

/// How long everything takes.
fn pace(duel: &DuelArgs, rest: Rest, asked: Option<&AskedTraffic>) -> Result<Pace, WrongUse> {
    let mut pace = match (duel.quick, duel.thorough) {
        (true, _) => Pace::QUICK,
        (_, true) => Pace::THOROUGH,
        _ => Pace::USUAL,
    };
    // A profile takes as long as it says, in every turn.
    if matches!(asked, Some(AskedTraffic::Arrivals(_))) {
        pace.within_ns = None;
    }
    if let Some(pairs) = duel.rounds {
        (pace.pairs, pace.looks, pace.within_ns) = (pairs, 1, None);
    }
    if let Some(text) = &duel.turns {
        let length = parse_duration(text).map_err(WrongUse)?;
        if !TURN.contains(&length) {
            let hint = "give it from 500ms to 1m, e.g. 3s";
            return Err(WrongUse(format!("--turns {text} is no length of a turn\nhint: {hint}")));
        }
        pace = pace.in_turns_of(length.as_nanos() as u64);
    }
    match rest {
        // One that has no port while the other one has it cannot be up.
        Rest::Ends => (pace.pairs_per_start, pace.in_slices) = (1, false),
        // A start is galo's to give to both, or to neither.
        Rest::GoesOn => pace.pairs_per_start = 0,
        Rest::StandsStill => {}
    }
    let Some(text) = &duel.length else { return Ok(pace) };
    let length = parse_duration(text).map_err(WrongUse)?;
    if length < LEAST_LENGTH {
        let hint = "give it at least 10s, or leave it out";
        return Err(WrongUse(format!("--for {text} is too short to compare anything\nhint: {hint}")));
    }
    Ok(pace.filling(length.as_nanos() as u64))
}

/// What a side does while the other one is driven.
fn rest(duel: &DuelArgs, sides: &[DuelSide; 2]) -> Rest {
    let both_are_commands = sides.iter().all(|side| side.command.is_some());
    match duel.url.as_deref().is_some_and(|url| url.contains("{port}")) {
        _ if !both_are_commands => Rest::GoesOn,
        true => Rest::StandsStill,
        false => Rest::Ends,
    }
}

/// Bounds as they were written, once all of them can be read.
fn assertions(texts: &[String]) -> Result<Vec<String>, WrongUse> {
    let read = |text: &String| match text.parse::<RatioAssertion>() {
        Ok(_) => Ok(text.clone()),
        Err(error) => Err(WrongUse(error.to_string())),
    };
    texts.iter().map(read).collect()
}

/// Somebody else's server is not driven hard by mistake.
fn spare_strangers(side: &DuelSide, rate_micro: Option<u64>, is_allowed: bool) -> Result<(), WrongUse> {
    let is_own = |host: &str| {
        let ip: Option<std::net::IpAddr> = host.parse().ok();
        host == "localhost" || ip.is_some_and(|ip| ip.is_loopback() || ip.is_unspecified())
    };
    let host = Url::parse(&side.url).map_or_else(|_| String::new(), |url| url.host);
    if is_allowed || is_own(&host) || rate_micro.is_some_and(|rate| rate <= STRANGER_MICRO) {
        return Ok(());
    }
    let hint = "add --yes if it is yours to drive, or give a --rate of at most 100";
    Err(WrongUse(format!("`{host}` is not this machine, and would get all that it can answer\nhint: {hint}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_elses_server_is_driven_only_when_asked() {
        let side = |url: &str| DuelSide { name: String::new(), url: url.to_owned(), command: None };
        assert!(spare_strangers(&side("http://127.0.0.1:3000/"), None, false).is_ok());
        assert!(spare_strangers(&side("http://[::1]/"), None, false).is_ok());
        assert!(spare_strangers(&side("http://example.org/"), None, false).is_err());
        assert!(spare_strangers(&side("http://example.org/"), None, true).is_ok());
        assert!(spare_strangers(&side("http://example.org/"), Some(STRANGER_MICRO), false).is_ok());
    }
}
