//! One round, act by act: start, count, load, count until it is at rest, cases or look-ups, stop.

use galo_plan::Challenge;
use galo_record::act::{Act, Acted, LoadTerms, Loaded, Outcome, Reading};
use galo_record::round::CountReading;

/// What the rounds of a schedule differ by.
#[derive(Debug, Clone)]
pub(super) struct Round {
    /// Where the count is asked for; `None`: the challenge has none.
    pub(super) count: Option<String>,
    /// What is sent.
    pub(super) load: LoadTerms,
    /// Whether cases are asked after the load.
    pub(super) cases: bool,
    /// Whether the contender is started once more after its round, to see what fresh volumes begin with.
    pub(super) renews: bool,
}

impl Round {
    /// A plain one: the plan's traffic, and nothing else.
    pub(super) fn new(challenge: &Challenge) -> Self {
        Self {
            count: challenge.count.as_ref().map(|count| count.path.clone()),
            load: LoadTerms { repeats: 1, kill: None },
            cases: false,
            renews: false,
        }
    }

    /// The act after these, which are the round's so far.
    pub(super) fn next(&self, acts: &[Acted]) -> Option<Act> {
        let last = acts.last()?;
        let is_again = acts.iter().any(|acted| acted.act == Act::Stop);
        Some(match (&last.act, &last.outcome) {
            (Act::Begin(_), _) => Act::Start,
            (Act::Start, Outcome::Started(_)) => self.first_after_start(is_again),
            (Act::Count { reading: Reading::First, .. }, Outcome::Counted(readings))
                if !is_again && readings.last().is_some_and(CountReading::is_answered) =>
            {
                self.count(Reading::Quiet).unwrap_or(Act::Stop)
            }
            (Act::Count { reading: Reading::Quiet, .. }, _) => Act::Load(self.load.clone()),
            (Act::Load(_), Outcome::Loaded(loaded)) if !self.is_served(loaded) => Act::Stop,
            (Act::Load(_), Outcome::Loaded(_)) => {
                self.count(Reading::AtRest).unwrap_or_else(|| self.after_rest())
            }
            (Act::Count { reading: Reading::AtRest, .. }, _) => self.after_rest(),
            (Act::Stop, _) if !is_first_stop(acts) => Act::Close,
            (Act::Stop, _) if self.renews && self.count.is_some() && was_driven(acts) => Act::Start,
            (Act::Stop | Act::Start, _) => Act::Close,
            (Act::Close, _) => return None,
            _ => Act::Stop,
        })
    }

    fn first_after_start(&self, is_again: bool) -> Act {
        let load = if is_again { Act::Stop } else { Act::Load(self.load.clone()) };
        self.count(Reading::First).unwrap_or(load)
    }

    fn after_rest(&self) -> Act {
        match (&self.load.kill, self.cases) {
            (Some(_), _) => Act::LookUp,
            (None, true) => Act::AskCases,
            (None, false) => Act::Stop,
        }
    }

    fn count(&self, reading: Reading) -> Option<Act> {
        Some(Act::Count { path: self.count.clone()?, reading })
    }

    /// Whether there is anybody left to ask: without one of its instances a contender still serves.
    fn is_served(&self, loaded: &Loaded) -> bool {
        let Some(kill) = &self.load.kill else { return true };
        let is_up = loaded.killed.as_ref().is_some_and(|killed| killed.ready_at_ns.is_some());
        is_up || kill.down_ns.is_some()
    }
}

fn was_driven(acts: &[Acted]) -> bool {
    acts.iter().any(|acted| matches!(acted.outcome, Outcome::Loaded(_)))
}

fn is_first_stop(acts: &[Acted]) -> bool {
    acts.iter().filter(|acted| acted.act == Act::Stop).count() == 1
}
