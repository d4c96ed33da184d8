//! The reports as one HTML file each, without any outside reference: style, script and data are in it.
//!
//! Words stand in the page in both languages, figures in tables; the charts are drawn by a script from columns of numbers
//! ([ADR 25](../../../docs/adr/025-the-pages-charts-are-drawn-by-uplot.md)). A policy in the page lets no other script run.

mod bar;
mod card;
mod cpu;
mod data;
mod frame;
mod glance;
pub(crate) mod lang;
mod page;
mod tables;
mod why;

use askama::Template;

use crate::report::Report;
use crate::series::RoundSeries;

pub(crate) use bar::RatioAxis;
pub(crate) use card::{Card, Cell, Head, Ratio, Row};
pub(crate) use data::{ChartData, LevelColumns};
pub(crate) use frame::{Frame, Opening};
pub(crate) use glance::Answer;
pub use lang::Language;
pub(crate) use page::shell_line;
pub(crate) use tables::{Table, machine};
pub(crate) use why::{FindingView, Found};

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

/// The report as one HTML file. `series` are those that [`crate::build()`] made with the report.
///
/// # Errors
/// None that depends on the report's content; see [`HtmlError`].
pub fn html(report: &Report, series: &[RoundSeries], language: Language) -> Result<String, HtmlError> {
    Ok(page::Page::new(report, series, language)?.render()?)
}
