//! All contenders of a fight side by side, where they are more than two or null servers are beside them: what each gave and cost, by whom
//! they are compared with, and between which of them no difference is proven.

use std::borrow::Cow;

use galo_judge::fight::{JudgedFight, Medians};
use galo_judge::{Comparison, Field, Grouped, Measure};
use galo_words::{Both, Figure, say};

use crate::columns::{self, Statistic};
use crate::document::{Block, Cell, Column, Table};
use crate::words::{labels, ratio_in_words};

/// The tables, and what is to be known of them.
pub(super) fn blocks(fight: &JudgedFight) -> Vec<Block> {
    let field = fight.field.as_ref();
    let too_few =
        field.iter().flat_map(|field| &field.groups).filter_map(|grouped| grouped.pairs_needed).max();
    let too_few = too_few.map(|needed| {
        Both::each(|lang| {
            say!(
                lang,
                "too few rounds to tell every two of them apart: {needed} pairs are needed (--rounds {needed})",
                "rodadas insuficientes para distinguir cada par: são precisos {needed} pares (--rounds {needed})"
            )
        })
    });
    let null = fight.contenders.iter().filter_map(|one| Some(null_servers(&one.name, one.null_of.as_ref()?)));
    let notes =
        [Some(field.map_or(MEDIANS, legend)), too_few].into_iter().flatten().chain(null).map(Block::Note);
    let tables = [costs(field, &fight.medians), times(&fight.medians)];
    tables.map(Block::Table).into_iter().chain(notes).collect()
}

const MEDIANS: Both = Both {
    en: Cow::Borrowed("medians of valid rounds; us: CPU time for each right answer"),
    pt: Cow::Borrowed("medianas das rodadas válidas; us: tempo de CPU por resposta certa"),
};

fn null_servers(name: &str, of: &str) -> Both {
    Both::each(|lang| {
        say!(
            lang,
            "{name} is {of} with null servers in the place of its instances, within their limits: what network, balancer and machine leave at most. It is ranked with nobody",
            "{name} é {of} com servidores nulos no lugar das instâncias, dentro dos limites delas: o máximo que rede, balanceador e máquina deixam. Não é classificado"
        )
    })
}

fn legend(field: &Field) -> Both {
    Both::each(|lang| {
        let reference = &field.reference;
        say!(
            lang,
            "medians of valid rounds; us: CPU time for each right answer; ratios: divided by {reference}, intervals for all comparisons together; between two that share a letter no difference is proven",
            "medianas das rodadas válidas; us: tempo de CPU por resposta certa; razões: divididas por {reference}, intervalos para todas as comparações juntas; entre dois com uma letra em comum nenhuma diferença foi provada"
        )
    })
}

/// A column of contenders.
type OfContender<'a> = Column<'a, Medians>;

fn name<'a>() -> OfContender<'a> {
    OfContender::text(labels::CONTENDER, |medians| medians.contender.clone())
}

fn costs(field: Option<&Field>, medians: &[Medians]) -> Table {
    let figure = |head: Both, of: fn(&Medians) -> Option<Figure>| OfContender::new(head, of);
    let alone = [
        name(),
        figure(labels::THOUSAND_ANSWERS, |of| of.answers_per_s.map(|rate| Figure::Number(rate / 1e3, 2))),
        figure(labels::CPU_US_AN_ANSWER, |of| of.cpu_us_per_answer.map(|us| Figure::Number(us, 1))),
        figure(labels::CPU_SHARE_OF_TIME, |of| of.cores_used.map(Figure::Share)),
        figure(labels::CPU_OF_MACHINE, |of| of.machine_us_per_answer.map(|us| Figure::Number(us, 1))),
        figure(labels::MEMORY, |of| of.memory_peak_bytes.map(Figure::Mib)),
    ];
    let Some(field) = field else {
        let p99 = figure(labels::LATENCY_P99, |of| of.latency_us_p99.map(Figure::Ms));
        return Table::new(
            "field-costs",
            labels::FIELD_COSTS_CAPTION,
            alone.into_iter().chain([p99]),
            medians,
        );
    };
    let ratio = |head: Both, measure: Measure| {
        OfContender::new(head, move |of| by_reference(field, &of.contender, measure)).wide()
    };
    let group = |head: Both, measure: Measure| {
        OfContender::new(head, move |of| {
            let grouped = field.groups.iter().find(|grouped| grouped.measure == measure);
            grouped.and_then(|grouped| letters(grouped, &of.contender))
        })
    };
    let compared = [
        ratio(labels::P99_RATIO, Measure::LatencyUsP99),
        ratio(labels::CPU_RATIO, Measure::CpuMsPer1000),
        group(labels::P99_GROUP, Measure::LatencyUsP99),
        group(labels::CPU_GROUP, Measure::CpuMsPer1000),
    ];
    let reference = &field.reference;
    let of = Both::each(|lang| match field.is_baseline {
        true => say!(
            lang,
            "; CPU and memory are those of what {reference} does not have",
            "; CPU e memória são as do que {reference} não tem"
        ),
        false => String::new(),
    });
    Table::new(
        "field-costs",
        labels::FIELD_COSTS_CAPTION.then(&of),
        alone.into_iter().chain(compared),
        medians,
    )
}

fn times(medians: &[Medians]) -> Table {
    let service = |statistic: Statistic| {
        OfContender::new(statistic.name.clone(), move |medians| {
            medians.service_time.as_ref().map(|times| statistic.cell(times))
        })
    };
    let columns = [
        name(),
        service(columns::P50),
        service(columns::P90).wide(),
        service(columns::P99),
        service(columns::P999),
        service(columns::P9999).wide(),
        service(columns::MAX),
        service(columns::TM99_9),
        service(columns::DEVIATION).wide(),
        OfContender::new(labels::LATENCY_P99, |medians| medians.latency_us_p99.map(Figure::Ms)).wide(),
    ];
    Table::new("field-times", labels::FIELD_TIMES_CAPTION, columns, medians)
}

fn by_reference(field: &Field, contender: &str, measure: Measure) -> Cell {
    let is_it = |c: &&Comparison| c.measure == measure && c.contenders[0] == contender;
    let ratios = field.against.iter().find(is_it).map(|comparison| &comparison.ratios);
    ratios.and_then(|ratios| Some(ratio_in_words(ratios.ratio?, ratios.interval))).into()
}

/// The letters of a contender's groups.
fn letters(grouped: &Grouped, contender: &str) -> Option<String> {
    let place = grouped.order.iter().position(|one| one == contender)?;
    let in_it = grouped.groups.iter().enumerate().filter(|(_, group)| group.contains(&place));
    // More groups than letters there are not: so many contenders would take a day.
    Some(in_it.map(|(number, _)| char::from(b'a' + (number % 26) as u8)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contender_in_two_groups_bears_two_letters() {
        let order = ["x", "y", "z"].map(str::to_owned).to_vec();
        let grouped = Grouped {
            measure: Measure::PRIMARY,
            order,
            groups: vec![vec![0, 1], vec![1, 2]],
            pairs_needed: None,
        };
        let letters = ["x", "y", "z", "?"].map(|name| letters(&grouped, name));
        assert_eq!(letters.each_ref().map(Option::as_deref), [Some("a"), Some("ab"), Some("b"), None]);
    }
}
