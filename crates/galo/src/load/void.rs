//! When a load is void: spoiled by galo or its machine, so that it says nothing about the server.
//!
//! The thinking is that of a fight's rounds ([`galo_judge::void`]): what galo could not even try, and galo's lateness.
//! Two bounds differ. Lag is held against the latency that it would hide in, each percentile against its own, since a load
//! may be of a server that takes microseconds or seconds. And a busy engine thread alone voids nothing: where it hurts the open model it shows as
//! lag, and a closed loop merely waits for galo, which a note tells.

use galo_judge::void::{ENGINE_BUSY_MAX, LAG_SHARE_FINE};
use galo_report::LoadReport;

/// Open model: lag up to this is always fine, in microseconds, and so is [`LAG_SHARE_FINE`] of the latency.
const LAG_US_FINE: f64 = 1_000.0;
/// Share of the time that an engine thread may have been ready to run without a core.
const WAITING_SHARE_MAX: f64 = 0.05;
/// Waiting up to this is fine however short the load was, in milliseconds.
const WAITING_MS_FINE: f64 = 20.0;

/// Why a load is void, with what to do; empty where it is not. `open`: of the open model.
pub(crate) fn reasons(report: &LoadReport, open: bool) -> Vec<String> {
    let late = if open { late(report) } else { None };
    own_errors(report).chain(late).chain(waiting(report)).collect()
}

/// What is good to know of galo's own part. `spin`: its threads stay awake, so that being busy means nothing.
pub(super) fn notes(report: &LoadReport, open: bool, spin: bool) -> Vec<String> {
    let wall_s = report.elapsed_s * f64::from(report.engine.all.threads);
    let share = report.engine.all.cpu_s / wall_s;
    let busy = wall_s > 0.0 && share > ENGINE_BUSY_MAX && !spin;
    let percent = share * 100.0;
    let note = match open {
        true => format!(
            "galo's threads were busy {percent:.0} % of the time: a higher rate needs more of them (--threads)"
        ),
        false => format!(
            "galo's threads were busy {percent:.0} % of the time: the rate may be galo's own limit, not the server's \
             (--threads gives more of them)"
        ),
    };
    if busy { vec![note] } else { Vec::new() }
}

/// What galo could not even try.
fn own_errors(report: &LoadReport) -> impl Iterator<Item = String> + '_ {
    report.engine.all.own_errors.iter().map(|(kind, n)| {
        let mend = match kind.as_str() {
            "no free local port" => {
                "keep connections open (--connection shared), or widen net.ipv4.ip_local_port_range"
            }
            "too many open files" => {
                "raise the limit (`ulimit -n`), or use fewer connections (--connections)"
            }
            "no memory for sockets" => "use fewer connections (--connections)",
            _ => "see `galo doctor`",
        };
        format!("galo could not even try some requests ({kind}: {n}); {mend}")
    })
}

fn late(report: &LoadReport) -> Option<String> {
    let (engine, latency) = (&report.engine.all, &report.latency.percentiles);
    let percentiles = [("p50", engine.lag_us_p50, latency.p50), ("p99", engine.lag_us_p99, latency.p99)];
    percentiles.into_iter().find_map(|(name, lag, latency)| {
        let bound = (LAG_SHARE_FINE * latency).max(LAG_US_FINE);
        (lag > bound).then(|| {
            format!(
                "galo itself was late: {name} of its lag is {:.1} ms, over {:.1} ms; give it a core of its own, more \
                 threads (--threads) or a lower rate",
                lag / 1e3,
                bound / 1e3
            )
        })
    })
}

fn waiting(report: &LoadReport) -> Option<String> {
    let longest_ms = report.engine.thread_run_queue_ms.iter().copied().fold(0.0, f64::max);
    let share = longest_ms / 1e3 / report.elapsed_s;
    (longest_ms > WAITING_MS_FINE && share > WAITING_SHARE_MAX).then(|| {
        format!(
            "galo waited for a core {:.0} % of the time, over {:.0} %; leave it one (`taskset` keeps the server on the \
             others), or run it on another machine",
            share * 100.0,
            WAITING_SHARE_MAX * 100.0
        )
    })
}

#[cfg(test)]
mod tests {
    use galo_record::StepLatencies;
    use galo_record::load::{EngineRecord, StepRecord};

    use super::*;

    /// A load of 10 s, half of whose answers take `p50_us`, and the slowest ones `p99_us`.
    fn report_of(p50_us: u64, p99_us: u64, engine: &EngineRecord) -> LoadReport {
        let mut latencies = StepLatencies::default();
        for us in [[p50_us; 8], [p99_us; 8]].concat() {
            latencies.ok.record_ns(us * 1000);
        }
        LoadReport::new("http://h/", 10_000_000_000, &StepRecord::default(), &latencies, engine)
    }

    fn report(p50_us: u64, engine: &EngineRecord) -> LoadReport {
        report_of(p50_us, p50_us, engine)
    }

    #[test]
    fn lag_is_held_against_the_latency_that_it_would_hide_in() {
        let late = |lag_us: [f64; 2], p50_us, p99_us| {
            let [lag_us_p50, lag_us_p99] = lag_us;
            let engine = EngineRecord { lag_us_p50, lag_us_p99, ..EngineRecord::default() };
            reasons(&report_of(p50_us, p99_us, &engine), true).first().map(|told| told[22..25].to_owned())
        };
        assert_eq!(late([0.0, 990.0], 50, 50), None, "a millisecond is always fine");
        assert_eq!(late([0.0, 1_010.0], 50, 50).as_deref(), Some("p99"));
        assert_eq!(late([0.0, 9_900.0], 100_000, 100_000), None);
        assert_eq!(late([0.0, 9_900.0], 50, 100_000), None, "the tail's lag hides in the tail");
        assert_eq!(late([0.0, 10_200.0], 50, 100_000).as_deref(), Some("p99"));
        assert_eq!(
            late([1_010.0, 1_010.0], 50, 100_000).as_deref(),
            Some("p50"),
            "and the median's does not"
        );
        let engine = EngineRecord { lag_us_p50: 1e6, lag_us_p99: 1e6, ..EngineRecord::default() };
        assert!(reasons(&report(50, &engine), false).is_empty(), "a closed loop is never late");
    }

    #[test]
    fn waiting_for_a_core_counts_by_its_share_and_from_some_length_on() {
        let waited =
            |ms: u64| EngineRecord { run_queue_ns: vec![0, ms * 1_000_000], ..EngineRecord::default() };
        assert!(reasons(&report(50, &waited(490)), false).is_empty());
        assert_eq!(reasons(&report(50, &waited(510)), false).len(), 1);
        let mut short = report(50, &waited(19));
        short.elapsed_s = 0.1;
        assert!(reasons(&short, false).is_empty());
    }

    #[test]
    fn what_galo_could_not_try_is_told_with_what_to_do() {
        let own_errors = [("no free local port".to_owned(), 4), ("too many open files".to_owned(), 1)].into();
        let told =
            reasons(&report(50, &EngineRecord { own_errors, ..EngineRecord::default() }), false).join("\n");
        insta::assert_snapshot!(told, @"
        galo could not even try some requests (no free local port: 4); keep connections open (--connection shared), or widen net.ipv4.ip_local_port_range
        galo could not even try some requests (too many open files: 1); raise the limit (`ulimit -n`), or use fewer connections (--connections)
        ");
    }

    #[test]
    fn a_busy_engine_is_noted_unless_it_was_told_to_stay_awake() {
        let engine = EngineRecord { threads: 2, cpu_ns: 19_000_000_000, ..EngineRecord::default() };
        let report = report(50, &engine);
        assert!(reasons(&report, true).is_empty());
        insta::assert_snapshot!(notes(&report, false, false).join("\n"), @"galo's threads were busy 95 % of the time: the rate may be galo's own limit, not the server's (--threads gives more of them)");
        assert!(notes(&report, true, false)[0].contains("higher rate"));
        assert!(notes(&report, true, true).is_empty());
    }
}
