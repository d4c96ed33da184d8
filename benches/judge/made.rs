//! The history of a round of `pessoas` in which nothing is wrong, at any scale of the profile `official`: what the benches of the
//! judge and of the report are made of.

use std::collections::HashSet;
use std::error::Error;

use galo_challenge_pessoas::{CHALLENGE_TOML, model};
use galo_plan::model::{ChallengeData, Effect, Id, Label, Row, Seen};
use galo_plan::plan::Options;
use galo_plan::{Challenge, Contender, Plan};
use galo_record::load::StepRecord;
use galo_record::round::CountReading;
use galo_record::{Operation, OperationResult, RoundData, RoundRecord, StepLatencies};

/// Scenarios of the definition, and the flat numbers of their first steps.
const CREATE_AND_READ: (usize, u8) = (0, 0);
const SEARCH: (usize, u8) = (1, 2);
const WITHOUT_TERM: (usize, u8) = (2, 3);
const PROBE: (usize, u8) = (3, 4);

/// A search lists at most so many.
const LISTED: usize = 50;

/// One round of these contenders; `scale` is a factor on the profile's rates.
pub(crate) fn plan(scale: f64, contenders: Vec<Contender>) -> Result<Plan, Box<dyn Error>> {
    let options = Options {
        profile: "official".to_owned(),
        scale_milli: (scale * 1000.0) as u32,
        rounds: 1,
        seed: galo_plan::Seed::of_number(7),
        limited: true,
        noise_floor: None,
    };
    let challenge = Challenge::parse("challenge.toml", CHALLENGE_TOML, model())?;
    Ok(Plan::new(challenge, model(), contenders, &options)?)
}

/// A round in the making.
pub(crate) struct Made<'a> {
    plan: &'a Plan,
    data: &'a dyn ChallengeData,
    history: Vec<Operation>,
    seen: Vec<Seen>,
    taken: HashSet<u64>,
    /// Who was created: the moment of the acknowledgement, the row, and what answers show.
    created: Vec<(u64, Row, Seen)>,
}

impl<'a> Made<'a> {
    pub(crate) fn new(plan: &'a Plan, data: &'a dyn ChallengeData) -> Self {
        let mut made = Self {
            plan,
            data,
            history: Vec::new(),
            seen: Vec::new(),
            taken: HashSet::new(),
            created: Vec::new(),
        };
        for (user, due_ns) in made.arrivals(CREATE_AND_READ.0) {
            if let Some(done_ns) = made.create(0, CREATE_AND_READ.1, user, due_ns) {
                made.read(user, done_ns + 1_000_000 + spread(user, 29_000_000));
            }
        }
        let mut searches = Vec::new();
        for (user, due_ns) in made.arrivals(PROBE.0) {
            searches.push((due_ns, PROBE.1, Row { feeder: 2, number: user }));
            if let Some(done_ns) = made.create(2, PROBE.1 + 1, user, due_ns + 3_000_000) {
                searches.push((done_ns, PROBE.1 + 3, Row { feeder: 2, number: user }));
            }
        }
        for (user, due_ns) in made.arrivals(SEARCH.0) {
            searches.push((due_ns, SEARCH.1, Row { feeder: 1, number: user }));
        }
        made.search(&searches);
        for (user, due_ns) in made.arrivals(WITHOUT_TERM.0) {
            made.add(WITHOUT_TERM.1, user, due_ns, |o| o.status = 400);
        }
        made
    }

    /// Users with the moments of their arrivals, on a ramp from nothing.
    fn arrivals(&self, scenario: usize) -> Vec<(u64, u64)> {
        let users = self.plan.traffic[scenario].as_ref().map_or(0, |traffic| traffic.users);
        let length_ns = self.plan.duration_ns() as f64;
        (0..users).map(|user| (user, ((user as f64 / users as f64).sqrt() * length_ns) as u64)).collect()
    }

    /// Adds a request that takes 1 to 3 ms.
    fn add(&mut self, step: u8, user: u64, due_ns: u64, answer: impl FnOnce(&mut Operation)) -> u64 {
        let done_ns = due_ns + 1_000_000 + spread(user ^ u64::from(step) << 40, 2_000_000);
        let mut operation = Operation {
            intended_ns: due_ns,
            sent_ns: Some(due_ns + 30_000),
            first_byte_ns: Some(done_ns - 1000),
            done_ns,
            id: None,
            user: user as u32,
            connection: self.history.len() as u32,
            found: 0,
            seen: self.seen.len() as u32,
            kept: 0,
            status: 200,
            step,
            result: OperationResult::Ok,
            effect: Effect::None,
            broken: None,
        };
        answer(&mut operation);
        self.history.push(operation);
        done_ns
    }

    fn create(&mut self, feeder: usize, step: u8, user: u64, due_ns: u64) -> Option<u64> {
        let row = Row { feeder, number: user };
        let thing = self.data.thing(row)?;
        let status = match thing.label {
            Label::Refuse => 400,
            _ if !self.taken.insert(thing.key) => 422,
            _ => 201,
        };
        let is_created = status == 201;
        let id = Id(u128::from(thing.digest) << 64 | u128::from(user));
        let done_ns = self.add(step, user, due_ns, |o| {
            (o.status, o.effect) = (status, if is_created { Effect::Yes } else { Effect::No });
            o.id = is_created.then_some(id);
        });
        is_created.then(|| {
            self.created.push((done_ns, row, Seen { id, digest: thing.digest }));
            done_ns
        })
    }

    fn read(&mut self, user: u64, due_ns: u64) {
        let Some(&(.., seen)) = self.created.last() else { return };
        self.add(1, user, due_ns, |o| (o.id, o.kept) = (Some(seen.id), 1));
        self.seen.push(seen);
    }

    /// Each search lists who was acknowledged before it was due, at most [`LISTED`].
    fn search(&mut self, searches: &[(u64, u8, Row)]) {
        self.created.sort_unstable_by_key(|(done_ns, ..)| *done_ns);
        let rows: Vec<Row> = self.created.iter().map(|(_, row, _)| *row).collect();
        let queries: Vec<Row> = searches.iter().map(|(.., row)| *row).collect();
        let listed = self.data.listed(&queries, &rows, LISTED).unwrap_or_default();
        for (&(due_ns, step, row), matching) in searches.iter().zip(listed) {
            let matching = matching.iter().map(|&place| self.created[place as usize]);
            let shown: Vec<Seen> =
                matching.take_while(|(done_ns, ..)| *done_ns <= due_ns).map(|(.., seen)| seen).collect();
            self.add(step, row.number, due_ns, |o| {
                (o.kept, o.found) = (shown.len() as u8, shown.len() as u32);
            });
            self.seen.extend(shown);
        }
    }

    /// With the books that belong to it.
    pub(crate) fn round(mut self) -> RoundData {
        self.history.sort_unstable_by_key(|o| o.done_ns);
        let mut round = RoundData::new(RoundRecord::new(1, 0, 0));
        let steps = self.plan.challenge.steps().count();
        round.record.load.steps = vec![StepRecord::default(); steps];
        round.latencies = std::iter::repeat_with(StepLatencies::default).take(steps).collect();
        for o in &self.history {
            let ledger = &mut round.record.load.steps[usize::from(o.step)].ledger;
            ledger.intended += 1;
            ledger.end(o.result);
            round.latencies[usize::from(o.step)].ok.record_ns(o.done_ns - o.intended_ns);
        }
        round.record.load.ended_ns = self.history.last().map_or(0, |o| o.done_ns);
        let counted = |number: usize| CountReading::new(0, 200, number.to_string());
        round.record.count_before = Some(counted(0));
        round.record.counts_after = vec![counted(self.created.len())];
        (round.history, round.seen) = (self.history, self.seen);
        round
    }
}

/// A number below `bound` that looks drawn.
fn spread(number: u64, bound: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31).wrapping_mul(0xbf58_476d_1ce4_e5b9) % bound
}
