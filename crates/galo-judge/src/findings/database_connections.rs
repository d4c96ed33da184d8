//! `database-connections`: the database refused sessions.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::lacking::Lacking;
use super::{About, Cause};

/// A log says that the database refused sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseConnections(pub Lacking);

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("the database refused sessions", "o banco recusou conexões"),
    means: "Um log diz que o banco de dados não tinha mais sessões para dar. Em geral, os pools de \
        todas as instâncias, somados, pedem mais do que o `max_connections` permite.",
    remedy: Some(Both::word(
        "make the pools of all instances together smaller than the database's `max_connections` \
            (less what it reserves), or raise that; check that the configuration file is loaded at all",
        "Deixe os pools de todas as instâncias, somados, abaixo do `max_connections` (menos o que o \
            banco reserva), ou aumente-o. Confira se o arquivo de configuração é mesmo carregado.",
    )),
};

impl Cause for DatabaseConnections {
    fn seen(&self, lang: Lang) -> String {
        self.0.sentence("the database refused sessions", "o banco recusou sessões", lang)
    }
}
