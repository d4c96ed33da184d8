//! What `galo load` writes beside its report, and how it ends.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use galo_null::Options;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use insta::assert_snapshot;

use crate::load::load;
use crate::servers::{Recorder, json, null, null_url};
use crate::support::{galo, kill, run, within_a_minute};

/// All latencies from the intended start that an HdrHistogram log holds, in nanoseconds.
pub(crate) fn logged(path: &std::path::Path) -> Histogram<u64> {
    let text = std::fs::read(path).unwrap();
    let mut sum = Histogram::new(3).unwrap();
    for entry in IntervalLogIterator::new(&text) {
        let LogEntry::Interval(interval) = entry.unwrap() else { continue };
        if interval.tag().is_some_and(|tag| tag.as_str() == "intended") {
            let bytes = STANDARD.decode(interval.encoded_histogram()).unwrap();
            let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
            sum.add(histogram).unwrap();
        }
    }
    sum
}

#[test]
fn every_second_is_a_row_of_the_csv_and_an_interval_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let [csv, hdr] = ["load.csv", "load.hlog"].map(|name| folder.path().join(name));
    let files = ["--csv", csv.to_str().unwrap(), "--hdr", hdr.to_str().unwrap()];
    let url = null_url();
    load(&[&[url.as_str(), "--rate", "200", "-d", "3s"], &files[..]].concat()).expect(0);
    let csv = std::fs::read_to_string(csv).unwrap();
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap()[..3], ["second", "intended", "ok"]);
    let rows: Vec<_> = lines.collect();
    assert!(rows.len() >= 3, "{csv}");
    assert!(rows.iter().enumerate().all(|(number, row)| row[0] == number.to_string()), "{csv}");
    let sum = |column: usize| rows.iter().map(|row| row[column].parse::<u64>().unwrap()).sum::<u64>();
    assert_eq!((sum(1), sum(2)), (600, 600));
    assert_eq!(logged(&hdr).len(), 600);
}

/// What is at `/metrics` of this address.
fn scrape(address: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// A galo that runs and tells its metrics; it is interrupted when this is dropped.
pub(crate) struct Exporting {
    child: Child,
    /// Where they are.
    pub(crate) address: String,
    _stderr: Lines<BufReader<ChildStderr>>,
}

impl Exporting {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.args(["--prometheus", "127.0.0.1:0"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = stderr.by_ref().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("metrics: ")).unwrap();
        let address = line.trim_start_matches("metrics: http://").trim_end_matches("/metrics").to_owned();
        Self { child, address, _stderr: stderr }
    }

    /// Interrupts it; its exit code.
    pub(crate) fn end(&mut self) -> Option<i32> {
        if self.child.try_wait().unwrap().is_none() {
            kill(2, self.child.id());
        }
        self.child.wait().unwrap().code()
    }
}

impl Drop for Exporting {
    fn drop(&mut self) {
        self.end();
    }
}

#[test]
fn prometheus_is_answered_while_it_runs() {
    let mut told =
        Exporting::start(&mut galo(&["load", &null_url(), "--rate", "100", "-d", "60s", "--force"]));
    let has_begun = || {
        let text = scrape(&told.address);
        let intended = text.lines().find_map(|line| line.strip_prefix("galo_load_intended_total "));
        assert!(text.starts_with("HTTP/1.1 200 OK") && intended.is_some(), "{text}");
        intended.is_some_and(|n| n != "0")
    };
    let began = within_a_minute(has_begun);
    assert_eq!(told.end(), Some(130));
    assert!(began, "no second was ever counted");
}

#[test]
fn a_push_gateway_gets_the_whole_load_at_its_end() {
    let (gateway, address) = Recorder::start(|_| json(200, ""));
    load(&[&null_url(), "-n", "70", "-c", "2", "--push-gateway", &format!("http://{address}")]).expect(0);
    let asked = gateway.asked();
    let last = asked.last().unwrap();
    assert_eq!(last.line, "PUT /metrics/job/galo_load");
    assert!(last.body.contains("galo_load_requests_total{result=\"ok\"} 70\n"), "{}", last.body);
    assert!(last.body.contains("galo_load_responses_total{status=\"200\"} 70\n"), "{}", last.body);
    assert!(last.body.contains("galo_load_lag_seconds"), "{}", last.body);
}

#[test]
fn a_gateway_that_is_not_there_is_told_and_spoils_nothing() {
    let (_, address) = Recorder::start(|_| json(500, ""));
    let ended = load(&[&null_url(), "-n", "10", "--push-gateway", &format!("http://{address}")]).expect(0);
    assert!(
        ended.stderr.contains("cannot push to") && ended.stderr.contains("status 500"),
        "{}",
        ended.stderr
    );
}

#[test]
fn after_ctrl_c_what_was_done_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("load.csv");
    let arguments =
        ["load", &null_url(), "--rate", "100", "-d", "60s", "--quiet", "--force", "--json", "-", "--csv"];
    let mut child = galo(&arguments).arg(&csv).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // The file is opened before the load, so this is soon after its start at the earliest.
    assert!(within_a_minute(|| csv.exists()), "the load never began");
    std::thread::sleep(Duration::from_millis(700));
    kill(2, child.id());
    let mut told = String::new();
    child.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let report: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!(report["interrupted"], true);
    let intended = report["ledger"]["intended"].as_u64().unwrap();
    assert!((1..6000).contains(&intended), "{report}");
}

#[test]
fn a_hang_up_that_is_ignored_from_the_beginning_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let csv = folder.path().join("load.csv");
    let (galo, url, file) = (env!("CARGO_BIN_EXE_galo"), null_url(), csv.display());
    let line = format!("trap '' HUP; exec {galo} load {url} --rate 100 -d 3s --quiet --force --csv {file}");
    let mut child = Command::new("sh").args(["-c", &line]).stdout(Stdio::null()).spawn().unwrap();
    assert!(within_a_minute(|| csv.exists()), "the load never began");
    kill(1, child.id());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_load_that_galo_spoiled_is_void_and_force_only_marks_it() {
    // More connections than galo may open files: no answer comes before all are wanted.
    let url =
        format!("http://{}/", null(Options { delay: Duration::from_millis(500), ..Options::default() }));
    let limited = |more: &str| {
        let galo = env!("CARGO_BIN_EXE_galo");
        let command = format!("ulimit -n 24; exec {galo} load {url} -n 200 -c 100 {more}");
        run(Command::new("sh").args(["-c", &command]).stdin(Stdio::null()))
    };
    let void = limited("--quiet --json -").expect(3).json();
    assert_eq!((&void["void"][0]["kind"], &void["forced"]), (&"galo-could-not-send".into(), &false.into()));
    let told = limited("").expect(3).stdout.replace("\n  ", " ");
    let reason = told.lines().next().unwrap();
    assert!(reason.contains("too many open files") && reason.contains("ulimit -n"), "{reason}");
    let forced = limited("--quiet --json - --force").expect(0).json();
    assert!(!forced["void"].as_array().unwrap().is_empty());
    assert_eq!(forced["forced"], true);
}

/// The summary without figures, units and what a machine may add to it: its form.
fn form(summary: &str) -> String {
    let line = |line: &str| {
        let is_word = |word: &&str| {
            !word.chars().any(|c| c.is_ascii_digit())
                && !matches!(word.trim_end_matches(','), "us" | "ms" | "s")
        };
        line.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ")
    };
    let told = summary.lines().filter(|line| !line.starts_with("VOID") && !line.starts_with("  "));
    told.map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_summary_in_a_pipe_has_no_colour_and_no_line_of_the_live_view() {
    let url = null_url();
    let ended =
        run(&mut galo(&["load", &url, "--rate", "100", "-n", "100", "--assert", "errors==0", "--force"]));
    let ended = ended.expect(0);
    assert!(!ended.stdout.contains('\u{1b}') && !ended.stderr.contains('\u{1b}'), "{}", ended.stdout);
    assert!(ended.stdout.lines().all(|line| line.chars().count() <= 80), "{}", ended.stdout);
    assert!(ended.stdout.contains(&url) && ended.stdout.contains("errors == 0: 0, met"), "{}", ended.stdout);
    let (told, own) = ended.stdout.split_once("\ngalo itself\nlag p50 ").unwrap();
    assert!(own.contains(" of CPU (") && own.contains(" opened in p50 "), "{own}");
    assert_snapshot!(form(told), @"
    right of asked for
    errors == met


    Latency, intended service
    min







    max
    mean
    deviation



    intended: from intended start, all that ended; service: from sending, right only

    Operations intended ok wrong failed timed out unfinished
    all
    statuses:
    bytes: MiB sent, MiB received
    ");
}

#[test]
fn the_style_of_gatling_follows_the_summary() {
    let arguments = ["load", &null_url(), "-n", "50", "-c", "2", "--force", "--style", "gatling"];
    let told = run(&mut galo(&arguments)).expect(0).stdout;
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let block = told.find("---- Global Information").unwrap();
    assert!(told.find("Latency, ms").is_some_and(|summary| summary < block), "{told}");
    let counted = "> request count                                         50 (OK=50     KO=0     )";
    assert!(told[block..].contains(counted), "{told}");
}

#[test]
fn wrong_words_are_told_before_anything_is_sent() {
    let told = |arguments: &[&str]| {
        let all = [&["load"], arguments].concat();
        run(&mut galo(&all)).expect(2).stderr.trim().to_owned()
    };
    let url = "http://127.0.0.1:1/";
    assert_snapshot!(told(&["/path"]), @"
    error: `/path` has no host
    hint: write for example `http://localhost:8080/path`
    ");
    assert_snapshot!(told(&["ftp://localhost/"]), @"
    error: `ftp://localhost/` has an unknown scheme
    hint: galo speaks `http` and `https`
    ");
    assert_snapshot!(told(&["http://no-such-host.invalid/"]).split(": ").take(2).collect::<Vec<_>>().join(": "), @"error: the host `no-such-host.invalid` cannot be found");
    assert_snapshot!(told(&["http://127.0.0.1/", "-6"]), @"
    error: the host `127.0.0.1` has no IPv6 address
    hint: leave out -6
    ");
    assert_snapshot!(told(&[url, "--rate", "fast"]), @"error: `fast` is not a rate; write for example `50000`, `50k`, `1000/s` or `600/m`");
    assert_snapshot!(told(&[url, "--inject", "5/s"]), @"error: cannot read `5/s`: it has neither of the two forms; write `5/s for 10s` or `ramp 6/s to 600/s over 3m`");
    assert_snapshot!(told(&[url, "-H", "no header"]), @"
    error: `no header` is no header line
    hint: write `Name: value`
    ");
    assert_snapshot!(told(&[url, "--status", "5xx"]), @"error: expected statuses: status 500 cannot be right, since every 5xx counts as failed");
    assert_snapshot!(told(&[url, "--expect-json", "a = 3"]), @"error: `a = 3` is no check of JSON; write a JSON pointer and a value, for example `/items/0/name = Ana`");
    assert_snapshot!(told(&[url, "--assert", "p99<50"]), @"
    error: `p99<50`: `50` is not a time with its unit
    hint: write for example `p99<50ms`, `p99<800us` or `p99<1s`
    ");
    assert_snapshot!(told(&[url, "--assert", "error==0"]), @"
    error: `error==0`: there is no figure `error`
    hint: did you mean `errors`?
    ");
    assert_snapshot!(told(&[url, "--max-under", "p99"]), @"
    error: `p99` compares nothing
    hint: write for example `p99<50ms` or `errors==0`
    ");
    assert_snapshot!(told(&[url, "--feed", "/no/such.csv"]), @"error: cannot read `/no/such.csv`: No such file or directory (os error 2)");
    assert_snapshot!(told(&[url, "--template", "--data", "{nam}"]), @"
    error: request body: unknown name `{nam}` (known: seq, uuid, random:1:100)
    hint: write `{{` and `}}` for braces that are sent, such as those of JSON
    ");
    assert_snapshot!(told(&[url, "--prometheus", "here"]), @"
    error: `here` is no address to listen on
    hint: write for example `127.0.0.1:9100`
    ");
    assert_snapshot!(told(&[url, "--push-gateway", "https://gateway"]), @"
    error: `https://gateway` is no push gateway
    hint: write for example `http://localhost:9091`; galo pushes without TLS
    ");
    assert_snapshot!(told(&[url, "--unix-socket", "/no/such"]), @"
    error: `/no/such` cannot be used: No such file or directory (os error 2)
    hint: name the Unix socket that the server listens on
    ");
    assert_snapshot!(told(&[url, "--proxy", "socks5://here"]), @"
    error: the proxy `socks5://here` is none that galo can use
    hint: write for example `http://localhost:3128`
    ");
    assert_snapshot!(told(&[url, "--timeout", "0s"]), @"
    error: timeout: `0s` is no time at all
    hint: write for example `10s`
    ");
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_load() {
    for option in ["--csv", "--hdr", "--json", "--markdown"] {
        let ended =
            run(&mut galo(&["load", "http://127.0.0.1:1/", "-d", "60s", option, "/no/such/file"])).expect(5);
        assert!(ended.stderr.contains("cannot write `/no/such/file`"), "{}", ended.stderr);
    }
}

#[test]
fn a_server_that_refuses_is_told_in_the_summary() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}/");
    let ended = run(&mut galo(&["load", &url, "-n", "20", "-c", "20", "--force"])).expect(4);
    assert!(ended.stdout.contains("20 not right (100 %)"), "{}", ended.stdout);
    assert!(ended.stdout.contains("failures: connection refused: 20"), "{}", ended.stdout);
    let told = format!("not one of 20 requests was answered (connection refused): is a server up at {url}?");
    assert!(ended.stderr.lines().any(|line| line == told), "{}", ended.stderr);
}

#[test]
fn an_address_without_a_scheme_is_one_of_http() {
    let null = null_url();
    let plain = null.strip_prefix("http://").unwrap();
    let report = run(&mut galo(&["load", plain, "-n", "10", "--json", "-", "--quiet"])).expect(0).json();
    assert_eq!((&report["url"], &report["ledger"]["ok"]), (&plain.into(), &10.into()));
}

#[test]
fn a_reader_that_goes_away_does_not_change_how_galo_ends() {
    for (assertion, code) in [("errors==0", 0), ("errors>0", 1)] {
        let arguments = ["load", &null_url(), "-n", "10", "--assert", assertion, "--json", "-", "--quiet"];
        let mut child = galo(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(code), "{assertion}");
    }
}
