//! tmp
use galo_load::{Backend, LoadOptions};
use galo_plan::challenge::Connection;
use galo_plan::load::{Arrivals, Pool, Spacing, Target};
use galo_plan::single::SingleRequest;
use galo_plan::{Injection, LoadPlan};
use galo_record::Events;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn main() -> Result<(), Box<dyn Error>> {
    let a: Vec<String> = std::env::args().collect();
    let address = a[1].parse()?;
    let (c, secs): (u32, u64) = (a[3].parse()?, a[4].parse()?);
    let request = SingleRequest {
        method: "GET".into(),
        target: "/".into(),
        headers: vec![],
        body: None,
        statuses: vec![200],
        timeout: Duration::from_secs(10),
        connection: if std::env::var("PER").is_ok() { Connection::PerRequest } else { Connection::Shared },
    };
    let arrivals = if a[2] == "closed" {
        Arrivals::Closed { users: c, total: None, duration_ns: Some(secs * 1_000_000_000) }
    } else {
        Arrivals::Open {
            injection: Injection::constant(a[2].parse::<u64>()? * 1_000_000, Duration::from_secs(secs)),
            spacing: Spacing::Even,
        }
    };
    let mut plan = LoadPlan::of_one_request(&request, arrivals, Target::plain(address));
    plan.pool = Pool { connections: c, streams: 1 };
    let options = LoadOptions {
        threads: 1,
        history: false,
        real_time: false,
        backend: if std::env::var("EPOLL").is_ok() { Backend::Epoll } else { Backend::Auto },
        spin: std::env::var("SPIN").is_ok(),
        drain: Duration::from_secs(10),
        stop: Arc::new(AtomicBool::new(false)),
        events: Events::none(),
        seconds: None,
    };
    let outcome = galo_load::run(&plan, &options)?;
    let l = outcome.steps[0].ledger;
    let e = &outcome.engine;
    let el = (outcome.ended_ns - outcome.started_ns) as f64 / 1e9;
    println!(
        "{} {}: {:.1} k/s, ok {} of {}, {:.2} us/req, lag p50 {:.0} p99 {:.0} p99.9 {:.0} max {:.0}, conns {}, p50 {:.0} us waited {} err {:?}",
        e.backend,
        a[2],
        l.ok as f64 / el / 1e3,
        l.ok,
        l.intended,
        e.cpu_ns as f64 / 1e3 / l.ok as f64,
        e.lag_us_p50,
        e.lag_us_p99,
        e.lag_us_p99_9,
        e.lag_us_max,
        e.connections,
        outcome.latencies[0].ok.quantile_us(0.5),
        e.waited,
        outcome.steps[0].errors
    );
    Ok(())
}
