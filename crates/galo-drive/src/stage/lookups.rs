//! After a restart: asks for everybody who was acknowledged, and for everybody who was refused, by the load engine
//! over a few kept connections.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use galo_host::volumes_holding;
use galo_load::{Backend, LoadOptions};
use galo_plan::challenge::{Connection, Scenario, Step, Timeouts};
use galo_plan::instances::largest;
use galo_plan::load::{Arrivals, Pick, Pool, Source, Target, Transport};
use galo_plan::model::{
    Account, Answer, Ceiling, ChallengeData, ChallengeModel, CheckKind, Effect, Examination, Id, Question,
    Row, Seen, Wanted,
};
use galo_plan::template::Template;
use galo_plan::{Contender, LoadPlan, Plan, Seed};
use galo_record::{CrashKind, Events, Lookup, LookupBy, Operation, OperationResult, ServicePlacement};

use super::load::run_beside;
use crate::{DriveError, instances};

/// At once.
const CONNECTIONS: u32 = 8;
/// Bound for connecting and for an answer.
const TIMEOUT_NS: u64 = 10_000_000_000;
/// How long something is asked again of which [no answer tells][Lookup::tells].
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is asked at least, also after that: who sheds load sheds another request each time.
const TRIES: usize = 8;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(500);
/// For all lookups of a round together. What was not asked by then is recorded as not answered.
const WITHIN: Duration = Duration::from_secs(60);
/// After a restart at rest: for so long, but for so many people at least.
const SOME_WITHIN: Duration = Duration::from_secs(10);
const AT_LEAST: usize = 300;
/// How many are sought in its volumes.
const TRACED: usize = 50;
/// Letters of a text at least by which somebody is sought there.
const LETTERS: usize = 4;
/// How many are asked first. If all of them time out, their target is given up; or else a part twice as large follows.
const FIRST_PART: usize = 10;
/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(5);

/// What is looked up after a crash or an outage.
pub(super) struct Lookups<'a> {
    pub(super) plan: &'a Plan,
    pub(super) model: &'a dyn ChallengeModel,
    /// Of the round.
    pub(super) seed: Seed,
    pub(super) stop: &'a AtomicBool,
}

impl Lookups<'_> {
    fn asker(&self) -> Asker<'_> {
        let now = Instant::now();
        Asker {
            plan: self.plan,
            model: self.model,
            rows: Arc::from(self.plan.prepare(self.seed, self.model)),
            stop: self.stop,
            end: now + WITHIN,
            patient_until: now + PATIENCE,
            timeout_ns: TIMEOUT_NS,
        }
    }

    /// People to look up, in an order that the seed draws: as many as [`SOME_WITHIN`] suffices for, and at least [`AT_LEAST`].
    /// Acknowledged ones are sought by identity and by key, refused ones by key.
    ///
    /// # Errors
    /// What kept the engine from asking.
    pub(super) fn some(&self, history: &[Operation], target: SocketAddr) -> Result<Vec<Lookup>, DriveError> {
        let began = Instant::now();
        let asker = self.asker();
        let mut wishes = wishes(self.plan, &*asker.rows, history);
        let by_key = |wish: &Wish| wish.of_key(&*asker.rows);
        let also: Vec<Wish> = wishes.iter().filter_map(by_key).collect();
        wishes.extend(also);
        wishes.sort_by_cached_key(|wish| self.seed.word("lookup", &[u64::from(wish.creation)]));
        let wishes = [accounts(&*asker.rows), wishes].concat();
        let (mut found, mut rest) = (Vec::new(), wishes.as_slice());
        while !rest.is_empty()
            && !asker.is_over()
            && (found.len() < 3 * AT_LEAST || began.elapsed() < SOME_WITHIN)
        {
            let part;
            (part, rest) = rest.split_at(rest.len().min(3 * AT_LEAST));
            let told = asker.look_up(part, target)?;
            let is_given_up = told.iter().all(|told| matches!(told, None | Some((0, _))));
            // Nobody is to blame for what there was no time to ask.
            found.extend(part.iter().zip(told).filter_map(|(wish, told)| Some(wish.lookup(None, told?))));
            if is_given_up {
                break;
            }
        }
        Ok(found)
    }

    /// Texts sent for a seeded sample of acknowledged people: only texts that any store keeps as they are, of letters, no dates.
    pub(super) fn texts(&self, history: &[Operation]) -> Vec<Vec<String>> {
        let rows = self.plan.prepare(self.seed, self.model);
        let mut wishes = wishes(self.plan, &*rows, history);
        wishes.retain(|wish| wish.by == LookupBy::Id);
        wishes.sort_by_cached_key(|wish| self.seed.word("trace", &[u64::from(wish.creation)]));
        let texts = wishes.iter().map(|wish| self.texts_of(&*rows, wish.row));
        texts.filter(|texts| !texts.is_empty()).take(TRACED).collect()
    }

    /// What a row holds that any store keeps as it is.
    fn texts_of(&self, rows: &dyn ChallengeData, row: Row) -> Vec<String> {
        let mut texts = Vec::new();
        for field in 0..self.model.feeders().get(row.feeder).map_or(0, |feeder| feeder.fields.len()) {
            let mut text = Vec::new();
            rows.write_field(row.feeder, row.number, field, &mut text);
            match serde_json::from_slice(&text) {
                Ok(json) => strings(json, &mut texts),
                Err(_) => texts.extend(String::from_utf8(text)),
            }
        }
        let is_plain = |text: &String| {
            text.len() >= LETTERS
                && text.bytes().any(|byte| byte.is_ascii_alphabetic())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b' ')
        };
        texts.retain(is_plain);
        texts
    }

    /// Everything that this history acknowledged or refused: at the contender's own port, and after an outage at each
    /// instance as well (where all are up, and it is known where they listen).
    ///
    /// # Errors
    /// What kept the engine from asking.
    pub(super) fn all(
        &self,
        history: &[Operation],
        target: SocketAddr,
        (kind, contender, is_up): (CrashKind, &Contender, bool),
        placed: &[ServicePlacement],
    ) -> Result<Vec<Lookup>, DriveError> {
        let asker = self.asker();
        let mut wishes = wishes(self.plan, &*asker.rows, history);
        let is_outage = kind == CrashKind::Outage;
        // A balancer may have sent a cut creation again, and got it refused as a duplicate of itself.
        wishes.retain(|wish| wish.by == LookupBy::Id || !is_outage);
        if !is_outage {
            wishes.extend(accounts(&*asker.rows));
        }
        let found = asker.look_up(&wishes, target)?;
        let unasked = || (0, Vec::new());
        let mut found: Vec<Lookup> = wishes
            .iter()
            .zip(found)
            .map(|(wish, told)| wish.lookup(None, told.unwrap_or_else(unasked)))
            .collect();
        let is_each = is_outage && is_up;
        let each = if is_each { largest(&contender.services) } else { Vec::new() };
        for service in each {
            if let Some(address) = instances::address(service, placed) {
                let told = asker.look_up(&wishes, address)?;
                // An instance is not to blame for what there was no time to ask it.
                let asked = wishes.iter().zip(told).filter_map(|(wish, told)| Some((wish, told?)));
                found.extend(asked.map(|(wish, told)| wish.lookup(Some(&service.name), told)));
            }
        }
        Ok(found)
    }
}

/// One thing to look up.
#[derive(Clone)]
struct Wish {
    creation: u32,
    by: LookupBy,
    row: Row,
    id: Option<Id>,
    /// First part of the target.
    path: &'static str,
    /// The rest of it.
    text: String,
}

impl Wish {
    /// The same thing looked up by its key; `None` where that cannot be asked, or is what is asked already.
    fn of_key(&self, rows: &dyn ChallengeData) -> Option<Self> {
        let (path, text) = (self.by == LookupBy::Id).then(|| rows.lookup(Wanted::KeyOf(self.row)))??;
        Some(Self { by: LookupBy::Key, path, text, ..self.clone() })
    }

    fn lookup(&self, service: Option<&str>, (status, digests): LookupAnswer) -> Lookup {
        let (creation, by) = (self.creation, self.by);
        Lookup { creation, by, service: service.map(str::to_owned), status, digests }
    }
}

/// What can be asked about a history: everybody acknowledged, by identity, and everybody refused, by key.
fn wishes(plan: &Plan, rows: &dyn ChallengeData, history: &[Operation]) -> Vec<Wish> {
    let steps: Vec<_> =
        plan.challenge.steps().map(|(scenario, step)| (scenario.feeder, step.creates)).collect();
    let wish = |(creation, o): (u32, &Operation)| {
        let &(feeder, creates) = steps.get(usize::from(o.step))?;
        let row = Row { feeder: feeder.filter(|_| creates)?, number: u64::from(o.user) };
        let (by, wanted) = match o.effect {
            Effect::Yes => (LookupBy::Id, Wanted::Id(o.id?)),
            // A 5xx may hide a creation all the same; only a clear refusal is held to its word.
            Effect::No if (400..500).contains(&o.status) => (LookupBy::Key, Wanted::KeyOf(row)),
            _ => return None,
        };
        let (path, text) = rows.lookup(wanted)?;
        Some(Wish { creation, by, row, id: o.id, path, text })
    };
    (0_u32..).zip(history).filter_map(wish).collect()
}

/// The statement of each account.
fn accounts(rows: &dyn ChallengeData) -> Vec<Wish> {
    let wish = |(number, account): (u32, &Account)| {
        let (path, text) = rows.lookup(Wanted::Account(number))?;
        Some(Wish { creation: number, by: LookupBy::Account, row: account.row, id: None, path, text })
    };
    (0..).zip(rows.accounts()).filter_map(wish).collect()
}

/// How many people have all of their texts in files there, and how many were sought; `None`: none were.
pub(super) fn traced(places: &[PathBuf], texts: &[Vec<String>]) -> Option<[u32; 2]> {
    let all: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
    let found = volumes_holding(places, &all);
    let mut found = found.iter();
    let is_whole = |of_one: &&Vec<String>| found.by_ref().take(of_one.len()).fold(true, |all, is| all & is);
    let whole = texts.iter().filter(is_whole).count();
    (!texts.is_empty()).then(|| [whole, texts.len()].map(|number| number as u32))
}

/// All strings in it.
fn strings(json: serde_json::Value, texts: &mut Vec<String>) {
    match json {
        serde_json::Value::String(text) => texts.push(text),
        serde_json::Value::Array(items) => items.into_iter().for_each(|item| strings(item, texts)),
        serde_json::Value::Object(members) => members.into_iter().for_each(|(_, item)| strings(item, texts)),
        _ => {}
    }
}

/// An answer's status, and the digests of what it showed. Without a whole answer the status is 0.
type LookupAnswer = (u16, Vec<u64>);

/// Asks, within its time.
struct Asker<'a> {
    plan: &'a Plan,
    model: &'a dyn ChallengeModel,
    rows: Arc<dyn ChallengeData>,
    /// Set by whoever breaks off.
    stop: &'a AtomicBool,
    /// Nothing is asked after it.
    end: Instant,
    /// What is not answered is not asked again after it.
    patient_until: Instant,
    /// Bound for connecting, and for an answer.
    timeout_ns: u64,
}

impl Asker<'_> {
    /// Asks for all, those again that were not answered, until the target is given up; `None`: not asked.
    fn look_up(&self, wishes: &[Wish], target: SocketAddr) -> Result<Vec<Option<LookupAnswer>>, DriveError> {
        let mut found: Vec<Option<LookupAnswer>> = vec![None; wishes.len()];
        for tried in 0.. {
            let is_told =
                |told: &Option<LookupAnswer>| told.as_ref().is_some_and(|&(status, _)| Lookup::tells(status));
            let open: Vec<usize> = (0..found.len()).filter(|&i| !is_told(&found[i])).collect();
            let is_enough = tried >= TRIES && Instant::now() >= self.patient_until;
            if open.is_empty() || self.is_over() || is_enough {
                break;
            }
            if tried > 0 {
                std::thread::sleep(PAUSE);
            }
            for by in [LookupBy::Account, LookupBy::Id, LookupBy::Key] {
                let asked: Vec<usize> = open.iter().copied().filter(|&i| wishes[i].by == by).collect();
                // What is asked together has one path.
                for asked in asked.chunk_by(|a, b| wishes[*a].path == wishes[*b].path) {
                    if self.ask_in_parts(wishes, asked, target, &mut found)? {
                        return Ok(found);
                    }
                }
            }
        }
        Ok(found)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || Instant::now() >= self.end
    }

    /// Asks once for wishes of one kind, given by their numbers; whether the target is to be given up.
    fn ask_in_parts(
        &self,
        wishes: &[Wish],
        asked: &[usize],
        target: SocketAddr,
        found: &mut [Option<LookupAnswer>],
    ) -> Result<bool, DriveError> {
        let (mut rest, mut size) = (asked, FIRST_PART);
        while !rest.is_empty() && !self.is_over() {
            let part;
            (part, rest) = rest.split_at(size.min(rest.len()));
            let told = self.ask(wishes, part, target)?;
            let timed_out = told.iter().filter(|(_, _, result)| *result == OperationResult::TimedOut).count();
            for (index, told, _) in told {
                found[index] = Some(told);
            }
            if timed_out == part.len() && part.len() >= FIRST_PART {
                return Ok(true);
            }
            size *= 2;
        }
        Ok(false)
    }

    /// Asks once for all of these at the same time; of those that the time was over for nothing is told.
    fn ask(
        &self,
        wishes: &[Wish],
        asked: &[usize],
        target: SocketAddr,
    ) -> Result<Vec<(usize, LookupAnswer, OperationResult)>, DriveError> {
        let Some(&first) = asked.first() else { return Ok(Vec::new()) };
        let check = self.model.checks().iter().position(|check| match wishes[first].by {
            LookupBy::Id => check.kind == CheckKind::Read,
            LookupBy::Key => matches!(check.kind, CheckKind::Search { .. }),
            LookupBy::Account => matches!(check.kind, CheckKind::Statement { .. }),
        });
        let rows = Wishes {
            rows: Arc::clone(&self.rows),
            wishes: asked.iter().map(|&index| wishes[index].clone()).collect(),
        };
        let load = load_plan(self.plan, rows, wishes[first].path, check, target, self.timeout_ns)?;
        let stop = Arc::new(AtomicBool::new(false));
        let options = LoadOptions {
            threads: 1,
            history: true,
            real_time: false,
            backend: Backend::Auto,
            spin: false,
            drain: Duration::ZERO,
            stop: Arc::clone(&stop),
            events: Events::none(),
            seconds: None,
            gate: None,
        };
        let outcome = run_beside(&load, &options, LOOK, || stop.store(self.is_over(), Ordering::Relaxed))?;
        let ended = outcome.history.iter().filter(|o| o.result != OperationResult::Unfinished);
        let told = ended.filter_map(|o| {
            let index = *asked.get(o.user as usize)?;
            let digests = o.seen(&outcome.seen).iter().map(|seen| seen.digest).collect();
            // A head without its body says of nobody whether they are there.
            let is_whole = matches!(o.result, OperationResult::Ok | OperationResult::Wrong);
            let status = if is_whole || !Lookup::tells(o.status) { o.status } else { 0 };
            Some((index, (status, digests), o.result))
        });
        Ok(told.collect())
    }
}

fn load_plan(
    plan: &Plan,
    rows: Wishes,
    path: &str,
    check: Option<usize>,
    target: SocketAddr,
    timeout_ns: u64,
) -> Result<LoadPlan, DriveError> {
    let template = path.replace('{', "{{").replace('}', "}}") + "{text}";
    let step = Step {
        name: "look up".to_owned(),
        pause_ns: None,
        method: "GET".to_owned(),
        target: Template::parse(&template, &["text"])
            .map_err(|_| DriveError::Bug("the model's path is no target".to_owned()))?,
        headers: Vec::new(),
        body: None,
        statuses: vec![200],
        check,
        creates: false,
        captures: Vec::new(),
        fresh: false,
        at_once: 1,
        needs: Vec::new(),
    };
    let total = Some(rows.wishes.len() as u64);
    let scenario = Scenario {
        name: step.name.clone(),
        feeder: Some(0),
        connection: Connection::Shared,
        compared: false,
        cookies: false,
        after: Vec::new(),
        steps: vec![step],
    };
    Ok(LoadPlan {
        seed: plan.seed.word("lookups", &[]),
        headers: plan.challenge.headers.clone(),
        timeouts: Timeouts { connect_ns: timeout_ns, answer_ns: timeout_ns },
        scenarios: vec![scenario],
        sources: vec![Source {
            arrivals: Arrivals::Closed { users: CONNECTIONS, total, duration_ns: None },
            scenarios: vec![0],
            pick: Pick::InTurn,
            first_user: 0,
            after: Vec::new(),
        }],
        targets: vec![Target::plain(target)],
        transport: Transport::default(),
        pool: Pool { connections: CONNECTIONS, streams: 1 },
        stop_statuses: Vec::new(),
        data: Box::new(rows),
    })
}

/// The wishes as rows: each inserts its text, and its answer is examined as that of the creation's own row.
struct Wishes {
    rows: Arc<dyn ChallengeData>,
    wishes: Vec<Wish>,
}

impl ChallengeData for Wishes {
    fn write_field(&self, _feeder: usize, row: u64, _field: usize, out: &mut Vec<u8>) {
        if let Some(wish) = self.wishes.get(row as usize) {
            out.extend_from_slice(wish.text.as_bytes());
        }
    }

    fn ceiling(&self) -> Ceiling {
        Ceiling { min: 0, max: 0 }
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
        let Some(wish) = self.wishes.get(question.row as usize) else { return Examination::RIGHT };
        let Row { feeder, number } = wish.row;
        self.rows.examine(&Question { feeder, row: number, created: wish.id, ..*question }, answer, seen)
    }
}

#[cfg(test)]
mod tests;
