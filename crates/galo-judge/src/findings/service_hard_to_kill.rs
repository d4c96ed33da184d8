//! `service-hard-to-kill`: a service made processes while it was killed.

use galo_record::finding::Weight;
use galo_words::nouns::PASS;
use galo_words::{Both, Lang, say};

use super::{About, Tell};

use galo_record::finding::ServiceHardToKill;

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word(
        "a service made processes while it was killed",
        "um serviço criava processos enquanto era morto",
    ),
    means: "Foi preciso passar mais de uma vez para acabar com todos os processos dele.",
    remedy: None,
};

impl Tell for ServiceHardToKill {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, passes } = self;
        let passes = lang.counted(u64::from(*passes), PASS);
        say!(
            lang,
            "service `{service}` went on making processes while it was killed ({passes})",
            "o serviço `{service}` continuou criando processos enquanto era morto ({passes})"
        )
    }
}
