//! The two languages in which a run is told, and how each writes figures.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

/// The language in which something is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Portuguese.
    Pt,
}

/// A thing that is counted, one of it and several, in both languages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noun {
    en: [&'static str; 2],
    pt: [&'static str; 2],
}

/// `NAME: "one", "many"; "um", "muitos";`
macro_rules! nouns {
    ($($name:ident: $en:literal, $en_many:literal; $pt:literal, $pt_many:literal;)*) => {
        $(pub(crate) const $name: Noun = Noun { en: [$en, $en_many], pt: [$pt, $pt_many] };)*
    };
}

nouns! {
    ACKNOWLEDGED: "acknowledged creation", "acknowledged creations"; "criação confirmada", "criações confirmadas";
    ALLOCATION: "allocation", "allocations"; "alocação", "alocações";
    ANSWER: "answer", "answers"; "resposta", "respostas";
    BYTE: "byte", "bytes"; "byte", "bytes";
    CASE: "case", "cases"; "caso", "casos";
    CONNECTION: "connection", "connections"; "conexão", "conexões";
    CORE: "core", "cores"; "núcleo", "núcleos";
    CREATION: "creation", "creations"; "criação", "criações";
    FAILED_OPERATION: "failed operation", "failed operations"; "operação falha", "operações falhas";
    FAULT: "major page fault", "major page faults"; "página lida do disco", "páginas lidas do disco";
    FORCED_WRITE: "forced write", "forced writes"; "escrita forçada", "escritas forçadas";
    KEY: "key", "keys"; "chave", "chaves";
    LINE: "line", "lines"; "linha", "linhas";
    LOOK: "look", "looks"; "olhada", "olhadas";
    LOOKUP: "lookup", "lookups"; "consulta", "consultas";
    MORE_PAIR: "more pair", "more pairs"; "par a mais", "pares a mais";
    OPENED_CONNECTION: "connection opened", "connections opened"; "conexão aberta", "conexões abertas";
    OPERATION: "operation", "operations"; "operação", "operações";
    ENGINE_THREAD: "engine thread", "engine threads"; "thread do motor", "threads do motor";
    PAIR: "pair", "pairs"; "par", "pares";
    PASS: "more pass", "more passes"; "passada a mais", "passadas a mais";
    PERIOD: "quota period", "quota periods"; "período da cota", "períodos da cota";
    PERSON: "person", "people"; "pessoa", "pessoas";
    READ: "read", "reads"; "leitura", "leituras";
    REFUSED: "refused creation", "refused creations"; "criação recusada", "criações recusadas";
    REQUEST: "request", "requests"; "requisição", "requisições";
    RETRIED: "retried", "retried"; "repetida", "repetidas";
    ROUND: "round", "rounds"; "rodada", "rodadas";
    ROW: "row", "rows"; "linha", "linhas";
    RULE: "rule", "rules"; "regra", "regras";
    RUN: "run", "runs"; "execução", "execuções";
    SAMPLE: "sample", "samples"; "amostra", "amostras";
    SEARCH: "search", "searches"; "busca", "buscas";
    SEGMENT: "TCP segment retransmitted", "TCP segments retransmitted"; "segmento TCP reenviado", "segmentos TCP reenviados";
    SLOW_OPERATION: "slow or failed operation", "slow or failed operations"; "operação lenta ou falha", "operações lentas ou falhas";
    STALL: "stall", "stalls"; "parada", "paradas";
    START: "start", "starts"; "início", "inícios";
    STEP: "step", "steps"; "passo", "passos";
    THREAD: "thread", "threads"; "thread", "threads";
    TURN: "turn", "turns"; "turno", "turnos";
    VOID_ROUND: "more void round", "more void rounds"; "outra rodada nula", "outras rodadas nulas";
    WRITE: "write", "writes"; "escrita", "escritas";
    WAITED: "waited for a free connection", "waited for a free connection"; "esperou por uma conexão livre", "esperaram por uma conexão livre";
}

/// A sentence in one of the languages, with the figures that are in scope.
macro_rules! say {
    ($lang:expr, $en:literal, $pt:literal $(,)?) => {
        match $lang {
            $crate::words::Lang::En => format!($en),
            $crate::words::Lang::Pt => format!($pt),
        }
    };
}

pub(crate) use say;

impl Lang {
    /// One of two.
    pub(crate) const fn pick<'a>(self, en: &'a str, pt: &'a str) -> &'a str {
        match self {
            Self::En => en,
            Self::Pt => pt,
        }
    }

    /// A figure written in English, in this language.
    pub(crate) fn figure(self, english: String) -> String {
        match self {
            Self::En => english,
            Self::Pt => with_decimal_commas(&english),
        }
    }

    /// A whole number: `54,635`.
    pub(crate) fn whole(self, number: u64) -> String {
        self.figure(super::count(number))
    }

    /// A number with so many decimals, without a sign between thousands.
    pub(crate) fn decimals(self, number: f64, decimals: usize) -> String {
        self.figure(format!("{number:.decimals$}"))
    }

    /// Nanoseconds as seconds with one decimal: `3.1 s`.
    pub(crate) fn seconds(self, ns: u64) -> String {
        format!("{} s", self.decimals(ns as f64 / 1e9, 1))
    }

    /// Nanoseconds as seconds to the microsecond: `3.100000 s`.
    pub(crate) fn moment(self, ns: u64) -> String {
        format!("{} s", self.decimals(ns as f64 / 1e9, 6))
    }

    /// A number of things: `1 operation`, `54,635 operations`.
    pub(crate) fn counted(self, number: u64, noun: Noun) -> String {
        let form = usize::from(number != 1);
        let noun = self.pick(noun.en[form], noun.pt[form]);
        format!("{} {noun}", self.whole(number))
    }

    /// Joins as in a sentence: `a`, `a and b`, `a, b and c`.
    pub(crate) fn listed(self, names: &[String]) -> String {
        match names {
            [] => String::new(),
            [one] => one.clone(),
            [most @ .., last] => format!("{} {} {last}", most.join(", "), self.pick("and", "e")),
        }
    }
}

/// The same in both languages. JSON has the English of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Both {
    pub(crate) en: Cow<'static, str>,
    pub(crate) pt: Cow<'static, str>,
}

impl Both {
    pub(crate) const fn word(en: &'static str, pt: &'static str) -> Self {
        Self { en: Cow::Borrowed(en), pt: Cow::Borrowed(pt) }
    }

    pub(crate) fn new(en: impl Into<Cow<'static, str>>, pt: impl Into<Cow<'static, str>>) -> Self {
        Self { en: en.into(), pt: pt.into() }
    }

    /// Told in each.
    pub(crate) fn told(tell: impl Fn(Lang) -> String) -> Self {
        Self::new(tell(Lang::En), tell(Lang::Pt))
    }

    /// What no language changes: names, identifiers.
    pub fn same(text: impl Into<Cow<'static, str>>) -> Self {
        let en = text.into();
        Self { pt: en.clone(), en }
    }

    /// A figure written in English: Portuguese writes `1.234,5` where English writes `1,234.5`.
    pub(crate) fn figure(text: impl Into<Cow<'static, str>>) -> Self {
        let en = text.into();
        Self { pt: with_decimal_commas(&en).into(), en }
    }

    /// In one of them.
    pub(crate) fn of(&self, lang: Lang) -> &str {
        lang.pick(&self.en, &self.pt)
    }

    /// One after the other.
    pub(crate) fn then(self, next: &Self) -> Self {
        Self::new(self.en.into_owned() + &next.en, self.pt.into_owned() + &next.pt)
    }

    /// As JSON holds it for the script: `[en, pt]`.
    pub(crate) fn pair(&self) -> [String; 2] {
        [self.en.to_string(), self.pt.to_string()]
    }
}

impl Serialize for Both {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.en)
    }
}

/// Points and commas between digits, swapped.
fn with_decimal_commas(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
    let swapped = chars.iter().enumerate().map(|(at, &c)| match c {
        '.' | ',' if digit(at.checked_sub(1)) && digit(Some(at + 1)) => {
            if c == '.' {
                ','
            } else {
                '.'
            }
        }
        c => c,
    });
    swapped.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_take_the_signs_of_their_language() {
        assert_eq!(Both::figure("1,234.5 ms").pt, "1.234,5 ms");
        assert_eq!(Both::figure("0.71, or so.").pt, "0,71, or so.");
        assert_eq!(Both::figure("p99").pt, "p99");
        assert_eq!(Lang::Pt.counted(54_635, OPERATION), "54.635 operações");
        assert_eq!(Lang::En.counted(1, OPERATION), "1 operation");
    }
}
