//! A limit as it is told: what is held, then why not more, then every hold, then who used what in the one that stands for it.

use galo_judge::findings::{CostGrowsWithStored, Fact, Kind};
use galo_judge::limit::{HeldUp, Hold, HoldService, JudgedLimit, LimitedBy};
use galo_plan::Noun;
use galo_words::{Both, Figure, Lang, say};

use super::reason::not_met_words;
use super::scale;
use crate::columns::{self, Statistic};
use crate::document::{
    Along, Answer, Block, Column, Curve, Document, Emphasis, Found, Line, Point, Section, Table, Tone,
};
use crate::end;
use crate::text::{clean, width};
use crate::words;
use galo_record::Ledger;

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

fn answers(limit: &JudgedLimit) -> Vec<Answer> {
    let mut told = Vec::new();
    if limit.scale_milli.is_some() {
        let held = Both::figure(Figure::seconds_of(limit.terms.confirm_ns));
        told.push(match limit.confirmed {
            true => answer(
                ("confirmed", "confirmado"),
                (format!("held for {}", held.en), format!("sustentada por {}", held.pt)),
                false,
            ),
            false => answer(
                ("confirmed", "confirmado"),
                ("NO: no longer hold at it was met", "NÃO: nenhum patamar mais longo foi cumprido"),
                true,
            ),
        });
    }
    if let Some(few) = limit.standing().and_then(few_right) {
        let few = (few.en.into_owned(), few.pt.into_owned());
        told.push(answer(("right answers", "respostas corretas"), few, true));
    }
    told.extend(held_up(limit));
    if let (Some(least), Some(met)) = (limit.terms.at_least_milli, limit.at_least_met) {
        let least = Both::figure(scale(least));
        let question = (format!("at least {}", least.en), format!("pelo menos {}", least.pt));
        let met_words = if met { ("met", "cumprido") } else { ("NOT met", "NÃO cumprido") };
        told.push(answer(question, met_words, !met));
    }
    told
}

fn held_up(limit: &JudgedLimit) -> Option<Answer> {
    let held_up_by = ("held up by", "o que segurou");
    let at = next_scale(limit);
    if let Some(HeldUp::CostGrows { earlier, later }) = &limit.held_up {
        let grown = Fact::from(CostGrowsWithStored { earlier: *earlier, later: *later });
        let told = Both::told(|lang| grown.sentence(lang));
        return Some(answer(held_up_by, (told.en, told.pt), false));
    }
    let short = |lang| limit.held_up.as_ref().and_then(|by| short_service(by, lang));
    if let (Some(en), Some(pt)) = (short(Lang::En), short(Lang::Pt)) {
        let told = (format!("{en}, at {}", at.en), format!("{pt}, com {}", at.pt));
        return Some(answer(held_up_by, told, false));
    }
    Some(match limit.limited_by {
        LimitedBy::Contender if limit.held_up == Some(HeldUp::Unknown) => answer(
            held_up_by,
            (
                format!("not known: what was seen of its services at {} does not tell", at.en),
                format!("não se sabe: o que se viu dos serviços com {} não diz", at.pt),
            ),
            false,
        ),
        LimitedBy::Contender => answer(
            held_up_by,
            (
                format!("no service was short of CPU or memory at {}", at.en),
                format!("não faltou CPU nem memória a nenhum serviço com {}", at.pt),
            ),
            false,
        ),
        LimitedBy::Galo => answer(
            held_up_by,
            (
                "galo itself or its machine did not keep up with a higher scale, the contender might: give galo a core \
                 of its own, or more threads (--threads)",
                "o próprio galo ou a sua máquina não acompanhou uma escala maior, o competidor talvez acompanhe: dê ao \
                 galo um núcleo só dele, ou mais threads (--threads)",
            ),
            true,
        ),
        LimitedBy::Asked => answer(
            held_up_by,
            ("nothing higher was to be tried (--max)", "nada maior era para ser tentado (--max)"),
            false,
        ),
        LimitedBy::Holds => answer(
            held_up_by,
            ("it ended before a higher scale was tried", "terminou antes de tentar uma escala maior"),
            true,
        ),
    })
}

/// What held back the lowest scale that was not met, as far as galo knows.
fn why(limit: &JudgedLimit) -> Option<Section> {
    let hold = limit.lowest_not_met().filter(|hold| !hold.causes.is_empty())?;
    let scale = Both::figure(scale(hold.scale_milli));
    let found = |cause| Block::Finding(Box::new(Found::of(cause, &limit.contender)));
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
    let ms = |Statistic { name, of }: Statistic| {
        OfHold::new(name.then(&Both::same(" ms")), move |hold| narrow_ms(of(&hold.latency)))
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

/// The lowest scale above the one that is held that was not met.
fn next_scale(limit: &JudgedLimit) -> Both {
    match limit.lowest_not_met() {
        None => Both::word("a higher scale", "uma escala maior"),
        Some(hold) => {
            let scale = Both::figure(scale(hold.scale_milli));
            Both::new(format!("scale {}", scale.en), format!("a escala {}", scale.pt))
        }
    }
}

fn subject(limit: &JudgedLimit) -> Both {
    let JudgedLimit { challenge, seed, starts, .. } = limit;
    let holds = limit.holds.len();
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let (en, pt) = match limit.terms.preloads {
        true => ("", ""),
        false => (", without preload", ", sem pré-carga"),
    };
    let start = plural(*starts as usize);
    let patamar = if holds == 1 { "patamar" } else { "patamares" };
    let hold = plural(holds);
    Both::new(
        format!("{challenge}, seed {seed}, {holds} hold{hold}, {starts} start{start}{en}"),
        format!("{challenge}, semente {seed}, {holds} {patamar}, {starts} início{start}{pt}"),
    )
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

/// All of it in one sentence.
fn in_words(limit: &JudgedLimit) -> Both {
    let JudgedLimit { contender, profile, terms, .. } = limit;
    let criterion = &terms.criterion;
    Both::told(|lang| {
        let under = say!(lang, "profile {profile} under {criterion}", "perfil {profile} sob {criterion}");
        let written = |milli| lang.figure(scale(milli));
        let (Some(held), Some(low)) = (limit.scale_milli.map(written), limit.low_milli.map(written)) else {
            return match limit.holds.iter().map(|hold| hold.scale_milli).min().map(written) {
                Some(lowest) => say!(
                    lang,
                    "{contender} holds no scale that was tried, down to {lowest}, of {under}",
                    "{contender} não sustenta nenhuma escala tentada, até {lowest}, do {under}"
                ),
                None => say!(
                    lang,
                    "{contender}: no scale was tried of {under}",
                    "{contender}: nenhuma escala foi tentada do {under}"
                ),
            };
        };
        let interval = match limit.high_milli.map(written) {
            Some(high) => say!(lang, "({low} to {high})", "({low} a {high})"),
            None => lang.pick("or more", "ou mais").to_owned(),
        };
        say!(
            lang,
            "{contender} holds scale {held} {interval} of {under}",
            "{contender} sustenta a escala {held} {interval} do {under}"
        )
    })
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
        Figure::Ms(hold.latency.p99),
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

/// That few answers were right, where they were: then its latency says how quickly it fails.
fn few_right(hold: &Hold) -> Option<Both> {
    let Ledger { ok, intended, .. } = hold.ledger;
    words::too_few_right(ok, intended, Lang::En)?;
    Some(Both::told(|lang| words::few_right(ok, intended, lang)))
}

/// The service that used most of its CPU.
fn busiest(hold: &Hold) -> Option<(&str, f64)> {
    let shares = hold.services.iter().filter_map(|service| Some((service.name.as_str(), service.cpu_share?)));
    shares.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn answer(
    question: (impl Into<String>, impl Into<String>),
    text: (impl Into<String>, impl Into<String>),
    warns: bool,
) -> Answer {
    let both = |en: String, pt: String| Both::new(en, pt);
    Answer {
        question: both(question.0.into(), question.1.into()),
        text: both(text.0.into(), text.1.into()),
        warns,
        is_tile: false,
        link: None,
    }
}

/// Why a hold was not met, or how few of its answers were right.
fn warning(hold: &Hold, noun: &Noun) -> Option<Both> {
    let not_met = (!hold.outcome.met).then(|| {
        let head = match hold.outcome.valid {
            true => Both::word("not met", "não cumprido"),
            false => Both::word("says nothing", "não diz nada"),
        };
        Both::told(|lang| {
            let reasons = hold.outcome.reasons.iter().take(REASONS);
            let reasons = reasons.map(|reason| not_met_words(reason, noun, lang));
            format!("{}: {}", head.of(lang), reasons.collect::<Vec<_>>().join("; "))
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
    let note = Both::told(|lang| {
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

/// Which service was short of what; `None`: none was, as far as is known.
fn short_service(held_up: &HeldUp, lang: Lang) -> Option<String> {
    let HeldUp::Service { service, by, usage } = held_up else { return None };
    Some(words::held_back(service, *by, usage, None, lang))
}
