//! How one figure goes with another: points in a plane. Figures go up by factors; what they go with does so, or is time.

use galo_words::{Both, number};

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
}

/// One point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) at: [f64; 2],
    /// Whether it met what was asked for.
    pub(crate) is_met: bool,
}

/// Size of the drawing, and the room for what stands beside its axes, in units of its own.
const SIZE: [f64; 2] = [720.0, 260.0];
const LEFT: f64 = 56.0;
const BELOW: f64 = 28.0;
const MARGIN: f64 = 12.0;

/// The most ticks of an axis of time.
const TICKS: f64 = 8.0;

/// One axis: how it goes up, from, to, and where they lie in the drawing.
struct Axis {
    along: Along,
    ends: [f64; 2],
    lies: [f64; 2],
}

impl Axis {
    /// A little more than all of these.
    fn around(values: impl Iterator<Item = f64>, along: Along, lies: [f64; 2]) -> Self {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), v| (low.min(v), high.max(v)));
        let ends = match along {
            Along::Scale => [low / 1.3, high.max(low) * 1.3],
            Along::Time => [0.0, high * 1.05],
        };
        Self { along, ends, lies }
    }

    fn place(&self, value: f64) -> f64 {
        let at = |value: f64| if self.along == Along::Scale { value.ln() } else { value };
        let [from, to] = self.ends.map(at);
        self.lies[0] + (self.lies[1] - self.lies[0]) * (at(value) - from) / (to - from)
    }

    /// Powers of ten and what lies between them, as many as can be read; of time multiples of one of them.
    fn ticks(&self) -> Vec<f64> {
        if self.along == Along::Time {
            let least = self.ends[1] / TICKS;
            let power = 10f64.powi(least.log10().floor() as i32);
            let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|step| *step >= least);
            let step = step.unwrap_or(10.0 * power);
            return (0..=(self.ends[1] / step) as u32).map(|tick| f64::from(tick) * step).collect();
        }
        let decades = (self.ends[1] / self.ends[0]).log10();
        let steps: &[f64] = if decades > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let first = self.ends[0].log10().floor() as i32;
        let last = self.ends[1].log10().ceil() as i32;
        let ticks = (first..=last).flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
        ticks.filter(|tick| (self.ends[0]..=self.ends[1]).contains(tick)).collect()
    }
}

impl Curve {
    /// As a drawing that is safe by construction: figures alone are written into it.
    pub(crate) fn svg(&self) -> String {
        let [width, height] = SIZE;
        let xs =
            Axis::around(self.points.iter().map(|point| point.at[0]), self.along, [LEFT, width - MARGIN]);
        let ys =
            Axis::around(self.points.iter().map(|point| point.at[1]), Along::Scale, [height - BELOW, MARGIN]);
        let mut svg = format!(r#"<svg class="curve" viewBox="0 0 {width} {height}" aria-hidden="true">"#);
        for tick in xs.ticks() {
            let (x, low) = (xs.place(tick), height - BELOW);
            let _ = write!(svg, r#"<path class="tick" d="M{x:.1} {MARGIN}V{low}"/>"#);
            let _ = write!(svg, r#"<text x="{x:.1}" y="{:.1}" class="x">{}</text>"#, low + 18.0, short(tick));
        }
        for tick in ys.ticks() {
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
        for Point { at, is_met } in &self.points {
            let (x, y) = (xs.place(at[0]), ys.place(at[1]));
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

/// `0.5`, `20`, `1,000`.
fn short(value: f64) -> String {
    let places = if value > 0.0 { (-value.log10().floor()).clamp(0.0, 3.0) as usize } else { 0 };
    number(value, places)
}
