//! `galo-busy`: galo itself was the bottleneck.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::THREAD;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Void};

/// galo's own threads had no time, or no core, for more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum GaloBusy {
    /// galo's own threads were the bottleneck.
    Busy {
        /// How many.
        threads: u32,
        /// Share of the time in which they were busy.
        share: f64,
        /// What it may be at most.
        bound: f64,
    },
    /// A thread of galo's was always busy, and users waited for a connection: it is free once galo has read the answer.
    KeptWaiting {
        /// Share of the time in which the busiest thread was busy.
        share: f64,
        /// What it may be at most.
        bound: f64,
        /// Share of the operations that waited for a connection.
        waited: f64,
    },
    /// A thread of galo's was ready to run and had no core.
    Waited {
        /// Share of the time in which it waited.
        share: f64,
        /// What it may be at most.
        bound: f64,
    },
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("galo itself was the bottleneck", "o gargalo foi o próprio galo"),
    means: "As threads do motor de carga ficaram ocupadas quase o tempo todo, e as chegadas seguintes \
        teriam esperado por elas. Tempos e taxas desta rodada não dizem nada sobre o competidor.",
    remedy: Some(Both::word(
        "leave galo a core of its own (`cpuset` in the contender's file), end what else runs here, \
            or lower the load (`--scale`)",
        "Deixe um núcleo só para o galo (`cpuset` no arquivo do competidor), encerre o que mais \
            roda aqui, ou diminua a carga (`--scale`).",
    )),
};

impl Void for GaloBusy {
    fn why(&self, lang: Lang) -> String {
        match self {
            Self::Busy { threads, share, bound } => {
                let threads = lang.counted((*threads).into(), THREAD);
                let [share, bound] = [*share, *bound].map(|share| lang.figure(Figure::WholeShare(share)));
                say!(
                    lang,
                    "galo was the bottleneck: its load engine ({threads}) was busy {share} of the time, over {bound}",
                    "o gargalo foi o galo: o seu motor de carga ({threads}) esteve ocupado {share} do tempo, acima de {bound}"
                )
            }
            Self::KeptWaiting { share, bound, waited } => {
                let [share, bound, waited] =
                    [*share, *bound, *waited].map(|share| lang.figure(Figure::WholeShare(share)));
                say!(
                    lang,
                    "galo may have kept users waiting: a thread of its load engine was busy {share} of the time, over {bound}, and {waited} of the operations waited for a connection",
                    "o galo pode ter feito usuários esperarem: uma thread do seu motor de carga esteve ocupada {share} do tempo, acima de {bound}, e {waited} das operações esperaram por uma conexão"
                )
            }
            Self::Waited { share, bound } => {
                let [share, bound] = [*share, *bound].map(|share| lang.figure(Figure::WholeShare(share)));
                say!(
                    lang,
                    "galo waited for a core {share} of the time, over {bound}",
                    "o galo esperou por um núcleo {share} do tempo, acima de {bound}"
                )
            }
        }
    }

    fn mend(&self, lang: Lang) -> Option<String> {
        match self {
            Self::Busy { .. } => None,
            Self::KeptWaiting { .. } => Some(lang.pick(
                "give it more threads (--threads), or ask for a lower rate",
                "dê-lhe mais threads (--threads), ou peça uma taxa menor",
            )),
            Self::Waited { .. } => Some(lang.pick(
                "leave it one (`taskset` keeps the server on the others), or run it on another machine",
                "deixe-lhe um (`taskset` mantém o servidor nos outros), ou rode-o em outra máquina",
            )),
        }
        .map(str::to_owned)
    }
}

/// That galo's threads were busy for such a share of the time, in a load that counts. `is_open`: its users
/// arrive whatever the server does.
pub fn busy_sentence(share: f64, is_open: bool, lang: Lang) -> String {
    let what = match is_open {
        true => lang.pick(
            "a higher rate needs more of them (--threads)",
            "uma taxa maior precisa de mais delas (--threads)",
        ),
        false => lang.pick(
            "the rate may be galo's own limit, not the server's (--threads gives more of them)",
            "a taxa pode ser o limite do próprio galo, não o do servidor (--threads dá mais delas)",
        ),
    };
    let share = lang.figure(Figure::WholeShare(share));
    say!(
        lang,
        "galo's threads were busy {share} of the time: {what}",
        "as threads do galo estiveram ocupadas {share} do tempo: {what}"
    )
}
