//! Tells of holds as they are driven, on standard error.

use std::time::Duration;

use galo_drive::Watch;
use galo_judge::limit::{Hold, counted};
use galo_plan::{Noun, Plan};
use galo_record::act::{Act, Acted, LoadTerms, Outcome, Unit, UnitKind, UnitTerms, Workload};
use galo_report::limit::{hold_line, not_met_words, scale};
use galo_words::Lang;

use crate::live::Live;

/// Who is told of a search for the highest scale.
pub(super) struct Follow<'a> {
    plan: &'a Plan,
    /// What is stored.
    noun: Noun,
    live: &'a Live,
    /// Whether the contender was started before.
    was_started: bool,
    /// The scale of the hold that is under way.
    scale_milli: u64,
    /// The count that was read last.
    stored: u64,
    /// Whether its tables are being filled for it.
    is_filling: bool,
}

impl<'a> Follow<'a> {
    /// Nothing was driven yet.
    pub(super) fn new(plan: &'a Plan, live: &'a Live) -> Self {
        let noun = plan.challenge.count.as_ref().map(|count| count.noun.clone()).unwrap_or_default();
        Self { plan, noun, live, was_started: false, scale_milli: 0, stored: 0, is_filling: false }
    }

    fn load_begins(&mut self, traffic: &Workload) {
        match *traffic {
            Workload::Fill { .. } if !std::mem::replace(&mut self.is_filling, true) => {
                let wanted = self.plan.held_at_end(self.scale_milli);
                let missing = wanted.saturating_sub(self.stored);
                let more = &self.noun.en[usize::from(missing != 1)];
                let heading = format!("preload: {missing} more {more}, to {wanted}");
                self.live.line(&heading);
                self.live.begin(&heading);
            }
            Workload::Hold { scale_milli, length_ns } => {
                let seconds = Duration::from_nanos(length_ns).as_secs();
                let scale = scale(scale_milli);
                self.live.begin(&format!("hold of {seconds} s at scale {scale}"));
            }
            _ => {}
        }
    }
}

impl Watch<Hold> for Follow<'_> {
    fn begins(&mut self, act: &Act) {
        match act {
            Act::Begin(UnitTerms { kind: UnitKind::Hold { scale_milli, .. }, .. }) => {
                (self.scale_milli, self.is_filling) = (*scale_milli, false);
            }
            Act::Start { .. } if self.was_started => self.live.line("starting it afresh"),
            Act::Load(LoadTerms { traffic, .. }) => self.load_begins(traffic),
            _ => {}
        }
    }

    fn ended(&mut self, acted: &Acted) {
        match &acted.outcome {
            Outcome::Started(_) => (self.was_started, self.stored) = (true, 0),
            Outcome::Stopped(stopped) => {
                for finding in &stopped.findings {
                    self.live.line(&format!("  {}", galo_judge::findings::host_sentence(finding, Lang::En)));
                }
            }
            _ => self.stored = counted(acted).flatten().unwrap_or(self.stored),
        }
    }

    fn judged(&mut self, _: Unit<'_>, hold: &Hold) {
        self.live.line(&hold_line(hold));
        for reason in &hold.outcome.reasons {
            self.live.line(&format!("  {}", not_met_words(reason, &self.noun, Lang::En)));
        }
        if let Some(cause) = hold.causes.first() {
            self.live.line(&format!("  what held it back: {}", cause.name()));
        }
    }
}
