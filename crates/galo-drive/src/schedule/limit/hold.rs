//! One hold, act by act: start, rest, fill, count, load, count.

use std::time::Duration;

use galo_judge::limit::{Filling, contradiction, counted, light_figures};
use galo_record::Ledger;
use galo_record::act::{Act, Acted, LoadTerms, Loaded, Outcome, Reading, UnitKind, UnitTerms, Workload};

use super::{CONTENDER, Limit};

/// How long a contender may take to come to rest after a hold that it did not meet.
const REST_NS: u64 = 30_000_000_000;
/// The light traffic that must meet the service level again after it: so long, and at this scale in thousandths, or at
/// this part of the scale that was not met.
const LIGHT_NS: u64 = 2_000_000_000;
const LIGHT_MILLI: u64 = 50;
const LIGHT_PART: u64 = 20;
/// Tables are filled by so many users at once.
const USERS: u32 = 64;
/// After a pass in which more than this share failed, only by a part of them.
const FAILED_MAX: f64 = 0.01;
const FEWER: u32 = 4;
/// Passes at most: each sends what the one before left missing.
const PASSES: usize = 12;
/// More rows than should be needed, since later rows take nicknames of earlier ones more often.
const SPARE_ROWS: f64 = 1.02;
const SPARE: u64 = 16;
/// Tables of more than so many times the size that is wanted are of no use.
const TOO_LARGE: u64 = 2;

/// How the contender stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Ground {
    is_up: bool,
    /// Something was wrong with a service of it while a load ran: it died, above all.
    is_broken: bool,
    /// Something may still be under way in it of which nobody knows whether it is done.
    pub(super) is_unsettled: bool,
    /// The scale of the last hold, if that was not met: it has not shown since that it is at rest.
    pub(super) not_met_milli: Option<u64>,
}

impl Ground {
    /// Hears an act that closes no unit.
    pub(super) fn hear(&mut self, acted: &Acted) {
        match (&acted.act, &acted.outcome) {
            (_, Outcome::Lost) | (Act::Stop { .. }, _) => *self = Self::default(),
            (Act::Start { .. }, Outcome::Started(_)) => *self = Self { is_up: true, ..Self::default() },
            (_, Outcome::Loaded(loaded)) => self.is_broken |= !loaded.findings.is_empty(),
            _ => {}
        }
    }
}

const START: Act = Act::Start { contender: CONTENDER };
const STOP: Act = Act::Stop { contender: CONTENDER };

impl Limit<'_> {
    /// The act after these, which are the hold's so far. `ground`: how the contender stood before them.
    pub(super) fn within(&self, acts: &[Acted], ground: &Ground) -> Option<Act> {
        let Act::Begin(UnitTerms { kind: UnitKind::Hold { scale_milli, confirms }, .. }) = acts.first()?.act
        else {
            return None;
        };
        let last = acts.last()?;
        let hold = Hold { limit: self, acts, ground, scale_milli, confirms };
        match (&last.act, &last.outcome) {
            (Act::Begin(_), _) => Some(hold.first()),
            (Act::Start { .. }, Outcome::Started(_)) => {
                Some(self.count(Reading::First).unwrap_or_else(|| hold.fill()))
            }
            (Act::Stop { .. }, _) => hold.has_answered_since_start().then_some(START),
            (Act::Count { reading: Reading::First, .. }, _) if counted(last) == Some(None) => Some(STOP),
            (Act::Count { .. }, _) => Some(hold.after_count(last)),
            (Act::Load(terms), Outcome::Loaded(loaded)) => Some(hold.after_load(&terms.traffic, loaded)),
            _ => None,
        }
    }

    fn count(&self, reading: Reading) -> Option<Act> {
        let path = self.plan.challenge.count.as_ref()?.path.clone();
        Some(Act::Count { path, reading })
    }
}

/// A hold under way.
struct Hold<'a> {
    limit: &'a Limit<'a>,
    acts: &'a [Acted],
    ground: &'a Ground,
    scale_milli: u64,
    confirms: bool,
}

impl Hold<'_> {
    fn first(&self) -> Act {
        match self.ground {
            Ground { is_up: false, .. } => START,
            Ground { is_broken: true, .. } => STOP,
            Ground { not_met_milli: Some(_), .. } => self.rest(),
            _ => self.count_stored(),
        }
    }

    fn after_count(&self, last: &Acted) -> Act {
        if let Some(loaded) = self.held() {
            return self.after_hold(last, loaded);
        }
        if !self.is_resting() {
            return self.fill();
        }
        match counted(last) {
            Some(Some(_)) => self.light(),
            _ => self.rest(),
        }
    }

    fn after_load(&self, traffic: &Workload, loaded: &Loaded) -> Act {
        let is_broken = !loaded.findings.is_empty();
        match traffic {
            Workload::Light { .. } if is_broken => STOP,
            Workload::Light { .. } if self.is_resting() => self.rest(),
            Workload::Light { .. } => self.count_stored(),
            Workload::Fill { .. } if is_broken => Act::Close,
            Workload::Fill { .. } => self.limit.count(Reading::AtRest).unwrap_or(Act::Close),
            _ => self.limit.count(Reading::Once).unwrap_or(Act::Close),
        }
    }

    /// The count right after; where that is not what was acknowledged, the count at rest, as in every round.
    fn after_hold(&self, last: &Acted, loaded: &Loaded) -> Act {
        let is_at_once = matches!(last.act, Act::Count { reading: Reading::Once, .. });
        let stored = [Filling::from_acts(self.acts).stored, counted(last).flatten()];
        let is_settled =
            !self.limit.plan.judges_the_count() || contradiction(loaded.creations, stored).is_none();
        match self.limit.count(Reading::AtRest) {
            Some(at_rest) if is_at_once && !is_settled => at_rest,
            _ => Act::Close,
        }
    }

    /// After a hold that was not met: the contender must come to rest, and meet the service level under light traffic. It is
    /// started afresh where that takes too long.
    fn rest(&self) -> Act {
        let took_ns: u64 = self.acts.iter().map(|acted| acted.ended_ns.saturating_sub(acted.began_ns)).sum();
        if took_ns >= REST_NS {
            return STOP;
        }
        self.limit.count(Reading::AtRest).unwrap_or_else(|| self.light())
    }

    /// Whether it has yet to show that it is at rest.
    fn is_resting(&self) -> bool {
        let is_met = |acted: &Acted| match (&acted.act, &acted.outcome) {
            (
                &Act::Load(LoadTerms { traffic: Workload::Light { length_ns, .. }, .. }),
                Outcome::Loaded(light),
            ) => self.limit.criterion.met(&light_figures(self.limit.plan, light, length_ns)),
            _ => false,
        };
        self.ground.not_met_milli.is_some() && !self.is_fresh() && !self.acts.iter().any(is_met)
    }

    fn light(&self) -> Act {
        let not_met_milli = self.ground.not_met_milli.unwrap_or(self.scale_milli);
        let scale_milli = (not_met_milli / LIGHT_PART).clamp(1, LIGHT_MILLI);
        load(Workload::Light { scale_milli, length_ns: LIGHT_NS })
    }

    /// The count before it is filled, at rest if it might move.
    fn count_stored(&self) -> Act {
        let reading = if self.ground.is_unsettled { Reading::AtRest } else { Reading::Once };
        self.limit.count(reading).unwrap_or_else(|| self.fill())
    }

    /// Has the contender hold as much as at the end of the profile at the scale; it is started afresh where it holds
    /// far more. A single hold may add more than the whole profile would (a profile may be short), so that is no reason.
    fn fill(&self) -> Act {
        let Limit { plan, terms, .. } = self.limit;
        if !terms.preloads || !plan.judges_the_count() {
            return self.hold();
        }
        let filling = Filling::from_acts(self.acts);
        let wanted = plan.held_at_end(self.scale_milli);
        let usual = wanted.max(plan.creating_users(self.scale_milli, self.length()));
        let is_too_large = |stored| stored > usual.saturating_mul(TOO_LARGE);
        match filling.stored {
            stored if stored.is_none_or(is_too_large) && filling.passes.is_empty() && !self.is_fresh() => {
                STOP
            }
            Some(stored) if stored >= wanted => self.hold(),
            stored if plan.creating_scenario().is_none() || !has_grown(&filling) => {
                debug_assert!(stored.is_none_or(|stored| stored < wanted));
                Act::Close
            }
            stored => {
                let missing = wanted - stored.unwrap_or(0);
                let rows = (plan.rows_for(missing) as f64 * SPARE_ROWS) as u64 + SPARE;
                load(Workload::Fill { users: users(filling.passes), rows })
            }
        }
    }

    fn hold(&self) -> Act {
        let length_ns = self.limit.terms.length_ns(self.confirms);
        load(Workload::Hold { scale_milli: self.scale_milli, length_ns })
    }

    fn length(&self) -> Duration {
        Duration::from_nanos(self.limit.terms.length_ns(self.confirms))
    }

    /// The load that is the hold.
    fn held(&self) -> Option<&Loaded> {
        self.acts.iter().find_map(|acted| match (&acted.act, &acted.outcome) {
            (Act::Load(LoadTerms { traffic: Workload::Hold { .. }, .. }), Outcome::Loaded(loaded)) => {
                Some(&**loaded)
            }
            _ => None,
        })
    }

    /// Whether it was started in this unit.
    fn is_fresh(&self) -> bool {
        self.acts.iter().any(|acted| matches!(acted.act, Act::Start { .. }))
    }

    /// Who never answers the count is not started again.
    fn has_answered_since_start(&self) -> bool {
        let before = self.acts.iter().rev().nth(1);
        !before.is_some_and(|acted| {
            matches!(acted.act, Act::Count { reading: Reading::First, .. }) && counted(acted) == Some(None)
        })
    }
}

fn load(traffic: Workload) -> Act {
    Act::Load(LoadTerms { contender: CONTENDER, traffic, kill: None })
}

/// The loads among passes.
fn loads(passes: &[Acted]) -> impl Iterator<Item = &Loaded> {
    passes.iter().filter_map(|acted| match &acted.outcome {
        Outcome::Loaded(loaded) => Some(&**loaded),
        _ => None,
    })
}

/// Whether the last pass, if there was one, created anything, so that another one may help.
fn has_grown(filling: &Filling<'_>) -> bool {
    let counts: Vec<Option<u64>> =
        std::iter::once(filling.first).chain(filling.passes.iter().filter_map(counted)).collect();
    let passes = loads(filling.passes).count();
    let [.., before, last] = counts[..] else { return true };
    passes < PASSES && last > before
}

/// How many create at once, after so many passes.
fn users(passes: &[Acted]) -> u32 {
    loads(passes).fold(USERS, |users, loaded| {
        let Ledger { intended, failed, timed_out, .. } = loaded.load.total().ledger;
        let is_too_much = (failed + timed_out) as f64 > FAILED_MAX * intended as f64;
        if is_too_much { (users / FEWER).max(1) } else { users }
    })
}
