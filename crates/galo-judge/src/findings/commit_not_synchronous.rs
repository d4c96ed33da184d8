//! `commit-not-synchronous` (should): the database commits only when the commit is on the disk.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// A database says of itself that it does not wait for the disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommitNotSynchronous {
    /// What it is, e.g. `PostgreSQL`.
    pub system: String,
    /// The service.
    pub service: String,
    /// Its settings that are off.
    pub off: Vec<String>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("commits do not wait for the disk", "commits não esperam pelo disco"),
    means: "O próprio banco diz que `fsync` ou `synchronous_commit` está desligado: o que ele confirma \
        pode ainda não estar no disco.",
    remedy: Some(Both::word(
        "leave these settings as they come: on",
        "Deixe essas configurações como vêm: ligadas.",
    )),
};

impl Tell for CommitNotSynchronous {
    fn sentence(&self, lang: Lang) -> String {
        let Self { system, service, off } = self;
        let off = off.iter().map(|name| format!("{name} = off")).collect::<Vec<_>>().join(", ");
        say!(
            lang,
            "the {system} of `{service}` does not wait for the disk: {off}",
            "o {system} de `{service}` não espera pelo disco: {off}"
        )
    }
}
