//! What a search is asked, what it asks for, and what it hears.

/// Rates are multiplied by this at most until something fails.
pub(super) const GROWTH: f64 = 2.0;

/// What to search. Rates are in thousandths of a request per second. Values that make no sense are moved to the
/// nearest that do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchOptions {
    /// The first rate to be tried.
    pub start_milli: u64,
    /// Nothing below this is tried.
    pub min_milli: u64,
    /// Nothing above this is tried.
    pub max_milli: u64,
    /// The bracket is narrow enough when its upper end divided by its lower is at most this.
    pub ratio: f64,
    /// Factor of the first step up; later ones are larger, up to doubling.
    pub step: f64,
    /// At most so many trials, holds included.
    pub max_trials: u32,
    /// A trial is not met if less than this share of the offered requests was answered while it lasted: below that a
    /// queue is growing, whatever the criterion says about those that were answered.
    pub min_answered: f64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            start_milli: 1_000_000,
            min_milli: 1_000,
            max_milli: 10_000_000_000,
            ratio: 1.05,
            step: GROWTH,
            max_trials: 40,
            min_answered: 0.99,
        }
    }
}

impl SearchOptions {
    /// Begins at a quarter of what a closed loop reached, which spares most of the doublings. A closed loop slows
    /// down with its target, so its rate is usually above the highest that meets a latency criterion.
    pub fn near(mut self, closed_loop_per_s: f64) -> Self {
        self.start_milli = (closed_loop_per_s * 1000.0 / 4.0) as u64;
        self
    }

    pub(super) fn sane(mut self) -> Self {
        self.min_milli = self.min_milli.max(1);
        self.max_milli = self.max_milli.max(self.min_milli);
        self.start_milli = self.start_milli.clamp(self.min_milli, self.max_milli);
        self.ratio = if self.ratio.is_finite() { self.ratio.max(1.001) } else { 1.05 };
        self.step =
            if self.step.is_finite() { self.step.clamp(self.ratio.min(GROWTH), GROWTH) } else { GROWTH };
        self.max_trials = self.max_trials.max(1);
        self
    }
}

/// How long a trial is to be driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Long enough to judge the criterion once; some seconds.
    Short,
    /// Long enough to trust it; several times as long.
    Hold,
}

/// What to drive next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// Requests per 1,000 seconds.
    pub rate_milli: u64,
    /// For how long.
    pub length: Length,
    /// The trial before was not met: let the target rest first, or this one pays for that one's queue.
    pub rest_before: bool,
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrialOutcome {
    /// Whether the criterion was met.
    pub met: bool,
    /// Whether galo itself kept up. If not, the trial says nothing about the target.
    pub valid: bool,
    /// Whether galo ran out of something that a higher rate would take more of (open files, local ports): nothing above
    /// this rate is tried.
    pub exhausted: bool,
    /// Requests that were due, per second; for random arrivals not quite the rate.
    pub offered_per_s: f64,
    /// Requests answered while the trial lasted, per second.
    pub achieved_per_s: f64,
}
