//! How a load ends early, who hears of it, and the single GET beside it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use galo_load::LoadError;
use galo_plan::model::Effect;
use galo_record::{Event, Events};

use galo_plan::challenge::Connection;

use super::plans::{create_and_read, one_request, options, run_with, towards};
use super::server::{Peer, Server};
use super::{OK, SECOND, thing_answer};

#[test]
fn stopping_leaves_what_is_under_way_unfinished_and_the_rest_unintended() {
    let server = Server::start(Peer::be_silent);
    let options = options();
    let stop = options.stop.clone();
    let injection = galo_plan::injection::Injection::constant(100_000_000, SECOND * 100);
    let plan = one_request(Connection::PerUser, injection, SECOND * 60);
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        stop.store(true, Ordering::Relaxed);
    });
    let outcome = run_with(plan, &server, &options);
    stopper.join().unwrap();
    let ledger = outcome.load.steps[0].ledger;
    assert!(outcome.load.interrupted);
    assert_eq!(ledger.intended, ledger.unfinished);
    assert!((1..10_000).contains(&ledger.intended), "{ledger:?}");
}

#[test]
fn what_outlasts_the_drain_is_unfinished() {
    let server = Server::start(Peer::be_silent);
    let options = galo_load::LoadOptions { drain: SECOND, ..options() };
    let outcome = run_with(create_and_read(20, SECOND * 60), &server, &options);
    assert_eq!(outcome.load.steps[0].ledger.unfinished, 20);
    assert!(!outcome.load.interrupted);
    assert!(outcome.history.iter().all(|o| o.effect == Effect::Unknown));
}

#[test]
fn the_live_view_hears_of_the_load() {
    let server = Server::answering(OK);
    let (events, news) = Events::channel();
    let options = galo_load::LoadOptions { events, history: false, ..options() };
    let injection = galo_plan::injection::Injection::constant(50_000_000, SECOND);
    let outcome = run_with(one_request(Connection::PerUser, injection, SECOND * 20), &server, &options);
    assert_eq!(outcome.load.steps[0].ledger.ok, 50);
    assert!(outcome.history.is_empty());
    drop(options);
    let progress: Vec<_> = news.iter().collect();
    let Some(Event::Progress(last)) = progress.last() else { panic!("{progress:?}") };
    assert_eq!((last.duration_ns, last.wrong, last.failed), (Some(1_000_000_000), 0, 0));
    assert!((1..=50).contains(&last.done), "{last:?}");
}

#[test]
fn a_model_that_panics_is_told_as_a_bug_and_ends_the_load() {
    let server = Server::start(|peer| {
        while let Some(request) = peer.request() {
            let panic = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\npanic";
            peer.send(
                if request.starts_with("POST") { thing_answer(&request, "") } else { panic.to_owned() }
                    .as_bytes(),
            );
        }
    });
    let outcome = galo_load::run(&towards(server.address, create_and_read(20, SECOND)), &options());
    assert!(matches!(&outcome, Err(LoadError::Panic(text)) if text == "told to panic"), "{outcome:?}");
}

#[test]
fn a_single_get_is_answered_or_told_in_one_line() {
    let asked =
        |address, path: &str, within| galo_load::get(address, path, within).map_err(|failure| failure.text);
    let get = |server: &Server| asked(server.address, "/count", SECOND / 4);
    let server =
        Server::answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n12\r\n0\r\n\r\n");
    let fetched = get(&server).unwrap();
    assert_eq!((fetched.status, fetched.body), (200, b"12".to_vec()));
    assert_eq!(server.requests(), [format!("GET /count HTTP/1.1\r\nHost: {}\r\n\r\n", server.address)]);
    let long = Server::answering(&format!(
        "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{}",
        "x".repeat(100_000)
    ));
    assert_eq!(get(&long).unwrap().body.len(), 64 * 1024);
    assert_eq!(get(&Server::answering_once("")), Err("GET /count: closed before the answer".to_owned()));
    assert_eq!(
        get(&Server::answering_once("x")),
        Err("GET /count: unreadable answer: not HTTP/1.x".to_owned())
    );
    let silent = Server::start(Peer::be_silent);
    assert_eq!(get(&silent), Err("GET /count: no answer within 250ms".to_owned()));
    let (_nobody, address) = super::serving::nobody_listens();
    assert_eq!(asked(address, "/", SECOND), Err("GET /: connection refused".to_owned()));
}
