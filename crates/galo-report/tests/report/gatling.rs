//! Gatling's logs. Those in `gatling/` are made by hand, in the form that `LogFileDataWriter` of 3.9 and 3.10 writes: no
//! Gatling ran for them.

use std::path::Path;

use galo_report::{GatlingError, GatlingReport, Look, gatling_schema};
use insta::assert_snapshot;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

const PLAIN: Look = Look { width: 80, colour: false };
const OF_3_9: &str = include_str!("gatling/simulation-3.9.log");
const OF_3_10: &str = include_str!("gatling/simulation-3.10.log");
const RUN: &str = "RUN\ta.Simulation\tsimulation\t1700000000000\t \t3.9.5\n";

fn read(bytes: &[u8]) -> Result<GatlingReport, GatlingError> {
    GatlingReport::of(Path::new("simulation.log"), bytes)
}

/// What is told of a log with these lines.
fn told(lines: &str) -> GatlingReport {
    read(format!("{RUN}{lines}").as_bytes()).unwrap()
}

fn warnings(report: &GatlingReport) -> String {
    let told = report.warnings.iter().map(|w| format!("{} (x{}): {}", w.line, w.lines, w.text));
    told.collect::<Vec<_>>().join("\n")
}

fn counts(report: &GatlingReport) -> [u64; 2] {
    [&report.requests.all.ok, &report.requests.all.ko].map(|part| part.times.count)
}

#[test]
fn a_log_of_3_9_is_told_as_gatling_tells_it() {
    let report = read(OF_3_9.as_bytes()).unwrap();
    assert_eq!((warnings(&report).as_str(), counts(&report)), ("", [72, 4]));
    let text = report.terminal(PLAIN);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert_snapshot!(text);
}

#[test]
fn a_log_of_3_10_has_groups_and_errors_outside_of_requests() {
    let report = read(OF_3_10.as_bytes()).unwrap();
    assert_eq!((warnings(&report).as_str(), counts(&report)), ("", [11, 1]));
    let names: Vec<_> = report.requests.names.iter().map(|name| name.name.as_str()).collect();
    assert_eq!(names, ["checkout / GET /cart", "checkout / pay / POST /pay"]);
    let groups: Vec<_> =
        report.groups.iter().map(|group| (group.name.as_str(), group.ok, group.ko)).collect();
    assert_eq!(groups, [("checkout / pay", 5, 1), ("checkout", 5, 1)]);
    assert_snapshot!(report.terminal(PLAIN));
    assert_snapshot!(report.to_json());
}

#[test]
fn figures_are_those_of_the_whole_milliseconds_that_gatling_wrote() {
    let lines: String = (0..=999).map(|ms| format!("REQUEST\t\tx\t1000\t{}\tOK\t \n", 1_000 + ms)).collect();
    let report = told(&lines);
    let times = report.requests.all.ok.times;
    let l = times;
    assert_eq!([l.p50, l.p75, l.p99, l.max, l.mean, times.min], [499e3, 749e3, 989e3, 999e3, 499_500.0, 0.0]);
    assert!((times.standard_deviation - 288_675.0).abs() < 1.0, "{}", times.standard_deviation);
    let classes: Vec<_> = report.requests.all.classes.iter().map(|class| class.count).collect();
    assert_eq!(classes, [800, 200, 0], "800 ms is in the second class");
    assert_eq!(report.requests.all.all.per_s, 1_001.001);
}

#[test]
fn everything_odd_is_told_with_its_line() {
    let report = told(
        "REQUEST\t\tok\t1000\t1010\tOK\t \r\n\
         REQUEST\t\tback in time\t1020\t1015\tOK\t \n\
         REQUEST\t\ta\ttab\t1000\t1010\tOK\t \n\
         REQUEST\t\tafter all\t9000\t9010\tOK\t \n\
         REQUEST\t\ttoo late\t1000\t1010\tOK\t \n\
         SESSION\twhat\n\
         SESSION\tagain\n\
         REQUEST\t\tno time\tx\t1010\tOK\t \n\
         USER\ts\tSLEEP\t1\n\
         RUN\tb.Simulation\tother\t1700000000000\t \t3.9.5\n\
         REQUEST\t\t\"quotes\" <b>\u{202e}\t1000\t1010\tKO\tstatus \u{1b}[31m\n\
         REQUEST\t\tcut\t1000\t10",
    );
    assert_eq!(counts(&report), [5, 1]);
    assert_snapshot!(warnings(&report));
    let text = report.terminal(PLAIN);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80) && !text.contains(['\u{1b}', '\u{202e}']),
        "{text}"
    );
}

#[test]
fn bytes_that_are_no_text_lose_nothing() {
    let report = read(&[RUN.as_bytes(), b"REQUEST\t\tcaf\xe9\t1000\t1010\tOK\t \n"].concat()).unwrap();
    assert_eq!(
        (counts(&report), warnings(&report).as_str()),
        ([1, 0], "2 (x1): holds bytes that are no UTF-8, which are shown as \u{fffd}")
    );
}

#[test]
fn names_and_messages_without_end_take_bounded_memory_and_are_all_counted() {
    let lines: String = (0..3_000)
        .map(|n| format!("REQUEST\t\tname {n}\t1000\t1010\tKO\tmessage {n}\nUSER\tscenario {n}\tSTART\t1\n"))
        .collect();
    let report = told(&lines);
    assert_eq!(
        (counts(&report), report.requests.names.len(), report.scenarios.len()),
        ([0, 3_000], 257, 257)
    );
    let users: u64 = report.scenarios.iter().map(|scenario| scenario.started).sum();
    let errors: u64 = report.requests.errors.iter().map(|error| error.count).sum();
    assert_eq!((users, errors), (3_000, 3_000));
    assert_snapshot!(warnings(&report));
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
    assert_snapshot!(GatlingReport::read(Path::new("/no/such/simulation.log")).unwrap_err(), @r#"
cannot read `/no/such/simulation.log`: No such file or directory (os error 2)
hint: give the path of Gatling's simulation.log
"#);
}

#[test]
fn a_version_that_is_not_known_is_read_with_a_warning() {
    let report = read(b"RUN\ta.B\tb\t1700000000000\t \t4.0.0\nREQUEST\t\tx\t1000\t1010\tOK\t \n").unwrap();
    assert_eq!(counts(&report), [1, 0]);
    assert_snapshot!(warnings(&report), @"1 (x1): names version `4.0.0` of Gatling; galo knows the logs of 3.5 to 3.12");
}

proptest! {
    #[test]
    fn no_line_ends_the_reading_and_every_request_is_counted_or_told(lines in proptest::collection::vec(line(), 0..30)) {
        let text = lines.concat();
        let report = read(&[RUN.as_bytes(), text.as_bytes()].concat()).unwrap();
        let requests = text.lines().filter(|line| line.starts_with("REQUEST\t")).count() as u64;
        let left_out = report.warnings.iter().filter(|w| w.text.starts_with("was left out")).map(|w| w.lines).sum::<u64>();
        let [ok, ko] = counts(&report);
        prop_assert!(ok + ko <= requests && requests <= ok + ko + left_out, "{report:?}");
        prop_assert!(report.terminal(PLAIN).lines().all(|line| line.width() <= 80));
    }
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "REQUEST\t[a-z,]{0,5}\t[a-z\t ]{1,8}\t[0-9]{1,20}\t[0-9]{1,20}\t(OK|KO|NO)\t[ -~]{0,5}\n",
        "(USER|GROUP|ERROR|RUN|[A-Z]{1,8})(\t[a-z0-9OK]{0,4}){0,7}\n",
        "[^\n]{0,20}\n",
    ]
}

#[test]
fn the_published_schema_is_the_one_that_is_written() {
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema/gatling-v1.json");
    let text = std::fs::read_to_string(published).unwrap_or_default();
    assert!(
        text == gatling_schema(),
        "docs/schema/gatling-v1.json is stale\nhint: galo schema gatling > docs/schema/gatling-v1.json"
    );
}
