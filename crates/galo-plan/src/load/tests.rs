use std::net::{Ipv4Addr, SocketAddr};

use super::*;
use crate::challenge::Challenge;
use crate::fake::FakeModel;
use crate::plan::Options;

fn plan_of(seed: u64) -> LoadPlan {
    let seed = Seed::of_number(seed);
    let text = include_str!("../../../../challenges/pessoas/challenge.toml");
    let challenge = Challenge::parse("challenge.toml", text, &FakeModel).unwrap();
    let profile = "official".to_owned();
    let options = Options { profile, scale_milli: 1000, rounds: 1, seed, limited: true, noise_floor: None };
    let plan = Plan::new(challenge, &FakeModel, Vec::new(), &options).unwrap();
    LoadPlan::of_round(&plan, seed, &FakeModel, SocketAddr::from((Ipv4Addr::LOCALHOST, 9999)))
}

#[test]
fn pauses_are_drawn_evenly_and_again_the_same() {
    let plan = plan_of(7);
    let pauses: Vec<u64> = (0..10_000).map(|user| plan.pause_ns(0, 1, user)).collect();
    assert!(pauses.iter().all(|pause| (1_000_000..=30_000_000).contains(pause)));
    let mean = pauses.iter().sum::<u64>() / 10_000;
    assert!((15_200_000..15_800_000).contains(&mean), "{mean}");
    let low = pauses.iter().filter(|pause| **pause < 8_250_000).count();
    assert!((2_300..2_700).contains(&low), "{low} of 10,000 in the lowest quarter");
    assert!(pauses.iter().enumerate().all(|(user, pause)| plan.pause_ns(0, 1, user as u64) == *pause));
    let other = plan_of(8);
    assert!(
        pauses
            .iter()
            .enumerate()
            .filter(|(user, pause)| other.pause_ns(0, 1, *user as u64) == **pause)
            .count()
            < 10
    );
}

#[test]
fn a_step_without_a_pause_follows_at_once() {
    let plan = plan_of(7);
    assert_eq!(plan.pause_ns(0, 0, 5), 0);
    assert_eq!(plan.pause_ns(9, 9, 5), 0);
}

#[test]
fn users_take_scenarios_in_turn_or_at_random_by_seed() {
    let mut source = Source {
        scenarios: vec![4, 5, 6],
        ..Source::open(0, Injection::constant(1, std::time::Duration::ZERO))
    };
    let picks = |source: &Source, seed| (0..3_000).map(|n| source.scenario(seed, n)).collect::<Vec<_>>();
    assert_eq!(picks(&source, 1)[..4], [4, 5, 6, 4]);
    source.pick = Pick::Random;
    let drawn = picks(&source, 1);
    assert!((4..=6).all(|s| (900..1_100).contains(&drawn.iter().filter(|d| **d == s).count())));
    assert_eq!(drawn, picks(&source, 1));
    assert_ne!(drawn, picks(&source, 2));
}
