//! From what was written to two sides and the terms of their turns.

use std::time::Duration;

use anyhow::Result;
use galo_host::Host;
use galo_judge::assertion::RatioAssertion;
use galo_plan::LoadPlan;
use galo_plan::request::Url;
use galo_plan::secret;
use galo_plan::units::{format_bytes, parse_bytes, parse_cpus_milli, parse_duration};
use galo_record::duel::{AnswersRecord, DuelTerms, FORMAT, SideRecord};
use galo_record::{DuelRecord, Machine, RunEnd};

use super::corner::Rest;
use super::pace::{Asked, Pace, QUICK, THOROUGH, USUAL};
use super::side::{Side, sides};
use super::traffic::Traffic;
use crate::cli::DuelArgs;
use crate::exit::WrongUse;

/// The shortest that `--for` may ask for.
const LEAST_LENGTH: Duration = Duration::from_secs(10);
/// Requests per second that a server on another machine gets without a word.
const STRANGER_MICRO: u64 = 100_000_000;

/// See the module.
pub(super) struct Setup {
    pub(super) sides: [Side; 2],
    /// What each is sent. How it arrives, and where it goes, is set later.
    pub(super) plans: [LoadPlan; 2],
    pub(super) rest: Rest,
    pub(super) pace: Pace,
    pub(super) asked: Option<Asked>,
    pub(super) connections: u32,
    pub(super) threads: usize,
    /// What is sent, in a few words.
    request: String,
    assertions: Vec<String>,
    ignored: Vec<String>,
    detect_percent: Option<f64>,
    cpus_milli: Option<u32>,
    memory_bytes: Option<u64>,
    cores: Option<u32>,
}

impl Setup {
    /// Validates all options.
    ///
    /// # Errors
    /// What is wrong, with what to do.
    pub(super) fn new(duel: &DuelArgs, machine: &Machine) -> Result<Self> {
        let limits = Limits::new(duel, machine)?;
        let sides = sides(duel, &limits)?;
        let traffic = Traffic::new(duel)?;
        let asked = traffic.asked()?;
        for side in &sides {
            spare_strangers(side, asked.as_ref().map(Asked::peak_micro), duel.yes)?;
        }
        let rest = rest(duel, &sides);
        let pace = pace(duel, rest)?;
        let is_limited = sides.iter().any(Side::is_command) && !duel.unlimited;
        Ok(Self {
            // What is wrong with a request is told before anything is started.
            plans: [traffic.plan(0, &sides[0].url)?, traffic.plan(1, &sides[1].url)?],
            request: traffic.described(&sides[0].url),
            sides,
            pace,
            rest,
            asked,
            connections: duel.connections,
            threads: usize::from(duel.threads),
            assertions: assertions(&duel.assertions)?,
            ignored: duel.ignore.clone(),
            detect_percent: duel.detect,
            cpus_milli: is_limited.then_some(limits.cpus_milli),
            memory_bytes: limits.memory_asked.filter(|_| is_limited),
            cores: Some(machine.cores).filter(|cores| *cores > 0),
        })
    }

    /// Whether there is anything to start.
    pub(super) fn has_commands(&self) -> bool {
        self.sides.iter().any(Side::is_command)
    }

    /// A record without a turn, and without levels: they are known after the warm-up.
    pub(super) fn record(&self, host: Option<&Host>) -> DuelRecord {
        let side = |side: &Side| SideRecord {
            name: secret::in_line(&side.name),
            command: side.command().map(secret::in_line),
            url: secret::in_address(&side.url),
            warm_up: Vec::new(),
        };
        let limits_note = host.and_then(Host::limits_note);
        DuelRecord {
            format: FORMAT,
            sides: self.sides.each_ref().map(side),
            request: self.request.clone(),
            assertions: self.assertions.clone(),
            terms: DuelTerms {
                pairs: self.pace.pairs,
                levels: Vec::new(),
                pairs_per_start: self.pace.pairs_per_start,
                cpus_milli: self.cpus_milli,
                memory_bytes: self.memory_bytes,
                cores: self.cores,
                detect_percent: self.detect_percent,
                pauses: self.rest == Rest::StandsStill,
            },
            limits_enforced: limits_note.is_none(),
            limits_note,
            answers: AnswersRecord { ignored: self.ignored.clone(), ..AnswersRecord::default() },
            turns: Vec::new(),
            findings: Vec::new(),
            end: RunEnd::Running,
        }
    }
}

/// How long everything takes.
fn pace(duel: &DuelArgs, rest: Rest) -> Result<Pace, WrongUse> {
    let mut pace = match (duel.quick, duel.thorough) {
        (true, _) => QUICK,
        (_, true) => THOROUGH,
        _ => USUAL,
    };
    pace.pairs = duel.rounds.unwrap_or(pace.pairs);
    if rest == Rest::Ends {
        pace.pairs_per_start = 1;
    }
    let Some(text) = &duel.length else { return Ok(pace) };
    let length = parse_duration(text).map_err(WrongUse)?;
    if length < LEAST_LENGTH {
        let hint = "give it at least 10s, or leave it out";
        return Err(WrongUse(format!("--for {text} is too short to compare anything\nhint: {hint}")));
    }
    Ok(pace.filling(length))
}

/// What a side does while the other one is driven.
fn rest(duel: &DuelArgs, sides: &[Side; 2]) -> Rest {
    let both_are_commands = sides.iter().all(Side::is_command);
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

/// Limits of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) cpus_milli: u32,
    /// In force: what was asked for, or all of the machine's.
    pub(super) memory_bytes: u64,
    memory_asked: Option<u64>,
}

impl Limits {
    fn new(duel: &DuelArgs, machine: &Machine) -> Result<Self, WrongUse> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let told = |option: &str, error: String| WrongUse(format!("{option}: {error}"));
        let cpus = duel.cpus.as_deref().map(parse_cpus_milli).transpose().map_err(|e| told("--cpus", e))?;
        let memory = duel.memory.as_deref().map(parse_bytes).transpose().map_err(|e| told("--memory", e))?;
        let own = machine.memory_bytes.max(1 << 30);
        if let Some(memory) = memory.filter(|memory| *memory > own) {
            let text = format!("--memory {} is more than this machine has", format_bytes(memory));
            return Err(WrongUse(format!("{text}\nhint: leave it out for no limit")));
        }
        Ok(Self {
            cpus_milli: cpus.unwrap_or((cores.saturating_sub(1) * 1000).max(500)),
            memory_bytes: memory.unwrap_or(own),
            memory_asked: memory,
        })
    }
}

/// Somebody else's server is not driven hard by mistake.
fn spare_strangers(side: &Side, rate_micro: Option<u64>, is_allowed: bool) -> Result<(), WrongUse> {
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
    use super::super::side::Kind;
    use super::*;

    #[test]
    fn somebody_elses_server_is_driven_only_when_asked() {
        let side = |url: &str| Side { name: String::new(), url: url.to_owned(), kind: Kind::Address };
        assert!(spare_strangers(&side("http://127.0.0.1:3000/"), None, false).is_ok());
        assert!(spare_strangers(&side("http://[::1]/"), None, false).is_ok());
        assert!(spare_strangers(&side("http://example.org/"), None, false).is_err());
        assert!(spare_strangers(&side("http://example.org/"), None, true).is_ok());
        assert!(spare_strangers(&side("http://example.org/"), Some(STRANGER_MICRO), false).is_ok());
    }
}
