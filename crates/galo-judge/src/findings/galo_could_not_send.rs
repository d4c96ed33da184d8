//! `galo-could-not-send`: galo could not send some requests.

use std::collections::BTreeMap;

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::failures::failure;
use super::{About, Void};

/// galo could not even try some operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GaloCouldNotSend {
    /// How many, by what was lacking, e.g. `no free local port`.
    pub operations: BTreeMap<String, u64>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word(
        "galo could not send some requests",
        "o galo não conseguiu enviar algumas requisições",
    ),
    means: "Faltou ao galo algo da máquina, como portas locais ou arquivos abertos, e o competidor nem \
        viu essas requisições. Tempos e taxas desta rodada não dizem nada sobre ele.",
    remedy: Some(Both::word(
        "raise the limits of this machine: `galo doctor` says which, and how",
        "Aumente os limites desta máquina: `galo doctor` diz quais, e como.",
    )),
};

impl Void for GaloCouldNotSend {
    fn why(&self, lang: Lang) -> String {
        let Self { operations } = self;
        let kinds =
            operations.iter().map(|(kind, n)| format!("{}: {}", failure(kind).get(lang), lang.whole(*n)));
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        say!(
            lang,
            "galo could not even try some operations ({kinds})",
            "o galo nem conseguiu tentar algumas operações ({kinds})"
        )
    }

    fn mend(&self, lang: Lang) -> Option<String> {
        let mends: Vec<&str> = self.operations.keys().map(|kind| mend(kind, lang)).collect();
        Some(mends.join("; "))
    }
}

/// What to do where something was lacking.
fn mend(kind: &str, lang: Lang) -> &'static str {
    match kind {
        "no free local port" => lang.pick(
            "keep connections open (--connection shared), or widen net.ipv4.ip_local_port_range",
            "mantenha conexões abertas (--connection shared), ou aumente net.ipv4.ip_local_port_range",
        ),
        "too many open files" => lang.pick(
            "raise the limit (`ulimit -n`), or use fewer connections (--connections)",
            "aumente o limite (`ulimit -n`), ou use menos conexões (--connections)",
        ),
        "no memory for sockets" => {
            lang.pick("use fewer connections (--connections)", "use menos conexões (--connections)")
        }
        _ => lang.pick("see `galo doctor`", "veja `galo doctor`"),
    }
}
