//! `service-died`: a service died.

use galo_record::finding::{Ended, Weight};
use galo_words::{Both, Lang, say};

use super::service_out_of_memory::memory;
use super::{About, Tell};

use galo_record::finding::ServiceDied;

pub(super) const ABOUT: About = About {
    weight: Weight::Should,
    headline: Both::word("a service died", "um serviço morreu"),
    means: "Ele terminou quando ainda deveria estar rodando.",
    remedy: Some(Both::word("see its log in the run folder", "Veja o log dele na pasta da execução.")),
};

impl Tell for ServiceDied {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, ended, out_of_memory, .. } = self;
        let mut how = match ended {
            Ended::Status(code) => say!(lang, "exit status {code}", "status de saída {code}"),
            Ended::Signal(signal) => say!(lang, "killed by signal {signal}", "morto pelo sinal {signal}"),
        };
        if let Some(limit) = out_of_memory {
            let limit = memory(*limit, lang);
            how += &say!(
                lang,
                "; killed by the kernel: out of {limit}",
                "; morto pelo kernel: ficou sem {limit}"
            );
        }
        say!(
            lang,
            "service `{service}` died while it should have run ({how})",
            "o serviço `{service}` morreu quando deveria estar rodando ({how})"
        )
    }

    fn evidence(&self) -> Vec<Both> {
        self.log.iter().map(|line| Both::same(line.clone())).collect()
    }

    fn remedy(&self, _usual: Option<Both>) -> Option<Both> {
        let log_path = &self.log_path;
        Some(Both::new(format!("see {log_path}"), format!("Veja {log_path}.")))
    }
}
