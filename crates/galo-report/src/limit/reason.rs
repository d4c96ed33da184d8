//! Why a hold was not met, in words.

use galo_judge::findings::{host_sentence, void_sentence};
use galo_judge::limit::NotMet;
use galo_plan::Noun;
use galo_words::{Lang, say};

use crate::load::asserted;

/// Why a hold was not met, in one sentence.
pub fn not_met_words(reason: &NotMet, noun: &Noun, lang: Lang) -> String {
    match reason {
        NotMet::Host(fact) => host_sentence(fact, lang),
        NotMet::Broken(outcome) => asserted(outcome, lang),
        NotMet::QueueGrew { due_per_s, answered_per_s } => {
            let [due, answered] =
                [due_per_s, answered_per_s].map(|per_s: &f64| lang.whole(per_s.round() as u64));
            say!(
                lang,
                "its queue grew: {due}/s fell due, {answered}/s were answered",
                "a fila cresceu: {due}/s venceram, {answered}/s foram respondidas"
            )
        }
        NotMet::NoCount => say!(lang, "the count was not answered", "a contagem não foi respondida"),
        NotMet::CountFell { before, after } => {
            let [before, after] = [before, after].map(|stored| lang.whole(*stored));
            say!(lang, "the count fell from {before} to {after}", "a contagem caiu de {before} para {after}")
        }
        NotMet::CountGrew { grown, acknowledged, unknown } => {
            let (creations, criacoes) = match acknowledged {
                1 => ("creation was acknowledged", "criação foi confirmada"),
                _ => ("creations were acknowledged", "criações foram confirmadas"),
            };
            let [grown, acknowledged, unknown] =
                [grown, acknowledged, unknown].map(|stored| lang.whole(*stored));
            say!(
                lang,
                "the count grew by {grown}, but {acknowledged} {creations} ({unknown} unknown)",
                "a contagem cresceu {grown}, mas {acknowledged} {criacoes} ({unknown} desconhecidas)"
            )
        }
        NotMet::FillBroken { wanted, fact } => {
            let (wanted, told) = (lang.counted(*wanted, in_words(noun)), host_sentence(fact, lang));
            say!(lang, "while it was filled to {wanted}, {told}", "enquanto era enchido até {wanted}, {told}")
        }
        NotMet::NothingToFill => say!(
            lang,
            "the profile creates nothing to preload",
            "o perfil não cria nada com que encher as tabelas"
        ),
        NotMet::NotFilled { wanted, stored } => {
            let (wanted, stored) = (lang.counted(*wanted, in_words(noun)), lang.whole(*stored));
            say!(
                lang,
                "it could not be filled to {wanted}: it held {stored}",
                "não foi possível enchê-lo até {wanted}: tinha {stored}"
            )
        }
        NotMet::Void(reason) => void_sentence(std::slice::from_ref(reason), lang),
    }
}

/// What a challenge counts, as languages count it.
pub(super) fn in_words(noun: &Noun) -> galo_words::Noun<'_> {
    let [en, pt] = [&noun.en, &noun.pt].map(|forms| forms.each_ref().map(String::as_str));
    galo_words::Noun { en, pt }
}

#[cfg(test)]
mod tests {
    use galo_judge::assertion::{Ground, Outcome, Right};
    use galo_judge::findings::GaloLate;
    use galo_record::HostFact;
    use galo_record::finding::{Ended, ServiceDied};

    use super::*;

    fn all() -> Vec<NotMet> {
        let died = HostFact::ServiceDied(ServiceDied {
            service: "api".to_owned(),
            ended: Ended::Status(1),
            out_of_memory: None,
            log: Vec::new(),
            log_path: String::new(),
        });
        let assertion = "p99<100ms".parse().unwrap();
        vec![
            NotMet::Host(died.clone()),
            NotMet::Broken(Outcome {
                assertion,
                actual: Some(812_345.6),
                met: false,
                ground: Ground::default(),
            }),
            NotMet::Broken(Outcome {
                assertion,
                actual: Some(1_200.0),
                met: false,
                ground: Ground { right: Some(Right { answers: 0, requests: 50 }), slowest_of: Some(50) },
            }),
            NotMet::QueueGrew { due_per_s: 1_400.0, answered_per_s: 900.4 },
            NotMet::NoCount,
            NotMet::CountFell { before: 1_000, after: 999 },
            NotMet::CountGrew { grown: 109, acknowledged: 110, unknown: 0 },
            NotMet::CountGrew { grown: 0, acknowledged: 1, unknown: 2 },
            NotMet::FillBroken { wanted: 46_500, fact: died },
            NotMet::NothingToFill,
            NotMet::NotFilled { wanted: 46_500, stored: 12 },
            NotMet::Void(GaloLate { percentile: 99, lag_us: 50_000.0, bound_us: 5_000.0 }.into()),
        ]
    }

    #[test]
    fn every_reason_has_its_words() {
        let people = Noun {
            en: ["person", "people"].map(str::to_owned),
            pt: ["pessoa", "pessoas"].map(str::to_owned),
        };
        let told = |lang| {
            all().iter().map(|reason| not_met_words(reason, &people, lang)).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(format!("{}\n\n{}", told(Lang::En), told(Lang::Pt)));
    }
}
