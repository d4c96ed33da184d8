//! A contender, resolved: its services in the order in which they start, each with its command and limits.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use crate::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::{Parts, Place};
use crate::challenge::Policy;
use crate::knob::{Setting, Turn};
use crate::{secret, units};

/// One implementation of a challenge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contender {
    /// What the Compose file says (`x-galo.name`), else the name of its folder, e.g. `rust-sqlite`; of a file that is not
    /// called `compose.yaml` or the like its own name comes after that: `rust-sqlite-tuned`. Unique in a plan.
    pub name: String,
    /// For people; the name where the file has none.
    pub title: String,
    /// Programming language, if the file tells.
    pub language: Option<String>,
    /// The challenge that it is for.
    pub challenge: String,
    /// The Compose file, absolute; empty for a server that galo does not start.
    pub file: PathBuf,
    /// SHA-256 of the Compose file, in hex; where its services extend those of other files, of the digests of all these
    /// files in the order in which they are read. The `.env` file of containers is one of them, the last. Empty where there is
    /// none.
    pub file_sha256: String,
    /// In starting order: a service comes after all that it depends on.
    pub services: Vec<Service>,
    /// How they are started.
    #[serde(default)]
    pub runner: Runner,
    /// Names on the engine that the file chooses itself.
    #[serde(default, skip_serializing_if = "OwnNames::is_empty")]
    pub own_names: OwnNames,
    /// Whether it is a forward proxy: each connection to it begins by asking for a tunnel to the challenge's origin (`CONNECT`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub connects: bool,
    /// The setting that is laid over its file; `None`: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<Setting>,
    /// Name of the contender whose instances are null servers here ([`crate::null`]): it is compared with nobody, and shows what is left at
    /// most. `None`: it is a contender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub null_of: Option<String>,
}

/// Names of volumes and networks that a file chooses itself, so that they are the same whoever starts it: what is there under
/// such a name already would be taken for the contender's own.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OwnNames {
    /// In the order of the file.
    pub volumes: Vec<String>,
    /// In the order of the file.
    pub networks: Vec<String>,
}

impl OwnNames {
    fn is_empty(&self) -> bool {
        self.volumes.is_empty() && self.networks.is_empty()
    }
}

/// How the services of a contender are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// Each is a process in a control group that galo makes.
    #[default]
    Process,
    /// Each is a container: Compose starts them on an engine.
    Docker,
}

/// One part of a contender.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// Name in the file, e.g. `api1`.
    pub name: String,
    /// Made ready once before the first round, by `sh -c` in [`Self::workdir`] with galo's own environment.
    pub build: Option<String>,
    /// Run to its end before the service in each round, by `sh -c`, in the service's group and environment;
    /// `${volume:NAME}` still stands in it.
    pub setup: Option<String>,
    /// Program and arguments; `${volume:NAME}` still stands in them.
    pub command: Vec<String>,
    /// The whole environment apart from PATH, HOME and LANG; `${volume:NAME}` still stands in it.
    pub environment: BTreeMap<String, String>,
    /// Absolute.
    pub workdir: PathBuf,
    /// User to become (galo must be root).
    pub user: Option<String>,
    /// When the services that depend on it may start.
    pub ready: Ready,
    /// How long it may take to become ready.
    pub ready_timeout_ns: u64,
    /// Services that must be ready before it starts.
    pub depends_on: Vec<String>,
    /// CPU limit in thousandths.
    pub cpus_milli: u32,
    /// Cores that it may run on, ascending, as the kernel numbers them; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpuset: Vec<u16>,
    /// Memory limit.
    pub memory_bytes: u64,
    /// Most processes and threads at once; `None`: no limit.
    pub pids_max: Option<u32>,
    /// Resource limits, e.g. `nofile`.
    pub ulimits: BTreeMap<String, Ulimit>,
    /// Names of the volumes that it uses: all that its texts name by `${volume:NAME}`.
    pub volumes: Vec<String>,
    /// How it is asked to end; `None`: it is not, but killed at once. An engine always asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// What only an engine needs; `None` for a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<Container>,
}

/// What of a service only an engine needs. What it runs is the image's affair: its command here is what the file says, which
/// may be nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Container {
    /// As the file names it; `None`: it is built, and Compose names what is built.
    pub image: Option<String>,
    /// Whether Compose builds it.
    pub is_built: bool,
    /// SHA-256 of what Compose builds it from (context, Dockerfile, target, arguments), in hex: the same for instances of one
    /// build. Empty where nothing is built.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub build_sha256: String,
    /// It has the machine's own network (`network_mode: host`).
    pub has_host_network: bool,
    /// Name that the file gives to the container.
    pub container_name: Option<String>,
    /// Ports of the machine that it publishes, ascending, each once.
    pub ports: Vec<u16>,
    /// Files and folders of the machine that are mounted into it.
    pub binds: Vec<Bind>,
    /// The file sees to it that the engine keeps no log of it without end.
    pub has_logging: bool,
    /// CPU limit in thousand-millionths, as the engine gets it; [`Service::cpus_milli`] is the same rounded, half of a
    /// thousandth up.
    pub cpus_nano: u64,
}

/// Something that only a trusted file may ask an engine for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeedsTrust {
    /// Who asks; `None`: the file as a whole.
    pub service: Option<String>,
    /// What, e.g. `` `privileged: true` ``.
    pub asked: String,
    /// Why that is too much, e.g. `lifts all that keeps it in`.
    pub why: String,
}

impl fmt::Display for NeedsTrust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(service) = &self.service {
            write!(f, "service `{service}`: ")?;
        }
        write!(f, "{} {}", self.asked, self.why)
    }
}

/// A file or folder of the machine, mounted into a container.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bind {
    /// Absolute; need not exist (the engine makes a folder of it).
    pub source: PathBuf,
    /// Where the container sees it.
    pub target: String,
    /// Whether the container may write to it.
    pub is_writable: bool,
}

/// Most processes and threads of a service whose file names no other limit. More is a fork bomb.
pub const PIDS_MAX: u32 = 16_384;

/// How a service is asked to end before it is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    /// Number of the signal that its first process gets, 1 to 64.
    pub signal: u8,
    /// How long it has for its end, in nanoseconds.
    pub grace_ns: u64,
}

/// One resource limit as in `setrlimit(2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ulimit {
    /// Soft limit; `None` is unlimited.
    pub soft: Option<u64>,
    /// Hard limit; `None` is unlimited.
    pub hard: Option<u64>,
}

/// How readiness is seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ready {
    /// It runs.
    Started,
    /// A GET of this address is answered by a 2xx.
    Http(String),
    /// This address (`host:port`) accepts a connection.
    Tcp(String),
    /// This command exits with 0 (a Compose `healthcheck`); run in the service's environment.
    Command {
        /// Program and arguments; `${volume:NAME}` still stands in them.
        command: Vec<String>,
        /// Time between tries, in nanoseconds.
        interval_ns: u64,
        /// Time for one try, in nanoseconds.
        timeout_ns: u64,
    },
}

impl Ready {
    /// Host and port that are asked over the network, if any are.
    pub fn place(&self) -> Option<(String, u16)> {
        let place = match self {
            Self::Http(url) => Parts::split(url).place,
            Self::Tcp(place) => place,
            Self::Started | Self::Command { .. } => return None,
        };
        Place::parse(place).ok().map(|place| (place.host, place.port.unwrap_or(80)))
    }
}

impl Runner {
    /// As options and names have it: `docker`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Docker => "docker",
        }
    }
}

impl Service {
    /// CPU limit exactly, in thousand-millionths.
    pub fn cpus_nano(&self) -> u64 {
        match &self.container {
            Some(container) => container.cpus_nano,
            None => u64::from(self.cpus_milli) * units::NANO_OF_MILLI,
        }
    }
}

impl Contender {
    /// Masks what must not be written down: values of environments, and secrets on command lines and in addresses.
    pub(crate) fn hide_secrets(&mut self) {
        // `galo init` writes the command line there.
        self.title = secret::in_text(&self.title);
        if let Some(setting) = &mut self.setting {
            setting.over = serde_json::Value::Null;
        }
        for service in &mut self.services {
            service
                .environment
                .iter_mut()
                .for_each(|(name, value)| *value = secret::in_variable(name, value));
            service.command = secret::in_words(&service.command);
            for line in [&mut service.build, &mut service.setup].into_iter().flatten() {
                *line = secret::in_line(line);
            }
            match &mut service.ready {
                Ready::Http(address) => *address = secret::in_address(address),
                Ready::Command { command, .. } => *command = secret::in_words(command),
                Ready::Started | Ready::Tcp(_) => {}
            }
        }
    }

    /// A server that already runs: it has an address instead of services, and so no limits.
    pub fn at_address(address: SocketAddr, challenge: &str) -> Self {
        Self {
            name: address.to_string(),
            title: format!("the server at {address}"),
            language: None,
            challenge: challenge.to_owned(),
            file: PathBuf::new(),
            file_sha256: String::new(),
            services: Vec::new(),
            runner: Runner::Process,
            own_names: OwnNames::default(),
            connects: false,
            setting: None,
            null_of: None,
        }
    }

    /// Whether it is a server that already runs, which galo did not start.
    pub const fn runs_already(&self) -> bool {
        self.services.is_empty()
    }

    /// Whether it is the very same thing as another one: a difference between the two is noise.
    pub fn is_same(&self, other: &Self) -> bool {
        self.file == other.file
            && self.file_sha256 == other.file_sha256
            && self.runner == other.runner
            && self.turns() == other.turns()
            && self.null_of == other.null_of
    }

    /// The knobs of its setting; none: it is as its file says.
    pub fn turns(&self) -> &[Turn] {
        self.setting.as_ref().map_or(&[], |setting| &setting.turns)
    }

    /// CPU of all services together, exactly, in thousand-millionths.
    pub fn cpus_nano(&self) -> u128 {
        self.services.iter().map(|service| u128::from(service.cpus_nano())).sum()
    }

    /// Whether all services together take more than the budget.
    pub fn is_over(&self, policy: &Policy) -> bool {
        let memory: u128 = self.services.iter().map(|service| u128::from(service.memory_bytes)).sum();
        self.cpus_nano() > policy.cpus_nano() || memory > u128::from(policy.memory_bytes)
    }

    /// CPU of all services together, in thousandths.
    pub fn cpus_milli(&self) -> u32 {
        self.services.iter().map(|s| s.cpus_milli).sum()
    }

    /// Memory of all services together.
    pub fn memory_bytes(&self) -> u64 {
        self.services.iter().map(|s| s.memory_bytes).sum()
    }
}
