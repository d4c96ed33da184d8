use std::net::Ipv4Addr;

use super::*;
use crate::challenge::Challenge;
use crate::fake::FakeModel;
use crate::plan::Options;
use crate::seed::Seed;

const MINUTE: Duration = Duration::from_secs(60);

fn plan(profile: &str) -> Plan {
    let text = include_str!("../../../../challenges/pessoas/challenge.toml");
    let challenge = Challenge::parse("challenge.toml", text, &FakeModel).unwrap();
    let profile = profile.to_owned();
    let options = Options {
        profile,
        scale_milli: 1000,
        rounds: 1,
        seed: Seed::of_number(7),
        limited: true,
        noise_floor: None,
    };
    Plan::new(challenge, &FakeModel, Vec::new(), &options).unwrap()
}

fn target() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 9999))
}

fn users(plan: &LoadPlan) -> Vec<(usize, u64, Option<u64>)> {
    plan.sources.iter().map(|s| (s.scenarios[0], s.first_user, s.arrivals.users())).collect()
}

#[test]
fn every_scenario_is_held_at_the_rate_with_which_it_ends_times_the_scale() {
    let plan = plan("official");
    let rates: Vec<u64> = plan.held_rates(2_500).iter().map(|rate| rate.rate_micro / 1_000).collect();
    assert_eq!(rates, [1_500_000, 250_000, 100_000, 2_500, 2_500, 2_500]);
}

#[test]
fn users_of_a_later_hold_go_on_where_the_earlier_ended() {
    let plan = plan("official");
    let mut holds = Holds::new(&plan, &FakeModel);
    let first = holds.hold(1_000, MINUTE, target()).unwrap();
    assert_eq!(
        users(&first),
        [
            (0, 0, Some(36_000)),
            (1, 0, Some(6_000)),
            (2, 0, Some(2_400)),
            (3, 0, Some(60)),
            (6, 0, Some(60)),
            (7, 0, Some(60))
        ]
    );
    let preload = holds.creations(64, 1_000, target()).unwrap().unwrap();
    assert_eq!(users(&preload), [(0, 36_000, Some(1_000))]);
    let second = holds.hold(500, MINUTE, target()).unwrap();
    assert_eq!(
        users(&second),
        [
            (0, 37_000, Some(18_000)),
            (1, 6_000, Some(3_000)),
            (2, 2_400, Some(1_200)),
            (3, 60, Some(30)),
            (6, 60, Some(30)),
            (7, 60, Some(30))
        ]
    );
}

#[test]
fn the_data_reach_to_the_last_row_of_the_last_hold() {
    let plan = plan("official");
    let mut holds = Holds::new(&plan, &FakeModel);
    // The fake's ceiling is the number of its rows.
    assert_eq!(holds.hold(1_000, MINUTE, target()).unwrap().data.ceiling().max, 36_000);
    assert_eq!(holds.creations(64, 1_000, target()).unwrap().unwrap().data.ceiling().max, 37_000);
    assert_eq!(holds.hold(500, MINUTE, target()).unwrap().data.ceiling().max, 55_000);
}

#[test]
fn creations_are_one_step_without_a_pause_on_shared_connections() {
    let plan = plan("official");
    let load = Holds::new(&plan, &FakeModel).creations(8, 100, target()).unwrap().unwrap();
    let scenario = &load.scenarios[0];
    let names: Vec<&str> = scenario.steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!((names, scenario.connection), (vec!["create"], Connection::Shared));
    assert_eq!((scenario.steps[0].pause_ns, load.pool.connections), (None, 8));
}

#[test]
fn the_size_of_the_tables_grows_with_the_scale() {
    let plan = plan("official");
    // The fake creates half of its 54,635 rows.
    assert_eq!([500, 1_000, 10_000].map(|scale| plan.held_at_end(scale)), [13_659, 27_317, 273_170]);
    assert_eq!([plan.rows_for(0), plan.rows_for(27_317)], [0, 54_635]);
    assert_eq!(plan.creating_users(2_000, MINUTE), 72_000);
}

#[test]
fn more_users_than_a_history_can_number_are_refused() {
    let plan = plan("official");
    let mut holds = Holds::new(&plan, &FakeModel);
    holds.creations(1, u64::from(u32::MAX) - 100, target()).unwrap();
    let error = holds.hold(1_000, MINUTE, target()).err().unwrap().to_string();
    insta::assert_snapshot!(error, @"
    scenario `create and read`: 4295003195 users are more than a history can number
    hint: begin nearer to the limit, or choose shorter holds
    ");
}
