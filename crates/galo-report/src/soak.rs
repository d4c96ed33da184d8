//! `galo soak`: how latency and memory drift over hours.

use galo_judge::findings::{host_sentence, void_sentence};
use galo_judge::soak::{Drift, JudgedSoak, LatencyAt};
use galo_words::nouns::OPERATION;
use galo_words::{Both, Figure, say};

use crate::document::{Along, Block, Column, Curve, Document, Emphasis, Point, Section, Table, Tone};
use crate::end;
use crate::words::beyond_budget;

/// Bytes.
const MIB: f64 = 1_048_576.0;

/// What a soak showed.
pub fn soak(soak: &JudgedSoak) -> Document {
    let JudgedSoak { header, contender, scale_milli, takes, budget, soaked } = soak;
    let void = soaked.void.iter().map(|why| {
        let why = Both::each(|lang| void_sentence(std::slice::from_ref(why), lang));
        Both::word("void: ", "nula: ").then(&why)
    });
    let findings = soaked.findings.iter().map(|fact| Both::each(|lang| host_sentence(fact, lang)));
    let over_budget = beyond_budget(contender, *takes, *budget);
    let warnings = over_budget.into_iter().chain(void).chain(findings).chain(end::told(&soaked.end));
    let scale = *scale_milli as f64 / 1e3;
    Document {
        title: format!("{contender}: soak"),
        warnings: warnings.collect(),
        verdict: in_words(soak),
        tone: if soaked.void.is_empty() { Tone::Open } else { Tone::Void },
        answers: Vec::new(),
        subject: Both::each(|lang| {
            let operations = lang.counted(soaked.ledger.intended, OPERATION);
            let wrong = lang.whole(soaked.ledger.not_ok());
            say!(lang, "{operations}, {wrong} not right", "{operations}, {wrong} não corretas")
        }),
        lines: Vec::new(),
        next: None,
        sections: [drift(soak)].into_iter().chain(over_time(soak)).collect(),
        terms: vec![(Both::word("scale", "escala"), Both::figure(Figure::Plain(scale)))],
        origin: Some(header.clone()),
    }
}

fn in_words(soak: &JudgedSoak) -> Both {
    let name = &soak.contender;
    let Some(p99) = soak.soaked.latency_us_p99 else {
        let [en, pt] = ["nothing is known of its drift", "nada se sabe da sua deriva"];
        return Both::new(format!("{name}: {en}"), format!("{name}: {pt}"));
    };
    let (hours, (unit, in_hour)) = (hours(soak), unit_of_time(hours(soak)));
    Both::each(|lang| {
        let [first, last] = [p99.first, p99.last].map(|us| lang.figure(Figure::Number(us / 1e3, 2)));
        let (long, unit) = (lang.figure(Figure::Number(hours * in_hour, 1)), unit.get(lang));
        say!(
            lang,
            "{name} over {long} {unit}: p99 from {first} ms to {last} ms",
            "{name} por {long} {unit}: p99 de {first} ms a {last} ms"
        )
    })
}

/// A figure that may drift, and what it is divided by to be in the unit of its name.
struct Drifting {
    name: String,
    seen: Option<Drift>,
    unit: f64,
}

fn drift(soak: &JudgedSoak) -> Section {
    let figure = |drift: &Drifting, of: fn(&Drift) -> f64| {
        drift.seen.as_ref().map(|seen| Figure::Number(of(seen) / drift.unit, 2))
    };
    type OfDrift<'a> = Column<'a, Drifting>;
    let columns = [
        OfDrift::text(Both::word("figure", "medida"), |drift| drift.name.clone()),
        OfDrift::new(Both::word("first", "início"), |drift| figure(drift, |seen| seen.first)),
        OfDrift::new(Both::word("last", "fim"), |drift| figure(drift, |seen| seen.last)),
        OfDrift::new(Both::word("per hour", "por hora"), |drift| figure(drift, |seen| seen.per_hour)),
    ];
    let soaked = &soak.soaked;
    let latencies = [("p50 ms", soaked.latency_us_p50), ("p99 ms", soaked.latency_us_p99)];
    let latencies = latencies.map(|(name, seen)| Drifting { name: name.to_owned(), seen, unit: 1e3 });
    let memory = soaked.memory.iter().map(|memory| Drifting {
        name: format!("{} MiB", memory.service),
        seen: memory.anonymous_bytes,
        unit: MIB,
    });
    let caption =
        Both::word("First and last tenth, and the slope", "Primeiro e último décimo, e a inclinação");
    let table = Table::new("drift", caption, columns, latencies.into_iter().chain(memory));
    Section {
        id: "drift-over-time".into(),
        emphasis: Emphasis::First,
        name: Both::word("Drift", "Deriva"),
        blocks: vec![Block::Table(table)],
    }
}

/// p99 as it went; `None`: there are no two points of it.
fn over_time(soak: &JudgedSoak) -> Option<Section> {
    const NAME: Both = Both::word("p99 over time", "p99 ao longo do tempo");
    let points = &soak.soaked.points;
    let (unit, in_hour) = unit_of_time(hours(soak));
    let axes = [unit, Both::same("p99, ms")];
    let place = move |at: &LatencyAt| [at.hours * in_hour, at.us_p99 / 1e3];
    let column = |axis: usize, places| {
        Column::new(axes[axis].clone(), move |at: &LatencyAt| Figure::Number(place(at)[axis], places))
    };
    let table = Table::new("points", NAME, [column(0, 1), column(1, 2)], points);
    let point = |at: &LatencyAt| Point { at: place(at), interval: None, is_met: true };
    let points: Vec<Point> = points.iter().map(point).collect();
    (points.len() > 1).then(|| Section {
        id: "p99-over-time".into(),
        emphasis: Emphasis::Later,
        name: NAME,
        blocks: vec![
            Block::Curve(Curve { caption: NAME, axes, along: Along::Time, points }),
            Block::Table(table),
        ],
    })
}

fn hours(soak: &JudgedSoak) -> f64 {
    soak.soaked.elapsed_ns as f64 / 3.6e12
}

/// In what so many hours are told, and how many of these an hour has.
const fn unit_of_time(hours: f64) -> (Both, f64) {
    match hours {
        ..0.05 => (Both::word("seconds", "segundos"), 3600.0),
        0.05..2.0 => (Both::word("minutes", "minutos"), 60.0),
        _ => (Both::word("hours", "horas"), 1.0),
    }
}
