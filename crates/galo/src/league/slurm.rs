//! Children of a league on the machines of Slurm: each step is an array job.
//!
//! Slurm says when a job is gone; whether a child is over is said by its folder alone. What a job left undone is submitted again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use galo_plan::league::{ChildTerms, LeaguePlan};
use galo_plan::operands::shell_line;
use galo_record::act::ChildId;
use galo_record::{RunEnd, RunWriter};

use super::shared::{hand_out, is_counted, take_over};
use crate::frame::Session;
use crate::output::say;
use crate::stop::stopped;

/// Where jobs write, below the league's folder.
const LOGS: &str = "jobs";
/// The most tasks of a job: Slurm's own bound (`MaxArraySize`) where nobody sets another.
const LARGEST_ARRAY: u32 = 1000;
/// How often a child's folder is looked at, and how much rarer Slurm is asked.
const LOOK: Duration = Duration::from_millis(500);
const ASK: Duration = Duration::from_secs(3);
/// How long a child that a task drove may take to be seen once the task is gone: a shared folder's names are known late elsewhere.
const SEEN: Duration = Duration::from_secs(10);
/// So often a child is submitted before the league is ended.
const TRIES: u32 = 3;

/// The jobs of a league.
pub(super) struct Jobs<'a> {
    /// Options of sbatch.
    options: &'a [String],
    league: &'a Path,
    plan: &'a LeaguePlan,
    session: &'a Session,
    /// What the names of its jobs begin with: by them they are found again after galo was ended. They end with the number of the child
    /// that the array's first task drives.
    name: String,
    children: BTreeMap<u32, Submitted>,
    /// The jobs that this galo submitted.
    jobs: Vec<String>,
    asked: Option<Instant>,
    is_silent: bool,
}

/// What is known of a child's tasks.
#[derive(Default)]
struct Submitted {
    /// How often it was submitted.
    times: u32,
    /// Since when it has no task.
    gone: Option<Instant>,
}

/// A task that waits or runs.
struct Task {
    id: String,
    child: u32,
}

impl<'a> Jobs<'a> {
    pub(super) fn new(
        options: &'a [String],
        (writer, plan): (&'a RunWriter, &'a LeaguePlan),
        session: &'a Session,
    ) -> Self {
        let name = format!("galo-{:.12}-", writer.commitment());
        let (league, children) = (writer.path(), BTreeMap::new());
        Self {
            options,
            league,
            plan,
            session,
            name,
            children,
            jobs: Vec::new(),
            asked: None,
            is_silent: false,
        }
    }

    /// Waits for a child, the first of those that are due, which all are submitted; `None`: the caller broke it off.
    ///
    /// # Errors
    /// There is no Slurm, it refuses the job, or a child was submitted [`TRIES`] times and did not come to its end.
    pub(super) fn child(&mut self, id: ChildId, due: &[(u32, ChildTerms)]) -> Result<Option<RunEnd>> {
        loop {
            if let Some(end) = take_over(self.league, self.plan, id)? {
                return Ok(Some(end));
            }
            if stopped(&self.session.stop) {
                return Ok(None);
            }
            let lacking = self.lacking(due)?;
            if !lacking.is_empty() {
                hand_out(self.league, due)?;
                self.submit(&lacking)?;
            }
            sleep(LOOK);
        }
    }

    /// Children that must be submitted: due, not over, and without a task for so long that what one drove would be seen.
    fn lacking(&mut self, due: &[(u32, ChildTerms)]) -> Result<Vec<u32>> {
        let is_known = due.iter().all(|(number, _)| self.children.contains_key(number));
        if is_known && self.asked.is_some_and(|asked| asked.elapsed() < ASK) {
            return Ok(Vec::new());
        }
        self.asked = Some(Instant::now());
        let Some(tasks) = self.tasks()? else { return Ok(Vec::new()) };
        let mut lacking = Vec::new();
        for (number, _) in due {
            let child = self.children.entry(*number).or_default();
            if is_counted(self.league, self.plan, *number) || tasks.iter().any(|task| task.child == *number) {
                child.gone = None;
                continue;
            }
            let gone = child.gone.get_or_insert_with(Instant::now);
            if child.times == 0 || gone.elapsed() > SEEN {
                lacking.push(*number);
            }
        }
        Ok(lacking)
    }

    /// The tasks that wait or run, of this galo and of one that was ended; `None`: Slurm does not answer.
    fn tasks(&mut self) -> Result<Option<Vec<Task>>> {
        let asked =
            program("squeue").args(["--noheader", "--me", "--array", "--format=%i %t %j %K"]).output();
        let asked = asked.with_context(|| no_slurm("squeue"))?;
        if !asked.status.success() {
            self.waits(&asked.stderr);
            return Ok(None);
        }
        if std::mem::take(&mut self.is_silent) {
            say("Slurm answers again");
        }
        let told = String::from_utf8_lossy(&asked.stdout);
        Ok(Some(told.lines().filter_map(|line| self.task(line)).collect()))
    }

    fn waits(&mut self, told: &[u8]) {
        if !std::mem::replace(&mut self.is_silent, true) {
            say(&format!("Slurm does not answer, and is waited for: {}", last_line(told)));
        }
    }

    /// A line of squeue's, where it is a task of this league that has not ended.
    fn task(&self, line: &str) -> Option<Task> {
        let [id, state, name, index] = line.split_whitespace().collect::<Vec<_>>()[..] else { return None };
        let first: u32 = name.strip_prefix(&self.name)?.parse().ok()?;
        // One that is completing has ended; its node is being cleared, which it may not answer to for long.
        let task = Task { id: id.to_owned(), child: first + index.parse::<u32>().ok()? };
        (state != "CG").then_some(task)
    }

    fn submit(&mut self, children: &[u32]) -> Result<()> {
        let league = fs::canonicalize(self.league)
            .with_context(|| format!("cannot read `{}`", self.league.display()))?;
        let logs = league.join(LOGS);
        let tried = |number: &&u32| self.children.get(*number).is_some_and(|child| child.times >= TRIES);
        if let Some(tried) = children.iter().find(tried) {
            let told = format!("{tried} was submitted {TRIES} times, and did not come to its end");
            bail!("{told}\nhint: see what its tasks wrote in {}", logs.display());
        }
        let Some(&first) = children.first() else { return Ok(()) };
        let children = children.iter().filter(|number| **number - first < LARGEST_ARRAY);
        let tasks: Vec<String> = children.clone().map(|number| (number - first).to_string()).collect();
        fs::create_dir_all(&logs).with_context(|| format!("cannot make `{}`", logs.display()))?;
        let galo = std::env::current_exe().context("cannot tell where galo is")?;
        let run = ["exec", &galo.to_string_lossy(), "league", "run", &league.to_string_lossy()];
        let run = shell_line(&run.map(str::to_owned));
        let line = format!("{run} --progress lines --index $((SLURM_ARRAY_TASK_ID + {first}))");
        let name = format!("{}{first}", self.name);
        let output = format!("--output={}/%A_%a.log", logs.display());
        let own = ["--parsable", "--job-name", &name, &output];
        let mut sbatch = program("sbatch");
        sbatch.args(["--exclusive", "--requeue"]).args(self.options).args(own);
        sbatch.arg(format!("--array={}", tasks.join(",")));
        let asked = sbatch.args(["--wrap", &line]).output().with_context(|| no_slurm("sbatch"))?;
        if !asked.status.success() {
            // Where Slurm answers otherwise, it is the job that it does not take.
            if stopped(&self.session.stop) || self.tasks()?.is_none() {
                return Ok(());
            }
            bail!("sbatch refuses the job: {}", String::from_utf8_lossy(&asked.stderr).trim());
        }
        let job = String::from_utf8_lossy(&asked.stdout).trim().to_owned();
        say(&format!("job {job}: {} of Slurm", tasks.len()));
        self.jobs.push(job);
        for number in children {
            let child = self.children.entry(*number).or_default();
            *child = Submitted { times: child.times + 1, gone: None };
        }
        Ok(())
    }

    /// Cancels what is left: of a league that is over, or was broken off, it is of no use.
    pub(super) fn cancel(&mut self) {
        let left: Vec<String> = match self.tasks() {
            Ok(Some(tasks)) => tasks.into_iter().map(|task| task.id).collect(),
            Ok(None) | Err(_) => self.jobs.clone(),
        };
        let cancelled = || program("scancel").args(&left).output();
        if !left.is_empty() && !cancelled().is_ok_and(|cancelled| cancelled.status.success()) {
            let line = shell_line(&[vec!["scancel".to_owned()], left].concat());
            say(&format!("its jobs could not be cancelled\nhint: {line}"));
        }
    }
}

/// Why options of sbatch cannot be used, if they cannot.
pub(super) fn refused(options: &[String]) -> Option<String> {
    let is_taken = |option: &&String| {
        let name = option.split('=').next().unwrap_or_default();
        let short =
            ["-M", "-W", "-a"].iter().any(|short| option.starts_with(short) && !option.starts_with("--"));
        short || ["--clusters", "--cluster", "--wait", "--array", "--wrap"].contains(&name)
    };
    let taken = options.iter().find(is_taken)?;
    Some(format!("--slurm: galo cannot follow a job with `{taken}`\nhint: leave it out"))
}

/// A program of Slurm's, whose answers do not depend on the user's settings of it.
fn program(name: &str) -> Command {
    let mut program = Command::new(name);
    for (setting, _) in std::env::vars_os() {
        let known = setting.to_string_lossy();
        let is_own = ["SBATCH_WAIT", "SBATCH_CLUSTERS", "SBATCH_ARRAY_INX"].contains(&&*known);
        if is_own || known.starts_with("SQUEUE_") || known.starts_with("SCANCEL_") {
            program.env_remove(&setting);
        }
    }
    program
}

fn no_slurm(program: &str) -> String {
    format!(
        "cannot start `{program}`\nhint: --slurm is for a machine that submits to Slurm; others share a league by `galo league plan`"
    )
}

fn last_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text).trim().lines().last().unwrap_or_default().to_owned()
}
