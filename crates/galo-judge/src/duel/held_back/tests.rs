use galo_plan::Injection;
use galo_record::sample::HostSample;
use insta::assert_snapshot;

use super::*;
use crate::duel::tests::{duel, service, spoil};

const MS: u64 = 1_000_000;

/// A second of a server with one CPU of a machine with two cores, which sleeps most of the time.
fn asleep(load: &mut TurnLoad) -> (LoadUsage, ServiceUsage) {
    load.engine.thread_cpu_ns = vec![100 * MS, 250 * MS];
    let usage = LoadUsage {
        watched_ns: 1000 * MS,
        services: Vec::new(),
        memory_peak_bytes: Some(64 << 20),
        anonymous_peak_bytes: Some(64 << 20),
        galo_cpu_ns: Some(300 * MS),
        host: HostSample { busy_ns: 345 * MS, ..HostSample::default() },
    };
    let service = ServiceUsage {
        cpu_ns: Some(40 * MS),
        busiest_task_ns: Some(38 * MS),
        run_queue_ns: Some(2 * MS),
        periods: 10,
        ..ServiceUsage::default()
    };
    (usage, service)
}

/// Four turns of that server, changed as a test wants them, at as many answers as a closed loop gives.
fn turns(change: impl Fn(&mut TurnLoad, &mut LoadUsage, &mut ServiceUsage)) -> JudgedDuel {
    let mut duel = duel(4, 0, 1.0, 0.0, 1);
    duel.cpus_milli = Some(1000);
    for turn in duel.turns.iter_mut().filter(|turn| turn.side == 0) {
        let load = turn.loads.iter_mut().find(|load| load.level == Level::Highest).unwrap();
        let (mut usage, mut service) = asleep(load);
        change(load, &mut usage, &mut service);
        usage.services = vec![service];
        load.usage = Some(usage);
    }
    duel
}

fn held_back(duel: &JudgedDuel, side: usize) -> Option<HeldBack> {
    duel.clone().judged().sides[side].held_back.clone()
}

/// What it was, and what shows it, as JSON; what was not seen is left out.
fn told(duel: &JudgedDuel) -> String {
    let Some(told) = held_back(duel, 0) else { return String::new() };
    let usage = serde_json::to_value(&told.usage).expect("plain data");
    let is_seen = |value: &serde_json::Value| !value.is_null() && value.as_f64() != Some(0.0);
    let seen = usage.as_object().into_iter().flatten().filter(|(_, value)| is_seen(value));
    let seen: Vec<String> = seen.map(|(name, value)| format!("{name} {value}")).collect();
    format!("{:?}: {}", told.by, seen.join(", "))
}

/// CPU of a server of one thread.
fn one_thread(service: &mut ServiceUsage, ms: u64) {
    (service.cpu_ns, service.busiest_task_ns) = (Some((ms + 10) * MS), Some(ms * MS));
}

#[test]
fn of_who_used_up_its_cpu_limit_the_cpu_for_each_answer_decides() {
    let mut limited = turns(|_, _, service| {
        one_thread(service, 480);
        service.throttled_periods = 9;
    });
    limited.cpus_milli = Some(500);
    assert_snapshot!(told(&limited), @"CpuLimit: anonymous_peak_bytes 67108864, busiest_thread 0.48, cores 2, cpu_limit 0.5, cpu_us_per_answer 49.0, cpus 0.49, engine_thread 0.25, galo_cpus 0.3, memory_peak_bytes 67108864, periods 40, right_share 1.0, throttled_periods 36, waiting_threads 0.002");
    let one_cpu = turns(|_, _, service| one_thread(service, 970));
    assert_snapshot!(told(&one_cpu), @"CpuLimit: anonymous_peak_bytes 67108864, busiest_thread 0.97, cores 2, cpu_limit 1.0, cpu_us_per_answer 98.0, cpus 0.98, engine_thread 0.25, galo_cpus 0.3, memory_peak_bytes 67108864, periods 40, right_share 1.0, waiting_threads 0.002");
}

#[test]
fn what_gives_way_to_all_others_takes_nothing_of_the_machine() {
    let niced = turns(|_, usage, _| (usage.host.busy_ns, usage.host.niced_ns) = (400 * MS, 55 * MS));
    assert_eq!(told(&niced), told(&turns(|_, _, _| {})));
}

#[test]
fn a_limit_that_is_reached_now_and_then_is_told_as_that() {
    let now_and_then = |throttled_periods| {
        told(&turns(|_, _, service| {
            service.cpu_ns = Some(700 * MS);
            service.throttled_periods = throttled_periods;
            // As long as it is throttled its threads wait, too.
            service.run_queue_ns = Some(900 * MS);
        }))
    };
    assert_snapshot!(now_and_then(6), @"CpuLimitAtTimes: anonymous_peak_bytes 67108864, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 70.0, cpus 0.7, engine_thread 0.25, galo_cpus 0.3, memory_peak_bytes 67108864, periods 40, right_share 1.0, throttled_periods 24, waiting_threads 0.9");
    assert_snapshot!(now_and_then(1), @"CpuLimitAtTimes: anonymous_peak_bytes 67108864, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 70.0, cpus 0.7, engine_thread 0.25, galo_cpus 0.3, memory_peak_bytes 67108864, periods 40, right_share 1.0, throttled_periods 4, waiting_threads 0.9");
}

#[test]
fn waiting_that_may_be_for_the_quota_is_not_called_waiting_for_a_core() {
    let mut rarely = turns(|_, _, service| {
        service.run_queue_ns = Some(900 * MS);
        service.periods = 100;
    });
    assert!(told(&rarely).starts_with("BusyCores: "), "{}", told(&rarely));
    rarely
        .turns
        .iter_mut()
        .flat_map(|turn| &mut turn.loads)
        .for_each(|load| service(load).throttled_periods = 5);
    assert_eq!(told(&rarely), "");
}

#[test]
fn a_single_thread_that_never_rests_is_one_core_used_up_and_two_that_rest_half_of_the_time_are_none() {
    let mut single = turns(|_, _, service| one_thread(service, 970));
    single.cpus_milli = Some(7000);
    single.cores = Some(8);
    assert_snapshot!(told(&single), @"OneThread: anonymous_peak_bytes 67108864, busiest_thread 0.97, cores 8, cpu_limit 7.0, cpu_us_per_answer 98.0, cpus 0.98, engine_thread 0.25, galo_cpus 0.3, memory_peak_bytes 67108864, periods 40, right_share 1.0, waiting_threads 0.002");
    let mut two = turns(|_, _, service| {
        service.cpu_ns = Some(980 * MS);
        service.busiest_task_ns = Some(500 * MS);
    });
    (two.cpus_milli, two.cores) = (None, single.cores);
    assert_snapshot!(told(&two), @"SomethingElse: anonymous_peak_bytes 67108864, busiest_thread 0.5, cores 8, cpu_us_per_answer 98.0, cpus 0.98, engine_thread 0.25, galo_cpus 0.3, memory_peak_bytes 67108864, periods 40, right_share 1.0, waiting_threads 0.002");
}

#[test]
fn without_a_limit_in_force_all_that_galo_left_may_be_used_up() {
    let mut all = turns(|_, usage, service| {
        service.cpu_ns = Some(1300 * MS);
        (service.busiest_task_ns, service.run_queue_ns) = (Some(500 * MS), Some(800 * MS));
        usage.galo_cpu_ns = Some(660 * MS);
        usage.host.busy_ns = 1980 * MS;
    });
    all.limits_enforced = false;
    assert_snapshot!(told(&all), @"AllCores: anonymous_peak_bytes 67108864, busiest_thread 0.5, cores 2, cpu_us_per_answer 130.0, cpus 1.3, engine_thread 0.25, galo_cpus 0.66, memory_peak_bytes 67108864, other_cpus 0.02, periods 40, right_share 1.0, waiting_threads 0.8");
}

#[test]
fn who_waited_for_a_core_is_told_with_what_others_used() {
    let waiting = turns(|_, usage, service| {
        one_thread(service, 600);
        service.run_queue_ns = Some(320 * MS);
        (usage.galo_cpu_ns, usage.host.busy_ns) = (Some(800 * MS), 1950 * MS);
        // The machine goes on while galo gets ready.
        (usage.watched_ns, usage.host.steal_ns) = (1250 * MS, 75 * MS);
    });
    assert_snapshot!(told(&waiting), @"BusyCores: anonymous_peak_bytes 67108864, busiest_thread 0.6, cores 2, cpu_limit 1.0, cpu_us_per_answer 61.0, cpus 0.61, engine_thread 0.25, galo_cpus 0.8, memory_peak_bytes 67108864, other_cpus 0.432, periods 40, right_share 1.0, stolen_cpus 0.06, waiting_threads 0.32");
}

#[test]
fn memory_is_short_where_processes_are_killed_or_pages_read_again_or_nothing_can_be_dropped() {
    let with = |change: fn(&mut TurnLoad, &mut LoadUsage, &mut ServiceUsage)| {
        let mut duel = turns(change);
        duel.memory_bytes = Some(100 << 20);
        told(&duel)
    };
    assert_snapshot!(with(|_, _, service| service.oom_kills = 1), @"OutOfMemory: anonymous_peak_bytes 67108864, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 4.0, cpus 0.04, engine_thread 0.25, galo_cpus 0.3, memory_limit_bytes 104857600, memory_peak_bytes 67108864, oom_kills 4, other_cpus 0.005, periods 40, right_share 1.0, waiting_threads 0.002");
    assert_snapshot!(with(|_, _, service| (service.memory_limit_hits, service.major_faults) = (300, 80)), @"MemoryLimit: anonymous_peak_bytes 67108864, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 4.0, cpus 0.04, engine_thread 0.25, galo_cpus 0.3, major_faults 320, major_faults_per_s 80.0, memory_limit_bytes 104857600, memory_limit_hits 1200, memory_peak_bytes 67108864, other_cpus 0.005, periods 40, right_share 1.0, waiting_threads 0.002");
    let uncounted =
        with(|_, usage, service| (usage.memory_peak_bytes, service.major_faults) = (Some(98 << 20), 80));
    assert_snapshot!(uncounted, @"MemoryLimit: anonymous_peak_bytes 67108864, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 4.0, cpus 0.04, engine_thread 0.25, galo_cpus 0.3, major_faults 320, major_faults_per_s 80.0, memory_limit_bytes 104857600, memory_peak_bytes 102760448, other_cpus 0.005, periods 40, right_share 1.0, waiting_threads 0.002");
    let full = with(|_, usage, service| {
        service.memory_limit_hits = 1;
        usage.anonymous_peak_bytes = Some(95 << 20);
    });
    assert_snapshot!(full, @"MemoryLimit: anonymous_peak_bytes 99614720, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 4.0, cpus 0.04, engine_thread 0.25, galo_cpus 0.3, memory_limit_bytes 104857600, memory_limit_hits 4, memory_peak_bytes 67108864, other_cpus 0.005, periods 40, right_share 1.0, waiting_threads 0.002");
    // Page cache that fills the limit, and is dropped again.
    let cache = with(|_, _, service| service.memory_limit_hits = 300);
    assert!(cache.starts_with("SomethingElse: "), "{cache}");
}

#[test]
fn who_reads_its_pages_again_is_short_of_memory_and_who_is_merely_full_is_short_of_cpu_first() {
    let with = |major_faults| {
        let mut duel = turns(|_, usage, service| {
            one_thread(service, 970);
            usage.anonymous_peak_bytes = Some(95 << 20);
            (service.memory_limit_hits, service.major_faults) = (9, major_faults);
        });
        duel.memory_bytes = Some(100 << 20);
        held_back(&duel, 0).map(|told| told.by)
    };
    assert_eq!(with(80), Some(Bottleneck::MemoryLimit));
    assert_eq!(with(1), Some(Bottleneck::CpuLimit));
}

#[test]
fn who_sleeps_waited_for_something_that_galo_does_not_see() {
    assert_snapshot!(told(&turns(|_, _, _| {})), @"SomethingElse: anonymous_peak_bytes 67108864, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 4.0, cpus 0.04, engine_thread 0.25, galo_cpus 0.3, memory_peak_bytes 67108864, other_cpus 0.005, periods 40, right_share 1.0, waiting_threads 0.002");
}

#[test]
fn a_galo_that_has_no_more_to_give_is_named() {
    assert_snapshot!(told(&turns(|load, _, _| load.engine.thread_cpu_ns = vec![960 * MS])), @"Galo: anonymous_peak_bytes 67108864, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 4.0, cpus 0.04, engine_thread 0.96, galo_cpus 0.3, memory_peak_bytes 67108864, other_cpus 0.005, periods 40, right_share 1.0, waiting_threads 0.002");
}

#[test]
fn what_was_nearly_used_up_or_waited_for_is_not_called_something_else() {
    let nearly = turns(|_, _, service| {
        one_thread(service, 850);
        service.run_queue_ns = Some(70 * MS);
    });
    assert_eq!(told(&nearly), "");
    assert_eq!(told(&turns(|_, usage, _| usage.host.steal_ns = 900 * MS)), "");
}

#[test]
fn who_does_not_answer_waited_for_nothing() {
    let dead = |load: &mut TurnLoad| (load.ledger.ok, load.ledger.failed) = (0, load.ledger.ok);
    assert_eq!(told(&turns(|load, _, _| dead(load))), "");
    let busy = turns(|load, _, _| {
        dead(load);
        load.engine.thread_cpu_ns = vec![960 * MS];
    });
    assert_eq!(told(&busy), "");
}

#[test]
fn a_rate_that_was_asked_for_and_held_it_back_by_nothing_is_told_and_one_that_varies_is_not() {
    let asked = |phases: &[&str]| {
        let mut duel = turns(|load, _, _| load.level = Level::Asked);
        let injection = Some(Injection::parse(phases).unwrap());
        let level = duel.levels.remove(1);
        duel.levels = vec![LevelTerms { level: Level::Asked, injection, ..level }];
        told(&duel)
    };
    assert_snapshot!(asked(&["100/s for 1s"]), @"Nothing: anonymous_peak_bytes 67108864, busiest_thread 0.038, cores 2, cpu_limit 1.0, cpu_us_per_answer 4.0, cpus 0.04, engine_thread 0.25, galo_cpus 0.3, memory_peak_bytes 67108864, other_cpus 0.005, periods 40, right_share 1.0, waiting_threads 0.002");
    assert_eq!(asked(&["1/s for 1s", "999/s for 1s"]), "");
}

#[test]
fn turns_are_added_up_and_spoiled_ones_left_out() {
    let mut uneven = turns(|_, _, service| one_thread(service, 970));
    let loads = uneven.turns.iter_mut().filter(|turn| turn.side == 0).map(|turn| &mut turn.loads[1]);
    let mut loads: Vec<&mut TurnLoad> = loads.collect();
    // A longer turn weighs more.
    loads[1].elapsed_ns = 3000 * MS;
    service(loads[1]).cpu_ns = Some(100 * MS);
    service(loads[2]).cpu_ns = Some(9000 * MS);
    spoil(loads[2]);
    let usage = held_back(&uneven, 0).unwrap().usage;
    assert_eq!((usage.cpus, usage.periods, usage.busiest_thread), (0.412, 30, Some(0.582)));
    uneven.turns.iter_mut().filter(|turn| turn.side == 0).take(2).for_each(|turn| spoil(&mut turn.loads[1]));
    assert_eq!(held_back(&uneven, 0), None, "most of them are spoiled");
}

#[test]
fn where_nothing_was_watched_or_the_kernel_told_too_little_nothing_is_said() {
    assert_eq!(held_back(&turns(|_, _, _| {}), 1), None);
    let unknown: [fn(&mut TurnLoad, &mut LoadUsage, &mut ServiceUsage); 5] = [
        |_, _, service| service.cpu_ns = None,
        |_, usage, _| usage.memory_peak_bytes = None,
        |_, _, service| service.busiest_task_ns = None,
        |_, _, service| service.run_queue_ns = None,
        |_, usage, _| usage.galo_cpu_ns = None,
    ];
    for change in unknown {
        assert_eq!(told(&turns(change)), "");
    }
    let mut none = turns(|_, _, _| {});
    none.turns.clear();
    assert_eq!(held_back(&none, 0), None);
    none.levels.clear();
    assert_eq!(held_back(&none, 0), None);
}

#[test]
fn figures_beyond_all_bounds_are_no_crash() {
    let most = Some(u64::MAX);
    let huge = turns(|load, usage, service| {
        load.engine.thread_cpu_ns = vec![u64::MAX];
        (usage.watched_ns, usage.memory_peak_bytes, usage.galo_cpu_ns) = (1, most, most);
        usage.host = HostSample { steal_ns: u64::MAX, ..HostSample::default() };
        *service = ServiceUsage {
            cpu_ns: most,
            busiest_task_ns: most,
            run_queue_ns: most,
            periods: u64::MAX,
            throttled_periods: u64::MAX,
            memory_limit_hits: u64::MAX,
            major_faults: u64::MAX,
            oom_kills: u64::MAX,
            ..ServiceUsage::default()
        };
    });
    assert!(told(&huge).starts_with("OutOfMemory: "));
}
