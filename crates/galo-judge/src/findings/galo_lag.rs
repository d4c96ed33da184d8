//! `galo-lag`: galo was later than its goal.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Tell};

/// galo was later than its goal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GaloLag {
    /// 99 % of its lag.
    pub lag_us_p99: f64,
    /// The goal for it.
    pub goal_us: f64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("galo was later than its goal", "o galo se atrasou mais do que a sua meta"),
    means: "As latências contêm o atraso do próprio galo, que passou da meta dele.",
    remedy: None,
};

impl Tell for GaloLag {
    fn sentence(&self, lang: Lang) -> String {
        let Self { lag_us_p99, goal_us } = self;
        let lag = lang.decimals(lag_us_p99 / 1000.0, 1);
        let goal = lang.decimals(goal_us / 1000.0, 0);
        say!(
            lang,
            "galo's own lag is {lag} ms at p99, above its goal of {goal} ms; latencies hold it",
            "o atraso do próprio galo é de {lag} ms em p99, acima da sua meta de {goal} ms; as latências o contêm"
        )
    }

    fn blame(&self) -> Blame {
        Blame::Client
    }
}
