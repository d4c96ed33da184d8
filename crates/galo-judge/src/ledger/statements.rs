//! Whether each statement shows the account as it was at one moment of the request.

use std::collections::HashMap;

use super::refusals::Latest;
use super::{Fault, History, Judged, Listing, Move, Outcome, Statement};

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
        // One fact for each statement: the first of these that is proven.
        let list = index.list(one);
        let fault = list.or_else(|| index.snapshot(one)).or_else(|| index.stale(one));
        judged.faults.extend(fault);
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

    /// What is wrong with the list by itself.
    fn list(&self, one: &Statement) -> Option<Fault> {
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
        let tops = tops?;
        let is_chain = |tops: &[(i64, i64)]| {
            tops.windows(2).all(|pair| pair[0].0.checked_sub(pair[0].1) == Some(pair[1].0))
        };
        if is_chain(&tops) {
            return None;
        }
        // If the same moves in another order are a chain, the order is wrong; else the list has a gap.
        if !is_reordered_chain(&tops) {
            return fault(Listing::Order);
        }
        let is_by_times = one.entries.windows(2).all(|pair| pair[0].1 >= pair[1].1 && pair[1].1 > 0);
        fault(if is_by_times { Listing::OrderByTimes } else { Listing::Order })
    }

    /// Balance after an entry and its delta, if only one move can be meant and its balance was told.
    fn told(&self, one: &Statement, digest: u64) -> Option<(i64, i64)> {
        let mut all = self.candidates(one, digest);
        let only = all.next()?;
        all.next().is_none().then_some(())?;
        Some((only.told()?, only.delta))
    }

    /// Whether total and list are of one moment.
    fn snapshot(&self, one: &Statement) -> Option<Fault> {
        let torn = |expected| Some(Fault::Torn { by: one.at, total: one.total, expected });
        let mut balance = Some(one.total);
        for (digest, _) in &one.entries {
            let fits = |candidate: &Move| match candidate.outcome {
                Outcome::Done(told) => Some(told) == balance,
                _ => true,
            };
            let fitting = self.candidates(one, *digest).find(|candidate| fits(candidate));
            let Some(fitting) = fitting else {
                return torn(self.told(one, one.entries[0].0).map(|(told, _)| told));
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
        let is_stale = match newest {
            Some(newest) => self.candidates(one, newest).all(|candidate| candidate.returned_ns <= after_ns),
            None if self.has_loose => false,
            None => self.by_balance.get(&one.total).is_none_or(|(_, returned_ns)| *returned_ns <= after_ns),
        };
        is_stale.then_some(Fault::Stale { by: one.at, missed })
    }
}

/// Whether these moves (the balance after each, and what it added) are a chain in some order.
fn is_reordered_chain(tops: &[(i64, i64)]) -> bool {
    let mut left: Vec<(i64, i64)> = tops.to_vec();
    // The last of a chain is what no other begins from; of several orders any will do.
    let is_left = |balance: i64, others: &[(i64, i64)]| {
        others.iter().any(|(after, delta)| after.checked_sub(*delta) == Some(balance))
    };
    let first = (0..left.len()).find(|place| !is_left(left[*place].0, tops)).unwrap_or(0);
    let mut at = left.swap_remove(first);
    while !left.is_empty() {
        let from = at.0.checked_sub(at.1);
        let Some(next) = left.iter().position(|(after, _)| Some(*after) == from) else { return false };
        at = left.swap_remove(next);
    }
    true
}
