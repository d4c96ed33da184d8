//! `history-unjudged`: not all of the history could be judged.

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::finding::Weight;
use galo_words::nouns::{ACCOUNT, KEY, SEARCH};
use galo_words::{Both, Lang, say};
use serde::{Deserialize, Serialize};

use super::{About, Kind, Tell};
use crate::step::StepName;

/// Rules could not be judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryUnjudged {
    /// Which.
    pub rules: Vec<Kind>,
    /// Why not.
    pub why: Unjudged,
}

/// Why rules about the history could not be judged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "why")]
pub enum Unjudged {
    /// The history contradicts itself.
    Contradicts,
    /// The model does not say what the rows of a step become.
    RowsUnsaid {
        /// The step.
        step: StepName,
    },
    /// The plan does not say what the check of a step means.
    CheckUnsaid {
        /// The step.
        step: StepName,
    },
    /// The model does not say whom a search must list.
    SearchesUnsaid,
    /// Searches listed more than the history keeps.
    ListsTooLong {
        /// How many.
        searches: u64,
    },
    /// Accounts with too many moves of which nothing is known.
    MovesTooOpen {
        /// How many.
        accounts: u64,
    },
    /// Keys with too many concurrent operations.
    TooConcurrent {
        /// How many.
        keys: u64,
    },
}

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("not all of the history could be judged", "nem todo o histórico pôde ser julgado"),
    means: "Algumas regras não puderam ser julgadas nesta rodada, e ninguém é acusado por isso.",
    remedy: None,
};

impl Tell for HistoryUnjudged {
    fn sentence(&self, lang: Lang) -> String {
        let Self { rules, why } = self;
        let rules: Vec<String> = rules.iter().map(|rule| format!("`{}`", rule.name())).collect();
        let (rules, why) = (lang.listed(&rules), unjudged(why, lang));
        say!(lang, "could not be judged: {rules}: {why}", "não deu para julgar: {rules}: {why}")
    }

    fn blame(&self) -> Blame {
        Blame::Client
    }
}

fn unjudged(why: &Unjudged, lang: Lang) -> String {
    match why {
        Unjudged::Contradicts => lang
            .pick(
                "the history contradicts itself (a bug in galo, or a damaged run)",
                "o histórico se contradiz (um defeito do galo, ou uma execução danificada)",
            )
            .to_owned(),
        Unjudged::RowsUnsaid { step: name } => {
            let step = name.sentence(lang);
            say!(
                lang,
                "the model does not say what the rows of {step} become",
                "o modelo não diz o que as linhas de {step} se tornam"
            )
        }
        Unjudged::CheckUnsaid { step: name } => {
            let step = name.sentence(lang);
            say!(
                lang,
                "the plan does not say what the check of {step} means (another version of galo made it)",
                "o plano não diz o que a verificação de {step} significa (foi feito por outra versão do galo)"
            )
        }
        Unjudged::SearchesUnsaid => lang
            .pick(
                "the model does not say whom a search must list",
                "o modelo não diz quem uma busca tem de trazer",
            )
            .to_owned(),
        Unjudged::ListsTooLong { searches } => {
            let (searches, verb) =
                (lang.counted(*searches, SEARCH), if *searches == 1 { "trouxe" } else { "trouxeram" });
            say!(
                lang,
                "{searches} listed more than the history keeps",
                "{searches} {verb} mais do que o histórico guarda"
            )
        }
        Unjudged::MovesTooOpen { accounts } => {
            let accounts = lang.counted(*accounts, ACCOUNT);
            say!(
                lang,
                "{accounts} with too many moves of which nothing is known",
                "{accounts} com movimentações demais de que nada se sabe"
            )
        }
        Unjudged::TooConcurrent { keys } => {
            let keys = lang.counted(*keys, KEY);
            say!(
                lang,
                "{keys} with too many concurrent operations",
                "{keys} com operações simultâneas demais"
            )
        }
    }
}
