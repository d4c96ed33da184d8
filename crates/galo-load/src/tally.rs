//! One engine thread's accounts: every operation is entered when it falls due and when it ends.

use std::borrow::Cow;
use std::collections::BTreeMap;

use galo_record::round::StepRecord;
use galo_record::{Latencies, Ledger, Operation, OperationResult, SecondLatencies, StepLatencies};

use crate::ending::Ending;
use crate::evidence::EvidenceByKind;

const SECOND_NS: u64 = 1_000_000_000;
/// Room made for the history before the start, in operations; a longer one grows while the load runs.
const HISTORY_ROOM: u64 = 4_000_000;

/// See the module.
#[derive(Debug)]
pub(crate) struct Tally {
    steps: Vec<StepTally>,
    /// How late operations were begun by galo's own doing.
    pub(crate) lag: Latencies,
    /// From the attempt to connect to the first byte written.
    pub(crate) connects: Latencies,
    /// Requests sent again because a kept connection was closed under them.
    pub(crate) retries: u64,
    /// Operations that were begun late because every connection was busy.
    pub(crate) waited: u64,
    /// `None`: not wanted.
    pub(crate) history: Option<Vec<Operation>>,
    pub(crate) evidence: EvidenceByKind,
    pub(crate) own_errors: BTreeMap<Cow<'static, str>, u64>,
    /// From the start of the load.
    pub(crate) last_end_ns: u64,
}

/// One step's.
#[derive(Debug, Default)]
struct StepTally {
    ledger: Ledger,
    statuses: BTreeMap<u16, u64>,
    errors: BTreeMap<Cow<'static, str>, u64>,
    latencies: StepLatencies,
    /// The second that the next two are of.
    second: usize,
    second_ok: Latencies,
    second_ok_service: Latencies,
}

impl Tally {
    pub(crate) fn new(steps: usize, expected_operations: Option<u64>) -> Self {
        let room = |expected: u64| usize::try_from(expected.min(HISTORY_ROOM)).unwrap_or(0);
        Self {
            steps: std::iter::repeat_with(StepTally::default).take(steps).collect(),
            lag: Latencies::new(),
            connects: Latencies::new(),
            retries: 0,
            waited: 0,
            history: expected_operations.map(|expected| Vec::with_capacity(room(expected))),
            evidence: EvidenceByKind::default(),
            own_errors: BTreeMap::new(),
            last_end_ns: 0,
        }
    }

    /// An operation of flat step `step` falls due. From the start of the load.
    pub(crate) fn fall_due(&mut self, step: u8, intended_ns: u64) {
        let step = &mut self.steps[usize::from(step)];
        step.ledger.intended += 1;
        second_of(&mut step.latencies, intended_ns).intended += 1;
    }

    /// An operation ends.
    pub(crate) fn end(&mut self, operation: &Operation, ending: &Ending) {
        let step = &mut self.steps[usize::from(operation.step)];
        step.ledger.end(ending.result);
        if ending.answered {
            *step.statuses.entry(ending.status).or_default() += 1;
        }
        if let (OperationResult::Failed, Some(kind)) = (ending.result, &ending.kind) {
            count(&mut step.errors, kind.clone());
            if ending.own {
                count(&mut self.own_errors, kind.clone());
            }
        }
        step.end(operation);
        self.last_end_ns = self.last_end_ns.max(operation.done_ns);
        if let Some(history) = &mut self.history {
            history.push(*operation);
        }
    }

    /// The accounts by flat step, complete.
    pub(crate) fn into_steps(self) -> impl Iterator<Item = (StepRecord, StepLatencies)> {
        self.steps.into_iter().map(|mut step| {
            step.close_second();
            let errors = step.errors.into_iter().map(|(kind, n)| (kind.into_owned(), n)).collect();
            (StepRecord { ledger: step.ledger, statuses: step.statuses, errors }, step.latencies)
        })
    }
}

impl StepTally {
    fn end(&mut self, operation: &Operation) {
        let latency_ns = operation.done_ns.saturating_sub(operation.intended_ns);
        let second = second_of(&mut self.latencies, operation.done_ns);
        match operation.result {
            OperationResult::Ok => {
                let service_ns =
                    operation.done_ns.saturating_sub(operation.sent_ns.unwrap_or(operation.done_ns));
                self.open_second((operation.done_ns / SECOND_NS) as usize);
                self.second_ok.record_ns(latency_ns);
                self.second_ok_service.record_ns(service_ns);
                self.latencies.ok.record_ns(latency_ns);
                self.latencies.ok_service.record_ns(service_ns);
                return;
            }
            OperationResult::Wrong => second.wrong += 1,
            OperationResult::Failed => second.failed += 1,
            OperationResult::TimedOut => second.timed_out += 1,
            OperationResult::Unfinished => {}
        }
        self.latencies.not_ok.record_ns(latency_ns);
    }

    /// Each step goes on to a new second by itself, when something of it ends there: so the work of it is spread
    /// out, instead of making the thread late once a second.
    fn open_second(&mut self, second: usize) {
        if second != self.second {
            self.close_second();
            self.second = second;
        }
    }

    fn close_second(&mut self) {
        if !self.second_ok.is_empty() {
            let entry = &mut self.latencies.seconds[self.second];
            entry.ok = self.second_ok.take_sparse();
            entry.ok_service = self.second_ok_service.take_sparse();
        }
    }
}

/// The second in which `at_ns` lies, made if need be, with all before it.
fn second_of(latencies: &mut StepLatencies, at_ns: u64) -> &mut SecondLatencies {
    let index = (at_ns / SECOND_NS) as usize;
    if index >= latencies.seconds.len() {
        latencies.seconds.resize_with(index + 1, SecondLatencies::default);
    }
    &mut latencies.seconds[index]
}

fn count(counts: &mut BTreeMap<Cow<'static, str>, u64>, kind: Cow<'static, str>) {
    match counts.get_mut(&kind) {
        Some(n) => *n += 1,
        None => {
            counts.insert(kind, 1);
        }
    }
}
