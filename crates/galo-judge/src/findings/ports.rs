//! `ports`: no local port was left.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::lacking::Lacking;
use super::{About, Cause};

/// A log says that no local port was left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ports(pub Lacking);

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("no local port was left", "acabaram as portas locais"),
    means: "O log de um serviço diz que não havia porta local para mais uma conexão. Cada conexão nova \
        com um mesmo endereço ocupa uma porta, e a segura por um minuto depois de terminar.",
    remedy: Some(Both::word(
        "keep connections between the services open (keep-alive, pools), or let them talk through \
            Unix sockets",
        "Mantenha abertas as conexões entre os serviços (keep-alive, pools), ou ligue-os por \
            sockets Unix.",
    )),
};

impl Cause for Ports {
    fn seen(&self, lang: Lang) -> String {
        self.0.sentence("no local port was left", "acabaram as portas locais", lang)
    }
}
