//! Traffic and cases from the description of an API: OpenAPI 3.0 and 3.1.
//!
//! What is described is taken at its word, and nothing else is: what cannot be called without guessing is left out, and
//! told. References are followed within the file and to files in its folder; schemas are built to a bounded depth and size.

mod cases;
mod discriminator;
mod document;
mod files;
mod fitted;
mod model;
mod operation;
mod schema;

use std::path::Path;

use crate::draft::{DraftRequests, Request, Scenario};
use crate::error::InitError;
use document::Document;
use operation::Operation;

/// Scenarios at most: flat step numbers are kept in one byte.
const MAX_SCENARIOS: usize = 255;
/// What all requests together may take up, in bytes: each case of a large body holds it anew.
const MAX_BYTES: usize = 32 << 20;

/// Reads a description. `own`: the request of the options; its path, if it has one, takes the place of that of the
/// description's first server, and its headers go with every request.
///
/// # Errors
/// It cannot be read, is no description, or describes nothing that can be called.
pub(super) fn read(file: &Path, own: &Request) -> Result<DraftRequests, InitError> {
    let document = Document::read(file)?;
    let mut traffic = DraftRequests { title: document.title(), ..DraftRequests::default() };
    let base = if own.target == "/" { document.base_path() } else { own.target.clone() };
    let mut room = MAX_BYTES;
    for described in document.operations() {
        let operation = described.and_then(|described| Operation::new(&document, &described, &base, own));
        match operation {
            Ok(operation) if add(&document, &operation, &mut traffic, &mut room).is_none() => {
                let because = format!("all requests together are larger than {} MiB", MAX_BYTES >> 20);
                let what = format!("what follows in {} and after it", operation.name);
                traffic.told.push(LeftOut { what, because }.to_string());
                break;
            }
            Ok(_) => {}
            Err(left_out) => traffic.told.push(left_out.to_string()),
        }
    }
    if traffic.scenarios.is_empty() {
        let told = traffic.told.iter().map(|line| format!("\n  {line}")).collect::<String>();
        let hint = "give the examples that are missing, or write the challenge by `galo init --url`";
        let text = format!("`{}` describes nothing that can be called{told}\nhint: {hint}", file.display());
        return Err(InitError::Wrong(text));
    }
    for rest in traffic.scenarios.split_off(traffic.scenarios.len().min(MAX_SCENARIOS)) {
        let because = format!("a challenge has {MAX_SCENARIOS} steps at most");
        traffic.told.push(LeftOut { what: format!("the traffic of {}", rest.name), because }.to_string());
    }
    Ok(traffic)
}

/// Adds what an operation gives, as long as there is room for it, in bytes; `None`: there was not enough.
fn add(
    document: &Document,
    operation: &Operation,
    traffic: &mut DraftRequests,
    room: &mut usize,
) -> Option<()> {
    let mut take = |bytes: usize| {
        *room = room.checked_sub(bytes)?;
        Some(())
    };
    match operation.scenario() {
        Ok(request) => {
            take(request.bytes())?;
            traffic.scenarios.push(Scenario { name: operation.name.clone(), weight: 1, request });
        }
        Err(because) => {
            let what = format!("the traffic of {}", operation.name);
            traffic.told.push(LeftOut { what, because }.to_string());
        }
    }
    for case in cases::of(document, operation) {
        match case {
            Ok(case) => {
                take(case.request.bytes())?;
                traffic.cases.push(case);
            }
            Err(left_out) => {
                let line = left_out.to_string();
                take(line.len())?;
                traffic.told.push(line);
            }
        }
    }
    Some(())
}

/// Something that is described, but not tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("left out: {what}, because {because}")]
struct LeftOut {
    what: String,
    because: String,
}

#[cfg(test)]
mod tests;
