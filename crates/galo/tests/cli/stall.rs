//! A server that stands still for a second, and what a load shows of it.
//!
//! The model: at a fixed rate `R`, each of the `R` requests that fall due in the second waits until its end, so
//! `R * (1 - t)` of them have a latency above `t` seconds. A closed loop of one connection sends nothing while it
//! waits, and has one such latency.

use std::path::Path;
use std::time::Duration;

use galo_null::Options;
use hdrhistogram::Histogram;

use crate::load::load;
use crate::load_outputs::logged;
use crate::servers::null;

const RATE: f64 = 1000.0;

fn stalled() -> String {
    let stall = Some(Duration::from_secs(1)..Duration::from_secs(2));
    format!("http://{}/", null(Options { stall, ..Options::default() }))
}

fn above(histogram: &Histogram<u64>, ms: u64) -> f64 {
    histogram.count_between(ms * 1_000_000 + 1, u64::MAX) as f64
}

fn drive(log: &Path, more: &[&str]) -> serde_json::Value {
    load(&[&[stalled().as_str(), "--hdr", log.to_str().unwrap()], more].concat()).expect(0).json()
}

/// Lengths in ms, and the share of `RATE` of which the model says that it waited longer.
const ABOVE: [(u64, f64); 3] = [(100, 0.9), (500, 0.5), (900, 0.1)];

/// Drives a load over the stall and sees that none of the requests that were due in it is missing: how many waited longer
/// than each length of [`ABOVE`].
fn waited() -> [f64; 3] {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("load.hlog");
    let report = drive(&log, &["--rate", "1000", "-d", "4s"]);
    assert_eq!(report["ledger"]["ok"], 4000, "{}", report["ledger"]);

    // Of 4,000 latencies, the slowest 400, 200 and 40 begin at 600, 800 and 960 ms.
    for (key, model_ms) in [("p90", 600.0), ("p95", 800.0), ("p99", 960.0)] {
        let ms = report["latency"][key].as_f64().unwrap() / 1e3;
        assert!(ms > model_ms - 30.0, "{key} is {ms} ms, not {model_ms}");
    }
    let histogram = logged(&log);
    assert_eq!(histogram.len(), 4000);
    ABOVE.map(|(ms, share)| {
        let (counted, model) = (above(&histogram, ms), RATE * share);
        assert!(counted >= model - 0.03 * RATE, "{counted} above {ms} ms, not {model}");
        counted
    })
}

#[test]
fn every_request_that_was_due_while_the_server_stood_still_waited_until_its_end() {
    // Whatever else the machine does can only add to these counts, and other tests keep it busy. So it is the least of up
    // to five loads that has to be near the model.
    let mut least = [f64::INFINITY; 3];
    let is_near =
        |least: [f64; 3]| ABOVE.iter().zip(least).all(|((_, share), least)| least <= RATE * (share + 0.1));
    for _ in 0..5 {
        for (least, counted) in least.iter_mut().zip(waited()) {
            *least = least.min(counted);
        }
        if is_near(least) {
            return;
        }
    }
    panic!("above 100, 500 and 900 ms at least {least:?} of five loads, not 900, 500 and 100");
}

#[test]
fn a_closed_loop_of_one_connection_shows_the_same_second_as_one_latency() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("load.hlog");
    let report = drive(&log, &["-c", "1", "-d", "4s"]);
    assert!(report["latency"]["max"].as_f64() > Some(900_000.0), "{}", report["latency"]);
    assert_eq!(above(&logged(&log), 500), 1.0);
}
