//! A limit as it is told: what is held, then why not more, then every hold, then who used what in the one that stands for it.

use galo_judge::findings::Kind;
use galo_judge::limit::{Hold, HoldService, JudgedLimit, LimitedBy};
use galo_plan::Noun;
use galo_words::nouns::{HOLD, START};
use galo_words::{Both, Figure, Lang, say};

use super::answers::{answers, few_right, in_words};
use super::reason::not_met_words;
use super::{law, scale};
use crate::columns::{self, Statistic};
use crate::document::{
    Along, Block, Column, Curve, Document, Emphasis, Line, Point, Section, ShownFinding, Table, Tone,
};
use crate::end;
use crate::text::{clean, width};
use crate::words;

/// Reasons told of a hold that was not met.
const REASONS: usize = 3;
/// Columns of a line on a hold.
const LINE: usize = 80;
/// Causes told of what held it back.
const CAUSES: usize = 3;

/// The whole of it.
pub fn limit(limit: &JudgedLimit) -> Document {
    let JudgedLimit { contender, challenge, profile, .. } = limit;
    let mut sections: Vec<Section> = why(limit).into_iter().collect();
    sections.push(all_holds(limit));
    sections.extend(law::section(limit));
    sections.extend(limit.standing().or(limit.holds.last()).map(services));
    Document {
        title: format!("{contender} – {challenge}, {profile}"),
        warnings: warnings(limit),
        verdict: in_words(limit),
        tone: match (limit.limited_by, limit.confirmed) {
            (LimitedBy::Galo, _) => Tone::Void,
            (_, true) => Tone::Decided,
            (_, false) => Tone::Open,
        },
        answers: answers(limit),
        subject: subject(limit),
        lines: depends(limit).into_iter().collect(),
        next: None,
        sections,
        terms: terms(limit),
        origin: Some(limit.header.clone()),
    }
}

fn warnings(limit: &JudgedLimit) -> Vec<Both> {
    let note = limit.limits_note.as_deref().unwrap_or_default();
    let unlimited = (!limit.limits_enforced).then(|| words::not_enforced(&Both::same(note.to_owned())));
    let over = words::beyond_budget(&limit.contender, limit.takes, limit.budget);
    let walls = words::no_walls(limit.walls_note.as_deref());
    over.into_iter().chain(unlimited).chain(walls).chain(end::told(&limit.end)).collect()
}

/// That the answer is one of this order of holds.
fn depends(limit: &JudgedLimit) -> Option<Line> {
    const DEPENDS: Both = Both::word(
        "what is held depends on what earlier holds had stored, since it stayed up: start it afresh at one scale (--start, --max) to compare",
        "o que se sustenta depende do que os patamares anteriores gravaram, pois ele ficou de pé: para comparar, inicie-o de novo em uma só escala (--start, --max)",
    );
    let mut causes = limit.holds.iter().flat_map(|hold| &hold.causes);
    let is_grown = causes.any(|cause| cause.fact.kind() == Kind::CostGrowsWithStored);
    is_grown.then_some(Line { text: DEPENDS, warns: true })
}

/// What held back the lowest scale that was not met, as far as galo knows.
fn why(limit: &JudgedLimit) -> Option<Section> {
    let hold = limit.lowest_not_met().filter(|hold| !hold.causes.is_empty())?;
    let scale = Both::figure(scale(hold.scale_milli));
    let found = |cause| Block::Finding(Box::new(ShownFinding::of(cause, &limit.contender)));
    Some(Section {
        id: "why".into(),
        emphasis: Emphasis::First,
        name: Both::new(
            format!("What held back scale {}, the most telling first", scale.en),
            format!("O que segurou a escala {}, o que mais explica primeiro", scale.pt),
        ),
        blocks: hold.causes.iter().take(CAUSES).map(found).collect(),
    })
}

fn all_holds(limit: &JudgedLimit) -> Section {
    let noun = &limit.noun;
    type OfHold<'a> = Column<'a, Hold>;
    let ms = |statistic: Statistic| {
        let head = statistic.name.clone().then(&Both::same(" ms"));
        OfHold::new(head, move |hold| statistic.figure(&hold.latency, narrow_ms))
    };
    let columns = [
        OfHold::text(Both::word("scale", "escala"), |hold| scale(hold.scale_milli)),
        OfHold::new(Both::word("for s", "por s"), |hold| Figure::Number(hold.length_ns as f64 / 1e9, 0)),
        OfHold::new(Both::new(noun.en[1].clone(), noun.pt[1].clone()), |hold| hold.stored_before),
        OfHold::new(Both::word("due/s", "previstas/s"), |hold| Figure::Number(hold.outcome.offered_per_s, 0)),
        ms(columns::P50),
        ms(columns::P99),
        ms(columns::P999),
        OfHold::new(Both::word("errors", "erros"), |hold| hold.ledger.not_ok()),
        OfHold::new(Both::word("us each", "us cada"), |hold| {
            hold.cpu_us_each().map(|us| Figure::Number(us, 0))
        }),
    ];
    let caption = Both::word(
        "Holds, in the order in which they were driven",
        "Patamares, na ordem em que foram executados",
    );
    let table = Table::warning("all-holds", caption, columns, &limit.holds, |hold| warning(hold, noun));
    let note = Both::word(
        "us each: CPU of all services for each request; latency is counted from the intended start",
        "us cada: CPU de todos os serviços por requisição; a latência conta desde o início previsto",
    );
    let curve = curve(limit).map(Block::Curve);
    Section {
        id: "holds".into(),
        emphasis: Emphasis::First,
        name: Both::word("Every hold", "Todos os patamares"),
        blocks: curve.into_iter().chain([Block::Table(table), Block::Note(note)]).collect(),
    }
}

/// How p99 goes with the scale, over the holds that say something.
fn curve(limit: &JudgedLimit) -> Option<Curve> {
    let told = limit
        .holds
        .iter()
        .filter(|hold| hold.outcome.valid && hold.latency.p99 > 0.0 && hold.scale_milli > 0);
    let point = |hold: &Hold| Point {
        at: [hold.scale_milli as f64 / 1e3, hold.latency.p99 / 1e3],
        interval: None,
        is_met: hold.outcome.met,
    };
    let points: Vec<Point> = told.map(point).collect();
    (points.len() > 1).then(|| Curve {
        caption: Both::word(
            "Latency by scale: a circle met the criterion, a cross did not",
            "Latência por escala: o círculo cumpriu o critério, a cruz não",
        ),
        axes: [Both::word("scale", "escala"), Both::same("p99, ms")],
        along: Along::Scale,
        points,
    })
}

fn subject(limit: &JudgedLimit) -> Both {
    let JudgedLimit { challenge, seed, .. } = limit;
    let preload = match limit.terms.preloads {
        true => Both::same(""),
        false => Both::word(", without preload", ", sem pré-carga"),
    };
    Both::each(|lang| {
        let (holds, starts) =
            (lang.counted(limit.holds.len() as u64, HOLD), lang.counted(limit.starts.into(), START));
        let preload = preload.get(lang);
        say!(
            lang,
            "{challenge}, seed {seed}, {holds}, {starts}{preload}",
            "{challenge}, semente {seed}, {holds}, {starts}{preload}"
        )
    })
}

fn terms(limit: &JudgedLimit) -> Vec<(Both, Both)> {
    vec![
        (Both::word("challenge", "desafio"), Both::same(limit.challenge.clone())),
        (Both::word("profile", "perfil"), Both::same(limit.profile.clone())),
        (Both::word("seed", "semente"), Both::same(limit.seed.clone())),
        (Both::word("criterion", "critério"), Both::same(limit.terms.criterion.clone())),
        (
            Both::word("length of a hold", "duração de um patamar"),
            Both::figure(Figure::seconds_of(limit.terms.hold_ns)),
        ),
        (
            Both::word("length of one that confirms", "duração de um que confirma"),
            Both::figure(Figure::seconds_of(limit.terms.confirm_ns)),
        ),
        (
            Both::word("narrow enough at a ratio of", "estreito o bastante com a razão"),
            Both::figure(Figure::Plain(limit.terms.search.ratio)),
        ),
    ]
}

/// One line on it, of 80 columns at most.
pub fn hold_line(hold: &Hold) -> String {
    let kind = if hold.confirms { "confirming " } else { "" };
    let worth = match (hold.outcome.valid, hold.outcome.met) {
        (false, _) => "says nothing",
        (true, true) => "met",
        (true, false) => "NOT met",
    };
    let cpu = hold.cpu_us_each().map(|us| format!(", {}", Figure::With(us, 0, "us")));
    let busiest = busiest(hold).map(|(name, share)| format!(", {} {}", clean(name), Figure::Share(share)));
    let mut line = format!(
        "{kind}hold {} for {}: {worth} (p99 {}, {} errors",
        scale(hold.scale_milli),
        Figure::seconds_of(hold.length_ns),
        columns::P99.cell(&hold.latency).write(Lang::En),
        Figure::Count(hold.ledger.not_ok()),
    );
    // Whole, or not at all.
    for more in [cpu, busiest].into_iter().flatten() {
        if width(&line) + width(&more) < LINE {
            line += &more;
        }
    }
    line + ")"
}

/// The service that used most of its CPU.
fn busiest(hold: &Hold) -> Option<(&str, f64)> {
    let shares = hold.services.iter().filter_map(|service| Some((service.name.as_str(), service.cpu_share?)));
    shares.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Why a hold was not met, or how few of its answers were right.
fn warning(hold: &Hold, noun: &Noun) -> Option<Both> {
    let not_met = (!hold.outcome.met).then(|| {
        let head = match hold.outcome.valid {
            true => Both::word("not met", "não cumprido"),
            false => Both::word("says nothing", "não diz nada"),
        };
        Both::each(|lang| {
            let reasons = hold.outcome.reasons.iter().take(REASONS);
            let reasons = reasons.map(|reason| not_met_words(reason, noun, lang));
            format!("{}: {}", head.get(lang), reasons.collect::<Vec<_>>().join("; "))
        })
    });
    not_met.or_else(|| few_right(hold).map(|few| Both::word("met, but ", "cumprido, mas ").then(&few)))
}

/// What services and galo used in one hold.
fn services(hold: &Hold) -> Section {
    type OfService<'a> = Column<'a, HoldService>;
    let requests = hold.requests();
    let mib = |bytes: Option<u64>| bytes.map(|bytes| Figure::Number(bytes as f64 / f64::from(1 << 20), 1));
    let us = |service: &HoldService| service.cpu_ns.map(|ns| ns as f64 / 1e3);
    let columns = [
        OfService::text(Both::word("service", "serviço"), |service| service.name.clone()),
        OfService::new(Both::same("CPU s"), |service| us(service).map(|us| Figure::Number(us / 1e6, 1))),
        OfService::new(Both::word("of limit", "do limite"), |service| service.cpu_share.map(Figure::Share)),
        OfService::new(Both::word("us/request", "us/requisição"), |service| {
            us(service).filter(|_| requests > 0).map(|us| Figure::Number(us / requests as f64, 1))
        }),
        OfService::new(Both::word("throttled", "cortada"), |service| Figure::Share(service.throttled_share)),
        OfService::new(Both::word("peak MiB", "pico MiB"), |service| mib(service.memory_peak_bytes)),
        OfService::new(Both::word("anon MiB", "anôn. MiB"), |service| mib(service.anonymous_peak_bytes)),
    ];
    let caption = Both::word(
        "CPU and memory of each service in that hold",
        "CPU e memória de cada serviço nesse patamar",
    );
    let note = Both::each(|lang| {
        let own = lang.figure(Figure::seconds_of(hold.galo_cpu_ns.unwrap_or(hold.engine_cpu_ns)));
        let lag = lang.figure(Figure::Ms(hold.lag_us_p99));
        say!(
            lang,
            "galo itself: {own} of CPU, lag p99 {lag}",
            "o próprio galo: {own} de CPU, atraso p99 {lag}"
        )
    });
    let scale = Both::figure(scale(hold.scale_milli));
    Section {
        id: "services".into(),
        emphasis: Emphasis::First,
        name: Both::word("At scale ", "Na escala ").then(&scale),
        blocks: vec![Block::Table(Table::new("used", caption, columns, &hold.services)), Block::Note(note)],
    }
}

/// Milliseconds in few columns.
fn narrow_ms(us: f64) -> Figure {
    if us >= 999_950.0 { Figure::Number(us / 1e3, 0) } else { Figure::BareMs(us) }
}
