//! Words in which a run is told, in both languages.

mod bound;
mod conformance;
mod duel;
#[cfg(test)]
mod every_fact;
#[cfg(test)]
mod every_verdict;
mod held_back;
pub(crate) mod labels;
mod ratio;
mod right;
#[cfg(test)]
mod samples;
mod verdict;

pub(crate) use bound::bound;
pub(crate) use conformance::{conformance, everywhere};
pub use duel::so_far;
pub(crate) use duel::{answers_differ, duel_notes, duel_verdict, restless};
pub(crate) use held_back::held_back;
pub(crate) use ratio::{by_how_much, it_is_real, ratio_in_words, ratio_of};
pub(crate) use right::{few_right, too_few_right};
#[cfg(test)]
use verdict::{Fight, verdict};
pub(crate) use verdict::{fight_verdict, void_too_often};

use galo_judge::findings::void_sentence;
use galo_judge::measure::{FAILED_US, Quantity};
use galo_judge::terms::{Demand, LimitsNote};
use galo_judge::{Comparison, Difference, Measure, Standing};
use galo_words::nouns::{CORE, PAIR};
use galo_words::{Both, Figure, Lang, say};

use galo_plan::Contender;
use galo_plan::challenge::Policy;
use galo_plan::plan::NoiseFloor;
use galo_plan::units::in_units_apart;
use galo_record::Machine;

use crate::cell::Cell;

pub(crate) use crate::cell::UNSEEN;

/// What comes before everything else where limits are not enforced.
pub(crate) fn not_enforced(note: &Both) -> Both {
    Both::word("limits are not enforced: ", "os limites não estão sendo impostos: ").then(note)
}

/// That there is something which neither of two revisions has; nothing where there is not.
pub(crate) fn left_uncommitted(files: u64) -> Option<Both> {
    let (file, arquivo) = match files {
        0 => return None,
        1 => ("file", "arquivo alterado ou novo"),
        _ => ("files", "arquivos alterados ou novos"),
    };
    Some(Both::new(
        format!(
            "the work tree has {files} changed or new {file}, which neither side has: `--git .` is the work tree as it is"
        ),
        format!(
            "a árvore de trabalho tem {files} {arquivo}, que nenhum lado tem: `--git .` é a árvore como está"
        ),
    ))
}

/// The same in one language.
pub fn uncommitted(files: u64, lang: Lang) -> Option<String> {
    left_uncommitted(files).map(|told| told.get(lang).to_owned())
}

/// What comes before everything else where services are not kept apart.
pub(crate) fn no_walls(note: Option<&str>) -> Option<Both> {
    note.map(|note| {
        Both::new(format!("walls do not hold: {note}"), format!("as paredes não seguram: {note}"))
    })
}

/// That a contender takes more than the budget, if it does.
pub(crate) fn beyond_budget(name: &str, takes: Demand, budget: Demand) -> Option<Both> {
    if !takes.is_over(&budget) {
        return None;
    }
    Some(Both::each(|lang| {
        let [memory, memory_budget] =
            in_units_apart(takes.memory_bytes.into(), budget.memory_bytes).map(|memory| lang.figure(memory));
        let [cpus, cpus_budget] = [takes, budget].map(|demand| lang.figure(Figure::Plain(demand.cpus)));
        say!(
            lang,
            "{name} is over the budget, and it was known (--over-budget): it takes {cpus} CPU and {memory} of {cpus_budget} CPU and {memory_budget}",
            "{name} está acima do orçamento, e isso era sabido (--over-budget): usa {cpus} CPU e {memory} de {cpus_budget} CPU e {memory_budget}"
        )
    }))
}

/// That a contender's file takes more than the budget, if it does.
pub fn over_budget(contender: &Contender, policy: &Policy) -> Option<Both> {
    beyond_budget(&contender.name, Demand::from_contender(contender), Demand::budget(policy))
}

/// Why limits are not enforced.
pub(crate) fn limits_note(note: &LimitsNote) -> Both {
    match note {
        LimitsNote::Unlimited => {
            Both::word("limits were switched off (--unlimited)", "os limites foram desligados (--unlimited)")
        }
        LimitsNote::StartedByOthers => Both::word(
            "galo did not start it, so nothing is limited",
            "o galo não o iniciou, então nada é limitado",
        ),
        LimitsNote::Unexplained => Both::word(
            "not every limit was set, and the round does not say why",
            "nem todo limite foi imposto, e a rodada não diz por quê",
        ),
        LimitsNote::Unplaced => Both::word(
            "no contender came up, so no limit could be read back",
            "nenhum competidor subiu, então nenhum limite pôde ser lido de volta",
        ),
        LimitsNote::Host(said) => Both::same(said.clone()),
    }
}

/// A noise floor and where it is from.
pub(crate) fn noise_floor(floor: &NoiseFloor, lang: Lang) -> String {
    let NoiseFloor { ratio, cpu_ratio, contender, from_run, measured } = floor;
    let who = if contender.is_empty() { lang.pick("a contender", "um competidor") } else { contender };
    let when = measured.split('T').next().filter(|day| !day.is_empty());
    let when = when.map_or_else(String::new, |day| say!(lang, " on {day}", " em {day}"));
    let [ratio, cpu] = [ratio, cpu_ratio].map(|ratio| lang.decimals(*ratio, 3));
    let from_run = from_run.display();
    say!(
        lang,
        "{ratio} (CPU {cpu}): {who} against itself{when}, in {from_run}",
        "{ratio} (CPU {cpu}): {who} contra si mesmo{when}, em {from_run}"
    )
}

/// Why a round is void, or did not start; empty: neither.
pub(crate) fn why(standing: &Standing) -> Both {
    match standing {
        Standing::Void { reasons } => Both::each(|lang| void_sentence(reasons, lang)),
        Standing::NotReady { reason } => Both::same(reason.clone()),
        Standing::Valid | Standing::Disqualified { .. } => Both::same(""),
    }
}

/// A memory limit: whole MiB where it is one, `no limit` where there is none.
pub(crate) fn memory_limit(bytes: Option<u64>, lang: Lang) -> String {
    match bytes {
        None => labels::NO_LIMIT.get(lang).to_owned(),
        Some(bytes) if bytes.is_multiple_of(1 << 20) => format!("{} MiB", lang.whole(bytes >> 20)),
        Some(bytes) => lang.figure(Figure::Mib(bytes as f64)),
    }
}

/// A CPU limit.
pub(crate) fn cpu_limit(cpus: Option<f64>, lang: Lang) -> String {
    cpus.map_or_else(|| labels::NO_LIMIT.get(lang).to_owned(), |cpus| lang.figure(Figure::Of(cpus, "CPU")))
}

/// A latency by which contenders are compared. What was not answered rightly is none, but counts as one.
fn latency(us: f64) -> Cell {
    if us >= FAILED_US { format!("≥ {} s", FAILED_US / 1e6).into() } else { Figure::Ms(us).into() }
}

/// The figure of one measure with its unit.
pub(crate) fn figure(measure: Measure, value: Option<f64>) -> Cell {
    let Some(value) = value else { return Cell::Unseen };
    let figure = match measure.quantity() {
        Quantity::Us => return latency(value),
        Quantity::Answers => Figure::Number(value, 0),
        Quantity::PerSecond => Figure::Number(value, if value < 100.0 { 1 } else { 0 }),
        Quantity::CpuMs => Figure::With(value, 1, "ms"),
        Quantity::Bytes => Figure::Mib(value),
        Quantity::Seconds => Figure::Seconds(value),
    };
    figure.into()
}

/// An answer, seen from the first contender.
pub(crate) const fn difference(difference: Difference) -> Both {
    match difference {
        Difference::Better => labels::BETTER,
        Difference::Worse => labels::WORSE,
        Difference::NoDifference => labels::NO_DIFFERENCE,
        Difference::TooFewRounds => labels::TOO_FEW_ROUNDS,
    }
}

/// What so many pairs would find in the primary measure, where they found nothing; `None` where they are too few.
pub(crate) fn sensitivity(comparison: &Comparison, lang: Lang) -> Option<String> {
    let told =
        comparison.ratios.sensitivity.filter(|_| comparison.ratios.difference == Difference::NoDifference)?;
    let percent = (told.smallest_ratio? - 1.0) * 100.0;
    let pairs = lang.counted(comparison.ratios.pairs as u64, PAIR);
    let encontra = if comparison.ratios.pairs == 1 { "encontra" } else { "encontram" };
    let percent = lang.figure(Figure::Number(percent, if percent < 9.95 { 1 } else { 0 }));
    Some(say!(
        lang,
        "{pairs} with this noise find {percent} % in 80 of 100 fights",
        "{pairs} com este ruído {encontra} {percent} % em 80 de 100 brigas"
    ))
}

/// A machine in one line.
pub(crate) fn machine(machine: &Machine, lang: Lang) -> String {
    let kind =
        if machine.virtual_machine { lang.pick("virtual machine, ", "máquina virtual, ") } else { "" };
    let memory = memory_limit(Some(machine.memory_bytes), lang);
    let cores = lang.counted(machine.cores.into(), CORE);
    let Machine { cpu, system, kernel, cgroups, .. } = machine;
    let groups = lang.pick("control groups", "grupos de controle");
    format!("{cpu}, {cores}, {memory} ({kind}{system}, {kernel}, {groups} {cgroups})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_told_as_no_latency() {
        let written = |us| figure(Measure::LatencyUsP99, Some(us)).write(Lang::En).into_owned();
        assert_eq!([FAILED_US, 59_900_000.0].map(written), ["≥ 60 s", "59,900.0 ms"]);
    }

    #[test]
    fn a_limit_that_is_not_set_is_called_no_limit() {
        assert_eq!(memory_limit(None, Lang::En), "no limit");
        assert_eq!(memory_limit(Some(512 << 20), Lang::En), "512 MiB");
        assert_eq!([Lang::En, Lang::Pt].map(|lang| cpu_limit(Some(0.45), lang)), ["0.45 CPU", "0,45 CPU"]);
    }
}
