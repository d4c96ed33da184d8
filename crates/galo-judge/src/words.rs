//! Numbers as people read them.

use galo_record::HostFact;
use galo_record::finding::Ended;

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
}
