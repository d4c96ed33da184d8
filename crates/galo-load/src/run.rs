//! Starts the engine threads, tells where they are, and waits for them.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use galo_plan::LoadPlan;
use galo_plan::challenge::Connection;
use galo_plan::load::Arrivals;
use galo_record::Event;
use galo_record::clock::now_ns;

use crate::arrivals::End;
use crate::gate::Gate;
use crate::io::Waiting;
use crate::live::{Live, Reporter};
use crate::seconds::Collector;
use crate::tally::Seconds;
use crate::tls::{TlsClient, TlsError};
use crate::worker::{Share, Shared, Worker};
use crate::{LoadError, LoadOptions, LoadOutcome, join, net, os, script};

/// Time 0 lies this far ahead, so that all threads are there when it comes.
const AHEAD_NS: u64 = 50_000_000;
/// A sleeping thread wakes 20 to 120 us late (measured), so a spinning one is woken this much before.
const SPIN_NS: u64 = 150_000;
/// Between two pieces of news.
const REPORT_EVERY: Duration = Duration::from_millis(200);

pub(crate) fn run(plan: &LoadPlan, options: &LoadOptions) -> Result<LoadOutcome, LoadError> {
    let _ended = options.gate.as_deref().map(Gate::ended_at_drop);
    let scenarios = script::scenarios(plan);
    let threads = useful_threads(plan, options.threads);
    let lives: Vec<Live> = std::iter::repeat_with(Live::new).take(threads).collect();
    let tcp_tw_reuse = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_tw_reuse").unwrap_or_default();
    let (abandoned, stopped_by) = (AtomicBool::new(false), AtomicU16::new(0));
    let drain_ns = u64::try_from(options.drain.as_nanos()).unwrap_or(u64::MAX);
    let tls = check_tls(plan)?;
    let ends = End::of_each(plan, threads);
    // In slices it begins with the first one.
    let start_ns = now_ns() + if options.gate.is_some() { 0 } else { AHEAD_NS };
    let shared = Shared {
        plan,
        tls: tls.as_ref(),
        scenarios: &scenarios,
        sources_in_turn: !os::reuses_ports(&tcp_tw_reuse),
        threads,
        history: options.history,
        real_time: options.real_time,
        backend: options.backend,
        waiting: if options.spin { Waiting::SpinningFor(SPIN_NS) } else { Waiting::Asleep },
        start_ns,
        cut_ns: plan
            .latest_ns()
            .map_or(u64::MAX, |length_ns| (start_ns + length_ns).saturating_add(drain_ns)),
        stop: &options.stop,
        abandoned: &abandoned,
        stopped_by: &stopped_by,
        ends: &ends,
        gate: options.gate.as_deref(),
    };
    shared.gate.into_iter().for_each(|gate| gate.begin(threads));
    let retransmitted_before = os::retransmitted_segments();
    let (shares, collector) = drive(shared, &lives, options)?;
    let retransmitted = os::retransmitted_segments().saturating_sub(retransmitted_before);
    let mut outcome = join::outcome(start_ns, plan.steps(), shares);
    outcome.load.engine.retransmitted_segments = retransmitted;
    // The last second of each thread was closed just now.
    if let Some(collector) = collector {
        collector.finish();
    }
    if let status @ 1.. = stopped_by.into_inner() {
        outcome.load.stopped_by = Some(status);
        outcome.load.interrupted = options.stop.load(Ordering::Relaxed);
    }
    Ok(outcome)
}

/// As many threads as were asked for, but none without a connection of the pool, or without a user of the closed model:
/// it could do nothing, and the users that belong to it would never enter.
fn useful_threads(plan: &LoadPlan, wanted: usize) -> usize {
    let shares = plan.scenarios.iter().any(|scenario| scenario.connection == Connection::Shared);
    let users = plan.sources.iter().filter_map(|source| match source.arrivals {
        // Who enters once enters whichever thread has others.
        Arrivals::Closed { users, .. } if !source.arrivals.enter_once() => Some(users),
        Arrivals::Closed { .. } | Arrivals::Open { .. } => None,
    });
    let most = users.chain(shares.then_some(plan.pool.connections)).min().unwrap_or(u32::MAX);
    wanted.min(most as usize).max(1)
}

/// What all connections need to know of TLS, which then fails for none by the plan's own fault.
fn check_tls(plan: &LoadPlan) -> Result<Option<TlsClient>, LoadError> {
    let told = |error: TlsError| LoadError::Tls(error.to_string());
    let client = net::tls_client(plan).map_err(told)?;
    if let Some(client) = &client {
        for target in plan.targets.iter().filter(|target| target.tls) {
            client.connect(&target.host).map_err(told)?;
        }
    }
    Ok(client)
}

/// Runs all threads to their end, and reports from the calling one.
fn drive(
    shared: Shared<'_>,
    lives: &[Live],
    options: &LoadOptions,
) -> Result<(Vec<Share>, Option<Collector>), LoadError> {
    let (ended, all_ended) = channel::<()>();
    let (mut collector, parts) = options.seconds.clone().map(Collector::new).unzip();
    let seconds = parts.map_or(Seconds::Kept, Seconds::Sent);
    std::thread::scope(|scope| {
        let mut handles = Vec::with_capacity(lives.len());
        for (thread, live) in lives.iter().enumerate() {
            let (ended, seconds) = (ended.clone(), seconds.clone());
            let name = format!("galo-load-{thread}");
            let work = move || {
                // Dropped at the end of this thread, however it ends: the last one ends the reporting below.
                let _ended = ended;
                let _abandon = AbandonOnPanic(shared.abandoned);
                let share = Worker::new(shared, thread, live, seconds).and_then(Worker::drive);
                if share.is_err() {
                    shared.abandoned.store(true, Ordering::Relaxed);
                }
                share
            };
            match std::thread::Builder::new().name(name).spawn_scoped(scope, work) {
                Ok(handle) => handles.push(handle),
                Err(source) => {
                    shared.abandoned.store(true, Ordering::Relaxed);
                    return Err(LoadError::Os { action: "start an engine thread", source });
                }
            }
        }
        drop(ended);
        let mut reporter = Reporter::new(shared.plan, lives);
        let progress = || {
            let elapsed_ns = now_ns().saturating_sub(shared.start_ns);
            if let Some(collector) = &mut collector {
                collector.collect((elapsed_ns / 1_000_000_000) as usize);
            }
            reporter.progress(elapsed_ns)
        };
        report(&all_ended, REPORT_EVERY, progress, |progress| options.events.send(Event::Progress(progress)));
        // All are joined before the first failure is told: the scope itself panics for a panic that nobody took.
        let joined: Vec<_> = handles.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        joined.into_iter().map(share).collect::<Result<Vec<_>, _>>().map(|shares| (shares, collector))
    })
}

/// Tells how far the load is, time after time, until all threads have ended: nothing that is put together while the last
/// of them ends is told, for it would say again what the end says better.
fn report<T>(
    all_ended: &Receiver<()>,
    every: Duration,
    mut progress: impl FnMut() -> T,
    mut tell: impl FnMut(T),
) {
    while all_ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        let progress = progress();
        if all_ended.try_recv() == Err(TryRecvError::Empty) {
            tell(progress);
        }
    }
}

fn share(joined: std::thread::Result<std::io::Result<Share>>) -> Result<Share, LoadError> {
    match joined {
        Ok(Ok(share)) => Ok(share),
        Ok(Err(source)) => Err(LoadError::Os { action: "wait for events of sockets", source }),
        Err(panic) => Err(LoadError::Panic(panic_text(&*panic))),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}

/// Tells the other threads to stop when one of them panics: its share is lost, and with it the round.
struct AbandonOnPanic<'a>(&'a AtomicBool);

impl Drop for AbandonOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_progress_is_told_once_the_load_has_ended() {
        let (ended, all_ended) = channel::<()>();
        let mut ended = Some(ended);
        let mut looks = 0;
        let mut told = Vec::new();
        let progress = || {
            looks += 1;
            // The last thread ends while the third look is under way.
            if looks == 3 {
                ended = None;
            }
            looks
        };
        report(&all_ended, Duration::ZERO, progress, |look| told.push(look));
        assert_eq!((told, looks), (vec![1, 2], 3));
    }
}
