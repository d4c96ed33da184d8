//! Rounds in which one thing is wrong from the tenth second on: 20 s, two services (`api` with half a CPU, `db` with one),
//! a sample every 100 ms.

use std::path::Path;

use galo_record::round::{Lack, LogSign, Neighbour};
use galo_record::sample::Sample;
use galo_record::{DatabaseSample, OperationResult, RoundData};
use insta::assert_snapshot;

use super::*;
use crate::testing::*;

const SECOND: u64 = 1_000_000_000;
const TROUBLE_NS: u64 = 10 * SECOND;

/// A request every 5 ms: answered after 10 ms while all is well, and after this in trouble.
fn round(troubled_ms: u64) -> RoundData {
    let mut round = RoundBuilder::clean().0;
    round.history = (0..4_000)
        .map(|user| {
            let due_ns = u64::from(user) * 5_000_000;
            let ms = if due_ns < TROUBLE_NS { 10 } else { troubled_ms };
            operation(READ, user, [due_ns, due_ns + ms * 1_000_000])
        })
        .collect();
    round
}

/// Calls this with each sample of the load and whether it is in trouble.
fn each_sample(round: &mut RoundData, mut change: impl FnMut(&mut Sample, bool)) {
    for sample in &mut round.samples {
        let is_trouble = sample.at_ns > START_NS + TROUBLE_NS;
        change(sample, is_trouble);
    }
}

/// A look every 0.73 s.
fn looks(round: &mut RoundData, seen: impl Fn(bool) -> DatabaseSample) {
    round.database = (0..27)
        .map(|number| {
            let at_ns = START_NS + number * 730_000_000;
            DatabaseSample {
                at_ns,
                commits: number * 140,
                max_connections: 100,
                ..seen(at_ns > START_NS + TROUBLE_NS)
            }
        })
        .collect();
}

fn waiting(event: &str, sessions: u32) -> DatabaseSample {
    DatabaseSample { waiting: [(event.to_owned(), sessions)].into(), idle: 1, ..DatabaseSample::default() }
}

/// Name, share and weight of each cause, then what it says.
fn told(round: &RoundData) -> String {
    let findings = findings(&plan(), round, true);
    let lines = findings.into_iter().map(|f| {
        let milli = f.explains_milli.unwrap_or(0);
        let evidence = f.evidence.iter().map(|piece| match piece {
            Evidence::Text { text } => format!("\n| {text}"),
            other => panic!("{other:?}"),
        });
        let evidence: String = evidence.collect();
        let Fact::Plain(fact) = &f.fact else { panic!("{f:?}") };
        format!(
            "{} {milli} {:?} {:?}: {}{evidence}\nhint: {}\n",
            f.name(),
            f.weight,
            f.blame,
            fact.text,
            fact.hint.as_deref().unwrap_or_default()
        )
    });
    lines.collect()
}

#[test]
fn where_hardly_anything_is_slow_there_is_nothing_to_explain() {
    let mut fine = round(10);
    each_sample(&mut fine, |sample, _| sample.services[0].throttled_periods = sample.at_ns / 100_000_000);
    assert_eq!(told(&fine), "");
    let mut few = round(10);
    for operation in few.history.iter_mut().take(19) {
        operation.result = OperationResult::Failed;
    }
    assert_eq!(told(&few), "");
}

#[test]
fn what_nobody_can_explain_is_not_explained() {
    assert_eq!(told(&round(300)), "");
    let mut unsampled = round(300);
    unsampled.samples.clear();
    assert_eq!(told(&unsampled), "");
}

/// The service with this number is throttled in all periods of the trouble and in one of ten before.
fn throttle(round: &mut RoundData, service: usize) {
    let (mut periods, mut throttled) = (0, 0);
    each_sample(round, |sample, is_trouble| {
        periods += 1;
        throttled += u64::from(is_trouble || periods % 10 == 0);
        let of_all = periods;
        sample.services.iter_mut().for_each(|s| s.periods = of_all);
        sample.services[service].throttled_periods = throttled;
    });
}

#[test]
fn a_service_at_its_cpu_limit_is_named_with_a_better_split() {
    let mut round = round(300);
    throttle(&mut round, 0);
    let mut used = 0;
    each_sample(&mut round, |sample, is_trouble| {
        used += if is_trouble { 50_000_000 } else { 20_000_000 };
        sample.services[0].cpu_ns = used;
    });
    assert_snapshot!(told(&round), @r#"
cpu-limit 900 Should Contender: `api` had used up its CPU limit of 0.5 in 100 % of the quota periods in which users waited (10 % while all was well), while `db` used 0.10 of 1; this covers 90 % of the waiting of 2,000 slow or failed operations (over 50 ms)
| `api`: 0.50 CPU of 0.5 while users waited
| `db`: 0.10 CPU of 1 while users waited
hint: shared out by what an answer cost each of them, the same 1.5 CPU are: `api` 1.17, `db` 0.33
"#);
}

#[test]
fn a_service_that_is_always_throttled_explains_nothing() {
    let mut round = round(300);
    let mut periods = 0;
    each_sample(&mut round, |sample, _| {
        periods += 1;
        (sample.services[0].periods, sample.services[0].throttled_periods) = (periods, periods);
    });
    assert_eq!(told(&round), "");
}

#[test]
fn one_of_two_instances_that_is_throttled_alone_is_told_as_slow() {
    let mut plan = plan();
    let mut round = round(300);
    throttle(&mut round, 1);
    let placed = &mut round.record.placement.as_mut().unwrap().services;
    for (number, name) in ["api1", "api2"].into_iter().enumerate() {
        placed[number].name = name.to_owned();
        plan.contenders[0].services[number].name = name.to_owned();
    }
    let findings = findings(&plan, &round, false);
    assert_eq!(findings[0].name(), "slow-instance");
    assert_eq!(findings[0].weight, Weight::Note, "nothing is over the service level");
    assert_snapshot!(figures(&findings[0]), @"`api2` had used up its CPU limit of 1 in 100 % of the quota periods in which users waited (10 % while all was well), its twin `api1` in 0 %: one instance is slower than the others; this covers 90 % of the waiting of 2,000 slow or failed operations (over 50 ms)");
}

#[test]
fn memory_at_its_limit_counts_where_pages_are_read_again() {
    let mut round = round(300);
    let (mut hits, mut faults) = (0, 0);
    each_sample(&mut round, |sample, is_trouble| {
        hits += 5;
        faults += if is_trouble { 30 } else { 0 };
        (sample.services[1].memory_limit_hits, sample.services[1].major_faults) = (hits, faults);
    });
    assert_snapshot!(told(&round), @r#"
memory-limit 1000 Should Contender: `db` ran out of its memory of 512 MiB: it was short of memory in 100 % of the time in which users waited (0 % while all was well); this covers 100 % of the waiting of 2,000 slow or failed operations (over 50 ms)
| 1,000 allocations at the limit, 3,000 major page faults
| most anonymous memory: 60 MiB
hint: give `db` more of the memory, or make it keep less (caches, buffers, heap limits)
"#);
    each_sample(&mut round, |sample, _| sample.services[1].major_faults = 0);
    assert_eq!(told(&round), "", "merely full of page cache");
}

#[test]
fn memory_that_is_short_is_the_cause_of_the_cpu_that_it_costs() {
    let mut round = round(300);
    throttle(&mut round, 1);
    let mut faults = 0;
    each_sample(&mut round, |sample, is_trouble| {
        faults += if is_trouble { 30 } else { 0 };
        sample.services[1].major_faults = faults;
    });
    let names = |round: &RoundData| -> Vec<String> {
        findings(&plan(), round, true).into_iter().map(|finding| finding.name().to_owned()).collect()
    };
    assert_eq!(names(&round), ["cpu-limit"]);
    // No kernel's counter is needed: with swap limited as well, some count nothing.
    each_sample(&mut round, |sample, _| sample.services[1].memory_bytes = 510 << 20);
    assert_eq!(names(&round), ["memory-limit"]);
}

#[test]
fn a_process_that_the_kernel_kills_for_memory_is_felt_for_a_while() {
    let mut round = round(10);
    let felt = TROUBLE_NS..TROUBLE_NS + 2 * SECOND;
    for operation in round.history.iter_mut().filter(|o| felt.contains(&o.intended_ns)) {
        operation.result = OperationResult::Failed;
    }
    each_sample(&mut round, |sample, is_trouble| sample.services[0].oom_kills = u64::from(is_trouble));
    assert_snapshot!(told(&round), @r#"
memory-limit 944 Should Contender: `api` ran out of its memory of 256 MiB: the kernel killed 1 of its processes, and it was short of memory in 100 % of the time in which users waited (6 % while all was well); this covers 94 % of the waiting of 400 slow or failed operations (over 50 ms)
| 0 major page faults
| most anonymous memory: 60 MiB
hint: give `api` more of the memory, or make it keep less (caches, buffers, heap limits)
"#);
}

#[test]
fn what_a_program_says_that_it_lacks_covers_what_failed() {
    let mut round = round(300);
    for operation in round.history.iter_mut().filter(|o| o.intended_ns >= TROUBLE_NS) {
        operation.result = OperationResult::Failed;
    }
    round.record.log_signs = vec![LogSign {
        service: "api".to_owned(),
        lack: Lack::BalancerConnections,
        lines: 1_234,
        first: "[alert] 16 worker_connections are not enough".to_owned(),
    }];
    assert_snapshot!(told(&round), @r#"
balancer-connections 1000 Should Contender: the load balancer had no connection left: `api` says so in 1,234 lines, and 2,000 operations failed; this covers 100 % of the waiting of 2,000 slow or failed operations (over 50 ms)
| api.log: [alert] 16 worker_connections are not enough
hint: raise its limit (nginx: `worker_connections`, two for each request under way; HAProxy: `maxconn`), with `nofile` to match
"#);
}

#[test]
fn what_a_program_says_that_it_lacks_is_told_however_few_operations_failed_and_nothing_else_is() {
    let mut round = round(10);
    throttle(&mut round, 0);
    round.history[3_000].result = OperationResult::Failed;
    assert_eq!(told(&round), "");
    round.record.log_signs = vec![LogSign {
        service: "api".to_owned(),
        lack: Lack::Descriptors,
        lines: 1,
        first: "accept: too many open files".to_owned(),
    }];
    let findings = findings(&plan(), &round, false);
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.weight, finding.explains_milli), (Weight::Note, Some(1_000)));
    assert_snapshot!(figures(finding), @"no file descriptor was left: `api` says so in 1 line, and 1 operation failed; this covers 100 % of the waiting of 1 failed operation");
}

#[test]
fn sessions_that_wait_for_a_lock_are_told_with_whom_they_wait_for() {
    let mut round = round(300);
    looks(&mut round, |is_trouble| match is_trouble {
        true => {
            DatabaseSample { blocker: Some("LOCK TABLE people".to_owned()), ..waiting("Lock:relation", 7) }
        }
        false => DatabaseSample { running: 1, idle: 7, ..DatabaseSample::default() },
    });
    assert_snapshot!(told(&round), @r#"
database-lock 1000 Should Contender: sessions of the database waited for a lock in 100 % of the busy time in which users waited (0 % while all was well), up to 7 at once; this covers 100 % of the waiting of 2,000 slow or failed operations (over 50 ms)
| they waited for: LOCK TABLE people
| sessions on average over 27 looks: running 0.5, waiting for Lock:relation 3.4
hint: hold locks for less long (shorter transactions, no `LOCK TABLE`, no rows that everybody updates), or take the work that holds them out of the load
"#);
}

#[test]
fn commits_that_wait_long_for_the_disk_are_told() {
    let mut round = round(300);
    // 7 sessions that wait, 192 commits a second: 20 ms for each.
    looks(&mut round, |is_trouble| waiting("IO:WALSync", if is_trouble { 7 } else { 0 }));
    assert_snapshot!(told(&round), @r#"
slow-disk 1000 Note Host: sessions of the database waited for the disk in 100 % of the busy time in which users waited (0 % while all was well), 17.6 ms for each commit; this covers 100 % of the waiting of 2,000 slow or failed operations (over 50 ms)
| sessions on average over 27 looks: running 0.0, waiting for IO:WALSync 3.4
hint: a faster disk; or fewer flushes: more creations in one commit, or more sessions whose commits are flushed together
"#);
}

#[test]
fn sessions_that_are_all_in_use_while_many_wait_are_a_pool_that_is_short() {
    let mut round = round(300);
    looks(&mut round, |is_trouble| match is_trouble {
        true => DatabaseSample { running: 1, idle_in_transaction: 1, ..DatabaseSample::default() },
        false => DatabaseSample { idle: 2, ..DatabaseSample::default() },
    });
    assert_snapshot!(told(&round), @r#"
pool-exhausted 1000 Should Contender: the sessions with the database (at most 2) were in use for 100 % of the time in which users waited (0 % while all was well), while 60 operations were under way and no service was at its CPU limit; this covers 100 % of the waiting of 2,000 slow or failed operations (over 50 ms)
| sessions on average over 27 looks: running 0.5
hint: measure a larger connection pool (twice, four times as large), or hold a connection for less of a request
"#);
    let mut crowded = round.clone();
    let mut waited = 0;
    each_sample(&mut crowded, |sample, _| {
        waited += 180_000_000;
        sample.services[0].run_queue_ns = waited;
    });
    assert!(!told(&crowded).contains("pool-exhausted"), "who holds a session has no core");
    throttle(&mut round, 1);
    assert!(!told(&round).contains("pool-exhausted"), "the database was at its CPU limit");
}

#[test]
fn a_stranger_on_a_full_core_is_told_by_name() {
    let mut round = round(300);
    let mut waited = 0;
    each_sample(&mut round, |sample, is_trouble| {
        sample.host.busy_ns = sample.at_ns;
        sample.cores_busy_ns = vec![sample.at_ns, 7];
        // Ready for 0.1 s each second beside the 0.2 s in which they ran, then for 1.8 s.
        waited += if is_trouble { 180_000_000 } else { 10_000_000 };
        sample.services[0].run_queue_ns = waited;
    });
    round.record.neighbours = vec![Neighbour { name: "stress".to_owned(), pid: 77, cpu_ns: 12 * SECOND }];
    assert_snapshot!(told(&round), @r#"
busy-neighbour 720 Note Host: the services waited for a core in 90 % of the time in which they wanted one, while processes that are neither the contender's nor galo's used 0.80 CPU; this covers 72 % of the waiting of 2,000 slow or failed operations (over 50 ms)
| `stress` (process 77) used 12.0 s of CPU
hint: end `stress`, or keep it off these cores (`taskset`), and fight again
"#);
}

#[test]
fn dropped_connections_are_felt_for_a_second() {
    let mut round = round(1_100);
    let mut dropped = 0;
    each_sample(&mut round, |sample, is_trouble| {
        dropped += if is_trouble { 3 } else { 0 };
        sample.host.listen_overflows = dropped;
        (sample.host.accept_queue, sample.host.accept_queue_port) = (129, 9999);
    });
    assert_snapshot!(told(&round), @r#"
accept-queue 1000 Should Contender: 300 connections were dropped because an accept queue was full, and such a client waits a second before it tries again; 100 % of the time in which users waited (0 % while all was well) followed on that; this covers 100 % of the waiting of 2,000 slow or failed operations (over 50 ms)
| longest queue seen: 129 connections at port 9999
hint: accept sooner (a thread that does only that, more CPU), or raise the backlog: the server's own, and net.core.somaxconn
"#);
}

#[test]
fn stalls_are_told_with_their_period_where_nothing_else_is() {
    let mut round = round(10);
    // Nobody is answered in the last 300 ms of each second.
    for operation in &mut round.history {
        let in_second = operation.done_ns % SECOND;
        if in_second >= 700_000_000 {
            operation.done_ns += SECOND - in_second;
        }
    }
    assert_snapshot!(told(&round), @r#"
stalls 998 Should Contender: nobody was answered in 20 stalls of up to 0.3 s, every 1.0 s, though many waited and no service was at its CPU limit; this covers 100 % of the waiting of 1,040 slow or failed operations (over 50 ms)
| a stall began at 0.7 s
| a stall began at 1.7 s
| a stall began at 2.7 s
hint: look at what the program does at these moments: a collector's log, locks, timers, checkpoints
"#);
}

#[test]
fn each_cause_has_a_page() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/findings");
    for name in CAUSES {
        let page = std::fs::read_to_string(pages.join(format!("{name}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# `{name}`")), "docs/findings/{name}.md");
    }
}
