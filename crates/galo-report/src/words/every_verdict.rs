//! Every verdict, and all that is told beside it, in both languages.

use galo_judge::duel::{Compared, DuelVerdict, HeldBack, JudgedDuel};
use galo_judge::findings::{GaloCouldNotSend, VoidReason, busy_sentence};
use galo_judge::{Comparison, Difference, Measure, Ratios, Sensitivity, Verdict};
use galo_record::Latencies;
use galo_record::duel::Level;
use galo_words::Both;

use super::samples::{assert_both, samples};
use super::{Fight, answers_differ, duel_notes, duel_verdict, held_back, verdict};

fn told(both: &Both) -> String {
    format!("{}\n  {}", both.en, both.pt)
}

/// Without a number of pairs that would do, and with so many.
fn sensitivity(pairs_needed: Option<usize>) -> Sensitivity {
    Sensitivity { noise: 0.03, smallest_ratio: Some(1.05), detect_percent: 2.5, pairs_needed }
}

fn compared(measure: Measure, difference: Difference, pairs_needed: Option<usize>) -> Comparison {
    Comparison {
        measure,
        primary: measure == Measure::PRIMARY,
        contenders: ["a", "b"].map(str::to_owned),
        ratios: Ratios {
            pairs: 8,
            ratio: Some(0.985),
            favoured: [5, 3],
            interval: Some([0.974, 0.993]),
            p_value: Some(0.2),
            difference,
            sensitivity: Some(sensitivity(pairs_needed)),
        },
    }
}

fn in_a_fight(outcome: &Verdict, comparisons: &[Comparison], floor: Option<f64>, is_one: bool) -> Both {
    let contenders = if is_one { vec!["a"] } else { vec!["a", "b"] };
    let fight = Fight {
        contenders,
        is_one_round: is_one,
        runs_already: false,
        findings: Vec::new(),
        noise_floor: floor,
        comparisons,
    };
    let both = Both::each(|lang| verdict(outcome, &fight, lang));
    assert_both(&both, &format!("{outcome:?}"));
    assert!(!both.en.contains('\n') && both.en != both.pt, "{both:?}");
    both
}

#[test]
fn every_verdict_of_a_fight_is_told_in_both_languages_with_the_same_figures() {
    let compared = [compared(Measure::LatencyUsP99, Difference::NoDifference, None)];
    let outcomes = samples::<Verdict>();
    let each = outcomes.iter().map(|outcome| told(&in_a_fight(outcome, &compared, None, false)));
    insta::assert_snapshot!(each.collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_fight_without_a_difference_says_what_would_be_found_and_how_many_pairs_that_takes() {
    let p99 = |difference, needed| compared(Measure::LatencyUsP99, difference, needed);
    let short = compared(Measure::CpuMsPer1000, Difference::TooFewRounds, None);
    let none = Difference::NoDifference;
    let cases: [(&[Comparison], Option<f64>); 6] = [
        (&[], None),
        (&[p99(none, Some(7))], None),
        (&[p99(none, Some(9))], Some(1.05)),
        (&[p99(none, Some(29)), short], None),
        (&[p99(none, None)], Some(1.001)),
        (&[p99(Difference::Better, None)], None),
    ];
    let each =
        cases.map(|(compared, floor)| told(&in_a_fight(&Verdict::NoDifference, compared, floor, false)));
    insta::assert_snapshot!(each.join("\n"));
}

#[test]
fn nobody_who_is_left_and_one_who_fought_alone_are_told() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let rules = names(&["count-differs", "of-a-newer-galo", "pauses", "unbalanced"]);
    let out =
        |who: &[&str]| Verdict::Disqualified { contenders: names(who), rules: rules.clone(), left: None };
    let alone = Verdict::Alone { contender: "a".to_owned() };
    let not_ready = Verdict::NotReady { contenders: names(&["a", "b"]), left: None };
    let each = [told(&in_a_fight(&alone, &[], None, true)), told(&in_a_fight(&not_ready, &[], None, false))];
    insta::assert_snapshot!(each.join("\n"));
    // By name in English, and by what they are called in Portuguese: of those that do not fit only the number is told.
    let fight = Fight {
        contenders: vec!["a", "b"],
        is_one_round: false,
        runs_already: false,
        findings: Vec::new(),
        noise_floor: None,
        comparisons: &[],
    };
    let each =
        [out(&["a"]), out(&["a", "b"])].map(|out| told(&Both::each(|lang| verdict(&out, &fight, lang))));
    insta::assert_snapshot!(each.join("\n"));
}

#[test]
fn of_a_server_that_galo_did_not_start_it_is_said_that_it_never_answered() {
    let there = Fight {
        contenders: vec!["a"],
        is_one_round: true,
        runs_already: true,
        findings: Vec::new(),
        noise_floor: None,
        comparisons: &[],
    };
    let not_ready = Verdict::NotReady { contenders: vec!["a".to_owned()], left: None };
    insta::assert_snapshot!(told(&Both::each(|lang| verdict(&not_ready, &there, lang))), @r"
    a never answered as it should
      a nunca respondeu como deveria
    ");
}

fn figure(measure: Measure, difference: Difference) -> Compared {
    let needed = if measure == Measure::AnswersPerS { 9 } else { 16 };
    Compared {
        measure,
        level: Level::Half,
        decides: measure != Measure::AnonymousPeakBytes,
        values: [Some(1.0), Some(2.0)],
        ratios: Ratios {
            pairs: 8,
            ratio: Some(0.7),
            favoured: [8, 0],
            interval: Some([0.65, 0.755]),
            p_value: Some(0.01),
            difference,
            sensitivity: Some(sensitivity(Some(needed))),
        },
    }
}

/// With all figures, of which those of the first side's advantage and those of the other's take turns.
fn duel(verdict: DuelVerdict) -> JudgedDuel {
    let difference = |better| match (&verdict, better) {
        (DuelVerdict::NoDifference | DuelVerdict::Inconclusive, _) => Difference::NoDifference,
        (_, true) => Difference::Better,
        (_, false) => Difference::Worse,
    };
    let measures = [
        Measure::LatencyUsP99,
        Measure::LatencyUsP50,
        Measure::AnswersPerS,
        Measure::CpuMsPer1000,
        Measure::AnonymousPeakBytes,
    ];
    let compared = measures.iter().enumerate().map(|(index, &of)| figure(of, difference(index % 2 == 0)));
    let mut compared: Vec<Compared> = compared.collect();
    if verdict == DuelVerdict::Inconclusive {
        compared.iter_mut().for_each(|compared| compared.ratios.interval = Some([0.067, 14.9]));
    }
    let seen = include_str!("../../tests/report/duel.json");
    let mut duel = JudgedDuel { verdict, compared, ..serde_json::from_str(seen).unwrap() };
    (duel.answers.equal, duel.answers.compared) = (1_999, 2_000);
    duel.sides.iter_mut().zip(["a", "b"]).for_each(|(side, name)| side.name = name.to_owned());
    duel
}

#[test]
fn every_verdict_of_a_duel_is_told_in_both_languages_with_the_same_figures() {
    let in_range = |outcome: DuelVerdict| match outcome {
        DuelVerdict::Fails { sides } => DuelVerdict::Fails { sides: (0..sides.len()).collect() },
        DuelVerdict::Disqualified { sides, rules } => {
            DuelVerdict::Disqualified { sides: (0..sides.len()).collect(), rules }
        }
        DuelVerdict::Void { reason, side } => DuelVerdict::Void { reason, side: side.map(|_| 1) },
        DuelVerdict::Better { .. } => DuelVerdict::Better { winner: 1 },
        other => other,
    };
    let mut each = Vec::new();
    for (index, outcome) in samples::<DuelVerdict>().into_iter().map(in_range).enumerate() {
        let judged = JudgedDuel { limits_enforced: index % 2 == 0, ..duel(outcome) };
        let both = Both::each(|lang| duel_verdict(&judged, lang));
        assert_both(&both, &format!("{:?}", judged.verdict));
        assert_ne!(both.en, both.pt);
        each.push(told(&both));
        for note in duel_notes(&judged).into_iter().chain(answers_differ(&judged)) {
            assert_both(&note, "a note");
            each.push(told(&note));
        }
    }
    each.dedup();
    insta::assert_snapshot!(each.join("\n"));
}

#[test]
fn connections_that_were_asked_for_again_are_told_with_what_mends_it() {
    let mut judged = duel(DuelVerdict::NoDifference);
    let mut connects = Latencies::new();
    [300_000, 899_000_000, 1_020_000_000, 3_050_000_000].into_iter().for_each(|ns| connects.record_ns(ns));
    let side = judged.turns[0].side;
    judged.turns[0].loads[0].engine.connects = connects.to_sparse();
    assert_eq!([judged.connects_again(side), judged.connects_again(1 - side)], [(2, 4), (0, 0)]);
    let note = duel_notes(&judged).pop().unwrap();
    assert_both(&note, "a note");
    insta::assert_snapshot!(told(&note), @r"
    2 of 4 connections to a took a second or more to open, as when a server's listen queue is full: make it longer (its backlog)
      2 de 4 conexões com a levaram um segundo ou mais para abrir, como quando a fila de conexões de um servidor está cheia: aumente-a (o backlog)
    ");
}

#[test]
fn a_figure_of_which_nothing_is_known_is_told_apart_from_one_without_a_difference() {
    let mut judged = duel(DuelVerdict::NoDifference);
    judged.compared[0].ratios.interval = Some([0.2, 14.9]);
    (judged.answers.equal, judged.answers.compared) = (0, 420);
    let both = Both::each(|lang| duel_verdict(&judged, lang));
    assert_both(&both, "one of several");
    let differ = answers_differ(&judged).unwrap();
    assert_both(&differ, "answers");
    insta::assert_snapshot!(format!("{}\n{}", told(&differ), told(&both)), @r"
a and b do not answer the same: equal in 0 of 420 samples; the figures below compare different work
  a e b não respondem o mesmo: iguais em 0 de 420 amostras; os números abaixo comparam trabalhos diferentes
no difference between a and b above 54 % in p50, above 54 % in answers/s and above 54 % in CPU for each answer; inconclusive: p99 may differ by up to 1,390 %; 8 more pairs would settle 2.5 % in p99
  sem diferença entre a e b acima de 54 % em p50, acima de 54 % em respostas/s e acima de 54 % em CPU por resposta; inconclusivo: p99 pode diferir em até 1.390 %; 8 pares a mais resolveriam 2,5 % em p99
");
    judged.answers.equal = 420;
    assert_eq!(answers_differ(&judged), None);
    let fight = |interval| {
        let mut compared = compared(Measure::LatencyUsP99, Difference::NoDifference, None);
        compared.ratios.interval = Some(interval);
        in_a_fight(&Verdict::NoDifference, &[compared], None, false)
    };
    insta::assert_snapshot!([[0.9, 1.2], [0.2, 14.9]].map(|interval| told(&fight(interval))).join("\n"), @r"
no difference above 20 %: p99 of a is 0.985 times (0.90 to 1.20) b's; no number of rounds up to 1,000 would find a difference of 2.5 % in p99
  sem diferença acima de 20 %: p99 de a é 0,985 vezes (0,90 a 1,20) o de b; nenhum número de rodadas até 1.000 encontraria uma diferença de 2,5 % em p99
inconclusive: the difference may be up to 1,390 %: p99 of a is 0.985 times (0.20 to 14.9) b's; no number of rounds up to 1,000 would find a difference of 2.5 % in p99
  inconclusivo: a diferença pode ser de até 1.390 %: p99 de a é 0,985 vezes (0,20 a 14,9) o de b; nenhum número de rodadas até 1.000 encontraria uma diferença de 2,5 % em p99
");
}

#[test]
fn every_bottleneck_is_told_in_both_languages_with_the_same_figures() {
    let at_one_level = samples::<HeldBack>().into_iter().filter(|of| of.level == Level::Highest);
    let each = at_one_level.map(|of| {
        let both = Both::each(|lang| held_back("a", of.by, &of.usage, Some(of.connections), lang));
        assert_both(&both, &format!("{of:?}"));
        assert_ne!(both.en, both.pt);
        told(&both)
    });
    insta::assert_snapshot!(each.collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_reason_of_a_void_load_is_told_in_both_languages_with_what_to_do() {
    let own_errors = ["no free local port", "too many open files", "no memory for sockets", "not permitted"];
    let operations = own_errors.iter().map(|kind| ((*kind).to_owned(), 1_234)).collect();
    let all = samples::<VoidReason>().into_iter().chain([GaloCouldNotSend { operations }.into()]);
    let each = all.map(|reason| {
        let both = Both::each(|lang| reason.of_load(lang));
        assert_both(&both, &format!("{reason:?}"));
        assert_ne!(both.en, both.pt);
        told(&both)
    });
    insta::assert_snapshot!(each.collect::<Vec<_>>().join("\n"));
    let busy = [true, false].map(|is_open| told(&Both::each(|lang| busy_sentence(0.95, is_open, lang))));
    insta::assert_snapshot!(busy.join("\n"), @r#"
galo's threads were busy 95 % of the time: a higher rate needs more of them (--threads)
  as threads do galo estiveram ocupadas 95 % do tempo: uma taxa maior precisa de mais delas (--threads)
galo's threads were busy 95 % of the time: the rate may be galo's own limit, not the server's (--threads gives more of them)
  as threads do galo estiveram ocupadas 95 % do tempo: a taxa pode ser o limite do próprio galo, não o do servidor (--threads dá mais delas)
"#);
}
