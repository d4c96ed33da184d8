//! One engine thread's accounts: every operation is entered when it falls due and when it ends.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::mpsc::Sender;

use galo_plan::model::Seen;
use galo_record::load::StepRecord;
use galo_record::{Latencies, Ledger, Operation, OperationResult, SecondLatencies, StepLatencies};

use crate::ending::Ending;
use crate::evidence::EvidenceByKind;

const SECOND_NS: u64 = 1_000_000_000;
/// Room made for the history before the start, in operations; a longer one grows while the load runs.
const HISTORY_ROOM: u64 = 4_000_000;

/// What happened to the operations of one engine thread, by step and by second.
#[derive(Debug)]
pub(crate) struct Tally {
    steps: Vec<StepTally>,
    seconds: Seconds,
    /// How late requests were sent by galo's own doing.
    pub(crate) lag: Latencies,
    /// From the attempt to connect to the first byte written.
    pub(crate) connects: Latencies,
    /// Requests sent again because a kept connection was closed under them.
    pub(crate) retries: u64,
    /// Operations that were begun late because every connection was busy.
    pub(crate) waited: u64,
    /// `None`: not wanted.
    pub(crate) history: Option<Vec<Operation>>,
    /// What the answers of the history showed.
    pub(crate) seen: Vec<Seen>,
    /// What the answer showed that ends now.
    pub(crate) seen_now: Vec<Seen>,
    pub(crate) evidence: EvidenceByKind,
    pub(crate) own_errors: BTreeMap<Cow<'static, str>, u64>,
    /// From the start of the load.
    pub(crate) last_end_ns: u64,
}

/// What becomes of a second that is over.
#[derive(Debug, Clone)]
pub(crate) enum Seconds {
    /// It is kept with its step.
    Kept,
    /// It is handed over with its number.
    Sent(Sender<(usize, SecondLatencies)>),
}

/// One step's. A latency is counted in the second that is open, and becomes part of the whole when that is over: so
/// there is one histogram to count it in, not two.
#[derive(Debug, Default)]
struct StepTally {
    ledger: Ledger,
    statuses: BTreeMap<u16, u64>,
    errors: BTreeMap<Cow<'static, str>, u64>,
    /// Up to the open second.
    latencies: StepLatencies,
    /// Number of the second that is open.
    second: usize,
    /// Its counts; its latencies are in the histograms below.
    counts: SecondLatencies,
    ok: Latencies,
    ok_service: Latencies,
    not_ok: Latencies,
}

impl Tally {
    pub(crate) fn new(steps: usize, expected_operations: Option<u64>, seconds: Seconds) -> Self {
        let room = |expected: u64| usize::try_from(expected.min(HISTORY_ROOM)).unwrap_or(0);
        Self {
            steps: std::iter::repeat_with(StepTally::default).take(steps).collect(),
            seconds,
            lag: Latencies::new(),
            connects: Latencies::new(),
            retries: 0,
            waited: 0,
            history: expected_operations.map(|expected| Vec::with_capacity(room(expected))),
            seen: Vec::new(),
            seen_now: Vec::new(),
            evidence: EvidenceByKind::default(),
            own_errors: BTreeMap::new(),
            last_end_ns: 0,
        }
    }

    /// An operation of flat step `step` falls due. From the start of the load.
    pub(crate) fn fall_due(&mut self, step: u8, intended_ns: u64) {
        let step = &mut self.steps[usize::from(step)];
        step.ledger.intended += 1;
        step.go_to(intended_ns, &self.seconds);
        step.counts.intended += 1;
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
        step.go_to(operation.done_ns, &self.seconds);
        step.end(operation);
        self.last_end_ns = self.last_end_ns.max(operation.done_ns);
        if let Some(history) = &mut self.history {
            // A position beyond 32 bits would take 100 GB of things seen.
            let (seen, kept) = (self.seen.len() as u32, self.seen_now.len() as u8);
            history.push(Operation { seen, kept, ..*operation });
            self.seen.append(&mut self.seen_now);
        }
        self.seen_now.clear();
    }

    /// Right answers so far.
    pub(crate) fn ok(&self) -> u64 {
        self.steps.iter().map(|step| step.ledger.ok).sum()
    }

    /// Closes the second of one step that nothing has closed yet, if there is one. Called when the thread has time.
    pub(crate) fn close_one(&mut self, now_ns: u64) {
        let second = (now_ns / SECOND_NS) as usize;
        if let Some(step) = self.steps.iter_mut().find(|step| step.second < second) {
            step.go_to(now_ns, &self.seconds);
        }
    }

    /// The accounts by flat step, complete.
    pub(crate) fn into_steps(self) -> impl Iterator<Item = (StepRecord, StepLatencies)> {
        self.steps.into_iter().map(move |mut step| {
            step.close_second(&self.seconds);
            let errors = step.errors.into_iter().map(|(kind, n)| (kind.into_owned(), n)).collect();
            (StepRecord { ledger: step.ledger, statuses: step.statuses, errors }, step.latencies)
        })
    }
}

impl StepTally {
    fn end(&mut self, operation: &Operation) {
        let latency_ns = operation.done_ns.saturating_sub(operation.intended_ns);
        match operation.result {
            OperationResult::Ok => {
                let service_ns =
                    operation.done_ns.saturating_sub(operation.sent_ns.unwrap_or(operation.done_ns));
                self.ok.record_ns(latency_ns);
                self.ok_service.record_ns(service_ns);
                return;
            }
            OperationResult::Wrong => self.counts.wrong += 1,
            OperationResult::Failed => self.counts.failed += 1,
            OperationResult::TimedOut => self.counts.timed_out += 1,
            OperationResult::Unfinished => {}
        }
        self.not_ok.record_ns(latency_ns);
    }

    /// Opens the second in which `at_ns` lies, unless it is over already. Each step goes on by itself, when something
    /// of it happens there: so the work of it is spread out, instead of making the thread late once a second.
    fn go_to(&mut self, at_ns: u64, seconds: &Seconds) {
        let second = (at_ns / SECOND_NS) as usize;
        if second > self.second {
            self.close_second(seconds);
            self.second = second;
        }
    }

    fn close_second(&mut self, seconds: &Seconds) {
        let mut closed = std::mem::take(&mut self.counts);
        closed.ok = self.ok.take_sparse();
        closed.ok_service = self.ok_service.take_sparse();
        closed.not_ok = self.not_ok.take_sparse();
        self.latencies.ok.add_sparse(&closed.ok);
        self.latencies.ok_service.add_sparse(&closed.ok_service);
        self.latencies.not_ok.add_sparse(&closed.not_ok);
        match seconds {
            Seconds::Kept => {
                self.latencies.seconds.resize_with(self.second, SecondLatencies::default);
                self.latencies.seconds.push(closed);
            }
            // A listener that is gone wants nothing more.
            Seconds::Sent(listener) => _ = listener.send((self.second, closed)),
        }
    }
}

fn count(counts: &mut BTreeMap<Cow<'static, str>, u64>, kind: Cow<'static, str>) {
    match counts.get_mut(&kind) {
        Some(n) => *n += 1,
        None => {
            counts.insert(kind, 1);
        }
    }
}
