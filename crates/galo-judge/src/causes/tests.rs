//! Rounds in which one thing is wrong from the tenth second on: 20 s, two services (`api` with half a CPU, `db` with one),
//! a sample every 100 ms.

use galo_plan::Runner;
use galo_record::finding::Weight;
use galo_record::round::{Lack, LogSign, Neighbour};
use galo_record::sample::Sample;
use galo_record::{DatabaseSample, OperationResult, RoundData, ServiceFlushes};
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
fn looks(round: &mut RoundData, mut seen: impl FnMut(bool) -> DatabaseSample) {
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
    told_of(&plan(), round)
}

fn told_of(plan: &Plan, round: &RoundData) -> String {
    let findings = findings(plan, round, true);
    let lines = findings.into_iter().map(|f| {
        let milli = f.explains_milli.unwrap_or(0);
        let evidence: String = shown(&f).iter().map(|piece| format!("\n| {piece}")).collect();
        format!("{} {milli} {:?} {:?}: {}{evidence}\n", f.name(), f.weight, f.blame, figures(&f))
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
cpu-limit 900 Should Contender: {"kind":"cpu-limit","service":"api","limit_cpus":0.5,"seen":{"in_trouble":1.0,"in_calm":0.1},"idle":[{"service":"db","cpus":0.1,"limit_cpus":1.0}],"split":{"budget_cpus":1.5,"parts":[{"service":"api","cpus":1.16667},{"service":"db","cpus":0.333333}]},"share":0.9,"waiting":{"operations":2000,"slow_ns":50000000}}
| {"kind":"cpu-while-waiting","service":"api","cpus":0.5,"limit_cpus":0.5}
| {"kind":"cpu-while-waiting","service":"db","cpus":0.1,"limit_cpus":1.0}
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
    assert_snapshot!(figures(&findings[0]), @r#"{"kind":"slow-instance","service":"api2","limit_cpus":1.0,"seen":{"in_trouble":1.0,"in_calm":0.1},"twin":"api1","twin_share":0.0,"share":0.9,"waiting":{"operations":2000,"slow_ns":50000000}}"#);
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
memory-limit 1000 Should Contender: {"kind":"memory-limit","service":"db","limit_bytes":536870912,"seen":{"in_trouble":1.0,"in_calm":0.0},"killed":0,"share":1.0,"waiting":{"operations":2000,"slow_ns":50000000}}
| {"kind":"memory-hits","hits":1000,"faults":3000}
| {"kind":"most-anonymous","bytes":62914560}
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
memory-limit 944 Should Contender: {"kind":"memory-limit","service":"api","limit_bytes":268435456,"seen":{"in_trouble":1.0,"in_calm":0.0558659},"killed":1,"share":0.944134,"waiting":{"operations":400,"slow_ns":50000000}}
| {"kind":"memory-hits","hits":0,"faults":0}
| {"kind":"most-anonymous","bytes":62914560}
"#);
}

#[test]
fn what_a_program_says_that_it_lacks_covers_what_failed() {
    let mut round = round(300);
    for operation in round.history.iter_mut().filter(|o| o.intended_ns >= TROUBLE_NS) {
        operation.result = OperationResult::Failed;
    }
    round.record.beside.log_signs = vec![LogSign {
        service: "api".to_owned(),
        lack: Lack::BalancerConnections,
        lines: 1_234,
        first: "[alert] 16 worker_connections are not enough".to_owned(),
    }];
    assert_snapshot!(told(&round), @r#"
balancer-connections 1000 Should Contender: {"kind":"balancer-connections","said":[{"service":"api","lines":1234}],"failed":2000,"share":1.0,"waiting":{"operations":2000,"slow_ns":50000000}}
| {"kind":"log-line","service":"api","line":"[alert] 16 worker_connections are not enough"}
"#);
}

#[test]
fn what_a_program_says_that_it_lacks_is_told_however_few_operations_failed_and_nothing_else_is() {
    let mut round = round(10);
    throttle(&mut round, 0);
    round.history[3_000].result = OperationResult::Failed;
    assert_eq!(told(&round), "");
    round.record.beside.log_signs = vec![LogSign {
        service: "api".to_owned(),
        lack: Lack::Descriptors,
        lines: 1,
        first: "accept: too many open files".to_owned(),
    }];
    let findings = findings(&plan(), &round, false);
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.weight, finding.explains_milli), (Weight::Note, Some(1_000)));
    assert_snapshot!(figures(finding), @r#"{"kind":"descriptors","said":[{"service":"api","lines":1}],"failed":1,"share":1.0,"waiting":{"operations":1,"slow_ns":null}}"#);
}

#[test]
fn sessions_that_wait_for_a_lock_are_told_with_whom_they_wait_for() {
    let mut round = round(300);
    let blocked_by = |statement: &str, sessions: u32| DatabaseSample {
        blocker: Some(statement.to_owned()),
        ..waiting("Lock:relation", sessions)
    };
    let mut looked = 0;
    looks(&mut round, |is_trouble| {
        looked += 1;
        match is_trouble {
            // The first looks see somebody who queues as well.
            true if looked < 17 => blocked_by("INSERT INTO people", 7),
            true => blocked_by("LOCK TABLE people", 7),
            false => DatabaseSample { running: 1, idle: 7, ..DatabaseSample::default() },
        }
    });
    assert_snapshot!(told(&round), @r#"
database-lock 1000 Should Contender: {"kind":"database-lock","seen":{"in_trouble":1.0,"in_calm":0.0},"most":7,"share":1.0,"waiting":{"operations":2000,"slow_ns":50000000}}
| {"kind":"blocker","statement":"LOCK TABLE people"}
| {"kind":"sessions","looks":27,"running":0.518519,"waiting":[{"event":"Lock:relation","sessions":3.37037}]}
"#);
}

#[test]
fn commits_that_wait_long_for_the_disk_are_told() {
    let mut round = round(300);
    // 7 sessions that wait, 192 commits a second: 20 ms for each.
    looks(&mut round, |is_trouble| waiting("IO:WALSync", if is_trouble { 7 } else { 0 }));
    assert_snapshot!(told(&round), @r#"
slow-disk 1000 Note Host: {"kind":"slow-disk","seen":{"in_trouble":1.0,"in_calm":0.0},"commit_ns":17574074,"share":1.0,"waiting":{"operations":2000,"slow_ns":50000000}}
| {"kind":"sessions","looks":27,"running":0.0,"waiting":[{"event":"IO:WALSync","sessions":3.37037}]}
"#);
}

#[test]
fn a_flush_that_takes_long_is_told_though_most_commits_only_read() {
    let mut round = round(300);
    looks(&mut round, |is_trouble| waiting("IO:WALSync", is_trouble.into()));
    for look in &mut round.database {
        look.commits *= 100;
    }
    let mut is_told = |calls| {
        round.record.flushes = vec![ServiceFlushes {
            service: "db".into(),
            calls,
            synchronous_files: 0,
            written_files: None,
            doubt: None,
        }];
        told(&round).contains("slow-disk")
    };
    // 0.48 sessions that wait, for 19 s: 30 ms for each of 300 flushes, 0.9 ms for each of 10,000.
    assert!(is_told(Some(300)), "each flush takes long");
    assert!(!is_told(Some(10_000)), "each flush is short");
    assert!(!is_told(None), "nobody counted them, and of each commit's time little is a wait");
}

#[test]
fn sessions_that_are_all_in_use_while_many_wait_are_a_pool_that_is_short() {
    let mut round = round(300);
    looks(&mut round, |is_trouble| match is_trouble {
        true => DatabaseSample { running: 1, idle_in_transaction: 1, ..DatabaseSample::default() },
        false => DatabaseSample { idle: 2, ..DatabaseSample::default() },
    });
    assert_snapshot!(told(&round), @r#"
pool-exhausted 1000 Should Contender: {"kind":"pool-exhausted","by":"sessions","seen":{"in_trouble":1.0,"in_calm":0.0},"sessions":2,"under_way":59.6788,"share":1.0,"waiting":{"operations":2000,"slow_ns":50000000}}
| {"kind":"sessions","looks":27,"running":0.481481,"waiting":[]}
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
    round.record.beside.neighbours =
        vec![Neighbour { name: "stress".to_owned(), pid: 77, cpu_ns: 12 * SECOND }];
    assert_snapshot!(told(&round), @r#"
busy-neighbour 720 Note Host: {"kind":"busy-neighbour","waited_share":0.9,"others_cpus":0.8,"busiest":"stress","share":0.72,"waiting":{"operations":2000,"slow_ns":50000000}}
| {"kind":"neighbour","name":"stress","pid":77,"cpu_ns":12000000000}
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
accept-queue 1000 Should Contender: {"kind":"accept-queue","dropped":300,"seen":{"in_trouble":1.0,"in_calm":0.0},"share":1.0,"waiting":{"operations":2000,"slow_ns":50000000}}
| {"kind":"accept-queue","connections":129,"port":9999}
"#);
}

#[test]
fn connections_that_a_container_engines_proxy_dropped_are_not_the_contenders_fault() {
    let mut round = round(1_100);
    let mut dropped = 0;
    each_sample(&mut round, |sample, is_trouble| {
        dropped += if is_trouble { 3 } else { 0 };
        sample.host.listen_overflows = dropped;
        (sample.host.accept_queue, sample.host.accept_queue_port) = (4_097, 9999);
    });
    let mut plan = plan();
    let blame = |plan: &Plan, round: &RoundData| told_of(plan, round).split(' ').nth(3).map(str::to_owned);
    // Also where an engine runs on the machine for others.
    round.record.beside.container_engine_ns = Some(1);
    assert_eq!(blame(&plan, &round).as_deref(), Some("Contender:"), "processes");
    plan.contenders[round.record.contender].runner = Runner::Docker;
    assert_eq!(blame(&plan, &round).as_deref(), Some("Host:"));
    // A service of its own listens there, with the machine's own network.
    let placement = round.record.placement.as_mut().unwrap();
    placement.services[0].listens = Some(placement.target);
    assert_eq!(blame(&plan, &round).as_deref(), Some("Contender:"));
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
stalls 998 Should Contender: {"kind":"stalls","stalls":20,"longest_ns":300000000,"period_ns":1000000000,"share":0.998419,"waiting":{"operations":1040,"slow_ns":50000000}}
| {"kind":"stall-began","at_ns":700000000}
| {"kind":"stall-began","at_ns":1700000000}
| {"kind":"stall-began","at_ns":2700000000}
"#);
}
