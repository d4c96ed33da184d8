//! Where a running contender is: which control group, port and log belongs to which service.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use galo_plan::contender::Ulimit;
use serde::{Deserialize, Serialize};

use crate::group::Group;

/// A running contender, as the stages that may not know one another share it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// Contender's name.
    pub contender: String,
    /// Where the load goes.
    pub target: SocketAddr,
    /// Whether every limit of the file was set and read back. `false`: see [`Self::limits_note`].
    pub limits_enforced: bool,
    /// Why limits are not enforced, in one sentence; the first line of every report then.
    pub limits_note: Option<String>,
    /// Why services are not kept apart from one another and from galo, in one sentence; the first line of every
    /// report then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub walls_note: Option<String>,
    /// In starting order. Empty for a server that galo did not start.
    pub services: Vec<ServicePlacement>,
}

/// One running service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServicePlacement {
    /// Name in the Compose file.
    pub name: String,
    /// Its control group; `None` where the machine gives none.
    pub group: Option<Group>,
    /// First process.
    pub pid: u32,
    /// Its log in the run folder: standard output and error.
    pub log: PathBuf,
    /// CPU limit as read back from the kernel, in thousandths; `None`: no limit is set.
    pub cpus_milli: Option<u32>,
    /// Memory limit as read back from the kernel; `None`: no limit is set.
    pub memory_bytes: Option<u64>,
    /// Resource limits in force; `nofile` always.
    pub ulimits: BTreeMap<String, Ulimit>,
    /// From start to readiness.
    pub ready_after_ns: u64,
    /// Where a container is asked by itself, if it listens; `None` for a process, whose readiness tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listens: Option<SocketAddr>,
    /// Digest of a container's image: `NAME@sha256:...` where a registry gave it, else the engine's own; `None` for a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
}
