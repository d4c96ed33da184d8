//! Histories that are true are never called wrong; histories with one lost or doubled update are, wherever a search over all orders
//! finds none that explains them.

use proptest::prelude::*;

use super::{Fault, History, Judged, Listing, Move, Outcome, Statement, judge};

/// Handwritten: a move that was called and returned at these times.
fn moved(at: u32, times: (u64, u64), delta: i64, outcome: Outcome) -> Move {
    Move { at, called_ns: times.0, returned_ns: times.1, delta, digest: u64::from(at), outcome }
}

fn statement(at: u32, times: (u64, u64), total: i64, entries: &[u64]) -> Statement {
    let entries: Vec<(u64, u64)> = entries.iter().map(|digest| (*digest, 0)).collect();
    let listed = entries.len() as u32;
    Statement { at, called_ns: times.0, returned_ns: times.1, total, listed, most: 10, entries }
}

fn history(moves: &[Move], statements: &[Statement]) -> History {
    History { start: 0, least: -100, moves: moves.to_vec(), statements: statements.to_vec() }
}

fn faults(moves: &[Move], statements: &[Statement]) -> Vec<Fault> {
    judge(&history(moves, statements)).faults
}

use Outcome::{Done, Open, Refused, Untold};

#[test]
fn two_moves_that_leave_one_balance_are_a_lost_update() {
    let moves = [moved(1, (0, 5), 10, Done(10)), moved(2, (1, 6), 7, Done(7))];
    assert_eq!(faults(&moves, &[]), [Fault::LostUpdate { moves: [1, 2], balance: 0 }]);
    // An open move that may have led back explains them.
    let moves = [moves[0], moves[1], moved(3, (0, 9), -10, Open)];
    assert_eq!(judge(&history(&moves, &[])), Judged::default());
}

#[test]
fn a_move_that_was_made_twice_leaves_a_balance_that_nothing_entered() {
    let moves = [moved(1, (0, 1), 10, Done(20))];
    let told = faults(&moves, &[statement(2, (3, 4), 20, &[1])]);
    assert_eq!(told[0], Fault::Unreached { by: 1, balance: 10 });
    assert!(told.contains(&Fault::NotConserved { by: 2, total: 20, expected: 10 }), "{told:?}");
}

#[test]
fn moves_that_hang_together_only_with_themselves_are_told() {
    let moves =
        [moved(1, (0, 1), 5, Done(5)), moved(2, (2, 3), 10, Done(60)), moved(3, (4, 5), -10, Done(50))];
    assert_eq!(faults(&moves, &[]), [Fault::Apart { by: 2 }]);
}

#[test]
fn an_order_that_time_forbids_is_told() {
    // Back and forth between 0 and 5; but the one that led back was over before the other began.
    let moves = [moved(1, (10, 11), 5, Done(5)), moved(2, (0, 1), -5, Done(0))];
    assert_eq!(faults(&moves, &[]), [Fault::Order { operations: vec![1, 2] }]);
}

#[test]
fn a_refusal_needs_a_moment_at_which_it_was_right() {
    let before = moved(1, (0, 1), -60, Done(-60));
    let refused = |times| moved(2, times, -50, Refused);
    assert_eq!(faults(&[before, refused((2, 3))], &[]), []);
    assert_eq!(faults(&[refused((2, 3))], &[]), [Fault::Refused { by: 2, least: 0, told: None }]);
    let credit = moved(3, (4, 5), 30, Done(-30));
    let wrong = [Fault::Refused { by: 2, least: -30, told: Some(3) }];
    assert_eq!(faults(&[before, credit, refused((6, 7))], &[]), wrong);
    assert_eq!(faults(&[before, credit, refused((4, 7))], &[]), [], "it may have come before the credit");
    let open = moved(4, (5, 9), -25, Open);
    assert_eq!(faults(&[before, credit, open, refused((6, 7))], &[]), [], "an open move explains it");
    let refused_credit = moved(2, (2, 3), 1, Refused);
    assert_eq!(faults(&[before, refused_credit], &[]), [Fault::Refused { by: 2, least: -60, told: Some(1) }]);
}

#[test]
fn a_move_that_told_no_balance_hides_none_before_it() {
    let moves = [
        moved(1, (0, 1), -90, Done(-90)),
        moved(2, (2, 3), 5, Untold),
        moved(3, (4, 7), -30, Refused),
        moved(4, (5, 6), 50, Done(-35)),
    ];
    assert_eq!(faults(&moves, &[]), []);
}

/// A lost update after some moves of 1, beside moves of millions without an answer, the next always twice as large and the other way.
fn lost_beside(open: u32, earlier: i64) -> Judged {
    let mut moves: Vec<Move> =
        (0..earlier).map(|n| moved(n as u32, (n as u64 * 10, n as u64 * 10 + 5), 1, Done(n + 1))).collect();
    let now = earlier as u64 * 10;
    moves.push(moved(900_000, (now, now + 5), 10, Done(earlier + 10)));
    moves.push(moved(900_001, (now + 1, now + 6), 7, Done(earlier + 7)));
    moves.extend((0..open).map(|n| {
        let delta = if n % 2 == 0 { 1_000_000 << n } else { -(1_000_000 << n) };
        moved(800_000 + n, (now, now + 200), delta, Open)
    }));
    judge(&history(&moves, &[]))
}

#[test]
fn open_moves_explain_only_what_they_lead_to() {
    for (open, earlier) in [(2, 5_000), (8, 5_000), (16, 5_000), (9, 0)] {
        let told = lost_beside(open, earlier).faults;
        assert!(matches!(told[..], [Fault::LostUpdate { .. }]), "{open} {earlier}: {told:?}");
    }
    // Not all sums of so many can be tried.
    let told = lost_beside(40, 5_000);
    assert!(told.is_open && told.faults.is_empty(), "{told:?}");
}

#[test]
fn a_statement_shows_the_account_at_one_moment() {
    let moves =
        [moved(1, (0, 1), 10, Done(10)), moved(2, (2, 3), 20, Done(30)), moved(3, (4, 5), 30, Done(60))];
    let told = |total, entries: &[u64]| faults(&moves, &[statement(9, (6, 7), total, entries)]);
    assert_eq!(told(60, &[3, 2, 1]), []);
    let list = |what| Fault::List { by: 9, what };
    assert_eq!(told(60, &[3, 2]), [list(Listing::TooFew)]);
    assert_eq!(told(60, &[2, 3, 1]), [list(Listing::Order)]);
    assert_eq!(told(60, &[3, 2, 2]), [list(Listing::Unknown)]);
    assert_eq!(told(60, &[3, 2, 8]), [list(Listing::Unknown)]);
    assert_eq!(told(30, &[3, 2, 1])[0], Fault::Torn { by: 9, total: 30, expected: Some(60) });
    let stale = faults(&moves, &[statement(9, (6, 7), 30, &[2, 1])]);
    assert_eq!(stale[0], list(Listing::TooFew));
    let meanwhile = faults(&moves, &[statement(9, (3, 4), 30, &[2, 1])]);
    assert_eq!(meanwhile, []);
}

#[test]
fn a_statement_of_an_earlier_moment_is_stale() {
    let moves: Vec<Move> = (0..20)
        .map(|n| moved(n, (u64::from(n) * 10, u64::from(n) * 10 + 5), 1, Done(i64::from(n) + 1)))
        .collect();
    let last_ten = |newest: u64| (newest - 9..=newest).rev().collect::<Vec<u64>>();
    let told =
        |newest: u64, times| faults(&moves, &[statement(99, times, newest as i64 + 1, &last_ten(newest))]);
    assert_eq!(told(19, (195, 196)), []);
    assert_eq!(told(18, (194, 196)), [], "the last was not over");
    assert_eq!(told(18, (195, 196))[0], Fault::Stale { by: 99, missed: 19 });
    assert_eq!(told(12, (155, 160)), [Fault::Stale { by: 99, missed: 15 }]);
    // What one statement showed is not forgotten by the next.
    let slow = [moved(1, (0, 1), 1, Done(1)), moved(2, (2, 90), 1, Done(2))];
    let both = [statement(8, (3, 4), 2, &[2, 1]), statement(9, (5, 6), 1, &[1])];
    assert_eq!(faults(&slow, &both), [Fault::Stale { by: 9, missed: 2 }]);
    assert_eq!(faults(&slow, &[both[1].clone()]), []);
}

#[test]
fn an_order_by_equal_times_is_told_apart() {
    let moves = [moved(1, (0, 1), 10, Done(10)), moved(2, (2, 3), 20, Done(30))];
    let mut swapped = statement(9, (6, 7), 30, &[1, 2]);
    swapped.entries = vec![(1, 500), (2, 500)];
    let told = |statement: &Statement| faults(&moves, std::slice::from_ref(statement));
    assert_eq!(told(&swapped), [Fault::List { by: 9, what: Listing::OrderByTimes }]);
    swapped.entries = vec![(1, 500), (2, 600)];
    assert_eq!(told(&swapped), [Fault::List { by: 9, what: Listing::Order }]);
}

/// A statement whose entries have times.
fn timed(times: (u64, u64), total: i64, entries: &[(u64, u64)]) -> Statement {
    Statement { entries: entries.to_vec(), listed: entries.len() as u32, ..statement(9, times, total, &[]) }
}

const BY_TIMES: Fault = Fault::List { by: 9, what: Listing::OrderByTimes };

#[test]
fn equal_times_are_told_apart_where_a_balance_is_met_again() {
    let visit = [moved(1, (0, 1), 1, Done(1)), moved(2, (2, 3), -1, Done(0)), moved(3, (4, 5), 1, Done(1))];
    let told = |entries: &[(u64, u64)]| faults(&visit, &[timed((20, 21), 1, entries)]);
    assert_eq!(told(&[(2, 60), (3, 60), (1, 60)]), [BY_TIMES]);
    assert_eq!(told(&[(1, 60), (2, 60), (3, 60)]), [], "a chain in this order too");
    let later = [
        moved(4, (6, 7), 1000, Done(1001)),
        moved(5, (8, 9), -1000, Done(1)),
        moved(6, (10, 14), 10, Done(11)),
        moved(7, (11, 15), 7, Done(18)),
    ];
    let both = [&visit[..], &later].concat();
    let older = [(5, 50), (4, 40), (3, 30), (2, 20), (1, 10)];
    let told = |first: [(u64, u64); 2]| faults(&both, &[timed((20, 21), 18, &[&first[..], &older].concat())]);
    assert_eq!(told([(7, 60), (6, 60)]), []);
    assert_eq!(told([(6, 60), (7, 60)]), [BY_TIMES]);
}

#[test]
fn equal_times_are_told_apart_beside_open_moves_and_moves_that_look_alike() {
    let open = [
        moved(1, (0, 1), 10, Done(10)),
        moved(2, (2, 3), 20, Done(30)),
        moved(3, (4, 5), 5, Open),
        moved(4, (6, 7), 1, Done(36)),
    ];
    assert_eq!(faults(&open, &[timed((8, 9), 36, &[(4, 900), (3, 800), (1, 500), (2, 500)])]), [BY_TIMES]);
    let twin = |at, times, told| Move { digest: 7, ..moved(at, times, 1, Done(told)) };
    let twins = [
        twin(1, (0, 1), 1),
        twin(2, (2, 3), 2),
        moved(3, (4, 7), 10, Done(12)),
        moved(4, (5, 8), 20, Done(32)),
    ];
    assert_eq!(faults(&twins, &[timed((8, 9), 32, &[(3, 900), (4, 900), (7, 500), (7, 400)])]), [BY_TIMES]);
}

#[test]
fn advice_hides_no_breach() {
    let moves =
        [moved(1, (0, 1), 10, Done(10)), moved(2, (2, 3), 20, Done(30)), moved(3, (6, 7), 5, Done(35))];
    let torn = [Fault::Torn { by: 9, total: 10, expected: Some(30) }];
    assert_eq!(faults(&moves, &[timed((4, 5), 10, &[(2, 500), (1, 500)])]), torn);
    assert_eq!(faults(&moves, &[timed((4, 5), 10, &[(1, 500), (2, 500)])]), torn);
    let many: Vec<Move> = (0..20)
        .map(|n| moved(n, (u64::from(n) * 10, u64::from(n) * 10 + 5), 1, Done(i64::from(n) + 1)))
        .collect();
    let oldest_first: Vec<(u64, u64)> = (0..10).map(|digest| (digest, 7)).collect();
    let told = faults(&many, &[timed((300, 301), 10, &oldest_first)]);
    assert!(told.contains(&Fault::Stale { by: 9, missed: 19 }), "{told:?}");
    // 4 was over before 3 began, and both tell otherwise.
    let forbidden = [moves[0], moves[1], moved(3, (20, 21), 5, Done(35)), moved(4, (10, 11), -5, Done(30))];
    let told = faults(&forbidden, &[timed((4, 5), 30, &[(1, 500), (2, 500)])]);
    assert!(matches!(told[..], [BY_TIMES, Fault::Order { .. }]), "{told:?}");
}

#[test]
fn at_rest_the_sum_is_what_was_acknowledged_and_some_of_what_is_open() {
    let moves = [moved(1, (0, 1), 10, Done(10)), moved(2, (2, 9), 5, Open), moved(3, (2, 9), -7, Open)];
    for (total, is_right) in [(10, true), (15, true), (3, true), (8, true), (9, false), (0, false)] {
        assert_eq!(super::Rest::of(0, &moves).allows(total), Some(is_right), "{total}");
    }
    let many: Vec<Move> = (0..60).map(|n| moved(n, (0, 1), 1 << n.min(40), Open)).collect();
    assert_eq!(super::Rest::of(0, &many).allows(3), Some(true));
}

#[test]
fn balances_beyond_64_bits_are_told_and_nothing_overflows() {
    let moves = [moved(1, (0, 1), i64::MIN + 1, Done(i64::MAX)), moved(2, (0, 1), i64::MAX, Open)];
    assert!(!faults(&moves, &[statement(3, (2, 3), i64::MIN, &[1])]).is_empty());
}

#[test]
fn an_account_that_begins_with_another_balance_is_told_and_judged_from_there() {
    let moves =
        [moved(1, (5, 6), -50, Done(450)), moved(2, (7, 8), 50, Done(500)), moved(3, (9, 10), 1, Done(501))];
    let first = statement(9, (0, 1), 500, &[]);
    assert_eq!(faults(&moves, &[first]), [Fault::Start { by: 9, total: 500 }]);
}

/// One request of a simulated account: what it is, and how long before and after its moment it was called and answered.
#[derive(Debug, Clone)]
enum Request {
    Move { delta: i64, before: u64, after: u64, is_open: bool, happens: bool },
    Statement { before: u64, after: u64 },
}

fn requests(most: usize) -> impl Strategy<Value = Vec<Request>> {
    let moved = (-60_i64..60, 0_u64..40, 0_u64..40, 0_u32..8, any::<bool>()).prop_map(
        |(delta, before, after, open, happens)| Request::Move {
            delta,
            before,
            after,
            is_open: open == 0,
            happens,
        },
    );
    let read = (0_u64..40, 0_u64..40).prop_map(|(before, after)| Request::Statement { before, after });
    prop::collection::vec(prop_oneof![4 => moved, 1 => read], 1..most)
}

/// What a contender that is right answers: each request has its moment, ten apart.
fn simulated(requests: &[Request]) -> History {
    let mut all = history(&[], &[]);
    let mut balance = 0;
    let mut list: Vec<u64> = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        let (at, moment) = (number as u32, 100 + 10 * number as u64);
        match *request {
            Request::Move { delta, before, after, is_open, happens } => {
                let fits = delta > 0 || balance + delta >= all.least;
                let happens = fits && (happens || !is_open);
                if happens {
                    balance += delta;
                    list.insert(0, u64::from(at));
                    list.truncate(10);
                }
                let outcome = match (is_open, happens) {
                    (true, _) => Open,
                    (false, true) => Done(balance),
                    (false, false) => Refused,
                };
                all.moves.push(moved(at, (moment - before, moment + after + 1), delta, outcome));
            }
            Request::Statement { before, after } => {
                let last: Vec<u64> = list.iter().take(10).copied().collect();
                all.statements.push(statement(at, (moment - before, moment + after + 1), balance, &last));
            }
        }
    }
    all
}

/// Whether some order of all operations, within their times and with open moves used or not, explains all answers. By trying all.
fn is_explained(history: &History) -> bool {
    fn goes_on(history: &History, taken: &mut Vec<bool>, balance: i64) -> bool {
        let moves = history.moves.len();
        let times = |n: usize| match n.checked_sub(moves) {
            None if history.moves[n].outcome == Open => (history.moves[n].called_ns, u64::MAX),
            None => (history.moves[n].called_ns, history.moves[n].returned_ns),
            Some(n) => (history.statements[n].called_ns, history.statements[n].returned_ns),
        };
        let left: Vec<usize> = (0..taken.len()).filter(|n| !taken[*n]).collect();
        if left.iter().all(|n| *n < moves && history.moves[*n].outcome == Open) {
            return true;
        }
        let first_return = left.iter().map(|n| times(*n).1).min().unwrap_or(u64::MAX);
        left.iter().filter(|n| times(**n).0 <= first_return).any(|&n| {
            let after = match n.checked_sub(moves) {
                None => {
                    let one = &history.moves[n];
                    let after = balance + one.delta;
                    let fits = one.delta > 0 || after >= history.least;
                    match one.outcome {
                        Done(told) => (told == after).then_some(after),
                        Refused => (!fits).then_some(balance),
                        _ => Some(after),
                    }
                }
                Some(n) => (history.statements[n].total == balance).then_some(balance),
            };
            let Some(after) = after else { return false };
            taken[n] = true;
            let is_explained = goes_on(history, taken, after);
            taken[n] = false;
            is_explained
        })
    }
    let mut taken = vec![false; history.moves.len() + history.statements.len()];
    goes_on(history, &mut taken, history.start)
}

/// Makes one update of a true history a lost one (it was made from an older balance), or a doubled one.
fn spoilt(mut history: History, which: usize, older: usize, doubled: bool) -> Option<History> {
    let done: Vec<usize> =
        (0..history.moves.len()).filter(|n| matches!(history.moves[*n].outcome, Done(_))).collect();
    let place = *done.get(which % done.len().max(1))?;
    let spoilt = history.moves[place];
    let Done(balance) = spoilt.outcome else { return None };
    let told = if doubled {
        balance + spoilt.delta
    } else {
        let known: Vec<i64> = std::iter::once(history.start)
            .chain(history.moves.iter().filter_map(Move::told))
            .filter(|from| *from != balance - spoilt.delta)
            .collect();
        known.get(older % known.len().max(1))? + spoilt.delta
    };
    history.moves[place].outcome = Done(told);
    // What came after it in this account goes on from there, as its program would.
    for one in &mut history.moves[place + 1..] {
        if let Done(later) = &mut one.outcome {
            *later += told - balance;
        }
    }
    history.statements.clear();
    Some(history)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_true_history_is_never_called_wrong(requests in requests(120)) {
        let history = simulated(&requests);
        prop_assert_eq!(judge(&history).faults, vec![], "{:?}", history);
    }

    #[test]
    fn a_true_history_by_a_coarse_clock_gets_advice_at_most(requests in requests(30), clock in 1_u64..60) {
        let mut history = simulated(&requests);
        for one in &mut history.statements {
            // The moment of a move is in its number. Of equal times the older comes first.
            one.entries = one.entries.iter().rev().map(|(at, _)| (*at, (100 + 10 * at) / clock)).collect();
            one.entries.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        }
        let told = judge(&history).faults;
        prop_assert!(told.iter().all(Fault::is_advice), "{told:?} {history:?}");
    }

    #[test]
    fn a_true_history_of_which_some_balances_could_not_be_read_is_never_called_wrong(
        requests in requests(60), untold in prop::collection::vec(any::<bool>(), 60), twins in any::<bool>(),
    ) {
        let mut history = simulated(&requests);
        for (one, is_untold) in history.moves.iter_mut().zip(untold) {
            if is_untold && matches!(one.outcome, Done(_)) {
                one.outcome = Untold;
            }
        }
        if twins {
            let alike: Vec<u64> = history.moves.iter().map(|one| one.delta.cast_unsigned()).collect();
            let ats: Vec<u32> = history.moves.iter().map(|one| one.at).collect();
            let of = |at: u64| alike[ats.iter().position(|one| u64::from(*one) == at).unwrap()];
            for one in &mut history.statements {
                one.entries.iter_mut().for_each(|entry| entry.0 = of(entry.0));
            }
            history.moves.iter_mut().for_each(|one| one.digest = one.delta.cast_unsigned());
        }
        prop_assert_eq!(judge(&history).faults, vec![], "{:?}", history);
    }

    #[test]
    fn a_crash_that_leaves_what_was_under_way_open_loses_nothing(requests in requests(60), crash in 100_u64..600) {
        let mut history = simulated(&requests);
        // What was called after the crash was never made; what was under way is open, whether it was made or not.
        history.moves.retain(|one| one.called_ns < crash);
        let under_way = history.moves.iter_mut().filter(|one| one.returned_ns >= crash && one.outcome != Outcome::Not);
        under_way.for_each(|one| one.outcome = Open);
        history.statements.retain(|one| one.returned_ns < crash);
        let told = judge(&history);
        prop_assert_eq!(told.faults, vec![]);
    }

    #[test]
    fn a_lost_or_doubled_update_is_called_wrong_wherever_no_order_explains_it(
        requests in requests(8), which in 0_usize..8, older in 0_usize..8, doubled in any::<bool>(),
    ) {
        let Some(history) = spoilt(simulated(&requests), which, older, doubled) else { return Ok(()) };
        let judged = judge(&history);
        prop_assert!(!judged.is_open || !judged.faults.is_empty());
        prop_assert_eq!(judged.faults.is_empty(), is_explained(&history), "{:?}", history);
    }
}

/// Prints how long a million operations of five accounts take, a tenth of them statements, a hundredth open.
#[test]
#[ignore = "a measurement: cargo test --release -p galo-judge ledger::tests::a_million -- --ignored --nocapture"]
fn a_million_operations() {
    let requests: Vec<Request> = (0_u64..200_000)
        .map(|n| {
            let (before, after) = (n * 7 % 40, n * 11 % 40);
            let delta = (n * 7919 % 121) as i64 - 60;
            match n % 10 {
                0 => Request::Statement { before, after },
                _ => Request::Move { delta, before, after, is_open: n % 100 == 3, happens: n % 200 == 3 },
            }
        })
        .collect();
    let accounts: Vec<History> = (0..5).map(|_| simulated(&requests)).collect();
    let begun = std::time::Instant::now();
    let judged: Vec<Judged> = accounts.iter().map(judge).collect();
    println!("{} operations in {:?}", 5 * requests.len(), begun.elapsed());
    assert!(judged.iter().all(|judged| judged.faults.is_empty()));
}
