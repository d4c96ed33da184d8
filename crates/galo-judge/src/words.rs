//! Numbers as people read them.

use galo_record::Ledger;

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
