//! How one figure goes with another: points in a plane of two logarithmic axes.

use std::fmt::Write;

use crate::words::{Both, number};

/// Points, and what they are.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    pub(crate) caption: Both,
    /// What its axes show, with units.
    pub(crate) axes: [Both; 2],
    /// By what was asked for. Both figures are above 0.
    pub(crate) points: Vec<Point>,
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

/// One axis: from, to, and where they lie in the drawing.
struct Axis {
    ends: [f64; 2],
    lies: [f64; 2],
}

impl Axis {
    /// A little more than all of these.
    fn around(values: impl Iterator<Item = f64>, lies: [f64; 2]) -> Self {
        let (low, high) =
            values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), v| (low.min(v), high.max(v)));
        Self { ends: [low / 1.3, high.max(low) * 1.3], lies }
    }

    fn place(&self, value: f64) -> f64 {
        let [from, to] = self.ends.map(f64::ln);
        self.lies[0] + (self.lies[1] - self.lies[0]) * (value.ln() - from) / (to - from)
    }

    /// Powers of ten and what lies between them, as many as can be read.
    fn ticks(&self) -> Vec<f64> {
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
        let xs = Axis::around(self.points.iter().map(|point| point.at[0]), [LEFT, width - MARGIN]);
        let ys = Axis::around(self.points.iter().map(|point| point.at[1]), [height - BELOW, MARGIN]);
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
    let places = (-value.log10().floor()).clamp(0.0, 3.0) as usize;
    number(value, places)
}
