//! The words in which a run is told, in both languages, whoever shows them; and figures as people read them: `1.23 ms`,
//! `12.3 MiB`, `12,345`.

mod conformance;
mod duel;
#[cfg(test)]
mod every_fact;
#[cfg(test)]
mod every_verdict;
mod fact;
mod held_back;
pub(crate) mod labels;
pub(crate) mod lang;
mod ratio;
#[cfg(test)]
mod samples;
mod table;
mod verdict;

pub(crate) use conformance::{conformance, everywhere};
pub(crate) use duel::{Duel, duel_notes, duel_verdict};
pub(crate) use fact::Told;
pub use fact::{busy_sentence, host_sentence, host_told, sentence, void_load_sentence, void_sentence};
pub(crate) use held_back::held_back;
pub(crate) use lang::Both;
pub use lang::Lang;
pub(crate) use ratio::{by_how_much, it_is_real, ratio_figure, ratio_in_words};
pub use table::rule_names;
pub(crate) use table::{FindingWords, finding_words};
pub(crate) use verdict::{Fight, verdict};

use galo_judge::{Comparison, Difference, Measure, Measures};

use crate::report::{LedgerReport, MachineReport, NoiseFloorReport};

/// What comes before everything else where limits are not enforced.
pub(crate) fn not_enforced(note: &str) -> Both {
    Both::new(
        format!("limits are not enforced: {note}"),
        format!("os limites não estão sendo impostos: {note}"),
    )
}

/// Operations by result, in the order of [`labels::LEDGER_HEADS`].
pub(crate) fn ledger(ledger: &LedgerReport) -> impl Iterator<Item = Both> {
    [ledger.intended, ledger.ok, ledger.wrong, ledger.failed, ledger.timed_out, ledger.unfinished]
        .into_iter()
        .map(|n| Both::figure(count(n)))
}

/// What stands where something was not seen.
pub(crate) const UNSEEN: &str = "-";

/// A count with commas between thousands.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with commas between thousands and a fixed number of decimals.
pub(crate) fn number(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 { "-" } else { "" };
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{dot}{fraction}", whole.parse().map_or_else(|_| whole.to_owned(), count))
}

/// Microseconds as milliseconds without their unit: two decimals below 10 ms, else one.
pub(crate) fn ms_bare(us: f64) -> String {
    number(us / 1e3, if us < 9_995.0 { 2 } else { 1 })
}

/// Microseconds as milliseconds.
pub(crate) fn ms(us: f64) -> String {
    format!("{} ms", ms_bare(us))
}

/// Bytes as MiB with one decimal.
pub(crate) fn mib(bytes: f64) -> String {
    format!("{} MiB", number(bytes / f64::from(1 << 20), 1))
}

/// A memory limit: whole MiB where it is one, `no limit` where there is none.
pub(crate) fn memory_limit(bytes: Option<u64>) -> String {
    match bytes {
        None => "no limit".to_owned(),
        Some(bytes) if bytes.is_multiple_of(1 << 20) => format!("{} MiB", count(bytes >> 20)),
        Some(bytes) => mib(bytes as f64),
    }
}

/// A CPU limit.
pub(crate) fn cpu_limit(cpus: Option<f64>) -> String {
    cpus.map_or_else(|| "no limit".to_owned(), |cpus| format!("{cpus} CPU"))
}

/// A share as percent. What is not all is never shown as 100 %, and what is not nothing never as 0 %.
pub(crate) fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    match text.as_str() {
        "0.0" if share > 0.0 => "<0.1 %".to_owned(),
        "100.0" if share < 1.0 => ">99.9 %".to_owned(),
        "0.0" => "0 %".to_owned(),
        "100.0" => "100 %".to_owned(),
        other => format!("{other} %"),
    }
}

/// Seconds with one decimal, below one second with two.
pub(crate) fn seconds(s: f64) -> String {
    format!("{} s", number(s, if s > 0.0 && s < 0.95 { 2 } else { 1 }))
}

/// What a measure is called. `service_level_ms` is the bound of a good answer.
pub(crate) fn measure(measure: Measure, service_level_ms: f64) -> String {
    match measure {
        Measure::CorrectWithinServiceLevel => {
            format!("correct within {} ms", number(service_level_ms, 0))
        }
        Measure::LatencyUsP50 => "p50".to_owned(),
        Measure::LatencyUsP99 => "p99".to_owned(),
        Measure::LatencyUsP999 => "p99.9".to_owned(),
        Measure::CpuMsPer1000 => "CPU per 1,000 correct".to_owned(),
        Measure::MemoryPeakBytes => "total memory peak".to_owned(),
        Measure::AnonymousPeakBytes => "total anonymous peak".to_owned(),
        Measure::ElapsedS => "elapsed".to_owned(),
    }
}

/// The figure of one measure with its unit.
pub(crate) fn figure(measure: Measure, measures: &Measures) -> String {
    match measure {
        Measure::CorrectWithinServiceLevel => measures.correct_within_service_level.map(|v| number(v, 0)),
        Measure::LatencyUsP50 => measures.latency_us_p50.map(ms),
        Measure::LatencyUsP99 => measures.latency_us_p99.map(ms),
        Measure::LatencyUsP999 => measures.latency_us_p99_9.map(ms),
        Measure::CpuMsPer1000 => measures.cpu_ms_per_1000.map(|v| format!("{} ms", number(v, 1))),
        Measure::MemoryPeakBytes => measures.memory_peak_bytes.map(mib),
        Measure::AnonymousPeakBytes => measures.anonymous_peak_bytes.map(mib),
        Measure::ElapsedS => measures.elapsed_s.map(seconds),
    }
    .unwrap_or_else(|| UNSEEN.to_owned())
}

/// A ratio and, where known, its interval: `0.71 (0.66 to 0.77)`.
pub(crate) fn ratio(comparison: &Comparison) -> String {
    match (comparison.ratio, comparison.interval) {
        (Some(ratio), Some([low, high])) => format!("{ratio:.2} ({low:.2} to {high:.2})"),
        (Some(ratio), None) => format!("{ratio:.2}"),
        (None, _) => UNSEEN.to_owned(),
    }
}

/// The answer for one measure, seen from the first contender.
pub(crate) fn difference(comparison: &Comparison) -> &'static str {
    match comparison.difference {
        Difference::Better => "better",
        Difference::Worse => "worse",
        Difference::NoDifference => "no difference",
        Difference::TooFewRounds => "too few rounds",
    }
}

/// What so many pairs would find in the primary measure, where they found nothing; `None` where they are too few.
pub(crate) fn sensitivity(comparison: &Comparison) -> Option<String> {
    let told = comparison.sensitivity.filter(|_| comparison.difference == Difference::NoDifference)?;
    let percent = (told.smallest_ratio? - 1.0) * 100.0;
    let pairs = counted(comparison.pairs, "pair");
    let decimals = if percent < 9.95 { 1 } else { 0 };
    Some(format!("{pairs} with this noise find {} % in 80 of 100 fights", number(percent, decimals)))
}

/// The noise floor and where it is from.
pub(crate) fn noise_floor(floor: &NoiseFloorReport) -> String {
    let who = if floor.contender.is_empty() { "a contender" } else { &floor.contender };
    let when = floor.measured.split('T').next().filter(|day| !day.is_empty());
    let when = when.map_or_else(String::new, |day| format!(" on {day}"));
    format!("{}: {who} against itself{when}, in {}", number(floor.ratio, 3), floor.from_run)
}

/// A machine in one line.
pub(crate) fn machine(machine: &MachineReport) -> String {
    let kind = if machine.virtual_machine { "virtual machine, " } else { "" };
    let memory = memory_limit(Some(machine.memory_bytes));
    let cores = counted(machine.cores as usize, "core");
    let MachineReport { cpu, system, kernel, cgroups, .. } = machine;
    format!("{cpu}, {cores}, {memory} ({kind}{system}, {kernel}, control groups {cgroups})")
}

/// `1 round`, `2 rounds`.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(n as u64), if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_parted_by_commas() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(number(-12_345.67, 1), "-12,345.7");
    }

    #[test]
    fn milliseconds_keep_two_decimals_below_ten() {
        assert_eq!(ms(1_234.0), "1.23 ms");
        assert_eq!(ms(9_999.0), "10.0 ms");
        assert_eq!(ms(60_000_000.0), "60,000.0 ms");
    }

    #[test]
    fn a_share_is_rounded_to_neither_nothing_nor_all() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.000_1), "<0.1 %");
        assert_eq!(percent(0.999_9), ">99.9 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.123_4), "12.3 %");
    }

    #[test]
    fn a_limit_that_is_not_set_is_called_no_limit() {
        assert_eq!(memory_limit(None), "no limit");
        assert_eq!(memory_limit(Some(512 << 20)), "512 MiB");
        assert_eq!(cpu_limit(Some(0.45)), "0.45 CPU");
    }
}
