//! Tells of rounds as they are driven, on standard error.

use galo_drive::Watch;
use galo_judge::Judgement;
use galo_plan::Plan;
use galo_record::act::{Act, Unit, UnitKind};
use galo_record::{CrashKind, Halt};

use crate::live::Live;

/// Who is told of a fight, or of a check.
pub(crate) struct Follow<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) live: &'a Live,
    /// Whether the outcome of each round is told when it is over.
    pub(crate) tells_rounds: bool,
}

impl Watch<Judgement> for Follow<'_> {
    fn begins(&mut self, act: &Act) {
        if let (Act::Restart { halt, .. }, true) = (act, self.tells_rounds) {
            let how = match halt {
                Halt::Asked => "asked to end",
                Halt::Killed => "killed",
            };
            self.live.line(&format!("  at rest for 15 s, now {how}, and started again on what it left"));
        }
        let Act::Begin(terms) = act else { return };
        let UnitKind::Round { slot, crash, .. } = terms.kind else { return };
        match crash {
            None if self.tells_rounds => self.live.round(terms.number, self.plan, slot),
            None => {}
            Some(CrashKind::Crash) => self.live.line(&format!("round {}: crash", terms.number)),
            Some(CrashKind::Outage) => self.live.line(&format!("round {}: outage", terms.number)),
        }
    }

    fn judged(&mut self, _: Unit<'_>, judgement: &Judgement) {
        if self.tells_rounds {
            self.live.judged(self.plan, judgement);
        }
        if judgement.apart {
            for finding in &judgement.findings {
                self.live.line(&format!("  {}", finding.fact.sentence(galo_words::Lang::En)));
            }
        }
    }
}

/// Nobody is told of acts: what is driven is one load, which tells of itself.
pub(crate) struct Quiet;

impl<F> Watch<F> for Quiet {
    fn begins(&mut self, _: &Act) {}
    fn judged(&mut self, _: Unit<'_>, _: &F) {}
}
