//! `limits-lost`: a service lost its limits.

use galo_plan::Blame;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};

use super::{About, Tell};

use galo_record::finding::LimitsLost;

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("a service lost its limits", "um serviço perdeu os seus limites"),
    means: "Alguém mudou os limites dele durante a rodada, então ela não foi justa.",
    remedy: Some(Both::word(
        "find out what else on this machine manages control groups",
        "Descubra o que mais nesta máquina mexe em cgroups.",
    )),
};

impl Tell for LimitsLost {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, difference, .. } = self;
        match difference {
            Some(_) => say!(
                lang,
                "service `{service}` no longer had its limits during the round",
                "o serviço `{service}` já não tinha os seus limites durante a rodada"
            ),
            None => say!(
                lang,
                "the limits of service `{service}` were written to during the round",
                "alguém escreveu nos limites do serviço `{service}` durante a rodada"
            ),
        }
    }

    fn blame(&self) -> Blame {
        Blame::Host
    }

    fn evidence(&self) -> Vec<Both> {
        self.written.iter().chain(&self.difference).map(|line| Both::same(line.clone())).collect()
    }
}
