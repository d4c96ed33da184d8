//! From what was written to two sides and the terms of their turns.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use galo_host::Host;
use galo_judge::duel::assertion::{RatioAssertion, RatioAssertionError};
use galo_plan::PlanError;
use galo_plan::request::recorded::{Recorded, Recording};
use galo_plan::request::{RequestOptions, Requests, Url};
use galo_plan::units::{format_bytes, parse_bytes, parse_cpus_milli, parse_rate_micro};
use galo_record::duel::{AnswersRecord, DuelTerms, FORMAT, Level, LevelTerms, SideRecord};
use galo_record::{DuelRecord, RunEnd};

use super::revision::{Revision, check_out};
use super::side::{Kind, Side, Start, free_port};
use crate::cli::{DuelArgs, FightArgs};
use crate::exit::WrongUse;

/// Requests per second that a server on another machine gets without a word.
const STRANGER_MICRO: u64 = 100_000_000;

/// What a turn takes beside its loads.
const HAND_OVER: Duration = Duration::from_millis(100);
/// A load at a rate is never shorter.
const SHORTEST: Duration = Duration::from_secs(1);

/// How long everything takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pairs: u32,
    /// Length of a load at a rate.
    open: Duration,
    /// Length of a load in a closed loop.
    closed: Duration,
    /// Whether there is also a load near the slower one's limit.
    near: bool,
    /// A warm-up ends when the rate rises no more, but not after this.
    pub(super) warm_up_max: Duration,
    pairs_per_start: u32,
    /// All of it, from the start of the first side; loads at a rate are shortened for that.
    pub(super) within: Option<Duration>,
}

/// Eight pairs, the fewest with which every figure can decide. With turns of 3 s a pause every 5 s falls into every turn
/// of a side that stands still for as long.
const QUICK: Pace = Pace {
    pairs: 8,
    open: Duration::from_millis(2_400),
    closed: Duration::from_millis(500),
    near: false,
    warm_up_max: Duration::from_millis(2_500),
    pairs_per_start: 0,
    within: Some(Duration::from_secs(55)),
};
const USUAL: Pace = Pace {
    pairs: 10,
    open: Duration::from_millis(3_000),
    closed: Duration::from_millis(1_500),
    near: true,
    warm_up_max: Duration::from_secs(10),
    pairs_per_start: 0,
    within: None,
};
/// Ten starts of each side, so that the luck of a start averages out.
const THOROUGH: Pace = Pace {
    pairs: 50,
    open: Duration::from_millis(3_000),
    closed: Duration::from_millis(1_500),
    near: true,
    warm_up_max: Duration::from_secs(15),
    pairs_per_start: 5,
    within: None,
};

/// See the module.
pub(super) struct Setup {
    pub(super) sides: [Side; 2],
    /// Where two revisions of a repository fight.
    revisions: Option<[Revision; 2]>,
    build: Option<String>,
    /// What is to be shown.
    pub(super) assertions: Vec<RatioAssertion>,
    pub(super) traffic: [Traffic; 2],
    /// What is sent, in a few words.
    request: String,
    pub(super) pace: Pace,
    pub(super) connections: u32,
    pub(super) rate_micro: Option<u64>,
    pub(super) ignored: Vec<String>,
    /// Run after each end of a side.
    pub(super) after: Option<String>,
    timeout_ns: u64,
    /// How often pairs are to be driven.
    pub(super) pairs: u32,
    pub(super) threads: usize,
    detect_percent: Option<f64>,
    cpus_milli: Option<u32>,
    memory_bytes: Option<u64>,
}

impl Setup {
    /// Validates all options.
    ///
    /// # Errors
    /// What is wrong, with what to do.
    pub(super) fn new(args: &FightArgs) -> Result<Self> {
        refuse_contest_options(args)?;
        let duel = &args.duel;
        let mut texts: Vec<String> =
            args.contenders.iter().map(|side| side.to_string_lossy().into_owned()).collect();
        let here = folder(duel)?;
        let revisions = revisions(duel, &here, &mut texts)?;
        let [first, second] = <[String; 2]>::try_from(texts).map_err(|texts| {
            let hint = "give two commands with --url, or two addresses; for more, fight two at a time";
            WrongUse(format!("{} given to fight\nhint: {hint}", count_sides(texts.len())))
        })?;
        let limits = Limits::new(duel, args.unlimited)?;
        let names = names(duel, [&first, &second])?;
        let [name_a, name_b] = names;
        let shares_port = duel.url.as_deref().is_some_and(|url| !url.contains("{port}"));
        let commands = [&first, &second].iter().filter(|text| !is_address(text)).count();
        let start = Start { limits, shared: shares_port && commands == 2, args: duel };
        let folders = match &revisions {
            None => [here.clone(), here],
            Some(revisions) => revisions.each_ref().map(|revision| revision.folder.clone()),
        };
        let [folder_a, folder_b] = folders;
        let mut sides = [side(name_a, &first, folder_a, &start)?, side(name_b, &second, folder_b, &start)?];
        if let (Some(revisions), Some(build)) = (&revisions, &duel.build) {
            for (side, revision) in sides.iter_mut().zip(revisions) {
                side.set_built(revision.is_built(build));
            }
        }
        let assertions = duel.assertions.iter().map(|text| text.parse()).collect::<Result<_, _>>();
        let assertions = assertions.map_err(|error: RatioAssertionError| WrongUse(error.to_string()))?;
        let recording = duel.requests.as_deref().map(Recording::read).transpose()?;
        let seed = args.traffic.seed;
        let traffic = [
            Traffic::new(
                request(duel, &duel.header_a, duel.data_a.as_ref(), seed),
                recording.as_ref(),
                &sides[0].url,
            ),
            Traffic::new(
                request(duel, &duel.header_b, duel.data_b.as_ref(), seed),
                recording.as_ref(),
                &sides[1].url,
            ),
        ];
        let mut timeout_ns = 0;
        for traffic in &traffic {
            // What is wrong with a request is told before anything is started.
            timeout_ns = traffic.resolve()?.timeouts.answer_ns;
        }
        let rate_micro = duel.rate.as_deref().map(parse_rate_micro).transpose().map_err(WrongUse)?;
        for side in &sides {
            spare_strangers(side, rate_micro, duel.yes)?;
        }
        let pace = match (duel.quick, duel.thorough) {
            (true, _) => QUICK,
            (_, true) => THOROUGH,
            _ => USUAL,
        };
        let is_limited = commands > 0 && !args.unlimited;
        Ok(Self {
            sides,
            revisions,
            build: duel.build.clone(),
            assertions,
            traffic,
            request: described(duel, recording.as_ref()),
            pace,
            connections: duel.connections,
            rate_micro,
            ignored: duel.ignore.clone(),
            after: duel.after.clone(),
            timeout_ns,
            pairs: args.rounds.unwrap_or(pace.pairs),
            threads: args.traffic.threads.map_or(1, usize::from),
            detect_percent: args.detect,
            cpus_milli: is_limited.then_some(limits.cpus_milli),
            memory_bytes: limits.memory_asked.filter(|_| is_limited),
        })
    }

    /// Runs the builds that were not run before.
    ///
    /// # Errors
    /// One failed, or the caller broke it off.
    pub(super) fn build(&self, host: &Host) -> Result<()> {
        for (number, side) in self.sides.iter().enumerate() {
            let Kind::Command { contender, .. } = &side.kind else { continue };
            host.build(contender)?;
            if let (Some(revisions), Some(build)) = (&self.revisions, &self.build) {
                revisions[number].keep_built(build)?;
            }
        }
        Ok(())
    }

    /// A record without a turn, and without levels: they are known after the warm-up.
    pub(super) fn record(&self) -> DuelRecord {
        let side = |side: &Side| SideRecord {
            name: side.name.clone(),
            command: side.command().map(str::to_owned),
            url: side.url.clone(),
            warm_up: Vec::new(),
        };
        let path = Url::parse(&self.sides[0].url).map_or_else(|_| String::new(), |url| url.path);
        DuelRecord {
            format: FORMAT,
            sides: self.sides.each_ref().map(side),
            request: self.request.replace("{path}", &path),
            terms: DuelTerms {
                pairs: self.pairs,
                levels: Vec::new(),
                pairs_per_start: if self.shares_port() { 1 } else { self.pace.pairs_per_start },
                cpus_milli: self.cpus_milli,
                memory_bytes: self.memory_bytes,
                detect_percent: self.detect_percent,
                pauses: self.sides.iter().all(|side| side.command().is_some()) && !self.shares_port(),
            },
            limits_enforced: true,
            limits_note: None,
            answers: AnswersRecord { ignored: self.ignored.clone(), ..AnswersRecord::default() },
            turns: Vec::new(),
            end: RunEnd::Running,
        }
    }

    /// Bound for an answer.
    pub(super) fn timeout_ns(&self) -> u64 {
        self.timeout_ns
    }

    /// Whether both are commands on one port, so that each must be started for its turn.
    pub(super) fn shares_port(&self) -> bool {
        self.sides.iter().all(|side| side.shares_port)
    }

    /// The loads of a turn, by what the slower side reaches in a closed loop, in answers per second, by how long it took
    /// so far, and by how long a closed loop of [`Pace::closed`] takes to its end.
    pub(super) fn levels(
        &self,
        slower_per_s: f64,
        taken: Duration,
        closed_loop: Duration,
    ) -> Vec<LevelTerms> {
        let load = |level, length: Duration, rate_micro| LevelTerms {
            level,
            length_ns: length.as_nanos() as u64,
            rate_micro,
            connections: self.connections,
        };
        let of_slower = |share: f64| Some(((slower_per_s * share * 1e6) as u64).max(1_000_000));
        let Pace { open, closed, near, within, .. } = self.pace;
        let turns = self.pairs * 2;
        let room = within.map(|within| {
            (within.saturating_sub(taken) / turns.max(1)).saturating_sub(closed_loop + HAND_OVER)
        });
        let open = room.map_or(open, |room| room.clamp(SHORTEST, open));
        if self.rate_micro.is_some() {
            return vec![load(Level::Asked, open + closed, self.rate_micro)];
        }
        let mut levels = vec![load(Level::Half, open, of_slower(0.5))];
        if near {
            levels.push(load(Level::Near, closed, of_slower(0.9)));
        }
        levels.push(load(Level::Highest, closed, None));
        levels
    }
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
    fn new(duel: &DuelArgs, unlimited: bool) -> Result<Self, WrongUse> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let told = |option: &str, error: String| WrongUse(format!("{option}: {error}"));
        let cpus = duel.cpus.as_deref().map(parse_cpus_milli).transpose().map_err(|e| told("--cpus", e))?;
        let memory = duel.memory.as_deref().map(parse_bytes).transpose().map_err(|e| told("--memory", e))?;
        if unlimited && (cpus.is_some() || memory.is_some()) {
            return Err(WrongUse("--unlimited with a limit\nhint: leave one of them out".to_owned()));
        }
        let own = galo_watch::machine(std::path::Path::new("/")).memory_bytes.max(1 << 30);
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

pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

fn count_sides(n: usize) -> String {
    match n {
        0 => "nothing is".to_owned(),
        1 => "only one side is".to_owned(),
        n => format!("{n} sides are"),
    }
}

/// What has a meaning for contenders alone.
fn refuse_contest_options(args: &FightArgs) -> Result<(), WrongUse> {
    let given = [
        ("--profile", args.traffic.profile.is_some(), "give --rate instead"),
        ("--scale", args.traffic.scale.is_some(), "give --rate instead"),
        ("--noise-floor", args.noise_floor.is_some(), "leave it out: --thorough starts each side ten times"),
        ("--no-noise-floor", args.no_noise_floor, "leave it out"),
    ];
    match given.into_iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((option, _, hint)) => Err(WrongUse(format!(
            "{option} is for contenders of a challenge, not for commands and addresses\nhint: {hint}"
        ))),
    }
}

fn names(duel: &DuelArgs, texts: [&String; 2]) -> Result<[String; 2], WrongUse> {
    let names = match duel.name.as_slice() {
        [] if !duel.git.is_empty() => [duel.git[0].clone(), duel.git[1].clone()],
        [] => told_apart([texts[0], texts[1]]),
        [first, second] => [first.clone(), second.clone()],
        names => {
            let hint = "give --name twice: for the first side and for the second";
            return Err(WrongUse(format!(
                "{} for two sides\nhint: {hint}",
                match names.len() {
                    1 => "one name".to_owned(),
                    n => format!("{n} names"),
                }
            )));
        }
    };
    if names[0] == names[1] {
        return Err(WrongUse(format!("both sides are called `{}`\nhint: give two names", names[0])));
    }
    Ok(names)
}

/// Names without being asked: the words in which the two differ, e.g. `a.js` of `node a.js` and `node b.js`.
fn told_apart([first, second]: [&str; 2]) -> [String; 2] {
    if first == second {
        return ["first".to_owned(), "second".to_owned()];
    }
    let words = [first, second].map(|text| text.split_whitespace().collect::<Vec<_>>());
    let [a, b] = words.each_ref();
    let before = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let rest = [&a[before..], &b[before..]];
    let after = rest[0].iter().rev().zip(rest[1].iter().rev()).take_while(|(x, y)| x == y).count();
    let apart = rest.map(|words| words[..words.len() - after].join(" "));
    if apart.iter().any(String::is_empty) { [first.to_owned(), second.to_owned()] } else { apart }
}

/// Two revisions, where the caller names some: the only command is that of both then.
fn revisions(duel: &DuelArgs, here: &Path, texts: &mut Vec<String>) -> Result<Option<[Revision; 2]>> {
    let [first, second] = match duel.git.as_slice() {
        [] => return Ok(None),
        [first, second] => [first.as_str(), second.as_str()],
        _ => {
            let text = "--git is given once, or more than twice";
            return Err(
                WrongUse(format!("{text}\nhint: name two revisions: --git main --git my-branch")).into()
            );
        }
    };
    let [command] = texts.as_slice() else {
        let text = format!("{} commands for two revisions", texts.len());
        return Err(WrongUse(format!("{text}\nhint: give one, which is run in each of them")).into());
    };
    texts.push(command.clone());
    check_out(here, [first, second]).map(Some)
}

fn side(name: String, text: &str, folder: PathBuf, start: &Start<'_>) -> Result<Side> {
    if is_address(text) {
        return Ok(Side { name, url: text.to_owned(), kind: Kind::Address, shares_port: false });
    }
    let is_file = |extension| Path::new(text).extension().is_some_and(|own| own == extension);
    if Path::new(text).is_dir() || is_file("yaml") || is_file("yml") {
        let hint = "contenders fight contenders: leave out --url, and give two";
        return Err(WrongUse(format!("`{text}` is a contender, not a command\nhint: {hint}")).into());
    }
    let Some(url) = &start.args.url else {
        let hint = "say where it listens: --url 'http://127.0.0.1:{port}/'";
        return Err(WrongUse(format!("`{text}` is a command\nhint: {hint}")).into());
    };
    let port = match url.contains("{port}") {
        true => free_port()?,
        false => Url::parse(url).map_err(WrongUse)?.port,
    };
    let filled = |text: &str| text.replace("{port}", &port.to_string());
    let url = filled(url);
    let parsed = Url::parse(&url).map_err(WrongUse)?;
    Side::of_command(name, &filled(text), url, &parsed, folder, start).map_err(Into::into)
}

/// The requests of one side.
pub(super) struct Traffic(Vec<(RequestOptions, u32)>);

impl Traffic {
    /// One request to the side's address, or those of a recording to its server.
    fn new(one: RequestOptions, recording: Option<&Recording>, url: &str) -> Self {
        let Some(recording) = recording else {
            return Self(vec![(RequestOptions { urls: vec![url.to_owned()], ..one }, 1)]);
        };
        let root = url.find("://").map_or(0, |at| at + 3);
        let server = url[root..].find(['/', '?', '#']).map_or(url, |end| &url[..root + end]);
        let of = |request: &Recorded| RequestOptions {
            urls: vec![format!("{server}{}", request.target)],
            method: Some(request.method.clone()),
            headers: request.headers.iter().chain(&one.headers).cloned().collect(),
            // As it stands, whatever it begins with.
            body: request.body.as_ref().map(|body| format!("text:{body}")),
            ..one.clone()
        };
        Self(recording.requests.iter().map(|request| (of(request), request.weight)).collect())
    }

    /// All of it.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub(super) fn resolve(&self) -> Result<Requests, PlanError> {
        let parts = self.0.iter().map(|(request, weight)| Ok((request.resolve()?, *weight)));
        let mixed = Requests::mix(parts.collect::<Result<_, PlanError>>()?);
        mixed.ok_or_else(|| PlanError::Invalid("there is nothing to send\nhint: name an address".to_owned()))
    }
}

/// What is sent, in a few words; `{path}` still stands in it.
fn described(duel: &DuelArgs, recording: Option<&Recording>) -> String {
    if let (Some(recording), Some(path)) = (recording, &duel.requests) {
        let kinds = match recording.requests.len() {
            1 => "one request".to_owned(),
            n => format!("{n} different requests"),
        };
        let left_out = match recording.left_out {
            0 => String::new(),
            n => format!(" ({n} left out)"),
        };
        return format!("{kinds} of {}{left_out}", path.display());
    }
    let has_body = duel.data.is_some() || duel.data_a.is_some() || duel.data_b.is_some();
    let usual = if has_body { "POST" } else { "GET" };
    format!("{} {{path}}", duel.method.as_deref().unwrap_or(usual))
}

fn request(duel: &DuelArgs, own_headers: &[String], own_body: Option<&String>, seed: u64) -> RequestOptions {
    RequestOptions {
        method: duel.method.clone(),
        headers: duel.header.iter().chain(own_headers).cloned().collect(),
        body: own_body.or(duel.data.as_ref()).cloned(),
        statuses: duel.status.clone(),
        timeout: duel.timeout.clone(),
        seed,
        ..RequestOptions::default()
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

/// `NAME=VALUE` as a map.
pub(super) fn variables(texts: &[String]) -> Result<BTreeMap<String, String>, WrongUse> {
    let wrong = |text: &String| WrongUse(format!("--env `{text}` has no `=`\nhint: write NAME=VALUE"));
    let pair = |text: &String| {
        let (name, value) = text.split_once('=').ok_or_else(|| wrong(text))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    texts.iter().map(pair).collect()
}

/// The folder of the commands.
fn folder(duel: &DuelArgs) -> Result<PathBuf, WrongUse> {
    let folder = duel.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
    let path = folder.display().to_string();
    folder
        .canonicalize()
        .ok()
        .filter(|path| path.is_dir())
        .ok_or_else(|| WrongUse(format!("--cwd `{path}` is no folder\nhint: name one that is there")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_called_by_the_words_that_tell_them_apart() {
        let told = |first, second| told_apart([first, second]);
        assert_eq!(told("node a.js", "node b.js"), ["a.js", "b.js"]);
        assert_eq!(told("node a.js {port}", "bun b.ts {port}"), ["node a.js", "bun b.ts"]);
        assert_eq!(told("app", "app --fast"), ["app", "app --fast"]);
        assert_eq!(told("app", "app"), ["first", "second"]);
        assert_eq!(told("http://a/", "http://b/"), ["http://a/", "http://b/"]);
    }

    #[test]
    fn somebody_elses_server_is_driven_only_when_asked() {
        let side = |url: &str| Side {
            name: String::new(),
            url: url.to_owned(),
            kind: Kind::Address,
            shares_port: false,
        };
        assert!(spare_strangers(&side("http://127.0.0.1:3000/"), None, false).is_ok());
        assert!(spare_strangers(&side("http://[::1]/"), None, false).is_ok());
        assert!(spare_strangers(&side("http://example.org/"), None, false).is_err());
        assert!(spare_strangers(&side("http://example.org/"), None, true).is_ok());
        assert!(spare_strangers(&side("http://example.org/"), Some(STRANGER_MICRO), false).is_ok());
    }
}
