//! Honest clients: each creates somebody, reads the new Location, and searches for the new nickname, on a connection
//! of its own. What they were told is kept, to be held against the champion afterwards.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::client::Client;
use super::{BOUND, Champion};
use crate::http::{Answer, encode, person, request};

/// What may go wrong while a load is on. Whatever is not listed may not.
#[derive(Clone, Copy)]
pub(crate) struct Tolerance {
    /// Statuses besides those of the rules.
    pub(crate) statuses: &'static [u16],
    /// A connection that ends without an answer.
    pub(crate) cuts: bool,
}

/// Nothing goes wrong.
pub(crate) const NOTHING: Tolerance = Tolerance { statuses: &[], cuts: false };

/// What clients were told.
#[derive(Default)]
pub(crate) struct Told {
    /// Nicknames answered 201, with their Locations.
    pub(crate) acknowledged: Vec<(String, String)>,
    /// Nicknames answered 503: nothing is kept of them, and nothing ever will be.
    pub(crate) refused: Vec<String>,
    /// Nicknames of whom nobody knows: 502, 504, or no answer at all.
    pub(crate) unknown: Vec<String>,
    /// What was wrong or late.
    pub(crate) complaints: Vec<String>,
}

/// Clients at work until they are stopped.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    created: Arc<AtomicU64>,
    clients: Vec<JoinHandle<Told>>,
}

impl Load {
    /// Starts so many clients. `mark` begins their nicknames, and must be another for each load of a test.
    pub(crate) fn start(to: SocketAddr, mark: &'static str, clients: usize, tolerance: Tolerance) -> Self {
        let (stop, created) = (Arc::<AtomicBool>::default(), Arc::<AtomicU64>::default());
        let clients = (0..clients)
            .map(|number| {
                let (stop, created) = (Arc::clone(&stop), Arc::clone(&created));
                thread::spawn(move || {
                    let mut told = Told::default();
                    for round in 0.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        visit(to, &format!("{mark}{number:03}n{round:06}x"), tolerance, &mut told);
                        created.store(told.acknowledged.len() as u64, Ordering::Relaxed);
                        thread::sleep(Duration::from_millis(3));
                    }
                    told
                })
            })
            .collect();
        Self { stop, created, clients }
    }

    /// Waits until so many more have been created by one of the clients.
    pub(crate) fn wait_for_creations(&self, more: u64) {
        let before = self.created.load(Ordering::Relaxed);
        super::until("honest clients get on", || self.created.load(Ordering::Relaxed) >= before + more);
    }

    /// Lets clients end what they are at, and gives what they were told. Whatever they had to complain of fails.
    pub(crate) fn stop(self) -> Told {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Told::default();
        for client in self.clients {
            let told = client.join().unwrap();
            all.acknowledged.extend(told.acknowledged);
            all.refused.extend(told.refused);
            all.unknown.extend(told.unknown);
            all.complaints.extend(told.complaints);
        }
        let first = &all.complaints[..all.complaints.len().min(10)];
        assert!(first.is_empty(), "{} complaints of honest clients: {first:#?}", all.complaints.len());
        assert!(!all.acknowledged.is_empty(), "honest clients did nothing");
        all
    }
}

/// One client's three requests.
fn visit(to: SocketAddr, apelido: &str, tolerance: Tolerance, told: &mut Told) {
    let mut client = match Client::open(to) {
        Ok(client) => client,
        Err(error) => return told.complain(apelido, "connect", &error.to_string(), tolerance.cuts),
    };
    let location = match told.ask(&mut client, "POST", "/pessoas", apelido, tolerance) {
        Ok(answer) if answer.status == 201 => answer.header("location").unwrap_or_default().to_owned(),
        Ok(answer) if answer.status == 503 => return told.refused.push(apelido.to_owned()),
        _ => return told.unknown.push(apelido.to_owned()),
    };
    told.acknowledged.push((apelido.to_owned(), location.clone()));
    let Ok(read) = told.ask(&mut client, "GET", &location, apelido, tolerance) else { return };
    if read.status == 200 && read.json()["apelido"] != apelido {
        told.complain(apelido, "read", read.text(), false);
    }
    let Ok(found) =
        told.ask(&mut client, "GET", &format!("/pessoas?t={}", encode(apelido)), apelido, tolerance)
    else {
        return;
    };
    if found.status == 200 && nicknames(&found) != [apelido] {
        told.complain(apelido, "search", found.text(), false);
    }
}

fn nicknames(found: &Answer) -> Vec<String> {
    let people: Vec<Value> = serde_json::from_slice(&found.body).unwrap_or_default();
    people.iter().map(|person| person["apelido"].as_str().unwrap_or_default().to_owned()).collect()
}

impl Told {
    fn complain(&mut self, apelido: &str, of: &str, text: &str, tolerated: bool) {
        if !tolerated {
            self.complaints.push(format!("{apelido}: {of}: {text}"));
        }
    }

    /// One request. Complains of what is late, cut, or answered by another status than is tolerated.
    fn ask(
        &mut self,
        client: &mut Client,
        method: &str,
        target: &str,
        apelido: &str,
        tolerance: Tolerance,
    ) -> io::Result<Answer> {
        let (body, right) = if method == "POST" { (person(apelido), 201) } else { (String::new(), 200) };
        let asked = Instant::now();
        let answer = client.ask(method, target, body.as_bytes());
        let took = asked.elapsed();
        let what = format!("{method} {target}");
        if took > BOUND {
            self.complain(apelido, &what, &format!("answered after {took:?}"), false);
        }
        match &answer {
            Ok(answer) if answer.status == right => {}
            Ok(answer) => {
                let known = tolerance.statuses.contains(&answer.status);
                self.complain(apelido, &what, &format!("answered {}", answer.status), known);
                let told = answer.status != 503 || answer.header("retry-after").is_some();
                self.complain(apelido, &what, "503 without Retry-After", told);
            }
            Err(error) => self.complain(apelido, &what, &error.to_string(), tolerance.cuts),
        }
        answer
    }

    /// Looks everybody up: by Location on each instance, by a count, and in the database itself.
    pub(crate) fn holds(&self, champion: &Champion) {
        for (n, (apelido, location)) in self.acknowledged.iter().enumerate() {
            let answer = champion.instances[n % 2].get(location);
            assert_eq!(answer.status, 200, "acknowledged and lost: {apelido} at {location}");
            assert_eq!(answer.json()["apelido"], **apelido);
        }
        let kept = champion.postgres.query("SELECT apelido FROM people");
        let kept: BTreeSet<&str> = kept.lines().collect();
        for (apelido, _) in &self.acknowledged {
            assert!(kept.contains(apelido.as_str()), "acknowledged and not in the database: {apelido}");
        }
        for apelido in &self.refused {
            assert!(!kept.contains(apelido.as_str()), "refused and kept: {apelido}");
        }
        assert_eq!(champion.count(), kept.len() as u64, "the count is not the database's");
        if let Some(apelido) = self.refused.first() {
            let balancer = champion.balancer.address;
            let again = request(balancer, "POST", "/pessoas", person(apelido).as_bytes()).unwrap();
            assert_eq!(again.status, 201, "refused and taken: {apelido}");
        }
    }
}
