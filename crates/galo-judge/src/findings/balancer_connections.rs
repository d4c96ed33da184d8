//! `balancer-connections`: the load balancer had no connection left.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use super::lacking::Lacking;
use super::{About, Cause};

/// A load balancer says that it had no connection left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BalancerConnections(pub Lacking);

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("the load balancer had no connection left", "o balanceador ficou sem conexões"),
    means: "O log do balanceador diz que o limite de conexões dele acabou, e houve operações que \
        falharam. Cada requisição em andamento ocupa duas: uma com o cliente, outra com a \
        instância.",
    remedy: Some(Both::word(
        "raise its limit (nginx: `worker_connections`, two for each request under way; HAProxy: \
            `maxconn`), with `nofile` to match",
        "Aumente o limite (nginx: `worker_connections`, duas para cada requisição em andamento; \
            HAProxy: `maxconn`), e o `nofile` junto.",
    )),
};

impl Cause for BalancerConnections {
    fn seen(&self, lang: Lang) -> String {
        self.0.sentence("the load balancer had no connection left", "o balanceador ficou sem conexões", lang)
    }
}
