//! `service-out-of-memory`: the kernel killed processes for want of memory.

use galo_plan::units::in_binary_unit;
use galo_record::finding::{MemoryLimit, Weight};
use galo_words::{Both, Lang, say};

use super::{About, Tell};

use galo_record::finding::ServiceOutOfMemory;

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "the kernel killed processes for want of memory",
        "o kernel matou processos por falta de memória",
    ),
    means: "O serviço perdeu processos por passar do seu limite de memória, e mesmo assim continuou.",
    remedy: Some(Both::word(
        "give the service more of the budget's memory",
        "Dê a este serviço mais da memória do orçamento.",
    )),
};

impl Tell for ServiceOutOfMemory {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, killed, limit, .. } = self;
        let limit = memory(*limit, lang);
        say!(
            lang,
            "service `{service}`: the kernel killed {killed} of its processes: out of {limit}",
            "serviço `{service}`: o kernel matou {killed} dos seus processos: ficou sem {limit}"
        )
    }

    fn evidence(&self) -> Vec<Both> {
        self.log.iter().map(|line| Both::same(line.clone())).collect()
    }
}

/// What ran out: the limit, or the machine's memory.
pub(super) fn memory(limit: MemoryLimit, lang: Lang) -> String {
    match limit.bytes {
        Some(bytes) => {
            let bytes = lang.figure(in_binary_unit(bytes));
            say!(lang, "its {bytes}", "os seus {bytes}")
        }
        None => lang.pick("memory", "memória").to_owned(),
    }
}
