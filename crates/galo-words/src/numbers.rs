//! Figures as people read them, in English: `1.23 ms`, `12.3 MiB`, `12,345`. [`crate::Lang::figure`] makes them Portuguese.

/// A count with commas between thousands.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with commas between thousands and a fixed number of decimals.
pub fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 { "-" } else { "" };
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{dot}{fraction}", whole.parse().map_or_else(|_| whole.to_owned(), count))
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

/// Microseconds as milliseconds without their unit: two decimals below 10 ms, else one.
pub fn ms_bare(us: f64) -> String {
    number(us / 1e3, if us < 9_995.0 { 2 } else { 1 })
}

/// Microseconds as milliseconds.
pub fn ms(us: f64) -> String {
    format!("{} ms", ms_bare(us))
}

/// Bytes as MiB with one decimal.
pub fn mib(bytes: f64) -> String {
    format!("{} MiB", number(bytes / f64::from(1 << 20), 1))
}

/// A share as percent. What is not all is never shown as 100 %, and what is not nothing never as 0 %.
pub fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    match text.as_str() {
        "0.0" if share > 0.0 => "<0.1 %".to_owned(),
        "100.0" if share < 1.0 => ">99.9 %".to_owned(),
        "0.0" => "0 %".to_owned(),
        "100.0" => "100 %".to_owned(),
        other => format!("{other} %"),
    }
}

/// A share as percent without decimals.
pub fn whole_percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Seconds with one decimal, below one second with two.
pub fn seconds(s: f64) -> String {
    format!("{} s", number(s, if s > 0.0 && s < 0.95 { 2 } else { 1 }))
}

/// `1 round`, `2 rounds`.
pub fn counted(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(n as u64), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_leave_no_binary_tail() {
        assert_eq!(significant(0.071_449, 3), 0.0714);
        assert_eq!(significant(123_456.0, 4), 123_500.0);
        assert_eq!(significant(1.0, 4), 1.0);
        assert_eq!(significant(f64::NAN, 4), 0.0);
    }

    #[test]
    fn thousands_are_parted_by_commas() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(number(-12_345.67, 1), "-12,345.7");
    }

    #[test]
    fn milliseconds_keep_two_decimals_below_ten() {
        assert_eq!(ms(1_234.0), "1.23 ms");
        assert_eq!(ms(9_999.0), "10.0 ms");
        assert_eq!(ms(60_000_000.0), "60,000.0 ms");
    }

    #[test]
    fn a_share_is_rounded_to_neither_nothing_nor_all() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.000_1), "<0.1 %");
        assert_eq!(percent(0.999_9), ">99.9 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.123_4), "12.3 %");
    }
}
