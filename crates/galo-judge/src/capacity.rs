//! The highest rate that holds: a search that asks for trials, hears how each ended, and narrows down the rate at
//! which a service level stops being met.
//!
//! A state machine without a clock, randomness or I/O: [`Search::next`] says what to drive, [`Search::tell`] takes how
//! it went, [`Search::result`] says what is known. The same outcomes in the same order always give the same search.
//!
//! How it goes: rates grow, up to doubling, until one is not met, then the bracket is halved on a log scale until its ends are within
//! [`SearchOptions::ratio`]; then its upper end is tried once more (and the search goes on above it if it is met after
//! all), and its lower end is held for longer. A hold that is not met steps down, by more each time; what lies between
//! the rate that is then held and the lowest that was not is halved by holds. One unlucky trial decides nothing: a rate
//! is not met when two of its trials were not, and once something is known to fail, met when two were.
//!
//! What it proves: the rate of a held result met the criterion for the length of a hold, on this machine, at that
//! time. What it does not: that this rate is met for ever (a hold cannot see what fills up more slowly than it
//! lasts); that no higher one would be met, where rates above a failing one were never tried (a target may be slow at
//! one rate and quick above it); and the interval rests on a model (described in `capacity/interval.rs`).
//!
//! Sources: RFC 2544, section 26.1 (throughput: the fastest rate at which nothing is lost); FD.io, "Multiple loss
//! ratio search", draft-ietf-bmwg-mlrsearch (short trials first, the conservative end is the result, long trials
//! confirm it); U. Feige, P. Raghavan, D. Peleg, E. Upfal, "Computing with noisy information", SIAM J. Comput. 23,
//! 1994 (binary search that goes back when an end turns out to be wrong).

mod backlog;
mod candidate;
mod interval;
#[cfg(test)]
mod tests;
mod trial;

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

pub use backlog::{Due, achieved_per_s};
use candidate::{Candidate, Said};
use trial::GROWTH;
pub use trial::{Length, SearchOptions, Trial, TrialOutcome};

/// What kept the rate from being higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Limit {
    /// A higher rate did not meet the criterion.
    Criterion,
    /// galo itself did not keep up with a higher rate; the target might.
    Client {
        /// The lowest rate at which that was so, in requests per 1,000 seconds.
        rate_milli: u64,
    },
    /// Nothing higher was to be tried.
    Asked,
    /// The number of trials was used up while everything was still met.
    Trials,
}

/// What the search found. Rates are in requests per 1,000 seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Capacity {
    /// A rate that met the criterion.
    Highest {
        /// The rate.
        rate_milli: u64,
        /// Lower end of the 95 % interval of the rate that is met in half of all trials.
        low_milli: u64,
        /// Its upper end; `None` where no rate failed the criterion.
        high_milli: Option<u64>,
        /// Whether `rate_milli` was confirmed by a hold.
        held: bool,
        /// What kept it from being higher.
        limit: Limit,
        /// Trials driven, holds included.
        trials: u32,
    },
    /// No rate met the criterion.
    Nothing {
        /// The lowest rate that was tried.
        lowest_milli: u64,
        /// Why: the criterion, or galo itself.
        limit: Limit,
        /// Trials driven.
        trials: u32,
    },
}

/// Rates are divided by this until something is met: more than they grow by, since each failing rate costs two trials.
const DESCENT: u64 = 4;
/// So many trials are kept for holds: three rates that fail twice each.
const RESERVED_FOR_HOLDS: u32 = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Growing, shrinking or halving.
    Bracket,
    /// The upper end once more.
    Recheck,
    /// The lower end for longer.
    Hold,
    Over,
}

/// The upper end of the bracket: a rate, and who failed at it.
#[derive(Debug, Clone, Copy)]
struct Upper {
    rate: u64,
    said: Said,
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct Search {
    options: SearchOptions,
    phase: Phase,
    candidate: Candidate,
    /// Highest rate that was met, of those not refuted since.
    lower: Option<u64>,
    upper: Option<Upper>,
    /// Factor of the next step up, or of the next step down from a hold that was not met.
    step: f64,
    /// Something failed before: from here on one trial alone decides nothing.
    near: bool,
    rest: bool,
    /// Highest rate that a hold confirmed.
    held: Option<u64>,
    /// Lowest rate that a hold refuted.
    refuted: Option<u64>,
    lowest_tried: u64,
    trials: u32,
    /// Rate and whether it was met, of each valid trial.
    votes: Vec<(u64, bool)>,
    /// Whether galo ran out of something at [`SearchOptions::max_milli`], which was lowered to that.
    exhausted: bool,
}

impl Search {
    /// A search that has not begun.
    pub fn new(options: SearchOptions) -> Self {
        let options = options.sane();
        Self {
            options,
            phase: Phase::Bracket,
            candidate: Candidate::of(options.start_milli),
            lower: None,
            upper: None,
            step: options.step,
            near: false,
            rest: false,
            held: None,
            refuted: None,
            lowest_tried: options.start_milli,
            trials: 0,
            votes: Vec::new(),
            exhausted: false,
        }
    }

    /// What to drive now; the same until [`Self::tell`]. `None` when the search is over.
    pub fn next(&self) -> Option<Trial> {
        let length = if self.phase == Phase::Hold { Length::Hold } else { Length::Short };
        (self.phase != Phase::Over).then_some(Trial {
            rate_milli: self.candidate.rate,
            length,
            rest_before: self.rest,
        })
    }

    /// How the trial of [`Self::next`] ended. Without effect when the search is over.
    pub fn tell(&mut self, outcome: TrialOutcome) {
        if self.phase == Phase::Over {
            return;
        }
        let said = self.said(outcome);
        self.trials += 1;
        self.lowest_tried = self.lowest_tried.min(self.candidate.rate);
        self.rest = said != Said::Met;
        if said != Said::Client {
            self.votes.push((self.candidate.rate, said == Said::Met));
        }
        if outcome.exhausted {
            self.exhaust();
        }
        self.candidate.count(said);
        let one_will_do = self.phase == Phase::Hold || !self.near;
        if let Some(concluded) = self.candidate.concluded(one_will_do) {
            self.conclude(concluded);
        }
        let left = self.options.max_trials.saturating_sub(self.trials);
        if left == 0 {
            self.phase = Phase::Over;
        } else if left <= RESERVED_FOR_HOLDS && self.lower.is_some() && self.bracketing() {
            self.hold();
        }
    }

    /// What is known; final once [`Self::next`] gives `None`.
    pub fn result(&self) -> Capacity {
        let Some(rate_milli) = self.held.or_else(|| self.met_but_not_held()) else {
            let limit = self.upper.map_or(Limit::Trials, Upper::limit);
            return Capacity::Nothing { lowest_milli: self.lowest_tried, limit, trials: self.trials };
        };
        let limit = match self.upper {
            Some(upper) => upper.limit(),
            None if self.exhausted => Limit::Client { rate_milli: self.options.max_milli },
            None if rate_milli >= self.options.max_milli => Limit::Asked,
            None => Limit::Trials,
        };
        let bracket_high = self.upper.map(|upper| upper.rate);
        let [low, high] = interval::of(&self.votes, rate_milli, bracket_high.unwrap_or(rate_milli));
        let high_milli = bracket_high.filter(|_| limit == Limit::Criterion).map(|rate| rate.max(high));
        let low_milli = rate_milli.min(low);
        let held = self.held.is_some();
        Capacity::Highest { rate_milli, low_milli, high_milli, held, limit, trials: self.trials }
    }

    /// galo ran out of something: nothing above the rate that is tried now is tried, however it fares when it is tried again.
    fn exhaust(&mut self) {
        self.exhausted = true;
        self.options.max_milli = self.options.max_milli.min(self.candidate.rate);
    }

    fn said(&self, outcome: TrialOutcome) -> Said {
        if !outcome.valid {
            return Said::Client;
        }
        let answered = outcome.achieved_per_s >= self.options.min_answered * outcome.offered_per_s;
        if outcome.met && answered { Said::Met } else { Said::Failed }
    }

    fn bracketing(&self) -> bool {
        matches!(self.phase, Phase::Bracket | Phase::Recheck)
    }

    fn conclude(&mut self, said: Said) {
        let rate = self.candidate.rate;
        match (self.phase, said) {
            (Phase::Bracket, Said::Met) => {
                self.lower = Some(rate);
                self.advance();
            }
            (Phase::Bracket, _) => {
                self.upper = Some(Upper { rate, said });
                self.near = true;
                self.advance();
            }
            // What failed before was bad luck: go on above it, in steps that begin small.
            (Phase::Recheck, Said::Met) => {
                self.phase = Phase::Bracket;
                self.lower = Some(rate);
                self.upper = None;
                self.step = self.options.ratio.powi(2);
                self.advance();
            }
            (Phase::Recheck, _) => self.hold(),
            (Phase::Hold, Said::Met) => {
                self.held = Some(rate);
                self.halve_holds();
            }
            (Phase::Hold, _) => {
                self.refuted = Some(rate);
                if self.upper.is_none_or(|upper| upper.said != said) {
                    self.upper = Some(Upper { rate, said });
                }
                if self.held.is_some() { self.halve_holds() } else { self.step_down() }
            }
            (Phase::Over, _) => {}
        }
    }

    /// The next rate of the bracket, or what comes after it.
    fn advance(&mut self) {
        match (self.lower, self.upper) {
            (None, None) => {}
            (Some(lower), None) if lower >= self.options.max_milli => self.hold(),
            (Some(lower), None) => {
                let grown = ((lower as f64 * self.step) as u64).max(lower.saturating_add(1));
                self.candidate = Candidate::of(grown.min(self.options.max_milli));
                self.step = self.step.powi(2).min(GROWTH);
            }
            (None, Some(upper)) if upper.rate <= self.options.min_milli => self.phase = Phase::Over,
            (None, Some(upper)) => {
                self.candidate = Candidate::of((upper.rate / DESCENT).max(self.options.min_milli));
            }
            (Some(lower), Some(upper)) => match self.middle(lower, upper.rate) {
                Some(middle) => self.candidate = Candidate::of(middle),
                None if self.candidate.rate == upper.rate => self.hold(), // tried just now
                None => {
                    self.phase = Phase::Recheck;
                    self.candidate = Candidate::of(upper.rate);
                }
            },
        }
    }

    fn hold(&mut self) {
        let Some(lower) = self.lower else {
            self.phase = Phase::Over;
            return;
        };
        self.phase = Phase::Hold;
        self.candidate = Candidate::of(lower);
        self.step = self.options.ratio;
    }

    /// A hold was not met: a lower rate is held, by steps that grow, so that a lower end that was far too high does
    /// not use up all trials.
    fn step_down(&mut self) {
        let rate = self.candidate.rate;
        if rate <= self.options.min_milli {
            self.phase = Phase::Over;
            return;
        }
        self.candidate = Candidate::of(((rate as f64 / self.step) as u64).max(self.options.min_milli));
        self.step = self.step.powi(2);
    }

    /// Highest rate that short trials met and no hold refuted.
    fn met_but_not_held(&self) -> Option<u64> {
        let Some(refuted) = self.refuted else { return self.lower };
        self.votes.iter().filter(|(rate, met)| *met && *rate < refuted).map(|(rate, _)| *rate).max()
    }

    /// Between the highest rate that was held and the lowest that was not.
    fn halve_holds(&mut self) {
        let between = self.held.zip(self.refuted).and_then(|(held, refuted)| self.middle(held, refuted));
        match between {
            Some(middle) => self.candidate = Candidate::of(middle),
            None => self.phase = Phase::Over,
        }
    }

    /// The middle of two rates on a log scale; `None` where they are close enough.
    fn middle(&self, lower: u64, upper: u64) -> Option<u64> {
        let middle = (lower as f64 * upper as f64).sqrt() as u64;
        let narrow = upper as f64 <= lower as f64 * self.options.ratio;
        (!narrow && middle > lower && middle < upper).then_some(middle)
    }
}

impl Upper {
    fn limit(self) -> Limit {
        match self.said {
            Said::Client => Limit::Client { rate_milli: self.rate },
            Said::Met | Said::Failed => Limit::Criterion,
        }
    }
}
