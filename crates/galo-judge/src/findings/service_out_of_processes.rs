//! `service-out-of-processes`: a service came to the limit of processes.

use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};

use super::{About, Tell};

use galo_record::finding::ServiceOutOfProcesses;

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word(
        "a service came to the limit of processes",
        "um serviço chegou ao limite de processos",
    ),
    means: "O kernel recusou ao serviço mais processos ou threads do que o limite dele.",
    remedy: Some(Both::word(
        "let it make fewer threads, or raise `pids_limit` in its file",
        "Faça-o criar menos threads, ou aumente `pids_limit` no arquivo dele.",
    )),
};

impl Tell for ServiceOutOfProcesses {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, limit, refused } = self;
        say!(
            lang,
            "service `{service}` wanted more than its {limit} processes and threads, and was refused {refused} times",
            "o serviço `{service}` quis mais do que os seus {limit} processos e threads, e foi recusado {refused} vezes"
        )
    }
}
