//! Keeps a few answers of a load, so that the two sides' answers to the same requests can be compared.
//!
//! The engine hands every right answer to the plan's data to be examined; this stands in front of them and copies those of
//! the first few users. Users of both sides' loads have the same numbers, and the same number is the same request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use galo_judge::duel::answers::{Answered, first_difference};
use galo_plan::LoadPlan;
use galo_plan::model::{Answer, Asked, Ceiling, ChallengeData, Examination, NoRows, Seen};
use galo_record::duel::AnswersRecord;

/// A longer body is compared up to here.
const BODY_MAX: usize = 1 << 20;
/// Differences that are told.
const TOLD: usize = 10;

/// Answers by the number of their user.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept(Arc<Mutex<BTreeMap<u64, Answered>>>);

impl Kept {
    /// Has a plan's answers to every `every`th of the first users kept, `most` at most.
    pub(super) fn watch(&self, plan: &mut LoadPlan, first: u64, every: u64, most: u64) {
        for step in plan.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps) {
            // Only answers of steps with a check are handed over; without checks of its own the data finds all right.
            step.check.get_or_insert(0);
        }
        let inner = std::mem::replace(&mut plan.data, Box::new(NoRows));
        plan.data = Box::new(Watched { inner, kept: self.clone(), first, every: every.max(1), most });
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Answered>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that were kept, which are forgotten.
    pub(super) fn take(&self) -> BTreeMap<u64, Answered> {
        std::mem::take(&mut *self.lock())
    }
}

/// Compares answers that both sides gave, and adds what came of it to a record.
pub(super) fn compare(record: &mut AnswersRecord, sides: [BTreeMap<u64, Answered>; 2]) {
    let [first, second] = sides;
    for (user, mine) in &first {
        let Some(its) = second.get(user) else { continue };
        record.compared += 1;
        match first_difference([mine, its], &record.ignored) {
            None => record.equal += 1,
            Some(difference) => {
                record.other_status += u64::from(difference.at == "status");
                let is_known = record.differences.iter().any(|known| known.at == difference.at);
                if !is_known && record.differences.len() < TOLD {
                    record.differences.push(difference);
                }
            }
        }
    }
}

struct Watched {
    inner: Box<dyn ChallengeData>,
    kept: Kept,
    first: u64,
    every: u64,
    most: u64,
}

impl ChallengeData for Watched {
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        self.inner.write_field(feeder, row, field, out);
    }

    fn ceiling(&self) -> Ceiling {
        self.inner.ceiling()
    }

    fn examine(&self, asked: &Asked, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
        let number = asked.row.saturating_sub(self.first);
        if number.is_multiple_of(self.every) && number / self.every < self.most {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let answered = Answered {
                status: answer.status,
                content_type: answer.content_type.map(text),
                body: answer.body[..answer.body.len().min(BODY_MAX)].to_vec(),
            };
            self.kept.lock().insert(asked.row, answered);
        }
        self.inner.examine(asked, answer, seen)
    }
}
