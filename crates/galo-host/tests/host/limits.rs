//! Limits are the kernel's, not galo's word: what is set is read from the kernel's own files, and felt.

use std::fs;

use crate::host::bench::{BED, Bench, eventually, group_folders, limits_here, service, shell};
use galo_plan::Service;
use galo_plan::contender::Ulimit;
use galo_record::HostFact;
use galo_record::finding::{
    Ended, LimitsLost, MemoryLimit, ServiceDied, ServiceOutOfMemory, ServiceOutOfProcesses,
};
use galo_record::group::Group;

fn cpu_stat(group: &Group, key: &str) -> u64 {
    let folder = match group {
        Group::V1 { cpu, .. } => cpu,
        Group::V2 { path } => path,
    };
    let text = fs::read_to_string(folder.join("cpu.stat")).unwrap();
    text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok()).unwrap()
}

#[test]
fn each_service_gets_the_files_limits_and_they_are_read_back() {
    let bench = Bench::new();
    let small = Service { cpus_milli: 125, memory_bytes: 32 << 20, ..shell("small", "exec sleep 600") };
    let running = bench.start(vec![small, shell("large", "exec sleep 600")]);
    if !limits_here(&*running) {
        return;
    }
    let services = &running.placement().services;
    assert_eq!((services[0].cpus_milli, services[0].memory_bytes), (Some(125), Some(32 << 20)));
    assert_eq!((services[1].cpus_milli, services[1].memory_bytes), (Some(450), Some(64 << 20)));
    if let Some(Group::V1 { cpu, memory, .. }) = &services[0].group {
        assert_eq!(fs::read_to_string(cpu.join("cpu.cfs_period_us")).unwrap(), "100000\n");
        assert_eq!(fs::read_to_string(cpu.join("cpu.cfs_quota_us")).unwrap(), "12500\n");
        assert_eq!(fs::read_to_string(memory.join("memory.limit_in_bytes")).unwrap(), "33554432\n");
        let with_swap = fs::read_to_string(memory.join("memory.memsw.limit_in_bytes"));
        assert!(with_swap.is_err() || with_swap.unwrap() == "33554432\n");
    }
    assert_eq!(running.stop().unwrap(), []);
}

#[test]
fn the_first_process_is_in_its_group_in_every_hierarchy() {
    let bench = Bench::new();
    let running = bench.start(vec![shell("api1", "exec sleep 600")]);
    let pid = running.placement().services[0].pid.to_string();
    for folder in group_folders(running.placement()) {
        let procs = fs::read_to_string(folder.join("cgroup.procs")).unwrap();
        assert_eq!(procs.trim(), pid, "{}", folder.display());
    }
    running.stop().unwrap();
}

#[test]
fn a_busy_service_is_throttled_and_the_kernel_counts_it() {
    let bench = Bench::new();
    let busy = Service { cpus_milli: 100, ..service("busy", &[BED, "spin"]) };
    let running = bench.start(vec![busy]);
    if !limits_here(&*running) {
        return;
    }
    let group = running.placement().services[0].group.clone().unwrap();
    eventually("ten throttled periods", || cpu_stat(&group, "nr_throttled ") >= 10);
    // One tenth of a core is used up in every period in which it wants to run.
    assert!(cpu_stat(&group, "nr_throttled ") <= cpu_stat(&group, "nr_periods "));
    running.stop().unwrap();
}

#[test]
fn a_service_that_needs_more_memory_is_killed_and_the_death_says_so() {
    let bench = Bench::new();
    let greedy = service("greedy", &["sh", "-c", &format!("sleep 0.8; exec {BED} eat 200000000")]);
    let mut running = bench.start(vec![greedy]);
    if !limits_here(&*running) {
        return;
    }
    let mut deaths = Vec::new();
    eventually("the death", || {
        deaths.extend(running.deaths());
        !deaths.is_empty()
    });
    let HostFact::ServiceDied(ServiceDied { service, ended, out_of_memory, .. }) = &deaths[0] else {
        panic!("{deaths:?}")
    };
    let limit = Some(MemoryLimit { bytes: Some(64 << 20) });
    assert_eq!((service.as_str(), *ended, *out_of_memory), ("greedy", Ended::Signal(9), limit));
    assert_eq!(running.stop().unwrap(), [], "a death is told once");
}

#[test]
fn a_child_that_is_killed_for_want_of_memory_is_told_at_the_end() {
    let bench = Bench::new();
    let script = format!("{BED} eat 200000000; echo went on; exec sleep 600");
    let mut running = bench.start(vec![shell("master", &script)]);
    if !limits_here(&*running) {
        return;
    }
    eventually("the master goes on", || bench.log("master").contains("went on"));
    assert_eq!(running.deaths(), []);
    let findings = running.stop().unwrap();
    let limit = MemoryLimit { bytes: Some(64 << 20) };
    let is_told = |fact: &HostFact| matches!(fact, HostFact::ServiceOutOfMemory(ServiceOutOfMemory { killed: 1, limit: told, .. }) if *told == limit);
    assert!(findings.len() == 1 && is_told(&findings[0]), "{findings:?}");
}

#[test]
fn limits_that_somebody_changes_during_the_round_are_told() {
    let bench = Bench::new();
    let running = bench.start(vec![shell("api1", "exec sleep 600")]);
    if !limits_here(&*running) {
        return;
    }
    match running.placement().services[0].group.as_ref().unwrap() {
        Group::V1 { cpu, .. } => fs::write(cpu.join("cpu.cfs_quota_us"), "-1").unwrap(),
        Group::V2 { path } => fs::write(path.join("cpu.max"), "max").unwrap(),
    }
    let findings = running.stop().unwrap();
    assert!(
        matches!(findings[0], HostFact::LimitsLost(LimitsLost { difference: Some(_), .. })),
        "{findings:?}"
    );
}

#[test]
fn limits_that_somebody_changes_and_restores_during_the_round_are_told() {
    let bench = Bench::new();
    let mut running = bench.start(vec![shell("api1", "exec sleep 600")]);
    if !limits_here(&*running) {
        return;
    }
    assert_eq!(running.faults(), []);
    let file = match running.placement().services[0].group.as_ref().unwrap() {
        Group::V1 { cpu, .. } => cpu.join("cpu.cfs_quota_us"),
        Group::V2 { path } => path.join("cpu.max"),
    };
    let before = fs::read_to_string(&file).unwrap();
    fs::write(&file, if before.contains(' ') { "max 100000" } else { "-1" }).unwrap();
    fs::write(&file, &before).unwrap();
    let findings = running.stop().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    let name = file.file_name().unwrap().to_string_lossy();
    let written = vec![format!("somebody wrote to `{name}`")];
    let service = "api1".to_owned();
    assert_eq!(findings, [HostFact::LimitsLost(LimitsLost { service, written, difference: None })]);
}

#[test]
fn a_service_that_comes_to_its_limit_of_processes_is_told() {
    let bench = Bench::new();
    // A shell that cannot fork ends, so one beside the first tries.
    let script = "(for n in $(seq 40); do sleep 600 & done) & wait; exec sleep 600";
    let many = Service { pids_max: Some(20), ..shell("many", script) };
    let mut running =
        bench.start(vec![many, Service { pids_max: Some(16_384), ..shell("few", "exec sleep 600") }]);
    if !limits_here(&*running) {
        return;
    }
    let most = |index: usize| match running.placement().services[index].group.as_ref().unwrap() {
        Group::V1 { pids, .. } => {
            pids.as_ref().map(|folder| fs::read_to_string(folder.join("pids.max")).unwrap())
        }
        Group::V2 { path } => fs::read_to_string(path.join("pids.max")).ok(),
    };
    let (Some(of_many), Some(of_few)) = (most(0), most(1)) else {
        panic!("this machine has no controller of processes (cgroups(7), `pids`)");
    };
    assert_eq!((of_many.trim(), of_few.trim()), ("20", "16384"));
    let mut told = Vec::new();
    eventually("that it is told", || {
        told.extend(running.faults());
        !told.is_empty()
    });
    let is_told = |fact: &HostFact| matches!(fact, HostFact::ServiceOutOfProcesses(ServiceOutOfProcesses { service, limit: 20, .. }) if service == "many");
    assert!(is_told(&told[0]), "{told:?}");
    running.stop().unwrap();
}

#[test]
fn unlimited_makes_groups_without_limits_and_says_so() {
    let bench = Bench::with(false);
    let running = bench.start(vec![shell("api1", "exec sleep 600")]);
    let placement = running.placement();
    assert!(!placement.limits_enforced);
    assert!(placement.limits_note.as_deref().unwrap().starts_with("limits were switched off (--unlimited)"));
    assert_eq!((placement.services[0].cpus_milli, placement.services[0].memory_bytes), (None, None));
    let folders = group_folders(placement);
    running.stop().unwrap();
    assert!(folders.iter().all(|folder| !folder.exists()));
}

#[test]
fn ulimits_are_set_and_recorded() {
    let bench = Bench::new();
    let mut api = shell("api1", "exec sleep 600");
    let limit = Ulimit { soft: Some(321), hard: Some(654) };
    api.ulimits.insert("nofile".to_owned(), limit);
    api.ulimits.insert("core".to_owned(), Ulimit { soft: Some(0), hard: Some(0) });
    let running = bench.start(vec![api]);
    let placed = &running.placement().services[0];
    assert_eq!(placed.ulimits.get("nofile"), Some(&limit));
    let limits = fs::read_to_string(format!("/proc/{}/limits", placed.pid)).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(line.split_whitespace().collect::<Vec<_>>()[3..5], ["321", "654"]);
    running.stop().unwrap();
}

#[test]
fn a_service_stays_on_the_cores_of_its_cpuset() {
    let bench = Bench::new();
    let mut api = shell("api1", "exec sleep 600");
    api.cpuset = vec![0];
    let running = bench.start(vec![api]);
    let status = fs::read_to_string(format!("/proc/{}/status", running.placement().services[0].pid)).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    assert_eq!(line.trim(), "0");
    running.stop().unwrap();
}

#[test]
fn a_core_that_is_not_there_is_told() {
    let bench = Bench::new();
    let mut api = shell("api1", "exec sleep 600");
    api.cpuset = vec![0, 1023];
    let message = bench.start_error(vec![api]);
    let start = "`cpuset` names core 1023, which galo has not";
    assert!(message.starts_with(start), "{message}");
}

#[test]
fn an_unknown_ulimit_is_named_with_those_that_there_are() {
    let bench = Bench::new();
    let mut api = shell("api1", "exec sleep 600");
    api.ulimits.insert("nofiles".to_owned(), Ulimit { soft: None, hard: None });
    let message = bench.start_error(vec![api]);
    assert!(
        message.starts_with("`ulimits` has no `nofiles` (service `api1` of contender `subject`)\nhint: "),
        "{message}"
    );
}
