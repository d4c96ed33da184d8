//! A service's control group. To read, sample and kill it, other code asks for its files, and its version does not matter.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::sample::ServiceSample;

/// A control group's folders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "version")]
pub enum Group {
    /// One folder in each hierarchy.
    #[serde(rename = "v1")]
    V1 {
        /// Controller `cpu`: quota and throttling.
        cpu: PathBuf,
        /// Controller `cpuacct`: CPU used.
        cpuacct: PathBuf,
        /// Controller `memory`.
        memory: PathBuf,
        /// Controller `freezer`, for killing without a race; where the machine has it.
        freezer: Option<PathBuf>,
        /// Controller `pids`: how many processes and threads there may be; where the machine has it.
        pids: Option<PathBuf>,
    },
    /// One folder in the unified hierarchy.
    #[serde(rename = "v2")]
    V2 {
        /// The folder.
        path: PathBuf,
    },
}

/// The files of a group, by what they are for.
#[derive(Debug, Clone)]
pub struct GroupFiles {
    /// All folders, each once (a machine may join `cpu` and `cpuacct`).
    pub folders: Vec<PathBuf>,
    /// The folder by whose name the group is called, and whose lists name its processes.
    pub main: PathBuf,
    /// Name of the list of threads in it.
    pub thread_list: &'static str,
    /// How many processes and threads there are; where one file tells.
    pub tasks: Option<PathBuf>,
    /// How often the kernel refused one more process or thread, after the key `max`.
    pub refusals: Option<PathBuf>,
    /// How often the kernel killed for want of memory, after the key `oom_kill`.
    pub memory_kills: PathBuf,
    /// The memory limit.
    pub memory_limit: PathBuf,
    /// The limit of swapping, and the text by which nothing is swapped; `None`: any limit will do.
    pub swap_limit: (PathBuf, Option<&'static str>),
    /// All files by which limits are set, whether they are there or not.
    pub limits: Vec<PathBuf>,
    /// The CPU limit, and the text that lifts it.
    pub cpu_limit: (PathBuf, &'static str),
    /// The freezer, with the texts that stop and let go on.
    pub freezer: Option<(PathBuf, &'static str, &'static str)>,
    /// Where the freezer tells that all stand still, and the words by which it does.
    pub frozen: Option<(PathBuf, &'static str)>,
    /// What kills all at one stroke, on newer kernels.
    pub kill: Option<PathBuf>,
    /// What is sampled, file by file.
    pub figures: Vec<(PathBuf, &'static [Figure])>,
}

/// One figure of a file.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The key before it on its line; `None`: it is all that the file holds.
    pub key: Option<&'static str>,
    /// Its unit in terms of the field's.
    pub times: u64,
    /// Where it belongs.
    pub field: fn(&mut ServiceSample) -> &mut u64,
}

const fn alone(field: fn(&mut ServiceSample) -> &mut u64) -> Figure {
    Figure { key: None, times: 1, field }
}

const fn keyed(key: &'static str, times: u64, field: fn(&mut ServiceSample) -> &mut u64) -> Figure {
    Figure { key: Some(key), times, field }
}

const CPU: Figure = alone(|s| &mut s.cpu_ns);
const MEMORY: Figure = alone(|s| &mut s.memory_bytes);
const MEMORY_PEAK: Figure = alone(|s| &mut s.memory_peak_bytes);
const LIMIT_HITS: Figure = alone(|s| &mut s.memory_limit_hits);
const OOM_KILLS: Figure = keyed("oom_kill", 1, |s| &mut s.oom_kills);
const PERIODS: Figure = keyed("nr_periods", 1, |s| &mut s.periods);
const THROTTLED: Figure = keyed("nr_throttled", 1, |s| &mut s.throttled_periods);

const CPU_V1: &[Figure] = &[PERIODS, THROTTLED, keyed("throttled_time", 1, |s| &mut s.throttled_ns)];
const CPU_V2: &[Figure] = &[
    PERIODS,
    THROTTLED,
    keyed("usage_usec", 1000, |s| &mut s.cpu_ns),
    keyed("throttled_usec", 1000, |s| &mut s.throttled_ns),
];
/// Groups below this one included, as in all other figures.
const MEMORY_V1: &[Figure] = &[
    keyed("total_rss", 1, |s| &mut s.anonymous_bytes),
    keyed("total_pgmajfault", 1, |s| &mut s.major_faults),
];
const MEMORY_V2: &[Figure] =
    &[keyed("anon", 1, |s| &mut s.anonymous_bytes), keyed("pgmajfault", 1, |s| &mut s.major_faults)];
const EVENTS_V2: &[Figure] = &[OOM_KILLS, keyed("max", 1, |s| &mut s.memory_limit_hits)];

impl Group {
    /// The group of this name below it.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        let join = |folder: &PathBuf| folder.join(name);
        match self {
            Self::V1 { cpu, cpuacct, memory, freezer, pids } => Self::V1 {
                cpu: join(cpu),
                cpuacct: join(cpuacct),
                memory: join(memory),
                freezer: freezer.as_ref().map(join),
                pids: pids.as_ref().map(join),
            },
            Self::V2 { path } => Self::V2 { path: join(path) },
        }
    }

    /// Its files.
    pub fn files(&self) -> GroupFiles {
        match self {
            Self::V1 { cpu, cpuacct, memory, freezer, pids } => {
                let mut folders = vec![cpu.clone(), cpuacct.clone(), memory.clone()];
                folders.extend(freezer.iter().chain(pids).cloned());
                folders.sort();
                folders.dedup();
                let quota =
                    ["cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.cfs_burst_us"].map(|f| cpu.join(f));
                let swap_limit = memory.join("memory.memsw.limit_in_bytes");
                let memory_limit = memory.join("memory.limit_in_bytes");
                let of_memory = [memory_limit.clone(), swap_limit.clone()];
                let of_pids = pids.iter().map(|folder| folder.join("pids.max"));
                // Where swap is limited as well, and so by the same limit, the kernel comes to that one first. (Some kernels
                // count it nowhere then, Linux 6.18 for one.)
                let with_swap = memory.join("memory.memsw.failcnt");
                let hits = if with_swap.exists() { with_swap } else { memory.join("memory.failcnt") };
                GroupFiles {
                    folders,
                    main: cpu.clone(),
                    thread_list: "tasks",
                    tasks: None,
                    refusals: pids.as_ref().map(|folder| folder.join("pids.events")),
                    memory_kills: memory.join("memory.oom_control"),
                    memory_limit,
                    swap_limit: (swap_limit, None),
                    cpu_limit: (quota[0].clone(), "-1"),
                    limits: quota.into_iter().chain(of_memory).chain(of_pids).collect(),
                    freezer: freezer.as_ref().map(|of| (of.join("freezer.state"), "FROZEN", "THAWED")),
                    frozen: freezer.as_ref().map(|of| (of.join("freezer.state"), "FROZEN")),
                    kill: None,
                    figures: vec![
                        (cpuacct.join("cpuacct.usage"), &[CPU]),
                        (cpu.join("cpu.stat"), CPU_V1),
                        (memory.join("memory.usage_in_bytes"), &[MEMORY]),
                        (memory.join("memory.max_usage_in_bytes"), &[MEMORY_PEAK]),
                        (memory.join("memory.stat"), MEMORY_V1),
                        (hits, &[LIMIT_HITS]),
                        (memory.join("memory.oom_control"), &[OOM_KILLS]),
                    ],
                }
            }
            Self::V2 { path } => {
                let limits = ["cpu.max", "cpu.max.burst", "memory.max", "memory.swap.max", "pids.max"];
                GroupFiles {
                    folders: vec![path.clone()],
                    main: path.clone(),
                    thread_list: "cgroup.threads",
                    tasks: Some(path.join("pids.current")),
                    refusals: Some(path.join("pids.events")),
                    memory_kills: path.join("memory.events"),
                    memory_limit: path.join("memory.max"),
                    swap_limit: (path.join("memory.swap.max"), Some("0")),
                    cpu_limit: (path.join("cpu.max"), "max"),
                    limits: limits.map(|file| path.join(file)).into(),
                    freezer: Some((path.join("cgroup.freeze"), "1", "0")),
                    frozen: Some((path.join("cgroup.events"), "frozen 1")),
                    kill: Some(path.join("cgroup.kill")),
                    figures: vec![
                        (path.join("cpu.stat"), CPU_V2),
                        (path.join("memory.current"), &[MEMORY]),
                        (path.join("memory.peak"), &[MEMORY_PEAK]),
                        (path.join("memory.stat"), MEMORY_V2),
                        (path.join("memory.events"), EVENTS_V2),
                    ],
                }
            }
        }
    }
}
