use clap::Parser;

use super::*;
use crate::cli::{Cli, Command};

fn setup(line: &str) -> Result<Setup> {
    let words = ["galo", "load", "http://127.0.0.1:1/"].into_iter().chain(line.split_whitespace());
    match Cli::try_parse_from(words)?.command {
        Command::Load(args) => Setup::new(&args),
        _ => unreachable!("the line begins with `load`"),
    }
}

fn arrivals(line: &str) -> Arrivals {
    setup(line).unwrap().plan.sources[0].arrivals.clone()
}

fn error(line: &str) -> String {
    setup(line).err().unwrap().to_string()
}

#[test]
fn without_a_rate_the_loop_is_closed() {
    let ten_seconds = Some(10_000_000_000);
    let closed = |users, total, duration_ns| Arrivals::Closed { users, total, duration_ns };
    assert_eq!(arrivals(""), closed(64, None, ten_seconds));
    assert_eq!(arrivals("-c 3 -n 100"), closed(3, Some(100), None));
    assert_eq!(arrivals("-c 3 -n 100 -d 10s"), closed(3, Some(100), ten_seconds));
    assert_eq!(arrivals("--http2 -c 3 --streams 10"), closed(30, None, ten_seconds));
    assert_eq!(setup("-c 3").unwrap().plan.pool, Pool { connections: 3, streams: 1 });
}

#[test]
fn a_rate_opens_the_model_and_c_bounds_its_connections() {
    let load = setup("--rate 2k -d 3s --poisson").unwrap();
    assert!(matches!((load.loads, load.asked_per_s), (Loads::One, Some(2000.0))));
    let injection = Injection::constant(2_000_000_000, Duration::from_secs(3));
    assert_eq!(load.plan.sources[0].arrivals, Arrivals::Open { injection, spacing: Spacing::Poisson });
    assert_eq!(load.plan.pool, Pool { connections: 512, streams: 1 });
    assert_eq!(setup("--rate 1 -c 7").unwrap().plan.pool.connections, 7);
    assert_eq!(setup("--rate 1 --http2").unwrap().plan.pool.streams, 100);
}

#[test]
fn so_many_requests_at_a_rate_are_exactly_so_many() {
    for (requests, rate) in [(1, "7"), (1000, "3"), (12_345, "50k"), (7, "600/m"), (100, "0.3")] {
        assert_eq!(arrivals(&format!("-n {requests} --rate {rate}")).users(), Some(requests), "{rate}");
    }
}

#[test]
fn of_a_number_and_a_time_at_a_rate_what_comes_first_counts() {
    assert_eq!(arrivals("-n 1000 --rate 100 -d 2s").users(), Some(200));
    assert_eq!(arrivals("-n 100 --rate 100 -d 2s").users(), Some(100));
}

#[test]
fn steps_climb_from_the_rate_and_the_last_one_is_repeated() {
    let Loads::Steps(rates) =
        setup("--rate 1000 --rate-step 500 --rate-max 2000 --step 1m --max-steps 3").unwrap().loads
    else {
        panic!("these are steps")
    };
    let rates: Vec<u64> = rates.steps.iter().map(|step| step.rate_micro / 1_000_000).collect();
    assert_eq!(rates, [1000, 1500, 2000, 2000, 2000]);
    let Loads::Steps(rates) = setup("--rate-step 500 --rate-max 1000").unwrap().loads else {
        panic!("these are steps")
    };
    assert_eq!((rates.steps.len(), rates.steps[0].to_ns), (2, 10_000_000_000));
}

#[test]
fn a_hold_lasts_whole_seconds() {
    let Loads::Highest(highest) = setup("--max-under p99<10ms -d 2500ms --rate-max 9k").unwrap().loads else {
        panic!("this is a search")
    };
    assert_eq!((highest.hold, highest.range.start_milli), (Duration::from_secs(3), None));
    assert_eq!(highest.range.max_milli, Some(9_000_000));
}

#[test]
fn how_requests_travel_is_kept() {
    let plan =
        setup("--http2 -k --proxy http://127.0.0.1:3128 --timeout 2s --connect-timeout 1s").unwrap().plan;
    assert_eq!(plan.transport.protocol, Protocol::Http2);
    assert!(plan.transport.tls.insecure);
    assert_eq!(plan.transport.proxy.unwrap().authority, "127.0.0.1:3128");
    assert_eq!((plan.timeouts.connect_ns, plan.timeouts.answer_ns), (1_000_000_000, 2_000_000_000));
    let tls = setup("--cert c.pem --key k.pem --cacert r.pem").unwrap().plan.transport.tls;
    assert_eq!(tls.client, Some(("c.pem".into(), "k.pem".into())));
    assert_eq!(setup("--timeout 2s").unwrap().drain, Duration::from_secs(5));
}

#[test]
fn what_does_not_go_together_is_told() {
    insta::assert_snapshot!(error("--poisson"), @"
    --poisson needs a rate
    hint: give for example `--rate 1000`
    ");
    insta::assert_snapshot!(error("--rate-max 5"), @"
    --rate-max bounds nothing
    hint: give --rate-step or --max-under with it
    ");
    insta::assert_snapshot!(error("--streams 5"), @"
    HTTP/1.1 has one stream on each connection
    hint: add --http2, or raise --connections
    ");
    insta::assert_snapshot!(error("-d 0s"), @"
    `0s` is no time at all
    hint: write for example `10s`
    ");
    insta::assert_snapshot!(error("-d 40days"), @"
    `40days` is too long
    hint: 30 days are the most
    ");
    insta::assert_snapshot!(error("--assert q90<1s"), @"
    `q90<1s`: there is no figure `q90`
    hint: did you mean `p90`?
    ");
    insta::assert_snapshot!(error("--rate-step 1 --rate 5 --rate-max 4"), @"
    the steps go down, from 5/s to 4/s
    hint: choose a highest rate above the first
    ");
    for line in [
        "--rate 5 --inject x",
        "--max-under p99<1s -n 5",
        "--rate-step 5",
        "--http1.1 --http2",
        "-4 -6",
        "--key k",
    ] {
        assert!(error(line).starts_with("error: "), "{line}: {}", error(line));
    }
}
