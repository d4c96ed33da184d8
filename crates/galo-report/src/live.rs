//! Where things are while a run goes on: the board that folds the news, how the full screen shows it, and single lines.

mod board;
mod draw;
mod load;

pub use board::Board;
pub use draw::{LEAST_HEIGHT, LEAST_WIDTH, draw};
pub use load::LoadLine;

use galo_record::event::Progress;

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

/// The line about where a load of known length is now.
pub fn where_it_is(p: &Progress) -> String {
    let seconds = p.elapsed_ns / 1_000_000_000;
    // Where nothing is due at a rate: how many were answered so far.
    let answered = || p.done as f64 * 1e9 / p.elapsed_ns.max(1) as f64;
    let length = p.duration_ns.map_or("?".to_owned(), |length_ns| (length_ns / 1_000_000_000).to_string());
    format!(
        "{seconds:>3} of {length} s  {:>5.0}/s  {:>4} in flight  {} wrong  {} failed  p99 {:.1} ms",
        p.arrival_rate.unwrap_or_else(answered),
        p.in_flight,
        p.wrong,
        p.failed,
        p.latency_us_p99 as f64 / 1000.0,
    )
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
