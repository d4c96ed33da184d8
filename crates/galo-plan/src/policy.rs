//! Compose files held against the policy of a challenge, without an engine and without starting anything: what a contest asks of
//! every entry before it lets it fight.
//!
//! Unlike [`Contender::load`](crate::Contender::load) this does not stop at the first thing that is wrong, and a service without a
//! limit is one of them.

use std::path::{Path, PathBuf};

use crate::challenge::Policy;
use crate::compose::{Checked, CheckedService, file_of};
use crate::contender::NeedsTrust;
use crate::instances::is_pinned;

/// A Compose file, held against a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// As it was named.
    pub file: PathBuf,
    /// Its contender's name; empty where it cannot be read.
    pub name: String,
    /// In the order of the file.
    pub services: Vec<HeldService>,
    /// Sum of the limits of all copies, in thousand-millionths of a CPU, of those that have one.
    pub cpus_nano: u128,
    /// Sum of the limits of all copies, of those that have one.
    pub memory_bytes: u128,
    /// The most instances of one thing ([`crate::instances`]), each copy counted.
    pub instances: u128,
    /// All that the challenge, or galo itself, does not let pass.
    pub breaches: Vec<Breach>,
    /// What no rule forbids and is better otherwise.
    pub advice: Vec<Breach>,
}

/// A service with its limits as the file has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldService {
    /// Its name.
    pub name: String,
    /// In thousand-millionths of a CPU.
    pub cpus_nano: Option<u64>,
    /// In bytes.
    pub memory_bytes: Option<u64>,
    /// How often it is started; the limits are of each.
    pub copies: u64,
}

/// Something that the policy does not let pass, or advises against ([`Breach::is_advice`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Breach {
    /// The file cannot be read as a contender; then nothing else is known of it.
    Unreadable {
        /// What is wrong, with file and line.
        message: String,
    },
    /// All services together take more CPU than the budget, in thousand-millionths.
    CpuOverBudget {
        /// Their sum.
        taken_nano: u128,
        /// The budget.
        budget_nano: u128,
    },
    /// All services together take more memory than the budget.
    MemoryOverBudget {
        /// Their sum.
        taken_bytes: u128,
        /// The budget.
        budget_bytes: u64,
    },
    /// A service may take all the CPU that there is.
    NoCpuLimit {
        /// Its name.
        service: String,
    },
    /// A service may take all the memory that there is.
    NoMemoryLimit {
        /// Its name.
        service: String,
    },
    /// There are fewer instances of one thing than the contest asks for.
    TooFewInstances {
        /// The most that there are.
        found: u128,
        /// How many there must be.
        least: usize,
    },
    /// A service has a key that the contest forbids, or a value of one.
    ForbiddenKey {
        /// Its name.
        service: String,
        /// As the contest has it.
        key: String,
    },
    /// No container publishes the port where the traffic goes, and none has the machine's own network.
    PortNotPublished {
        /// The port.
        port: u16,
    },
    /// An image has neither a tag nor a digest: what it is changes from day to day.
    ImageWithoutTag {
        /// Whose.
        service: String,
        /// As written.
        image: String,
    },
    /// A file that is mounted is not there: the engine makes an empty folder of it.
    MountMissing {
        /// Who mounts it.
        service: String,
        /// Absolute.
        source: PathBuf,
    },
    /// A service is for machines of another kind.
    ForeignPlatform {
        /// Its name.
        service: String,
        /// As written.
        platform: String,
    },
    /// Only a trusted file may ask for that.
    NeedsTrust(NeedsTrust),
}

impl Breach {
    /// One word for it, by which programs know it.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "unreadable",
            Self::CpuOverBudget { .. } => "cpu-over-budget",
            Self::MemoryOverBudget { .. } => "memory-over-budget",
            Self::NoCpuLimit { .. } => "no-cpu-limit",
            Self::NoMemoryLimit { .. } => "no-memory-limit",
            Self::TooFewInstances { .. } => "too-few-instances",
            Self::ForbiddenKey { .. } => "forbidden-key",
            Self::PortNotPublished { .. } => "port-not-published",
            Self::ImageWithoutTag { .. } => "image-without-tag",
            Self::MountMissing { .. } => "mount-missing",
            Self::ForeignPlatform { .. } => "foreign-platform",
            Self::NeedsTrust(_) => "needs-trust",
        }
    }

    /// Whether no rule of a contest speaks of it: it makes no file break the policy.
    pub const fn is_advice(&self) -> bool {
        matches!(
            self,
            Self::ImageWithoutTag { .. } | Self::MountMissing { .. } | Self::ForeignPlatform { .. }
        )
    }

    /// The service that it is about, if it is about one.
    pub fn service(&self) -> Option<&str> {
        match self {
            Self::Unreadable { .. }
            | Self::CpuOverBudget { .. }
            | Self::MemoryOverBudget { .. }
            | Self::TooFewInstances { .. }
            | Self::PortNotPublished { .. } => None,
            Self::NoCpuLimit { service }
            | Self::NoMemoryLimit { service }
            | Self::ForbiddenKey { service, .. }
            | Self::ImageWithoutTag { service, .. }
            | Self::MountMissing { service, .. }
            | Self::ForeignPlatform { service, .. } => Some(service),
            Self::NeedsTrust(asked) => asked.service.as_deref(),
        }
    }
}

/// How deep folders are searched: a contest's entries lie in a folder each, and those in one of the contest.
const DEPTH: usize = 4;

/// What holds no entry, and often very much.
const LEFT_OUT: [&str; 3] = [".git", "node_modules", "target"];

/// The Compose files of a place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Files {
    /// By name; of each folder the one that Compose takes.
    pub files: Vec<PathBuf>,
    /// Folders that may hold such, and were not looked into, each with why.
    pub left_out: Vec<(PathBuf, String)>,
}

impl Files {
    /// Those in a folder and the folders in it, four deep. A file stands for itself. Links to folders are not followed: an entry is what
    /// lies in its own folder.
    pub fn of(path: &Path) -> Self {
        if !path.is_dir() {
            return Self { files: vec![path.to_owned()], left_out: Vec::new() };
        }
        let mut found = Self::default();
        found.search(path, DEPTH);
        found
    }

    fn search(&mut self, folder: &Path, depth: usize) {
        // `./compose.yaml` is told as `compose.yaml`.
        let told = |path: &Path| path.strip_prefix(".").unwrap_or(path).to_owned();
        self.files.extend(file_of(folder).map(|file| told(&file)));
        if depth == 0 {
            return;
        }
        let inner = match std::fs::read_dir(folder) {
            Ok(inner) => inner.flatten(),
            Err(error) => return self.left_out.push((told(folder), format!("it cannot be read: {error}"))),
        };
        let mut inner: Vec<_> =
            inner.filter(|entry| !LEFT_OUT.iter().any(|name| entry.file_name() == *name)).collect();
        inner.sort_by_key(std::fs::DirEntry::file_name);
        for entry in inner {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.search(&entry.path(), depth - 1),
                Ok(kind) if kind.is_symlink() && file_of(&entry.path()).is_some() => {
                    let why = "it is a link, which is not followed: name the folder itself, or copy it";
                    self.left_out.push((told(&entry.path()), why.to_owned()));
                }
                _ => {}
            }
        }
    }
}

/// Holds a Compose file (or the one of a folder) against a policy.
pub fn hold(path: &Path, policy: &Policy) -> Held {
    let read = match Checked::read(path, policy) {
        Ok(read) => read,
        Err(error) => return unreadable(path, error.to_string()),
    };
    let found = [of_budget(&read, policy), of_file(&read, policy), of_services(&read)].concat();
    let (advice, breaches) = found.into_iter().partition(Breach::is_advice);
    Held {
        file: path.to_owned(),
        name: read.name.clone(),
        cpus_nano: cpus_nano(&read),
        memory_bytes: memory_bytes(&read),
        instances: read.instances(),
        services: read
            .services
            .iter()
            .map(|service| HeldService {
                name: service.name.clone(),
                cpus_nano: service.cpus_nano,
                memory_bytes: service.memory_bytes,
                copies: service.copies,
            })
            .collect(),
        breaches,
        advice,
    }
}

/// A file of which nothing is known but why.
pub fn unreadable(path: &Path, message: String) -> Held {
    Held {
        file: path.to_owned(),
        name: String::new(),
        services: Vec::new(),
        cpus_nano: 0,
        memory_bytes: 0,
        instances: 0,
        breaches: vec![Breach::Unreadable { message }],
        advice: Vec::new(),
    }
}

fn cpus_nano(read: &Checked) -> u128 {
    sum(read, |service| service.cpus_nano)
}

fn memory_bytes(read: &Checked) -> u128 {
    sum(read, |service| service.memory_bytes)
}

/// Over all copies. A sum that no number holds is over any budget.
fn sum(read: &Checked, limit: impl Fn(&CheckedService) -> Option<u64>) -> u128 {
    let of_all = |service: &CheckedService| Some(u128::from(limit(service)?) * u128::from(service.copies));
    read.services.iter().filter_map(of_all).fold(0, u128::saturating_add)
}

fn of_budget(read: &Checked, policy: &Policy) -> Vec<Breach> {
    let (taken_nano, budget_nano) = (cpus_nano(read), policy.cpus_nano());
    let (taken_bytes, budget_bytes) = (memory_bytes(read), policy.memory_bytes);
    let cpu = (taken_nano > budget_nano).then_some(Breach::CpuOverBudget { taken_nano, budget_nano });
    let memory = (taken_bytes > u128::from(budget_bytes))
        .then_some(Breach::MemoryOverBudget { taken_bytes, budget_bytes });
    cpu.into_iter().chain(memory).collect()
}

fn of_file(read: &Checked, policy: &Policy) -> Vec<Breach> {
    let containers = || read.services.iter().filter_map(|service| service.container.as_ref());
    let is_reached = |port| containers().any(|c| c.has_host_network || c.ports.contains(&port));
    let port = (containers().next().is_some() && !is_reached(policy.port))
        .then_some(Breach::PortNotPublished { port: policy.port });
    let (found, least) = (read.instances(), policy.instances);
    let instances = (found < least as u128).then_some(Breach::TooFewInstances { found, least });
    let all = port.into_iter().chain(instances);
    all.chain(read.needs_trust.iter().cloned().map(Breach::NeedsTrust)).collect()
}

fn of_services(read: &Checked) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for service in &read.services {
        let name = || service.name.clone();
        if service.cpus_nano.is_none() {
            breaches.push(Breach::NoCpuLimit { service: name() });
        }
        if service.memory_bytes.is_none() {
            breaches.push(Breach::NoMemoryLimit { service: name() });
        }
        breaches.extend(
            service.forbidden.iter().map(|key| Breach::ForbiddenKey { service: name(), key: key.clone() }),
        );
        let Some(container) = &service.container else { continue };
        let image = container.image.iter().filter(|image| !container.is_built && !is_pinned(image));
        breaches.extend(image.map(|image| Breach::ImageWithoutTag { service: name(), image: image.clone() }));
        let missing = container.binds.iter().filter(|bind| !bind.source.exists());
        breaches.extend(
            missing.map(|bind| Breach::MountMissing { service: name(), source: bind.source.clone() }),
        );
        let platform = service.platform.iter().filter(|platform| !is_usual(platform));
        breaches.extend(
            platform.map(|platform| Breach::ForeignPlatform { service: name(), platform: platform.clone() }),
        );
    }
    breaches
}

/// Whether a platform is the contest's.
fn is_usual(platform: &str) -> bool {
    ["", "linux", "linux/amd64", "amd64", "linux/x86_64", "x86_64"].contains(&platform)
}

#[cfg(test)]
mod tests;
