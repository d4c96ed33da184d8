//! A little shop of a server, for challenges from files: items that have a name and a price.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde_json::Value;

use crate::servers::{Asked, json, next_request};

/// No test, but the server that the tests' contenders are: this very program, started again to run this function alone.
#[test]
#[ignore = "it serves until it is killed"]
fn serve() {
    let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
    let is_lenient = std::env::var("LENIENT").is_ok();
    if let Ok(rounds) = std::env::var("SCANS") {
        SCANS.store(rounds.parse().unwrap(), Relaxed);
    }
    serve_on(&TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap(), is_lenient);
}

/// The command that runs it: it listens on `PORT`, takes any item where `LENIENT` is set, and works through every item that it
/// was given at each request, for `SCANS` rounds.
pub(crate) fn command() -> String {
    format!("{} --exact shop::serve --ignored", std::env::current_exe().unwrap().display())
}

/// The head of a challenge of such servers: all but its scenarios, profiles and cases.
pub(crate) fn challenge(name: &str, port: u16) -> String {
    format!(
        r#"name = "{name}"
title = "A little {name}"

[policy]
port = {port}
cpus = "0.5"
memory = "256MB"

[timeouts]
connect = "1s"
answer = "5s"

[service-level]
latency = "100ms"
classes = ["100ms"]
"#
    )
}

/// The Compose file of such a server, for the challenge at this path; `more`: entries of its environment, each after a comma.
pub(crate) fn contender(challenge: &str, port: u16, more: &str) -> String {
    format!(
        "x-galo: {{ challenge: {challenge} }}\n\
         services:\n\
         \x20 shop:\n\
         \x20   environment: {{ PORT: \"{port}\"{more} }}\n\
         \x20   deploy: {{ resources: {{ limits: {{ cpus: \"0.5\", memory: 128MB }} }} }}\n\
         \x20   x-galo: {{ command: {}, ready: \"http://127.0.0.1:{port}/items/1\" }}\n",
        command()
    )
}

/// The server within the test, on a free port, until the test process ends.
pub(crate) fn start(is_lenient: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || serve_on(&listener, is_lenient));
    address
}

fn serve_on(listener: &TcpListener, is_lenient: bool) {
    for mut stream in listener.incoming().flatten() {
        std::thread::spawn(move || {
            let mut input = Vec::new();
            while let Some(asked) = next_request(&mut stream, &mut input) {
                if stream.write_all(answer(&asked, is_lenient).as_bytes()).is_err() {
                    return;
                }
            }
        });
    }
}

/// Rounds of work for each item, at each request.
static SCANS: AtomicU64 = AtomicU64::new(0);
/// Items that it was given.
static ITEMS: AtomicU64 = AtomicU64::new(0);

/// Work that is more the more items there are, of which it has one from the beginning; of CPU, not of time, which passes for whoever is throttled as well.
fn scan() {
    for round in 0..SCANS.load(Relaxed) * (1 + ITEMS.load(Relaxed)) {
        std::hint::black_box(round);
    }
}

fn answer(asked: &Asked, is_lenient: bool) -> String {
    scan();
    let (method, target) = asked.line.split_once(' ').unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match (method, path) {
        ("GET", "/items") if query.contains("limit=") || is_lenient => json(200, r#"{"items":[]}"#),
        ("GET", "/items") => json(400, r#"{"error":"how many?"}"#),
        ("GET", "/items/1") => json(200, r#"{"name":"cup","price":3}"#),
        ("POST", "/items") if is_lenient || is_item(&asked.body) => {
            ITEMS.fetch_add(1, Relaxed);
            json(201, &asked.body)
        }
        ("POST", "/items") => json(400, r#"{"error":"no item"}"#),
        _ => json(404, "{}"),
    }
}

fn is_item(body: &str) -> bool {
    let item: Value = serde_json::from_str(body).unwrap_or_default();
    let may_be = |key: &str, is: fn(&Value) -> bool| item.get(key).is_none_or(is);
    item["name"].is_string()
        && item["price"].is_u64()
        && may_be("tags", Value::is_array)
        && may_be("part_of", Value::is_object)
}
