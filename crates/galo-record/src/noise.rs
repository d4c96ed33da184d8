//! The file of noise floors: what fights of contenders against themselves measured is kept for later ones on the same terms. Whoever changes it holds a lock and replaces it whole; what cannot be read is moved aside,
//! never overwritten.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::state::state_folder;
use crate::{Machine, RecordError, run};
use galo_plan::plan::NoiseFloor;
use galo_plan::{Challenge, Contender, NoModel, Plan, Runner};
use serde::{Deserialize, Serialize};

/// Version of the file's form.
const FORMAT: u32 = 2;
const FILE: &str = "noise-floors.json";
const LOCK: &str = "noise-floors.lock";

/// What must be the same for one fight's noise to say something about another's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    challenge: String,
    profile: String,
    scale_milli: u32,
    /// Whether limits were in force, not merely asked for.
    limited: bool,
    cpu: String,
    cores: u32,
    kernel: String,
    system: String,
    cgroups: String,
    clock_source: String,
    /// How contenders were started, each way once; empty: all as processes. A fight of both ways measures no contender
    /// against itself, and so has no floor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runners: Vec<Runner>,
}

impl Terms {
    /// The terms of a plan on a machine; `enforced` is whether limits that are asked for will be in force.
    pub fn for_plan(plan: &Plan, enforced: bool, machine: &Machine) -> Self {
        Self {
            challenge: named(&plan.challenge),
            profile: plan.profile.clone(),
            scale_milli: plan.scale_milli,
            limited: plan.limited && enforced,
            cpu: machine.cpu.clone(),
            cores: machine.cores,
            kernel: machine.kernel.clone(),
            system: machine.system.clone(),
            cgroups: machine.cgroups.clone(),
            clock_source: machine.clock_source.clone(),
            runners: runners(plan),
        }
    }
}

fn runners(plan: &Plan) -> Vec<Runner> {
    let is_used = |runner: &Runner| plan.contenders.iter().any(|contender| contender.runner == *runner);
    if !is_used(&Runner::Docker) {
        return Vec::new();
    }
    [Runner::Process, Runner::Docker].into_iter().filter(is_used).collect()
}

/// A challenge by its name; one from a file also by what it says, since the next file of that name may say something else.
fn named(challenge: &Challenge) -> String {
    if challenge.model == NoModel::NAME {
        return format!("{} {}", challenge.name, challenge.sha256());
    }
    challenge.name.clone()
}

/// One measured noise floor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Floor {
    /// Name, for people.
    pub contender: String,
    /// Which contender: SHA-256 of its Compose file. (What it starts may have changed all the same.)
    pub file_sha256: String,
    /// On which terms.
    pub terms: Terms,
    /// Ratio of p99; at least 1.
    pub ratio: f64,
    /// Ratio of the CPU time for each answer; at least 1.
    pub cpu_ratio: f64,
    /// Pairs of rounds that it was measured in.
    pub pairs: usize,
    /// Start of the run that measured it: UTC, RFC 3339.
    pub measured: String,
    /// Version of galo that drove it.
    pub galo: String,
    /// Its folder, absolute.
    pub from_run: PathBuf,
}

impl Floor {
    /// Whether it says something of a contender on these terms.
    pub fn is_of(&self, contender: &Contender, terms: &Terms) -> bool {
        self.file_sha256 == contender.file_sha256 && self.terms == *terms
    }

    /// As a plan holds it.
    pub fn copied(&self) -> NoiseFloor {
        NoiseFloor {
            ratio: self.ratio,
            cpu_ratio: self.cpu_ratio,
            from_run: self.from_run.clone(),
            contender: self.contender.clone(),
            measured: self.measured.clone(),
        }
    }
}

/// The file as a whole.
#[derive(Serialize, Deserialize)]
struct Written {
    format: u32,
    floors: Vec<Floor>,
}

/// Why the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// There is nowhere to keep anything.
    #[error("no state folder is known\nhint: set GALO_STATE to a folder, or HOME")]
    NoFolder,
    /// What is there is no such file.
    #[error("`{0}` is damaged: {1}\nhint: mend it, or remove it and measure again: galo fight DIR DIR")]
    Damaged(PathBuf, String),
    /// It is of another galo.
    #[error(
        "`{0}` has format {1}, this galo reads {FORMAT}\nhint: use the galo that wrote it, or measure again"
    )]
    Foreign(PathBuf, u32),
    /// The file system refused.
    #[error("`{0}`: {1}\nhint: see to its permissions and its disk, or set GALO_STATE to another folder")]
    Io(PathBuf, io::Error),
}

/// What became of a floor that was to be kept.
#[derive(Debug)]
pub struct Kept {
    /// The file.
    pub path: PathBuf,
    /// Where the file went that was there before and could not be used, and why.
    pub aside: Option<(PathBuf, Problem)>,
}

/// Where noise floors are kept.
#[derive(Debug, Clone)]
pub struct Store(Option<PathBuf>);

impl Store {
    /// In `$GALO_STATE`, else `$XDG_STATE_HOME/galo`, else `$HOME/.local/state/galo`.
    pub fn of_user() -> Self {
        let [own, xdg, home] = ["GALO_STATE", "XDG_STATE_HOME", "HOME"].map(std::env::var_os);
        Self(state_folder(own, xdg, home))
    }

    /// In this folder, which need not be there yet.
    pub fn at(folder: &Path) -> Self {
        Self(Some(folder.to_path_buf()))
    }

    fn folder(&self) -> Result<&Path, Problem> {
        self.0.as_deref().ok_or(Problem::NoFolder)
    }

    /// All floors that are known; none where nothing was ever kept.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn read(&self) -> Result<Vec<Floor>, Problem> {
        match self.folder() {
            Ok(folder) => read(&folder.join(FILE)),
            // Who has no folder has kept nothing.
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Keeps a floor in place of the one that was measured on the same terms before.
    ///
    /// # Errors
    /// A folder that cannot be written; what cannot be read is moved aside.
    pub fn keep(&self, floor: Floor) -> Result<Kept, Problem> {
        let folder = self.folder()?;
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |error| Problem::Io(path, error)
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let (path, lock) = (folder.join(FILE), folder.join(LOCK));
        // Held until the end of this function, by everybody who writes.
        let held = File::options().create(true).append(true).open(&lock).map_err(failed(&lock))?;
        held.lock().map_err(failed(&lock))?;
        let (mut floors, aside) = match read(&path) {
            Ok(floors) => (floors, None),
            Err(problem @ (Problem::Damaged(..) | Problem::Foreign(..))) => {
                let aside = free_name(&path);
                fs::rename(&path, &aside).map_err(failed(&path))?;
                (Vec::new(), Some((aside, problem)))
            }
            Err(problem) => return Err(problem),
        };
        floors.retain(|known| known.file_sha256 != floor.file_sha256 || known.terms != floor.terms);
        floors.push(floor);
        let mut json = serde_json::to_vec_pretty(&Written { format: FORMAT, floors })
            .map_err(|error| Problem::Io(path.clone(), error.into()))?;
        json.push(b'\n');
        run::write_whole(&path, &json).map_err(|error| match error {
            RecordError::Io { path, source, .. } => Problem::Io(path, source),
            other => Problem::Io(path.clone(), io::Error::other(other)),
        })?;
        Ok(Kept { path, aside })
    }
}

fn read(path: &Path) -> Result<Vec<Floor>, Problem> {
    /// All that every format is sure to have.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Problem::Io(path.to_path_buf(), error)),
    };
    let damaged = |reason: String| Problem::Damaged(path.to_path_buf(), reason);
    let Format { format } = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if format != FORMAT {
        return Err(Problem::Foreign(path.to_path_buf(), format));
    }
    let Written { floors, .. } =
        serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    match floors.iter().find(|floor| !(1.0..f64::INFINITY).contains(&floor.ratio)) {
        Some(floor) => Err(damaged(format!("a noise floor is {}, below 1", floor.ratio))),
        None => Ok(floors),
    }
}

/// A name beside the file that nothing has.
fn free_name(path: &Path) -> PathBuf {
    let numbered = |number: u32| path.with_extension(format!("json.aside-{number}"));
    (1..).map(numbered).find(|name| !name.exists()).unwrap_or_else(|| numbered(0))
}

#[cfg(test)]
mod tests;
