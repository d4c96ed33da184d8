//! Leagues that were never driven: how often anything is claimed of equals, how soon a difference of 10 % is found, and how many rounds
//! are saved by driving those alone whose place is open.

use galo_plan::Seed;
use galo_plan::league::{Block, FIRST_LOOK};

use super::order::Told;
use super::recorded::Trace;
use super::tests::{children, driven, fight, judged, plan};
use super::*;
use crate::fight::JudgedFight;
use crate::judgement::Judgement;
use crate::measure::Measure;
use crate::testing::Noise;
use crate::verdict::tests::round;

/// Standard deviation of a made-up round, of the logarithms of p99, CPU time and right answers. Recorded ones have far more.
const DEVIATIONS: [f64; 3] = [0.03, 0.03, 0.001];

/// What moves rounds, beside the entries.
struct Weather {
    name: &'static str,
    /// Each block has a mood of its own, by so much.
    mood: f64,
    noise: Own,
    /// Every third entry has so many times the noise of the others.
    unequal: f64,
}

/// A round's own noise.
enum Own {
    Normal,
    /// Student's t with 4 degrees of freedom.
    Heavy,
    /// Each block is a stretch of real rounds.
    Recorded(Trace),
}

const STILL: Weather = Weather { name: "still", mood: 0.0, noise: Own::Normal, unequal: 1.0 };
const WILD: Weather = Weather { name: "wild", mood: 0.3, noise: Own::Heavy, unequal: 3.0 };

fn calm() -> Weather {
    Weather { name: "recorded, calm", noise: Own::Recorded(Trace::calm()), ..STILL }
}

fn recorded() -> Weather {
    Weather { name: "recorded, all", noise: Own::Recorded(Trace::all()), ..STILL }
}

impl Weather {
    /// Logarithms of p99, CPU time and right answers of so many rounds of a block.
    fn noise(&self, rounds: usize, random: &mut Noise) -> Vec<[f64; 3]> {
        let made_up = |random: &mut Noise, own: fn(&mut Noise) -> f64| {
            (0..rounds).map(|_| DEVIATIONS.map(|deviation| deviation * own(random))).collect()
        };
        match &self.noise {
            Own::Normal => made_up(random, Noise::normal),
            Own::Heavy => made_up(random, Noise::heavy),
            Own::Recorded(trace) => trace.stretch(rounds, random).to_vec(),
        }
    }

    /// Rounds of a block, where an entry's p99 is that of the field.
    fn block(&self, block: &Block, field: &Field, random: &mut Noise) -> Vec<(usize, Judgement)> {
        let mood = self.mood * random.normal();
        let noise = self.noise(block.entries.len() + 1, random);
        let of = |(&entry, noise): (&usize, [f64; 3])| {
            let times = if entry.is_multiple_of(3) { self.unequal } else { 1.0 };
            let [p99, cpu, right] = noise.map(|own| times * own);
            let mut one = round(0, 10.0 * (mood + field.logs[entry] + p99).exp());
            one.measures.set(Measure::CpuMsPer1000, Some(300.0 * (mood + cpu).exp()));
            one.measures.set(Measure::CorrectWithinServiceLevel, Some(1000.0 * right.exp()));
            (entry, one)
        };
        block.entries.iter().chain([&block.control]).zip(noise).map(of).collect()
    }
}

/// What is true of entries.
struct Field {
    /// By entry: logarithm of its p99, as a factor.
    logs: Vec<f64>,
    /// By entry: how many different p99s are less than its own.
    ranks: Vec<usize>,
}

impl Field {
    fn of(logs: Vec<f64>) -> Self {
        let mut levels = logs.clone();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let rank = |log: &f64| levels.partition_point(|level| level < log);
        Self { ranks: logs.iter().map(rank).collect(), logs }
    }

    /// So many entries in five groups of equals, one `step` apart.
    fn five(entries: usize, step: f64) -> Self {
        Self::of((0..entries).map(|entry| step * (entry % 5) as f64).collect())
    }

    /// 20 entries in five groups of 1, 2, 4, 6 and 7, which are 30, 20, 10 and 5 % apart.
    fn uneven() -> Self {
        let groups = [(1, 1.0), (2, 1.3), (4, 1.2), (6, 1.1), (7, 1.05)];
        let mut log = 0.0;
        let of = |(size, by): (usize, f64)| {
            log += by.ln();
            vec![log; size]
        };
        Self::of(groups.into_iter().flat_map(of).collect())
    }

    /// The p99s, in ms, of the 23 contenders of this repository that keep all rules, as `docs/benchmarks` has them.
    fn contest() -> Self {
        let ms: [f64; 23] = [
            2.35, 2.40, 2.53, 2.57, 2.59, 3.03, 3.08, 3.13, 3.13, 3.99, 5.09, 5.10, 5.49, 5.58, 5.63, 8.01,
            54.9, 64.1, 71.3, 82.9, 140.0, 1170.0, 2270.0,
        ];
        Self::of(ms.map(|ms| (ms / 10.0).ln()).to_vec())
    }

    fn plan(&self, passes: u32, seed: u64) -> LeaguePlan {
        LeaguePlan { seed: Seed::of_number(seed), ..plan(self.logs.len(), passes) }
    }
}

/// What a league says of all pairs.
#[derive(Debug, Default)]
struct Tally {
    /// A difference that there is not, or the other way around.
    wrong: usize,
    /// Told apart.
    apart: usize,
    /// Told apart, or as good as equal.
    decided: usize,
    /// Pairs of neighbouring groups: those that are told apart, those of which even the places are, and all.
    neighbours: [usize; 3],
}

/// What a league that was driven so far came to.
fn tallied(plan: &LeaguePlan, all: &[Result<JudgedFight, String>], field: &Field) -> Tally {
    let children = children(all);
    let heard = Heard::of(plan, &children);
    Tally::of(&Facts::of(plan, &heard).order(&heard.members()), field)
}

impl Tally {
    fn of(order: &Order, field: &Field) -> Self {
        let mut tally = Self::default();
        for (place, &one) in order.places.iter().enumerate() {
            for (next, &other) in order.places.iter().enumerate().skip(place + 1) {
                let told = order.told[place][next];
                let is_apart = matches!(told, Told::First | Told::Second);
                let is_right = match told {
                    Told::First => field.logs[one] < field.logs[other],
                    Told::Second => field.logs[other] < field.logs[one],
                    Told::Equal | Told::Open | Told::Withheld => true,
                };
                tally.wrong += usize::from(!is_right);
                tally.apart += usize::from(is_apart);
                tally.decided += usize::from(told != Told::Open);
                if field.ranks[one].abs_diff(field.ranks[other]) == 1 {
                    tally.neighbours[0] += usize::from(is_apart);
                    tally.neighbours[1] += usize::from(order.range(one)[1] < order.range(other)[0]);
                    tally.neighbours[2] += 1;
                }
            }
        }
        tally
    }
}

/// A league, driven as leagues are: what it says, and the rounds that it took beside its checks.
fn league(field: &Field, passes: u32, weather: &Weather, seed: u64) -> (Tally, usize) {
    let (plan, mut random) = (field.plan(passes, seed), Noise::seeded(seed));
    let all = driven(&plan, |_| None, |block| weather.block(block, field, &mut random));
    let rounds = all.iter().flatten().map(|fight| fight.rounds.len()).sum::<usize>() - field.logs.len();
    (tallied(&plan, &all, field), rounds)
}

/// Rounds of the fewest passes with everybody in each after which enough is told, at the same level; of at most four times as many
/// passes. Nothing but the truth could end a league so soon: one that drives everybody drives all of its passes.
fn of_equal_passes(
    field: &Field,
    passes: u32,
    weather: &Weather,
    seed: u64,
    is_enough: impl Fn(&Tally) -> bool,
) -> usize {
    let (plan, mut random) = (field.plan(passes, seed), Noise::seeded(seed));
    let everybody: Vec<usize> = (0..field.logs.len()).collect();
    let (mut all, mut rounds) = (Vec::new(), 0);
    for pass in 1..=4 * passes {
        for block in plan.blocks(pass, &everybody) {
            rounds += block.entries.len() + 1;
            all.push(Ok(fight(&plan, FightKind::Fight, weather.block(&block, field, &mut random))));
        }
        let told = || tallied(&plan, &all, field);
        if pass >= FIRST_LOOK && is_enough(&told()) {
            break;
        }
    }
    rounds
}

/// Share of leagues that claim any false difference.
fn wrong(field: &Field, passes: u32, weather: &Weather, leagues: u64) -> f64 {
    let wrong = (0..leagues).filter(|&seed| league(field, passes, weather, seed).0.wrong > 0);
    wrong.count() as f64 / leagues as f64
}

/// Share of the pairs of neighbouring groups that are told apart, and rounds of a league.
fn found(field: &Field, passes: u32, weather: &Weather, leagues: u64) -> (f64, f64) {
    let (mut told, mut all, mut rounds) = (0, 0, 0);
    for seed in 0..leagues {
        let (tally, driven) = league(field, passes, weather, seed);
        told += tally.neighbours[0];
        all += tally.neighbours[2];
        rounds += driven;
    }
    (told as f64 / all as f64, rounds as f64 / leagues as f64)
}

#[test]
fn anything_is_claimed_of_equals_in_at_most_five_of_a_hundred_leagues() {
    // Two entries have few rounds, so their noise is known badly. Eight have many pairs, each of which may be wrong.
    for (entries, passes, leagues) in [(2, 3, 400), (3, 8, 200), (8, 4, 60)] {
        for weather in [STILL, WILD, calm(), recorded()] {
            let share = wrong(&Field::five(entries, 0.0), passes, &weather, leagues);
            assert!(share <= 0.05, "{}: {entries} entries, {passes} passes: {share}", weather.name);
        }
    }
}

#[test]
fn groups_that_are_ten_percent_apart_are_told_apart() {
    let (tally, rounds) = league(&Field::five(10, 1.1_f64.ln()), 8, &STILL, 1);
    let [_, placed, all] = tally.neighbours;
    assert!(tally.wrong == 0 && placed * 10 >= all * 8, "{tally:?} after {rounds} rounds");
}

/// The tables: `cargo test -p galo-judge --release -- --ignored --nocapture --test-threads 1 the_table_of_leagues`
#[test]
#[ignore = "takes many minutes; prints how often leagues claim a false difference"]
fn the_table_of_leagues_that_are_wrong() {
    println!("| weather | entries | passes at most | step | leagues | any false difference |");
    for weather in [STILL, calm(), recorded(), WILD] {
        for (entries, passes) in [(20, 8), (20, 48), (100, 8)] {
            for step in [0.0, 1.1_f64.ln()] {
                let share = 100.0 * wrong(&Field::five(entries, step), passes, &weather, 1_000);
                println!("| {} | {entries} | {passes} | {step:.3} | 1000 | {share:.1} % |", weather.name);
            }
        }
    }
}

#[test]
#[ignore = "takes minutes; prints how many neighbours 10 % apart are told apart"]
fn the_table_of_leagues_and_what_they_find() {
    println!("| weather | entries | passes at most | rounds | neighbours told apart |");
    for weather in [STILL, calm(), recorded(), WILD] {
        let few = [4, 6, 8, 12, 16, 24, 48, 96].map(|passes| (20, passes, 40));
        let many = [8, 12, 16, 48, 72].map(|passes| (100, passes, 4));
        for (entries, passes, leagues) in few.into_iter().chain(many) {
            let (share, rounds) = found(&Field::five(entries, 1.1_f64.ln()), passes, &weather, leagues);
            println!("| {} | {entries} | {passes} | {rounds:.0} | {:.0} % |", weather.name, 100.0 * share);
        }
    }
}

#[test]
#[ignore = "takes minutes; prints how many rounds are saved by driving those alone whose place is open"]
fn the_table_of_leagues_and_what_they_save() {
    println!(
        "| weather | field | passes at most | by all passes | for as many told apart | for as many decided |"
    );
    let fields = [
        ("five of 4, 10 %", Field::five(20, 1.1_f64.ln())),
        ("five of 1 to 7, 30 to 5 %", Field::uneven()),
        ("the contest's", Field::contest()),
    ];
    for weather in [STILL, calm(), recorded()] {
        for (name, field) in &fields {
            for passes in [8, 16, 32] {
                let [all, apart, decided] = saved(field, passes, &weather, 40);
                println!("| {} | {name} | {passes} | {all} | {apart} | {decided} |", weather.name);
            }
        }
    }
}

/// Rounds of leagues by rounds of equal passes: of all of them, of as many as tell as many pairs apart, and of as many as decide as
/// many; each the median, and the 10th and 90th of a hundred.
fn saved(field: &Field, passes: u32, weather: &Weather, leagues: u64) -> [String; 3] {
    let mut ratios = [const { Vec::new() }; 3];
    for seed in 0..leagues {
        let (tally, rounds) = league(field, passes, weather, seed);
        // Other luck than the league's own.
        let by = |is_enough: &dyn Fn(&Tally) -> bool| {
            let equal = of_equal_passes(field, passes, weather, seed + leagues, is_enough);
            rounds as f64 / equal as f64
        };
        let blocks = field.plan(passes, seed).blocks(1, &Vec::from_iter(0..field.logs.len())).len();
        ratios[0].push(rounds as f64 / (passes as usize * (field.logs.len() + blocks)) as f64);
        ratios[1].push(by(&|equal| equal.apart >= tally.apart));
        ratios[2].push(by(&|equal| equal.decided >= tally.decided));
    }
    ratios.map(|mut ratios| {
        ratios.sort_by(f64::total_cmp);
        let at = |share: f64| ratios[((ratios.len() - 1) as f64 * share).round() as usize];
        format!("{:.2} ({:.2} to {:.2})", at(0.5), at(0.1), at(0.9))
    })
}

/// `cargo test -p galo-judge --release -- --ignored --nocapture a_thousand_entries`
#[test]
#[ignore = "a measurement; prints how long a large league takes to be judged"]
fn a_thousand_entries() {
    for passes in [3, 8] {
        let (plan, mut random) = (plan(1_000, passes), Noise::seeded(4));
        let field = Field::five(1_000, 1.1_f64.ln());
        let all = driven(&plan, |_| None, |block| STILL.block(block, &field, &mut random));
        let began = std::time::Instant::now();
        let league = judged(&plan, &all);
        let took = began.elapsed().as_secs_f64();
        println!(
            "| {passes} passes | {} blocks | {} ranked | {took:.1} s |",
            league.head.blocks,
            league.ranking.len()
        );
    }
}
