//! A verdict in one sentence, for people.

use galo_plan::Plan;

use crate::measure::Measure;
use crate::pairing::alpha_of;
use crate::stats;
use crate::verdict::{Comparison, Difference, MIN_PAIRS, Verdict};
use crate::words::{counted, grouped, listed};

/// Words a verdict in one sentence: lower case, without a full stop, one line.
pub fn one_sentence(verdict: &Verdict, plan: &Plan, comparisons: &[Comparison]) -> String {
    match verdict {
        Verdict::Void { reason } => format!("void: {}", one_line(reason)),
        Verdict::Disqualified { contenders, rules, left } => {
            let why = format!("{} disqualified ({})", is_or_are(contenders), rules.join(", "));
            without(plan, contenders, left.as_deref(), &why, "wins")
        }
        Verdict::NotReady { contenders, left } => {
            let why = format!("{} did not start", listed(contenders));
            without(plan, contenders, left.as_deref(), &why, "is left alone")
        }
        Verdict::Alone { contender } if plan.order.len() == 1 => {
            format!("{contender} keeps every rule that was tried")
        }
        Verdict::Alone { contender } => format!("{contender} fought alone: nothing to compare"),
        Verdict::NeitherWasStressed => {
            "neither was stressed: no round came near a limit, and a light load ties everybody (raise --scale)".to_owned()
        }
        Verdict::TooFewRounds { pairs, needed } => {
            let pairs_there = counted(*pairs as u64, "pair");
            format!("too few rounds: {pairs_there}, {needed} are needed (--rounds {needed}){}", foresight(comparisons))
        }
        Verdict::NoDifference => no_difference(plan, comparisons),
        Verdict::Better { winner, loser, measure, ratio, interval: [low, high] } => format!(
            "{winner} is better than {loser}: {} {} {} times ({} to {}) {loser}'s",
            measure.label(),
            if *measure == Measure::CorrectWithinServiceLevel { "are" } else { "is" },
            factor(*ratio),
            factor(*low),
            factor(*high)
        ),
    }
}

/// The sentence of a fight in which fewer than two could be ranked.
fn without(plan: &Plan, out: &[String], left: Option<&str>, why: &str, left_does: &str) -> String {
    match left {
        Some(left) => format!("{left} {left_does}: {why}"),
        None => {
            let others: Vec<String> =
                plan.contenders.iter().map(|c| c.name.clone()).filter(|n| !out.contains(n)).collect();
            match others.len() {
                0 if out.len() < 2 => why.to_owned(),
                0 => format!("nobody is left: {why}"),
                _ => format!("nobody is left: {why}, and {} had no valid round", listed(&others)),
            }
        }
    }
}

fn is_or_are(names: &[String]) -> String {
    format!("{} {}", listed(names), if names.len() == 1 { "is" } else { "are" })
}

fn no_difference(plan: &Plan, comparisons: &[Comparison]) -> String {
    let mut text = "no difference".to_owned();
    let Some((primary, ratio, [low, high])) = comparisons.iter().find_map(|c| {
        c.primary.then_some(())?;
        Some((c, c.ratio?, c.interval?))
    }) else {
        return text;
    };
    let [first, second] = &primary.contenders;
    let label = primary.measure.label();
    // Where the correct answers took the win away, p99 may well differ.
    if primary.difference == Difference::NoDifference {
        text += &format!(" above {}", percent_above(high.max(1.0 / low)));
    }
    text += &format!(
        ": {label} of {first} is {} times ({} to {}) {second}'s",
        factor(ratio),
        factor(low),
        factor(high)
    );
    if let Some(floor) = plan.noise_floor.as_ref().map(|f| f.ratio)
        && (1.0 / floor..=floor).contains(&ratio)
        && (low > 1.0 || high < 1.0)
    {
        text += &format!(", within the noise floor of {}", factor(floor));
    }
    let cpu = comparisons.iter().find(|c| c.measure == Measure::CpuMsPer1000);
    if cpu.is_some_and(|c| c.difference == Difference::TooFewRounds && c.pairs > 0) {
        let needed = stats::pairs_needed(alpha_of(Measure::CpuMsPer1000));
        text += &format!(
            "; CPU time, which decides between equals within the service level, needs {needed} pairs (--rounds {needed})"
        );
    }
    text + &foresight(comparisons)
}

/// Whether so many pairs would find the difference that the caller wants found, and else how many would. Of a primary
/// measure that differs there is nothing to add.
fn foresight(comparisons: &[Comparison]) -> String {
    let open = |c: &&Comparison| {
        c.primary && matches!(c.difference, Difference::NoDifference | Difference::TooFewRounds)
    };
    let primary = comparisons.iter().find(open);
    let Some((primary, told)) = primary.and_then(|c| Some((c, c.sensitivity?))) else {
        return String::new();
    };
    let wanted = format!("a difference of {} % in {}", told.detect_percent, primary.measure.label());
    match told.pairs_needed {
        // The sentence has named this number already.
        Some(needed) if needed <= MIN_PAIRS && primary.pairs < MIN_PAIRS => String::new(),
        Some(needed) if needed <= primary.pairs => format!("; so many pairs find {wanted}"),
        Some(needed) => {
            let more = counted((needed - primary.pairs) as u64, "more pair");
            format!("; {more} would find {wanted} (--rounds {needed})")
        }
        None => format!("; no number of rounds up to 1,000 would find {wanted}"),
    }
}

/// A ratio above 1 as percent above it, rounded up, since it is a bound: `1.2 %`.
pub fn percent_above(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent < 9.9 {
        format!("{:.1} %", (percent * 10.0).ceil() / 10.0)
    } else {
        format!("{:.0} %", percent.ceil())
    }
}

/// A ratio with as many decimals as it needs to differ from 1 or from 0, and no more than three digits or so.
pub fn factor(ratio: f64) -> String {
    let decimals = match ratio {
        ..0.0095 => 5,
        ..0.095 | 0.95..1.05 => 3,
        ..9.95 => 2,
        ..99.5 => 1,
        _ => return grouped(ratio.round() as u64),
    };
    format!("{ratio:.decimals$}")
}

/// A reason may hold lines of a log.
fn one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
