//! `busy-neighbour`: somebody else used a core that was full.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Figure, Lang, say};
use serde::{Deserialize, Serialize};

use super::accept_queue::of_proxy;
use super::{About, Cause};

/// Somebody else took the CPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BusyNeighbour {
    /// Share of the time in which the services wanted a core, in which they had none.
    pub waited_share: f64,
    /// CPU that processes used that are neither the contender's nor galo's, in cores.
    pub others_cpus: f64,
    /// The busiest of them by name.
    pub busiest: Option<String>,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "somebody else used a core that was full",
        "outro processo ocupou um núcleo que já estava cheio",
    ),
    means: "Os serviços queriam rodar e ficaram sem núcleo, enquanto processos que não são do \
        competidor nem do galo usavam CPU. A culpa é da máquina, e a rodada diz menos sobre o \
        competidor.",
    remedy: Some(Both::word(
        "look for what else runs here (`top`), and fight again",
        "Procure o que mais roda aqui (`top`), e rode a briga de novo.",
    )),
};

impl Cause for BusyNeighbour {
    fn seen(&self, lang: Lang) -> String {
        let Self { waited_share, others_cpus, .. } = self;
        let (waited, others) =
            (lang.figure(Figure::WholeShare(*waited_share)), lang.decimals(*others_cpus, 2));
        say!(
            lang,
            "the services waited for a core in {waited} of the time in which they wanted one, while processes that are \
             neither the contender's nor galo's used {others} CPU",
            "os serviços esperaram por um núcleo em {waited} do tempo em que queriam um, enquanto processos que não são \
             nem do competidor nem do galo usavam {others} CPU"
        )
    }

    fn blame(&self) -> Blame {
        Blame::Host
    }

    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        let Some(name) = self.busiest.as_deref() else { return usual };
        if name == "docker-proxy" {
            return Some(of_proxy());
        }
        Some(Both::new(
            format!("end `{name}`, or keep it off these cores (`taskset`), and fight again"),
            format!("Encerre `{name}`, ou deixe-o longe destes núcleos (`taskset`), e rode a briga de novo."),
        ))
    }
}
