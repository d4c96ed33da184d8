//! Histories written by hand, in words: `create ana 1..2 ok; search an 3..4 ana`.
//!
//! A sentence is a verb, a name, the time from due to done in milliseconds, and what came. A name is a key, with
//! `/2` behind it another row of the same key, with `!` one to be refused, with `?` one that is free. Searches match
//! keys that contain the term, and are full at [`FULL_AT`].
//!
//! | verb | what may come |
//! |---|---|
//! | `create`, `probe` | `ok`, `ok#7` (its identity), `ok#none` (without one), a status, `timeout`, `unsent` |
//! | `read` | `ok`, `differs`, a status, `timeout`; by the user who created the name |
//! | `search`, `ask` (by the user of the probe) | the names listed, `ana#7` (with this identity), `phantom` or `unreadable` (then it is wrong), `more` (one that is not kept), a status, `timeout` |
//! | `count` | the count at rest, instead of a time |

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use galo_plan::model::{
    Answer, Ceiling, ChallengeData, CheckKind, Effect, Examination, Id, Label, Question, Row, Seen, Thing,
};
use galo_plan::rules::{GENERIC, UNEXPECTED_STATUS};
use galo_plan::{Plan, Rule, RuleCode};
use galo_record::{Operation, OperationResult, RoundData};

use super::{CREATE, END_NS, PROBE_CREATE, PROBE_SEARCH, READ, RoundBuilder, operation, reading};

/// A search that lists so many may have left others out.
pub(crate) const FULL_AT: u32 = 3;

const SEARCH: u8 = 2;

/// Rules of the model, from [`GENERIC`]'s end on.
const MODEL_RULES: [&str; 4] =
    ["valid-person-refused", "invalid-person-accepted", "read-differs", "search-phantom"];

fn rule(name: &str) -> Option<RuleCode> {
    let place = MODEL_RULES.iter().position(|rule| *rule == name);
    place.map(|place| RuleCode((GENERIC.len() + place) as u8))
}

/// The plan of all stories.
pub(crate) fn plan() -> Plan {
    let mut plan = super::plan();
    plan.rules = GENERIC.to_vec();
    plan.rules.extend(MODEL_RULES.map(|name| Rule::must(name, "the model's own")));
    plan.checks = vec![CheckKind::Create, CheckKind::Read, CheckKind::Search { full_at: FULL_AT }];
    for (feeder, scenario) in plan.challenge.scenarios.iter_mut().enumerate() {
        scenario.feeder = Some(feeder);
        for step in &mut scenario.steps {
            step.check = Some(match step.name.as_str() {
                "create" => 0,
                "read" => 1,
                _ => 2,
            });
        }
    }
    plan
}

/// The rows of a story: by feeder, what each user was given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names([Vec<String>; 3]);

impl Names {
    /// What the users of `create` were given.
    pub(crate) fn created(&self) -> &[String] {
        &self.0[0]
    }

    fn name(&self, row: Row) -> &str {
        self.0[row.feeder].get(row.number as usize).map_or("", String::as_str)
    }
}

/// The part of a name that is unique.
pub(crate) fn key(name: &str) -> &str {
    name.split(['/', '!', '?']).next().unwrap_or_default()
}

fn number(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn label(name: &str) -> Label {
    match name.chars().last() {
        Some('!') => Label::Refuse,
        Some('?') => Label::Free,
        _ => Label::Accept,
    }
}

/// No story creates more.
pub(crate) const CEILING: Ceiling = Ceiling { min: 0, max: 1_000_000 };

impl ChallengeData for Names {
    fn write_field(&self, _feeder: usize, _row: u64, _field: usize, _out: &mut Vec<u8>) {}

    fn ceiling(&self) -> Ceiling {
        CEILING
    }

    fn examine(&self, _question: &Question, _answer: &Answer<'_>, _seen: &mut Vec<Seen>) -> Examination {
        Examination::RIGHT
    }

    fn thing(&self, row: Row) -> Option<Thing> {
        let name = self.name(row);
        Some(Thing { key: number(key(name)), digest: number(name), label: label(name) })
    }

    fn listed(&self, queries: &[Row], things: &[Row], most: usize) -> Option<Vec<Vec<u32>>> {
        let of = |query: &Row| {
            let matches = |row: &Row| key(self.name(*row)).contains(key(self.name(*query)));
            (0..).zip(things).filter(|(_, row)| matches(row)).map(|(place, _)| place).take(most).collect()
        };
        Some(queries.iter().map(of).collect())
    }

    fn words(&self, row: Row) -> String {
        format!("{:?}", self.name(row))
    }
}

/// What came of a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// 201 with an identity of its own.
    Ok,
    /// 201 with this identity.
    OkAs(Id),
    /// 201 without one.
    Nameless,
    /// Another status.
    Status(u16),
    TimedOut,
    /// No connection.
    Unsent,
}

/// A history that is being told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Story {
    pub(crate) names: Names,
    pub(crate) operations: Vec<Operation>,
    seen: Vec<Seen>,
    /// By name: its user, and the identity that it was given.
    created: HashMap<String, (u32, Id)>,
    pub(crate) count: Option<u64>,
}

impl Story {
    /// Reads a story.
    pub(crate) fn read(text: &str) -> Self {
        let mut story = Self::default();
        story.tell(text);
        story
    }

    /// Goes on with the story.
    pub(crate) fn tell(&mut self, text: &str) {
        for sentence in text.split(';').map(str::trim).filter(|sentence| !sentence.is_empty()) {
            let words: Vec<&str> = sentence.split_whitespace().collect();
            self.sentence(&words);
        }
    }

    fn sentence(&mut self, words: &[&str]) {
        let (verb, name) = (words[0], words[1]);
        if verb == "count" {
            self.count = Some(name.parse().expect("a number"));
            return;
        }
        let (due, done) = words[2].split_once("..").expect("a time such as 1..2");
        let times = [due, done].map(|ms| (ms.parse::<f64>().expect("milliseconds") * 1e6) as u64);
        match verb {
            "create" => self.create(CREATE, name, times, came(words[3])),
            "probe" => self.create(PROBE_CREATE, name, times, came(words[3])),
            "read" => self.read_back(name, times, words[3]),
            "search" => self.search(SEARCH, name, times, &words[3..]),
            "ask" => self.search(PROBE_SEARCH, name, times, &words[3..]),
            _ => panic!("{verb} is no verb"),
        }
    }

    /// Somebody creates a row.
    pub(crate) fn create(&mut self, step: u8, name: &str, times: [u64; 2], came: Came) {
        let rows = &mut self.names.0[if step == CREATE { 0 } else { 2 }];
        let user = rows.len() as u32;
        rows.push(name.to_owned());
        let mut operation = operation(step, user, times);
        let given = Id(u128::from(step) * 1000 + u128::from(user) + 1);
        match came {
            Came::Ok | Came::OkAs(_) | Came::Nameless => {
                (operation.status, operation.effect) = (201, Effect::Yes);
                operation.id = match came {
                    Came::OkAs(id) => Some(id),
                    Came::Nameless => None,
                    _ => Some(given),
                };
                if label(name) == Label::Refuse {
                    wrong(&mut operation, rule("invalid-person-accepted"));
                }
            }
            Came::Status(status) => {
                let effect = if matches!(status, 408 | 429 | 500..) { Effect::Unknown } else { Effect::No };
                (operation.status, operation.effect) = (status, effect);
                match status {
                    500.. => operation.result = OperationResult::Failed,
                    400 | 422 => {}
                    _ => wrong(&mut operation, Some(UNEXPECTED_STATUS)),
                }
            }
            Came::TimedOut => {
                (operation.result, operation.effect) = (OperationResult::TimedOut, Effect::Unknown);
            }
            Came::Unsent => {
                (operation.result, operation.effect) = (OperationResult::Failed, Effect::No);
                operation.sent_ns = None;
            }
        }
        self.created.insert(name.to_owned(), (user, operation.id.unwrap_or(given)));
        self.operations.push(operation);
    }

    /// Who created a name reads it.
    pub(crate) fn read_back(&mut self, name: &str, times: [u64; 2], came: &str) {
        let (user, id) = self.created[name];
        let mut operation = operation(READ, user, times);
        (operation.id, operation.status) = (Some(id), 200);
        match came {
            "ok" => self.show(&mut operation, &[(id, number(name))]),
            "differs" => {
                wrong(&mut operation, rule("read-differs"));
                self.show(&mut operation, &[(id, 7)]);
            }
            other => end(&mut operation, other),
        }
        operation.found = 0;
        self.operations.push(operation);
    }

    /// Somebody searches.
    pub(crate) fn search(&mut self, step: u8, term: &str, times: [u64; 2], came: &[&str]) {
        let user = if step == SEARCH {
            self.names.0[1].push(term.to_owned());
            self.names.0[1].len() as u32 - 1
        } else {
            self.created[term].0
        };
        let mut operation = operation(step, user, times);
        operation.status = 200;
        let mut listed = Vec::new();
        let mut more = 0;
        for word in came {
            match *word {
                "more" => more += 1,
                "phantom" => wrong(&mut operation, rule("search-phantom")),
                "unreadable" => wrong(&mut operation, rule("search-phantom")),
                "timeout" => end(&mut operation, word),
                status if status.parse::<u16>().is_ok() => end(&mut operation, status),
                name => listed.push(self.shown(name)),
            }
        }
        self.show(&mut operation, &listed);
        operation.found += more;
        self.operations.push(operation);
    }

    fn shown(&self, name: &str) -> (Id, u64) {
        let (name, id) = match name.split_once('#') {
            Some((name, id)) => (name, Some(Id(id.parse().expect("a number")))),
            None => (name, None),
        };
        let given = self.created.get(name).map_or(Id(5_000_000), |(_, id)| *id);
        (id.unwrap_or(given), number(name))
    }

    fn show(&mut self, operation: &mut Operation, shown: &[(Id, u64)]) {
        (operation.seen, operation.kept) = (self.seen.len() as u32, shown.len() as u8);
        operation.found = shown.len() as u32;
        self.seen.extend(shown.iter().map(|&(id, digest)| Seen { id, digest }));
    }

    /// The round that it tells of: without anything else in it, and with the count that it acknowledged.
    pub(crate) fn round(self) -> RoundData {
        let mut round = RoundBuilder::clean().0;
        let count = self.count;
        let (history, seen) = self.history();
        let acknowledged = history.iter().filter(|o| o.effect == Effect::Yes).count() as u64;
        let counted = count.unwrap_or(acknowledged).to_string();
        round.record.counts_after = vec![reading(END_NS + 1, &counted)];
        for (step, latencies) in round.record.load.steps.iter_mut().zip(&mut round.latencies) {
            (*step, *latencies) = Default::default();
        }
        for o in &history {
            let ledger = &mut round.record.load.steps[usize::from(o.step)].ledger;
            ledger.intended += 1;
            ledger.end(o.result);
            let latencies = &mut round.latencies[usize::from(o.step)];
            let right = o.result == OperationResult::Ok;
            let kind = if right { &mut latencies.ok } else { &mut latencies.not_ok };
            kind.record_ns(o.done_ns - o.intended_ns);
        }
        (round.history, round.seen) = (history, seen);
        round
    }

    /// The operations in the order of their ends, and what they showed.
    pub(crate) fn history(mut self) -> (Vec<Operation>, Vec<Seen>) {
        self.refuse_the_uncontested();
        self.operations.sort_by_key(|o| o.done_ns);
        for (connection, o) in (1..).zip(&mut self.operations) {
            o.connection = connection;
        }
        (self.operations, self.seen)
    }

    /// As the model would: a valid row whose key no other row has must not be refused.
    fn refuse_the_uncontested(&mut self) {
        let names = &self.names;
        let rivals = |name: &str| {
            let rows = names.0[0].iter().chain(&names.0[2]);
            rows.filter(|other| key(other) == key(name) && label(other) != Label::Refuse).count()
        };
        for o in self.operations.iter_mut().filter(|o| [CREATE, PROBE_CREATE].contains(&o.step)) {
            let feeder = if o.step == CREATE { 0 } else { 2 };
            let name = names.name(Row { feeder, number: u64::from(o.user) });
            if matches!(o.status, 400 | 422) && label(name) == Label::Accept && rivals(name) < 2 {
                wrong(o, rule("valid-person-refused"));
            }
        }
    }
}

fn came(word: &str) -> Came {
    match word.split_once('#').unwrap_or((word, "")) {
        ("ok", "none") => Came::Nameless,
        ("ok", "") => Came::Ok,
        ("ok", id) => Came::OkAs(Id(id.parse().expect("a number"))),
        ("timeout", _) => Came::TimedOut,
        ("unsent", _) => Came::Unsent,
        (status, _) => Came::Status(status.parse().expect("a status")),
    }
}

fn end(operation: &mut Operation, came: &str) {
    match came.parse::<u16>() {
        Ok(status) => {
            operation.status = status;
            match status {
                500.. => operation.result = OperationResult::Failed,
                _ => wrong(operation, Some(UNEXPECTED_STATUS)),
            }
        }
        Err(_) => (operation.status, operation.result) = (0, OperationResult::TimedOut),
    }
}

fn wrong(operation: &mut Operation, rule: Option<RuleCode>) {
    (operation.result, operation.broken) = (OperationResult::Wrong, rule);
}
