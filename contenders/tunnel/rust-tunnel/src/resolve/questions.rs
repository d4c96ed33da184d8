//! What is asked, by whom, and what is known.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::Addresses;

/// Names remembered; beyond them those that are no longer true are forgotten, and if there are none, all.
const NAMES_MAX: usize = 10_000;

/// A name and a port.
pub(super) type Key = (String, u16);

/// Where an asker finds the addresses.
#[derive(Clone, Default)]
pub(super) struct Answer(Arc<Mutex<Option<Addresses>>>);

impl Answer {
    pub(super) fn take(&self) -> Option<Addresses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Who wants to know.
pub(super) struct Asker {
    answer: Answer,
    tell: Box<dyn FnOnce() + Send>,
}

impl Asker {
    /// `tell`: says that the answer is there.
    pub(super) fn new(tell: impl FnOnce() + Send + 'static) -> Self {
        Self { answer: Answer::default(), tell: Box::new(tell) }
    }

    pub(super) fn answer(&self) -> Answer {
        self.answer.clone()
    }

    fn told(self, addresses: &Addresses) {
        *self.answer.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(addresses));
        (self.tell)();
    }
}

/// Never more of them than askers that wait, beside those that threads are at.
#[derive(Default)]
pub(super) struct Questions {
    known: HashMap<Key, (Instant, Addresses)>,
    asked: HashMap<Key, Vec<Asker>>,
    /// Not begun: of names that had an address, and of others.
    familiar: VecDeque<Key>,
    unknown: VecDeque<Key>,
    /// Names of the other kind that threads are at.
    unknown_begun: usize,
    pub(super) threads: usize,
    /// Threads that wait for a question.
    pub(super) idle: usize,
}

impl Questions {
    /// What is known and still true.
    pub(super) fn known(&self, key: &Key) -> Option<Addresses> {
        let (until, addresses) = self.known.get(key)?;
        (*until > Instant::now()).then(|| Arc::clone(addresses))
    }

    /// Adds a question, or only its asker where it is asked already.
    pub(super) fn ask(&mut self, key: Key, asker: Asker) {
        if let Some(askers) = self.asked.get_mut(&key) {
            return askers.push(asker);
        }
        self.asked.insert(key.clone(), vec![asker]);
        let had_address = self.known.get(&key).is_some_and(|(_, addresses)| !addresses.is_empty());
        if had_address { self.familiar.push_back(key) } else { self.unknown.push_back(key) }
    }

    /// The next question for a thread, and whether its name had an address before.
    pub(super) fn next(&mut self, unknown_max: usize) -> Option<(Key, bool)> {
        if let Some(key) = self.familiar.pop_front() {
            return Some((key, true));
        }
        if self.unknown_begun >= unknown_max {
            return None;
        }
        let key = self.unknown.pop_front()?;
        self.unknown_begun += 1;
        Some((key, false))
    }

    /// How many are not begun.
    pub(super) fn waiting(&self) -> usize {
        self.familiar.len() + self.unknown.len()
    }

    /// Tells all askers, and remembers it until then.
    pub(super) fn answer(&mut self, key: Key, was_known: bool, addresses: Addresses, until: Instant) {
        self.unknown_begun -= usize::from(!was_known);
        for asker in self.asked.remove(&key).into_iter().flatten() {
            asker.told(&addresses);
        }
        if self.known.len() >= NAMES_MAX {
            let now = Instant::now();
            self.known.retain(|_, (until, _)| *until > now);
            if self.known.len() >= NAMES_MAX {
                self.known.clear();
            }
        }
        self.known.insert(key, (until, addresses));
    }

    /// Tells all whose question was not begun that there is no answer.
    pub(super) fn give_up(&mut self) {
        for key in self.familiar.drain(..).chain(self.unknown.drain(..)) {
            for asker in self.asked.remove(&key).into_iter().flatten() {
                asker.told(&Addresses::default());
            }
        }
    }

    /// An asker waits no more; what only that one wanted is not asked for, unless a thread is at it already.
    pub(super) fn take_back(&mut self, key: &Key, answer: &Answer) {
        let Some(askers) = self.asked.get_mut(key) else { return };
        askers.retain(|asker| !Arc::ptr_eq(&asker.answer.0, &answer.0));
        if !askers.is_empty() {
            return;
        }
        for queue in [&mut self.familiar, &mut self.unknown] {
            if let Some(at) = queue.iter().position(|queued| queued == key) {
                queue.remove(at);
                self.asked.remove(key);
                return;
            }
        }
    }

    /// How many want each name.
    #[cfg(test)]
    pub(super) fn asked_by_name(&self) -> Vec<usize> {
        self.asked.values().map(Vec::len).collect()
    }
}
