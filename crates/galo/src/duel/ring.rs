//! Both sides over the whole duel: started, warmed up, driven in turns while the other one stands still, ended.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use galo_host::{Host, Running};
use galo_record::duel::{AnswersRecord, Level, LevelTerms, Turn, TurnLoad, WarmUp};
use galo_record::{DuelRecord, RunWriter};

use super::answers::{Kept, compare};
use super::load::{Gun, Shot};
use super::setup::Setup;
use super::side::{Kind, Side};
use super::view::Status;
use crate::exit::WrongUse;
use crate::live::Live;
use crate::session::stopped;

/// Requests that are sent to both before all else, one after another, to compare the answers.
const FIRST_ANSWERS: u64 = 20;
/// Answers that are compared of each turn.
const ANSWERS: u64 = 50;
/// Parts of a warm-up.
const PART: Duration = Duration::from_millis(500);
/// Parts without a higher rate after which a side is warm.
const STEADY: usize = 2;
/// What counts as a higher rate.
const RISE: f64 = 1.03;
/// A fresh start during the duel is warmed up for so long.
const AGAIN: Duration = Duration::from_secs(2);
/// Of pairs that galo itself spoiled, so many are driven again: one for every so many pairs. None where there is no time.
const SPARE: u32 = 4;
/// Users of one load have numbers from a multiple of this on.
const USERS: u64 = 1 << 32;

/// See the module.
pub(super) struct Ring<'a> {
    setup: &'a Setup,
    host: &'a Host,
    live: &'a Live,
    writer: &'a RunWriter,
    stop: &'a Arc<AtomicBool>,
    gun: Gun,
    /// Of each side, while it is up.
    running: [Option<Running>; 2],
    /// How often each side was started.
    starts: [u32; 2],
    /// Which start of both this is.
    start: u32,
    kept: [Kept; 2],
    status: &'a Status,
}

impl<'a> Ring<'a> {
    /// Nothing is started yet.
    pub(super) fn new(
        setup: &'a Setup,
        host: &'a Host,
        live: &'a Live,
        writer: &'a RunWriter,
        stop: &'a Arc<AtomicBool>,
        status: &'a Status,
    ) -> Self {
        let gun = Gun { stop: Arc::clone(stop), events: live.events(), threads: setup.threads };
        Self {
            setup,
            host,
            live,
            writer,
            stop,
            gun,
            running: [None, None],
            starts: [0, 0],
            start: 0,
            kept: [Kept::default(), Kept::default()],
            status,
        }
    }

    /// Drives all of it, or until the caller stops. Every turn is on disk before the next begins.
    ///
    /// # Errors
    /// A side did not start, or galo failed.
    pub(super) fn drive(&mut self, record: &mut DuelRecord) -> Result<()> {
        let begun = Instant::now();
        self.first_answers(&mut record.answers)?;
        for side in 0..2 {
            if !self.is_stopped() {
                record.sides[side].warm_up = self.warm_up(side)?;
            }
        }
        if self.is_stopped() {
            return Ok(());
        }
        let reached = record.sides.each_ref().map(|side| side.reached_per_s().unwrap_or(0.0));
        self.tell_reached(reached);
        let last_parts =
            record.sides.iter().filter_map(|side| side.warm_up.iter().map(|part| part.elapsed_ns).max());
        let closed_loop = Duration::from_nanos(last_parts.max().unwrap_or(0));
        record.terms.levels = self.setup.levels(reached[0].min(reached[1]), begun.elapsed(), closed_loop);
        self.writer.write_duel(record)?;
        let spare = if self.setup.pace.within.is_some() { 0 } else { self.setup.pairs.div_ceil(SPARE) };
        let most = self.setup.pairs + spare;
        let mut counting = 0;
        for pair in 0..most {
            if counting == self.setup.pairs || self.is_stopped() {
                break;
            }
            if pair > 0 && record.terms.pairs_per_start > 0 && pair % record.terms.pairs_per_start == 0 {
                self.start_afresh()?;
            }
            let mut pair_counts = true;
            for side in 0..2 {
                let Some(turn) = self.turn(side, pair, &record.terms.levels.clone())? else { return Ok(()) };
                pair_counts &= turn.loads.iter().all(|load| load.void.is_empty());
                record.turns.push(turn);
                self.writer.write_duel(record)?;
            }
            counting += u32::from(pair_counts);
            compare(&mut record.answers, [0, 1].map(|side| self.kept[side].take()));
            self.live.line(&pair_line(record, pair, self.setup.pairs));
        }
        self.writer.write_duel(record)?;
        Ok(())
    }

    /// Ends both sides.
    ///
    /// # Errors
    /// Something could not be removed.
    pub(super) fn end(&mut self) -> Result<()> {
        let ended = [0, 1].map(|side| self.down(side));
        ended.into_iter().collect()
    }

    /// Sends a few requests to each side, and compares the answers.
    fn first_answers(&mut self, answers: &mut AnswersRecord) -> Result<()> {
        let terms = LevelTerms {
            level: Level::Highest,
            length_ns: self.setup.timeout_ns(),
            rate_micro: None,
            connections: 1,
        };
        for side in 0..2 {
            self.up(side)?;
            let (load, _) = self.fire(side, &terms, Some(FIRST_ANSWERS), FIRST_ANSWERS, 0)?;
            if load.ledger.ok == 0 && !self.is_stopped() {
                return Err(WrongUse(self.no_answer(side, &load)).into());
            }
            self.rest(side)?;
        }
        compare(answers, [0, 1].map(|side| self.kept[side].take()));
        for difference in &answers.differences {
            let [mine, its] = &difference.values;
            self.live.line(&format!("answers differ at {}: {mine} and {its}", difference.at));
        }
        Ok(())
    }

    fn no_answer(&self, side: usize, load: &TurnLoad) -> String {
        let Side { name, url, .. } = &self.setup.sides[side];
        let statuses: Vec<String> = load.statuses.keys().map(u16::to_string).collect();
        let errors: Vec<&str> = load.errors.keys().map(String::as_str).collect();
        match (statuses.as_slice(), errors.as_slice()) {
            ([], errors) => format!(
                "{name} gives no answer at {url} ({})\nhint: try it: curl -i {url}",
                errors.join(", ")
            ),
            (statuses, _) => format!(
                "{name} answers {url} by status {}\nhint: give an address that it answers, or say what is right: --status {}",
                statuses.join(" and "),
                statuses.join(",")
            ),
        }
    }

    /// Short closed loops until the rate rises no more.
    fn warm_up(&mut self, side: usize) -> Result<Vec<WarmUp>> {
        self.status.set(format!("warm-up: {}", self.setup.sides[side].name));
        self.up(side)?;
        let terms = LevelTerms {
            level: Level::Highest,
            length_ns: PART.as_nanos() as u64,
            rate_micro: None,
            connections: self.setup.connections,
        };
        let mut parts: Vec<WarmUp> = Vec::new();
        let (mut best, mut steady) = (0.0_f64, 0);
        let most = self.setup.pace.warm_up_max.as_nanos().div_ceil(PART.as_nanos()) as usize;
        while parts.len() < most && steady <= STEADY && !self.is_stopped() {
            let (load, _) = self.fire(side, &terms, None, 0, 0)?;
            let ok_per_s = load.ledger.ok as f64 * 1e9 / load.elapsed_ns.max(1) as f64;
            steady = if ok_per_s > best * RISE { 0 } else { steady + 1 };
            best = best.max(ok_per_s);
            parts.push(WarmUp { elapsed_ns: load.elapsed_ns, ok_per_s });
        }
        self.rest(side)?;
        Ok(parts)
    }

    fn tell_reached(&self, reached: [f64; 2]) {
        let told = [0, 1].map(|side| format!("{} {:.0}/s", self.setup.sides[side].name, reached[side]));
        self.live.line(&format!("{} at once: {}", self.setup.connections, told.join(", ")));
    }

    /// Ends both sides and starts them again.
    fn start_afresh(&mut self) -> Result<()> {
        self.start += 1;
        if self.setup.shares_port() {
            return Ok(());
        }
        for side in 0..2 {
            self.down(side)?;
        }
        for side in 0..2 {
            self.up(side)?;
            self.warm_again(side)?;
            self.rest(side)?;
        }
        Ok(())
    }

    fn warm_again(&self, side: usize) -> Result<()> {
        let terms = LevelTerms {
            level: Level::Highest,
            length_ns: AGAIN.as_nanos() as u64,
            rate_micro: None,
            connections: self.setup.connections,
        };
        self.fire(side, &terms, None, 0, 0).map(drop)
    }

    /// One side's turn; `None`: the caller broke it off.
    fn turn(&mut self, side: usize, pair: u32, levels: &[LevelTerms]) -> Result<Option<Turn>> {
        self.status.set(format!(
            "pair {} of {}: {}",
            pair + 1,
            self.setup.pairs,
            self.setup.sides[side].name
        ));
        // One that only stood still gets no moment to wake: what it did not do meanwhile (a timer that ran out, a collection
        // of garbage) it does first of all, and that is part of how it serves.
        if self.up(side)? {
            self.warm_again(side)?;
        }
        let mut loads = Vec::with_capacity(levels.len());
        for (number, terms) in levels.iter().enumerate() {
            let kept = if number == 0 { ANSWERS } else { 0 };
            let first_user = (u64::from(pair) * levels.len() as u64 + number as u64 + 1) * USERS;
            let (load, interrupted) = self.fire(side, terms, None, kept, first_user)?;
            if interrupted {
                return Ok(None);
            }
            loads.push(load);
        }
        let findings = self.deaths(side);
        self.rest(side)?;
        Ok(Some(Turn { side, pair, start: self.start, loads, findings }))
    }

    fn fire(
        &self,
        side: usize,
        terms: &LevelTerms,
        total: Option<u64>,
        keep: u64,
        first_user: u64,
    ) -> Result<(TurnLoad, bool)> {
        let shot = Shot {
            traffic: &self.setup.traffic[side],
            url: &self.setup.sides[side].url,
            terms,
            total,
            first_user,
            keep: (keep > 0).then_some((&self.kept[side], keep)),
        };
        self.gun.fire(&shot, self.running[side].as_ref())
    }

    /// Has a side running; whether it was started for that.
    fn up(&mut self, side: usize) -> Result<bool> {
        if self.running[side].is_some() && !self.deaths(side).is_empty() {
            self.down(side)?;
        }
        if let Some(running) = &self.running[side] {
            running.resume();
            return Ok(false);
        }
        let Kind::Command { contender, port, .. } = &self.setup.sides[side].kind else { return Ok(false) };
        self.starts[side] += 1;
        let running = self.host.start(contender, *port, &self.logs(side))?;
        self.running[side] = Some(running);
        Ok(true)
    }

    /// Lets a side stand still, or ends it where the other one needs its port.
    fn rest(&mut self, side: usize) -> Result<()> {
        if self.setup.sides[side].shares_port {
            return self.down(side);
        }
        if let Some(running) = &self.running[side]
            && self.setup.sides.iter().all(|side| side.command().is_some())
        {
            running.pause();
        }
        Ok(())
    }

    fn down(&mut self, side: usize) -> Result<()> {
        let Some(running) = self.running[side].take() else { return Ok(()) };
        running.resume();
        for finding in running.stop().context("what was started could not be removed")? {
            self.live.line(&format!("  {}: {}", self.setup.sides[side].name, finding.text));
        }
        match &self.setup.after {
            None => Ok(()),
            Some(command) => after(command),
        }
    }

    /// What died of a side since the last look.
    fn deaths(&mut self, side: usize) -> Vec<String> {
        let name = &self.setup.sides[side].name;
        let deaths = self.running[side].as_mut().map(Running::deaths).unwrap_or_default();
        let told: Vec<String> = deaths.iter().map(|finding| format!("{name}: {}", finding.text)).collect();
        told.iter().for_each(|text| self.live.line(&format!("  {text}")));
        told
    }

    fn logs(&self, side: usize) -> PathBuf {
        let name = ["first", "second"][side];
        self.writer.path().join("logs").join(format!("{name}-{:02}", self.starts[side]))
    }

    fn is_stopped(&self) -> bool {
        stopped(self.stop)
    }
}

/// Runs what was to be run after each end.
fn after(command: &str) -> Result<()> {
    let status = Command::new("/bin/sh").args(["-c", command]).status().context("--after cannot be run")?;
    if status.success() {
        return Ok(());
    }
    bail!("--after `{command}` failed ({status})\nhint: try it by itself")
}

/// One line on a pair.
fn pair_line(record: &DuelRecord, pair: u32, pairs: u32) -> String {
    let load = |side: usize| {
        let turn = record.turns.iter().rev().find(|turn| turn.side == side && turn.pair == pair);
        turn.and_then(|turn| turn.loads.first())
    };
    let told = [0, 1].map(|side| {
        let p99_ms = load(side).map_or(0.0, |load| load.latency.us_p99 / 1e3);
        format!("{} {p99_ms:.2} ms", record.sides[side].name)
    });
    let spoiled = [0, 1].iter().filter_map(|&side| load(side)).find_map(|load| load.void.first());
    let spoiled = spoiled.map_or_else(String::new, |reason| format!(" (does not count: {reason})"));
    format!("pair {} of {pairs}: p99 {}{spoiled}", pair + 1, told.join(", "))
}
