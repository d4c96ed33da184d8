//! Numbers as people read them.

use galo_record::finding::Ended;
use galo_record::{HostFact, Ledger};

use crate::fact::{Contradiction, HistoryFault, StepName};

/// Writes a number with a comma after every three digits: `54,635`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes a number of things, singular for one: `1 operation`, `54,635 operations`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Joins names as in a sentence: `a`, `a and b`, `a, b and c`.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The operations without a complete answer: `300 failed and 12 timed out`; empty where there are none.
pub(crate) fn unanswered(ledger: &Ledger) -> String {
    let kinds =
        [(ledger.failed, "failed"), (ledger.timed_out, "timed out"), (ledger.unfinished, "never ended")];
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{} {what}", grouped(*number)))
        .collect();
    listed(&kinds)
}

/// `12 allocations at the limit, 3 major page faults`; without the former where the kernel counts none, as of control
/// groups v1 that limit swap as well.
pub(crate) fn limit_hits(hits: u64, faults: u64) -> String {
    let hits =
        if hits > 0 { format!("{} at the limit, ", counted(hits, "allocation")) } else { String::new() };
    format!("{hits}{}", counted(faults, "major page fault"))
}

/// Rounds to a number of significant digits; what is not finite becomes 0.
pub fn significant(value: f64, digits: usize) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    // Through text, because a power of ten with a negative exponent is not exact: 0.07 would gain a tail.
    let precision = digits.saturating_sub(1);
    format!("{value:.precision$e}").parse().unwrap_or(value)
}

/// What the host saw of a service.
pub(crate) fn host(fact: &HostFact) -> String {
    match fact {
        HostFact::ServiceDied { service, ended, .. } => {
            let how = match ended {
                Ended::Status(code) => format!("exit status {code}"),
                Ended::Signal(signal) => format!("killed by signal {signal}"),
            };
            format!("service `{service}` died while it should have run ({how})")
        }
        HostFact::LimitsLost { service, difference: Some(_), .. } => {
            format!("service `{service}` no longer had its limits during the round")
        }
        HostFact::LimitsLost { service, difference: None, .. } => {
            format!("the limits of service `{service}` were written to during the round")
        }
        HostFact::LogFlood { service, .. } => {
            format!("service `{service}` wrote very much log, which costs it CPU")
        }
        other => other.name().to_owned(),
    }
}

/// How records contradict one another.
pub(crate) fn contradiction(what: &Contradiction) -> String {
    match what {
        Contradiction::LedgerDoesNotAddUp { step, ledger } => {
            format!("the ledger of {} does not add up: {}", name(step), ledger_text(ledger))
        }
        Contradiction::OtherSteps { planned, recorded } => {
            format!("the challenge has {}, but the round recorded {recorded}", counted(*planned, "step"))
        }
        Contradiction::History { fault, operations } => {
            format!("the history has {} {}", counted(*operations, "operation"), strange(*fault))
        }
        Contradiction::EmptyHistory { operations } => {
            format!("the ledger has {}, but the history is empty", counted(*operations, "operation"))
        }
        Contradiction::HistoryDiffers { step, ledger, history } => format!(
            "ledger and history of {} differ: {}, and {}",
            name(step),
            ledger_text(ledger),
            ledger_text(history)
        ),
        Contradiction::LatenciesDiffer { step, right, other, right_latencies, other_latencies } => format!(
            "{}: the ledger has {right} right and {other} other operations, but latencies of {right_latencies} and \
             {other_latencies}",
            name(step),
        ),
        Contradiction::CountNotRead => "the count was not read before and after the load".to_owned(),
        Contradiction::NobodyKilled => "nobody was killed in a round that was made for it".to_owned(),
        Contradiction::StrangeLookups => "it looked up creations that its history does not have".to_owned(),
        Contradiction::NotLookedUp { creations } => {
            format!("it did not look up {}", counted(*creations, "acknowledged creation"))
        }
    }
}

const fn strange(fault: HistoryFault) -> &'static str {
    match fault {
        HistoryFault::NoSuchStep => "of a step that the challenge does not have",
        HistoryFault::NoSuchRule => "with a broken rule that the plan does not have",
        HistoryFault::NoRule => "with a wrong answer but no rule that it breaks",
        HistoryFault::OutOfOrder => "out of the order of time",
        HistoryFault::Twice => "that is there already: one user did one step twice",
        HistoryFault::EndedBeforeSent => "that ended before it was sent, or was sent before it was due",
        HistoryFault::EndedAfterTheLoad => "that ended after the load",
        HistoryFault::AnsweredOutside => "whose answer began before it was due, or after its end",
        HistoryFault::NoSuchUser => "of a user that the plan does not have",
        HistoryFault::ShowedMore => "that showed more than the history has",
    }
}

fn name(step: &StepName) -> String {
    match &step.scenario {
        Some(scenario) => format!("`{scenario}: {}`", step.step),
        None => format!("step number {}", step.step),
    }
}

fn ledger_text(l: &Ledger) -> String {
    format!(
        "{} intended, {} ok + {} wrong + {} failed + {} timed out + {} unfinished",
        l.intended, l.ok, l.wrong, l.failed, l.timed_out, l.unfinished
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_stands_after_every_three_digits() {
        assert_eq!(
            [0, 999, 1000, 54_635, 1_234_567].map(grouped),
            ["0", "999", "1,000", "54,635", "1,234,567"]
        );
    }

    #[test]
    fn the_last_two_names_are_joined_by_and() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(listed(&names), "a, b and c");
        assert_eq!(listed(&names[..2]), "a and b");
        assert_eq!(listed(&names[..1]), "a");
    }
}
