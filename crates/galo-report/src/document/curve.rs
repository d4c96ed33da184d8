//! How one figure goes with another: points in a plane. Figures go up by factors; what they go with does so, is time, or is a number.

use galo_words::{Both, Figure};

use std::fmt::Write;

/// Points, and what they are.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub(crate) caption: Both,
    /// What its axes show, with units.
    pub(crate) axes: [Both; 2],
    pub(crate) along: Along,
    /// By what was asked for. Both figures are above 0.
    pub(crate) points: Vec<Point>,
}

/// How the axis to the right goes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Along {
    /// By factors.
    Scale,
    /// Evenly, from 0.
    Time,
    /// By number, from 1: runs, whose figures are ratios.
    Runs,
}

/// One point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) at: [f64; 2],
    /// Where the figure lies for sure.
    pub(crate) interval: Option<[f64; 2]>,
    /// Whether it met what was asked for.
    pub(crate) is_met: bool,
}

/// Size of the drawing, and the room for what stands beside its axes, in units of its own.
const SIZE: [f64; 2] = [720.0, 260.0];
const LEFT: f64 = 56.0;
const BELOW: f64 = 28.0;
const MARGIN: f64 = 12.0;

/// The most ticks of an axis that goes up evenly, or of ratios.
const TICKS: f64 = 8.0;
/// The least that an axis of ratios shows on either side of 1, as a factor.
const LEAST_RATIO: f64 = 1.05;

/// One axis: how it goes up, from, to, which ticks it has, and where it lies in the drawing.
struct Axis {
    by_factors: bool,
    ends: [f64; 2],
    ticks: Vec<f64>,
    lies: [f64; 2],
}

impl Axis {
    /// A little more than all of these.
    fn around(values: impl Iterator<Item = f64>, along: Along, lies: [f64; 2]) -> Self {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), v| (low.min(v), high.max(v)));
        let (ends, by_factors) = match along {
            Along::Scale => ([low / 1.3, high.max(low) * 1.3], true),
            Along::Time => ([0.0, high * 1.05], false),
            Along::Runs => ([low - 0.5, high + 0.5], false),
        };
        let ticks = match along {
            Along::Scale => powers(ends),
            Along::Time => even(ends, 0.0),
            Along::Runs => even(ends, 1.0),
        };
        Self { by_factors, ends, ticks, lies }
    }

    /// Around ratios and 1.
    fn of_ratios(values: impl Iterator<Item = f64>, lies: [f64; 2]) -> Self {
        let (low, high) = values
            .filter(|value| *value > 0.0 && value.is_finite())
            .fold((1.0 / LEAST_RATIO, LEAST_RATIO), |(low, high), v| (low.min(v), high.max(v)));
        let ends = [low / 1.02, high * 1.02];
        let ticks = if high / low > TICKS { powers(ends) } else { even(ends, 0.0) };
        Self { by_factors: true, ends, ticks, lies }
    }

    fn place(&self, value: f64) -> f64 {
        let at = |value: f64| if self.by_factors { value.ln() } else { value };
        let [from, to] = self.ends.map(at);
        self.lies[0] + (self.lies[1] - self.lies[0]) * (at(value) - from) / (to - from)
    }
}

/// Powers of ten and what lies between them, as many as can be read.
fn powers(ends: [f64; 2]) -> Vec<f64> {
    let decades = (ends[1] / ends[0]).log10();
    let steps: &[f64] = if decades > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let first = ends[0].log10().floor() as i32;
    let last = ends[1].log10().ceil() as i32;
    let ticks = (first..=last).flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
    ticks.filter(|tick| (ends[0]..=ends[1]).contains(tick)).collect()
}

/// Multiples of a power of ten, of 2 or of 5 of them, but of no less than `least`.
fn even([from, to]: [f64; 2], least: f64) -> Vec<f64> {
    let least = ((to - from) / TICKS).max(least);
    let power = 10f64.powi(least.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    ((from / step).ceil() as u32..=(to / step) as u32).map(|tick| f64::from(tick) * step).collect()
}

impl Curve {
    /// As a drawing that is safe by construction: figures alone are written into it.
    pub(crate) fn svg(&self) -> String {
        let [width, height] = SIZE;
        let xs =
            Axis::around(self.points.iter().map(|point| point.at[0]), self.along, [LEFT, width - MARGIN]);
        let (figures, upwards) = (self.points.iter().map(|point| point.at[1]), [height - BELOW, MARGIN]);
        let bounds = self.points.iter().filter_map(|point| point.interval).flatten();
        let ys = match self.along {
            Along::Runs => Axis::of_ratios(figures.chain(bounds), upwards),
            Along::Scale | Along::Time => Axis::around(figures, Along::Scale, upwards),
        };
        let mut svg = format!(r#"<svg class="curve" viewBox="0 0 {width} {height}" aria-hidden="true">"#);
        for &tick in &xs.ticks {
            let (x, low) = (xs.place(tick), height - BELOW);
            let _ = write!(svg, r#"<path class="tick" d="M{x:.1} {MARGIN}V{low}"/>"#);
            let _ = write!(svg, r#"<text x="{x:.1}" y="{:.1}" class="x">{}</text>"#, low + 18.0, short(tick));
        }
        for &tick in &ys.ticks {
            let (y, right) = (ys.place(tick), width - MARGIN);
            let _ = write!(svg, r#"<path class="tick" d="M{LEFT} {y:.1}H{right}"/>"#);
            let _ = write!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" class="y">{}</text>"#,
                LEFT - 6.0,
                y + 4.0,
                short(tick)
            );
        }
        if self.along == Along::Runs {
            let _ = write!(svg, r#"<path class="one" d="M{LEFT} {:.1}H{}"/>"#, ys.place(1.0), width - MARGIN);
        }
        for Point { at, interval, is_met } in &self.points {
            let (x, y) = (xs.place(at[0]), ys.place(at[1]));
            if let Some([low, high]) = interval.map(|bounds| bounds.map(|bound| ys.place(bound))) {
                let _ = write!(svg, r#"<path class="range" d="M{x:.1} {low:.1}V{high:.1}"/>"#);
            }
            // What was met is round, what was not is a cross: whoever sees no colours sees that.
            let _ = match is_met {
                true => write!(svg, r#"<circle class="met" cx="{x:.1}" cy="{y:.1}" r="4.5"/>"#),
                false => {
                    write!(svg, r#"<path class="missed" d="M{:.1} {:.1}l9 9m0 -9l-9 9"/>"#, x - 4.5, y - 4.5)
                }
            };
        }
        svg + "</svg>"
    }
}

/// `0.5`, `0.95`, `20`, `1,000`.
fn short(value: f64) -> String {
    let places = if value > 0.0 { (-value.log10().floor()).clamp(0.0, 3.0) as usize } else { 0 };
    let is_whole = |places: &usize| {
        let shown = value * 10f64.powi(*places as i32);
        (shown - shown.round()).abs() < 1e-6
    };
    Figure::Number(value, (places..3).find(is_whole).unwrap_or(places)).to_string()
}
