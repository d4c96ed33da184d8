//! What to make of an answer, check by check. Each is a function of what was sent and of the answer alone.

mod create;
mod read;
mod search;

use galo_plan::model::{Answer, Examination};

pub(crate) use create::{create, create_of_unknown};
pub(crate) use read::read;
pub(crate) use search::{MAY_STOP_AT, search};

use crate::rules::Broken;
use crate::text::quoted;

/// Builds an [`Examination`]: the first broken `must` counts, else the first broken `should`.
trait Findings {
    /// The answer is wrong.
    fn wrong(self, rule: Broken, difference: impl FnOnce() -> String) -> Self;
    /// The answer breaks a `should` rule, and stays right.
    fn advise(self, rule: Broken, difference: impl FnOnce() -> String) -> Self;
}

impl Findings for Examination {
    fn wrong(self, rule: Broken, difference: impl FnOnce() -> String) -> Self {
        if self.broken.is_some() {
            return self;
        }
        Self { broken: Some(rule as usize), advice: None, difference: Some(difference()), ..self }
    }

    fn advise(self, rule: Broken, difference: impl FnOnce() -> String) -> Self {
        if self.broken.is_some() || self.advice.is_some() {
            return self;
        }
        Self { advice: Some(rule as usize), difference: Some(difference()), ..self }
    }
}

/// Advises against a JSON body under another Content-Type. Parameters such as `charset` are fine.
fn examine_content_type(examination: Examination, answer: &Answer<'_>) -> Examination {
    let given = answer.content_type.unwrap_or_default();
    let media_type = given.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
    if media_type.eq_ignore_ascii_case(b"application/json") {
        return examination;
    }
    examination.advise(Broken::ContentTypeJson, || match answer.content_type {
        Some(given) => {
            format!("expected Content-Type application/json, got {}", quoted(&String::from_utf8_lossy(given)))
        }
        None => "expected Content-Type application/json, got none".to_owned(),
    })
}

#[cfg(test)]
mod tests;
