//! The report as one HTML file without any outside reference: style, script and charts are in it.
//!
//! Everything is told in tables and drawn charts; the script only adds a cursor that all charts over time share.

mod card;
mod chart;
mod charts;
mod page;
mod scale;
mod tables;

use askama::Template;

use crate::report::Report;
use crate::series::RoundSeries;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HtmlError {
    /// The template refused.
    #[error(
        "cannot write the report as HTML: {0}\nhint: this is a bug in galo; report.json holds the same figures"
    )]
    Template(#[from] askama::Error),
    /// The charts' values cannot be written.
    #[error(
        "cannot write the charts' values: {0}\nhint: this is a bug in galo; report.json holds the same figures"
    )]
    Values(#[from] serde_json::Error),
}

/// The report as one HTML file. `series` are those that [`crate::build`] made with the report.
///
/// # Errors
/// None that depends on the report's content; see [`HtmlError`].
pub fn html(report: &Report, series: &[RoundSeries]) -> Result<String, HtmlError> {
    Ok(page::Page::new(report, series)?.render()?)
}
