//! Tables get the size that a scale would give them: creations alone, through the API, in a closed loop.

use std::time::{Duration, Instant};

use anyhow::Result;
use galo_record::limit::PreloadRecord;
use galo_report::Lang;

use super::ground::Ground;

/// At once.
const USERS: u32 = 64;
/// After a pass in which more than this share failed, only a part of them.
const FAILED_MAX: f64 = 0.01;
const FEWER: u32 = 4;
/// Passes at most: each sends what the one before left missing.
const PASSES: usize = 12;
/// More rows than should be needed, since later rows take nicknames of earlier ones more often.
const SPARE_ROWS: f64 = 1.02;
const SPARE: u64 = 16;
/// Tables of more than so many times the size that is wanted are of no use.
const TOO_LARGE: u64 = 2;

/// How the tables stand before a hold.
pub(super) struct Filled {
    /// The count.
    pub(super) people: Option<u64>,
    /// What was done.
    pub(super) preload: Option<PreloadRecord>,
    /// Why they have not the size that is wanted.
    pub(super) lack: Option<String>,
}

impl Ground<'_> {
    /// Has the contender hold as many people as at the end of the profile at a scale; it is started afresh where it holds
    /// far more. A single hold may add more than the whole profile would (a profile may be short), so that is no reason.
    ///
    /// # Errors
    /// It did not start again.
    pub(super) fn fill(&mut self, scale_milli: u64, length: Duration) -> Result<Filled> {
        let target = self.target()?;
        let mut people = self.people(target);
        let wanted = self.holds.held_at_end(scale_milli);
        let usual = wanted.max(self.holds.creating_users(scale_milli, length));
        let fresh = people.is_none_or(|people| people > usual.saturating_mul(TOO_LARGE));
        if fresh {
            let target = self.start()?;
            people = self.people(target);
        }
        let first = people.unwrap_or(0);
        if first >= wanted {
            let preload = fresh.then_some(PreloadRecord { fresh, created: 0, took_ns: 0 });
            return Ok(Filled { people, preload, lack: None });
        }
        let heading = format!("preload: {} more people, to {wanted}", wanted - first);
        self.say(&heading);
        self.live.begin(&heading);
        let begun = Instant::now();
        let (people, lack) = self.top_up(first, wanted)?;
        let took_ns = begun.elapsed().as_nanos() as u64;
        let preload = PreloadRecord { fresh, created: people.saturating_sub(first), took_ns };
        Ok(Filled { people: Some(people), preload: Some(preload), lack })
    }

    /// Creates until there are so many; how many there are then, and what kept them from being more.
    fn top_up(&mut self, first: u64, wanted: u64) -> Result<(u64, Option<String>)> {
        let (mut people, mut users) = (first, USERS);
        for _ in 0..PASSES {
            if people >= wanted || self.is_stopped() {
                return Ok((people, None));
            }
            let target = self.target()?;
            let rows = (self.holds.rows_for(wanted - people) as f64 * SPARE_ROWS) as u64 + SPARE;
            self.rows.set(rows);
            let Some(plan) = self.holds.creations(users, rows, target)? else {
                return Ok((people, Some("the profile creates nothing to preload".to_owned())));
            };
            let (data, is_interrupted) = self.load(&plan)?;
            if is_interrupted {
                return Ok((people, None));
            }
            if let Some(death) = data.record.findings.first() {
                let death = galo_report::host_sentence(death, Lang::En);
                return Ok((people, Some(format!("while it was filled to {wanted} people, {death}"))));
            }
            let Some(counted) = self.count_at_rest(target).filter(|counted| *counted > people) else {
                break;
            };
            let ended = |of: fn(&galo_record::Ledger) -> u64| {
                data.record.load.steps.iter().map(|step| of(&step.ledger)).sum::<u64>() as f64
            };
            if ended(|ledger| ledger.failed + ledger.timed_out) > FAILED_MAX * ended(|ledger| ledger.intended)
            {
                users = (users / FEWER).max(1);
            }
            people = counted;
        }
        let lack = format!("it could not be filled to {wanted} people: it held {people}");
        Ok((people, (people < wanted).then_some(lack)))
    }
}
