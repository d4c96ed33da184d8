//! Histories of a simulated contender: a store that does one thing at a time, behind answers that take their time, get
//! lost, or come from a gateway.

use std::collections::BTreeMap;

use galo_plan::model::Id;

use super::*;
use crate::stats::SplitMix64;
use crate::testing::story::{Came, FULL_AT, key};
use crate::testing::{CREATE, PROBE_CREATE};

const US_NS: u64 = 1000;

/// What a user does, due and done.
struct Request {
    times: [u64; 2],
    what: What,
}

enum What {
    Create(String),
    /// Takes effect, though nobody is told.
    CreateUnknown(String),
    Read(String),
    Search(String),
}

/// An honest store, and what is told of it.
struct Simulation {
    luck: SplitMix64,
    story: Story,
    /// By key.
    rows: BTreeMap<String, (String, Id)>,
    /// By the time at which they take effect; the number keeps equal times apart.
    requests: BTreeMap<(u64, u64), Request>,
    next: u64,
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let mut simulation = Self {
            luck: SplitMix64(seed),
            story: Story::default(),
            rows: BTreeMap::new(),
            requests: BTreeMap::new(),
            next: 1,
        };
        for number in 0..60 {
            let due = simulation.below(4000);
            let what = match simulation.below(10) {
                0..5 => simulation.creation(number),
                _ => What::Search(simulation.word()),
            };
            simulation.request(due, what);
        }
        simulation
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.luck.next() % bound
    }

    /// One of a few words, so that keys repeat.
    fn word(&mut self) -> String {
        let letters = ["a", "b", "c"];
        let length = 1 + self.below(2);
        (0..length).map(|_| letters[self.below(3) as usize]).collect()
    }

    fn creation(&mut self, number: u64) -> What {
        let label = ["", "", "", "!", "?"][self.below(5) as usize];
        let name = format!("{}/{number}{label}", self.word());
        if self.below(6) == 0 { What::CreateUnknown(name) } else { What::Create(name) }
    }

    /// A request that takes up to 0.3 ms.
    fn request(&mut self, due_us: u64, what: What) {
        let length = 1 + self.below(300);
        let effect = match &what {
            // Of the unknown some take effect long after galo gave up.
            What::CreateUnknown(_) => self.below(1500),
            _ => self.below(length + 1),
        };
        let times = [due_us * US_NS, (due_us + length) * US_NS];
        let at_ns = (due_us + effect) * US_NS;
        self.next += 1;
        self.requests.insert((at_ns, self.next), Request { times, what });
    }

    /// Lets everything happen in the order in which it takes effect.
    fn run(&mut self) {
        while let Some((_, request)) = self.requests.pop_first() {
            let times = request.times;
            match request.what {
                What::Create(name) => self.create(&name, times),
                What::CreateUnknown(name) => self.create_unknown(&name, times),
                What::Read(name) => self.story.read_back(&name, times, "ok"),
                What::Search(term) => self.search(&term, times),
            }
        }
        self.story.count = Some(self.rows.len() as u64);
    }

    fn create(&mut self, name: &str, times: [u64; 2]) {
        let step = if self.below(4) == 0 { PROBE_CREATE } else { CREATE };
        let is_refused = name.ends_with('!') || (name.ends_with('?') && self.below(2) == 0);
        if self.below(12) == 0 {
            return self.story.create(step, name, times, Came::Status(500));
        }
        if is_refused || self.rows.contains_key(key(name)) {
            return self.story.create(step, name, times, Came::Status(422));
        }
        let id = self.insert(name);
        self.story.create(step, name, times, Came::OkAs(id));
        if step == CREATE && self.below(2) == 0 {
            let due_us = times[1] / US_NS + self.below(50);
            self.request(due_us, What::Read(name.to_owned()));
        }
    }

    fn create_unknown(&mut self, name: &str, times: [u64; 2]) {
        let came = [Came::TimedOut, Came::Status(502), Came::Status(504)][self.below(3) as usize];
        self.story.create(CREATE, name, times, came);
        if !name.ends_with('!') && !self.rows.contains_key(key(name)) && self.below(2) == 0 {
            self.insert(name);
        }
    }

    fn insert(&mut self, name: &str) -> Id {
        self.next += 1;
        let id = Id(u128::from(self.next));
        self.rows.insert(key(name).to_owned(), (name.to_owned(), id));
        id
    }

    /// Lists all who match, or at least as many as a list must hold.
    fn search(&mut self, term: &str, times: [u64; 2]) {
        let matching = self.rows.values().filter(|(name, _)| key(name).contains(term));
        let mut listed: Vec<String> = matching.map(|(name, Id(id))| format!("{name}#{id}")).collect();
        while listed.len() > FULL_AT as usize && self.below(2) == 0 {
            let left_out = self.below(listed.len() as u64) as usize;
            listed.remove(left_out);
        }
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        self.story.search(2, term, times, &listed);
    }

    /// When everything is over, in milliseconds.
    fn end_ms(&self) -> u64 {
        self.story.operations.iter().map(|o| o.done_ns).max().unwrap_or(0) / 1_000_000 + 1
    }

    /// What its history tells.
    fn told(self) -> Vec<crate::Finding> {
        let names = self.story.names.clone();
        let (history, seen) = self.story.history();
        let mut round = RoundData::new(galo_record::RoundRecord::new(1, 0, 0));
        (round.history, round.seen) = (history, seen);
        crate::history::judge(&story::plan(), &names, &round, true).findings
    }

    fn judged(self) -> Judgement {
        let names = self.story.names.clone();
        judge_round(&story::plan(), &names, &self.story.round())
    }
}

/// Findings of grave rules.
fn musts(judgement: &Judgement) -> Vec<&str> {
    let musts = judgement.findings.iter().filter(|f| f.weight == galo_record::finding::Weight::Must);
    musts.map(crate::Finding::name).collect()
}

#[test]
fn an_honest_contender_is_never_accused() {
    for seed in 0..5000 {
        let mut simulation = Simulation::new(seed);
        simulation.run();
        let told = simulation.told();
        assert!(told.is_empty(), "seed {seed}: {told:#?}");
    }
}

#[test]
fn an_honest_contender_s_round_is_valid() {
    for seed in 0..100 {
        let mut simulation = Simulation::new(seed);
        simulation.run();
        let judgement = simulation.judged();
        assert_eq!((&judgement.standing, musts(&judgement)), (&Standing::Valid, Vec::new()), "seed {seed}");
    }
}

/// One mistake about somebody of a key of its own: the rule that it breaks, how many more it makes the count, and its
/// story. Times are milliseconds after all else; with a `+` behind them, a drawn gap later.
const MISTAKES: [(&str, i64, &str); 7] = [
    ("search-misses-acknowledged", 1, "create zoe 0..10 ok; search zo 10+..15+; search zo 300..305 zoe"),
    ("search-misses-acknowledged", 1, "create zoe 0..5 ok; search zo 5..9 zoe; search z 10+..19+"),
    ("search-forgets", 1, "create zoe 0..5 timeout; search zo 10+..15+ zoe; search zo 120..125"),
    ("created-twice", 2, "create zoe 0..60 ok; create zoe/2 0+..9+ ok"),
    ("refused-but-kept", 0, "create zoe! 0..5 422; search z 0+..9+ zoe!"),
    ("refused-without-duplicate", 1, "create zoe 0..5 422; create zoe/2 6+..9+ ok"),
    ("read-misses-acknowledged", 1, "create zoe 0..5 ok; read zoe 5+..9+ 404"),
];

/// The story of a mistake that begins at `start_ms`.
fn from(start_ms: u64, gap_ms: u64, text: &str) -> String {
    let moment = |text: &str| {
        let (text, gap_ms) = text.strip_suffix('+').map_or((text, 0), |text| (text, gap_ms));
        start_ms + gap_ms + text.parse::<u64>().expect("milliseconds")
    };
    let word = |word: &str| match word.split_once("..") {
        Some((due, done)) => format!("{}..{}", moment(due), moment(done)),
        None => word.to_owned(),
    };
    let sentence = |text: &str| text.split_whitespace().map(word).collect::<Vec<_>>().join(" ");
    text.split(';').map(sentence).collect::<Vec<_>>().join(";")
}

#[test]
fn every_mistake_is_told_by_its_own_name_among_much_that_is_right() {
    for (rule, counted, text) in MISTAKES {
        for seed in 0..30 {
            let mut simulation = Simulation::new(seed);
            simulation.run();
            let (start_ms, gap_ms) = (simulation.end_ms(), simulation.below(100));
            simulation.story.tell(&from(start_ms, gap_ms, text));
            simulation.story.count = simulation.story.count.and_then(|n| n.checked_add_signed(counted));
            let judgement = simulation.judged();
            assert_eq!(musts(&judgement), [rule], "seed {seed}: {:#?}", judgement.findings);
        }
    }
}
