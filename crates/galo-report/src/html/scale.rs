//! Axes: where a value stands, and which values are written beside the axis.

/// One axis. Positions go from 0 (low end) to 1 (high end).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scale {
    /// From 0.
    Linear {
        /// High end.
        most: f64,
    },
    /// Equal factors take equal room.
    Log {
        /// Low end, above 0.
        least: f64,
        /// High end.
        most: f64,
    },
}

impl Scale {
    /// From 0 to `most`; to 1 where there is nothing to show.
    pub(crate) fn linear(most: f64) -> Self {
        Self::Linear { most: if most > 0.0 { most } else { 1.0 } }
    }

    /// Around these values, widened to the next 1, 2 or 5 of a power of ten.
    pub(crate) fn log(values: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|v| v.is_finite() && *v > 0.0) {
            least = least.min(value);
            most = most.max(value);
        }
        if most == 0.0 {
            return Self::Log { least: 1.0, most: 10.0 };
        }
        let least = steps(least).rfind(|step| *step <= least).unwrap_or(least);
        let most = steps(most).find(|step| *step >= most && *step > least).unwrap_or(most * 10.0);
        Self::Log { least, most }
    }

    /// Where a value stands; what is outside stands at the end.
    pub(crate) fn position(self, value: f64) -> f64 {
        let position = match self {
            Self::Linear { most } => value / most,
            Self::Log { least, most } => (value.max(least) / least).ln() / (most / least).ln(),
        };
        position.clamp(0.0, 1.0)
    }

    /// About five round values to write beside the axis.
    pub(crate) fn ticks(self) -> Vec<f64> {
        match self {
            Self::Linear { most } => {
                let step = round_step(most / 5.0);
                // Multiplied, not added up, so that a tick at 0.3 is not written as 0.30000000000000004.
                (0..=6).map(|i| f64::from(i) * step).take_while(|tick| *tick <= most * 1.000_001).collect()
            }
            Self::Log { least, most } => {
                let wide = most / least > 200.0;
                let mut ticks = Vec::new();
                let mut power = 10_f64.powf(least.log10().floor());
                while power <= most * 1.000_001 && ticks.len() < 40 {
                    let digits: &[f64] = if wide { &[1.0] } else { &[1.0, 2.0, 5.0] };
                    ticks.extend(digits.iter().map(|digit| digit * power));
                    power *= 10.0;
                }
                ticks.retain(|tick| *tick >= least * 0.999_999 && *tick <= most * 1.000_001);
                ticks
            }
        }
    }
}

/// 1, 2 and 5 times the powers of ten around a value, ascending.
fn steps(around: f64) -> impl DoubleEndedIterator<Item = f64> {
    let exponent = around.log10().floor() as i32;
    (exponent - 1..=exponent + 2).flat_map(|e| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(e)))
}

/// The next 1, 2 or 5 of a power of ten from a value upwards.
fn round_step(raw: f64) -> f64 {
    steps(raw).find(|step| *step >= raw * 0.999_999).unwrap_or(raw)
}

/// A tick without a binary tail.
pub(crate) fn tick_text(tick: f64) -> String {
    if tick >= 1000.0 {
        return crate::words::number(tick, 0);
    }
    crate::digits::significant(tick, 4).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ticks_are_round_and_few() {
        assert_eq!(Scale::linear(20.0).ticks(), [0.0, 5.0, 10.0, 15.0, 20.0]);
        let texts: Vec<_> = Scale::linear(0.45).ticks().into_iter().map(tick_text).collect();
        assert_eq!(texts, ["0", "0.1", "0.2", "0.3", "0.4"]);
    }

    #[test]
    fn a_log_axis_holds_all_of_its_values() {
        let Scale::Log { least, most } = Scale::log([0.7, 3.0, 42.0].into_iter()) else { unreachable!() };
        assert_eq!((least, most), (0.5, 50.0));
        assert_eq!(Scale::log([0.7, 42.0].into_iter()).ticks(), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
    }

    #[test]
    fn a_log_axis_of_one_value_still_has_room() {
        let scale = Scale::log([2.0].into_iter());
        let position = scale.position(2.0);
        assert!((0.0..=1.0).contains(&position));
        assert!(scale.ticks().len() >= 2);
    }

    #[test]
    fn nothing_to_show_is_no_division_by_zero() {
        assert_eq!(Scale::linear(0.0).position(0.0), 0.0);
        assert_eq!(Scale::log(std::iter::empty()).position(0.0), 0.0);
    }

    #[test]
    fn equal_factors_take_equal_room() {
        let scale = Scale::Log { least: 1.0, most: 100.0 };
        assert!((scale.position(10.0) - 0.5).abs() < 1e-12);
    }
}
