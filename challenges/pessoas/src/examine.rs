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

/// Advises against a JSON body under another Content-Type. Parameters such as `charset` are fine.
fn examine_content_type(examination: Examination, answer: &Answer<'_>) -> Examination {
    if answer.is_of_type("application/json") {
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
