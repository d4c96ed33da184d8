//! All contenders of a fight side by side, where they are more than two: what each gave and cost, by whom they are compared with, and
//! between which of them no difference is proven.

use galo_judge::fight::{JudgedContender, JudgedFight, JudgedRound, ServiceSeen};
use galo_judge::{Comparison, Field, Grouped, Measure, Standing};
use galo_words::{Both, mib, ms, number, percent, say};

use crate::document::{Block, Narrow, Row, Table, seen};
use crate::words::{self, UNSEEN, labels, ratio_in_words};

/// The tables, and what is to be known of them; nothing where fewer than three may be ranked.
pub(super) fn blocks(report: &JudgedFight) -> Vec<Block> {
    let Some(field) = &report.field else { return Vec::new() };
    let told = Told::of(report, field);
    let too_few = field.groups.iter().filter_map(|grouped| grouped.pairs_needed).max();
    let too_few = too_few.map(|needed| {
        Both::told(|lang| {
            say!(
                lang,
                "too few rounds to tell every two of them apart: {needed} pairs are needed (--rounds {needed})",
                "rodadas insuficientes para distinguir cada par: são precisos {needed} pares (--rounds {needed})"
            )
        })
    });
    let notes = [Some(legend(field)), too_few].into_iter().flatten().map(Block::Note);
    [told.costs(), told.times()].map(Block::Table).into_iter().chain(notes).collect()
}

fn legend(field: &Field) -> Both {
    Both::told(|lang| {
        let reference = &field.reference;
        say!(
            lang,
            "medians of valid rounds; us: CPU time for each right answer; ratios: divided by {reference}, intervals for all comparisons together; between two that share a letter no difference is proven",
            "medianas das rodadas válidas; us: tempo de CPU por resposta certa; razões: divididas por {reference}, intervalos para todas as comparações juntas; entre dois com uma letra em comum nenhuma diferença foi provada"
        )
    })
}

struct Told<'a> {
    report: &'a JudgedFight,
    field: &'a Field,
    /// The best first, by the primary measure.
    order: Vec<&'a JudgedContender>,
}

impl<'a> Told<'a> {
    fn of(report: &'a JudgedFight, field: &'a Field) -> Self {
        let named = |name: &String| report.contenders.iter().find(|contender| contender.name == *name);
        let primary = field.groups.first();
        let order: Vec<_> =
            primary.into_iter().flat_map(|grouped| &grouped.order).filter_map(named).collect();
        Self { report, field, order }
    }

    /// Whether a service counts as a contender's own: beside a baseline what that has as well does not.
    fn is_own(&self, service: &str) -> bool {
        let reference = self.report.contenders.iter().find(|c| c.name == self.field.reference);
        let has = reference.is_some_and(|contender| contender.services.iter().any(|s| s.name == service));
        !(self.field.is_baseline && has)
    }

    fn rounds(&self, contender: &'a JudgedContender) -> impl Iterator<Item = &'a JudgedRound> {
        let is_its = |round: &&JudgedRound| round.contender == contender.name;
        self.report.rounds.iter().filter(is_its).filter(|round| round.judgement.standing == Standing::Valid)
    }

    /// Median over a contender's valid rounds; `None` where it was not seen.
    fn median(
        &self,
        contender: &'a JudgedContender,
        figure: impl Fn(&JudgedRound) -> Option<f64>,
    ) -> Option<f64> {
        let mut figures: Vec<f64> = self.rounds(contender).filter_map(figure).collect();
        figures.sort_by(f64::total_cmp);
        let middle = figures.len() / 2;
        let upper = *figures.get(middle)?;
        Some(if figures.len() % 2 == 1 { upper } else { f64::midpoint(figures[middle - 1], upper) })
    }

    fn own<'r>(&self, round: &'r JudgedRound) -> impl Iterator<Item = &'r ServiceSeen> {
        round.services.iter().filter(|service| self.is_own(&service.name))
    }

    /// CPU seconds of its own services; `None`: it has none.
    fn cpu_s(&self, round: &JudgedRound) -> Option<f64> {
        self.own(round).map(ServiceSeen::cpu_s).reduce(|all, one| all + one)
    }

    fn memory(&self, round: &JudgedRound) -> Option<f64> {
        let peaks = self.own(round).filter_map(|service| service.usage.memory_peak_bytes);
        peaks.reduce(|all, one| all + one).map(|bytes| bytes as f64)
    }

    fn costs(&self) -> Table {
        let rows = self.order.iter().map(|contender| {
            let median = |figure: &dyn Fn(&JudgedRound) -> Option<f64>| self.median(contender, figure);
            let rate = median(&|round| {
                let load_s = load_s(round)?;
                Some(round.judgement.ledger.ok as f64 / load_s)
            });
            let cpu_us = median(&|round| {
                let ok = round.judgement.ledger.ok;
                self.cpu_s(round).filter(|_| ok > 0).map(|cpu_s| cpu_s * 1e6 / ok as f64)
            });
            let busy = median(&|round| Some(self.cpu_s(round)? / load_s(round)?));
            let machine_us = median(&|round| {
                let ok = round.judgement.ledger.ok;
                (ok > 0).then(|| round.host.busy_ns as f64 / 1e3 / ok as f64)
            });
            let memory = median(&|round| self.memory(round));
            Row::plain([
                Both::same(contender.name.clone()),
                seen(rate.map(|rate| number(rate / 1e3, 2))),
                seen(cpu_us.map(|us| number(us, 1))),
                seen(busy.map(percent)),
                seen(machine_us.map(|us| number(us, 1))),
                seen(memory.map(mib)),
                self.by_reference(contender, Measure::LatencyUsP99),
                self.by_reference(contender, Measure::CpuMsPer1000),
                self.letters(contender, Measure::LatencyUsP99),
                self.letters(contender, Measure::CpuMsPer1000),
            ])
        });
        let heads = vec![
            labels::CONTENDER,
            labels::THOUSAND_ANSWERS,
            labels::CPU_US_AN_ANSWER,
            labels::CPU_SHARE_OF_TIME,
            labels::CPU_OF_MACHINE,
            labels::MEMORY,
            labels::P99_RATIO,
            labels::CPU_RATIO,
            labels::P99_GROUP,
            labels::CPU_GROUP,
        ];
        let caption = match self.field.is_baseline {
            true => {
                let reference = &self.field.reference;
                let of = Both::told(|lang| {
                    say!(
                        lang,
                        "; CPU and memory are those of what {reference} does not have",
                        "; CPU e memória são as do que {reference} não tem"
                    )
                });
                labels::FIELD_COSTS_CAPTION.then(&of)
            }
            false => labels::FIELD_COSTS_CAPTION,
        };
        Table {
            narrow: Narrow::Columns(&[0, 1, 2, 3, 4, 5, 8, 9]),
            ..Table::new("field-costs", caption, heads, rows.collect())
        }
    }

    fn times(&self) -> Table {
        let rows = self.order.iter().map(|contender| {
            let columns: [fn(&JudgedRound) -> f64; 9] = [
                |round| round.service_time.p50,
                |round| round.service_time.p90,
                |round| round.service_time.p99,
                |round| round.service_time.p99_9,
                |round| round.service_time.p99_99,
                |round| round.service_time.max,
                |round| round.service_time.tm99_9,
                |round| round.service_time.standard_deviation,
                |round| round.latency.p99,
            ];
            let figure = |round: &JudgedRound, column: fn(&JudgedRound) -> f64| {
                (round.service_time.count > 0).then(|| column(round))
            };
            let cells =
                columns.map(|column| seen(self.median(contender, |round| figure(round, column)).map(ms)));
            Row::plain([Both::same(contender.name.clone())].into_iter().chain(cells))
        });
        let heads = ["p50", "p90", "p99", "p99.9", "p99.99"].map(Both::figure);
        let heads = [labels::CONTENDER].into_iter().chain(heads);
        let heads = heads.chain([labels::MAX, labels::TM99_9, labels::DEVIATION, labels::LATENCY_P99]);
        Table {
            narrow: Narrow::Columns(&[0, 1, 3, 4, 6, 7]),
            ..Table::new("field-times", labels::FIELD_TIMES_CAPTION, heads.collect(), rows.collect())
        }
    }

    fn by_reference(&self, contender: &JudgedContender, measure: Measure) -> Both {
        let is_it = |c: &&Comparison| c.measure == measure && c.contenders[0] == contender.name;
        let Some(told) = self.field.against.iter().find(is_it) else { return Both::same(UNSEEN) };
        told.ratios.ratio.map_or(Both::same(UNSEEN), |ratio| ratio_in_words(ratio, told.ratios.interval))
    }

    /// The letters of its groups.
    fn letters(&self, contender: &JudgedContender, measure: Measure) -> Both {
        let grouped = self.field.groups.iter().find(|grouped| grouped.measure == measure);
        Both::same(grouped.map_or_else(|| UNSEEN.to_owned(), |grouped| letters(grouped, &contender.name)))
    }
}

/// Length of a round's load; `None`: there was none.
fn load_s(round: &JudgedRound) -> Option<f64> {
    (round.load_ns > 0).then(|| round.load_ns as f64 / 1e9)
}

fn letters(grouped: &Grouped, name: &str) -> String {
    let Some(place) = grouped.order.iter().position(|one| one == name) else {
        return words::UNSEEN.to_owned();
    };
    let in_it = grouped.groups.iter().enumerate().filter(|(_, group)| group.contains(&place));
    // More groups than letters there are not: so many contenders would take a day.
    in_it.map(|(number, _)| char::from(b'a' + (number % 26) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_in_two_groups_bears_two_letters() {
        let order = ["x", "y", "z"].map(str::to_owned).to_vec();
        let grouped = Grouped {
            measure: Measure::PRIMARY,
            order,
            groups: vec![vec![0, 1], vec![1, 2]],
            pairs_needed: None,
        };
        assert_eq!(["x", "y", "z", "?"].map(|name| letters(&grouped, name)), ["a", "ab", "b", UNSEEN]);
    }
}
