//! How throughput goes with the load: each hold drawn, the knee, and the universal scalability law in sentences.

use galo_judge::limit::{Hold, JudgedLimit, Parameter, Peak, Scalability};
use galo_words::nouns::HOLD;
use galo_words::{Both, Figure, Lang, say};

use super::scale;
use crate::document::{Along, Block, Curve, Emphasis, Point, Section};

/// The section; `None`: too few holds say something.
pub(super) fn section(limit: &JudgedLimit) -> Option<Section> {
    let told = limit.knee_milli.map(knee).into_iter().chain(limit.law.iter().flat_map(law));
    let told: Vec<Block> = told.map(Block::Text).collect();
    if told.is_empty() {
        return None;
    }
    let note = limit.law.is_some().then_some(Block::Note(NOTE));
    Some(Section {
        id: "law".into(),
        emphasis: Emphasis::Second,
        name: Both::word("Throughput by load", "Vazão por carga"),
        blocks: curve(limit).map(Block::Curve).into_iter().chain(told).chain(note).collect(),
    })
}

const NOTE: Both = Both::word(
    "X = l N / (1 + s (N - 1) + k N (N - 1)), N by Little's law, with 95 % intervals. Contention is work that is done one after the other; coherency is what each under way costs each other, and makes more load give less",
    "X = l N / (1 + s (N - 1) + k N (N - 1)), N pela lei de Little, com intervalos de 95 %. Contenção é trabalho feito um após o outro; coerência é o que cada requisição em curso custa às outras, e faz mais carga render menos",
);

fn curve(limit: &JudgedLimit) -> Option<Curve> {
    let is_seen =
        |hold: &&Hold| hold.outcome.valid && hold.outcome.achieved_per_s > 0.0 && hold.scale_milli > 0;
    let point = |hold: &Hold| Point {
        at: [hold.scale_milli as f64 / 1e3, hold.outcome.achieved_per_s],
        interval: None,
        is_met: hold.outcome.met,
    };
    let points: Vec<Point> = limit.holds.iter().filter(is_seen).map(point).collect();
    (points.len() > 1).then(|| Curve {
        caption: Both::word(
            "Answers per second by scale: a circle met the criterion, a cross did not",
            "Respostas por segundo por escala: o círculo cumpriu o critério, a cruz não",
        ),
        axes: [Both::word("scale", "escala"), Both::word("answers/s", "respostas/s")],
        along: Along::Scale,
        points,
    })
}

fn knee(milli: u64) -> Both {
    Both::each(|lang| {
        let scale = lang.figure(scale(milli));
        say!(
            lang,
            "the knee is at scale {scale}: most answers per second for their mean latency",
            "o joelho está na escala {scale}: o máximo de respostas por segundo para a latência média"
        )
    })
}

/// The parameters, and what follows from them.
fn law(law: &Scalability) -> Vec<Both> {
    let fitted = Both::each(|lang| {
        let one = around(law.per_s_of_one, lang, |value| Figure::Number(value, 0));
        let s = around(law.contention, lang, Figure::Share);
        let k = around(law.coherency, lang, share_of_few);
        let (holds, error) = (lang.counted(law.holds as u64, HOLD), lang.figure(Figure::Share(law.error)));
        say!(
            lang,
            "by the universal scalability law of {holds}: {one} answers/s with one under way, contention {s}, coherency {k}; mean error {error}",
            "pela lei universal da escalabilidade de {holds}: {one} respostas/s com uma em curso, contenção {s}, coerência {k}; erro médio {error}"
        )
    });
    [Some(fitted), law.peak.map(peak)].into_iter().flatten().collect()
}

fn peak(Peak { per_s, under_way }: Peak) -> Both {
    Both::each(|lang| {
        let per_s = lang.figure(Figure::Number(per_s, 0));
        match under_way.map(|under_way| lang.figure(Figure::Number(under_way, 0))) {
            Some(under_way) => say!(
                lang,
                "by it no load gives more than {per_s} answers/s, with {under_way} under way; more under way give less",
                "por ela nenhuma carga rende mais que {per_s} respostas/s, com {under_way} em curso; mais em curso rendem menos"
            ),
            None => say!(
                lang,
                "by it no load gives more than {per_s} answers/s, however many are under way",
                "por ela nenhuma carga rende mais que {per_s} respostas/s, sejam quantas forem em curso"
            ),
        }
    })
}

/// `4.1 % (3.2 % to 5.0 %)`.
fn around(Parameter { value, interval }: Parameter, lang: Lang, figure: impl Fn(f64) -> Figure) -> String {
    let [value, low, high] = [value, interval[0], interval[1]].map(|value| lang.figure(figure(value)));
    say!(lang, "{value} ({low} to {high})", "{value} ({low} a {high})")
}

/// A share that is far below 1 %.
fn share_of_few(share: f64) -> Figure {
    Figure::With(share * 100.0, 3, "%")
}
