//! A run as others watch it while it goes on: of all kinds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::Result;
use galo_drive::Watch;
use galo_judge::duel::PairFacts;
use galo_judge::limit::Hold;
use galo_judge::soak::Soaked;
use galo_judge::{Judgement, Standing};
use galo_record::act::{Act, Acted, LoadTerms, Outcome, Unit, UnitKind};
use galo_record::{Event, RunEnd};
use galo_report::RunMetrics;

use crate::cli::MetricsArgs;
use crate::metrics::Exporter;

/// What is known now, and who tells it.
pub(crate) struct Watched {
    metrics: Shared,
    exporter: Exporter,
}

/// The fold, and when the load under way began.
#[derive(Clone)]
struct Shared(Arc<Mutex<(RunMetrics, Instant)>>);

impl Shared {
    fn get(&self) -> MutexGuard<'_, (RunMetrics, Instant)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watched {
    /// Begins to tell what was asked for, of a kind of run (`fight`) and its units (`round`), and of how many if that is known.
    ///
    /// # Errors
    /// An address that cannot be had, or is none.
    pub(crate) fn open(
        args: &MetricsArgs,
        [kind, unit]: [&'static str; 2],
        planned: Option<usize>,
        quiet: bool,
    ) -> Result<Self> {
        let metrics = RunMetrics::new(kind, unit, planned);
        let metrics = Shared(Arc::new(Mutex::new((metrics, Instant::now()))));
        let exporter = Exporter::open(args, &format!("galo_{kind}"), quiet, {
            let metrics = metrics.clone();
            move || metrics.get().0.to_text()
        })?;
        Ok(Self { metrics, exporter })
    }

    /// What hears the news.
    pub(crate) fn ear(&self) -> impl FnMut(&Event) + Send + 'static {
        let metrics = self.metrics.clone();
        move |event| {
            let mut shared = metrics.get();
            // News of the load before may come when the next one has begun.
            let is_late = |elapsed_ns| u128::from(elapsed_ns) > shared.1.elapsed().as_nanos();
            if !matches!(event, Event::Progress(progress) if is_late(progress.elapsed_ns)) {
                shared.0.hear(event);
            }
        }
    }

    /// Has this told of all acts of contenders with these names, whoever else is.
    pub(crate) const fn and<'a, W>(&'a self, names: Vec<String>, other: &'a mut W) -> Told<'a, W> {
        Told { watched: self, names, other }
    }

    /// Tells the last of it.
    pub(crate) fn finish(self) {
        self.exporter.finish();
    }
}

/// What a unit was worth, as a label.
pub(crate) trait Worth {
    fn worth(&self) -> &'static str;
}

impl Worth for Judgement {
    fn worth(&self) -> &'static str {
        match self.standing {
            Standing::Valid => "valid",
            Standing::Disqualified { .. } => "disqualified",
            Standing::Void { .. } => "void",
            Standing::NotReady { .. } => "not_ready",
        }
    }
}

impl Worth for Hold {
    fn worth(&self) -> &'static str {
        match (self.outcome.valid, self.outcome.met) {
            (false, _) => "void",
            (true, true) => "met",
            (true, false) => "not_met",
        }
    }
}

impl Worth for PairFacts {
    fn worth(&self) -> &'static str {
        if self.spoiled.is_some() { "void" } else { "valid" }
    }
}

impl Worth for Soaked {
    fn worth(&self) -> &'static str {
        match (&self.end, self.void.is_empty()) {
            (RunEnd::Failed(_), _) => "not_ready",
            (_, false) => "void",
            (_, true) => "valid",
        }
    }
}

/// Two that are told of acts: the metrics, and another.
pub(crate) struct Told<'a, W> {
    watched: &'a Watched,
    /// By place in the plan.
    names: Vec<String>,
    other: &'a mut W,
}

impl<F: Worth, W: Watch<F>> Watch<F> for Told<'_, W> {
    fn begins(&mut self, act: &Act) {
        let name = |contender: usize| self.names.get(contender).map(String::as_str);
        let (metrics, begun) = &mut *self.watched.metrics.get();
        match act {
            Act::Begin(terms) => {
                let contender = match terms.kind {
                    UnitKind::Round { contender, .. } => name(contender),
                    UnitKind::Hold { .. } | UnitKind::Soak => name(0),
                    _ => None,
                };
                metrics.begin_unit(terms.number, contender);
            }
            Act::Start { .. } | Act::Stop { .. } => metrics.stop(),
            Act::Load(LoadTerms { contender, .. }) => {
                *begun = Instant::now();
                metrics.begin_load(name(*contender).unwrap_or_default());
            }
            _ => {}
        }
        self.other.begins(act);
    }

    fn ended(&mut self, acted: &Acted) {
        if let Outcome::Loaded(loaded) = &acted.outcome {
            self.watched.metrics.get().0.end_load(&loaded.load.total().ledger);
        }
        self.other.ended(acted);
    }

    fn judged(&mut self, unit: Unit<'_>, facts: &F) {
        self.watched.metrics.get().0.close_unit(facts.worth());
        self.other.judged(unit, facts);
    }
}

#[cfg(test)]
mod tests {
    use galo_judge::findings::GaloLate;

    use super::*;

    #[test]
    fn a_soak_is_told_as_what_the_judge_said_of_it() {
        let void = vec![GaloLate { percentile: 99, lag_us: 50_000.0, bound_us: 5_000.0 }.into()];
        let end = RunEnd::Failed("no".to_owned());
        for (soaked, worth) in [
            (Soaked::default(), "valid"),
            (Soaked { void: void.clone(), ..Soaked::default() }, "void"),
            (Soaked { end, void, ..Soaked::default() }, "not_ready"),
        ] {
            assert_eq!(soaked.worth(), worth);
        }
    }
}
