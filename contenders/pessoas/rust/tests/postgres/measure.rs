//! What people cost: `cargo test --release -p pessoas-rust --test postgres -- --ignored --nocapture`, with as many as
//! `PEOPLE` says (100,000 without it). CPU time is that of this process (the instance and the test's own part) and of
//! the server with all its processes.

use std::fmt::Write as _;
use std::fs;

use futures_util::future::join_all;
use pessoas_rust::person::NewPerson;
use pessoas_rust::store::Store;

use crate::postgres::Postgres;

const STACK: [&str; 25] = [
    "Javascript",
    "Python",
    "Go",
    "Java",
    "Kotlin",
    "PHP",
    "C#",
    "Swift",
    "R",
    "Ruby",
    "C",
    "C++",
    "Matlab",
    "TypeScript",
    "Scala",
    "SQL",
    "HTML",
    "CSS",
    "NoSQL",
    "Rust",
    "Perl",
    "C#",
    "Clojure",
    "MySQL",
    "Postgres",
];

/// Numbers that look random, the same in every run (xorshift, Marsaglia 2003).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % end
    }

    fn text(&mut self, max: usize, letters: &[u8]) -> String {
        (0..=self.below(max)).map(|_| char::from(letters[self.below(letters.len())])).collect()
    }

    /// Somebody like those of the contest.
    fn body(&mut self) -> String {
        let letters = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let (apelido, nome) = (self.text(32, letters), self.text(100, b"abcdefghijklmnopqrstuvwxyz "));
        let mut stack = String::from("null");
        if self.below(14) > 0 {
            let entries: Vec<&str> = (0..=self.below(26)).map(|_| STACK[self.below(STACK.len())]).collect();
            stack = serde_json::to_string(&entries).unwrap();
        }
        let (month, day) = (self.below(12) + 1, self.below(28) + 1);
        format!(
            r#"{{"apelido":"{apelido}","nome":"{nome}","nascimento":"1987-{month:02}-{day:02}","stack":{stack}}}"#
        )
    }
}

/// CPU time of a process, in us, read from its `stat`.
fn cpu_us(pid: &str) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    fields.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10_000
}

fn resident() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    status.lines().find(|line| line.starts_with("VmRSS")).unwrap().to_owned()
}

struct Clock<'a> {
    server: &'a Postgres,
    own: u64,
    servers: u64,
}

impl<'a> Clock<'a> {
    fn start(server: &'a Postgres) -> Self {
        Self { server, own: cpu_us("self"), servers: Self::servers(server) }
    }

    fn servers(server: &Postgres) -> u64 {
        server.processes().iter().map(|process| cpu_us(&process.to_string())).sum()
    }

    fn tell(&self, what: &str, count: usize) {
        let each = |us: u64| us as f64 / count as f64;
        let (own, servers) = (cpu_us("self") - self.own, Self::servers(self.server) - self.servers);
        println!("{what}: {count}, own {:.2} us each, server {:.2} us each", each(own), each(servers));
    }
}

#[tokio::test]
#[ignore = "a measurement"]
async fn what_people_cost() {
    let server = Postgres::start();
    let count: usize = std::env::var("PEOPLE").map_or(100_000, |text| text.parse().unwrap());
    let store = server.store().await;
    let mut dice = Dice(88_172_645_463_325_252);
    for width in [1, 3, 10, 50] {
        let clock = Clock::start(&server);
        let rounds = if width == 1 { 1000 } else { 400 };
        for _ in 0..rounds {
            let bodies: Vec<String> = (0..width).map(|_| dice.body()).collect();
            join_all(bodies.iter().map(|body| store.create(NewPerson::from_json(body.as_bytes()).unwrap())))
                .await;
        }
        clock.tell(&format!("creations, {width} at a time"), rounds * width);
    }
    let clock = Clock::start(&server);
    while store.count().await.unwrap() < count as u64 {
        let bodies: Vec<String> = (0..500).map(|_| dice.body()).collect();
        join_all(bodies.iter().map(|body| store.create(NewPerson::from_json(body.as_bytes()).unwrap())))
            .await;
    }
    clock.tell("creations, 500 at a time", count);

    let before = resident();
    let clock = Clock::start(&server);
    let begun = std::time::Instant::now();
    let second = server.store().await;
    clock.tell("people loaded", count);
    println!("in {:?}; {before} before, {} after", begun.elapsed(), resident());

    let clock = Clock::start(&server);
    for _ in 0..3000 {
        second.count().await.unwrap();
    }
    clock.tell("catch-ups", 3000);
    for letters in [1, 2, 3, 4, 5, 6, 10, 30] {
        let terms: Vec<String> = (0..500)
            .map(|_| {
                (0..letters).fold(String::new(), |mut term, _| {
                    write!(term, "{}", dice.text(1, b"abcdefghijklmnopqrstuvwxyz")).unwrap();
                    term
                })
            })
            .collect();
        let clock = Clock::start(&server);
        for term in &terms {
            second.search(term.clone()).await.unwrap();
        }
        clock.tell(&format!("searches for {letters} letters"), terms.len());
    }
    let mut metrics = String::new();
    second.metrics(&mut metrics);
    for line in metrics.lines().filter(|line| line.starts_with("pessoas_memory")) {
        let bytes: f64 = line.rsplit(' ').next().unwrap().parse().unwrap();
        println!("{line}: {:.1} a person", bytes / count as f64);
    }
}
