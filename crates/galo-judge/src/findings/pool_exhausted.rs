//! `pool-exhausted`: all connections to the database were in use.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::caused::{Explained, TIME, covered};
use super::lacking::Lacking;
use super::{About, Cause};

/// All connections to the database were in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum PoolExhausted {
    /// Looks at the database's sessions showed it.
    Sessions {
        /// For how much of the time.
        seen: Explained,
        /// How many sessions there were.
        sessions: u32,
        /// Operations that were under way meanwhile.
        under_way: f64,
    },
    /// A pool says so in a log.
    Log(Lacking),
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "all connections to the database were in use",
        "todas as conexões com o banco estavam em uso",
    ),
    means: "As sessões com o banco estavam ocupadas, ou um pool diz no log que não tinha mais nenhuma, \
        enquanto outras operações esperavam. O pool em si o galo não vê.",
    remedy: Some(Both::word(
        "measure a larger connection pool (twice, four times as large), or hold a connection for \
            less of a request",
        "Meça com um pool maior (o dobro, o quádruplo), ou segure cada conexão por uma parte menor \
            da requisição.",
    )),
};

impl Cause for PoolExhausted {
    fn seen(&self, lang: Lang) -> String {
        match self {
            Self::Sessions { seen, sessions, under_way } => {
                let (seen, under_way) = (covered(*seen, TIME, lang), lang.decimals(*under_way, 0));
                say!(
                    lang,
                    "the sessions with the database (at most {sessions}) were in use for {seen}, while {under_way} operations \
             were under way and no service was at its CPU limit",
                    "as sessões com o banco (no máximo {sessions}) estiveram em uso por {seen}, enquanto {under_way} operações \
             estavam em andamento e nenhum serviço estava no seu limite de CPU"
                )
            }
            Self::Log(lacking) => lacking.sentence(
                "a connection pool had nothing left",
                "um pool de conexões ficou sem nenhuma",
                lang,
            ),
        }
    }
}
