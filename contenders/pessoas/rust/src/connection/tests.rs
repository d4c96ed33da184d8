//! Bytes in, bytes out.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::*;
use crate::config::Limits;
use crate::person::NewPerson;
use crate::store::{Creation, Found, StoreError};

const ID: Uuid = Uuid::from_u128(0x0190_a4c0_0000_7000_8000_0000_0000_0001);

/// Keeps nobody, tells the nickname that it last created, and searches only when it is let.
struct Echo {
    apelido: std::sync::Mutex<String>,
    creations: AtomicUsize,
    searches: Semaphore,
}

/// Somebody of whom no more than a text is known.
struct Named(String);

impl Found for Named {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("\"{}\"", self.0).as_bytes());
    }
}

impl Store for Echo {
    type Found = Named;

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn create(&self, person: NewPerson<'_>) -> Result<Creation, StoreError> {
        *self.apelido.lock().unwrap() = person.apelido.into_owned();
        self.creations.fetch_add(1, Relaxed);
        Ok(Creation::Created(ID))
    }

    async fn find(&self, id: Uuid) -> Result<Option<Named>, StoreError> {
        Ok((id == ID).then(|| Named(self.apelido.lock().unwrap().clone())))
    }

    async fn search(&self, term: String) -> Result<Vec<Named>, StoreError> {
        self.searches.acquire().await.unwrap().forget();
        Ok(vec![Named(term)])
    }

    async fn count(&self) -> Result<u64, StoreError> {
        Ok(self.creations.load(Relaxed) as u64)
    }
}

fn service(limits: Limits) -> Arc<Service<Echo>> {
    let store = Echo {
        apelido: std::sync::Mutex::default(),
        creations: AtomicUsize::new(0),
        searches: Semaphore::new(0),
    };
    Arc::new(Service::new(store, limits))
}

/// A client of a connection that is served.
fn connect(service: &Arc<Service<Echo>>) -> DuplexStream {
    let (client, server) = duplex(32 * 1024);
    let connection = Connection::new(server, Arc::clone(service), service.watchdog.begin());
    tokio::spawn(connection.serve());
    client
}

/// What a server without limits of note answers until it closes, or the client has sent everything.
async fn exchange(pieces: &[&[u8]]) -> String {
    let client = connect(&service(Limits::default()));
    exchange_on(client, pieces).await
}

async fn exchange_on(client: DuplexStream, pieces: &[&[u8]]) -> String {
    let (mut from, mut to) = tokio::io::split(client);
    let pieces: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.to_vec()).collect();
    let sending = tokio::spawn(async move {
        for piece in pieces {
            if to.write_all(&piece).await.is_err() {
                return;
            }
            tokio::task::yield_now().await;
        }
        let _ = to.shutdown().await;
    });
    let mut answers = Vec::new();
    from.read_to_end(&mut answers).await.unwrap();
    sending.await.unwrap();
    without_dates(&String::from_utf8(answers).unwrap())
}

fn without_dates(answers: &str) -> String {
    let lines = answers.split_inclusive("\r\n").filter(|line| !line.starts_with("date: "));
    lines.collect()
}

fn statuses(answers: &str) -> Vec<&str> {
    answers.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect()
}

fn creation(apelido: &str) -> String {
    let body = person(apelido);
    format!("POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn chunked_creation(apelido: &str) -> String {
    let body = person(apelido);
    let (one, two) = body.split_at(7);
    let head = "POST /pessoas HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    format!("{head}{:x}\r\n{one}\r\n{:X};a=b\r\n{two}\r\n0\r\nA: b\r\n\r\n", one.len(), two.len())
}

fn person(apelido: &str) -> String {
    format!(r#"{{"apelido":"{apelido}","nome":"b","nascimento":"2000-01-01"}}"#)
}

fn read(options: &str) -> String {
    format!("GET /pessoas/{ID} HTTP/1.1\r\nHost: x\r\n{options}\r\n")
}

const CREATED: &str = "HTTP/1.1 201 Created\r\nlocation: /pessoas/0190a4c0-0000-7000-8000-000000000001\r\n\
                       content-length: 0\r\n\r\n";

fn found(apelido: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n\"{apelido}\"",
        apelido.len() + 2
    )
}

#[tokio::test]
async fn requests_are_answered_in_order_cut_at_every_byte() {
    let text = [creation("ana"), read(""), chunked_creation("eva"), read("")].concat();
    let want = [CREATED, &found("ana"), CREATED, &found("eva")].concat();
    for cut in 0..text.len() {
        let (one, two) = text.as_bytes().split_at(cut);
        assert_eq!(exchange(&[one, two]).await, want, "{cut}");
    }
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(exchange(&bytes).await, want);
}

#[tokio::test]
async fn many_requests_at_once_are_all_answered() {
    let text = [creation("ana"), read(""), chunked_creation("eva")].concat().repeat(500);
    let answers = exchange(&[text.as_bytes()]).await;
    assert_eq!(answers, [CREATED, &found("ana"), CREATED].concat().repeat(500));
}

#[tokio::test]
async fn a_request_cut_at_any_byte_creates_nobody() {
    for text in [creation("ana"), chunked_creation("ana")] {
        for cut in 0..text.len() {
            let service = service(Limits::default());
            let answers = exchange_on(connect(&service), &[&text.as_bytes()[..cut]]).await;
            assert_eq!(answers, "", "{cut}");
            assert!(
                service
                    .metrics
                    .text(0, 0)
                    .contains("pessoas_request_duration_seconds_count{route=\"create\"} 0")
            );
        }
    }
}

#[tokio::test]
async fn a_connection_is_kept_as_version_and_options_say() {
    let next = read("");
    for (first, want) in [
        (read("Connection: close\r\n"), "close"),
        (read("").replace("1.1", "1.0"), "close"),
        (read("Connection: keep-alive\r\n").replace("1.1", "1.0"), "keep-alive"),
    ] {
        let answers = exchange(&[first.as_bytes(), next.as_bytes()]).await;
        assert!(answers.contains(&format!("\r\nconnection: {want}\r\n")), "{answers}");
        assert_eq!(statuses(&answers).len(), if want == "close" { 1 } else { 2 }, "{answers}");
    }
}

#[tokio::test]
async fn head_is_answered_without_the_body_and_the_next_request_after_it() {
    let text = [creation("ana"), read("").replace("GET", "HEAD"), read("")].concat();
    let answers = exchange(&[text.as_bytes()]).await;
    let head = found("ana").replace("\"ana\"", "");
    assert_eq!(answers, [CREATED, &head, &found("ana")].concat());
}

#[tokio::test]
async fn leave_to_send_a_body_is_given_where_it_is_waited_for() {
    for text in [creation("ana"), chunked_creation("ana")] {
        let text = text.replace("Host: x\r\n", "Host: x\r\nExpect: 100-continue\r\n");
        let (head, body) = text.split_at(text.find("\r\n\r\n").unwrap() + 4);
        let mut client = connect(&service(Limits::default()));
        client.write_all(head.as_bytes()).await.unwrap();
        let mut leave = [0; CONTINUE.len()];
        client.read_exact(&mut leave).await.unwrap();
        assert_eq!(leave, CONTINUE);
        assert_eq!(exchange_on(client, &[body.as_bytes()]).await, CREATED);
        // Who has sent it already needs no leave.
        assert_eq!(exchange(&[text.as_bytes()]).await, CREATED);
    }
}

#[tokio::test]
async fn what_is_refused_ends_the_connection_and_its_answer_arrives() {
    let post = "POST /pessoas HTTP/1.1\r\nHost: x\r\n";
    let ten_mb = vec![b'a'; 10_000_000];
    let long_head = format!("GET / HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n", "a".repeat(64 * 1024));
    let after = read("");
    for (head, body, want) in [
        (format!("{post}Content-Length: 10000000\r\n\r\n"), &ten_mb[..], "413"),
        (format!("{post}Transfer-Encoding: chunked\r\n\r\n989680\r\n"), &ten_mb[..], "413"),
        (long_head, b"", "431"),
        (format!("{post}Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), b"ab", "400"),
        (format!("{post}Transfer-Encoding: chunked\r\n\r\nx"), b"\r\n", "400"),
        (format!("{post}Transfer-Encoding: gzip\r\n\r\n"), b"ab", "501"),
        ("GET / HTTP/3.0\r\n\r\n".to_owned(), b"", "505"),
        ("\x16\x03\x01\x02\x00\x01".to_owned(), b"\x01\xfc\x03\x03", "400"),
    ] {
        let answers = exchange(&[head.as_bytes(), body, after.as_bytes()]).await;
        assert_eq!(statuses(&answers), [want], "{}", &head[..head.len().min(80)]);
        assert!(answers.contains("\r\nconnection: close\r\n"));
    }
}

#[tokio::test]
async fn a_body_may_have_64_kib_however_it_is_sent() {
    let body = person("ana");
    let body = format!("{body}{}", " ".repeat(BODY_BYTES_MAX - body.len()));
    let post = "POST /pessoas HTTP/1.1\r\nHost: x\r\n";
    let text = format!("{post}Content-Length: {}\r\n\r\n{body}", body.len());
    assert_eq!(exchange(&[text.as_bytes()]).await, CREATED);
    let mut text = format!("{post}Transfer-Encoding: chunked\r\n\r\n");
    // As costly as it can be made: one byte in a chunk.
    for byte in body.chars() {
        text += &format!("1\r\n{byte}\r\n");
    }
    text += "0\r\n\r\n";
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(1000).collect();
    assert_eq!(exchange(&pieces).await, CREATED);
}

/// Lets a search begin and wait for its store.
async fn begin_search(service: &Arc<Service<Echo>>) -> DuplexStream {
    let mut client = connect(service);
    client.write_all(b"GET /pessoas?t=ana HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    while !service.metrics_text().contains("pessoas_requests_in_flight 1\n") {
        tokio::task::yield_now().await;
    }
    client
}

#[tokio::test]
async fn beyond_the_bound_requests_are_shed_at_once_and_the_operator_is_not() {
    let service = service(Limits { in_flight_max: 1, ..Limits::default() });
    let waiting = begin_search(&service).await;
    let shed = "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n";
    // Whole requests leave the connection as it is.
    let text = [creation("ana"), read("")].concat();
    assert_eq!(exchange_on(connect(&service), &[text.as_bytes()]).await, [shed, shed].concat());
    // A body that has not come is not waited for.
    let mut client = connect(&service);
    let head = "POST /pessoas HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n";
    client.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert_eq!(without_dates(&answer), shed.replace("content", "connection: close\r\ncontent"));
    for target in ["/health/live", "/health/ready", "/metrics"] {
        let text = format!("GET {target} HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_eq!(statuses(&exchange_on(connect(&service), &[text.as_bytes()]).await), ["200"], "{target}");
    }
    assert!(service.metrics_text().contains("pessoas_requests_shed_total 3\n"));
    service.store().searches.add_permits(1);
    assert_eq!(statuses(&exchange_on(waiting, &[]).await), ["200"]);
    assert_eq!(exchange_on(connect(&service), &[creation("ana").as_bytes()]).await, CREATED);
}

#[tokio::test]
async fn who_was_shed_is_idle_as_anybody_after_a_request() {
    let short = Duration::from_millis(50);
    let service = service(Limits { in_flight_max: 1, head_timeout: short, ..Limits::default() });
    let _waiting = begin_search(&service).await;
    let (mut client, server) = duplex(32 * 1024);
    let watched = service.watchdog.begin();
    let connection = Connection::new(server, Arc::clone(&service), Arc::clone(&watched));
    service.watchdog.watch(watched, tokio::spawn(connection.serve()).abort_handle());
    client.write_all(creation("ana").as_bytes()).await.unwrap();
    client.read_exact(&mut [0; 12]).await.unwrap();
    let _ = tokio::time::timeout(6 * short, service.watchdog.run(|| ())).await;
    // A kept connection that ended now would cost its balancer the next request.
    let answers = exchange_on(client, &[creation("eva").as_bytes()]).await;
    assert!(
        answers.ends_with("HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n")
    );
}

#[tokio::test]
async fn a_client_that_stops_sending_still_gets_its_answer() {
    let service = service(Limits::default());
    let mut client = begin_search(&service).await;
    client.shutdown().await.unwrap();
    service.store().searches.add_permits(1);
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("[\"ana\"]"), "{answer}");
}

#[tokio::test]
async fn once_it_stops_the_answer_under_way_is_the_last_of_its_connection() {
    let service = service(Limits::default());
    let client = begin_search(&service).await;
    service.stop();
    service.store().searches.add_permits(1);
    let answers = exchange_on(client, &[read("").as_bytes()]).await;
    assert_eq!(statuses(&answers), ["200"]);
    assert!(answers.contains("\r\nconnection: close\r\n"));
}
