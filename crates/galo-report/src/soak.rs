//! `galo soak`: how latency and memory drift over hours.

use galo_judge::soak::{Drift, Soaked};
use galo_plan::Plan;
use galo_record::RunHeader;
use galo_words::nouns::OPERATION;
use galo_words::{Both, Lang, number, say};
use schemars::JsonSchema;
use serde::Serialize;

use crate::FORMAT;
use crate::digits::{decimals, seconds};
use crate::document::{Along, Block, Curve, Document, Emphasis, Point, Row, Section, Table, Tone, seen};
use crate::end::End;
use crate::words::{host_sentence, over_budget, void_sentence};
use galo_judge::json::pretty;
use galo_record::Ledger;

/// The JSON schema of a soak's report.
pub fn soak_schema() -> String {
    pretty(&schemars::schema_for!(SoakReport))
}

/// Bytes.
const MIB: f64 = 1_048_576.0;

/// What one soak showed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SoakReport {
    /// Version of this form: 1.
    pub format: u32,
    /// All of it in one sentence.
    pub sentence: String,
    /// Contender's name.
    pub contender: String,
    /// The factor on the rates with which the profile ends.
    pub scale: f64,
    /// How long it lasted.
    pub elapsed_s: f64,
    /// How it ended.
    pub end: End,
    /// The error that ended it.
    pub error: Option<String>,
    /// Operations of all scenarios.
    pub ledger: Ledger,
    /// p50 and p99 of latency in milliseconds, then anonymous memory of each service in MiB.
    pub drift: Vec<FigureDrift>,
    /// What the host saw meanwhile.
    #[schemars(with = "Vec<String>")]
    pub findings: Vec<Both>,
    /// Why it says nothing: galo or its machine did not keep up.
    #[schemars(with = "Vec<String>")]
    pub void: Vec<Both>,
    #[serde(skip)]
    points: Vec<[f64; 2]>,
    /// That the contender takes more than the budget.
    #[serde(skip)]
    over_budget: Vec<Both>,
}

/// How one figure moved.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FigureDrift {
    /// With its unit.
    pub figure: String,
    /// Null: too little was seen of it.
    pub drift: Option<Drift>,
}

impl SoakReport {
    /// Sums up what was found of a plan's only contender; `None`: it was broken off.
    pub fn of(plan: &Plan, soaked: Option<&Soaked>) -> Self {
        let all = soaked.cloned().unwrap_or_default();
        let figure = |(figure, drift, unit): (String, Option<Drift>, f64)| FigureDrift {
            figure,
            drift: drift.map(|drift| in_unit(drift, unit)),
        };
        let latencies = [("p50 ms".to_owned(), all.us_p50, 1e3), ("p99 ms".to_owned(), all.us_p99, 1e3)];
        let memory = all.memory.into_iter().map(|(name, drift)| (format!("{name} MiB"), drift, MIB));
        let mut report = Self {
            format: FORMAT,
            sentence: String::new(),
            contender: plan.contenders.first().map_or_else(String::new, |contender| contender.name.clone()),
            scale: plan.kind.soak().map_or(0.0, |terms| decimals(terms.scale_milli as f64 / 1e3, 3)),
            elapsed_s: seconds(all.elapsed_ns),
            end: match (&all.not_started, soaked) {
                (Some(_), _) => End::Failed,
                (None, Some(_)) => End::Done,
                (None, None) => End::Interrupted,
            },
            error: all.not_started,
            ledger: all.ledger,
            drift: latencies.into_iter().chain(memory).map(figure).collect(),
            findings: all.findings.iter().map(|fact| Both::told(|lang| host_sentence(fact, lang))).collect(),
            void: all
                .void
                .iter()
                .map(|why| Both::told(|lang| void_sentence(std::slice::from_ref(why), lang)))
                .collect(),
            points: all.points,
            over_budget: plan
                .contenders
                .iter()
                .filter_map(|c| over_budget(c, &plan.challenge.policy))
                .collect(),
        };
        report.sentence = report.in_words().of(Lang::En).to_owned();
        report
    }

    /// Pretty JSON with a newline at the end.
    pub fn to_json(&self) -> String {
        pretty(self)
    }

    /// The whole of it; `header` says how and where it was driven.
    pub fn document(&self, header: &RunHeader) -> Document {
        let void = self.void.iter().map(|why| Both::word("void: ", "nula: ").then(why));
        Document {
            title: format!("{}: soak", self.contender),
            warnings: (self.over_budget.iter().cloned())
                .chain(void)
                .chain(self.findings.iter().cloned())
                .chain(self.end.told(self.error.as_deref()))
                .collect(),
            verdict: self.in_words(),
            tone: if self.void.is_empty() { Tone::Open } else { Tone::Void },
            answers: Vec::new(),
            subject: Both::told(|lang| {
                let operations = lang.counted(self.ledger.intended, OPERATION);
                let wrong = lang.whole(self.ledger.not_ok());
                say!(lang, "{operations}, {wrong} not right", "{operations}, {wrong} não corretas")
            }),
            lines: Vec::new(),
            next: None,
            sections: vec![self.over_time()],
            terms: vec![(Both::word("scale", "escala"), Both::figure(self.scale.to_string()))],
            origin: Some(header.clone()),
        }
    }

    fn in_words(&self) -> Both {
        let name = &self.contender;
        let Some(p99) = self.drift.get(1).and_then(|p99| p99.drift) else {
            let [en, pt] = ["nothing is known of its drift", "nada se sabe da sua deriva"];
            return Both::new(format!("{name}: {en}"), format!("{name}: {pt}"));
        };
        let (unit, in_hour) = unit_of_time(self.elapsed_s);
        Both::told(|lang| {
            let figure = |value: f64| lang.figure(number(value, 2));
            let [first, last] = [p99.first, p99.last].map(figure);
            let (long, unit) = (lang.figure(number(self.elapsed_s / 3600.0 * in_hour, 1)), unit.of(lang));
            say!(
                lang,
                "{name} over {long} {unit}: p99 from {first} ms to {last} ms",
                "{name} por {long} {unit}: p99 de {first} ms a {last} ms"
            )
        })
    }

    fn over_time(&self) -> Section {
        let row = |of: &FigureDrift| {
            let figures = of.drift.map(|drift| [drift.first, drift.last, drift.per_hour]);
            let cell = |index: usize| seen(figures.map(|figures| number(figures[index], 2)));
            Row::plain(std::iter::once(Both::same(of.figure.clone())).chain((0..3).map(cell)))
        };
        let caption =
            Both::word("First and last tenth, and the slope", "Primeiro e último décimo, e a inclinação");
        let heads = vec![
            Both::word("figure", "medida"),
            Both::word("first", "início"),
            Both::word("last", "fim"),
            Both::word("per hour", "por hora"),
        ];
        let table = Table::new("drift", caption, heads, self.drift.iter().map(row).collect());
        let (unit, in_hour) = unit_of_time(self.elapsed_s);
        let point = |[hours, us]: &[f64; 2]| Point { at: [hours * in_hour, us / 1e3], is_met: true };
        let curve = (self.points.len() > 1).then(|| Curve {
            caption: Both::word("p99 over time", "p99 ao longo do tempo"),
            axes: [unit, Both::same("p99, ms")],
            along: Along::Time,
            points: self.points.iter().map(point).collect(),
        });
        Section {
            id: "drift-over-time".into(),
            emphasis: Emphasis::First,
            name: Both::word("Drift", "Deriva"),
            blocks: [Block::Table(table)].into_iter().chain(curve.map(Block::Curve)).collect(),
        }
    }
}

/// In what so many seconds are told, and how many of these an hour has.
const fn unit_of_time(s: f64) -> (Both, f64) {
    match s {
        ..180.0 => (Both::word("seconds", "segundos"), 3600.0),
        180.0..7200.0 => (Both::word("minutes", "minutos"), 60.0),
        _ => (Both::word("hours", "horas"), 1.0),
    }
}

fn in_unit(Drift { first, last, per_hour }: Drift, unit: f64) -> Drift {
    let [first, last, per_hour] = [first, last, per_hour].map(|figure| decimals(figure / unit, 3));
    Drift { first, last, per_hour }
}
