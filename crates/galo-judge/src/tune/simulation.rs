//! A contender whose best setting is known: services that share a budget, a pool that is too small or too large, a balancer whose number of
//! connections hardly matters. Each try is off by 3 %.

use galo_plan::knob::Turn;
use galo_plan::tune::{Dial, FORMAT, Objective, Range, Share, TunePlan};
use galo_plan::{Contender, LimitTerms, Seed};

use super::search::{best, propose};
use super::*;

const BUDGET_MILLI: u32 = 1500;
/// CPU for each request, in microseconds: the database, each of two instances, the balancer.
const COSTS: [(&str, f64); 4] = [("db", 300.0), ("api1", 80.0), ("api2", 80.0), ("nginx", 60.0)];
const NOISE: f64 = 0.03;
const TRIES: usize = 40;

fn plan(seed: u64) -> TunePlan {
    let share = |services: &[&str], cpus_milli| Share {
        services: services.iter().map(|&name| name.to_owned()).collect(),
        cpus_milli,
        bounds_milli: [20, BUDGET_MILLI],
    };
    let dial = |knob: &str, own: &str, ends| Dial {
        knob: knob.to_owned(),
        to: Vec::new(),
        own: Some(own.to_owned()),
        range: Range::Between { ends, by_factors: true, decimals: 0 },
    };
    TunePlan {
        format: FORMAT,
        challenge: "fake".to_owned(),
        profile: "quick".to_owned(),
        scale_milli: 1000,
        seed: Seed::of_number(seed),
        objective: Objective::Scale,
        tries: TRIES as u32,
        limits: LimitTerms::of_holds(1),
        contender: Contender::at_address(([127, 0, 0, 1], 1).into(), "fake"),
        cpus_milli: BUDGET_MILLI,
        // A bad split, and a pool that is far too large.
        shares: vec![share(&["api1", "api2"], 400), share(&["nginx"], 500), share(&["db"], 200)],
        dials: vec![dial("pool", "200", [2.0, 400.0]), dial("connections", "16384", [64.0, 16_384.0])],
    }
}

/// What a setting is worth without noise.
fn truth(plan: &TunePlan, turns: &[Turn]) -> f64 {
    let value = |knob: &str| {
        let own = || plan.dials.iter().find(|dial| dial.knob == knob).and_then(|dial| dial.own.clone());
        let turned = turns.iter().find(|turn| turn.knob == knob).map(|turn| turn.value.clone());
        turned.or_else(own).and_then(|value| value.parse::<f64>().ok())
    };
    let cpus = |name: &str| {
        let share = plan.shares.iter().find(|share| share.services.iter().any(|service| service == name));
        value(&format!("{name}.cpus")).or(share.map(|share| f64::from(share.cpus_milli) / 1e3)).unwrap()
    };
    let pool = value("pool").unwrap();
    // Best at some 30: fewer leave the database idle, more wait for each other.
    let of_pool = 1.0 / (0.9 + 3.0 / pool + pool / 300.0);
    let of_connections = 1.0 / (1.0 + value("connections").unwrap() / 200_000.0);
    let least = COSTS.iter().map(|(name, us)| cpus(name) * 1e6 / us).fold(f64::INFINITY, f64::min);
    least * of_pool * of_connections / 1e3
}

/// The best that there is, within a thousandth or so.
fn optimum(plan: &TunePlan) -> f64 {
    let total: f64 = COSTS.iter().map(|(_, us)| us).sum();
    let shares: Vec<u32> = plan
        .shares
        .iter()
        .map(|share| {
            let us = COSTS.iter().find(|(name, _)| *name == share.services[0]).unwrap().1;
            (f64::from(BUDGET_MILLI) * us / total).round() as u32
        })
        .collect();
    let at = |pool: f64| truth(plan, &plan.turns(&shares, &[format!("{pool:.0}"), "64".to_owned()]));
    (4..400).map(|pool| at(f64::from(pool) / 2.0 + 1.0)).fold(0.0, f64::max)
}

/// What one try tells: with noise, and with costs that are off as well.
fn tell(plan: &TunePlan, turns: Vec<Turn>, number: usize) -> Tried {
    let normal = |of: u64| {
        let unit = |part: u64| {
            let word = plan.seed.word("noise", &[number as u64, of, part]);
            ((word >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        (-2.0 * unit(0).ln()).sqrt() * (std::f64::consts::TAU * unit(1)).cos()
    };
    let log = truth(plan, &turns).ln() + NOISE * normal(0);
    let cost = |(index, (name, us)): (usize, &(&str, f64))| {
        ((*name).to_owned(), us * (1.0 + 0.05 * normal(1 + index as u64)))
    };
    Tried { turns, log: Some(log), void: false, costs: COSTS.iter().enumerate().map(cost).collect() }
}

/// What the search takes for best, by its worth without noise, as a share of the optimum.
fn searched(seed: u64) -> f64 {
    let plan = plan(seed);
    let mut tried: Vec<Tried> = Vec::new();
    for number in 0..TRIES {
        let turns = propose(&plan, &tried);
        tried.push(tell(&plan, turns, number));
    }
    truth(&plan, &tried[best(&plan, &tried)].turns) / optimum(&plan)
}

/// What the best of as many settings drawn at random is worth, chosen by its value with noise.
fn drawn(seed: u64) -> f64 {
    let plan = plan(seed);
    let unit = |number: usize, of: u64| {
        (plan.seed.word("random", &[number as u64, of]) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let one = |number: usize| {
        // Uniform over all splits (exponential weights), and over factors of the knobs.
        let weights: Vec<f64> = (0..3).map(|of| -(1.0 - unit(number, of)).ln()).collect();
        let values: Vec<String> =
            plan.dials.iter().zip(3..).map(|(dial, of)| dial.range.value(unit(number, of))).collect();
        tell(&plan, plan.turns(&plan.divided(&weights), &values), number)
    };
    let all = (0..TRIES).map(one);
    let best = all.max_by(|a, b| a.log.unwrap_or(f64::MIN).total_cmp(&b.log.unwrap_or(f64::MIN))).unwrap();
    truth(&plan, &best.turns) / optimum(&plan)
}

#[test]
fn forty_tries_come_within_five_percent_of_the_best_and_beat_as_many_at_random() {
    let shares: Vec<f64> = (1..=20).map(searched).collect();
    let at_random: Vec<f64> = (1..=20).map(drawn).collect();
    let near = shares.iter().filter(|share| **share >= 0.95).count();
    println!("searched {shares:.3?}\nat random {at_random:.3?}");
    assert!(near >= 18, "{near} of 20: {shares:.3?}");
    let better = shares.iter().zip(&at_random).filter(|(share, random)| share > random).count();
    assert!(better >= 18, "{better} of 20: {at_random:.3?}");
}

#[test]
fn no_try_is_over_the_budget_and_the_same_tries_ask_for_the_same_next() {
    let plan = plan(7);
    let mut tried: Vec<Tried> = Vec::new();
    for number in 0..TRIES {
        let turns = propose(&plan, &tried);
        assert_eq!(turns, propose(&plan, &tried));
        let cpus: f64 = turns
            .iter()
            .filter(|turn| turn.knob.ends_with(".cpus"))
            .map(|turn| turn.value.parse::<f64>().unwrap())
            .sum();
        assert!(cpus <= 1.5 + 1e-9, "{turns:?}");
        tried.push(tell(&plan, turns, number));
    }
    assert_eq!(tried[0].turns, []);
}

#[test]
fn settings_that_fail_are_left_behind() {
    let plan = plan(3);
    let mut tried: Vec<Tried> = Vec::new();
    for number in 0..25 {
        let turns = propose(&plan, &tried);
        let is_large = turns.iter().any(|t| t.knob == "pool" && t.value.parse::<f64>().unwrap() > 60.0);
        let told = tell(&plan, turns, number);
        tried.push(if is_large || number == 0 {
            Tried { log: None, costs: Vec::new(), ..told }
        } else {
            told
        });
    }
    let best = &tried[best(&plan, &tried)];
    assert!(best.log.is_some(), "{best:?}");
    let late = tried[15..].iter().filter(|tried| tried.log.is_none()).count();
    assert!(late <= 4, "{late} of the last ten failed");
}

#[test]
fn a_try_that_was_spoiled_says_nothing_of_its_setting() {
    let plan = plan(1);
    let mut tried: Vec<Tried> = Vec::new();
    for number in 0..12 {
        let turns = propose(&plan, &tried);
        tried.push(tell(&plan, turns, number));
    }
    let best = search::best(&plan, &tried);
    let mut spoiled = tried.clone();
    let copy = Tried { log: None, void: true, costs: Vec::new(), ..spoiled[best].clone() };
    spoiled.push(copy);
    assert_eq!(search::best(&plan, &spoiled), best, "it is as if it had not been");
    let start = Tried { log: None, void: true, costs: Vec::new(), ..tried[0].clone() };
    assert_ne!(search::best(&plan, &[start, tried[1].clone(), tried[2].clone()]), 0);
}

#[test]
fn what_matters_is_told_from_what_does_not() {
    let plan = plan(11);
    let mut tried: Vec<Tried> = Vec::new();
    for number in 0..TRIES {
        let turns = propose(&plan, &tried);
        tried.push(tell(&plan, turns, number));
    }
    let effects = effects(&plan, &tried, best(&plan, &tried));
    let of = |knob: &str| effects.iter().find(|effect| effect.knob == knob).unwrap();
    assert!(of("pool").matters && of("db.cpus").matters, "{effects:#?}");
    assert!(of("connections").factor < of("pool").factor, "{effects:#?}");
}
