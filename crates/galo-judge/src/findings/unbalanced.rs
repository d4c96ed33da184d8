//! `unbalanced` (should): every instance of a service takes part in the load.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::OPERATION;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// An instance took no real part in the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Unbalanced {
    /// The idle one.
    pub idle: ServiceCpu,
    /// Operations of the load.
    pub operations: u64,
    /// The other instances.
    pub others: Vec<ServiceCpu>,
}

/// CPU that a service used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceCpu {
    /// Which.
    pub service: String,
    /// User and system.
    pub cpu_ns: u64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("one instance had next to nothing to do", "uma instância ficou quase sem trabalho"),
    means: "De várias instâncias do mesmo serviço, uma usou muito menos CPU do que a sua parte: quase \
        toda a carga foi para outro lugar.",
    remedy: Some(Both::word("look at how the load balancer chooses", "Veja como o balanceador escolhe.")),
};

impl Tell for Unbalanced {
    fn sentence(&self, lang: Lang) -> String {
        let Self { idle, operations, others } = self;
        let (name, used) = (&idle.service, lang.seconds(idle.cpu_ns));
        let operations = lang.counted(*operations, OPERATION);
        let other = |other: &ServiceCpu| format!("`{}` {}", other.service, lang.seconds(other.cpu_ns));
        let others = others.iter().map(other).collect::<Vec<_>>().join(", ");
        say!(
            lang,
            "`{name}` used {used} of CPU over {operations}, {others}: nearly all of the load went elsewhere",
            "`{name}` usou {used} de CPU em {operations}, {others}: quase toda a carga foi para outro lugar"
        )
    }
}
