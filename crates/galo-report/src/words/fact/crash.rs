//! Of a crash, an outage or a restart at rest.

use galo_judge::fact::{AllThere, CrashFact, Loss, NotRecovered, NotUp, OutageFigures};
use galo_plan::units::format_bytes;
use galo_record::Halt;
use galo_words::nouns::{ACKNOWLEDGED, FORCED_WRITE, LOOKUP, OPERATION, REFUSED};
use galo_words::{Both, Lang, say};

use super::account::count_difference;
use super::numbers;

pub(super) fn sentence(fact: &CrashFact, lang: Lang) -> String {
    match fact {
        CrashFact::LostAfterCrash { at_ns, loss } => {
            format!("{}: {}", crash_at(*at_ns, lang), lost(*loss, lang))
        }
        CrashFact::RefusedAfterCrash { at_ns, refused, there } => {
            let (head, refused) = (crash_at(*at_ns, lang), lang.counted(*refused, REFUSED));
            let there = lang.whole(*there);
            say!(
                lang,
                "{head}: of {refused}, {there} there after the restart",
                "{head}: de {refused}, {there} lá depois da volta"
            )
        }
        CrashFact::NotUpAfterCrash { at_ns, why } => not_up(&crash_at(*at_ns, lang), why, lang),
        CrashFact::Crash { at_ns, there, up_ns } => {
            let (head, there) = (crash_at(*at_ns, lang), all_there(*there, lang));
            let up = up_ns.map_or_else(String::new, |ns| {
                let up = lang.seconds(ns);
                say!(lang, " (up again in {up})", " (de pé de novo em {up})")
            });
            say!(lang, "{head}: {there} after the restart{up}", "{head}: {there} depois da volta{up}")
        }
        CrashFact::LostAfterRestart { halt, loss } => {
            format!("{}: {}", restart_of(*halt, lang), lost(*loss, lang))
        }
        CrashFact::RefusedAfterRestart { halt, refused, there } => {
            let (head, refused) = (restart_of(*halt, lang), lang.counted(*refused, REFUSED));
            let there = lang.whole(*there);
            say!(lang, "{head}: of {refused}, {there} there", "{head}: de {refused}, {there} lá")
        }
        CrashFact::NotUpAfterRestart { halt, why } => not_up(&restart_of(*halt, lang), why, lang),
        CrashFact::EmptiedAtStart { halt, acknowledged, grown_bytes, flushes } => {
            let (head, acknowledged) = (restart_of(*halt, lang), lang.counted(*acknowledged, ACKNOWLEDGED));
            let grown = lang.figure(format_bytes(*grown_bytes));
            let flushes = flushes.map_or_else(String::new, |flushes| {
                let flushes = lang.counted(flushes, FORCED_WRITE);
                say!(lang, " and {flushes}", " e {flushes}")
            });
            say!(
                lang,
                "{head}: of {acknowledged} nobody is there, although its volumes had grown by {grown}{flushes}: it may have emptied them at its start",
                "{head}: de {acknowledged} não há nada lá, embora os volumes tivessem crescido {grown}{flushes}: talvez ele os tenha esvaziado ao iniciar"
            )
        }
        CrashFact::Restart { halt, there, down_ns, up_ns } => {
            let (head, there) = (restart_of(*halt, lang), all_there(*there, lang));
            let [down, up] = [down_ns, up_ns].map(|ns| lang.seconds(*ns));
            say!(
                lang,
                "{head}: {there} (ended in {down}, up again in {up})",
                "{head}: {there} (encerrado em {down}, de pé de novo em {up})"
            )
        }
        CrashFact::NotInItsVolumes { acknowledged, sought, grown_bytes } => {
            let (acknowledged, sought) =
                (lang.counted(*acknowledged, ACKNOWLEDGED), lang.whole(u64::from(*sought)));
            let grown = lang.figure(format_bytes(*grown_bytes));
            say!(
                lang,
                "of {acknowledged}, none of {sought} that were sought stood in its volumes once its services had ended; these had grown by {grown}",
                "de {acknowledged}, nenhuma das {sought} procuradas estava nos volumes depois que seus serviços terminaram; eles tinham crescido {grown}"
            )
        }
        CrashFact::LostInOutage { services, loss } => {
            format!("{}: {}", outage_of(services, lang), lost(*loss, lang))
        }
        CrashFact::OutageNotRecovered { services, why } => {
            format!("{}: {}", outage_of(services, lang), not_recovered(why, lang))
        }
        CrashFact::Outage { services, figures, there } => {
            let there = there.map_or_else(String::new, |there| format!("; {}", all_there(there, lang)));
            format!("{} {}{there}", outage_of(services, lang), outage(figures, lang))
        }
    }
}

/// What to do where the host said it, or silence is the reason.
pub(super) fn remedy(fact: &CrashFact) -> Option<Both> {
    match fact {
        CrashFact::NotUpAfterCrash { why: NotUp::NotStarted { hint, .. }, .. }
        | CrashFact::NotUpAfterRestart { why: NotUp::NotStarted { hint, .. }, .. } => Some(match hint {
            Some(hint) => Both::same(hint.clone()),
            None => Both::word("look at the services' logs", "Veja os logs dos serviços."),
        }),
        CrashFact::NotUpAfterCrash { why: NotUp::Silent(_), .. }
        | CrashFact::NotUpAfterRestart { why: NotUp::Silent(_), .. }
        | CrashFact::LostAfterRestart { .. }
        | CrashFact::RefusedAfterRestart { .. }
        | CrashFact::EmptiedAtStart { .. }
        | CrashFact::Restart { .. }
        | CrashFact::NotInItsVolumes { .. }
        | CrashFact::LostAfterCrash { .. }
        | CrashFact::RefusedAfterCrash { .. }
        | CrashFact::Crash { .. }
        | CrashFact::LostInOutage { .. }
        | CrashFact::OutageNotRecovered { .. }
        | CrashFact::Outage { .. } => None,
    }
}

fn crash_at(at_ns: u64, lang: Lang) -> String {
    let at = lang.seconds(at_ns);
    say!(lang, "crash at {at}", "queda em {at}")
}

fn restart_of(halt: Halt, lang: Lang) -> String {
    match halt {
        Halt::Asked => {
            lang.pick("ended at rest and started again", "encerrado em repouso e iniciado de novo")
        }
        Halt::Killed => lang.pick("killed at rest and started again", "morto em repouso e iniciado de novo"),
    }
    .to_owned()
}

fn not_up(head: &str, why: &NotUp, lang: Lang) -> String {
    match why {
        NotUp::NotStarted { error, .. } => {
            say!(lang, "{head}: it did not come up again: {error}", "{head}: ele não voltou: {error}")
        }
        NotUp::Silent(untold) => {
            let untold = untold_of(*untold, lang);
            say!(
                lang,
                "{head}: it said that it was ready again, but {untold}",
                "{head}: ele disse que estava pronto de novo, mas {untold}"
            )
        }
    }
}

fn outage_of(services: &[String], lang: Lang) -> String {
    let names: Vec<String> = services.iter().map(|name| format!("`{name}`")).collect();
    let names = lang.listed(&names);
    say!(lang, "outage of {names}", "falta de {names}")
}

fn lost(loss: Loss, lang: Lang) -> String {
    let (sought, lost, unreadable) = match loss {
        Loss::Lookups { sought, lost, unreadable } => (sought, lost, unreadable),
        Loss::Count(difference) => return count_difference(difference, lang),
    };
    let facts = [
        (
            lost,
            lang.pick(
                "not there, or changed",
                if lost == 1 { "sumiu ou mudou" } else { "sumiram ou mudaram" },
            ),
        ),
        (
            unreadable,
            lang.pick(
                "could not be read any more",
                if unreadable == 1 { "não pôde mais ser lida" } else { "não puderam mais ser lidas" },
            ),
        ),
    ];
    let facts = facts.iter().filter(|(number, _)| *number > 0);
    let facts: Vec<String> = facts.map(|(number, what)| format!("{} {what}", lang.whole(*number))).collect();
    let (sought, facts) = (lang.counted(sought, ACKNOWLEDGED), facts.join(lang.pick(", and ", ", e ")));
    say!(lang, "of {sought}, {facts}", "de {sought}, {facts}")
}

fn untold_of(AllThere { sought, untold }: AllThere, lang: Lang) -> String {
    let could = if untold == 1 { "não pôde ser consultada" } else { "não puderam ser consultadas" };
    let (sought, untold) = (lang.counted(sought, ACKNOWLEDGED), lang.whole(untold));
    say!(lang, "of {sought}, {untold} could not be looked up", "de {sought}, {untold} {could}")
}

fn all_there(there: AllThere, lang: Lang) -> String {
    if there.untold > 0 {
        let untold = untold_of(there, lang);
        return say!(lang, "{untold}, all others there", "{untold}, todas as outras lá");
    }
    let sought = lang.counted(there.sought, ACKNOWLEDGED);
    say!(lang, "{sought}, all there", "{sought}, tudo lá")
}

fn not_recovered(why: &NotRecovered, lang: Lang) -> String {
    match why {
        NotRecovered::NotStarted { error } => {
            say!(lang, "it did not come up again: {error}", "ela não voltou: {error}")
        }
        NotRecovered::StillFailing { operations } => {
            let failed = if *operations == 1 { "ainda falhou" } else { "ainda falharam" };
            let operations = lang.counted(*operations, OPERATION);
            say!(
                lang,
                "{operations} still failed 2 s after it was ready again",
                "{operations} {failed} 2 s depois de ela estar pronta de novo"
            )
        }
        NotRecovered::SilentAtOne { lookups } => {
            let lookups = lang.counted(*lookups, LOOKUP);
            say!(
                lang,
                "{lookups} at one instance without an answer",
                "{lookups} em uma só instância sem resposta"
            )
        }
        NotRecovered::Silent(untold) => untold_of(*untold, lang),
    }
}

fn outage(figures: &OutageFigures, lang: Lang) -> String {
    let from = lang.seconds(figures.from_ns);
    let back = match (figures.restarted_ns, figures.up_ns) {
        (Some(restarted_ns), Some(up_ns)) => {
            let (restarted, up) = (lang.seconds(restarted_ns), lang.seconds(up_ns));
            say!(lang, "to {restarted} (up again in {up})", "a {restarted} (de pé de novo em {up})")
        }
        _ => lang.pick("to the end", "até o fim").to_owned(),
    };
    let failed = lang.whole(figures.meanwhile_failed);
    let meanwhile = lang.counted(figures.meanwhile, OPERATION);
    let share = match figures.meanwhile {
        0 => 0.0,
        all => 100.0 * figures.meanwhile_failed as f64 / all as f64,
    };
    let share = lang.decimals(share, 1);
    let failing = figures.failing_ns.map_or_else(String::new, |failing_ns| {
        let [first, last] = failing_ns.map(|ns| lang.decimals(ns as f64 / 1e9, 2));
        let kinds = numbers(&figures.kinds, lang).join(", ");
        let kinds = if kinds.is_empty() { kinds } else { format!(" ({kinds})") };
        say!(
            lang,
            ", {first} to {last} s after the kill{kinds}",
            ", {first} a {last} s depois de ser morta{kinds}"
        )
    });
    let (after_failed, after) = (lang.whole(figures.after_failed), lang.whole(figures.after));
    say!(
        lang,
        "from {from} {back}: {failed} of {meanwhile} failed meanwhile ({share} %){failing}; {after_failed} of {after} after it",
        "de {from} {back}: {failed} de {meanwhile} falharam enquanto isso ({share} %){failing}; {after_failed} de {after} depois"
    )
}
