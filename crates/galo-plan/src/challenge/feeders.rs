//! Feeders that a challenge's file names: tables of texts in files beside it.

use std::path::Path;

use super::raw::RawFeeder;
use crate::described::{Feeder, NoModel};
use crate::error::PlanError;
use crate::model::ChallengeModel;
use crate::source::Source;
use crate::table::Table;

/// A plan holds all cells, and each run its plan.
const MAX_BYTES: u64 = 16 << 20;
const MAX_CELLS: usize = 1_000_000;

pub(super) fn resolve(
    source: Source<'_>,
    raw: &[RawFeeder],
    model: &dyn ChallengeModel,
) -> Result<Vec<Feeder>, PlanError> {
    let mut feeders: Vec<Feeder> = Vec::new();
    for raw in raw {
        let at = |message: String| source.error_at(raw.name.span().start, message);
        let name = raw.name.get_ref();
        if model.name() != NoModel::NAME {
            let hint = "hint: write its rows in the model";
            return Err(at(format!("the feeders are those of the model `{}`\n{hint}", model.name())));
        }
        if feeders.iter().any(|earlier| earlier.name == *name) {
            return Err(at(format!("there is already a feeder `{name}`")));
        }
        let folder = Path::new(source.file).parent().unwrap_or(Path::new(""));
        let path = folder.join(raw.file.get_ref());
        let wrong = path.metadata().ok().and_then(|file| match file.is_file() {
            false => Some("is no file"),
            true => (file.len() > MAX_BYTES).then_some("is longer than a plan may hold: 16 MiB"),
        });
        if let Some(wrong) = wrong {
            let message = format!("`{}` {wrong}", path.display());
            return Err(source.error_at(raw.file.span().start, message));
        }
        let table =
            Table::read(&path, None).map_err(|error| source.error_at(raw.file.span().start, error))?;
        if table.rows() as usize * table.width() > MAX_CELLS {
            return Err(at(format!("a feeder may have {MAX_CELLS} cells at most\nhint: use fewer rows")));
        }
        if !table.is_text() {
            return Err(at(format!("the rows of `{name}` are not UTF-8")));
        }
        feeders.push(Feeder { name: name.clone(), table, pick: raw.pick, word: feeders.len() as u64 });
    }
    Ok(feeders)
}
