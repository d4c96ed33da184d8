//! What a case of conformance expected, and what came instead.

use super::{Came, Elements, Expected, Ids};
use galo_words::nouns::{BYTE, ELEMENT, REQUEST};
use galo_words::{Lang, say};

/// Both sides in one sentence.
pub fn difference(expected: &Expected, came: &Came, lang: Lang) -> String {
    let (expected, came) = (expected.wording(lang), came.wording(lang));
    say!(lang, "expected {expected}, got {came}", "esperado {expected}, veio {came}")
}

impl Expected {
    /// Words for what an answer was held to.
    pub fn wording(&self, lang: Lang) -> String {
        match self {
            Expected::LivesOn => lang
                .pick("a server that lives on after this case", "um servidor que sobreviva a este caso")
                .to_owned(),
            Expected::WholeAnswer => lang.pick("a whole answer", "uma resposta inteira").to_owned(),
            Expected::NoServerError => lang.pick("no 5xx", "nenhum 5xx").to_owned(),
            Expected::Status { statuses } => {
                let statuses = match statuses.as_slice() {
                    [most @ .., last] if !most.is_empty() => {
                        format!("{} {} {last}", most.join(", "), lang.pick("or", "ou"))
                    }
                    one => one.concat(),
                };
                format!("status {statuses}")
            }
            Expected::Once { status, requests } => {
                let requests = lang.counted(*requests, REQUEST);
                say!(lang, "one {status} in {requests} at once", "um {status} em {requests} de uma vez")
            }
            Expected::Header { name } => say!(lang, "a {name}", "um {name}"),
            Expected::Location { before } => {
                say!(lang, "a Location of {before}<UUID>", "um Location de {before}<UUID>")
            }
            Expected::RelativeLocation => lang.pick("a relative Location", "um Location relativo").to_owned(),
            Expected::SameConnection => lang
                .pick(
                    "an answer on the connection of the request before it",
                    "uma resposta na conexão da requisição anterior",
                )
                .to_owned(),
            Expected::ContentType { media_type } => format!("Content-Type {media_type}"),
            Expected::Shows { json } => json.clone(),
            Expected::Lists { elements, is_array } => {
                let elements = listed(elements, lang);
                match is_array {
                    true => elements,
                    false => say!(lang, "an array of {elements}", "um array de {elements}"),
                }
            }
            Expected::Bytes { bytes } => {
                let bytes = lang.counted(*bytes, BYTE);
                say!(
                    lang,
                    "exactly the {bytes} that the challenge says",
                    "exatamente os {bytes} que o desafio diz"
                )
            }
            Expected::AtMost { elements } => {
                let elements = lang.counted(*elements, ELEMENT);
                say!(lang, "at most {elements}", "no máximo {elements}")
            }
            Expected::Array => lang.pick("an array", "um array").to_owned(),
            Expected::Element { json } => say!(lang, "an element {json}", "um elemento {json}"),
            Expected::Integer => lang.pick("an integer alone", "só um inteiro").to_owned(),
            Expected::AtLeast { count } => say!(lang, "at least {count}", "pelo menos {count}"),
        }
    }
}

impl Came {
    /// Words for what came instead.
    pub fn wording(&self, lang: Lang) -> String {
        match self {
            Came::NoMore { because } => {
                say!(lang, "it answers no more: {because}", "ele não responde mais: {because}")
            }
            Came::Broken { status: None, because } => because.clone(),
            Came::Broken { status: Some(status), because } => {
                say!(lang, "status {status}, then {because}", "status {status}, depois {because}")
            }
            Came::Status { status } => format!("status {status}"),
            Came::Had { requests } => say!(lang, "{requests} of them", "{requests} delas"),
            Came::Nothing => lang.pick("none", "nenhum").to_owned(),
            Came::Value { value } => value.clone(),
            Came::Closed => lang.pick("that connection was closed", "essa conexão foi fechada").to_owned(),
            Came::TooLong { bytes } => {
                let bytes = lang.counted(*bytes, BYTE);
                say!(lang, "{bytes}, too many for a right answer", "{bytes}, demais para uma resposta certa")
            }
            Came::NoJson { because } => say!(lang, "no JSON: {because}", "não é JSON: {because}"),
            Came::NoObject { value } => say!(lang, "{value}, no object", "{value}, que não é objeto"),
            Came::NoArray { value } => say!(lang, "{value}, no array", "{value}, que não é array"),
            Came::Other { key, value } => format!("{key} {value}"),
            Came::LeftOut { key } => say!(lang, "{key} left out", "{key} ausente"),
            Came::WithoutId { value } => {
                say!(lang, "an element without an id: {value}", "um elemento sem id: {value}")
            }
            Came::Twice { id } => say!(lang, "{id} twice", "{id} duas vezes"),
            Came::Known { known, listed } => {
                let listed = lang.counted(*listed, ELEMENT);
                say!(lang, "{known} of them in {listed}", "{known} deles em {listed}")
            }
            Came::Strangers(who) => ids(who, lang),
            Came::OtherBytes { bytes, alike } => {
                let (bytes, alike) = (lang.counted(*bytes, BYTE), lang.whole(*alike));
                say!(
                    lang,
                    "{bytes}, of which the first {alike} are right",
                    "{bytes}, dos quais os primeiros {alike} estão certos"
                )
            }
            Came::Elements { elements } => lang.counted(*elements, ELEMENT),
        }
    }
}

fn listed(elements: &Elements, lang: Lang) -> String {
    match elements {
        Elements::Nothing => lang.pick("nothing", "nada").to_owned(),
        Elements::AtLeast { at_least, of } => {
            let of = lang.counted(*of, ELEMENT);
            say!(lang, "at least {at_least} of {of}", "pelo menos {at_least} de {of}")
        }
        Elements::These(who) => ids(who, lang),
        Elements::NothingBut(who) => {
            let who = ids(who, lang);
            say!(lang, "nothing but {who}", "nada além de {who}")
        }
    }
}

fn ids(Ids { ids, more }: &Ids, lang: Lang) -> String {
    let named = ids.join(", ");
    match more {
        0 => named,
        more => say!(lang, "{named} and {more} more", "{named} e mais {more}"),
    }
}
