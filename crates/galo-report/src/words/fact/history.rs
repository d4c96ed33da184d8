//! Of what only the whole history shows.

use galo_judge::fact::{HistoryFact, SearchLacks, Unjudged};
use galo_words::nouns::{ANSWER, CREATION, KEY, READ, SEARCH};
use galo_words::{Lang, say};

use super::step;

pub(super) fn sentence(fact: &HistoryFact, lang: Lang) -> String {
    match fact {
        HistoryFact::HistoryUnjudged { rules, why } => {
            let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
            let (rules, why) = (lang.listed(&rules), unjudged(why, lang));
            say!(lang, "could not be judged: {rules}: {why}", "não deu para julgar: {rules}: {why}")
        }
        HistoryFact::CreatedTwice { keys, extra } => {
            let extra = lang.counted(*extra, CREATION);
            let keys_counted = lang.counted(*keys, KEY);
            let (was, foi) =
                if *keys == 1 { ("was", "foi confirmada") } else { ("were", "foram confirmadas") };
            say!(
                lang,
                "{keys_counted} {was} acknowledged more than once, {extra} too many",
                "{keys_counted} {foi} mais de uma vez, {extra} a mais"
            )
        }
        HistoryFact::ReadMissesAcknowledged { missed, reads, longest_ns } => {
            let (missed, reads) = (lang.whole(*missed), lang.counted(*reads, READ));
            let longest = lang.moment(*longest_ns);
            say!(
                lang,
                "{missed} of {reads} did not find what was acknowledged before, up to {longest} after it",
                "{missed} de {reads} não acharam o que já tinha sido confirmado, até {longest} depois"
            )
        }
        HistoryFact::SearchMissesAcknowledged(lacks) => search_lacks(lacks, "acknowledged", lang),
        HistoryFact::SearchForgets(lacks) => search_lacks(lacks, "found", lang),
        HistoryFact::SearchUnknownPerson {
            answers,
            never_sent,
            sent_later,
            other_identity,
            other_fields,
            two_identities,
        } => {
            let kinds = [
                (never_sent, "with fields that were never sent", "com campos que nunca foram enviados"),
                (sent_later, "before they were sent", "antes de serem enviados"),
                (
                    other_identity,
                    "with another identity than the acknowledgement gave",
                    "com outra identidade que não a da confirmação",
                ),
                (
                    other_fields,
                    "with an identity that had other fields before",
                    "com uma identidade que antes tinha outros campos",
                ),
                (
                    two_identities,
                    "with another identity than before",
                    "com outra identidade que não a de antes",
                ),
            ];
            let kinds = kinds.iter().filter(|(number, ..)| **number > 0);
            let kinds: Vec<String> = kinds
                .map(|(number, en, pt)| format!("{} {}", lang.whole(**number), lang.pick(en, pt)))
                .collect();
            let (kinds, verb) = (lang.listed(&kinds), if *answers == 1 { "mostrou" } else { "mostraram" });
            let answers = lang.counted(*answers, ANSWER);
            say!(lang, "{answers} showed {kinds}", "{answers} {verb} {kinds}")
        }
        HistoryFact::IdentityGivenTwice { identities, creations } => {
            let (number, creations) = (lang.whole(*identities), lang.counted(*creations, CREATION));
            match identities {
                1 => say!(
                    lang,
                    "1 identity was given to {creations} of different rows",
                    "1 identidade foi dada a {creations} de linhas diferentes"
                ),
                _ => say!(
                    lang,
                    "{number} identities were given to {creations} of different rows",
                    "{number} identidades foram dadas a {creations} de linhas diferentes"
                ),
            }
        }
        HistoryFact::RefusedButKept { creations } => {
            let number = lang.whole(*creations);
            match creations {
                1 => say!(
                    lang,
                    "1 creation that was refused left a row that was found",
                    "1 criação que foi recusada deixou uma linha que foi achada"
                ),
                _ => say!(
                    lang,
                    "{number} creations that were refused left rows that were found",
                    "{number} criações que foram recusadas deixaram linhas que foram achadas"
                ),
            }
        }
        HistoryFact::FailedButKept { creations } => {
            let number = lang.whole(*creations);
            match creations {
                1 => say!(
                    lang,
                    "1 creation that was answered with a 5xx left a row that was found",
                    "1 criação que foi respondida com um 5xx deixou uma linha que foi achada"
                ),
                _ => say!(
                    lang,
                    "{number} creations that were answered with a 5xx left rows that were found",
                    "{number} criações que foram respondidas com um 5xx deixaram linhas que foram achadas"
                ),
            }
        }
        HistoryFact::RefusedWithoutDuplicate { creations } => {
            let number = lang.whole(*creations);
            match creations {
                1 => say!(
                    lang,
                    "1 valid creation was refused before any other of its key can have happened",
                    "1 criação válida foi recusada antes que outra da mesma chave pudesse ter acontecido"
                ),
                _ => say!(
                    lang,
                    "{number} valid creations were refused before any other of their keys can have happened",
                    "{number} criações válidas foram recusadas antes que outra da mesma chave pudesse ter acontecido"
                ),
            }
        }
        HistoryFact::NotLinearizable { keys } => {
            let keys = lang.counted(*keys, KEY);
            say!(
                lang,
                "the answers about {keys} fit no order of events",
                "as respostas sobre {keys} não cabem em nenhuma ordem de acontecimentos"
            )
        }
    }
}

/// In none of the later answers need not mean lost: nobody may have asked for them again.
fn search_lacks(lacks: &SearchLacks, known: &str, lang: Lang) -> String {
    let (searches, of) = (lang.whole(lacks.searches), lang.whole(lacks.of));
    let creations = lang.counted(lacks.creations, CREATION);
    let longest = lang.moment(lacks.longest_ns);
    let (later, never) = (lang.whole(lacks.creations.saturating_sub(lacks.never)), lang.whole(lacks.never));
    let found = match lacks.latest_ns {
        None => lang
            .pick("none of them is in a later answer", "nenhuma delas está numa resposta posterior")
            .to_owned(),
        Some(latest_ns) => {
            let latest = lang.moment(latest_ns);
            say!(
                lang,
                "{later} of them are in a later answer, at most {latest} later, {never} in none",
                "{later} delas estão numa resposta posterior, no máximo {latest} depois, {never} em nenhuma"
            )
        }
    };
    let known_pt = match (known, lacks.creations) {
        ("found", 1) => "achada",
        ("found", _) => "achadas",
        (_, 1) => "confirmada",
        (_, _) => "confirmadas",
    };
    say!(
        lang,
        "{searches} of {of} searches did not list {creations} {known} before, up to {longest} earlier; {found}",
        "{searches} de {of} buscas não trouxeram {creations} {known_pt} antes, até {longest} antes; {found}"
    )
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
            let step = step(name, lang);
            say!(
                lang,
                "the model does not say what the rows of {step} become",
                "o modelo não diz o que as linhas de {step} se tornam"
            )
        }
        Unjudged::CheckUnsaid { step: name } => {
            let step = step(name, lang);
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
