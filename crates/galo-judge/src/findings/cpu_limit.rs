//! `cpu-limit`: a service had used up its CPU.

use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::caused::{Explained, used_up};
use super::{About, Cause};
use crate::evidence::{CpuUse, in_cpus};

/// A service had used up its CPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CpuLimit {
    /// Which.
    pub service: String,
    /// Its limit.
    pub limit_cpus: f64,
    /// In which of its quota periods.
    pub seen: Explained,
    /// Services that had much of theirs left.
    pub idle: Vec<CpuUse>,
    /// The budget shared out by what an answer cost each service; null where that would not help.
    pub split: Option<Split>,
}

/// A budget shared out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Split {
    /// All of it.
    pub budget_cpus: f64,
    /// Each service's part.
    pub parts: Vec<Part>,
}

/// A service's part of a budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Which.
    pub service: String,
    /// Its part.
    pub cpus: f64,
}

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("a service had used up its CPU", "um serviço esgotou a sua CPU"),
    means: "O limite de CPU é uma cota para cada 100 ms: quem a gasta fica parado até a próxima \
        (throttling), e um serviço parado faz todos os outros esperarem. Isso aconteceu mais \
        enquanto usuários esperavam do que quando tudo ia bem.",
    remedy: Some(Both::word(
        "make an answer cost it less CPU, or give it more of the budget",
        "Divida a CPU de outro jeito entre os serviços, ou faça cada resposta custar menos a este. \
            Mais CPU pode não bastar: o próximo limite talvez esteja perto.",
    )),
};

impl Cause for CpuLimit {
    fn seen(&self, lang: Lang) -> String {
        let Self { service, limit_cpus, seen, idle, .. } = self;
        let idle: Vec<String> = idle.iter().map(|other| idle_other(other, lang)).collect();
        let idle = match idle.as_slice() {
            [] => String::new(),
            some => {
                let some = some.join(", ");
                say!(lang, ", while {some}", ", enquanto {some}")
            }
        };
        used_up(service, *limit_cpus, *seen, lang) + &idle
    }

    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        let Some(split) = &self.split else { return usual };
        Some(Both::each(|lang| {
            let (parts, budget) = (parts(split, lang), in_cpus(split.budget_cpus, lang));
            say!(
                lang,
                "shared out by what an answer cost each of them, the same {budget} CPU are: {parts}",
                "Divididas pelo que uma resposta custou a cada um, as mesmas {budget} CPU são: {parts}."
            )
        }))
    }
}

fn idle_other(CpuUse { service, cpus: used, limit_cpus }: &CpuUse, lang: Lang) -> String {
    let (used, limit) = (lang.decimals(*used, 2), in_cpus(limit_cpus.unwrap_or_default(), lang));
    say!(lang, "`{service}` used {used} of {limit}", "`{service}` usou {used} de {limit}")
}

fn parts(split: &Split, lang: Lang) -> String {
    let each = split.parts.iter().map(|part| format!("`{}` {}", part.service, lang.decimals(part.cpus, 2)));
    each.collect::<Vec<_>>().join(", ")
}
