//! The logs in `tests/gatling` are made by hand, in the form that `LogFileDataWriter` of 3.9 and 3.10 writes: no Gatling
//! ran for them.

use std::path::Path;

use insta::assert_snapshot;
use proptest::prelude::*;

use super::{GatlingError, GatlingLog};

const OF_3_9: &str = include_str!("../../tests/gatling/simulation-3.9.log");
const OF_3_10: &str = include_str!("../../tests/gatling/simulation-3.10.log");
const RUN: &str = "RUN\ta.Simulation\tsimulation\t1700000000000\t \t3.9.5\n";

fn read(bytes: &[u8]) -> Result<GatlingLog, GatlingError> {
    GatlingLog::parse(Path::new("simulation.log"), bytes)
}

/// A log with these lines.
fn log(lines: &str) -> GatlingLog {
    read(format!("{RUN}{lines}").as_bytes()).unwrap()
}

fn odd(log: &GatlingLog) -> String {
    let told = log
        .about
        .odd
        .iter()
        .map(|(what, odd)| format!("{} (x{}) {what:?}: {}", odd.first, odd.lines, odd.text));
    told.collect::<Vec<_>>().join("\n")
}

fn counts(log: &GatlingLog) -> [u64; 2] {
    let ledger = log.load.total().ledger;
    assert!(ledger.adds_up(), "{ledger:?}");
    [ledger.ok, ledger.failed]
}

#[test]
fn a_log_of_3_9_is_a_load_with_a_step_for_each_name() {
    let log = read(OF_3_9.as_bytes()).unwrap();
    assert_eq!((odd(&log).as_str(), counts(&log)), ("", [72, 4]));
    assert_eq!((&log.names[..], log.about.lines), (&["create".to_owned(), "read".to_owned()][..], 158));
    assert_eq!((log.about.users_started, log.about.users_ended), (40, 40));
    let create = &log.load.steps[0];
    let errors: Vec<_> = create.errors.iter().map(|(message, count)| (message.as_str(), *count)).collect();
    let expected =
        [("j.i.IOException: Premature close", 1), ("status.find.in(201,422,400), but actually found 502", 3)];
    assert_eq!(errors, expected);
    let counted = log.latencies.iter().map(|l| [l.ok.count(), l.ok_service.count(), l.not_ok.count()]);
    assert_eq!(counted.collect::<Vec<_>>(), [[36, 36, 4], [36, 36, 0]]);
    assert_eq!(log.load.elapsed_ns(), 3_155_000_000);
    let run = log.about.simulation.unwrap();
    assert_eq!((run.class.as_str(), run.started_ms), ("contest.PeopleSimulation", Some(1_700_000_000_000)));
}

#[test]
fn a_log_of_3_10_has_groups_and_errors_outside_of_requests() {
    let log = read(OF_3_10.as_bytes()).unwrap();
    assert_eq!((odd(&log).as_str(), counts(&log)), ("", [11, 1]));
    assert_eq!(log.names, ["checkout / GET /cart", "checkout / pay / POST /pay"]);
    let groups = log.groups.iter().map(|(name, group)| (name.as_str(), group.ledger.ok, group.ledger.failed));
    assert_eq!(groups.collect::<Vec<_>>(), [("checkout / pay", 5, 1), ("checkout", 5, 1)]);
    let checkout = &log.groups[1].1;
    let [duration, cumulated] = [&checkout.duration, &checkout.cumulated].map(|l| l.max_us() / 1e3);
    assert!((68.0..68.1).contains(&duration) && (67.0..67.1).contains(&cumulated), "{duration} {cumulated}");
    let outside = log.load.engine.own_errors.keys().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(outside, ["GET /cart: Failed to build request: No attribute named 'basket' is defined "]);
}

#[test]
fn response_times_are_those_that_gatling_wrote() {
    let lines: String = (0..=999).map(|ms| format!("REQUEST\t\tx\t1000\t{}\tOK\t \n", 1_000 + ms)).collect();
    let latencies = &log(&lines).latencies[0].ok;
    for (q, ms) in [(0.5, 499.0), (0.75, 749.0), (0.99, 989.0), (1.0, 999.0)] {
        let told = latencies.quantile_us(q) / 1e3;
        assert!((told / ms - 1.0).abs() < 0.001, "{q}: {told}");
    }
    assert!((latencies.mean_us() - 499_500.0).abs() < 500.0, "{}", latencies.mean_us());
}

#[test]
fn everything_odd_is_kept_with_its_first_line() {
    let log = log("REQUEST\t\tok\t1000\t1010\tOK\t \r\n\
         REQUEST\t\tback in time\t1020\t1015\tOK\t \n\
         GROUP\tback in time\t1020\t1015\t3\tOK\n\
         REQUEST\t\ta\ttab\t1000\t1010\tOK\t \n\
         REQUEST\t\tafter all\t9000\t9010\tOK\t \n\
         REQUEST\t\tbefore it\t1000\t1010\tOK\t \n\
         SESSION\twhat\n\
         SESSION\tagain\n\
         REQUEST\t\tno time\tx\t1010\tOK\t \n\
         USER\ts\tSLEEP\t1\n\
         RUN\tb.Simulation\tother\t1700000000000\t \t3.9.5\n\
         REQUEST\t\t\"quotes\" <b>\u{202e}\t1000\t1010\tKO\tstatus \u{1b}[31m\n\
         REQUEST\t\tcut\t1000\t10");
    assert_eq!(counts(&log), [5, 1]);
    assert_eq!(log.names[2], "a\ttab");
    assert_eq!(log.load.elapsed_ns(), 8_010_000_000);
    assert_snapshot!(odd(&log).replace('\t', " "), @r"
    12 (x1) AnotherRun: RUN b.Simulation other 1700000000000   3.9.5
    8 (x5) NoRecord: SESSION what
    14 (x1) CutOff: REQUEST  cut 1000 10
    3 (x2) BackInTime: REQUEST  back in time 1020 1015 OK
    ");
}

#[test]
fn bytes_that_are_no_text_lose_nothing() {
    let log = read(&[RUN.as_bytes(), b"REQUEST\t\tcaf\xe9\t1000\t1010\tOK\t \n"].concat()).unwrap();
    assert_eq!(counts(&log), [1, 0]);
    assert_eq!(odd(&log), "2 (x1) NoText: REQUEST\t\tcaf\u{fffd}\t1000\t1010\tOK\t ");
}

#[test]
fn names_and_messages_without_end_take_bounded_memory_and_are_all_counted() {
    let lines: String = (0..3_000)
        .map(|n| format!("REQUEST\t\tname {n}\t1000\t1010\tKO\tmessage {n}\nUSER\tscenario {n}\tSTART\t1\n"))
        .collect();
    let log = log(&lines);
    assert_eq!((counts(&log), log.names.len(), log.about.users_started), ([0, 3_000], 257, 3_000));
    let errors = log.load.total().errors;
    assert_eq!((errors.len(), errors.values().sum::<u64>(), errors["(others)"]), (1_001, 3_000, 2_000));
    assert_snapshot!(odd(&log).replace('\t', " "), @r"
    514 (x2744) OtherName: REQUEST  name 256 1000 1010 KO message 256
    2002 (x2000) OtherMessage: REQUEST  name 1000 1000 1010 KO message 1000
    ");
}

#[test]
fn what_is_no_log_that_galo_reads_is_told() {
    let error = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    let binary = [&[0, 0, 0, 0, 6][..], b"3.13.1", &[0, 0, 0, 4], b"x.Sim"].concat();
    assert_snapshot!(error(&binary), @r#"
`simulation.log` is Gatling's binary log (version 3.13.1); galo reads the text that versions 3.5 to 3.12 write
hint: run the simulation with Gatling 3.12.0 or earlier, or drive the server with `galo load`
"#);
    assert_snapshot!(error(&[0, 255, 255, 255]), @r#"
`simulation.log` is Gatling's binary log; galo reads the text that versions 3.5 to 3.12 write
hint: run the simulation with Gatling 3.12.0 or earlier, or drive the server with `galo load`
"#);
    assert_snapshot!(error(b"RUN\tcontest.Simulation\t\tsimulation\t1457264339477\t \t2.3.1\n"), @r#"
`simulation.log` was written by Gatling 2.3.1, which orders its fields otherwise; galo reads versions 3.5 to 3.12
hint: run the simulation with one of these
"#);
    assert_snapshot!(error(b""), @r#"
`simulation.log` is no log of Gatling's: it is empty
hint: give the simulation.log in the folder that Gatling named at its end
"#);
    assert_snapshot!(error(b"{\"format\": 1}\n"), @r#"
`simulation.log` is no log of Gatling's: it begins with `{"format": 1}`
hint: give the simulation.log in the folder that Gatling named at its end
"#);
    assert_snapshot!(GatlingLog::read(Path::new("/no/such/simulation.log")).unwrap_err(), @r#"
cannot read `/no/such/simulation.log`: No such file or directory (os error 2)
hint: give the path of Gatling's simulation.log
"#);
}

#[test]
fn a_version_that_is_not_known_is_read_and_told() {
    let log = read(b"RUN\ta.B\tb\t1700000000000\t \t4.0.0\nREQUEST\t\tx\t1000\t1010\tOK\t \n").unwrap();
    assert_eq!(counts(&log), [1, 0]);
    assert_eq!(odd(&log), "1 (x1) UnknownVersion: RUN\ta.B\tb\t1700000000000\t \t4.0.0");
}

proptest! {
    #[test]
    fn no_line_ends_the_reading_and_every_request_is_counted_or_told(lines in proptest::collection::vec(line(), 0..30)) {
        let text = lines.concat();
        let log = read(&[RUN.as_bytes(), text.as_bytes()].concat()).unwrap();
        let requests = text.lines().filter(|line| line.starts_with("REQUEST\t")).count() as u64;
        let left_out = log.about.odd.get(&super::Oddity::NoRecord).map_or(0, |odd| odd.lines);
        let [ok, ko] = counts(&log);
        prop_assert!(ok + ko <= requests && requests <= ok + ko + left_out, "{log:?}");
    }
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "REQUEST\t[a-z,]{0,5}\t[a-z\t ]{1,8}\t[0-9]{1,20}\t[0-9]{1,20}\t(OK|KO|NO)\t[ -~]{0,5}\n",
        "(USER|GROUP|ERROR|RUN|[A-Z]{1,8})(\t[a-z0-9OK]{0,4}){0,7}\n",
        "[^\n]{0,20}\n",
    ]
}
