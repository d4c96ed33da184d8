//! Whether the acknowledged moves form one trail from the first balance, with open moves wherever they help.
//!
//! A directed graph has a trail through all edges from one vertex if it is connected and each vertex is left as often as it is entered, but
//! for the first and the last (Euler; in directed form Good, *Normal recurring decimals*, 1946). A balance that is left more often than it
//! is entered needs an open move that enters it.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::rest::Sums;
use super::{Fault, History, Judged, Move};

/// Steps of the search for open moves that mend a trail. Each is a frame of the stack at most.
const STEPS_MAX: usize = 5_000;

/// How often each balance is left more than it is entered.
type Excess = HashMap<i64, i64>;

pub(super) fn judge(history: &History, judged: &mut Judged) {
    let told: Vec<&Move> = history.moves.iter().filter(|one| one.from().is_some()).collect();
    let loose: Vec<i64> = history.moves.iter().filter(|one| one.is_loose()).map(|one| one.delta).collect();
    // A balance from which none of 64 bits leads to what was told.
    let beyond = history.moves.iter().filter(|one| one.told().is_some() && one.from().is_none());
    judged.faults.extend(beyond.map(|one| Fault::Unreached { by: one.at, balance: one.told().unwrap_or(0) }));
    let mut excess = Excess::from([(history.start, -1)]);
    for one in &told {
        *excess.entry(one.from().unwrap_or(0)).or_default() += 1;
        *excess.entry(one.told().unwrap_or(0)).or_default() -= 1;
    }
    let (is_left_too_often, open) = (|more: &i64| *more > 0, loose.len());
    let missing = excess.values().copied().filter(is_left_too_often).sum::<i64>() as usize;
    if missing == 0 {
        return apart(history, &told, open, judged);
    }
    // More than there are open moves are told below, and would take long here.
    if missing <= open {
        let out_of_reach = out_of_reach(&excess, &loose);
        if !out_of_reach.is_empty() {
            return faults(&told, &out_of_reach, usize::MAX, judged);
        }
    }
    let entered = excess.iter().filter(|(_, more)| is_left_too_often(more)).map(|(balance, _)| *balance);
    let mut mending = Mending { wanted: entered.collect(), excess: &mut excess, missing, loose, steps: 0 };
    match mending.is_possible() {
        Some(true) => {}
        None => judged.is_open = true,
        // As many as open moves cannot explain, whichever those are.
        Some(false) => faults(&told, &excess, missing - open.min(missing - 1), judged),
    }
}

/// The balances that are left too often, and that no open moves lead to from a balance that is entered too often.
fn out_of_reach(excess: &Excess, loose: &[i64]) -> Excess {
    let sums = Sums::of(loose.iter().copied());
    let ends: Vec<i64> = excess.iter().filter(|(_, more)| **more < 0).map(|(balance, _)| *balance).collect();
    let may_lead =
        |to: i64| ends.iter().any(|end| sums.has(i128::from(to) - i128::from(*end)) != Some(false));
    let wanted = excess.iter().filter(|(_, more)| **more > 0);
    wanted.filter(|(balance, _)| !may_lead(**balance)).map(|(balance, more)| (*balance, *more)).collect()
}

/// The search for open moves that enter each balance that is left too often.
struct Mending<'e> {
    excess: &'e mut Excess,
    /// These balances.
    wanted: BTreeSet<i64>,
    /// How many entries they lack.
    missing: usize,
    /// Open moves that are not used.
    loose: Vec<i64>,
    steps: usize,
}

impl Mending<'_> {
    /// `None`: the search was too long. What it tried it takes back.
    fn is_possible(&mut self) -> Option<bool> {
        let Some(&balance) = self.wanted.first() else { return Some(true) };
        if self.missing > self.loose.len() {
            return Some(false);
        }
        let mut tried = HashSet::new();
        for place in 0..self.loose.len() {
            let delta = self.loose[place];
            let Some(from) = balance.checked_sub(delta).filter(|_| tried.insert(delta)) else { continue };
            self.steps += 1;
            if self.steps > STEPS_MAX {
                return None;
            }
            self.loose.swap_remove(place);
            self.turn(balance, -1);
            self.turn(from, 1);
            let is_possible = self.is_possible();
            self.turn(from, -1);
            self.turn(balance, 1);
            self.loose.push(delta);
            let last = self.loose.len() - 1;
            self.loose.swap(place, last);
            if is_possible != Some(false) {
                return is_possible;
            }
        }
        Some(false)
    }

    fn turn(&mut self, balance: i64, by: i64) {
        let excess = self.excess.entry(balance).or_default();
        let before = (*excess).max(0);
        *excess += by;
        let after = (*excess).max(0);
        self.missing = self.missing.saturating_add_signed((after - before) as isize);
        if after > 0 {
            self.wanted.insert(balance);
        } else {
            self.wanted.remove(&balance);
        }
    }
}

/// So many of the balances that are left too often, and by which moves.
fn faults(told: &[&Move], excess: &Excess, most: usize, judged: &mut Judged) {
    let mut leaving: HashMap<i64, Vec<&Move>> = HashMap::new();
    for one in told {
        let from = one.from().unwrap_or(0);
        if excess.get(&from).is_some_and(|more| *more > 0) {
            leaving.entry(from).or_default().push(one);
        }
    }
    let mut all: Vec<(i64, Vec<&Move>)> = leaving.into_iter().collect();
    all.sort_by_key(|(balance, moves)| (moves.iter().map(|one| one.returned_ns).min(), *balance));
    let mut found = Vec::new();
    for (balance, mut moves) in all {
        moves.sort_by_key(|one| (one.called_ns, one.at));
        let more = excess.get(&balance).copied().unwrap_or(0) as usize;
        for place in 0..more {
            found.push(match moves.get(place..place + 2) {
                Some([one, other]) => Fault::LostUpdate { moves: [one.at, other.at], balance },
                _ => Fault::Unreached { by: moves[place.min(moves.len() - 1)].at, balance },
            });
        }
    }
    judged.faults.extend(found.into_iter().take(most));
}

/// Whether moves hang together with the start. Each further part needs an open move that leads to it.
fn apart(history: &History, told: &[&Move], loose: usize, judged: &mut Judged) {
    let mut parts = Parts::default();
    let start = parts.place(history.start);
    for one in told {
        let (from, to) = (parts.place(one.from().unwrap_or(0)), parts.place(one.told().unwrap_or(0)));
        parts.join(from, to);
    }
    let root = parts.root(start);
    let mut others: HashMap<usize, u32> = HashMap::new();
    for one in told {
        let place = parts.place(one.told().unwrap_or(0));
        let of = parts.root(place);
        if of != root {
            others.entry(of).or_insert(one.at);
        }
    }
    if others.len() > loose {
        let mut by: Vec<u32> = others.into_values().collect();
        by.sort_unstable();
        judged.faults.extend(by.into_iter().take(1).map(|by| Fault::Apart { by }));
    } else {
        judged.is_open |= !others.is_empty();
    }
}

/// Balances that hang together (union and find).
#[derive(Default)]
struct Parts {
    places: HashMap<i64, usize>,
    parent: Vec<usize>,
}

impl Parts {
    fn place(&mut self, balance: i64) -> usize {
        let next = self.parent.len();
        let place = *self.places.entry(balance).or_insert(next);
        if place == next {
            self.parent.push(next);
        }
        place
    }

    fn root(&mut self, mut place: usize) -> usize {
        while self.parent[place] != place {
            self.parent[place] = self.parent[self.parent[place]];
            place = self.parent[place];
        }
        place
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parent[one] = other;
    }
}
