//! What a host and its running contenders share.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use galo_record::Events;

use crate::cgroup::{Lack, Limits, short_period_us};
use crate::enclosure::{Enclosure, Killed};
use crate::engine::{Compose, Engine};
use crate::error::HostError;
use crate::groups::Groups;
use crate::programs::Programs;
use crate::project::Project;
use crate::state::StateFolder;
use crate::supervisor::Supervisor;
use crate::walls::Walls;

/// How to start contenders.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Whether to set the files' limits.
    pub limited: bool,
    /// Set by the caller to break off whatever is under way.
    pub stop: Arc<AtomicBool>,
    /// For the live view.
    pub events: Events,
}

/// What a host and its running contenders share.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) options: HostOptions,
    pub(crate) groups: Groups,
    /// Whether CPU limits are given in short periods.
    pub(crate) is_rationed: AtomicBool,
    /// Path that a contender in containers answers by a 2xx once it is ready; not set: any answer will do.
    pub(crate) ready_path: OnceLock<String>,
    pub(crate) walls: Walls,
    /// Folders of galo's that no contender sees.
    pub(crate) hidden: Mutex<BTreeSet<PathBuf>>,
    /// Why a memory limit is not the whole truth here.
    pub(crate) swap_lack: Option<Lack>,
    pub(crate) state: StateFolder,
    pub(crate) supervisor: Mutex<Supervisor>,
    pub(crate) built: Mutex<BTreeSet<(PathBuf, String)>>,
    /// What contenders are started from.
    pub(crate) programs: Mutex<Programs>,
    pub(crate) compose: OnceLock<Compose>,
    /// How many group names were given.
    pub(crate) names: AtomicU32,
}

impl Inner {
    /// A host's part that has started nothing yet.
    pub(crate) fn new(
        options: HostOptions,
        (groups, swap_lack): (Groups, Option<Lack>),
        walls: Walls,
        state: StateFolder,
        supervisor: Supervisor,
    ) -> Self {
        Self {
            options,
            groups,
            is_rationed: AtomicBool::new(false),
            ready_path: OnceLock::new(),
            walls,
            hidden: Mutex::new(BTreeSet::from([state.root().to_owned()])),
            swap_lack,
            state,
            supervisor: Mutex::new(supervisor),
            built: Mutex::default(),
            programs: Mutex::default(),
            compose: OnceLock::new(),
            names: AtomicU32::new(0),
        }
    }

    /// A name for a control group that no other has, for any galo of this machine.
    pub(crate) fn new_name(&self, what: &str) -> String {
        let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' };
        let number = self.names.fetch_add(1, Ordering::Relaxed);
        format!("galo-{}-{number}-{}", self.state.id(), what.chars().map(safe).collect::<String>())
    }

    /// Which Compose there is; asked for once.
    pub(crate) fn compose(&self, engine: &Engine) -> Result<Compose, HostError> {
        if let Some(compose) = self.compose.get() {
            return Ok(compose.clone());
        }
        let compose = engine.compose()?;
        Ok(self.compose.get_or_init(|| compose).clone())
    }

    /// An error if the caller has broken it off.
    pub(crate) fn go_on(&self) -> Result<(), HostError> {
        if self.options.stop.load(Ordering::Relaxed) { Err(HostError::interrupted()) } else { Ok(()) }
    }

    pub(crate) fn require_supervisor(&self) -> Result<(), HostError> {
        self.supervisor.lock().unwrap_or_else(PoisonError::into_inner).require_alive()
    }

    /// Folders of galo's that no contender sees.
    pub(crate) fn hidden(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.hidden.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Builds that are done: working directory and command.
    pub(crate) fn built(&self) -> MutexGuard<'_, BTreeSet<(PathBuf, String)>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What contenders are started from.
    pub(crate) fn programs(&self) -> MutexGuard<'_, Programs> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limits to set, if any.
    pub(crate) fn limits(&self, mut limits: Limits) -> Option<Limits> {
        if self.is_rationed.load(Ordering::Relaxed) {
            limits.period_us = short_period_us(limits.cpus_milli);
        }
        (self.options.limited && !matches!(self.groups, Groups::None(_))).then_some(limits)
    }

    /// Why limits are not enforced; `None` where they are.
    pub(crate) fn limits_note(&self) -> Option<String> {
        let weak = "without control groups neither CPU nor memory is measured, and a process that hides from its session may \
                    outlive its round";
        match &self.groups {
            Groups::None(lack) if self.options.limited => {
                Some(format!("{} (to mend it: {}), and {weak}", lack.why, lack.mend))
            }
            Groups::None(_) => Some(format!("limits were switched off (--unlimited), and {weak}")),
            _ if !self.options.limited => Some("limits were switched off (--unlimited)".to_owned()),
            _ => self.swap_lack.as_ref().map(|lack| format!("{}; {}", lack.why, lack.mend)),
        }
    }

    /// Strikes what is gone of an engine off the list.
    pub(crate) fn forget(&self, project: &Project) -> Result<(), HostError> {
        self.state.change(|list| list.projects.retain(|listed| listed.name != project.name))
    }

    /// Kills what is in an enclosure, removes it, and strikes it off the list.
    pub(crate) fn discard(&self, enclosure: &Enclosure) -> Result<Killed, HostError> {
        let killed = enclosure.kill()?;
        enclosure.remove()?;
        self.state.strike(enclosure)?;
        Ok(killed)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.state.close();
        self.supervisor.get_mut().unwrap_or_else(PoisonError::into_inner).end();
    }
}
