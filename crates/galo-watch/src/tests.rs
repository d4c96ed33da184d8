use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use galo_record::ServicePlacement;
use galo_record::group::Group;
use galo_record::sample::{HostSample, ServiceSample};

use super::*;

pub(crate) fn placement(groups: impl IntoIterator<Item = Option<Group>>) -> Placement {
    let service = |(number, group)| ServicePlacement {
        name: format!("service{number}"),
        group,
        pid: 1,
        log: PathBuf::new(),
        cpus_milli: None,
        memory_bytes: None,
        ulimits: BTreeMap::new(),
        ready_after_ns: 0,
        listens: None,
        image: None,
    };
    Placement {
        contender: "recorded".into(),
        target: ([127, 0, 0, 1], 9999).into(),
        limits_enforced: true,
        limits_note: None,
        walls_note: None,
        services: groups.into_iter().enumerate().map(service).collect(),
    }
}

/// A folder of recorded files; writing one again changes what open files tell.
pub(crate) struct Recorded(tempfile::TempDir);

impl Recorded {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let recorded = Self(tempfile::tempdir().unwrap());
        files.iter().for_each(|(path, text)| recorded.write(path, text));
        recorded
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }
}

const STAT: &str = "cpu  15532 36987 9241 397998 1157 3 379 38 500 600\ncpu0 1 1 1 1 1 1 1 1 0 0\nintr 5\n";
const NETSTAT: &str = "TcpExt: SyncookiesSent TW ListenOverflows ListenDrops TCPHPHits\n\
                       TcpExt: 0 14873 17 19 45188\n\
                       IpExt: InNoRoutes ListenDrops\nIpExt: 1 2\n";
/// Two that listen, one of them with nine who wait; a connection, whose receive queue is something else.
const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n\
   0: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n\
   1: 0100007F:270F 00000000:0000 0A 00000000:00000009 00:00000000 00000000     0\n\
   2: 0100007F:270F 0100007F:8A2C 01 00000000:000000FF 00:00000000 00000000     0\n";
const SNMP: &str = "Icmp: InMsgs\nIcmp: 1\nIcmpMsg: InType3\nIcmpMsg: 9\n\
                    Tcp: RtoAlgorithm MaxConn RetransSegs InErrs\nTcp: 1 -1 23 4\n";

fn host() -> Recorded {
    Recorded::new(&[
        ("stat", STAT),
        ("net/netstat", NETSTAT),
        ("net/snmp", SNMP),
        ("net/tcp", TCP),
        ("net/tcp6", "  sl\n"),
        ("101/schedstat", "5000 300 7\n"),
        ("102/schedstat", "6000 40 8\n"),
    ])
}

fn sampler(proc: &Recorded, groups: impl IntoIterator<Item = Option<Group>>) -> Sampler {
    Sampler::open(&placement(groups), proc.0.path()).unwrap()
}

#[test]
fn a_recorded_host_is_told_in_nanoseconds_and_counts() {
    let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second();
    let sample = sampler(&host(), []).sample();
    let expected = HostSample {
        steal_ns: 38 * tick_ns,
        busy_ns: (15_532 + 36_987 + 9241 + 3 + 379) * tick_ns,
        niced_ns: 36_987 * tick_ns,
        listen_overflows: 17,
        listen_drops: 19,
        retransmissions: 23,
        accept_queue: 9,
        accept_queue_port: 0x270f,
    };
    assert_eq!(sample.host, expected);
    assert_eq!(sample.cores_busy_ns, [5 * tick_ns]);
    assert!(sample.galo_cpu_ns > 0);
}

#[test]
fn accept_queues_are_looked_at_when_one_has_overflowed() {
    let host = host();
    let mut sampler = sampler(&host, []);
    let queues: Vec<u32> = (0..2).map(|_| sampler.sample().host.accept_queue).collect();
    assert_eq!(queues, [9, 0]);
    host.write("net/netstat", &NETSTAT.replace(" 17 ", " 18 "));
    assert_eq!(sampler.sample().host.accept_queue, 9);
}

#[test]
fn a_host_without_proc_cannot_be_watched() {
    let error = Sampler::open(&placement([]), &PathBuf::from("/nowhere")).unwrap_err().to_string();
    assert!(error.starts_with("cannot watch: cannot read `/nowhere/stat`\nhint: "), "{error}");
}

fn recorded_v1() -> (Recorded, Option<Group>) {
    let files = Recorded::new(&[
        (
            "cpu/cpu.stat",
            "nr_periods 120\nnr_throttled 7\nthrottled_time 98765432\nnr_bursts 0\nburst_time 0\n",
        ),
        ("cpu/tasks", "101\n102\n103\n"),
        ("cpuacct/cpuacct.usage", "1234567890\n"),
        ("memory/memory.usage_in_bytes", "41943040\n"),
        ("memory/memory.max_usage_in_bytes", "52428800\n"),
        (
            "memory/memory.stat",
            "cache 1\nrss 2\nrss_huge 3\ntotal_cache 4\ntotal_rss 31457280\ntotal_rss_huge 5\ntotal_pgmajfault 6\n",
        ),
        ("memory/memory.failcnt", "9\n"),
        ("memory/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"),
    ]);
    let group = Group::V1 {
        cpu: files.path("cpu"),
        cpuacct: files.path("cpuacct"),
        memory: files.path("memory"),
        freezer: None,
        pids: None,
    };
    (files, Some(group))
}

fn sample_v1() -> ServiceSample {
    ServiceSample {
        cpu_ns: 1_234_567_890,
        periods: 120,
        throttled_periods: 7,
        throttled_ns: 98_765_432,
        memory_bytes: 41_943_040,
        anonymous_bytes: 31_457_280,
        memory_peak_bytes: 52_428_800,
        oom_kills: 2,
        tasks: 3,
        run_queue_ns: 340,
        busiest_task_ns: 6000,
        memory_limit_hits: 9,
        major_faults: 6,
    }
}

fn recorded_v2() -> (Recorded, Option<Group>) {
    let files = Recorded::new(&[
        (
            "cpu.stat",
            "usage_usec 1234567\nuser_usec 1000000\nsystem_usec 234567\nnr_periods 120\nnr_throttled 7\n\
             throttled_usec 98765\nnr_bursts 0\nburst_usec 0\n",
        ),
        ("memory.current", "41943040\n"),
        ("memory.peak", "52428800\n"),
        ("memory.stat", "anon 31457280\nfile 10485760\nanon_thp 4096\npgmajfault 6\n"),
        ("memory.events", "low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\noom_group_kill 0\n"),
        ("pids.current", "3\n"),
        ("cgroup.threads", "101\n102\n103\n"),
    ]);
    let group = Group::V2 { path: files.path("") };
    (files, Some(group))
}

#[test]
fn recorded_groups_of_both_versions_are_told_alike() {
    let (_v1, group1) = recorded_v1();
    let (_v2, group2) = recorded_v2();
    let sample = sampler(&host(), [group1, group2, None]).sample();
    let sample_v2 = ServiceSample { cpu_ns: 1_234_567_000, throttled_ns: 98_765_000, ..sample_v1() };
    assert_eq!(sample.services, [sample_v1(), sample_v2, ServiceSample::default()]);
}

#[test]
fn each_sample_reads_the_files_again() {
    let (files, group) = recorded_v1();
    let host = host();
    let mut sampler = sampler(&host, [group]);
    sampler.sample();
    files.write("cpuacct/cpuacct.usage", "2234567890\n");
    // Shorter than before: nothing of the longer text may be read again.
    files.write("memory/memory.usage_in_bytes", "4096\n");
    let expected = ServiceSample { cpu_ns: 2_234_567_890, memory_bytes: 4096, ..sample_v1() };
    assert_eq!(sampler.sample().services, [expected]);
}

#[test]
fn files_that_become_unreadable_keep_their_last_values() {
    let (files1, group1) = recorded_v1();
    let (files2, group2) = recorded_v2();
    let host = host();
    let mut sampler = sampler(&host, [group1, group2]);
    let before = sampler.sample();
    files1.write("cpuacct/cpuacct.usage", "");
    files1.write("memory/memory.stat", "total_rss many\n");
    files2.write("cpu.stat", "\u{0}");
    files2.write("pids.current", "max\n");
    assert_eq!(sampler.sample().services, before.services);
}

#[test]
fn a_group_that_was_made_anew_goes_on_where_the_one_before_it_ended() {
    let (files, group) = recorded_v1();
    let host = host();
    let mut sampler = sampler(&host, [group]);
    sampler.sample();
    // The old group is removed: its open file tells nothing any more.
    files.write("cpuacct/cpuacct.usage", "");
    assert_eq!(sampler.sample().services, [sample_v1()]);
    let anew = |path: &str, text: &str| {
        fs::remove_file(files.path(path)).unwrap();
        files.write(path, text);
    };
    anew("cpuacct/cpuacct.usage", "1000\n");
    anew("cpu/cpu.stat", "nr_periods 5\nnr_throttled 1\nthrottled_time 32\n");
    anew("memory/memory.usage_in_bytes", "4096\n");
    anew("memory/memory.max_usage_in_bytes", "8192\n");
    let expected = ServiceSample {
        cpu_ns: 1_234_568_890,
        periods: 125,
        throttled_periods: 8,
        throttled_ns: 98_765_464,
        memory_bytes: 4096,
        // The files that were not made anew tell the same again.
        oom_kills: 4,
        run_queue_ns: 680,
        memory_limit_hits: 18,
        major_faults: 12,
        ..sample_v1()
    };
    assert_eq!(sampler.sample().services, [expected]);
    assert_eq!(sampler.sample().services, [expected]);
}

#[test]
fn where_swap_is_limited_as_well_that_limit_is_the_one_that_is_hit() {
    let (files, group) = recorded_v1();
    files.write("memory/memory.failcnt", "0\n");
    files.write("memory/memory.memsw.failcnt", "12\n");
    let host = host();
    assert_eq!(sampler(&host, [group]).sample().services[0].memory_limit_hits, 12);
}

#[test]
fn without_the_kernels_peak_the_most_that_was_seen_is_kept() {
    let (files, group) = recorded_v2();
    fs::remove_file(files.path("memory.peak")).unwrap();
    let host = host();
    let mut sampler = sampler(&host, [group]);
    let mut peaks = Vec::new();
    for memory in ["100", "300", "200"] {
        files.write("memory.current", memory);
        peaks.push(sampler.sample().services[0].memory_peak_bytes);
    }
    assert_eq!(peaks, [100, 300, 300]);
}

#[test]
fn without_the_pids_controller_the_threads_are_counted() {
    let (files, group) = recorded_v2();
    fs::remove_file(files.path("pids.current")).unwrap();
    files.write("cgroup.threads", "101\n102\n103\n104\n");
    assert_eq!(sampler(&host(), [group]).sample().services[0].tasks, 4);
}

#[test]
fn a_group_that_is_not_there_is_no_error() {
    let group = Group::V2 { path: "/nowhere".into() };
    assert_eq!(sampler(&host(), [Some(group)]).sample().services, [ServiceSample::default()]);
}

#[test]
fn a_watcher_takes_a_first_and_a_last_sample_and_ends_at_once() {
    let (_files, group) = recorded_v1();
    let (events, news) = Events::channel();
    let placement = placement([group]);
    let samples = Watcher::start(&placement, &events).unwrap().stop();
    drop(events);
    assert!(samples.len() >= 2);
    assert!(samples.is_sorted_by_key(|s| s.at_ns));
    // Whether such tasks run and wait is asked of this machine.
    let told = |s: &Sample| ServiceSample { run_queue_ns: 340, busiest_task_ns: 6000, ..s.services[0] };
    assert!(samples.iter().all(|s| told(s) == sample_v1() && s.host.busy_ns > 0));
    let sampled = samples.into_iter().map(Event::Sampled);
    let expected: Vec<_> = std::iter::once(Event::Watched(Box::new(placement))).chain(sampled).collect();
    assert_eq!(news.iter().collect::<Vec<_>>(), expected);
}

#[test]
fn a_watcher_goes_on_until_it_is_stopped() {
    let (files, group) = recorded_v1();
    let placement = placement([group]);
    // A busy machine may give the thread no turn for a while; a watcher that never goes on never gets a third.
    for intervals in [3, 10, 30, 100] {
        files.write("cpu/tasks", "1\n2\n");
        let watcher = Watcher::start(&placement, &Events::none()).unwrap();
        thread::sleep(INTERVAL * intervals);
        files.write("cpu/tasks", "1\n");
        let samples = watcher.stop();
        assert_eq!(samples.last().unwrap().services[0].tasks, 1, "the last sample is of the end");
        if samples.len() > 2 {
            return;
        }
    }
    panic!("no sample between the first and the last");
}

#[test]
fn a_late_sample_is_followed_by_the_next_that_is_still_due() {
    let interval = INTERVAL_NS;
    assert_eq!(next_due(7, 7), 7 + interval);
    assert_eq!(next_due(7, 7 + interval - 1), 7 + interval);
    assert_eq!(next_due(7, 7 + interval), 7 + 2 * interval);
    assert_eq!(next_due(7, 7 + 10 * interval + 1), 7 + 11 * interval);
}

/// A real group of version 1 with a shell in it; `None` where this process may not make one.
struct Real {
    folders: Vec<PathBuf>,
    shell: Child,
}

impl Real {
    fn start(script: &str) -> Option<Self> {
        let name = format!("galo-watch-test-{}", std::process::id());
        let folders: Vec<_> =
            ["cpu", "cpuacct", "memory"].map(|c| PathBuf::from("/sys/fs/cgroup").join(c).join(&name)).into();
        for folder in &folders {
            if fs::create_dir(folder).is_err() {
                folders.iter().for_each(|made| drop(fs::remove_dir(made)));
                return None;
            }
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let shell = shell.spawn().unwrap();
        for folder in &folders {
            fs::write(folder.join("cgroup.procs"), shell.id().to_string()).unwrap();
        }
        // 20 ms in each 100.
        fs::write(folders[0].join("cpu.cfs_quota_us"), "20000").unwrap();
        Some(Self { folders, shell })
    }

    fn group(&self) -> Group {
        let [cpu, cpuacct, memory] = [0, 1, 2].map(|n| self.folders[n].clone());
        Group::V1 { cpu, cpuacct, memory, freezer: None, pids: None }
    }

    /// Kills the shell and removes its groups.
    fn end(&mut self) {
        let _ = self.shell.kill();
        let _ = self.shell.wait();
        for folder in &self.folders {
            // The last task leaves its group a moment after it is waited for.
            for _ in 0..1000 {
                if !folder.exists() || fs::remove_dir(folder).is_ok() {
                    break;
                }
                thread::yield_now();
            }
        }
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        self.end();
    }
}

#[test]
fn a_real_group_is_told_and_keeps_its_last_values_when_it_is_removed() {
    let script = "read go; head -c 8000000 /dev/zero | tail -c 8000000 | cat > /dev/null
        i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo done; read end";
    let Some(mut real) = Real::start(script) else {
        needs::lacked("no control group of version 1 can be made");
        return;
    };
    let mut sampler = Sampler::open(&placement([Some(real.group())]), Path::new("/proc")).unwrap();
    let before = sampler.sample().services[0];
    let mut input = real.shell.stdin.take().unwrap();
    writeln!(input, "go").unwrap();
    let mut line = String::new();
    BufReader::new(real.shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "done\n");

    let after = sampler.sample().services[0];
    assert_eq!((before.tasks, after.tasks), (1, 1));
    assert!(after.cpu_ns > before.cpu_ns + 20_000_000, "{after:?}");
    assert!(after.throttled_periods > 0 && after.periods >= after.throttled_periods, "{after:?}");
    assert!(after.throttled_ns > 0, "{after:?}");
    assert!(after.memory_peak_bytes > 8_000_000, "{after:?}");
    assert!(after.anonymous_bytes < after.memory_peak_bytes, "{after:?}");

    real.end();
    assert!(real.folders.iter().all(|folder| !folder.exists()), "an open file must not keep a group");
    let last = sampler.sample().services[0];
    assert!(last.cpu_ns >= after.cpu_ns && last.memory_peak_bytes == after.memory_peak_bytes, "{last:?}");
}
