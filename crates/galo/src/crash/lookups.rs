//! After the restart: asks for everybody who was acknowledged, and for everybody who was refused, by the load engine
//! over a few kept connections.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use galo_load::{Backend, LoadOptions};
use galo_plan::challenge::{Connection, Scenario, Step, Timeouts};
use galo_plan::load::{Arrivals, Pick, Pool, Source, Target, Transport};
use galo_plan::model::{
    Answer, Asked, Ceiling, ChallengeData, CheckKind, Effect, Examination, Id, Row, Seen, Wanted,
};
use galo_plan::template::Template;
use galo_plan::{Contender, LoadPlan, Plan};
use galo_record::{CrashKind, Events, Lookup, LookupBy, Operation, RoundData};

use super::instances;
use crate::round::Driver;
use crate::session::stopped;

/// At once.
const CONNECTIONS: u32 = 8;
/// Bound for connecting and for an answer.
const TIMEOUT_NS: u64 = 10_000_000_000;
/// How often something is asked that is not answered, or by a 5xx.
const TRIES: usize = 3;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(500);

/// Everything that is looked up after a crash or an outage: at the contender's own port, and after an outage at each
/// instance as well (where all are up, and their readiness tells where they listen).
pub(super) fn all(
    driver: &Driver<'_>,
    plan: &Plan,
    contender: &Contender,
    data: &RoundData,
    is_up: bool,
) -> Result<Vec<Lookup>> {
    let (Some(crash), Some(placement)) = (&data.record.crash, &data.record.placement) else {
        return Ok(Vec::new());
    };
    let rows = plan.prepare(driver.model);
    let mut wishes = wishes(plan, &*rows, &data.history);
    let is_outage = crash.kind == CrashKind::Outage;
    // A balancer may have sent a cut creation again, and got it refused as a duplicate of itself.
    wishes.retain(|wish| wish.by == LookupBy::Id || !is_outage);
    let mut found = look_up(driver, plan, &wishes, placement.target, None)?;
    let each = if is_outage && is_up { instances::of(contender) } else { Vec::new() };
    for service in each {
        if let Some(address) = instances::address(service) {
            found.extend(look_up(driver, plan, &wishes, address, Some(&service.name))?);
        }
    }
    Ok(found)
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

/// Asks for all, those again that were not answered.
fn look_up(
    driver: &Driver<'_>,
    plan: &Plan,
    wishes: &[Wish],
    target: SocketAddr,
    service: Option<&str>,
) -> Result<Vec<Lookup>> {
    let mut found: Vec<Lookup> = wishes
        .iter()
        .map(|wish| Lookup {
            creation: wish.creation,
            by: wish.by,
            service: service.map(str::to_owned),
            status: 0,
            digests: Vec::new(),
        })
        .collect();
    for attempt in 0..TRIES {
        let open: Vec<usize> =
            (0..found.len()).filter(|&i| found[i].status == 0 || found[i].status >= 500).collect();
        if open.is_empty() || stopped(&driver.stop) {
            break;
        }
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        for by in [LookupBy::Id, LookupBy::Key] {
            let asked: Vec<usize> = open.iter().copied().filter(|&i| wishes[i].by == by).collect();
            for (index, (status, digests)) in ask(driver, plan, wishes, &asked, target)? {
                (found[index].status, found[index].digests) = (status, digests);
            }
        }
    }
    Ok(found)
}

/// An answer's status, and the digests of what it showed.
type Told = (u16, Vec<u64>);

/// Asks once for wishes of one kind, given by their numbers.
fn ask(
    driver: &Driver<'_>,
    plan: &Plan,
    wishes: &[Wish],
    asked: &[usize],
    target: SocketAddr,
) -> Result<Vec<(usize, Told)>> {
    let Some(&first) = asked.first() else { return Ok(Vec::new()) };
    let check = driver.model.checks().iter().position(|check| match wishes[first].by {
        LookupBy::Id => check.kind == CheckKind::Read,
        LookupBy::Key => matches!(check.kind, CheckKind::Search { .. }),
    });
    let rows = Wishes {
        rows: plan.prepare(driver.model),
        wishes: asked.iter().map(|&index| wishes[index].clone()).collect(),
    };
    let load = load_plan(plan, rows, wishes[first].path, check, target)?;
    let options = LoadOptions {
        threads: 1,
        history: true,
        real_time: false,
        backend: Backend::Auto,
        spin: false,
        drain: Duration::ZERO,
        stop: std::sync::Arc::clone(&driver.stop),
        events: Events::none(),
        seconds: None,
    };
    let outcome = galo_load::run(&load, &options)?;
    let told = outcome.history.iter().filter_map(|o| {
        let index = *asked.get(o.user as usize)?;
        Some((index, (o.status, o.seen(&outcome.seen).iter().map(|seen| seen.digest).collect())))
    });
    Ok(told.collect())
}

fn load_plan(
    plan: &Plan,
    rows: Wishes,
    path: &str,
    check: Option<usize>,
    target: SocketAddr,
) -> Result<LoadPlan> {
    let template = path.replace('{', "{{").replace('}', "}}") + "{text}";
    let step = Step {
        name: "look up".to_owned(),
        pause_ns: None,
        method: "GET".to_owned(),
        target: Template::parse(&template, &["text"], false).context("the model's path is no target")?,
        headers: Vec::new(),
        body: None,
        statuses: vec![200],
        check,
        creates: false,
        captures_location: false,
        needs_location: false,
    };
    let total = Some(rows.wishes.len() as u64);
    let scenario = Scenario {
        name: step.name.clone(),
        feeder: Some(0),
        connection: Connection::Shared,
        compared: false,
        steps: vec![step],
    };
    Ok(LoadPlan {
        seed: plan.seed,
        headers: plan.challenge.headers.clone(),
        timeouts: Timeouts { connect_ns: TIMEOUT_NS, answer_ns: TIMEOUT_NS },
        scenarios: vec![scenario],
        sources: vec![Source {
            arrivals: Arrivals::Closed { users: CONNECTIONS, total, duration_ns: None },
            scenarios: vec![0],
            pick: Pick::InTurn,
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
    rows: Box<dyn ChallengeData>,
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

    fn examine(&self, asked: &Asked, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
        let Some(wish) = self.wishes.get(asked.row as usize) else { return Examination::RIGHT };
        let Row { feeder, number } = wish.row;
        self.rows.examine(&Asked { feeder, row: number, created: wish.id, ..*asked }, answer, seen)
    }
}
