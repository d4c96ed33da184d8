//! One service's control group, of either version.

use std::path::{Path, PathBuf};

use galo_record::placement::Group;
use galo_record::sample::ServiceSample;

use crate::files::{Buffer, Reread, value};

/// Tasks of which running and waiting for a core are read; each costs a system call or three.
const TASKS_READ: usize = 256;

/// The files of one service, and what they told last.
#[derive(Debug)]
pub(crate) struct GroupFiles {
    group: Option<Group>,
    files: Files,
    /// What the group told last whose files are open.
    last: ServiceSample,
    /// What those told together that were there before it: an engine gives a container that it starts again another group, by the same
    /// path.
    gone: ServiceSample,
    proc: PathBuf,
}

#[derive(Debug)]
enum Files {
    /// The service has no group.
    None,
    V1 {
        usage: Reread,
        cpu: Reread,
        memory: Reread,
        memory_peak: Reread,
        memory_stat: Reread,
        limit_hits: Reread,
        oom: Reread,
        tasks: Reread,
    },
    V2 {
        cpu: Reread,
        memory: Reread,
        memory_peak: Reread,
        memory_stat: Reread,
        events: Reread,
        tasks: Reread,
        threads: Reread,
    },
}

impl Files {
    fn open(group: Option<&Group>) -> Self {
        match group {
            None => Self::None,
            Some(Group::V1 { cpu, cpuacct, memory, .. }) => Self::V1 {
                usage: Reread::open(&cpuacct.join("cpuacct.usage")),
                cpu: Reread::open(&cpu.join("cpu.stat")),
                memory: Reread::open(&memory.join("memory.usage_in_bytes")),
                memory_peak: Reread::open(&memory.join("memory.max_usage_in_bytes")),
                memory_stat: Reread::open(&memory.join("memory.stat")),
                limit_hits: Reread::open(&limit_hits(memory)),
                oom: Reread::open(&memory.join("memory.oom_control")),
                tasks: Reread::open(&cpu.join("tasks")),
            },
            Some(Group::V2 { path }) => Self::V2 {
                cpu: Reread::open(&path.join("cpu.stat")),
                memory: Reread::open(&path.join("memory.current")),
                memory_peak: Reread::open(&path.join("memory.peak")),
                memory_stat: Reread::open(&path.join("memory.stat")),
                events: Reread::open(&path.join("memory.events")),
                tasks: Reread::open(&path.join("pids.current")),
                // Without the `pids` controller. Groups below this one are not in it, but services seldom make any.
                threads: Reread::open(&path.join("cgroup.threads")),
            },
        }
    }

    /// Whether the group is there: the CPU that it used can be read.
    fn tell(&self, buffer: &mut Buffer) -> bool {
        match self {
            Self::None => false,
            Self::V1 { usage: cpu, .. } | Self::V2 { cpu, .. } => {
                cpu.read(buffer).is_some_and(|text| !text.is_empty())
            }
        }
    }
}

impl GroupFiles {
    /// `proc` is `/proc` but in tests.
    pub(crate) fn open(group: Option<&Group>, proc: &Path) -> Self {
        let (last, gone) = (ServiceSample::default(), ServiceSample::default());
        Self { group: group.cloned(), files: Files::open(group), last, gone, proc: proc.to_owned() }
    }

    /// What the group told so far, and all that were in its place before it. Counters never fall back.
    pub(crate) fn sample(&mut self, buffer: &mut Buffer) -> ServiceSample {
        if self.group.is_some() && !self.files.tell(buffer) {
            let files = Files::open(self.group.as_ref());
            if files.tell(buffer) {
                self.files = files;
                self.gone = after(&self.gone, std::mem::take(&mut self.last));
            }
        }
        self.read(buffer);
        after(&self.gone, self.last)
    }

    /// Reads what the files tell now. A file that tells nothing (any more) leaves its values as they were, so that the
    /// counters of a contender that was killed do not fall back to 0.
    fn read(&mut self, buffer: &mut Buffer) {
        let last = &mut self.last;
        match &self.files {
            Files::None => {}
            Files::V1 { usage, cpu, memory, memory_peak, memory_stat, limit_hits, oom, tasks } => {
                keep(&mut last.cpu_ns, usage.number(buffer));
                if let Some(text) = cpu.read(buffer) {
                    quota(last, text);
                    keep(&mut last.throttled_ns, value(text, "throttled_time"));
                }
                keep(&mut last.memory_bytes, memory.number(buffer));
                keep(&mut last.memory_peak_bytes, memory_peak.number(buffer));
                if let Some(text) = memory_stat.read(buffer) {
                    // Groups below this one included, as in all other figures.
                    keep(&mut last.anonymous_bytes, value(text, "total_rss"));
                    keep(&mut last.major_faults, value(text, "total_pgmajfault"));
                }
                keep(&mut last.memory_limit_hits, limit_hits.number(buffer));
                keep(&mut last.oom_kills, oom.read(buffer).and_then(|text| value(text, "oom_kill")));
                keep(&mut last.tasks, tasks.lines(buffer));
                if let Some(text) = tasks.read(buffer) {
                    schedule(last, text, &self.proc);
                }
            }
            Files::V2 { cpu, memory, memory_peak, memory_stat, events, tasks, threads } => {
                if let Some(text) = cpu.read(buffer) {
                    quota(last, text);
                    let ns = |key| value(text, key).map(|us| us.saturating_mul(1000));
                    keep(&mut last.cpu_ns, ns("usage_usec"));
                    keep(&mut last.throttled_ns, ns("throttled_usec"));
                }
                keep(&mut last.memory_bytes, memory.number(buffer));
                let seen = last.memory_peak_bytes.max(last.memory_bytes);
                last.memory_peak_bytes = memory_peak.number(buffer).unwrap_or(seen);
                if let Some(text) = memory_stat.read(buffer) {
                    keep(&mut last.anonymous_bytes, value(text, "anon"));
                    keep(&mut last.major_faults, value(text, "pgmajfault"));
                }
                if let Some(text) = events.read(buffer) {
                    keep(&mut last.oom_kills, value(text, "oom_kill"));
                    keep(&mut last.memory_limit_hits, value(text, "max"));
                }
                let tasks = tasks.number(buffer).and_then(|tasks| u32::try_from(tasks).ok());
                keep(&mut last.tasks, tasks.or_else(|| threads.lines(buffer)));
                if let Some(text) = threads.read(buffer) {
                    schedule(last, text, &self.proc);
                }
            }
        }
    }
}

/// What a service has told whose group came after others: counters go on, what there is now is the new group's.
fn after(gone: &ServiceSample, now: ServiceSample) -> ServiceSample {
    ServiceSample {
        cpu_ns: gone.cpu_ns + now.cpu_ns,
        periods: gone.periods + now.periods,
        throttled_periods: gone.throttled_periods + now.throttled_periods,
        throttled_ns: gone.throttled_ns + now.throttled_ns,
        memory_peak_bytes: gone.memory_peak_bytes.max(now.memory_peak_bytes),
        oom_kills: gone.oom_kills + now.oom_kills,
        run_queue_ns: gone.run_queue_ns + now.run_queue_ns,
        memory_limit_hits: gone.memory_limit_hits + now.memory_limit_hits,
        major_faults: gone.major_faults + now.major_faults,
        ..now
    }
}

/// Where swap is limited as well, and so by the same limit, the kernel comes to that one first. (Some kernels count it
/// nowhere then, Linux 6.18 for one.)
fn limit_hits(memory: &Path) -> PathBuf {
    let with_swap = memory.join("memory.memsw.failcnt");
    if with_swap.exists() { with_swap } else { memory.join("memory.failcnt") }
}

/// What both versions call alike.
fn quota(last: &mut ServiceSample, text: &str) {
    keep(&mut last.periods, value(text, "nr_periods"));
    keep(&mut last.throttled_periods, value(text, "nr_throttled"));
}

/// How long these tasks ran, the busiest one, and waited for a core, all of them: the first two numbers of `/proc/TASK/schedstat`
/// (Documentation/scheduler/sched-stats.rst). Nothing where the kernel does not keep them.
fn schedule(last: &mut ServiceSample, tasks: &str, proc: &Path) {
    let of_task = |task: &str| {
        let text = std::fs::read_to_string(proc.join(task).join("schedstat")).ok()?;
        let mut numbers = text.split_ascii_whitespace().map(str::parse::<u64>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    let told = tasks.lines().take(TASKS_READ).filter_map(of_task);
    let joined = told.reduce(|(ran, waited), (its, waits)| (ran.max(its), waited.saturating_add(waits)));
    if let Some((ran, waited)) = joined {
        (last.busiest_task_ns, last.run_queue_ns) = (ran, waited);
    }
}

fn keep<T>(last: &mut T, now: Option<T>) {
    if let Some(now) = now {
        *last = now;
    }
}
