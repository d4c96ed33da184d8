//! Cases asked of servers that are honest, die, flood, never end, or talk garbage.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use galo_plan::conformance::{CaseRequest, Content, Expect, Expectation, Form, Way};
use galo_record::{CaseRun, Exchange};

use super::*;

/// A request as a server saw it: its line, headers and body.
type Seen = (String, String, String);

/// A server that answers by a function of what it was asked, and keeps it.
struct Toy {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Toy {
    fn start(answer: impl Fn(&mut TcpStream, &Seen) -> bool + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let toy = Self { address: listener.local_addr().unwrap(), seen: Arc::default() };
        let (seen, answer) = (Arc::clone(&toy.seen), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &seen, &*answer));
            }
        });
        toy
    }

    fn server(&self, name: &str) -> Server {
        Server { name: name.to_owned(), address: self.address, direct: true }
    }

    fn lines(&self) -> Vec<String> {
        self.seen.lock().unwrap().iter().map(|(line, ..)| line.clone()).collect()
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Seen>>, answer: &dyn Fn(&mut TcpStream, &Seen) -> bool) {
    let mut input = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = read_request(&mut input) {
        seen.lock().unwrap().push(request.clone());
        if !answer(&mut stream, &request) {
            return;
        }
    }
}

fn read_request(input: &mut impl BufRead) -> Option<Seen> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if input.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let (line, headers) = head.split_once("\r\n")?;
    let length = headers.lines().find_map(|line| line.strip_prefix("Content-Length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    input.read_exact(&mut body).ok()?;
    Some((line.to_owned(), headers.to_owned(), String::from_utf8(body).ok()?))
}

fn respond(stream: &mut TcpStream, status: u16, headers: &str, body: &str) -> bool {
    write!(stream, "HTTP/1.1 {status} X\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()).is_ok()
}

/// Creates whoever is posted under the body as id, shows what it is asked for, and counts.
fn honest() -> Toy {
    Toy::start(|stream, (line, _, body)| match line.split(' ').next() {
        Some("POST") => respond(stream, 201, &format!("Location: /people/{body}\r\n"), ""),
        _ if line.contains("/count") => respond(stream, 200, "", "7"),
        _ => respond(stream, 200, "", line),
    })
}

fn post(body: &str) -> CaseRequest {
    CaseRequest { body: Some(Content::from(body)), ..CaseRequest::new("POST", "/people") }
}

fn get(target: &str) -> CaseRequest {
    CaseRequest::new("GET", target)
}

fn case(requests: Vec<CaseRequest>) -> Case {
    Case { name: "a case".to_owned(), requests, front: false }
}

fn ask(cases: &[Case], servers: &[Server]) -> Vec<CaseRecord> {
    ask_within(cases, servers, Duration::from_secs(20))
}

fn ask_within(cases: &[Case], servers: &[Server], within: Duration) -> Vec<CaseRecord> {
    let stop = AtomicBool::new(false);
    let servers = Servers { instances: servers.to_vec(), front: vec![servers[0].clone(); 2] };
    Asker { seed: Seed::of_number(5), patience: patience(within), ..asker(&stop) }.ask(cases, &servers)
}

fn asker(stop: &AtomicBool) -> Asker<'_> {
    Asker {
        seed: Seed::of_number(1),
        count_path: Some("/count"),
        origin: None,
        stop,
        flushes: None,
        patience: Patience::default(),
    }
}

fn patience(within: Duration) -> Patience {
    let pause = Duration::from_millis(1);
    let (all_within, gone_within) = (Duration::from_secs(60), Duration::from_secs(1));
    Patience { within, count_within: within, all_within, gone_within, pause, gateway_within: gone_within }
}

fn of(toy: &Toy) -> Servers {
    Servers { instances: vec![toy.server("api1")], front: Vec::new() }
}

fn why(record: &CaseRecord) -> Option<&str> {
    record.missing.as_ref().map(|missing| missing.because.as_str())
}

fn bodies(run: &CaseRun) -> Vec<String> {
    let body = |exchange: &Exchange| String::from_utf8(exchange.body.bytes()).unwrap();
    run.exchanges.iter().flatten().map(body).collect()
}

#[test]
fn each_case_is_run_on_each_instance_with_a_mark_of_its_own() {
    let (one, two) = (honest(), honest());
    let elsewhere = CaseRequest { elsewhere: true, ..get("{0.location}?{0.id}") };
    let cases = [case(vec![post("{mark}"), elsewhere]), case(vec![get("/{mark}")])];
    let records = ask(&cases, &[one.server("api1"), two.server("api2")]);
    let marks: Vec<&str> = records.iter().flat_map(|r| &r.runs).map(|run| run.mark.as_str()).collect();
    let expected = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(case, run)| mark(Seed::of_number(5), case, run));
    assert_eq!(marks, expected);
    let [a, b, c, d] = expected;
    let read = |mark: &str| format!("GET /people/{mark}?{mark} HTTP/1.1");
    let create = || "POST /people HTTP/1.1".to_owned();
    assert_eq!(one.lines(), [create(), read(&b), format!("GET /{c} HTTP/1.1")]);
    assert_eq!(two.lines(), [read(&a), create(), format!("GET /{d} HTTP/1.1")]);
    assert!(records.iter().all(|record| record.runs.len() == 2 && record.missing.is_none()));
    let run = &records[0].runs[1];
    assert_eq!((run.instance.as_str(), run.direct, &run.gone), ("api2", true, &None));
    assert_eq!(run.exchanges[1].as_ref().unwrap().target, one.address);
}

#[test]
fn what_needs_an_answer_that_did_not_come_is_not_sent() {
    let refusing = Toy::start(|stream, _| respond(stream, 422, "", ""));
    let records =
        ask(&[case(vec![post("x"), get("{0.location}"), get("/after")])], &[refusing.server("api1")]);
    let statuses: Vec<Option<u16>> =
        records[0].runs[0].exchanges.iter().map(|e| e.as_ref().map(|e| e.status)).collect();
    assert_eq!(statuses, [Some(422), None, Some(422)]);
    assert_eq!(refusing.lines().len(), 2);
}

#[test]
fn what_is_to_be_done_before_a_request_is_done_before_it_or_the_case_cannot_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let row = folder.path().join("row");
    let shown = row.clone();
    let toy = Toy::start(move |stream, _| {
        let body = std::fs::read_to_string(&shown).unwrap_or_default();
        respond(stream, 200, "", &body)
    });
    let by = |before: String| CaseRequest { before: Some(Content::from(before.as_str())), ..get("/row") };
    let changed = by(format!("echo {{mark}} >'{}'", row.display()));
    let records = ask(&[case(vec![get("/row"), changed])], &[toy.server("api1")]);
    let run = &records[0].runs[0];
    assert_eq!(bodies(run), [String::new(), format!("{}\n", run.mark)]);

    let records = ask(&[case(vec![by("echo it is locked >&2; exit 1".to_owned())])], &[toy.server("api1")]);
    let because = "galo itself could not ask: `echo it is locked >&2; exit 1` failed: it is locked";
    assert_eq!((why(&records[0]), records[0].runs.len()), (Some(because), 0));
    assert_eq!(toy.lines().len(), 2, "nothing was sent");
}

#[test]
fn requests_go_on_the_connections_that_they_name() {
    let toy = honest();
    let by = |way, target: &str| CaseRequest { way, ..get(target) };
    let requests = vec![
        get("/a"),
        by(Way::Kept, "/b"),
        by(Way::Fresh, "/c"),
        by(Way::Pipelined, "/d"),
        by(Way::Pipelined, "/e"),
        by(Way::Kept, "/f"),
        by(Way::AtOnce, "/g"),
        by(Way::AtOnce, "/h"),
    ];
    let records = ask(&[case(requests)], &[toy.server("api1")]);
    let run = &records[0].runs[0];
    let expected =
        ["/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"].map(|path| format!("GET {path} HTTP/1.1"));
    assert_eq!(bodies(run), expected);
    let reused: Vec<bool> = run.exchanges.iter().flatten().map(|exchange| exchange.reused).collect();
    assert_eq!(reused, [false, true, false, true, true, false, false, false]);
}

#[test]
fn a_connection_that_was_closed_is_replaced_and_told() {
    let closing = Toy::start(|stream, (line, ..)| {
        respond(stream, 200, "", line);
        false
    });
    let kept = CaseRequest { way: Way::Kept, ..get("/b") };
    let records = ask(&[case(vec![get("/a"), kept])], &[closing.server("api1")]);
    let second = records[0].runs[0].exchanges[1].as_ref().unwrap();
    assert_eq!((second.status, second.reused, &second.failure), (200, false, &None));
}

#[test]
fn a_client_that_goes_away_waits_for_nothing() {
    let toy = honest();
    let cut = CaseRequest { form: Form::Cut(2), ..post("whole body") };
    let records = ask(&[case(vec![cut, get("/next")])], &[toy.server("api1")]);
    let exchanges = &records[0].runs[0].exchanges;
    let first = exchanges[0].as_ref().unwrap();
    assert_eq!((first.status, &first.failure), (0, &None));
    assert_eq!(exchanges[1].as_ref().unwrap().status, 200);
    assert_eq!(toy.lines(), ["GET /next HTTP/1.1"]);
}

#[test]
fn a_client_that_resets_its_connection_does_so_as_the_answer_begins() {
    let (told, ends) = mpsc::channel();
    let toy = Toy::start(move |stream, (line, ..)| {
        if !line.contains("/reset") {
            return respond(stream, 200, "", line);
        }
        // More than the socket's buffers have room for, so that it hears of the end.
        stream.write_all(b"HTTP/1.1 200 X\r\nContent-Length: 100000000\r\n\r\n").unwrap();
        let end = (0..1000).find_map(|_| stream.write_all(&[b'x'; 100_000]).err());
        told.send(end.map(|error| error.kind())).unwrap();
        false
    });
    let reset = CaseRequest { form: Form::Reset, ..get("/reset") };
    let records = ask(&[case(vec![reset, get("/next")])], &[toy.server("api1")]);
    let exchanges = &records[0].runs[0].exchanges;
    assert_eq!((exchanges[0].as_ref().unwrap().status, &exchanges[0].as_ref().unwrap().failure), (0, &None));
    assert_eq!(exchanges[1].as_ref().unwrap().status, 200);
    // The server may hear of it later than the client has gone on.
    for _ in &records[0].runs {
        let end = ends.recv_timeout(Duration::from_secs(10)).unwrap();
        assert_eq!(end, Some(std::io::ErrorKind::ConnectionReset));
    }
}

#[test]
fn a_server_that_dies_ends_the_cases_and_says_why() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    // From the third request on it only closes.
    let dying = Toy::start(move |stream, _| {
        count.fetch_add(1, Ordering::SeqCst) < 2 && respond(stream, 200, "", "1")
    });
    let cases = vec![case(vec![get("/a")]); 5];
    let records = ask(&cases, &[dying.server("api1")]);
    assert_eq!(records.len(), 5);
    let third = &records[2];
    assert_eq!(third.runs[0].gone.as_deref(), Some("GET /count: closed before the answer"));
    assert_eq!(third.missing, None);
    for record in &records[3..] {
        assert_eq!((record.runs.len(), why(record)), (0, Some("api1 answers no more")));
    }
}

/// Closes after every request but the count, which takes so long.
fn counting_for(length: Duration) -> Toy {
    Toy::start(move |stream, (line, ..)| {
        std::thread::sleep(if line.contains("/count") { length } else { Duration::ZERO });
        line.contains("/count") && respond(stream, 200, "", "7")
    })
}

#[test]
fn a_server_whose_count_is_slow_still_answers_and_one_whose_count_never_ends_does_not() {
    let stop = AtomicBool::new(false);
    let [gone_within, count_within] = [100, 2_000].map(Duration::from_millis);
    let patience = Patience { gone_within, count_within, ..patience(count_within) };
    let gone = |toy: &Toy| {
        let asker = Asker { patience, ..asker(&stop) };
        asker.ask(&[case(vec![get("/a")])], &of(toy))[0].runs[0].gone.clone()
    };
    assert_eq!(gone(&counting_for(Duration::from_millis(400))), None);
    let late = gone(&counting_for(Duration::from_secs(20)));
    assert_eq!(late.as_deref(), Some("GET /count: no answer within 2s"));
}

#[test]
fn a_server_that_answers_more_than_is_read_is_still_there() {
    let long = Toy::start(|stream, _| respond(stream, 200, "", &"x".repeat(2 << 20)));
    let stop = AtomicBool::new(false);
    let asker = Asker { count_path: None, ..asker(&stop) };
    let run = &asker.ask(&[case(vec![get("/a")])], &of(&long))[0].runs[0];
    let failure = run.exchanges[0].as_ref().unwrap().failure.as_ref();
    assert_eq!((failure.map(|failure| failure.kind), &run.gone), (Some(FailureKind::TooLong), &None));
}

#[test]
fn a_server_that_never_answers_ends_the_cases() {
    let silent = Toy::start(|stream, (line, ..)| match line.contains("/count") {
        true => respond(stream, 200, "", "1"),
        false => std::io::copy(stream, &mut std::io::sink()).is_ok(),
    });
    let cases = vec![case(vec![get("/a"); 4]); 5];
    let records = ask_within(&cases, &[silent.server("api1")], Duration::from_millis(100));
    let asked = |record: &CaseRecord| record.runs.iter().map(|run| run.exchanges.len()).sum::<usize>();
    assert_eq!(records.iter().map(asked).collect::<Vec<_>>(), [4, 4, 2, 0, 0]);
    assert_eq!(why(&records[1]), None);
    assert_eq!(why(&records[2]), Some("10 requests had no answer within 100ms"));
    assert_eq!(why(&records[4]), Some("10 requests had no answer within 100ms"));
}

#[test]
fn floods_and_garbage_are_kept_in_bounds() {
    let flooding = Toy::start(|stream, (line, ..)| {
        if line.contains("/count") {
            return respond(stream, 200, "", "1");
        }
        if line.contains("/garbage") {
            let _ = stream.write_all(b"\x16\x03\x01\0\xff\r\n\r\n");
            return false;
        }
        let head = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "y".repeat(60_000));
        let mut open = stream.write_all(head.as_bytes()).is_ok();
        while open && line.contains("/endless") {
            open = stream.write_all(&[0xff; 4096]).is_ok();
        }
        let _ = stream.write_all(&vec![b'z'; 100_000]);
        false
    });
    let targets = ["/endless", "/long", "/garbage"].map(get).to_vec();
    let records = ask(&[case(targets)], &[flooding.server("api1")]);
    let kinds: Vec<_> = records[0].runs[0]
        .exchanges
        .iter()
        .flatten()
        .map(|e| (e.status, e.body.bytes().len(), e.body_bytes, e.failure.as_ref().map(|f| f.kind)))
        .collect();
    assert_eq!(
        kinds,
        [
            (200, 32 * 1024, 1 << 20, Some(FailureKind::TooLong)),
            (200, 32 * 1024, 100_000, None),
            (0, 0, 0, Some(FailureKind::Unreadable)),
        ]
    );
    assert_eq!(records[0].runs[0].exchanges[1].as_ref().unwrap().head.bytes().len(), 16 * 1024);
    assert_eq!(records[0].runs[0].gone, None);
}

#[test]
fn a_break_off_asks_nothing_more() {
    let toy = honest();
    let stop = AtomicBool::new(true);
    let asker = asker(&stop);
    let records = asker.ask(&[case(vec![get("/a")])], &of(&toy));
    assert_eq!((records[0].runs.len(), why(&records[0])), (0, Some("it was broken off")));
    assert_eq!(toy.lines(), Vec::<String>::new());
}

#[test]
fn a_break_off_ends_a_case_in_the_middle() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let stopping = Toy::start(|stream, (line, ..)| {
        STOP.store(line.contains("/b"), Ordering::SeqCst);
        respond(stream, 200, "", line)
    });
    let asker = asker(&STOP);
    let records = asker.ask(&[case(["/a", "/b", "/c"].map(get).to_vec())], &of(&stopping));
    assert_eq!(records[0].runs[0].exchanges.len(), 2);
    assert_eq!(why(&records[0]), Some("it was broken off"));
    assert_eq!(stopping.lines().len(), 2);
}

#[test]
fn a_break_off_is_heard_while_a_count_hangs() {
    static STOP: AtomicBool = AtomicBool::new(false);
    let hanging = Toy::start(|stream, _| {
        STOP.store(true, Ordering::SeqCst);
        // Until the client has gone away.
        let _ = stream.read(&mut [0]);
        false
    });
    let asker = asker(&STOP);
    let records = asker.ask(&[case(vec![get("/count")])], &of(&hanging));
    assert_eq!(why(&records[0]), Some("galo itself could not ask: it was broken off"));
}

#[test]
fn a_creation_that_was_cut_is_not_sent_again_and_a_read_is() {
    let creations = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&creations);
    // Answers the first request of each connection, and cuts the second one, which it has read.
    let cutting = Toy::start(move |stream, (line, ..)| {
        let is_second = line.contains("second");
        let again = is_second && seen.fetch_add(1, Ordering::SeqCst) > 0;
        (!is_second || again) && respond(stream, 200, "", line)
    });
    let second = |method: &str| CaseRequest { way: Way::Kept, ..CaseRequest::new(method, "/second") };
    let asked = |method: &str| {
        creations.store(0, Ordering::SeqCst);
        let records = ask(&[case(vec![get("/first"), second(method)])], &[cutting.server("api1")]);
        let exchange = records[0].runs[0].exchanges[1].clone().unwrap();
        (exchange.status, exchange.reused, creations.load(Ordering::SeqCst))
    };
    assert_eq!(asked("POST"), (0, true, 1));
    assert_eq!(asked("GET"), (200, false, 2));
}

#[test]
fn a_connection_is_not_kept_for_another_instance() {
    let (one, two) = (honest(), honest());
    let there = CaseRequest { way: Way::Kept, elsewhere: true, ..get("/b") };
    let records = ask(&[case(vec![get("/a"), there])], &[one.server("api1"), two.server("api2")]);
    let second = records[0].runs[0].exchanges[1].as_ref().unwrap();
    assert_eq!((second.target, second.reused), (two.address, false));
    assert_eq!(two.lines()[0], "GET /b HTTP/1.1");
}

#[test]
fn at_the_own_port_what_belongs_elsewhere_is_asked_there_too() {
    let (api, front) = (honest(), honest());
    let elsewhere = CaseRequest { elsewhere: true, ..get("/b") };
    let port = Server { direct: false, ..front.server("port") };
    let records = ask(&[case(vec![get("/a"), elsewhere])], &[api.server("api1"), port]);
    let of_port = &records[0].runs[1];
    assert!(of_port.exchanges.iter().flatten().all(|exchange| exchange.target == front.address));
    assert_eq!(of_port.exchanges.len(), 2);
}

#[test]
fn a_case_about_the_own_port_is_asked_there_twice_and_of_no_instance() {
    let (front, api) = (honest(), honest());
    let servers = Servers { instances: vec![api.server("api1"); 2], front: vec![front.server("port"); 2] };
    let stop = AtomicBool::new(false);
    let asker = asker(&stop);
    let records = asker.ask(&[Case { front: true, ..case(vec![get("/a")]) }], &servers);
    assert_eq!(records[0].runs.iter().map(|run| run.instance.as_str()).collect::<Vec<_>>(), ["port"; 2]);
    assert_eq!((front.lines().len(), api.lines().len()), (2, 0));
}

#[test]
fn instances_are_those_that_count_and_an_address_is_asked_twice() {
    let (one, two, database) =
        (honest(), honest(), Toy::start(|stream, _| respond(stream, 200, "", "no number")));
    let stop = AtomicBool::new(false);
    let asker = asker(&stop);
    let balancer: SocketAddr = ([127, 0, 0, 1], 9999).into();
    let ready = |address: SocketAddr| format!("http://{address}/count");
    let contender = |services: &[(&str, &str, String)]| {
        let mut yaml = "x-galo: { challenge: pessoas }\nservices:\n".to_owned();
        for (name, command, ready) in services {
            yaml += &format!(
                "  {name}:\n    deploy: {{ resources: {{ limits: {{ cpus: \"0.1\", memory: 16MB }} }} }}\n    x-galo: {{ \
                 command: {command}, ready: \"{ready}\" }}\n"
            );
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("compose.yaml");
        std::fs::write(&path, yaml).unwrap();
        let policy = galo_plan::challenge::Policy::of_budget(9999, 1500, 3 << 30);
        Contender::load(&path, &galo_plan::Reading::untrusted(&policy)).unwrap()
    };
    let all = contender(&[
        ("api1", "api", ready(one.address)),
        ("api2", "api", ready(two.address)),
        ("api3", "api", ready(database.address)),
        ("api4", "api", ready(balancer)),
        ("balancer", "proxy", ready(balancer)),
        ("cache", "cache", "127.0.0.1:6379".to_owned()),
    ]);
    let time = |name: &str| Server { name: name.to_owned(), address: balancer, direct: false };
    let found = asker.servers(&all, &[], balancer);
    assert_eq!(found.instances, [one.server("api1"), two.server("api2"), time("port 9999")]);
    assert_eq!(found.front, [time("port 9999"), time("port 9999")]);
    let twice = vec![time("first time"), time("second time")];
    let twice = Servers { instances: twice.clone(), front: twice };
    assert_eq!(asker.servers(&contender(&[("api1", "api", ready(one.address))]), &[], balancer), twice);
    assert_eq!(asker.servers(&Contender::at_address(balancer, "pessoas"), &[], balancer), twice);
}

#[test]
fn a_server_that_cannot_just_now_is_asked_again_under_another_mark_and_not_for_ever() {
    let (asked, always) =
        (Arc::new(AtomicUsize::new(0)), Toy::start(|stream, _| respond(stream, 429, "", "")));
    let counted = Arc::clone(&asked);
    let once = Toy::start(move |stream, (line, ..)| {
        let is_first = counted.fetch_add(1, Ordering::Relaxed) == 0;
        respond(stream, if is_first { 503 } else { 200 }, "", line)
    });
    let case = [case(vec![get("/people?t={mark}")])];
    let status_of = |record: &CaseRecord| record.runs[0].exchanges[0].as_ref().unwrap().status;
    let records = ask(&case, &[once.server("api1")]);
    assert_eq!((status_of(&records[0]), records[0].runs.len()), (200, 1));
    let lines = once.lines();
    assert!(lines.len() == 2 && lines[0] != lines[1], "{lines:?}");
    let records = ask(&case, &[always.server("api1")]);
    assert_eq!((status_of(&records[0]), always.lines().len()), (429, TRIES));
}

/// Behind it nobody is found until the count was asked for so often.
fn gateway(back_after: usize) -> Toy {
    let counted = AtomicUsize::new(0);
    Toy::start(move |stream, (line, ..)| {
        let is_count = line.contains("/count");
        let asked = counted.fetch_add(is_count.into(), Ordering::Relaxed);
        respond(stream, if asked < back_after { 502 } else { 200 }, "", "7")
    })
}

#[test]
fn a_gateway_is_given_time_to_find_somebody_behind_it_again() {
    let back = gateway(3);
    let records = ask(&[case(vec![get("/people?t={mark}")])], &[back.server("balancer")]);
    assert_eq!(records[0].runs[0].exchanges[0].as_ref().unwrap().status, 200);
    let asked = back.lines().iter().filter(|line| line.contains("/people")).count();
    assert_eq!((asked, back.lines().len()), (2, 2 + 4));
}

#[test]
fn a_gateway_to_whom_nobody_comes_back_is_waited_for_once() {
    let gone = gateway(usize::MAX);
    let cases = vec![case(vec![get("/people?t={mark}")]); 3];
    let records = ask(&cases, &[gone.server("balancer")]);
    for record in &records {
        assert_eq!(record.runs[0].exchanges[0].as_ref().unwrap().status, 502);
    }
    // Between the first two questions, and never again.
    let lines = gone.lines();
    let of_cases: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].contains("/people")).collect();
    assert_eq!(of_cases.len(), 3 * TRIES);
    assert_eq!(of_cases[1..], (of_cases[1]..lines.len()).collect::<Vec<_>>());
}

#[test]
fn a_gateway_whose_answer_will_do_is_not_asked_again() {
    let gone = gateway(usize::MAX);
    let takes = Expectation { rule: 0, that: Expect::Answer { server_errors: vec![502], cut: true } };
    let request = CaseRequest { expect: vec![takes], ..get("/people") };
    let records = ask(&[case(vec![request])], &[gone.server("balancer")]);
    assert_eq!((records[0].runs.len(), gone.lines().len()), (1, 1));
}

#[test]
fn a_case_in_which_another_request_is_turned_away_each_time_is_left_out_and_told() {
    let asked = AtomicUsize::new(0);
    let busy = Toy::start(move |stream, _| {
        let is_third = asked.fetch_add(1, Ordering::Relaxed) % 3 == 2;
        respond(stream, if is_third { 503 } else { 200 }, "", "")
    });
    let records = ask(&[case(vec![get("/people"); 4])], &[busy.server("api1")]);
    assert!(records[0].runs.is_empty());
    assert_eq!(
        why(&records[0]),
        Some("api1: of another request each time it said that it cannot just now (408, 429, 502 or 503)")
    );
}
