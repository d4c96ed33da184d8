//! A limit as it is told: what is held, then why not more, then every hold, then who used what in the one that stands for it.

use galo_judge::findings::{CostGrowsWithStored, Fact, Kind};
use galo_judge::limit::{HeldUp, Hold, HoldService, JudgedLimit, LimitedBy};
use galo_words::{Both, Lang, count, ms, ms_bare, number, percent};

use super::reason::not_met_words;
use super::scale_words;
use crate::document::{
    Along, Answer, Block, Curve, Document, Emphasis, Found, Line, Narrow, Point, Row, Section, Table, Tone,
    seen,
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

/// The whole of it; `header` says how and where it was driven.
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
        let held = Both::figure(galo_words::seconds(limit.terms.confirm_ns as f64 / 1e9));
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
        let least = Both::figure(scale_words(least));
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
    let scale = Both::figure(scale_words(hold.scale_milli));
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
    let heads = [
        Both::word("scale", "escala"),
        Both::word("for s", "por s"),
        Both::word("people", "pessoas"),
        Both::word("due/s", "previstas/s"),
        Both::same("p50 ms"),
        Both::same("p99 ms"),
        Both::figure("p99.9 ms"),
        Both::word("errors", "erros"),
        Both::word("us each", "us cada"),
    ];
    let table = Table {
        id: "all-holds".into(),
        caption: Both::word(
            "Holds, in the order in which they were driven",
            "Patamares, na ordem em que foram executados",
        ),
        heads: heads.into(),
        rows: limit.holds.iter().map(row).collect(),
        narrow: Narrow::All,
    };
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
            let scale = Both::figure(scale_words(hold.scale_milli));
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
            figure(galo_words::seconds(limit.terms.hold_ns as f64 / 1e9)),
        ),
        (
            Both::word("length of one that confirms", "duração de um que confirma"),
            figure(galo_words::seconds(limit.terms.confirm_ns as f64 / 1e9)),
        ),
        (
            Both::word("narrow enough at a ratio of", "estreito o bastante com a razão"),
            figure(limit.terms.search.ratio.to_string()),
        ),
    ]
}

/// All of it in one sentence.
fn in_words(limit: &JudgedLimit) -> Both {
    let JudgedLimit { contender, profile, terms, .. } = limit;
    let criterion = &terms.criterion;
    let under = Both::new(
        format!("profile {profile} under {criterion}"),
        format!("perfil {profile} sob {criterion}"),
    );
    let (Some(scale), Some(low)) = (limit.scale_milli, limit.low_milli) else {
        let lowest = limit.holds.iter().map(|hold| hold.scale_milli).min().map(scale_words);
        return match lowest.map(Both::figure) {
            Some(lowest) => Both::new(
                format!("{contender} holds no scale that was tried, down to {}, of {}", lowest.en, under.en),
                format!(
                    "{contender} não sustenta nenhuma escala tentada, até {}, do {}",
                    lowest.pt, under.pt
                ),
            ),
            None => Both::new(
                format!("{contender}: no scale was tried of {}", under.en),
                format!("{contender}: nenhuma escala foi tentada do {}", under.pt),
            ),
        };
    };
    let [scale, low] = [scale, low].map(|scale| Both::figure(scale_words(scale)));
    let interval = match limit.high_milli.map(|high| Both::figure(scale_words(high))) {
        Some(high) => {
            Both::new(format!("({} to {})", low.en, high.en), format!("({} a {})", low.pt, high.pt))
        }
        None => Both::word("or more", "ou mais"),
    };
    Both::new(
        format!("{contender} holds scale {} {} of {}", scale.en, interval.en, under.en),
        format!("{contender} sustenta a escala {} {} do {}", scale.pt, interval.pt, under.pt),
    )
}

/// One line on it, of 80 columns at most.
pub fn hold_line(hold: &Hold) -> String {
    let kind = if hold.confirms { "confirming " } else { "" };
    let worth = match (hold.outcome.valid, hold.outcome.met) {
        (false, _) => "says nothing",
        (true, true) => "met",
        (true, false) => "NOT met",
    };
    let cpu = hold.cpu_us_each().map(|us| format!(", {} us", number(us, 0)));
    let busiest = busiest(hold).map(|(name, share)| format!(", {} {}", clean(name), percent(share)));
    let mut line = format!(
        "{kind}hold {} for {}: {worth} (p99 {}, {} errors",
        scale_words(hold.scale_milli),
        galo_words::seconds(hold.length_ns as f64 / 1e9),
        ms(hold.latency.p99),
        count(hold.ledger.not_ok()),
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

fn figure(text: String) -> Both {
    Both::figure(text)
}

/// With the reasons where it was not met.
fn row(hold: &Hold) -> Row {
    let latency = &hold.latency;
    let cells = [
        Some(scale_words(hold.scale_milli)),
        Some(number(hold.length_ns as f64 / 1e9, 0)),
        hold.people_before.map(count),
        Some(number(hold.outcome.offered_per_s, 0)),
        Some(narrow_ms(latency.p50)),
        Some(narrow_ms(latency.p99)),
        Some(narrow_ms(latency.p99_9)),
        Some(count(hold.ledger.not_ok())),
        hold.cpu_us_each().map(|us| number(us, 0)),
    ];
    let not_met = (!hold.outcome.met).then(|| {
        let head =
            if hold.outcome.valid { ("not met", "não cumprido") } else { ("says nothing", "não diz nada") };
        Both::told(|lang| {
            let reasons = hold.outcome.reasons.iter().take(REASONS);
            let reasons = reasons.map(|reason| not_met_words(reason, lang));
            format!("{}: {}", lang.pick(head.0, head.1), reasons.collect::<Vec<_>>().join("; "))
        })
    });
    let few = few_right(hold).map(|few| Both::word("met, but ", "cumprido, mas ").then(&few));
    Row { cells: cells.map(seen).into(), warning: not_met.or(few) }
}

/// What services and galo used in one hold.
fn services(hold: &Hold) -> Section {
    let scale = Both::figure(scale_words(hold.scale_milli));
    let heads = [
        Both::word("service", "serviço"),
        Both::word("CPU s", "CPU s"),
        Both::word("of limit", "do limite"),
        Both::word("us/request", "us/requisição"),
        Both::word("throttled", "cortada"),
        Both::word("peak MiB", "pico MiB"),
        Both::word("anon MiB", "anôn. MiB"),
    ];
    let used = |service: &HoldService| Row { cells: cells(service, hold.requests()), warning: None };
    let table = Table {
        id: "used".into(),
        caption: Both::word(
            "CPU and memory of each service in that hold",
            "CPU e memória de cada serviço nesse patamar",
        ),
        heads: heads.into(),
        rows: hold.services.iter().map(used).collect(),
        narrow: Narrow::All,
    };
    let own = Both::figure(galo_words::seconds(hold.galo_cpu_ns.unwrap_or(hold.engine_cpu_ns) as f64 / 1e9));
    let lag = Both::figure(ms(hold.lag_us_p99));
    let note = Both::new(
        format!("galo itself: {} of CPU, lag p99 {}", own.en, lag.en),
        format!("o próprio galo: {} de CPU, atraso p99 {}", own.pt, lag.pt),
    );
    Section {
        id: "services".into(),
        emphasis: Emphasis::First,
        name: Both::new(format!("At scale {}", scale.en), format!("Na escala {}", scale.pt)),
        blocks: vec![Block::Table(table), Block::Note(note)],
    }
}

fn cells(service: &HoldService, requests: u64) -> Vec<Both> {
    let cpu_us = service.cpu_ns.map(|ns| ns as f64 / 1e3);
    let mib = |bytes: Option<u64>| seen(bytes.map(|bytes| number(bytes as f64 / f64::from(1 << 20), 1)));
    vec![
        Both::same(service.name.clone()),
        seen(cpu_us.map(|us| number(us / 1e6, 1))),
        seen(service.cpu_share.map(percent)),
        seen(cpu_us.filter(|_| requests > 0).map(|us| number(us / requests as f64, 1))),
        seen(Some(percent(service.throttled_share))),
        mib(service.memory_peak_bytes),
        mib(service.anonymous_peak_bytes),
    ]
}

/// Milliseconds in few columns.
fn narrow_ms(us: f64) -> String {
    if us >= 999_950.0 { number(us / 1e3, 0) } else { ms_bare(us) }
}

/// Which service was short of what; `None`: none was, as far as is known.
fn short_service(held_up: &HeldUp, lang: Lang) -> Option<String> {
    let HeldUp::Service { service, by, usage } = held_up else { return None };
    Some(words::held_back(service, *by, usage, None, lang))
}
