//! One service's control group, as it is sampled.

use std::path::{Path, PathBuf};

use galo_record::group::{Figure, Group};
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

#[derive(Debug, Default)]
struct Files {
    /// What is sampled; the first file tells what CPU was used.
    figures: Vec<(Reread, &'static [Figure])>,
    /// How many tasks there are; without the `pids` controller their list tells.
    tasks: Option<Reread>,
    /// Groups below this one are not in it, but services seldom make any.
    threads: Option<Reread>,
}

impl Files {
    fn open(group: Option<&Group>) -> Self {
        let Some(files) = group.map(Group::files) else { return Self::default() };
        let figures = files.figures.iter().map(|(path, figures)| (Reread::open(path), *figures));
        Self {
            figures: figures.collect(),
            tasks: files.tasks.as_deref().map(Reread::open),
            threads: Some(Reread::open(&files.main.join(files.thread_list))),
        }
    }

    /// Whether the group is there: the CPU that it used can be read.
    fn tell(&self, buffer: &mut Buffer) -> bool {
        let cpu = self.figures.first();
        cpu.is_some_and(|(cpu, _)| cpu.read(buffer).is_some_and(|text| !text.is_empty()))
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
        for (file, figures) in &self.files.figures {
            let Some(text) = file.read(buffer) else { continue };
            for Figure { key, times, field } in *figures {
                let told = key.map_or_else(|| text.trim().parse().ok(), |key| value(text, key));
                keep(field(last), told.map(|told: u64| told.saturating_mul(*times)));
            }
        }
        // Kernels that keep no peak tell what there is now.
        last.memory_peak_bytes = last.memory_peak_bytes.max(last.memory_bytes);
        let Files { tasks, threads: Some(threads), .. } = &self.files else { return };
        let tasks = tasks.as_ref().and_then(|tasks| u32::try_from(tasks.number(buffer)?).ok());
        keep(&mut last.tasks, tasks.or_else(|| threads.lines(buffer)));
        if let Some(text) = threads.read(buffer) {
            schedule(last, text, &self.proc);
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
