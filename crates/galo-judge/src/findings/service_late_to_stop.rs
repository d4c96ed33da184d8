//! `service-late-to-stop`: a service did not end when it was asked.

use galo_record::finding::Weight;
use galo_words::{Both, Figure, Lang, say};

use super::{About, Tell};

use galo_record::finding::ServiceLateToStop;

pub(super) const ABOUT: About = About {
    weight: Weight::Note,
    headline: Both::word(
        "a service did not end when it was asked",
        "um serviço não terminou quando foi pedido",
    ),
    means: "O prazo depois do sinal de parada acabou, e ele foi morto.",
    remedy: Some(Both::word(
        "give it another `stop_signal`, or more time by `stop_grace_period`",
        "Dê a ele outro `stop_signal`, ou mais tempo com `stop_grace_period`.",
    )),
};

impl Tell for ServiceLateToStop {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, grace_ns } = self;
        let seconds = lang.figure(Figure::Plain(*grace_ns as f64 / 1e9));
        say!(
            lang,
            "service `{service}` had not ended {seconds} s after its stop signal, and was killed",
            "o serviço `{service}` não tinha terminado {seconds} s depois do seu sinal de parada, e foi morto"
        )
    }
}
