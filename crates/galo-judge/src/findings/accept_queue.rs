//! `accept-queue`: connections were dropped before anybody accepted them.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::CONNECTION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::caused::{Explained, TIME, covered};
use super::{About, Cause};

/// Connections were dropped because an accept queue was full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptQueue {
    /// How many.
    pub dropped: u64,
    /// How much of the time followed on that.
    pub seen: Explained,
    /// Whether it was the queue of a container engine's proxy, which listens at the published port of a container on a bridge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_engines: bool,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "connections were dropped before anybody accepted them",
        "conexões foram descartadas antes que alguém as aceitasse",
    ),
    means: "A fila de accept de um socket encheu, e o kernel descartou o que chegava. Cada cliente \
        descartado espera um segundo antes de tentar de novo: é isso que aparece como latências de \
        pouco mais de 1 s e como timeouts.",
    remedy: Some(Both::word(
        "accept sooner (a thread that does only that, more CPU), or raise the backlog: the server's \
            own, and net.core.somaxconn",
        "Aceite mais cedo (uma thread só para isso, ou mais CPU para quem aceita), ou aumente o \
            backlog: o do servidor e o `net.core.somaxconn`.",
    )),
};

impl Cause for AcceptQueue {
    fn seen(&self, lang: Lang) -> String {
        let Self { dropped, seen, is_engines } = self;
        let connections = lang.counted(*dropped, CONNECTION);
        let (was, foram) =
            if *dropped == 1 { ("was", "foi descartada") } else { ("were", "foram descartadas") };
        let seen = covered(*seen, TIME, lang);
        let whose = match is_engines {
            true => say!(lang, " of the container engine's proxy", " do proxy do motor de contêineres"),
            false => String::new(),
        };
        say!(
            lang,
            "{connections} {was} dropped because an accept queue{whose} was full, and such a client waits a second before it \
             tries again; {seen} followed on that",
            "{connections} {foram} porque uma fila de accept{whose} estava cheia, e um cliente assim espera um segundo antes de \
             tentar de novo; {seen} veio depois disso"
        )
    }

    /// A container engine's proxy is the machine's.
    fn blame(&self) -> Blame {
        if self.is_engines { Blame::Host } else { Blame::Contender }
    }

    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        if self.is_engines { Some(of_proxy()) } else { usual }
    }
}

/// What is done against a container engine's proxy of ports.
pub(super) fn of_proxy() -> Both {
    Both::new(
        "`docker-proxy` copies all that goes to the published port of a container on a bridge: give the load balancer the \
         machine's network (`network_mode: host`), or start the engine without it (`dockerd --userland-proxy=false`)",
        "O `docker-proxy` copia tudo que vai à porta publicada de um contêiner numa bridge: dê ao balanceador a rede da máquina \
         (`network_mode: host`), ou inicie o motor sem ele (`dockerd --userland-proxy=false`).",
    )
}
