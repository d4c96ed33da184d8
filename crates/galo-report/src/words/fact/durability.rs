//! Of the way to the disk.

use galo_judge::fact::DurabilityFact;
use galo_words::nouns::{CREATION, FORCED_WRITE};
use galo_words::{Lang, say};

pub(super) fn sentence(fact: &DurabilityFact, lang: Lang) -> String {
    match fact {
        DurabilityFact::NothingFlushed { acknowledged } => {
            let were = if *acknowledged == 1 { "confirmada" } else { "confirmadas" };
            let creations = lang.counted(*acknowledged, CREATION);
            say!(
                lang,
                "{creations} acknowledged, but no service flushed anything to a disk under load",
                "{creations} {were}, mas nenhum serviço mandou nada para o disco sob carga"
            )
        }
        DurabilityFact::SeldomFlushed { acknowledged, flushes } => {
            let were = if *acknowledged == 1 { "confirmada" } else { "confirmadas" };
            let creations = lang.counted(*acknowledged, CREATION);
            let flushes = lang.counted(*flushes, FORCED_WRITE);
            say!(
                lang,
                "{creations} acknowledged, with only {flushes} to a disk under load",
                "{creations} {were}, com só {flushes} para o disco sob carga"
            )
        }
        DurabilityFact::FlushesUnseen { service, why } => say!(
            lang,
            "not all flushes of service `{service}` may have been seen: {why}",
            "talvez nem todos os flushes do serviço `{service}` tenham sido vistos: {why}"
        ),
        DurabilityFact::AcknowledgedBeforeFlush { unflushed, alone, case } => {
            let alone = lang.counted(*alone, CREATION);
            say!(
                lang,
                "with nobody else about, {unflushed} of {alone} were acknowledged before anything was flushed to a disk, e.g. in the case `{case}`",
                "sem mais ninguém por perto, {unflushed} de {alone} foram confirmadas antes de qualquer escrita forçada no disco, p. ex. no caso `{case}`"
            )
        }
        DurabilityFact::CommitNotSynchronous { system, service, off } => {
            let off = off.iter().map(|name| format!("{name} = off")).collect::<Vec<_>>().join(", ");
            say!(
                lang,
                "the {system} of `{service}` does not wait for the disk: {off}",
                "o {system} de `{service}` não espera pelo disco: {off}"
            )
        }
        DurabilityFact::CountMovesUnasked { least, most } => {
            say!(
                lang,
                "the count moved between {least} and {most} before the first request",
                "a contagem mudou entre {least} e {most} antes da primeira requisição"
            )
        }
        DurabilityFact::OutlivesItsVolume { counted } => {
            say!(
                lang,
                "started once more on fresh volumes, it counted {counted} at once",
                "iniciado mais uma vez com volumes novos, ele já contava {counted}"
            )
        }
    }
}
