//! Keeps a few answers of a load, so that the two sides' answers to the same requests can be compared.
//!
//! The engine hands every right answer to the plan's data to be examined; this stands in front of them and copies those of
//! the first few users. Users of both sides' loads have the same numbers, and the same number is the same request.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use galo_judge::duel::answers::{Answered, first_difference};
use galo_plan::LoadPlan;
use galo_plan::described::Described;
use galo_plan::model::{Answer, Ceiling, ChallengeData, Examination, Question, Seen};
use galo_record::duel::AnswersRecord;

/// By the number of the user, and the flat number of the step.
pub(super) type Answers = BTreeMap<(u64, u8), Answered>;

/// A longer body is compared up to here.
const BODY_MAX: usize = 1 << 20;

/// Answers, and which are wanted.
#[derive(Clone, Default)]
pub(super) struct Kept(Arc<Shelf>);

#[derive(Default)]
struct Shelf {
    answers: Mutex<Answers>,
    // Of the users from `first` on every so many, `most` at most. They are set between loads, never during one.
    first: AtomicU64,
    every: AtomicU64,
    most: AtomicU64,
}

impl Kept {
    /// Stands between a plan and its data.
    pub(super) fn watching(plan: &mut LoadPlan) -> Self {
        let kept = Self::default();
        for step in plan.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps) {
            // Only answers of steps with a check are handed over; by one that is not there the data finds all right.
            step.check.get_or_insert(usize::MAX);
        }
        let inner = std::mem::replace(&mut plan.data, Box::new(Described::default()));
        plan.data = Box::new(Watched { inner, kept: kept.clone() });
        kept
    }

    /// From now on keeps the answers of so many users from `first` on, spread over `users` if their number is known.
    pub(super) fn expect(&self, first: u64, users: Option<u64>, most: u64) {
        let every = users.unwrap_or(most) / most.max(1);
        let Shelf { first: from, every: step, most: bound, .. } = &*self.0;
        for (place, value) in [(from, first), (step, every.max(1)), (bound, most)] {
            place.store(value, Ordering::Relaxed);
        }
    }

    /// All that were kept, which are forgotten.
    pub(super) fn take(&self) -> Answers {
        std::mem::take(&mut *self.lock())
    }

    fn wants(&self, user: u64) -> bool {
        let Shelf { first, every, most, .. } = &*self.0;
        let [first, every, most] = [first, every, most].map(|place| place.load(Ordering::Relaxed));
        let number = user.saturating_sub(first);
        number.is_multiple_of(every) && number / every.max(1) < most
    }

    fn keep(&self, of: (u64, u8), answer: &Answer<'_>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let answered = Answered {
            status: answer.status,
            content_type: answer.content_type.map(text),
            body: answer.body[..answer.body.len().min(BODY_MAX)].to_vec(),
        };
        self.lock().insert(of, answered);
    }

    fn lock(&self) -> MutexGuard<'_, Answers> {
        self.0.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares answers that both sides gave, but for what `ignored` points to.
pub(super) fn compare(sides: [&Answers; 2], ignored: &[String]) -> AnswersRecord {
    let [first, second] = sides;
    let mut all = AnswersRecord::default();
    for (of, mine) in first {
        let Some(its) = second.get(of) else { continue };
        let difference = first_difference([mine, its], ignored);
        all.add(&AnswersRecord {
            compared: 1,
            equal: u64::from(difference.is_none()),
            other_status: u64::from(difference.as_ref().is_some_and(|difference| difference.at == "status")),
            differences: difference.into_iter().collect(),
        });
    }
    all
}

struct Watched {
    inner: Box<dyn ChallengeData>,
    kept: Kept,
}

impl ChallengeData for Watched {
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        self.inner.write_field(feeder, row, field, out);
    }

    fn ceiling(&self) -> Ceiling {
        self.inner.ceiling()
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
        if self.kept.wants(question.row) {
            self.kept.keep((question.row, question.step), answer);
        }
        self.inner.examine(question, answer, seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_of_users_spread_over_the_load() {
        let wanted = |users, most| {
            let kept = Kept::default();
            kept.expect(1_000, users, most);
            (1_000..1_020).filter(|&user| kept.wants(user)).map(|user| user - 1_000).collect::<Vec<_>>()
        };
        assert_eq!(wanted(Some(20), 4), [0, 5, 10, 15]);
        assert_eq!(wanted(Some(3), 4), [0, 1, 2, 3], "there may be fewer than are wanted");
        assert_eq!(wanted(None, 2), [0, 1]);
        assert!(wanted(Some(20), 0).is_empty());
    }
}
