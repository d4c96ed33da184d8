//! Whether each statement shows the account as it was at one moment of the request.

use std::collections::HashMap;

use super::refusals::Latest;
use super::{Fault, History, Judged, Listing, Move, Outcome, Statement};

/// Steps of the search for the order of a list.
const STEPS_MAX: usize = 20_000;

/// The order of a list was not found within [`STEPS_MAX`].
struct TooLong;

/// Moves as statements find them.
struct Index<'a> {
    history: &'a History,
    /// By what they look like in a list.
    by_digest: HashMap<u64, Vec<&'a Move>>,
    /// By the balance that they told: when the first was called, and the last returned.
    by_balance: HashMap<i64, (u64, u64)>,
    /// When the acknowledged ones returned, in order.
    returns_ns: Vec<u64>,
    /// Acknowledged moves, and the newest move of each other statement, which had happened when that was answered.
    latest: Latest,
    has_loose: bool,
}

pub(super) fn judge(history: &History, judged: &mut Judged) {
    let index = Index::of(history);
    for one in &history.statements {
        match index.fault(one) {
            Ok(fault) => judged.faults.extend(fault),
            Err(TooLong) => judged.is_open = true,
        }
    }
}

impl<'a> Index<'a> {
    fn of(history: &'a History) -> Self {
        let mut by_digest: HashMap<u64, Vec<&Move>> = HashMap::new();
        let mut by_balance: HashMap<i64, (u64, u64)> = HashMap::new();
        for one in &history.moves {
            by_digest.entry(one.digest).or_default().push(one);
            if let Some(balance) = one.told() {
                let (first_called_ns, last_returned_ns) = by_balance.entry(balance).or_insert((u64::MAX, 0));
                *first_called_ns = one.called_ns.min(*first_called_ns);
                *last_returned_ns = one.returned_ns.max(*last_returned_ns);
            }
        }
        let done = || history.moves.iter().filter(|one| one.is_done());
        let mut returns_ns: Vec<u64> = done().map(|one| one.returned_ns).collect();
        returns_ns.sort_unstable();
        let shown = |one: &Statement| {
            let newest = by_digest.get(&one.entries.first()?.0)?;
            let [newest] = newest[..] else { return None };
            (newest.told() == Some(one.total)).then_some((newest.called_ns, one.returned_ns, newest.at))
        };
        let seen = done().map(|one| (one.called_ns, one.returned_ns, one.at));
        let latest = Latest::of(seen.chain(history.statements.iter().filter_map(shown)));
        let has_loose = history.moves.iter().any(Move::is_loose);
        Self { history, by_digest, by_balance, returns_ns, latest, has_loose }
    }

    /// The moves that an entry of a statement may be.
    fn candidates(&self, statement: &Statement, digest: u64) -> impl Iterator<Item = &'a Move> + '_ {
        let returned_ns = statement.returned_ns;
        let may_be = move |one: &&Move| {
            one.called_ns < returned_ns && !matches!(one.outcome, Outcome::Refused | Outcome::Not)
        };
        self.by_digest.get(&digest).into_iter().flatten().copied().filter(may_be)
    }

    /// The first of these that is proven: one fact for each statement. Advice hides none.
    fn fault(&self, one: &Statement) -> Result<Option<Fault>, TooLong> {
        let order = self.order(one)?.filter(|order| *order != one.entries);
        let swapped = order.as_ref().map(|_| {
            let is_by_times = one.entries.windows(2).all(|pair| pair[0].1 >= pair[1].1 && pair[1].1 > 0);
            let what = if is_by_times { Listing::OrderByTimes } else { Listing::Order };
            Fault::List { by: one.at, what }
        });
        let list = self.list(one, swapped.is_some());
        let breach = list.or_else(|| swapped.clone().filter(|fault| !fault.is_advice()));
        let breach = breach.or_else(|| self.snapshot(one, order.as_ref().unwrap_or(&one.entries)));
        Ok(breach.or_else(|| self.stale(one)).or(swapped))
    }

    /// The entries in an order in which they are a chain from the total, or else from the balance after the newest of them; as they stand,
    /// if that is one. `None`: there is none.
    fn order(&self, one: &Statement) -> Result<Option<Vec<(u64, u64)>>, TooLong> {
        let tops = one.entries.iter().filter_map(|entry| Some(self.told(one, entry.0)?.0));
        let mut steps = STEPS_MAX;
        let order = std::iter::once(one.total).chain(tops).find_map(|total| {
            let mut order = one.entries.clone();
            self.is_ordered(one, (&mut order, 0), Some(total), &mut steps).then_some(order)
        });
        if order.is_none() && steps == 0 { Err(TooLong) } else { Ok(order) }
    }

    /// Puts the entries from a place on into an order in which they are a chain from this balance, if there is one. The order in which they
    /// stand is tried first.
    fn is_ordered(
        &self,
        one: &Statement,
        (order, place): (&mut [(u64, u64)], usize),
        balance: Option<i64>,
        steps: &mut usize,
    ) -> bool {
        for other in place..order.len() {
            if *steps == 0 {
                return false;
            }
            *steps -= 1;
            let Some(found) = self.fitting(one, order[other].0, balance) else { continue };
            let from = balance.and_then(|balance| balance.checked_sub(found.delta));
            order.swap(place, other);
            if self.is_ordered(one, (order, place + 1), from, steps) {
                return true;
            }
            order.swap(place, other);
        }
        place == order.len()
    }

    /// A move that an entry may be, with this balance after it.
    fn fitting(&self, one: &Statement, digest: u64, balance: Option<i64>) -> Option<&'a Move> {
        self.candidates(one, digest).find(|candidate| match candidate.outcome {
            Outcome::Done(told) => Some(told) == balance,
            _ => true,
        })
    }

    /// What is wrong with the list by itself, but for its order. `is_swapped`: in another order it is a chain.
    fn list(&self, one: &Statement, is_swapped: bool) -> Option<Fault> {
        let fault = |what| Some(Fault::List { by: one.at, what });
        if one.listed > one.most {
            return fault(Listing::TooMany);
        }
        let over = self.returns_ns.partition_point(|returned| *returned <= one.called_ns);
        if (one.listed as usize) < over.min(one.most as usize) {
            return fault(Listing::TooFew);
        }
        let mut times: HashMap<u64, usize> = HashMap::new();
        for (digest, _) in &one.entries {
            let found = times.entry(*digest).or_default();
            *found += 1;
            if self.candidates(one, *digest).count() < *found {
                return fault(Listing::Unknown);
            }
        }
        let tops: Option<Vec<(i64, i64)>> = one.entries.iter().map(|entry| self.told(one, entry.0)).collect();
        let tops = tops.filter(|_| !is_swapped)?;
        let has_gap = tops.windows(2).any(|pair| pair[0].0.checked_sub(pair[0].1) != Some(pair[1].0));
        if has_gap { fault(Listing::Order) } else { None }
    }

    /// Balance after an entry and its delta, if only one move can be meant and its balance was told.
    fn told(&self, one: &Statement, digest: u64) -> Option<(i64, i64)> {
        let mut all = self.candidates(one, digest);
        let only = all.next()?;
        all.next().is_none().then_some(())?;
        Some((only.told()?, only.delta))
    }

    /// Whether total and entries, newest first, are of one moment.
    fn snapshot(&self, one: &Statement, entries: &[(u64, u64)]) -> Option<Fault> {
        let torn = |expected| Some(Fault::Torn { by: one.at, total: one.total, expected });
        let mut balance = Some(one.total);
        for (digest, _) in entries {
            let Some(fitting) = self.fitting(one, *digest, balance) else {
                return torn(self.told(one, entries[0].0).map(|(told, _)| told));
            };
            balance = balance.and_then(|balance| balance.checked_sub(fitting.delta));
        }
        // A list that is not full reaches the start.
        let is_whole = one.listed < one.most && one.listed as usize == one.entries.len();
        if is_whole && balance != Some(self.history.start) {
            return torn(None);
        }
        let told = self.by_balance.get(&one.total);
        let known = told.is_some_and(|(first_called_ns, _)| *first_called_ns < one.returned_ns);
        (!known && one.total != self.history.start && !self.has_loose).then(|| torn(None)).flatten()
    }

    /// Whether a move that was over before it is certainly later than its total.
    fn stale(&self, one: &Statement) -> Option<Fault> {
        let (after_ns, missed) = self.latest.before(one.called_ns)?;
        let newest =
            one.entries.first().map(|entry| entry.0).filter(|digest| self.told(one, *digest).is_some());
        // Among entries of equal times another may be the newest.
        let is_one_of_equals =
            matches!(one.entries[..], [first, second, ..] if first.1 == second.1 && first.1 > 0);
        let mut listed = one.entries.iter().flat_map(|entry| self.candidates(one, entry.0));
        let is_stale = match newest {
            _ if is_one_of_equals => {
                listed.all(|candidate| candidate.is_done() && candidate.returned_ns <= after_ns)
            }
            Some(newest) => self.candidates(one, newest).all(|candidate| candidate.returned_ns <= after_ns),
            None if self.has_loose => false,
            None => self.by_balance.get(&one.total).is_none_or(|(_, returned_ns)| *returned_ns <= after_ns),
        };
        is_stale.then_some(Fault::Stale { by: one.at, missed })
    }
}
