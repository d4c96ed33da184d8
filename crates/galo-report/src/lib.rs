//! Tell it: views of what was judged, as terminal, HTML and Markdown; and runs side by side.
//!
//! Judges nothing. Everything here is made of what galo-judge folded from a run folder (or a log) alone: no clock, no
//! network, no contender. The same folder makes the same bytes.
//!
//! Its one key decision: a view is a function from what was judged to a [`Document`], which every renderer shows. What was
//! judged is the JSON, so no figure can differ between them.

mod cell;
mod columns;
mod compare;
mod digits;
mod document;
mod duel;
mod end;
mod fight;
mod findings;
mod league;
pub mod limit;
pub mod live;
pub mod load;
mod markdown;
mod metrics;
pub mod requests;
mod scan;
mod series;
mod shape;
pub mod soak;
mod sweep;
mod text;
mod trend;
mod tune;
mod words;

pub use compare::comparison;
pub use document::{Document, HtmlError, Language};
pub use duel::duel;
pub use fight::fight;
pub use league::{EntryPage, league, league_csv, league_entries, not_started};
pub use limit::limit;
pub use live::run_metrics;
pub use load::load;
pub use requests::Requests;
pub use scan::scan;
pub use series::RoundSeries;
pub use soak::soak;
pub use sweep::{sweep, unseen_variable};
pub use text::{Look, clean};
pub use trend::{Export, trend};
pub use tune::tune;
pub use words::labels::level;
pub use words::{over_budget, so_far, uncommitted};
