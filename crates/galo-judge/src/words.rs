//! Numbers as people read them.

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
}
