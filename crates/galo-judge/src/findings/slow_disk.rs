//! `slow-disk`: commits waited for the disk.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::caused::{BUSY_TIME, Explained, covered};
use super::{About, Cause};

/// Sessions of the database waited for the disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlowDisk {
    /// In how much of the time in which sessions were busy.
    pub seen: Explained,
    /// For how long, for each commit.
    pub commit_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("commits waited for the disk", "commits esperaram pelo disco"),
    means: "Sessões do banco esperaram pelo disco, e cada commit por muito tempo. O disco é da \
        máquina, mas é o competidor que escolhe quantos flushes faz.",
    remedy: Some(Both::word(
        "a faster disk; or fewer flushes: more creations in one commit, or more sessions whose \
            commits are flushed together",
        "Use um disco mais rápido, ou faça menos flushes: mais criações em cada commit, ou mais \
            sessões cujos commits vão juntos para o disco.",
    )),
};

impl Cause for SlowDisk {
    fn seen(&self, lang: Lang) -> String {
        let Self { seen, commit_ns } = self;
        let seen = covered(*seen, BUSY_TIME, lang);
        let commit = lang.decimals(*commit_ns as f64 / 1e6, 1);
        say!(
            lang,
            "sessions of the database waited for the disk in {seen}, {commit} ms for each commit",
            "sessões do banco esperaram pelo disco em {seen}, {commit} ms para cada commit"
        )
    }

    fn blame(&self) -> Blame {
        Blame::Host
    }
}
