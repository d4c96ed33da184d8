//! The log of another tool: whose it is, and what is odd about it.

use std::time::{Duration, UNIX_EPOCH};

use galo_judge::load::JudgedLog;
use galo_record::gatling::{OddLines, Oddity, Simulation};
use galo_words::{Both, Lang, say};

use super::parts::parts;
use super::{Line, line};
use crate::document::Section;

/// Whose log it is.
pub(super) fn subject(log: &JudgedLog, lang: Lang) -> String {
    let (file, lines) = (&log.about.file, lang.whole(log.about.lines));
    let Some(simulation) = &log.about.simulation else {
        return say!(
            lang,
            "{file}, {lines} lines; by a version of Gatling that it does not tell",
            "{file}, {lines} linhas; por uma versão do Gatling que ele não diz"
        );
    };
    let Simulation { class, description, started_ms, gatling } = simulation;
    let description = if description.is_empty() { String::new() } else { format!(" ({description})") };
    let started = started_ms.and_then(|ms| UNIX_EPOCH.checked_add(Duration::from_millis(ms)));
    let started = started.map_or_else(String::new, |at| {
        let at = humantime::format_rfc3339_seconds(at);
        say!(lang, ", started {at}", ", iniciada {at}")
    });
    say!(
        lang,
        "{class}{description}, by Gatling {gatling}{started}; {lines} lines",
        "{class}{description}, por Gatling {gatling}{started}; {lines} linhas"
    )
}

/// What is to be known of its figures.
pub(super) fn lines(log: &JudgedLog) -> impl Iterator<Item = Line> {
    let times = Both::word(
        "note: times are Gatling's own, in whole ms, from when it began to send; what should have begun earlier does not show",
        "nota: os tempos são do próprio Gatling, em ms inteiros, desde que começou a enviar; o que devia ter começado antes não aparece",
    );
    let unended = log.about.users_started.saturating_sub(log.about.users_ended);
    let unended = (unended > 0).then(|| {
        Both::each(|lang| {
            let [unended, users] = [unended, log.about.users_started].map(|users| lang.whole(users));
            say!(
                lang,
                "{unended} of {users} users did not end",
                "{unended} de {users} usuários não terminaram"
            )
        })
    });
    let mut kinds: Vec<_> = log.about.odd.iter().collect();
    kinds.sort_by_key(|(_, lines)| lines.first);
    let odd = kinds.into_iter().map(|(what, lines)| line(odd(*what, lines), true));
    [line(times, false)].into_iter().chain(unended.map(|text| line(text, true))).chain(odd)
}

fn odd(what: Oddity, OddLines { lines, first, text }: &OddLines) -> Both {
    Both::each(|lang| {
        let (first, is) = (lang.whole(*first), oddity(what));
        let is = is.get(lang);
        let more = match lines.saturating_sub(1) {
            0 => String::new(),
            more => {
                let more = lang.whole(more);
                say!(lang, " ({more} more like it)", " (mais {more} assim)")
            }
        };
        say!(lang, "line {first} {is}{more}: `{text}`", "a linha {first} {is}{more}: `{text}`")
    })
}

const fn oddity(what: Oddity) -> Both {
    let [en, pt] = match what {
        Oddity::UnknownVersion => [
            "names a version of Gatling whose log is not known: 3.5 to 3.12 are",
            "cita uma versão do Gatling cujo log não é conhecido: os de 3.5 a 3.12 são",
        ],
        Oddity::AnotherRun => [
            "is of another run; all requests are counted together",
            "é de outra execução; todas as requisições são contadas juntas",
        ],
        Oddity::NoRecord => {
            ["is no record of Gatling's, and was left out", "não é um registro do Gatling, e ficou de fora"]
        }
        Oddity::CutOff => [
            "does not end with a line break: the log may be cut off here",
            "não termina com quebra de linha: o log pode estar cortado ali",
        ],
        Oddity::TooLong => {
            ["is longer than 1 MiB; the rest of it was not read", "passa de 1 MiB; o resto dela não foi lido"]
        }
        Oddity::NoText => ["holds bytes that are no UTF-8", "contém bytes que não são UTF-8"],
        Oddity::BackInTime => [
            "ends before it starts, and is counted with 0 ms",
            "termina antes de começar, e é contada com 0 ms",
        ],
        Oddity::OtherName => [
            "has a name beyond the first 256, and is counted as `(others)`",
            "tem um nome além dos primeiros 256, e é contada como `(others)`",
        ],
        Oddity::OtherMessage => [
            "has a message beyond the first 1,000, and is counted as `(others)`",
            "tem uma mensagem além das primeiras 1.000, e é contada como `(others)`",
        ],
    };
    Both::word(en, pt)
}

/// Its groups, where there are any.
pub(super) fn groups(log: &JudgedLog) -> Section {
    let rows = log.groups.iter().map(|group| (group.name.clone(), &group.ledger, &group.duration));
    let caption =
        Both::word("What each group took, pauses included", "Quanto cada grupo levou, com as pausas");
    parts("groups", [Both::word("Groups", "Grupos"), caption], rows.collect())
}
