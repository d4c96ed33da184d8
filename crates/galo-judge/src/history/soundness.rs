//! Whether a history can be believed at all.
//!
//! **Proves**: its operations stand in the order of their ends; no user did one step more often than planned; nothing ended before it
//! began or after the end of the load; no answer began outside of its operation; every user is one of the plan's; and
//! what answers showed is there.
//! **Cannot**: tell a lost operation from one that never was; that the ledgers do, which are kept apart.

use galo_plan::Plan;
use galo_record::{Operation, RoundData};

use crate::findings::{Contradiction, HistoryFault};

/// How a history contradicts itself or the plan; empty: it can be believed.
pub(crate) fn contradictions(plan: &Plan, round: &RoundData) -> Vec<Contradiction> {
    let history = &round.history;
    let repeats = round.record.crash.as_ref().map_or(1, |crash| crash.kind.repeats()) as u64;
    let users: Vec<u64> = plan
        .challenge
        .scenarios
        .iter()
        .zip(&plan.traffic)
        .flat_map(|(scenario, traffic)| {
            let users = traffic.as_ref().map_or(0, |traffic| traffic.users * repeats);
            std::iter::repeat_n(users, scenario.steps.len())
        })
        .collect();
    let is_strange =
        |o: &Operation| users.get(usize::from(o.step)).is_some_and(|users| u64::from(o.user) >= *users);
    let is_unseen = |o: &Operation| o.seen as usize + usize::from(o.kept) > round.seen.len() && o.kept > 0;
    // The engine's own end of the load is that of the last operation.
    let load_ns = round.record.load.elapsed_ns();
    let is_after = |o: &Operation| o.done_ns > load_ns;
    let number = |is: &dyn Fn(&Operation) -> bool| history.iter().filter(|o| is(o)).count() as u64;
    let disordered = history.windows(2).filter(|pair| pair[0].done_ns > pair[1].done_ns).count() as u64;
    let facts = [
        (disordered, HistoryFault::OutOfOrder),
        (duplicates(plan, history), HistoryFault::Twice),
        (number(&|o| !is_in_time(o)), HistoryFault::EndedBeforeSent),
        (number(&is_after), HistoryFault::EndedAfterTheLoad),
        (number(&|o| !is_answered_in_time(o)), HistoryFault::AnsweredOutside),
        (number(&is_strange), HistoryFault::NoSuchUser),
        (number(&is_unseen), HistoryFault::ShowedMore),
    ];
    let broken = facts.into_iter().filter(|(operations, _)| *operations > 0);
    broken.map(|(operations, fault)| Contradiction::History { fault, operations }).collect()
}

fn is_in_time(o: &Operation) -> bool {
    let sent_ns = o.sent_ns.unwrap_or(o.intended_ns);
    o.intended_ns <= sent_ns && sent_ns <= o.done_ns
}

/// The bound is the due time, as for all that is judged: the send may be stamped later than it was, and the head of an
/// HTTP/2 answer be read before that.
fn is_answered_in_time(o: &Operation) -> bool {
    o.first_byte_ns.is_none_or(|first_ns| (o.intended_ns..=o.done_ns).contains(&first_ns))
}

fn duplicates(plan: &Plan, history: &[Operation]) -> u64 {
    let at_once: Vec<u32> = plan.challenge.steps().map(|(_, step)| step.at_once).collect();
    let mut users: Vec<u64> = history.iter().map(|o| u64::from(o.step) << 32 | u64::from(o.user)).collect();
    users.sort_unstable();
    let more = |same: &[u64]| {
        let planned = at_once.get((same[0] >> 32) as usize).map_or(1, |times| *times as usize);
        same.len().saturating_sub(planned) as u64
    };
    users.chunk_by(|a, b| a == b).map(more).sum()
}
