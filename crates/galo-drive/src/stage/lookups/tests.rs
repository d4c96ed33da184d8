use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicUsize;

use galo_plan::{Challenge, Options};

use super::*;

/// A server on a port of its own that does this with each of its connections, one after another, each in a thread.
/// The threads end with the test.
fn server(serve: impl Fn(TcpStream) + Send + Sync + Copy + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            std::thread::spawn(move || serve(connection));
        }
    });
    address
}

/// Reads whatever comes, and answers nothing.
fn be_silent(mut connection: TcpStream) {
    let mut bytes = [0; 1024];
    while connection.read(&mut bytes).is_ok_and(|read| read > 0) {}
}

/// Answers every request that nobody is there.
fn know_nobody(mut connection: TcpStream) {
    let mut bytes = [0; 1024];
    while connection.read(&mut bytes).is_ok_and(|read| read > 0) {
        if connection.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").is_err() {
            break;
        }
    }
}

/// Answers one request in ten by 503 or 429 in turn, and that nobody is there to all others.
fn shed_some(mut connection: TcpStream) {
    static ASKED: AtomicUsize = AtomicUsize::new(1);
    let mut bytes = [0; 1024];
    while connection.read(&mut bytes).is_ok_and(|read| read > 0) {
        let status = match ASKED.fetch_add(1, Ordering::Relaxed) % 20 {
            0 => "503 Service Unavailable",
            10 => "429 Too Many Requests",
            _ => "404 Not Found",
        };
        if write!(connection, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").is_err() {
            break;
        }
    }
}

/// Answers one request in ten by a head whose body never comes, and that nobody is there to all others.
fn cut_some(mut connection: TcpStream) {
    static ASKED: AtomicUsize = AtomicUsize::new(1);
    let mut bytes = [0; 1024];
    while connection.read(&mut bytes).is_ok_and(|read| read > 0) {
        let is_cut = ASKED.fetch_add(1, Ordering::Relaxed).is_multiple_of(10);
        let (status, length) = if is_cut { ("200 OK", 1) } else { ("404 Not Found", 0) };
        let sent = write!(connection, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
        if is_cut || sent.is_err() {
            break;
        }
    }
}

/// Of a check of a server there.
fn plan(target: SocketAddr) -> Plan {
    let model = galo_challenge_pessoas::model();
    let text = galo_challenge_pessoas::CHALLENGE_TOML;
    let challenge = Challenge::parse("challenge.toml", text, model).unwrap();
    let contender = Contender::at_address(target, &challenge.name);
    let options = Options {
        profile: "check".to_owned(),
        scale_milli: 1000,
        rounds: 1,
        seed: galo_plan::Seed::of_number(1),
        limited: false,
        noise_floor: None,
    };
    Plan::new(challenge, model, vec![contender], &options).unwrap()
}

/// What comes of 100 lookups by id.
fn look_up(target: SocketAddr, within: Duration) -> Vec<Option<LookupAnswer>> {
    look_up_at(target, within, |_| "/pessoas/")
}

/// What comes of 100 lookups, each by its number below this path.
fn look_up_at(
    target: SocketAddr,
    within: Duration,
    path: impl Fn(u32) -> &'static str,
) -> Vec<Option<LookupAnswer>> {
    let (plan, model) = (plan(target), galo_challenge_pessoas::model());
    let asker = Asker {
        plan: &plan,
        model,
        rows: Arc::from(plan.prepare(plan.seed, model)),
        stop: &AtomicBool::new(false),
        end: Instant::now() + within,
        patient_until: Instant::now(),
        timeout_ns: 50_000_000,
    };
    let wish = |creation: u32| Wish {
        creation,
        by: LookupBy::Id,
        row: Row { feeder: 0, number: u64::from(creation) },
        id: Some(Id(u128::from(creation))),
        path: path(creation),
        text: creation.to_string(),
    };
    asker.look_up(&(0..100).map(wish).collect::<Vec<_>>(), target).unwrap()
}

/// Answers 404 below `/even/`, 410 below `/odd/`, and 400 anywhere else.
fn tell_paths_apart(mut connection: TcpStream) {
    let mut bytes = [0; 1024];
    while let Ok(read @ 1..) = connection.read(&mut bytes) {
        let status = match &bytes[..read] {
            request if request.starts_with(b"GET /even/") => "404 Not Found",
            request if request.starts_with(b"GET /odd/") => "410 Gone",
            _ => "400 Bad Request",
        };
        if write!(connection, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").is_err() {
            break;
        }
    }
}

#[test]
fn each_is_asked_by_its_own_path() {
    let path = |number: u32| if number.is_multiple_of(2) { "/even/" } else { "/odd/" };
    let found = look_up_at(server(tell_paths_apart), WITHIN, path);
    let statuses: Vec<u16> = found.into_iter().map(|told| told.unwrap().0).collect();
    assert_eq!(statuses, [404, 410].repeat(50));
}

#[test]
fn a_target_that_answers_is_asked_for_all() {
    assert_eq!(look_up(server(know_nobody), WITHIN), vec![Some((404, Vec::new())); 100]);
}

#[test]
fn who_sheds_some_requests_is_asked_again_until_all_are_answered_also_when_patience_is_over() {
    assert_eq!(look_up(server(shed_some), WITHIN), vec![Some((404, Vec::new())); 100]);
}

#[test]
fn a_head_whose_body_is_cut_says_nothing_and_is_asked_again() {
    assert_eq!(look_up(server(cut_some), WITHIN), vec![Some((404, Vec::new())); 100]);
}

#[test]
fn a_target_that_never_answers_is_given_up() {
    let found = look_up(server(be_silent), WITHIN);
    assert_eq!(found[..FIRST_PART], vec![Some((0, Vec::new())); FIRST_PART]);
    assert_eq!(found[FIRST_PART..], vec![None; 100 - FIRST_PART]);
}

#[test]
fn nothing_is_asked_when_the_time_is_over() {
    assert_eq!(look_up(server(know_nobody), Duration::ZERO), vec![None; 100]);
}

#[test]
fn whoever_was_acknowledged_is_sought_in_files_by_what_was_sent() {
    let (plan, model) = (plan(([127, 0, 0, 1], 9999).into()), galo_challenge_pessoas::model());
    let (step, scenario) = (0_u8..)
        .zip(plan.challenge.steps())
        .find_map(|(number, (scenario, step))| step.creates.then_some((number, scenario)))
        .unwrap();
    let creation = |user: u32| Operation {
        intended_ns: 0,
        sent_ns: Some(0),
        first_byte_ns: Some(1),
        done_ns: 1,
        id: Some(Id(u128::from(user))),
        user,
        connection: 0,
        found: 0,
        seen: 0,
        kept: 0,
        status: 201,
        step,
        result: OperationResult::Ok,
        effect: if user < 80 { Effect::Yes } else { Effect::No },
        broken: None,
    };
    let history: Vec<Operation> = (0..100).map(creation).collect();
    let lookups = Lookups { plan: &plan, model, seed: plan.seed, stop: &AtomicBool::new(false) };
    let texts = lookups.texts(&history);
    assert_eq!(texts.len(), TRACED);
    let rows = plan.prepare(plan.seed, model);
    let bodies = (0..80).map(|number| {
        let mut body = Vec::new();
        rows.write_field(scenario.feeder.unwrap(), number, 0, &mut body);
        String::from_utf8(body).unwrap()
    });
    let bodies: Vec<String> = bodies.collect();
    for of_one in texts {
        let is_there = |body: &String| of_one.iter().all(|text| body.contains(&format!("\"{text}\"")));
        assert!(!of_one.is_empty() && bodies.iter().any(is_there), "{of_one:?}");
    }
}
