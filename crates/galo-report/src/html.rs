//! What every page of a document is made with: its frame, and the numbers that its script draws.
//!
//! A page is one file without any outside reference: style, script and data are in it. Words stand in it in both languages,
//! figures in tables; the charts are drawn by a script from columns of numbers
//! ([ADR 25](../../../docs/adr/025-the-pages-charts-are-drawn-by-uplot.md)). A policy in the page lets no other script run.

mod data;
mod frame;
mod lang;

pub(crate) use data::ChartData;
pub(crate) use frame::Frame;
pub use lang::Language;

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
