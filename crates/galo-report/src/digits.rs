//! Rounding of figures before they are drawn or told.

/// Rounds to a number of decimals. What is not finite becomes 0, and there is no negative zero: both would make
/// JSON that is not stable or not JSON.
pub(crate) fn decimals(value: f64, digits: i32) -> f64 {
    let factor = 10_f64.powi(digits);
    finite((value * factor).round() / factor)
}

/// A part of a whole, to a hundredth of a percent; 0 where there is no whole.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { decimals(part as f64 / whole as f64, 4) }
}

fn finite(value: f64) -> f64 {
    if value.is_finite() && value != 0.0 { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_never_make_a_negative_zero() {
        assert!(decimals(-0.000_4, 3).is_sign_positive());
        assert_eq!(decimals(1.234_56, 3), 1.235);
        assert_eq!(decimals(f64::INFINITY, 3), 0.0);
    }

    #[test]
    fn a_share_of_nothing_is_nothing() {
        assert_eq!(share(1, 0), 0.0);
        assert_eq!(share(1, 3), 0.3333);
    }
}
