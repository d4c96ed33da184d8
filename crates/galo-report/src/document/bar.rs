//! Shares of a whole as a bar. What it shows stands beside it in words.

use galo_words::Both;

/// A bar, its parts one after the other from the left.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    /// Whose it is.
    pub(crate) name: Both,
    pub(crate) parts: Vec<Part>,
    /// Whether a terminal tells it; else a table beside it says the same.
    pub(crate) in_terminal: bool,
}

/// A part of a bar.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Style class, and so colour.
    pub(crate) class: &'static str,
    pub(crate) name: Both,
    /// Of the whole bar, 0 to 1.
    pub(crate) share: f64,
    /// What is told of it, e.g. the share in percent.
    pub(crate) told: Both,
}

impl Bar {
    /// Each part with where it starts and how long it is, in percent of the bar.
    pub(super) fn placed(&self) -> Vec<(&Part, String, String)> {
        let mut end = 0.0;
        let mut placed = Vec::new();
        for part in &self.parts {
            let width = part.share.clamp(0.0, 1.0) * 100.0;
            placed.push((part, format!("{end:.2}"), format!("{width:.2}")));
            end += width;
        }
        placed
    }

    /// All of it in a sentence.
    pub(super) fn sentence(&self) -> Both {
        let part = |part: &Part| part.name.clone().then(&Both::same(" ")).then(&part.told);
        let parts = self.parts.iter().map(part).reduce(|all, next| all.then(&Both::same(", ")).then(&next));
        self.name.clone().then(&Both::same(": ")).then(&parts.unwrap_or_else(|| Both::same("-")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_bar_stand_one_after_the_other() {
        let part = |share| Part { class: "k0", name: Both::same("a"), share, told: Both::same("b") };
        let bar = Bar { name: Both::same("all"), parts: vec![part(0.25), part(0.75)], in_terminal: true };
        let placed = bar.placed();
        let places: Vec<_> = placed.iter().map(|(_, x, width)| (x.as_str(), width.as_str())).collect();
        assert_eq!(places, [("0.00", "25.00"), ("25.00", "75.00")]);
        assert_eq!(bar.sentence().en, "all: a b, a b");
    }
}
