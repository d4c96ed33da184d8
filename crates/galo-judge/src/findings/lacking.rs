//! What programs say in their logs that they lack.

use galo_plan::JsonSchema;
use galo_words::nouns::{LINE, OPERATION};
use galo_words::{Lang, say};
use serde::{Deserialize, Serialize};

/// Logs that say that something was lacking, and what failed meanwhile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lacking {
    /// Whose logs say so.
    pub said: Vec<Said>,
    /// Operations that failed.
    pub failed: u64,
}

/// Lines of a service's log that say one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Said {
    /// The service.
    pub service: String,
    /// How many lines.
    pub lines: u64,
}

impl Lacking {
    /// What was lacking, who says so, and how many operations failed.
    pub(super) fn sentence(&self, en: &str, pt: &str, lang: Lang) -> String {
        let Self { said, failed } = self;
        let said: Vec<String> = said.iter().map(|said| who_says_so(said, lang)).collect();
        let (what, said) = (lang.pick(en, pt), said.join(", "));
        let falhou = if *failed == 1 { "falhou" } else { "falharam" };
        let failed = lang.counted(*failed, OPERATION);
        say!(lang, "{what}: {said}, and {failed} failed", "{what}: {said}, e {failed} {falhou}")
    }
}

fn who_says_so(Said { service, lines }: &Said, lang: Lang) -> String {
    let lines = lang.counted(*lines, LINE);
    say!(lang, "`{service}` says so in {lines}", "`{service}` o diz em {lines}")
}
