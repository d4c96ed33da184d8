//! The runs behind the lines: what changed from one to the next, where each was, and what was left out.

use std::mem::discriminant;

use galo_judge::trend::{Change, JudgedTrend, LeftOut, TrendPair, TrendPoint, TrendRun, Version, WhyLeftOut};
use galo_record::{Machine, RunHeader};
use galo_words::{Both, Lang, say};

use super::terms::{machine_in_words, terms_in_words};
use super::{minute, pair_name};
use crate::document::{Block, Column, Emphasis, Line, Section, Table};
use crate::words::UNSEEN;

/// Letters of a commit or a digest that are told.
const SHORT_ID: usize = 8;

/// How many folders are left out, by reason.
pub(super) fn left_out_counted(trend: &JudgedTrend) -> Option<Line> {
    let left_out = &trend.left_out;
    let text = |lang: Lang| {
        let counted = |group: &[LeftOut]| format!("{} {}", group.len(), reason(&group[0].why).get(lang));
        let reasons: Vec<String> = by_reason(left_out).map(counted).collect();
        let (out, all, reasons) = (left_out.len(), left_out.len() + trend.runs.len(), reasons.join(", "));
        say!(
            lang,
            "{out} of {all} folders left out: {reasons}",
            "{out} de {all} pastas ficam de fora: {reasons}"
        )
    };
    let is_amiss = |out: &LeftOut| matches!(out.why, WhyLeftOut::Unreadable(_) | WhyLeftOut::Unfinished);
    let warns = left_out.iter().any(is_amiss);
    (!left_out.is_empty()).then(|| Line { text: Both::each(text), warns })
}

/// Which folders are left out.
pub(super) fn left_out(trend: &JudgedTrend) -> Option<Section> {
    let blocks = by_reason(&trend.left_out).flat_map(|group| {
        let reason = reason(&group[0].why);
        let folders: Vec<&str> = group.iter().map(|out| out.folder.as_str()).collect();
        let errors = group.iter().filter_map(|out| match &out.why {
            WhyLeftOut::Unreadable(error) => Some(Both::same(error.replace('\n', "; "))),
            _ => None,
        });
        let told = Both::same(format!(": {}", folders.join(", ")));
        std::iter::once(reason.then(&told)).chain(errors).map(Block::Text).collect::<Vec<_>>()
    });
    (!trend.left_out.is_empty()).then(|| Section {
        id: "left-out".into(),
        name: Both::word("Left out", "Ficaram de fora"),
        emphasis: Emphasis::Second,
        blocks: blocks.collect(),
    })
}

/// Folders that are left out for one reason stand together.
fn by_reason(left_out: &[LeftOut]) -> impl Iterator<Item = &[LeftOut]> {
    left_out.chunk_by(|a, b| discriminant(&a.why) == discriminant(&b.why))
}

const fn reason(why: &WhyLeftOut) -> Both {
    match why {
        WhyLeftOut::Unreadable(_) => Both::word("unreadable", "ilegível"),
        WhyLeftOut::Unfinished => Both::word("unfinished", "inacabada"),
        WhyLeftOut::Void => Both::word("void", "nula"),
        WhyLeftOut::NoGround => Both::word("disqualified or failing", "desclassificada ou falhando"),
        WhyLeftOut::NoFigure => Both::word("over too soon", "terminada cedo demais"),
        WhyLeftOut::ComparesNone => Both::word("without a pair", "sem par"),
        WhyLeftOut::NoRun => Both::word("without a run", "sem execução"),
    }
}

/// What changed since the pair's run before, with its old and its new value.
pub(super) fn changes(trend: &JudgedTrend) -> Option<Section> {
    let of_pair = |(number, pair): (usize, &TrendPair)| {
        let steps = pair.points.windows(2).filter_map(|step| <&[TrendPoint; 2]>::try_from(step).ok());
        let changes = steps.flat_map(|[before, then]| {
            then.changed.iter().map(move |change| Changed { change: *change, before, then })
        });
        let value = |point: &TrendPoint, change: Change| {
            Both::each(|lang| value_of(trend, pair, point, change, lang))
        };
        let name = |changed: &Changed<'_>| match changed.change {
            Change::Head => Both::same(pair.head.clone()),
            Change::Base => Both::same(pair.base.clone()),
            other => change_name(other),
        };
        type OfChange<'a> = Column<'a, Changed<'a>>;
        let columns = [
            OfChange::text(Both::same("#"), |changed| (changed.then.run + 1).to_string()),
            OfChange::text(Both::word("changed", "mudou"), name),
            OfChange::text(Both::word("before", "antes"), |changed| value(changed.before, changed.change)),
            OfChange::text(Both::word("then", "depois"), |changed| value(changed.then, changed.change)),
        ];
        let id = format!("changes-{}", number + 1);
        let table = Table::new(id, Both::same(pair_name(pair)), columns, changes);
        (!table.is_empty()).then_some(Block::Table(table))
    };
    let blocks: Vec<Block> = trend.pairs.iter().enumerate().filter_map(of_pair).collect();
    (!blocks.is_empty()).then(|| Section {
        id: "changes".into(),
        name: Both::word("What changed", "O que mudou"),
        emphasis: Emphasis::Later,
        blocks,
    })
}

/// Something that changed from one run to the next.
struct Changed<'a> {
    change: Change,
    before: &'a TrendPoint,
    then: &'a TrendPoint,
}

/// What something that may change was in one run.
fn value_of(trend: &JudgedTrend, pair: &TrendPair, point: &TrendPoint, change: Change, lang: Lang) -> String {
    let (Some(line), Some(run)) = (pair.lines.get(point.line), trend.runs.get(point.run)) else {
        return UNSEEN.to_owned();
    };
    let RunHeader { galo, machine, .. } = &run.header;
    let Machine { system, kernel, cgroups, clock_source, settings, .. } = machine;
    match change {
        Change::Machine => machine_in_words(&line.hardware, lang),
        Change::Terms => terms_in_words(&line.terms, lang),
        Change::Requests => line.sent_sha256.as_deref().unwrap_or(UNSEEN).to_owned(),
        Change::Head => id(point.head.as_ref()),
        Change::Base => id(point.base.as_ref()),
        Change::Galo => galo.clone(),
        Change::System => format!("{system}, {kernel}, {cgroups}"),
        Change::Settings => {
            let settings = settings.iter().map(|(name, value)| format!("{name} {value}"));
            settings.chain([clock_source.clone()]).collect::<Vec<_>>().join(", ")
        }
    }
}

/// `machine, galo`. The head's version stands in a column of its own.
pub(super) fn changed_in_short(point: &TrendPoint) -> Both {
    let names = point.changed.iter().filter(|change| **change != Change::Head).map(|it| change_name(*it));
    names.reduce(|all, next| all.then(&Both::same(", ")).then(&next)).unwrap_or(Both::word("", ""))
}

const fn change_name(change: Change) -> Both {
    match change {
        Change::Machine => Both::word("machine", "máquina"),
        Change::Terms => Both::word("terms", "termos"),
        Change::Requests => Both::word("requests", "requisições"),
        Change::Head => Both::word("head", "primeiro"),
        Change::Base => Both::word("base", "base"),
        Change::Galo => Both::word("galo", "galo"),
        Change::System => Both::word("system", "sistema"),
        Change::Settings => Both::word("kernel settings", "configuração do kernel"),
    }
}

/// A version in a narrow column.
pub(super) fn short_id(version: Option<&Version>) -> String {
    short(&id(version))
}

/// As much of a commit or a digest as tells it from others.
pub(super) fn short(id: &str) -> String {
    id.chars().take(SHORT_ID).collect()
}

fn id(version: Option<&Version>) -> String {
    version.map_or(UNSEEN, Version::id).to_owned()
}

/// Which run is which, and how to do each again.
pub(super) fn places(trend: &JudgedTrend) -> Option<Section> {
    type OfRun<'a> = Column<'a, (usize, &'a TrendRun)>;
    let columns = [
        OfRun::text(Both::same("#"), |(number, _)| (number + 1).to_string()),
        OfRun::text(Both::word("started", "início"), |(_, run)| minute(&run.header.started)),
        OfRun::text(Both::word("folder", "pasta"), |(_, run)| run.folder.clone()),
        OfRun::text(Both::same("galo"), |(_, run)| run.header.galo.clone()),
        OfRun::text(Both::word("command", "comando"), |(_, run)| shell_words::join(&run.header.command)),
    ];
    let caption = Both::word("Where each is, and how to repeat it", "Onde cada uma está, e como repetir");
    let table = Table::new("folders", caption, columns, trend.runs.iter().enumerate());
    (!trend.runs.is_empty()).then(|| Section {
        id: "runs".into(),
        name: Both::word("Runs", "Execuções"),
        emphasis: Emphasis::Later,
        blocks: vec![Block::Table(table)],
    })
}
