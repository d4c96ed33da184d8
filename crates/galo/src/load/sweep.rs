//! `--sweep`: a load at each of several settings, in drawn order, a few times over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use clap::ValueEnum;
use galo_judge::load::{JudgedLoad, LoadSetting, Measured, Subject, swept};
use galo_plan::knob::{self, Turn};
use galo_plan::{Knob, Seed, suggest, turns};

use super::driven::drive_all;
use super::outputs::Outputs;
use super::setup::Setup;
use crate::cli::{ConnectionArg, LoadArgs};
use crate::exit::WrongUse;
use crate::live::Live;
use crate::watched::Watched;

/// What a sweep may turn.
const KNOBS: [&str; 6] = ["connections", "rate", "streams", "connection", "data", "threads"];

/// Loads; more take an hour.
const MOST: u64 = 400;

/// The settings at which a load is driven.
pub(super) struct Sweep {
    knobs: Vec<Knob>,
    /// Each with the options that it means; one without turns where nothing is swept.
    settings: Vec<(Vec<Turn>, LoadArgs)>,
    rounds: u32,
    seed: Seed,
}

impl Sweep {
    /// # Errors
    /// A knob that is none, is given as an option too, or has a value that the option would not take.
    pub(super) fn new(args: &LoadArgs) -> Result<Self> {
        let knobs = args.sweep.sweep.clone();
        let told = |error: String| WrongUse(format!("--sweep: {error}"));
        let all = knob::combinations(&knobs).map_err(told)?;
        let loads = all.len() as u64 * u64::from(args.sweep.rounds);
        if !knobs.is_empty() && loads > MOST && !args.sweep.yes {
            let hint = "hint: turn fewer knobs, or through fewer values; to drive all the same: --yes";
            return Err(WrongUse(format!("that is {} settings, {loads} loads\n{hint}", all.len())).into());
        }
        // A setting has options, and no sweep of its own.
        let mut own = args.clone();
        own.sweep.sweep.clear();
        let mut settings = Vec::new();
        for turns in all {
            let mut args = own.clone();
            for turn in &turns {
                turned(&mut args, turn).map_err(told)?;
            }
            // What is wrong at any setting is told before the first load.
            if !turns.is_empty() {
                let named = |error: anyhow::Error| WrongUse(format!("at {}: {error}", knob::told(&turns)));
                Setup::new(&args).map_err(named)?;
            }
            settings.push((turns, args));
        }
        Ok(Self { knobs, settings, rounds: args.sweep.rounds, seed: Seed::of_number(args.amount.seed) })
    }

    /// The options of the first setting.
    pub(super) fn first(&self) -> &LoadArgs {
        &self.settings[0].1
    }

    /// Whether nothing is swept.
    pub(super) const fn is_one(&self) -> bool {
        self.knobs.is_empty()
    }

    /// Drives all of them.
    ///
    /// # Errors
    /// What kept the engine from running.
    pub(super) fn drive(
        self,
        subject: &Subject,
        live: &Live,
        stop: &Arc<AtomicBool>,
        watched: &Watched,
    ) -> Result<JudgedLoad> {
        let order = turns::turns(self.seed, self.rounds, self.settings.len());
        let mut loads: Vec<(Vec<JudgedLoad>, Option<Measured>)> = Vec::new();
        loads.resize_with(self.settings.len(), Default::default);
        let mut interrupted = false;
        for (number, &index) in order.iter().enumerate() {
            let (turns, args) = &self.settings[index];
            live.line(&format!("load {} of {}: {}", number + 1, order.len(), knob::told(turns)));
            let outputs = Outputs::open(&args.tell, watched)?;
            let (judged, measured) = drive_all(Setup::new(args)?, live, stop, outputs)?;
            interrupted |= judged.interrupted || stop.load(Ordering::Relaxed);
            // What was broken off says nothing of its setting.
            if interrupted {
                break;
            }
            let (ok, p99) = (judged.ok_per_s, judged.answered.latency.p99 / 1e3);
            live.line(&format!(
                "  {ok:.0}/s right, p99 {p99:.2} ms, {} errors",
                judged.answered.ledger.not_ok()
            ));
            // No server answers, so none would at another setting.
            let is_over = judged.is_unanswered();
            let (of_setting, sum) = &mut loads[index];
            of_setting.push(judged);
            if let Some(measured) = measured {
                measured.add_to(sum);
            }
            if is_over {
                break;
            }
        }
        let (mut settings, mut all) = (Vec::new(), None::<Measured>);
        for ((turns, _), (loads, sum)) in self.settings.iter().zip(loads) {
            let Some(sum) = sum else { continue };
            settings.extend(LoadSetting::of(
                turns.iter().map(|turn| turn.value.clone()).collect(),
                &loads,
                &sum,
            ));
            sum.add_to(&mut all);
        }
        Ok(JudgedLoad { interrupted, ..swept(subject, self.knobs, settings, all.as_ref()) })
    }
}

/// Turns an option.
fn turned(args: &mut LoadArgs, Turn { knob, value }: &Turn) -> Result<(), String> {
    let number = || value.parse::<u32>().ok().filter(|number| (1..=1_000_000).contains(number));
    let wrong = |what: &str| format!("{knob}={value}: `{value}` is no {what}");
    if args.request.scenario.is_some() && ["data", "connection"].contains(&knob.as_str()) {
        return Err(format!("`{knob}` is what the file of --scenario says\nhint: leave it out"));
    }
    let is_given = match knob.as_str() {
        "connections" => {
            args.amount.connections.replace(number().ok_or_else(|| wrong("number of connections"))?).is_some()
        }
        "rate" => args.amount.rate.replace(value.clone()).is_some(),
        "streams" => {
            let streams =
                number().filter(|streams| *streams <= 10_000).ok_or_else(|| wrong("number of streams"))?;
            args.way.streams.replace(streams).is_some()
        }
        "data" => args.request.data.replace(value.clone()).is_some(),
        "connection" => {
            args.way.connection = ConnectionArg::from_str(value, false)
                .map_err(|_| wrong("way of taking one: shared, per-request"))?;
            false
        }
        "threads" => {
            let threads =
                number().and_then(|threads| u16::try_from(threads).ok()).filter(|threads| *threads <= 64);
            args.engine.threads = threads.ok_or_else(|| wrong("number of threads, 1 to 64"))?;
            false
        }
        other => return Err(suggest::unknown("knob", other, &KNOBS)),
    };
    if is_given {
        return Err(format!("`{knob}` is turned and given as --{knob}\nhint: leave one of them out"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
