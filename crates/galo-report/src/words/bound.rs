//! What came of a bound on a ratio of a duel, in one line.

use galo_judge::assertion::{RatioAssertion, RatioOutcome, Said};
use galo_judge::duel::DuelVerdict;
use galo_words::{Both, Lang, say};

use super::ratio_of;

/// The bound, whether it passes, and the ratio with what is divided by what: `p99 ratio < 1.05: PASS, new / old = 0.980 (0.960 to
/// 1.001)`. `names` are the sides' in their order.
pub(crate) fn bound(outcome: &RatioOutcome, names: [&str; 2], verdict: &DuelVerdict) -> Both {
    Both::each(|lang| in_words(outcome, names, verdict, lang))
}

fn in_words(outcome: &RatioOutcome, names: [&str; 2], verdict: &DuelVerdict, lang: Lang) -> String {
    let RatioOutcome { assertion, said, ratio, interval, .. } = outcome;
    let worth = match said {
        Said::Holds => lang.pick("PASS", "PASSA"),
        Said::MayHold => lang.pick("PASS (inconclusive)", "PASSA (inconclusivo)"),
        Said::DoesNotHold => lang.pick("FAIL", "NÃO PASSA"),
        Said::NotMeasured => {
            return say!(lang, "{assertion}: not measured", "{assertion}: não medido");
        }
        Said::NothingToCompare => {
            let why = no_ground(names, verdict, lang);
            return say!(lang, "{assertion}: FAIL, since {why}", "{assertion}: NÃO PASSA, pois {why}");
        }
        Said::Unreadable => {
            let error = assertion.parse::<RatioAssertion>().err();
            return error.map_or_else(String::new, |error| error.to_string());
        }
    };
    let [first, second] = names;
    let of = ratio_of([second, first]);
    let three = |ratio: f64| lang.decimals(ratio, 3);
    let interval = interval.map_or_else(String::new, |interval| {
        let [low, high] = interval.map(three);
        say!(lang, " ({low} to {high})", " ({low} a {high})")
    });
    format!("{assertion}: {worth}, {of} = {}{interval}", three(ratio.unwrap_or_default()))
}

/// Why no ratio of the two says anything.
fn no_ground(names: [&str; 2], verdict: &DuelVerdict, lang: Lang) -> String {
    let who = |sides: &[usize]| {
        let who: Vec<String> = sides.iter().map(|&side| names[side].to_owned()).collect();
        lang.listed(&who)
    };
    match verdict {
        DuelVerdict::Disqualified { sides, .. } => {
            let who = who(sides);
            say!(lang, "{who} broke a rule", "{who} quebrou uma regra")
        }
        DuelVerdict::Fails { sides } => {
            let (who, does) = (who(sides), if sides.len() == 1 { "does" } else { "do" });
            let responde = if sides.len() == 1 { "não responde" } else { "não respondem" };
            say!(lang, "{who} {does} not answer rightly", "{who} {responde} corretamente")
        }
        _ => lang
            .pick("the two answer by different statuses", "os dois respondem com status diferentes")
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_of_a_bound_is_told_in_both_languages_with_what_is_divided_by_what() {
        let outcome = |said, seen| RatioOutcome {
            assertion: "p99 ratio < 1.05".to_owned(),
            met: false,
            said,
            ratio: seen,
            interval: seen.map(|ratio| [ratio - 0.02, ratio + 0.02]),
        };
        let none = DuelVerdict::NoDifference;
        let all = [
            (outcome(Said::Holds, Some(0.98)), none.clone()),
            (outcome(Said::MayHold, Some(1.04)), none.clone()),
            (outcome(Said::DoesNotHold, Some(1.2)), none.clone()),
            (outcome(Said::NotMeasured, None), none),
            (outcome(Said::NothingToCompare, None), DuelVerdict::Fails { sides: vec![1] }),
            (outcome(Said::NothingToCompare, None), DuelVerdict::Fails { sides: vec![0, 1] }),
            (outcome(Said::NothingToCompare, None), DuelVerdict::DifferentStatuses),
            (
                outcome(Said::NothingToCompare, None),
                DuelVerdict::Disqualified { sides: vec![0], rules: Vec::new() },
            ),
        ];
        let told = all.map(|(outcome, verdict)| bound(&outcome, ["old", "new"], &verdict));
        insta::assert_snapshot!(told.map(|told| format!("{}\n  {}", told.en, told.pt)).join("\n"), @r"
p99 ratio < 1.05: PASS, new / old = 0.980 (0.960 to 1.000)
  p99 ratio < 1.05: PASSA, new / old = 0,980 (0,960 a 1,000)
p99 ratio < 1.05: PASS (inconclusive), new / old = 1.040 (1.020 to 1.060)
  p99 ratio < 1.05: PASSA (inconclusivo), new / old = 1,040 (1,020 a 1,060)
p99 ratio < 1.05: FAIL, new / old = 1.200 (1.180 to 1.220)
  p99 ratio < 1.05: NÃO PASSA, new / old = 1,200 (1,180 a 1,220)
p99 ratio < 1.05: not measured
  p99 ratio < 1.05: não medido
p99 ratio < 1.05: FAIL, since new does not answer rightly
  p99 ratio < 1.05: NÃO PASSA, pois new não responde corretamente
p99 ratio < 1.05: FAIL, since old and new do not answer rightly
  p99 ratio < 1.05: NÃO PASSA, pois old e new não respondem corretamente
p99 ratio < 1.05: FAIL, since the two answer by different statuses
  p99 ratio < 1.05: NÃO PASSA, pois os dois respondem com status diferentes
p99 ratio < 1.05: FAIL, since old broke a rule
  p99 ratio < 1.05: NÃO PASSA, pois old quebrou uma regra
");
    }
}
