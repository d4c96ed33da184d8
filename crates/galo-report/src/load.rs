//! A load by itself, as it is told, and all that is written while it runs.
//!
//! Whatever is told second by second ([`SecondsCsv`], [`IntervalLog`]) is written as it comes and not kept, so memory
//! does not grow with the length of a load.

mod hdr_log;
mod metrics;
mod seconds;
mod spark;
mod told;
mod totals;

pub use hdr_log::IntervalLog;
use metrics::Metrics;
pub use seconds::SecondsCsv;
pub use spark::{Glyphs, Scale, Sparkline};
pub(crate) use told::asserted;
pub use told::load;
pub use totals::Totals;
