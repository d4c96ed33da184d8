//! A run while it goes on: the fold of its acts and news, and its views, a full screen, a line and metrics.

mod draw;
mod line;
mod metrics;
mod ongoing;

pub use draw::{LEAST_HEIGHT, LEAST_WIDTH, draw};
pub use metrics::run_metrics;
pub use ongoing::Ongoing;
pub(crate) use ongoing::{Phase, UnderWay};

/// Columns of a terminal that nobody widened.
pub const COLUMNS: usize = 80;

/// What a line about the load is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// One that is redrawn on a terminal.
    Redrawn,
    /// One of several that stay.
    Line,
}

/// One line of so many columns.
pub fn cut(text: &str, columns: usize) -> String {
    match text.char_indices().nth(columns) {
        Some(_) => text.chars().take(columns.saturating_sub(1)).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// Microseconds in at most six columns.
pub fn time(us: u64) -> String {
    match us {
        0..1_000 => format!("{us} us"),
        1_000..100_000 => format!("{:.1} ms", us as f64 / 1e3),
        100_000..10_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{} s", us / 1_000_000),
    }
}
