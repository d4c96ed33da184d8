//! A line of small bars for the live view: how a figure went over the last seconds.

use std::collections::VecDeque;

/// How heights are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// From 0 to the largest shown: for rates.
    Linear,
    /// By the logarithm, from the smallest to the largest shown, or to twice the smallest if that is more, so that a
    /// steady figure is not drawn as a rugged one: for latencies.
    Logarithmic,
}

/// What bars are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyphs {
    /// `▁▂▃▄▅▆▇█`.
    Blocks,
    /// `_.-=+*%#`, where the locale knows no other characters.
    Ascii,
}

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', '-', '=', '+', '*', '%', '#'];

/// The last values of a figure, as many as there are columns.
#[derive(Debug, Clone)]
pub struct Sparkline {
    values: VecDeque<Option<f64>>,
    columns: usize,
}

impl Sparkline {
    /// One that shows so many values; before they came it is narrower.
    pub fn new(columns: usize) -> Self {
        Self { values: VecDeque::with_capacity(columns), columns }
    }

    /// Takes the newest value in, and the oldest out; `None` where there was none, which stays blank.
    pub fn push(&mut self, value: Option<f64>) {
        if self.values.len() >= self.columns {
            self.values.pop_front();
        }
        if self.columns > 0 {
            self.values.push_back(value.filter(|value| value.is_finite()));
        }
    }

    /// One character for each value, the newest last.
    pub fn draw(&self, scale: Scale, glyphs: Glyphs) -> String {
        let height = |value: f64| match scale {
            Scale::Linear => value.max(0.0),
            // Below a nanosecond, in microseconds, nothing is told from nothing.
            Scale::Logarithmic => value.max(1e-3).log2(),
        };
        let heights = || self.values.iter().flatten().copied().map(height);
        let least = heights().fold(f64::INFINITY, f64::min);
        let most = heights().fold(f64::NEG_INFINITY, f64::max);
        let (from, to) = match scale {
            Scale::Linear => (0.0, most),
            Scale::Logarithmic => (least, most.max(least + 1.0)),
        };
        let glyphs = match glyphs {
            Glyphs::Blocks => BLOCKS,
            Glyphs::Ascii => ASCII,
        };
        let bar = |value: &Option<f64>| {
            value.map_or(' ', |value| {
                let share = if to > from { (height(value) - from) / (to - from) } else { 0.0 };
                glyphs[(share * 7.0).round() as usize]
            })
        };
        self.values.iter().map(bar).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn drawn(values: &[f64], scale: Scale, glyphs: Glyphs) -> String {
        let mut line = Sparkline::new(values.len());
        values.iter().for_each(|&value| line.push(Some(value)));
        line.draw(scale, glyphs)
    }

    #[test]
    fn latency_is_drawn_by_its_logarithm_and_a_rate_from_nothing() {
        let tenfold = [1.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0, 1_000_000.0, 10_000_000.0];
        assert_eq!(drawn(&tenfold, Scale::Logarithmic, Glyphs::Blocks), "▁▂▃▄▅▆▇█");
        assert_eq!(drawn(&tenfold, Scale::Logarithmic, Glyphs::Ascii), "_.-=+*%#");
        assert_eq!(drawn(&tenfold, Scale::Linear, Glyphs::Blocks), "▁▁▁▁▁▁▂█");
        assert_eq!(drawn(&[0.0, 50.0, 100.0], Scale::Linear, Glyphs::Blocks), "▁▅█");
    }

    #[test]
    fn a_steady_latency_is_flat_and_a_steady_rate_is_full() {
        assert_eq!(drawn(&[500.0, 510.0, 505.0], Scale::Logarithmic, Glyphs::Blocks), "▁▁▁");
        assert_eq!(drawn(&[500.0, 500.0], Scale::Linear, Glyphs::Blocks), "██");
        assert_eq!(drawn(&[0.0, 0.0], Scale::Linear, Glyphs::Ascii), "__");
    }

    #[test]
    fn only_the_last_values_are_kept_and_a_second_without_any_is_blank() {
        let mut line = Sparkline::new(3);
        for value in [Some(1.0), Some(100.0), None, Some(f64::NAN), Some(100.0)] {
            line.push(value);
        }
        assert_eq!(line.draw(Scale::Logarithmic, Glyphs::Blocks), "  ▁");
        assert_eq!(Sparkline::new(5).draw(Scale::Linear, Glyphs::Blocks), "");
        let mut none = Sparkline::new(0);
        none.push(Some(1.0));
        assert_eq!(none.draw(Scale::Linear, Glyphs::Blocks), "");
    }

    proptest! {
        #[test]
        fn any_values_make_a_line_of_their_number(values: Vec<Option<f64>>, linear: bool) {
            let mut line = Sparkline::new(20);
            values.iter().for_each(|&value| line.push(value));
            let scale = if linear { Scale::Linear } else { Scale::Logarithmic };
            let drawn = line.draw(scale, Glyphs::Ascii);
            prop_assert_eq!(drawn.chars().count(), values.len().min(20));
        }
    }
}
