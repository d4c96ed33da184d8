use clap::Parser;

use super::*;
use crate::cli::{Cli, Command};

/// The settings of a command line, each in words, or why there are none.
fn settings(words: &[&str]) -> Result<Vec<String>, String> {
    let words = ["galo", "load", "http://127.0.0.1:9/"].iter().chain(words);
    let Command::Load(args) = Cli::try_parse_from(words).map_err(|error| error.to_string())?.command else {
        panic!("another command");
    };
    let sweep = Sweep::new(&args).map_err(|error| error.to_string())?;
    let told = |(turns, args): &(Vec<Turn>, LoadArgs)| {
        let LoadArgs { amount, way, request, engine, .. } = args;
        let (connections, rate, data) = (amount.connections, &amount.rate, &request.data);
        format!(
            "{}: {connections:?} {rate:?} {:?} {:?} {data:?} {}",
            knob::told(turns),
            way.streams,
            way.connection,
            engine.threads
        )
    };
    Ok(sweep.settings.iter().map(told).collect())
}

#[test]
fn each_setting_is_a_load_with_these_options() {
    insta::assert_snapshot!(settings(&["--sweep", "connections=1,64", "--sweep", "rate=1k,2k"]).unwrap().join("\n"), @r#"
    connections=1 rate=1k: Some(1) Some("1k") None Shared None 1
    connections=1 rate=2k: Some(1) Some("2k") None Shared None 1
    connections=64 rate=1k: Some(64) Some("1k") None Shared None 1
    connections=64 rate=2k: Some(64) Some("2k") None Shared None 1
    "#);
    let words = [
        "--http2",
        "--sweep",
        "streams=4",
        "--sweep",
        "connection=per-request",
        "--sweep",
        "data=random:1k",
        "--sweep",
        "threads=2",
    ];
    insta::assert_snapshot!(settings(&words).unwrap().join("\n"), @r#"streams=4 connection=per-request data=random:1k threads=2: None None Some(4) PerRequest Some("random:1k") 2"#);
    assert_eq!(settings(&[]).unwrap().len(), 1, "nothing is swept");
}

#[test]
fn what_cannot_be_turned_is_told_before_the_first_load() {
    insta::assert_snapshot!(settings(&["--sweep", "conections=1,2"]).unwrap_err(), @"--sweep: unknown knob `conections`; did you mean `connections`?");
    insta::assert_snapshot!(settings(&["--sweep", "connections=0,2"]).unwrap_err(), @"--sweep: connections=0: `0` is no number of connections");
    insta::assert_snapshot!(settings(&["--sweep", "connections=1..9"]).unwrap_err(), @r"
    --sweep: connections=1..9 names no values of its own
    hint: write them, connections=1,9, or how far they are apart, connections=1..9/STEP
    ");
    insta::assert_snapshot!(settings(&["-c", "4", "--sweep", "connections=1,2"]).unwrap_err(), @r"
    --sweep: `connections` is turned and given as --connections
    hint: leave one of them out
    ");
    insta::assert_snapshot!(settings(&["--sweep", "rate=1k,fast"]).unwrap_err(), @"at rate=fast: `fast` is not a rate; write for example `50000`, `50k`, `1000/s` or `600/m`");
    insta::assert_snapshot!(settings(&["--sweep", "streams=1,2"]).unwrap_err(), @r"
    at streams=2: HTTP/1.1 has one stream on each connection
    hint: add --http2, or raise --connections
    ");
    insta::assert_snapshot!(settings(&["--sweep", "connection=none"]).unwrap_err(), @"--sweep: connection=none: `none` is no way of taking one: shared, per-request");
}
