//! Small drawings that stand in tables and above them. What they show is written beside them.

use super::lang::Both;

/// A part of a bar, with what it stands for.
pub(crate) struct Part {
    /// Style class.
    pub(crate) class: String,
    pub(crate) name: Both,
    /// Its share in words.
    pub(crate) told: Both,
    /// Where it starts and how long it is, in percent of the bar.
    pub(crate) x: String,
    pub(crate) width: String,
}

/// Parts one after the other from the left: style class, name, share (0 to 1) of the bar, and what is told of it.
pub(crate) fn stacked(parts: impl Iterator<Item = (String, Both, f64, Both)>) -> Vec<Part> {
    let mut end = 0.0;
    let part = |(class, name, share, told): (String, Both, f64, Both)| {
        let (x, width) = (end, share.clamp(0.0, 1.0) * 100.0);
        end += width;
        Part { class, name, told, x: format!("{x:.2}"), width: format!("{width:.2}") }
    };
    parts.map(part).collect()
}

/// Intervals of ratios on one log axis around 1, so that they can be held against one another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RatioAxis {
    /// The factor at its ends.
    most: f64,
}

impl RatioAxis {
    /// An axis that shows all of these; `None` where there are none.
    pub(crate) fn around(intervals: impl Iterator<Item = [f64; 2]>) -> Option<Self> {
        let far = intervals
            .flatten()
            .filter(|bound| *bound > 0.0)
            .map(|bound| bound.max(1.0 / bound))
            .fold(0.0, f64::max);
        // Beyond a factor of ten it does not matter how far, and the others could no longer be seen.
        (far > 0.0).then(|| Self { most: far.clamp(1.2, 10.0) * 1.05 })
    }

    /// One interval; empty where it is not known.
    pub(crate) fn interval(self, ratio: Option<f64>, bounds: Option<[f64; 2]>) -> String {
        let (Some(ratio), Some([low, high])) = (ratio, bounds) else { return String::new() };
        let x = |value: f64| 60.0 + 56.0 * (value.ln() / self.most.ln()).clamp(-1.0, 1.0);
        format!(
            r#"<svg class="interval" viewBox="0 0 120 16" aria-hidden="true"><path class="one" d="M60 1V15"/><path class="range" d="M{:.1} 8H{:.1}"/><circle cx="{:.1}" cy="8" r="3.5"/></svg>"#,
            x(low),
            x(high),
            x(ratio)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_bar_stand_one_after_the_other() {
        let part = |share| (String::new(), Both::same(""), share, Both::same(""));
        let bar = stacked([part(0.25), part(0.75)].into_iter());
        let places: Vec<_> = bar.iter().map(|part| (part.x.as_str(), part.width.as_str())).collect();
        assert_eq!(places, [("0.00", "25.00"), ("25.00", "75.00")]);
    }

    #[test]
    fn an_interval_stays_in_its_drawing_however_far_it_goes() {
        let axis = RatioAxis::around([[0.001, 900.0]].into_iter()).unwrap();
        let svg = axis.interval(Some(1.0), Some([0.001, 900.0]));
        assert!(svg.contains("M4.0 8H116.0") && svg.contains(r#"cx="60.0""#), "{svg}");
        assert_eq!(axis.interval(Some(1.0), None), "");
        assert!(RatioAxis::around(std::iter::empty()).is_none());
    }
}
