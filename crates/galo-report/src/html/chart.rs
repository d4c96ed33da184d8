//! Line charts as inline SVG, drawn here so that a report needs no script to be seen, prints sharp, follows the
//! reader's colours by style sheet, and is the same bytes every time.

use std::fmt::Write;

use super::scale::{Scale, tick_text};

/// Room of a chart in its own units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// Two beside each other on a desktop.
    Large,
    /// Four beside each other on a desktop.
    Small,
}

/// What the horizontal axis says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Across {
    /// Seconds from the start of the load.
    Seconds {
        /// How many there are.
        count: usize,
    },
    /// Shares of operations on an axis on which each further nine takes the same room.
    Shares {
        /// One in how many at the far end.
        one_in: f64,
    },
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    /// What it is called in the legend.
    pub(crate) name: String,
    /// Number of its contender: says the colour. `None`: neutral.
    pub(crate) contender: Option<usize>,
    /// Whether it is dashed, so that colour is never alone in telling lines apart.
    pub(crate) dashed: bool,
    /// Points from left to right; a gap is `None`.
    pub(crate) points: Vec<(f64, Option<f64>)>,
}

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chart {
    /// What it shows, for those who cannot see it too.
    pub(crate) label: String,
    /// Unit of the vertical axis.
    pub(crate) unit: &'static str,
    /// Room.
    pub(crate) size: Size,
    /// Horizontal axis.
    pub(crate) across: Across,
    /// Vertical axis.
    pub(crate) up: Scale,
    /// A limit to draw across, in the unit of the vertical axis.
    pub(crate) limit: Option<f64>,
    /// Shares (0 to 1) by second, drawn as a strip on top.
    pub(crate) strip: Vec<Option<f64>>,
    /// Lines, the last one on top.
    pub(crate) lines: Vec<Line>,
}

/// Where things stand, in the chart's own units.
#[derive(Debug, Clone, Copy)]
struct Frame {
    width: f64,
    height: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Size {
    const fn frame(self) -> Frame {
        match self {
            Self::Large => {
                Frame { width: 560.0, height: 270.0, left: 60.0, right: 538.0, top: 26.0, bottom: 236.0 }
            }
            Self::Small => {
                Frame { width: 280.0, height: 170.0, left: 52.0, right: 262.0, top: 26.0, bottom: 140.0 }
            }
        }
    }
}

impl Frame {
    fn x(self, position: f64) -> f64 {
        self.left + (self.right - self.left) * position
    }

    fn y(self, position: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * position
    }
}

impl Across {
    const fn scale(self) -> Scale {
        match self {
            // The value of second 0 stands at its middle, so a round of n seconds is n wide.
            Self::Seconds { count } => Scale::Linear { most: if count == 0 { 1.0 } else { count as f64 } },
            Self::Shares { one_in } => {
                Scale::Log { least: 1.0, most: if one_in > 10.0 { one_in } else { 10.0 } }
            }
        }
    }

    fn ticks(self) -> Vec<(f64, String)> {
        match self {
            Self::Seconds { .. } => self
                .scale()
                .ticks()
                .into_iter()
                .map(|tick| (tick, format!("{} s", tick_text(tick))))
                .collect(),
            Self::Shares { .. } => [(2.0, "50 %"), (10.0, "90 %"), (100.0, "99 %"), (1e3, "99.9 %")]
                .into_iter()
                .chain([(1e4, "99.99 %"), (1e5, "99.999 %")])
                .filter(|(one_in, _)| self.scale().position(*one_in) < 1.0)
                .map(|(one_in, text)| (one_in, text.to_owned()))
                .collect(),
        }
    }
}

impl Chart {
    /// The chart as an `svg` element.
    pub(crate) fn svg(&self) -> String {
        let mut out = String::new();
        // Writing to a `String` cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let frame = self.size.frame();
        let (class, seconds) = match self.across {
            Across::Seconds { count } => ("timeline", count),
            Across::Shares { .. } => ("shares", 0),
        };
        let size = if self.size == Size::Small { " small" } else { "" };
        write!(
            out,
            r#"<svg class="chart {class}{size}" viewBox="0 0 {} {}" role="img" aria-label="{}""#,
            frame.width,
            frame.height,
            escape(&self.label)
        )?;
        if seconds > 0 {
            write!(
                out,
                r#" tabindex="0" data-left="{}" data-right="{}" data-seconds="{seconds}""#,
                frame.left, frame.right
            )?;
        }
        out.push('>');
        self.axes(frame, out)?;
        self.strip(frame, out)?;
        self.limit(frame, out)?;
        for line in &self.lines {
            self.line(line, frame, out)?;
        }
        if seconds > 0 {
            let (x, top, bottom) = (frame.left, frame.top, frame.bottom);
            write!(out, r#"<path class="cursor" d="M{x} {top}V{bottom}" hidden=""/>"#)?;
        }
        out.push_str("</svg>");
        Ok(())
    }

    fn axes(&self, frame: Frame, out: &mut String) -> std::fmt::Result {
        write!(out, r#"<text class="unit" x="4" y="14">{}</text>"#, escape(self.unit))?;
        for tick in self.up.ticks() {
            let y = frame.y(self.up.position(tick));
            write!(out, r#"<path class="grid" d="M{} {y:.1}H{}"/>"#, frame.left, frame.right)?;
            write!(
                out,
                r#"<text class="up" x="{}" y="{:.1}">{}</text>"#,
                frame.left - 6.0,
                y + 4.0,
                tick_text(tick)
            )?;
        }
        let across = self.across.scale();
        for (tick, text) in self.across.ticks() {
            let x = frame.x(across.position(tick));
            write!(out, r#"<text class="across" x="{x:.1}" y="{}">{text}</text>"#, frame.bottom + 20.0)?;
        }
        write!(out, r#"<path class="axis" d="M{} {}H{}"/>"#, frame.left, frame.bottom, frame.right)
    }

    fn strip(&self, frame: Frame, out: &mut String) -> std::fmt::Result {
        let across = self.across.scale();
        for (second, share) in self.strip.iter().enumerate() {
            let Some(share) = share.filter(|share| *share >= 0.005) else { continue };
            let (from, to) =
                (frame.x(across.position(second as f64)), frame.x(across.position(second as f64 + 1.0)));
            write!(
                out,
                r#"<rect class="strip" x="{from:.1}" y="{}" width="{:.1}" height="6" opacity="{share:.2}"/>"#,
                frame.top - 8.0,
                to - from
            )?;
        }
        Ok(())
    }

    fn limit(&self, frame: Frame, out: &mut String) -> std::fmt::Result {
        let Some(limit) = self.limit else { return Ok(()) };
        let y = frame.y(self.up.position(limit));
        write!(out, r#"<path class="limit" d="M{} {y:.1}H{}"/>"#, frame.left, frame.right)
    }

    fn line(&self, line: &Line, frame: Frame, out: &mut String) -> std::fmt::Result {
        let across = self.across.scale();
        let mut path = String::new();
        let mut pen_down = false;
        for (index, (x, value)) in line.points.iter().enumerate() {
            let Some(value) = value else {
                pen_down = false;
                continue;
            };
            let (x, y) = (frame.x(across.position(*x)), frame.y(self.up.position(*value)));
            write!(path, "{}{x:.1} {y:.1}", if pen_down { 'L' } else { 'M' })?;
            // A point between two gaps would be no line at all: a line of no length with round ends is a dot.
            let alone = !pen_down && line.points.get(index + 1).is_none_or(|(_, next)| next.is_none());
            if alone {
                path.push_str("h0");
            }
            pen_down = true;
        }
        if path.is_empty() {
            return Ok(());
        }
        write!(out, r#"<path class="{}" d="{path}"/>"#, line_class(line.contender, line.dashed))
    }
}

/// Style class of a line, which its sample in the legend shares.
pub(crate) fn line_class(contender: Option<usize>, dashed: bool) -> String {
    let colour = contender.map_or_else(|| "neutral".to_owned(), |c| format!("c{}", c % 4));
    format!("line {colour}{}", if dashed { " dashed" } else { "" })
}

/// Text as it may stand in an element or in a quoted attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, Option<f64>)>) -> String {
        let line = Line { name: "a".to_owned(), contender: Some(0), dashed: false, points };
        Chart {
            label: "x <b> \"y\"".to_owned(),
            unit: "ms",
            size: Size::Large,
            across: Across::Seconds { count: 4 },
            up: Scale::linear(4.0),
            limit: None,
            strip: Vec::new(),
            lines: vec![line],
        }
        .svg()
    }

    #[test]
    fn a_gap_breaks_the_line_and_a_lonely_point_is_a_dot() {
        let svg = chart(vec![(0.0, Some(0.0)), (1.0, Some(4.0)), (2.0, None), (3.0, Some(2.0))]);
        assert!(svg.contains(r#"d="M60.0 236.0L179.5 26.0M418.5 131.0h0""#), "{svg}");
    }

    #[test]
    fn a_label_cannot_leave_its_attribute() {
        assert!(chart(Vec::new()).contains(r#"aria-label="x &lt;b&gt; &quot;y&quot;""#));
    }

    #[test]
    fn a_line_without_points_is_not_drawn() {
        assert!(!chart(vec![(0.0, None)]).contains("class=\"line"));
    }
}
