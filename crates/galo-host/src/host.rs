//! A galo process's part of the machine: its state folder, its supervisor, its way to limit.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use galo_plan::{Contender, Runner};

use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::groups::Groups;
use crate::inner::{HostOptions, Inner};
use crate::running::Running;
use crate::state::{self, StateFolder};
use crate::supervisor::Supervisor;
use crate::system::{System, raise_open_files};
use crate::walls::Walls;
use crate::{building, docker, remains, start};

/// Everything of this galo process on this machine: its lock, its supervisor, the way it limits. Dropping it ends
/// the supervisor and removes what is left (once the last [`Running`] is gone too).
#[derive(Debug)]
pub struct Host {
    inner: Arc<Inner>,
}

/// What [`Host::open`] takes from its own process, for a caller that is not the galo program.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// Where state folders are made.
    pub state_root: PathBuf,
    /// A program that calls [`crate::supervise`] with its second argument when its first is `__supervise`.
    pub supervisor: PathBuf,
}

impl Default for Surroundings {
    /// This user's state root, and this very program (also when its file was replaced meanwhile).
    fn default() -> Self {
        Self { state_root: state::state_root(), supervisor: PathBuf::from("/proc/self/exe") }
    }
}

impl Host {
    /// Takes a lock of its own, removes what dead galos left, starts the supervisor, raises the limit of open files
    /// of its process (which services inherit) as far as it may. The calling program must route
    /// the hidden command `__supervise` to [`crate::supervise`].
    ///
    /// # Errors
    /// The state folder or the supervisor cannot be made. A machine without control groups is no error: the
    /// placement says so.
    pub fn open(options: HostOptions) -> Result<Self, HostError> {
        Self::open_in(options, &Surroundings::default())
    }

    /// The same in surroundings of the caller's.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_in(options: HostOptions, surroundings: &Surroundings) -> Result<Self, HostError> {
        raise_open_files();
        // What cannot be removed now is not in this galo's way; `galo clean` tells why.
        let _ = remains::clean_below(&surroundings.state_root);
        let state = StateFolder::create(&surroundings.state_root)?;
        let supervisor = Supervisor::start(&surroundings.supervisor, state.path())?;
        let probe = format!("galo-{}-probe", state.id());
        let (groups, swap) = Groups::choose(&System::real(), &probe, &|planned| state.add(planned));
        state.change(|list| list.enclosures.retain(Enclosure::exists))?;
        let swap_lack = swap.lack(&System::real().read("/proc/swaps").unwrap_or_default());
        let walls = Walls::choose(&groups);
        let inner = Inner::new(options, (groups, swap_lack), walls, state, supervisor);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Why limits will not be enforced, in one sentence; `None` where they will be.
    pub fn limits_note(&self) -> Option<String> {
        self.inner.limits_note()
    }

    /// Why a service is not kept apart from others and from galo, in one sentence; `None` where it is.
    pub fn walls_note(&self) -> Option<String> {
        self.inner.walls.note()
    }

    /// Keeps a folder from the eyes of all contenders that are started from now on.
    pub fn hide(&self, folder: &Path) {
        self.inner.hidden().insert(folder.to_owned());
    }

    /// Shortens the quota periods of processes started from now on, so that their CPU limits hold within a
    /// tenth of a second.
    pub fn ration(&self) {
        self.inner.is_rationed.store(true, Ordering::Relaxed);
    }

    /// Has contenders in containers answer this path by a 2xx before they are ready, as their challenge says; once for all that this host
    /// starts.
    pub fn ready_when(&self, path: Option<&str>) {
        if let Some(path) = path {
            self.inner.ready_path.get_or_init(|| path.to_owned());
        }
    }

    /// Makes ready what it is started from, once. As processes: runs the `build` of every service (equal commands are run
    /// once). In containers: holds Compose's reading of the file against galo's, pulls images that are not here, builds
    /// those that are to be built. A build of a process gets what toolchains need of galo's own environment, and no secrets;
    /// the result must be where the Compose file says. What it then is started from is kept in mind: [`Self::start`] refuses
    /// to start anything else.
    ///
    /// # Errors
    /// The build failed (with its last lines), or the caller broke it off.
    pub fn build(&self, contender: &Contender) -> Result<(), HostError> {
        let built = match contender.runner {
            Runner::Process => building::build(&self.inner, contender),
            Runner::Docker => docker::prepare(&self.inner, contender),
        };
        built.map_err(|e| e.about("contender", &contender.name))?;
        self.inner.programs().keep(contender);
        Ok(())
    }

    /// Starts all services in order, each when those that it depends on are ready; logs go to `logs`, volumes to
    /// fresh folders beside it. Fails at once if `port` (the challenge's) is taken already, or another port that a
    /// service's readiness names. On an error nothing is left running.
    ///
    /// # Errors
    /// A port is taken, a program is missing or was changed since the build, a service ended or was not ready in time, the caller broke it off.
    pub fn start(
        &self,
        contender: &Contender,
        port: u16,
        logs: &Path,
    ) -> Result<Box<dyn Running>, HostError> {
        let unchanged = building::require_built(&self.inner, contender);
        let running: Result<Box<dyn Running>, HostError> = unchanged.and_then(|()| match contender.runner {
            Runner::Process => start::start(&self.inner, contender, port, logs).map(boxed),
            Runner::Docker => docker::start(&self.inner, contender, port, logs).map(boxed),
        });
        running.map_err(|e| e.about("contender", &contender.name))
    }
}

fn boxed(running: impl Running + 'static) -> Box<dyn Running> {
    Box::new(running)
}
