//! Runs of the past as they are told: each pair's ratios run by run, by machine and terms, and what changed.

mod export;
mod lines;
mod runs;
mod terms;

use galo_judge::trend::{JudgedTrend, TrendPair};
use galo_words::nouns::{PAIR, RUN};
use galo_words::{Both, say};

use crate::document::{Answer, Block, Document, Section, Tone};
use crate::words::{labels, ratio_in_words, ratio_of};

pub use export::Export;

/// What ratios are, and what is marked.
const HOW_TO_READ: Both = Both::word(
    "each ratio with the interval of its run's own verdict; *: told apart, as 1 run of 20 between equals is",
    "cada razão com o intervalo do veredito da sua execução; *: distintos, como 1 execução em 20 entre iguais",
);

/// The whole of it.
pub fn trend(trend: &JudgedTrend) -> Document {
    let pairs = || trend.pairs.iter().enumerate();
    let mut sections: Vec<Section> = pairs().flat_map(|of| lines::at_a_glance(trend, of)).collect();
    if let Some(last) = sections.last_mut() {
        last.blocks.push(Block::Note(HOW_TO_READ));
    }
    sections.extend(runs::left_out(trend));
    sections.extend(pairs().map(|of| lines::every_figure(trend, of)));
    sections.extend(runs::changes(trend));
    sections.extend(runs::places(trend));
    Document {
        title: "trend".to_owned(),
        warnings: Vec::new(),
        verdict: verdict(trend),
        tone: if trend.runs.is_empty() { Tone::Void } else { Tone::Open },
        answers: trend.pairs.iter().filter_map(newest).collect(),
        subject: Both::word(
            "a ratio is the first of a pair divided by the second, within one run; figures of two runs are never divided",
            "uma razão é o primeiro do par dividido pelo segundo, na mesma execução; medidas de duas execuções nunca são divididas",
        ),
        lines: runs::left_out_counted(trend).into_iter().collect(),
        next: None,
        sections,
        terms: Vec::new(),
        origin: None,
    }
}

/// `12 runs of 1 pair from 2026-11-01 to 2026-11-28`.
fn verdict(trend: &JudgedTrend) -> Both {
    let (Some(first), Some(last)) = (trend.runs.first(), trend.runs.last()) else {
        return Both::word("no run here has a ratio", "nenhuma execução aqui tem uma razão");
    };
    let [first, last] = [first, last].map(|run| day(&run.header.started));
    Both::each(|lang| {
        let runs = lang.counted(trend.runs.len() as u64, RUN);
        let pairs = lang.counted(trend.pairs.len() as u64, PAIR);
        match first == last {
            true => say!(lang, "{runs} of {pairs} on {first}", "{runs} de {pairs} em {first}"),
            false => {
                say!(
                    lang,
                    "{runs} of {pairs} from {first} to {last}",
                    "{runs} de {pairs} de {first} a {last}"
                )
            }
        }
    })
}

/// The primary ratio of a pair's newest run.
fn newest(pair: &TrendPair) -> Option<Answer> {
    let figure = pair.points.last()?.figures.first()?;
    let name = labels::in_sentence(figure.measure).then(&Both::same(" "));
    let text = name.then(&ratio_in_words(figure.ratios.ratio?, figure.ratios.interval));
    Some(Answer::tile(Both::same(pair_name(pair)), text))
}

/// `new / old: GET /`.
fn pair_name(pair: &TrendPair) -> String {
    let TrendPair { subject, head, base, .. } = pair;
    format!("{}: {subject}", ratio_of([head, base]))
}

/// The day of a time in RFC 3339.
fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

/// A time in RFC 3339 to the minute: `2026-11-28 10:49`.
fn minute(time: &str) -> String {
    let minute = time.rsplit_once(':').map_or(time, |(minute, _)| minute);
    minute.replacen('T', " ", 1)
}
