//! Both sides over the whole duel: compared, warmed up, driven in turns while the other one stands still, ended.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;
use galo_host::Host;
use galo_judge::duel;
use galo_plan::Injection;
use galo_record::duel::{Level, LevelTerms, SideFinding, Turn, TurnLoad, WarmUp};
use galo_record::{DuelRecord, RunWriter};
use galo_report::Lang;

use super::answers::compare;
use super::corner::Corner;
use super::load::{Engine, Load};
use super::pace::{Asked, Pace, Seen};
use super::setup::Setup;
use super::side::Side;
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
/// A fresh start during the duel, and one for a traffic that was asked for, is warmed up for so long.
const AGAIN: Duration = Duration::from_secs(2);
/// Of pairs that galo itself spoiled, so many are driven again: one for every so many pairs. None where there is no time.
const SPARE: u32 = 4;
/// Users of one load have numbers from a multiple of this on.
const USERS: u64 = 1 << 32;

/// See the module.
pub(super) struct Ring<'a> {
    corners: [Corner<'a>; 2],
    pace: Pace,
    asked: Option<Asked>,
    connections: u32,
    engine: Engine,
    live: &'a Live,
    writer: &'a RunWriter,
    status: &'a Status,
    /// Which start of both this is.
    start: u32,
}

impl<'a> Ring<'a> {
    /// Nothing is started yet.
    pub(super) fn new(
        setup: Setup,
        engine: Engine,
        host: Option<&'a Host>,
        live: &'a Live,
        writer: &'a RunWriter,
        status: &'a Status,
    ) -> Self {
        let Setup { sides: [a, b], plans: [plan_a, plan_b], rest, pace, asked, connections, .. } = setup;
        let run = writer.path();
        let corners = [
            Corner::new(a, plan_a, rest, host, run, "first"),
            Corner::new(b, plan_b, rest, host, run, "second"),
        ];
        Self { corners, pace, asked, connections, engine, live, writer, status, start: 0 }
    }

    /// Drives all of it, or until the caller stops. Every turn is on disk before the next begins, and in the end nothing is
    /// left of either side.
    ///
    /// # Errors
    /// A side did not start, or galo failed.
    pub(super) fn drive(mut self, record: &mut DuelRecord) -> Result<()> {
        let driven = self.all(record);
        let ended = [0, 1].map(|side| self.corners[side].down());
        self.keep_findings(record, record.turns.last().map(|turn| turn.pair));
        ended.into_iter().fold(driven, Result::and)
    }

    fn all(&mut self, record: &mut DuelRecord) -> Result<()> {
        let begun = Instant::now();
        for corner in &mut self.corners {
            corner.build()?;
        }
        self.first_answers(record)?;
        self.warm_up(record)?;
        if self.is_stopped() {
            return Ok(());
        }
        self.set_levels(record, begun.elapsed());
        self.writer.write_duel(record)?;
        let levels = record.terms.levels.clone();
        let spare = if self.pace.within.is_some() { 0 } else { self.pace.pairs.div_ceil(SPARE) };
        let mut counting = 0;
        for pair in 0..self.pace.pairs + spare {
            if counting == self.pace.pairs || self.is_stopped() {
                break;
            }
            if pair > 0 && record.terms.pairs_per_start > 0 && pair % record.terms.pairs_per_start == 0 {
                self.start_afresh()?;
            }
            let Some(counts) = self.pair(record, pair, &levels)? else { return Ok(()) };
            counting += u32::from(counts);
            compare(&mut record.answers, self.corners.each_ref().map(|corner| corner.kept.take()));
            self.live.line(&pair_line(record, pair, self.pace.pairs));
        }
        self.writer.write_duel(record)?;
        Ok(())
    }

    /// Sends a few requests to each side, and compares the answers.
    fn first_answers(&mut self, record: &mut DuelRecord) -> Result<()> {
        let timeout = Duration::from_nanos(self.corners[0].timeout_ns());
        let terms = LevelTerms { connections: 1, ..self.closed_loop(timeout) };
        for side in 0..2 {
            self.corners[side].up()?;
            let load = Load { terms: &terms, total: Some(FIRST_ANSWERS), first_user: 0, kept: FIRST_ANSWERS };
            let (load, _) = self.corners[side].drive(&load, &self.engine)?;
            if load.ledger.ok == 0 && !self.is_stopped() {
                return Err(WrongUse(no_answer(&self.corners[side].side, &load)).into());
            }
            self.corners[side].rest()?;
        }
        compare(&mut record.answers, self.corners.each_ref().map(|corner| corner.kept.take()));
        for difference in &record.answers.differences {
            let [mine, its] = &difference.values;
            self.live.line(&format!("answers differ at {}: {mine} and {its}", difference.at));
        }
        Ok(())
    }

    /// Drives each side until it is warm: by short closed loops, until its rate rises no more. Where the caller asks for a
    /// traffic, by no more than that: the server may be somebody else's.
    fn warm_up(&mut self, record: &mut DuelRecord) -> Result<()> {
        if self.asked.is_some() {
            for side in 0..2 {
                self.status.set(format!("warm-up: {}", self.corners[side].side.name));
                self.corners[side].up()?;
                self.warm(side)?;
                self.corners[side].rest()?;
            }
            self.keep_findings(record, None);
            return Ok(());
        }
        let terms = self.closed_loop(PART);
        let most = self.pace.warm_up_max.as_nanos().div_ceil(PART.as_nanos()) as usize;
        for side in 0..2 {
            self.status.set(format!("warm-up: {}", self.corners[side].side.name));
            self.corners[side].up()?;
            let parts = &mut record.sides[side].warm_up;
            let (mut best, mut steady) = (0.0_f64, 0);
            while parts.len() < most && steady <= STEADY && !self.is_stopped() {
                let load = Load { terms: &terms, total: None, first_user: 0, kept: 0 };
                let (load, _) = self.corners[side].drive(&load, &self.engine)?;
                let ok_per_s = load.ledger.ok as f64 * 1e9 / load.elapsed_ns.max(1) as f64;
                steady = if ok_per_s > best * RISE { 0 } else { steady + 1 };
                best = best.max(ok_per_s);
                parts.push(WarmUp { elapsed_ns: load.elapsed_ns, ok_per_s });
            }
            self.corners[side].rest()?;
        }
        self.keep_findings(record, None);
        Ok(())
    }

    /// Chooses the loads of a turn by what the warm-up has shown, and tells it.
    fn set_levels(&self, record: &mut DuelRecord, taken: Duration) {
        let reached = record.sides.each_ref().map(|side| side.reached_per_s().unwrap_or(0.0));
        if self.asked.is_none() {
            let told = [0, 1].map(|side| format!("{} {:.0}/s", record.sides[side].name, reached[side]));
            self.live.line(&format!("{} at once: {}", self.connections, told.join(", ")));
        }
        let parts = record.sides.iter().flat_map(|side| &side.warm_up);
        let longest = Duration::from_nanos(parts.map(|part| part.elapsed_ns).max().unwrap_or(0));
        let seen =
            Seen { slower_per_s: reached[0].min(reached[1]), taken, overrun: longest.saturating_sub(PART) };
        record.terms.levels = self.pace.levels(self.asked.as_ref(), self.connections, &seen);
    }

    /// Ends both sides and starts them again; where they share a port, each turn does so.
    fn start_afresh(&mut self) -> Result<()> {
        self.start += 1;
        for corner in &mut self.corners {
            corner.down()?;
        }
        Ok(())
    }

    /// A turn of each side; whether they count, or `None`: the caller broke it off. Who begins changes with every start, so
    /// that what drifts meanwhile favours neither.
    fn pair(&mut self, record: &mut DuelRecord, pair: u32, levels: &[LevelTerms]) -> Result<Option<bool>> {
        let order = if self.start.is_multiple_of(2) { [0, 1] } else { [1, 0] };
        let mut counts = true;
        for side in order {
            let turn = self.turn(side, pair, levels);
            self.keep_findings(record, Some(pair));
            let Some(turn) = turn? else { return Ok(None) };
            counts &= duel::counts(levels, &turn);
            record.turns.push(turn);
            self.writer.write_duel(record)?;
        }
        Ok(Some(counts))
    }

    /// One side's turn; `None`: the caller broke it off.
    fn turn(&mut self, side: usize, pair: u32, levels: &[LevelTerms]) -> Result<Option<Turn>> {
        let name = &self.corners[side].side.name;
        self.status.set(format!("{}: {name}", pair_name(pair, self.pace.pairs)));
        // One that only stood still gets no moment to wake: what it did not do meanwhile (a timer that ran out, a collection
        // of garbage) it does first of all, and that is part of how it serves.
        if self.corners[side].up()? {
            self.warm(side)?;
        }
        let corner = &mut self.corners[side];
        let mut loads: Vec<TurnLoad> = Vec::with_capacity(levels.len());
        for (number, terms) in levels.iter().enumerate() {
            let first_user = (u64::from(pair) * levels.len() as u64 + number as u64 + 1) * USERS;
            let kept = if number == 0 { ANSWERS } else { 0 };
            let (load, interrupted) =
                corner.drive(&Load { terms, total: None, first_user, kept }, &self.engine)?;
            if interrupted {
                return Ok(None);
            }
            loads.push(load);
        }
        corner.rest()?;
        Ok(Some(Turn { side, pair, start: self.start, loads }))
    }

    /// Drives a fresh start for a moment, as hard as the turns will at most.
    fn warm(&mut self, side: usize) -> Result<()> {
        let mut terms = self.closed_loop(AGAIN);
        terms.injection = self.asked.as_ref().map(|asked| Injection::constant(asked.peak_micro(), AGAIN));
        let load = Load { terms: &terms, total: None, first_user: 0, kept: 0 };
        self.corners[side].drive(&load, &self.engine).map(drop)
    }

    /// Keeps what was remarkable of the sides since the last look, and tells it.
    fn keep_findings(&mut self, record: &mut DuelRecord, pair: Option<u32>) {
        for (side, corner) in self.corners.iter_mut().enumerate() {
            for finding in corner.take_findings() {
                let told = galo_report::host_sentence(&finding, Lang::En);
                self.live.line(&format!("  {}: {told}", corner.side.name));
                record.findings.push(SideFinding { side, pair, finding });
            }
        }
    }

    /// As many at once as were asked for, for so long.
    fn closed_loop(&self, length: Duration) -> LevelTerms {
        let length_ns = length.as_nanos() as u64;
        LevelTerms { level: Level::Highest, length_ns, injection: None, connections: self.connections }
    }

    fn is_stopped(&self) -> bool {
        stopped(&self.engine.stop)
    }
}

/// Why a side that does not answer rightly at all cannot fight.
fn no_answer(Side { name, url, .. }: &Side, load: &TurnLoad) -> String {
    let statuses: Vec<String> = load.statuses.keys().map(u16::to_string).collect();
    if statuses.is_empty() {
        let errors = keys(&load.errors);
        return format!("{name} gives no answer at {url} ({errors})\nhint: try it: curl -i {url}");
    }
    format!(
        "{name} answers {url} by status {}\nhint: give an address that it answers, or say what is right: --status {}",
        statuses.join(" and "),
        statuses.join(",")
    )
}

fn keys(errors: &BTreeMap<String, u64>) -> String {
    errors.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// One line on a pair.
fn pair_line(record: &DuelRecord, pair: u32, pairs: u32) -> String {
    let turn = |side: usize| record.turns.iter().rev().find(|turn| turn.side == side && turn.pair == pair);
    let told = [0, 1].map(|side| {
        let load = turn(side).and_then(|turn| turn.loads.first());
        let p99_ms = load.map_or(0.0, |load| load.latency.us_p99 / 1e3);
        format!("{} {p99_ms:.2} ms", record.sides[side].name)
    });
    let loads = [0, 1].into_iter().filter_map(turn).flat_map(|turn| &turn.loads);
    // What to do about it is told in the end.
    let spoiled = loads.flat_map(|load| duel::void_reasons(&record.terms.levels, load)).next();
    let spoiled = spoiled.map_or_else(String::new, |reason| format!(" (spoiled: {reason})"));
    format!("{}: p99 {}{spoiled}", pair_name(pair, pairs), told.join(", "))
}

/// Which pair of how many; one that is driven in place of a spoiled one comes after all that were planned.
fn pair_name(pair: u32, pairs: u32) -> String {
    match pair.checked_sub(pairs) {
        None => format!("pair {} of {pairs}", pair + 1),
        Some(before) => format!("replacement {} of a spoiled pair", before + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_in_place_of_a_spoiled_one_is_none_of_those_that_were_planned() {
        assert_eq!(pair_name(0, 10), "pair 1 of 10");
        assert_eq!(pair_name(9, 10), "pair 10 of 10");
        assert_eq!(pair_name(10, 10), "replacement 1 of a spoiled pair");
    }
}
