//! Summaries in a terminal that are no documents yet, and how all of them look.

mod gatling;
mod requests;

/// How to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns that no line passes.
    pub width: usize,
    /// Whether ANSI sequences may be used. Without them everything is told by text alone.
    pub colour: bool,
}

impl Look {
    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn warning(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn struck(self, text: &str) -> String {
        self.paint("9", text)
    }
}
