//! `log-flood`: a service wrote very much log.

use galo_plan::units::in_binary_unit;
use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};

use super::{About, Tell};

use galo_record::finding::LogFlood;

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word("a service wrote very much log", "um serviço escreveu log demais"),
    means: "Escrever tanto log custa CPU ao serviço.",
    remedy: Some(Both::word(
        "let it log less; the middle of the log is cut",
        "Faça-o escrever menos; o meio do log foi cortado.",
    )),
};

impl Tell for LogFlood {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, limit_bytes, .. } = self;
        let most = lang.figure(in_binary_unit(*limit_bytes));
        say!(
            lang,
            "service `{service}` wrote more than {most} of log, which costs it CPU",
            "o serviço `{service}` escreveu mais de {most} de log, o que lhe custa CPU"
        )
    }

    fn remedy(&self, _usual: Option<Both>) -> Option<Both> {
        let log_path = &self.log_path;
        Some(Both::new(
            format!("let it log less; of {log_path} the middle is cut"),
            format!("Faça-o escrever menos; o meio de {log_path} foi cortado."),
        ))
    }
}
