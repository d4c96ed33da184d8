//! Leagues that were never driven: how often anything is claimed of equals, and how soon a difference of 10 % is found.

use galo_plan::league::Block;

use super::tests::{driven, judged, plan};
use super::*;
use crate::judgement::Judgement;
use crate::measure::Measure;
use crate::testing::Noise;
use crate::verdict::tests::round;

/// Standard deviation of a round, of the logarithms of p99, CPU time and right answers, as in rounds of minutes.
const DEVIATIONS: [f64; 3] = [0.03, 0.03, 0.001];

/// What moves rounds, beside the entries.
struct Weather {
    /// Each block has a mood of its own, by so much.
    mood: f64,
    /// A round's own noise has heavy tails: Student's t with 4 degrees of freedom.
    is_heavy: bool,
    /// Every third entry has so many times the noise of the others.
    unequal: f64,
}

const STILL: Weather = Weather { mood: 0.0, is_heavy: false, unequal: 1.0 };
const WILD: Weather = Weather { mood: 0.3, is_heavy: true, unequal: 3.0 };

impl Weather {
    fn own(&self, random: &mut Noise) -> f64 {
        if self.is_heavy { random.heavy() } else { random.normal() }
    }

    /// Rounds of a block, where an entry's p99 is that of its true group.
    fn block(
        &self,
        block: &Block,
        effect: &dyn Fn(usize) -> f64,
        random: &mut Noise,
    ) -> Vec<(usize, Judgement)> {
        let mood = self.mood * random.normal();
        let of = |&entry: &usize| {
            let times = if entry.is_multiple_of(3) { self.unequal } else { 1.0 };
            let [p99, cpu, right] = DEVIATIONS.map(|deviation| times * deviation * self.own(random));
            let mut one = round(0, 10.0 * (mood + effect(entry) + p99).exp());
            one.measures.set(Measure::CpuMsPer1000, Some(300.0 * (mood + cpu).exp()));
            one.measures.set(Measure::CorrectWithinServiceLevel, Some(1000.0 * right.exp()));
            (entry, one)
        };
        block.entries.iter().chain([&block.control]).map(of).collect()
    }
}

/// A league of so many entries in five groups of equals, one `step` apart, and the rounds that it took.
fn league(
    entries: usize,
    passes: u32,
    step: f64,
    weather: &Weather,
    random: &mut Noise,
) -> (JudgedLeague, usize) {
    let plan = plan(entries, passes);
    let effect = |entry: usize| step * group(entry) as f64;
    let all = driven(&plan, |_| None, |block| weather.block(block, &effect, random));
    let rounds = all.iter().flatten().map(|fight| fight.rounds.len()).sum::<usize>() - entries;
    (judged(&plan, &all), rounds)
}

const fn group(entry: usize) -> usize {
    entry % 5
}

fn entry_of(name: &str) -> usize {
    let letter = (name.as_bytes()[0] - b'a') as usize;
    letter + 26 * name[1..].parse::<usize>().unwrap_or(0)
}

/// Whether it places any entry where it cannot be.
fn is_wrong(league: &JudgedLeague, step: f64) -> bool {
    let groups: Vec<usize> = league
        .ranking
        .iter()
        .map(|one| if step == 0.0 { 0 } else { group(entry_of(&one.entry.name)) })
        .collect();
    league.ranking.iter().zip(&groups).any(|(one, own)| {
        let better = groups.iter().filter(|other| *other < own).count();
        let equal = groups.iter().filter(|other| *other == own).count();
        let [best, worst] = one.places;
        best > better + 1 || worst < better + equal
    })
}

/// Share of pairs of neighbouring groups that are told apart.
fn found(league: &JudgedLeague) -> f64 {
    let (mut told, mut all) = (0, 0);
    for (index, one) in league.ranking.iter().enumerate() {
        for other in &league.ranking[index + 1..] {
            let [a, b] = [one, other].map(|of| group(entry_of(&of.entry.name)));
            if a.abs_diff(b) == 1 {
                all += 1;
                told += usize::from(one.places[1] < other.places[0]);
            }
        }
    }
    told as f64 / f64::from(all)
}

fn wrong(entries: usize, passes: u32, step: f64, weather: &Weather, leagues: usize) -> f64 {
    let mut random = Noise::seeded(entries as u64 + passes as u64);
    let wrong =
        (0..leagues).filter(|_| is_wrong(&league(entries, passes, step, weather, &mut random).0, step));
    wrong.count() as f64 / leagues as f64
}

#[test]
fn anything_is_claimed_of_equals_in_at_most_five_of_a_hundred_leagues() {
    // Two entries have few rounds, so their noise is known badly. Eight have many pairs, each of which may be wrong.
    for (entries, passes, leagues) in [(2, 3, 400), (3, 8, 200), (8, 4, 60)] {
        for weather in [STILL, WILD] {
            let share = wrong(entries, passes, 0.0, &weather, leagues);
            assert!(share <= 0.05, "{entries} entries, {passes} passes: {share}");
        }
    }
}

#[test]
fn groups_that_are_ten_percent_apart_are_told_apart() {
    let mut random = Noise::seeded(1);
    let (league, rounds) = league(10, 8, 1.1_f64.ln(), &STILL, &mut random);
    assert!(!is_wrong(&league, 0.1));
    assert!(found(&league) >= 0.8, "{} after {rounds} rounds", found(&league));
}

/// `cargo test -p galo-judge --release -- --ignored --nocapture the_table_of_leagues`
#[test]
#[ignore = "takes minutes; prints how often leagues are wrong, and what they find"]
fn the_table_of_leagues() {
    const LEAGUES: usize = 1_000;
    for (name, weather) in [("even", STILL), ("wild", WILD)] {
        for entries in [20, 100] {
            let leagues = if entries > 50 { LEAGUES / 10 } else { LEAGUES };
            for step in [0.0, 1.1_f64.ln()] {
                let share = 100.0 * wrong(entries, 8, step, &weather, leagues);
                println!("| {name} | {entries} | {step:.3} | {leagues} | wrong {share:.1} % |");
            }
        }
        for passes in [3, 4, 6, 8, 12] {
            let mut random = Noise::seeded(3);
            let (mut share, mut rounds) = (0.0, 0);
            for _ in 0..20 {
                let (one, driven) = league(20, passes, 1.1_f64.ln(), &weather, &mut random);
                share += found(&one) / 20.0;
                rounds += driven / 20;
            }
            println!(
                "| {name} | 20 | at most {passes} passes | {rounds} rounds | neighbours told apart {:.0} % |",
                100.0 * share
            );
        }
    }
}

/// `cargo test -p galo-judge --release -- --ignored --nocapture a_thousand_entries`
#[test]
#[ignore = "a measurement; prints how long a large league takes to be judged"]
fn a_thousand_entries() {
    for passes in [3, 8] {
        let (plan, mut random) = (plan(1_000, passes), Noise::seeded(4));
        let effect = |entry: usize| 1.1_f64.ln() * group(entry) as f64;
        let all = driven(&plan, |_| None, |block| STILL.block(block, &effect, &mut random));
        let began = std::time::Instant::now();
        let league = judged(&plan, &all);
        let took = began.elapsed().as_secs_f64();
        println!(
            "| {passes} passes | {} blocks | {} ranked | {took:.1} s |",
            league.blocks,
            league.ranking.len()
        );
    }
}
