//! What the engine threads hand over becomes one outcome.

use galo_record::load::{EngineRecord, LoadRecord, Priority, StepRecord, add_counts};
use galo_record::{Latencies, Operation, SecondLatencies, StepLatencies};

use crate::LoadOutcome;
use crate::evidence::EvidenceByKind;
use crate::worker::Share;

/// Joins the shares of a load that began at `started_ns`.
pub(crate) fn outcome(started_ns: u64, steps: usize, shares: Vec<Share>) -> LoadOutcome {
    let mut records = vec![StepRecord::default(); steps];
    let mut latencies: Vec<StepLatencies> =
        std::iter::repeat_with(StepLatencies::default).take(steps).collect();
    let mut history: Vec<Operation> = Vec::new();
    let mut seen = Vec::new();
    let mut evidence = EvidenceByKind::default();
    let (mut lag, mut connects) = (Latencies::new(), Latencies::new());
    let mut engine = EngineRecord {
        threads: shares.len() as u32,
        priority: Priority::RealTime,
        ..EngineRecord::default()
    };
    let (mut last_end_ns, mut interrupted) = (0, false);
    for mut share in shares {
        interrupted |= share.interrupted;
        last_end_ns = last_end_ns.max(share.tally.last_end_ns);
        engine.connections += share.connections;
        engine.sent_bytes += share.sent_bytes;
        engine.received_bytes += share.received_bytes;
        engine.cpu_ns += share.cpu_ns;
        engine.thread_cpu_ns.push(share.cpu_ns);
        engine.run_queue_ns.push(share.run_queue_ns);
        share.backend.clone_into(&mut engine.backend);
        engine.retries += share.tally.retries;
        engine.waited += share.tally.waited;
        connects.add(&share.tally.connects);
        // The least favoured thread is the one that would be late.
        engine.priority = engine.priority.max(share.priority);
        lag.add(&share.tally.lag);
        evidence.add(std::mem::take(&mut share.tally.evidence));
        let own_errors = std::mem::take(&mut share.tally.own_errors);
        let own_errors = own_errors.into_iter().map(|(kind, n)| (kind.into_owned(), n)).collect();
        add_counts(&mut engine.own_errors, &own_errors);
        let first_seen = seen.len() as u32;
        seen.append(&mut share.tally.seen);
        let mut its_history = share.tally.history.take().unwrap_or_default();
        if history.is_empty() {
            history = its_history;
        } else {
            its_history.iter_mut().for_each(|operation| operation.seen += first_seen);
            history.append(&mut its_history);
        }
        for (step, (record, its_latencies)) in share.tally.into_steps().enumerate() {
            records[step].add(&record);
            latencies[step].add(&its_latencies);
        }
    }
    history.sort_by_key(|operation| operation.done_ns);
    same_seconds(&mut latencies);
    engine.connects = connects.to_sparse();
    (engine.lag_us_p50, engine.lag_us_p99) = (lag.quantile_us(0.5), lag.quantile_us(0.99));
    (engine.lag_us_p99_9, engine.lag_us_max) = (lag.quantile_us(0.999), lag.max_us());
    let load = LoadRecord {
        started_ns,
        ended_ns: started_ns + last_end_ns,
        interrupted,
        stopped_by: None,
        steps: records,
        engine,
    };
    LoadOutcome { load, latencies, history, seen, evidence: evidence.into_sorted() }
}

/// Every step gets an entry for every second of the load, so that they can be laid beside each other.
fn same_seconds(latencies: &mut [StepLatencies]) {
    let seconds = latencies.iter().map(|step| step.seconds.len()).max().unwrap_or(0);
    for step in latencies {
        step.seconds.resize_with(seconds, SecondLatencies::default);
    }
}
