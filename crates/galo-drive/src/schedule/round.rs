//! One round, act by act: start, count, load, count until it is at rest, cases or look-ups, stop.

use galo_plan::Challenge;
use galo_record::Halt;
use galo_record::act::{
    Act, Acted, Kill, LoadTerms, Loaded, Outcome, Reading, UnitKind, UnitTerms, Workload,
};
use galo_record::round::CountReading;

/// A contender is ended and started again after it was asked nothing for so long.
const REST_NS: u64 = 15_000_000_000;

/// What the rounds of a schedule differ by.
#[derive(Debug, Clone)]
pub(super) struct Round {
    /// Where the count is asked for; `None`: the challenge has none.
    pub(super) count: Option<String>,
    /// How many times over the plan's traffic is sent.
    pub(super) repeats: usize,
    /// Services that are killed meanwhile.
    pub(super) kill: Option<Kill>,
    /// Whether cases are asked after the load.
    pub(super) cases: bool,
    /// How all services are ended once all is at rest, to be started again on what they left; `None`: they are not.
    pub(super) halt: Option<Halt>,
    /// Whether the contender is started once more after its round, to see what fresh volumes begin with.
    pub(super) renews: bool,
}

impl Round {
    /// A plain one: the plan's traffic, and nothing else.
    pub(super) fn new(challenge: &Challenge) -> Self {
        Self {
            count: challenge.count.as_ref().map(|count| count.path.clone()),
            repeats: 1,
            kill: None,
            cases: false,
            halt: None,
            renews: false,
        }
    }

    /// The act after these, which are the round's so far.
    pub(super) fn next(&self, acts: &[Acted]) -> Option<Act> {
        let Act::Begin(UnitTerms { kind: UnitKind::Round { contender, .. }, .. }) = acts.first()?.act else {
            return None;
        };
        let last = acts.last()?;
        let (start, stop) = (Act::Start { contender }, Act::Stop { contender });
        let stops = acts.iter().filter(|acted| acted.act == stop).count();
        let is_again = stops > 0;
        Some(match (&last.act, &last.outcome) {
            (Act::Begin(_), _) => start,
            (Act::Start { .. }, Outcome::Started(_)) => {
                let load = if is_again { stop } else { self.load(contender) };
                self.count(Reading::First).unwrap_or(load)
            }
            (Act::Count { reading: Reading::First, .. }, _) if was_restarted(acts) && !is_again => {
                Act::LookUp
            }
            (Act::Count { reading: Reading::First, .. }, Outcome::Counted(readings))
                if !is_again && readings.last().is_some_and(CountReading::is_answered) =>
            {
                self.count(Reading::Quiet).unwrap_or(stop)
            }
            (Act::Count { reading: Reading::Quiet, .. }, _) => self.load(contender),
            (Act::Load(_), Outcome::Loaded(loaded)) if !self.is_served(loaded) => stop,
            (Act::Load(_), Outcome::Loaded(_)) => {
                self.count(Reading::AtRest).unwrap_or_else(|| self.after_rest(stop))
            }
            (Act::Count { reading: Reading::AtRest, .. }, _) => self.after_rest(stop),
            (Act::AskCases, _) => self.after_cases(stop),
            (Act::Rest { .. }, _) => self.count(Reading::Once).unwrap_or_else(|| self.restart(contender)),
            (Act::Count { reading: Reading::Once, .. }, _) => self.restart(contender),
            (Act::Restart { .. }, Outcome::Restarted(restarted)) if restarted.ready_at_ns.is_some() => {
                self.count(Reading::First).unwrap_or(Act::LookUp)
            }
            (Act::Stop { .. }, _)
                if stops == 1 && self.renews && self.count.is_some() && was_driven(acts) =>
            {
                start
            }
            (Act::Stop { .. } | Act::Start { .. }, _) => Act::Close,
            (Act::Close, _) => return None,
            _ => stop,
        })
    }

    fn load(&self, contender: usize) -> Act {
        let traffic = Workload::Profile { repeats: self.repeats };
        Act::Load(LoadTerms { contender, traffic, kill: self.kill.clone() })
    }

    fn after_rest(&self, stop: Act) -> Act {
        match (&self.kill, self.cases) {
            (Some(_), _) => Act::LookUp,
            (None, true) => Act::AskCases,
            (None, false) => self.after_cases(stop),
        }
    }

    fn restart(&self, contender: usize) -> Act {
        self.halt.map_or(Act::Stop { contender }, |halt| Act::Restart { contender, halt })
    }

    fn after_cases(&self, stop: Act) -> Act {
        if self.halt.is_some() { Act::Rest { length_ns: REST_NS } } else { stop }
    }

    fn count(&self, reading: Reading) -> Option<Act> {
        Some(Act::Count { path: self.count.clone()?, reading })
    }

    /// Whether there is anybody left to ask: without one of its instances a contender still serves.
    fn is_served(&self, loaded: &Loaded) -> bool {
        let Some(kill) = &self.kill else { return true };
        let is_up = loaded.killed.as_ref().is_some_and(|killed| killed.ready_at_ns.is_some());
        is_up || kill.down_ns.is_some()
    }
}

fn was_restarted(acts: &[Acted]) -> bool {
    acts.iter().any(|acted| matches!(acted.act, Act::Restart { .. }))
}

fn was_driven(acts: &[Acted]) -> bool {
    acts.iter().any(|acted| matches!(acted.outcome, Outcome::Loaded(_)))
}
