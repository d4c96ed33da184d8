//! What a load by itself came to, and what loads one after another say of the highest rate that a server holds.

use std::time::Duration;

use galo_plan::load::Spacing;
use galo_record::load::EngineRecord;
use galo_record::{LoadRecord, StepLatencies};

use crate::assertion::{Assertions, Figures};
use crate::capacity::{Capacity, Due, Limit, Search, SearchOptions, TrialOutcome, achieved_per_s};
use crate::void::{self, VoidReason};

/// How a load was asked for, as far as that bears on what it is worth.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// How long users were to arrive whatever the server did; `None`: a closed loop.
    pub arriving_ns: Option<u64>,
    /// Whether galo's threads stay awake.
    pub spins: bool,
    /// Of a trial: what was triald.
    pub trial: Option<TrialTerms<'a>>,
}

/// One rate of the search for the highest.
#[derive(Debug, Clone, Copy)]
pub struct TrialTerms<'a> {
    /// What is to be met.
    pub criterion: &'a Assertions,
    /// Requests per 1,000 seconds.
    pub rate_milli: u64,
    /// How long requests fell due.
    pub length: Duration,
    /// How they lay in the rate.
    pub spacing: Spacing,
}

/// What a load by itself came to.
#[derive(Debug, Clone, Default)]
pub struct LoadFacts {
    /// What may be asserted of it.
    pub figures: Figures,
    /// The time that its rates are over ([`LoadRecord::rate_ns`]).
    pub rate_ns: u64,
    /// Right answers per second; 0: there was none.
    pub ok_per_s: f64,
    /// Why it says nothing; empty where it does.
    pub void: Vec<VoidReason>,
    /// Share of the time in which galo's threads were busy, where that is worth telling.
    pub busy_share: Option<f64>,
    /// Whether the caller broke it off.
    pub interrupted: bool,
    /// The status that ended it, where one was to.
    pub stopped_by: Option<u16>,
    /// Of a trial: what it says of its rate.
    pub trial: Option<TrialFacts>,
}

/// What a trial says of its rate.
#[derive(Debug, Clone)]
pub struct TrialFacts {
    /// Requests per 1,000 seconds.
    pub rate_milli: u64,
    /// What the search hears.
    pub outcome: TrialOutcome,
    /// Whether the server kept up with the rate, whatever its latency.
    pub kept_up: bool,
    /// What galo had too little of, which a higher rate would take more of.
    pub ran_out_of: Option<String>,
}

impl TrialFacts {
    /// Whether the criterion was met, and the server kept up.
    pub const fn is_met(&self) -> bool {
        self.outcome.met && self.kept_up
    }
}

/// What a load came to. `latencies` are by flat step number.
pub fn judge_load(load: &LoadRecord, latencies: &[StepLatencies], asked: Asked<'_>) -> LoadFacts {
    let mut all = StepLatencies::default();
    latencies.iter().for_each(|latencies| all.add(latencies));
    let ledger = load.total().ledger;
    let rate_ns = load.rate_ns(asked.arriving_ns.unwrap_or(0));
    let figures = Figures::of(rate_ns, &ledger, &all, &load.engine);
    let mut reasons = void::of_load(load, &all, asked.arriving_ns.is_some());
    let trial = asked.trial.map(|trial| {
        let met = trial.criterion.met(&figures);
        if met && load.engine.own_errors.is_empty() {
            // Latency holds galo's lateness too: what is met in spite of it is met.
            reasons.clear();
        }
        trial_facts(trial, &all, ledger.intended, &load.engine, met, reasons.is_empty())
    });
    LoadFacts {
        figures,
        rate_ns,
        ok_per_s: if ledger.ok == 0 { 0.0 } else { ledger.ok as f64 * 1e9 / rate_ns.max(1) as f64 },
        void: reasons,
        busy_share: void::busy_share(load, asked.spins),
        interrupted: load.interrupted,
        stopped_by: load.stopped_by,
        trial,
    }
}

fn trial_facts(
    trial: TrialTerms<'_>,
    latencies: &StepLatencies,
    intended: u64,
    engine: &EngineRecord,
    met: bool,
    valid: bool,
) -> TrialFacts {
    let offered_per_s = intended as f64 / trial.length.as_secs_f64();
    let drawn = match trial.spacing {
        Spacing::Even => 0.0,
        Spacing::Poisson => intended as f64,
    };
    let due = Due { per_s: offered_per_s, until: &|seconds| offered_per_s * seconds as f64, drawn };
    let achieved_per_s = achieved_per_s(latencies, trial.length, due);
    let ran_out_of = ran_out_of(engine);
    TrialFacts {
        rate_milli: trial.rate_milli,
        kept_up: achieved_per_s >= SearchOptions::default().min_answered * offered_per_s,
        outcome: TrialOutcome { met, valid, exhausted: ran_out_of.is_some(), offered_per_s, achieved_per_s },
        ran_out_of,
    }
}

/// What galo had too little of, which a higher rate would take more of.
fn ran_out_of(engine: &EngineRecord) -> Option<String> {
    const KINDS: [&str; 3] = ["no free local port", "too many open files", "no memory for sockets"];
    engine.own_errors.keys().find(|kind| KINDS.contains(&kind.as_str())).cloned()
}

/// Where the highest rate is looked for, in requests per 1,000 seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Range {
    /// Where the search begins; `None`: near what a closed loop reaches, which is then the first load.
    pub start_milli: Option<u64>,
    /// Nothing above it is tried.
    pub max_milli: Option<u64>,
}

/// The search for the highest rate, by its loads so far; `None`: where it begins is not known yet.
pub fn search(range: Range, loads: &[LoadFacts]) -> Option<Search> {
    let mut options = SearchOptions::default();
    options.max_milli = range.max_milli.unwrap_or(options.max_milli);
    match (range.start_milli, loads.first()) {
        (Some(start_milli), _) => options.start_milli = start_milli,
        (None, None) => return None,
        (None, Some(closed)) if closed.ok_per_s > 0.0 => options = options.near(closed.ok_per_s),
        (None, Some(_)) => {}
    }
    let mut search = Search::new(options);
    // What was broken off says nothing about its rate.
    let trials = loads.iter().filter(|load| !load.interrupted).filter_map(|load| load.trial.as_ref());
    trials.for_each(|trial| search.tell(trial.outcome));
    Some(search)
}

/// What the search for the highest rate came to.
#[derive(Debug, Clone)]
pub struct Found<'a> {
    /// The rate, or that there is none.
    pub capacity: Capacity,
    /// The load whose figures stand for it: its hold, if there was one, or else the last trial. `None`: there was no trial.
    pub stands: Option<usize>,
    /// Why the search says nothing. Trials that galo spoiled do not spoil it, unless it found nothing because of them.
    pub void: Vec<VoidReason>,
    /// The lowest rate at which galo ran into a limit of its own, so that nothing above it was tried.
    pub stopped_at: Option<&'a TrialFacts>,
}

/// What a search came to, whether it is over or was broken off.
pub fn found(range: Range, loads: &[LoadFacts]) -> Found<'_> {
    let search = search(range, loads).unwrap_or_else(|| Search::new(SearchOptions::default()));
    let capacity = search.result();
    let last = loads.iter().rposition(|load| load.trial.is_some());
    let stands = match capacity {
        Capacity::Highest { rate_milli, .. } => loads.iter().rposition(|load| {
            let trial = load.trial.as_ref();
            trial.is_some_and(|p| p.rate_milli == rate_milli && p.is_met() && p.outcome.valid)
        }),
        Capacity::Nothing { .. } => None,
    };
    let stands = stands.or(last);
    let is_void = matches!(capacity, Capacity::Nothing { limit: Limit::Client { .. }, .. });
    let void = stands.filter(|_| is_void).map(|index| loads[index].void.clone());
    let trials = loads.iter().filter_map(|load| load.trial.as_ref());
    let stopped_at = trials.filter(|trial| trial.ran_out_of.is_some()).min_by_key(|trial| trial.rate_milli);
    Found { capacity, stands, void: void.unwrap_or_default(), stopped_at }
}

#[cfg(test)]
mod tests {
    use galo_record::Ledger;
    use galo_record::load::StepRecord;

    use super::*;

    const RANGE: Range = Range { start_milli: Some(1_000_000), max_milli: Some(2_000_000) };

    fn load(ok: u64) -> LoadRecord {
        let ledger = Ledger { intended: ok, ok, ..Ledger::default() };
        let steps = vec![StepRecord { ledger, ..StepRecord::default() }];
        LoadRecord { ended_ns: 1_000_000_000, steps, ..LoadRecord::default() }
    }

    fn latencies(ok: u64) -> Vec<StepLatencies> {
        let mut latencies = StepLatencies::default();
        (0..ok).for_each(|_| latencies.ok.record_ns(1_000_000));
        vec![latencies]
    }

    fn triald(load: &LoadRecord, criterion: &str, rate_milli: u64) -> LoadFacts {
        let criterion: Assertions = criterion.parse().unwrap();
        let length = Duration::from_secs(1);
        let trial = TrialTerms { criterion: &criterion, rate_milli, length, spacing: Spacing::Even };
        let asked = Asked { arriving_ns: Some(length.as_nanos() as u64), spins: false, trial: Some(trial) };
        judge_load(load, &latencies(load.total().ledger.ok), asked)
    }

    #[test]
    fn what_is_met_in_spite_of_galos_lateness_is_met_and_what_is_not_says_nothing() {
        let mut late = load(1_000);
        late.engine.lag_us_p99 = 90_000.0;
        let met = triald(&late, "p99<50ms", 1_000_000);
        assert!(met.void.is_empty() && met.trial.unwrap().outcome.valid);
        let unmet = triald(&late, "p99<1us", 1_000_000);
        assert!(!unmet.void.is_empty() && !unmet.trial.unwrap().outcome.valid);
    }

    #[test]
    fn one_request_at_a_low_rate_is_that_rate_and_no_thousands() {
        let mut one = load(1);
        one.ended_ns = 857_000;
        let asked = |arriving_ns| Asked { arriving_ns, spins: false, trial: None };
        let per_s = |asked| judge_load(&one, &latencies(1), asked).ok_per_s;
        assert_eq!(per_s(asked(Some(5_000_000_000))), 0.2);
        assert!((per_s(asked(None)) - 1_166.86).abs() < 0.01, "a closed loop takes as long as it takes");
        let met = |bound: &str| {
            let assertions: Assertions = bound.parse().unwrap();
            assertions.met(&judge_load(&one, &latencies(1), asked(Some(5_000_000_000))).figures)
        };
        assert!(met("rate<=0.2") && !met("rate>1"));
    }

    #[test]
    fn a_rate_at_which_nothing_is_answered_rightly_is_not_held_however_quick_the_refusals() {
        let mut refusing = load(0);
        refusing.steps[0].ledger = Ledger { intended: 1_000, failed: 1_000, ..Ledger::default() };
        let mut latencies = StepLatencies::default();
        (0..1_000).for_each(|_| latencies.not_ok.record_ns(100_000));
        let criterion: Assertions = "p99<10ms".parse().unwrap();
        let length = Duration::from_secs(1);
        let trial =
            TrialTerms { criterion: &criterion, rate_milli: 1_000_000, length, spacing: Spacing::Even };
        let asked = Asked { arriving_ns: Some(1_000_000_000), spins: false, trial: Some(trial) };
        assert!(!judge_load(&refusing, &[latencies], asked).trial.unwrap().is_met());
    }

    #[test]
    fn what_a_higher_rate_would_take_more_of_is_told_from_what_galo_may_not_do_at_all() {
        let mut engine = EngineRecord::default();
        assert_eq!(ran_out_of(&engine), None);
        engine.own_errors.insert("not permitted to connect".to_owned(), 9);
        assert_eq!(ran_out_of(&engine), None);
        engine.own_errors.insert("too many open files".to_owned(), 1);
        assert_eq!(ran_out_of(&engine).as_deref(), Some("too many open files"));
    }

    #[test]
    fn a_search_begins_where_it_was_told_or_near_what_a_closed_loop_reached() {
        let first = |range, loads: &[LoadFacts]| search(range, loads).unwrap().next().unwrap().rate_milli;
        assert_eq!(first(RANGE, &[]), 1_000_000);
        assert!(search(Range::default(), &[]).is_none());
        let closed = LoadFacts { ok_per_s: 4_000.0, ..LoadFacts::default() };
        assert_eq!(first(Range::default(), &[closed]), 1_000_000);
        let nobody = LoadFacts::default();
        assert_eq!(first(Range::default(), &[nobody]), SearchOptions::default().start_milli);
    }

    #[test]
    fn the_figures_of_a_search_are_those_of_the_last_valid_trial_of_its_rate() {
        let mut loads = Vec::new();
        while let Some(trial) = search(RANGE, &loads).unwrap().next() {
            loads.push(triald(&load(trial.rate_milli / 1_000), "errors==0", trial.rate_milli));
        }
        let found = found(RANGE, &loads);
        assert!(
            matches!(found.capacity, Capacity::Highest { rate_milli: 2_000_000, held: true, .. }),
            "{found:?}"
        );
        assert_eq!((found.stands, found.void.len()), (Some(loads.len() - 1), 0));
        assert!(found.stopped_at.is_none());
    }

    #[test]
    fn a_search_that_found_nothing_because_of_galo_is_void_and_one_that_the_server_failed_is_not() {
        let outcome = |load: &LoadRecord| {
            let mut loads = Vec::new();
            while let Some(trial) = search(RANGE, &loads).unwrap().next() {
                loads.push(triald(load, "p99<1us", trial.rate_milli));
            }
            found(RANGE, &loads).void.len()
        };
        let mut late = load(1_000);
        late.engine.lag_us_p99 = 90_000.0;
        assert_eq!((outcome(&load(1_000)), outcome(&late)), (0, 1));
    }

    #[test]
    fn what_was_broken_off_says_nothing_about_its_rate() {
        let broken_off = LoadRecord { interrupted: true, ..load(10) };
        let loads = [triald(&broken_off, "errors==0", 1_000_000)];
        let found = found(RANGE, &loads);
        assert!(matches!(found.capacity, Capacity::Nothing { trials: 0, .. }), "{found:?}");
        assert_eq!(found.stands, Some(0));
    }
}
