//! Which way to make control groups this machine offers, and how services are put into them.

use std::path::PathBuf;

use galo_record::group::Group;

use crate::cgroup::{Lack, Limits, PERIOD_US, SwapLimit, find, swap_limit, v1, v2};
use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::system::System;
use crate::systemd;

/// The way in which this machine makes groups.
#[derive(Debug, Clone)]
pub(crate) enum Groups {
    /// The kernel's files, version 1, below galo's own group.
    V1(Group),
    /// The kernel's files, version 2.
    V2(v2::Parent),
    /// systemd makes a scope.
    Systemd(systemd::Manager),
    /// None; why, with the command that mends it.
    None(Lack),
}

impl Groups {
    /// Finds the way of this machine and tries it with a group called `probe`: made, limited, read back, removed.
    /// `list` is told of the group before it is made. Tells also whether the way keeps services from swapping.
    pub(crate) fn choose(
        system: &System,
        probe: &str,
        list: &dyn Fn(&Enclosure) -> Result<(), HostError>,
    ) -> (Self, SwapLimit) {
        let found = match find::find(system) {
            Ok(found) => found,
            Err(lack) => return (Self::None(lack), SwapLimit::Lacking),
        };
        let ways = match found {
            find::Hierarchy::V1(own) => vec![Self::V1(own)],
            // Root makes its own, as systemd's scopes leave no room for namespaces.
            find::Hierarchy::V2(parent) if system.systemd_booted() && !crate::system::is_root() => {
                vec![Self::Systemd(systemd::Manager::new(system)), Self::V2(parent)]
            }
            find::Hierarchy::V2(parent) if system.systemd_booted() => {
                vec![Self::V2(parent), Self::Systemd(systemd::Manager::new(system))]
            }
            find::Hierarchy::V2(parent) => vec![Self::V2(parent)],
        };
        let mut reasons = Vec::new();
        for mut way in ways {
            match list(&way.planned(probe)).and_then(|()| way.probe(probe)) {
                Ok(swap) => return (way, swap),
                Err(error) => reasons.push(first_line(&error.message).to_owned()),
            }
        }
        (Self::None(Lack { why: reasons.join("; "), mend: mend(system) }), SwapLimit::Lacking)
    }

    fn probe(&mut self, name: &str) -> Result<SwapLimit, HostError> {
        let limits =
            Limits { cpus_milli: 250, memory_bytes: 64 << 20, period_us: PERIOD_US, pids_max: Some(99) };
        if let Self::Systemd(manager) = self {
            return manager.probe(name, &limits);
        }
        let enclosure = self.planned(name);
        let made = self.make(&enclosure, Some(&limits)).and_then(|()| enclosure.verify(&limits));
        // A group that could not be limited must go as well.
        let swap = enclosure.group().map_or(SwapLimit::Lacking, |group| swap_limit(&group));
        enclosure.remove()?;
        made.map(|()| swap)
    }

    /// Where the processes of a group called `name` will be, before it is made.
    pub(crate) fn planned(&self, name: &str) -> Enclosure {
        match self {
            Self::V1(own) => Enclosure::of(own.child(name)),
            Self::V2(parent) => Enclosure::of(parent.planned(name)),
            Self::Systemd(manager) => Enclosure::Scope(manager.scope(name)),
            Self::None(_) => Enclosure::Session { marker: name.to_owned(), leader: None },
        }
    }

    /// The same for what is not limited and may live outside of systemd's scopes: a contender's build.
    pub(crate) fn for_builds(&self) -> Self {
        match self {
            Self::Systemd(_) => {
                Self::None(Lack { why: "systemd's scopes are for services".to_owned(), mend: String::new() })
            }
            other => other.clone(),
        }
    }

    /// Makes the group with these limits. systemd makes its scopes when the process starts.
    pub(crate) fn make(&self, enclosure: &Enclosure, limits: Option<&Limits>) -> Result<(), HostError> {
        match (self, enclosure) {
            (Self::V1(_), Enclosure::Group { group, .. }) => v1::make(group, limits),
            (Self::V2(parent), Enclosure::Group { group, .. }) => parent.make(group, limits),
            _ => Ok(()),
        }
    }

    /// A group that exists and in which the controllers are, where it is known.
    pub(crate) fn example(&self) -> Option<PathBuf> {
        match self {
            Self::V1(own) => Some(own.files().main),
            Self::V2(p) => Some(p.folder.clone()),
            Self::Systemd(_) | Self::None(_) => None,
        }
    }

    /// How limits are enforced, in words for `galo doctor`.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::V1(own) => format!("version 1, below {}", own.files().main.display()),
            Self::V2(p) => format!("version 2, in {}", p.folder.display()),
            Self::Systemd(m) => m.describe(),
            Self::None(lack) => lack.why.clone(),
        }
    }
}

/// What gives this machine's galo control groups.
fn mend(system: &System) -> String {
    if !crate::system::is_root() {
        return "sudo galo ...  (or log in by a session that has a systemd user manager: loginctl enable-linger)"
            .to_owned();
    }
    if system.systemd_booted() {
        return "systemctl daemon-reexec  (then `galo doctor` again)".to_owned();
    }
    "docker run --privileged --cgroupns=host ...  (in a container: control groups must be writable)"
        .to_owned()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
