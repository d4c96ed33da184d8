//! Brings a contender up by Compose, sees that its limits hold, and waits until it is ready: by its health checks, and by an
//! answer at its port.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use galo_plan::contender::{PIDS_MAX, Ulimit};
use galo_plan::units::format_bytes;
use galo_plan::{Contender, Service, instances};
use galo_record::group::Group;
use galo_record::{Event, Placement, ServicePlacement};

use super::inspect::{self, Fitness, Seen, State, inspect};
use super::logs::Follower;
use super::overrides::{self, Copied, Unlimited};
use super::{Contained, Containers, quoted, quoted_briefly};
use crate::cgroup::{Limits, PERIOD_US, SwapLimit, find};
use crate::enclosure::Enclosure;
use crate::engine::{Engine, SOON};
use crate::errand::{Done, Errand};
use crate::error::HostError;
use crate::inner::Inner;
use crate::keeper::Keeper;
use crate::project::Project;
use crate::ready::{self, Asking};
use crate::session::Leader;
use crate::system::System;
use crate::{holding, log, port, process};

/// Time between two looks at the port and at who has died.
const LOOK: Duration = Duration::from_millis(10);
/// Time between two questions to the engine while a contender becomes ready: each costs a process.
const ASKING: Duration = Duration::from_millis(250);
/// What Compose may take beyond the time that services have to become ready: it makes networks, volumes and containers.
const MAKING: Duration = Duration::from_secs(60);
/// What an engine says where its machine has no more of something.
const OF_MACHINE: [&str; 5] = [
    "error setting rlimit",
    "no space left on device",
    "port is already allocated",
    "address already in use",
    "non-overlapping IPv4 address pool",
];
/// How long its port is not asked while some of its containers listen nowhere: those of a queue never do.
const LISTENING: Duration = Duration::from_secs(3);
const LISTEN_LOOK: Duration = Duration::from_millis(50);
/// A contender that is not ready after this is told as late, once.
const LATE: Duration = Duration::from_secs(5);
/// How long a copy may take.
const COPY_WITHIN: Duration = Duration::from_secs(60);
/// A writable bind of more than this is no start of a round.
const COPY_MAX_BYTES: u64 = 1 << 30;

/// Starts all services. On an error the half-started contender is dropped, which removes it.
pub(crate) fn start(
    inner: &Arc<Inner>,
    contender: &Contender,
    port: u16,
    logs: &Path,
) -> Result<Containers, HostError> {
    inner.go_on()?;
    inner.require_supervisor()?;
    let engine = Engine::of_environment();
    let compose = inner.compose(&engine)?;
    // What was checked is what is started, in each round.
    require_unchanged(contender)?;
    let ports = ports(contender, port);
    let held = port::Held::take(inner.state.root(), &ports)?;
    port::require_free(&ports)?;
    require_names_free(&engine, contender)?;
    std::fs::create_dir_all(logs).map_err(|e| HostError::io("make", logs, &e))?;
    let logs = logs.canonicalize().map_err(|e| HostError::io("read", logs, &e))?;
    let project = inner.new_name("").trim_end_matches('-').to_lowercase();
    // Not in the run folder, which may lie in what is copied.
    let folder = std::env::temp_dir().join(format!("{project}-binds"));
    let copied = overrides::copies(contender, &folder);
    let mut containers = Containers {
        inner: Arc::clone(inner),
        contender: contender.clone(),
        placement: placement(inner, contender, port),
        services: Vec::new(),
        keeper: Keeper::start(),
        project: Project { name: project, engine, anonymous: BTreeSet::new() },
        compose,
        files: vec![contender.file.clone()],
        copies: Vec::new(),
        ports,
        is_made: true,
        _held: held,
        ended: false,
        asked: None,
    };
    containers.copy(&copied, &folder)?;
    let over = containers.lay_over(&copied, &logs)?;
    containers.files.extend(over);
    let (begun, project) = (Instant::now(), containers.project.clone());
    inner.state.change(|list| list.projects.push(project))?;
    containers.up(&logs)?;
    containers.keep_anonymous(&logs)?;
    containers.wait(begun)?;
    Ok(containers)
}

/// An error where the file is not the one that was read and checked.
pub(super) fn require_unchanged(contender: &Contender) -> Result<(), HostError> {
    contender.require_unchanged().map_err(|error| HostError::client(error.to_string()))
}

/// The control group of a container and its first process, as far as there are such.
pub(super) fn enclosure(seen: &Seen) -> Enclosure {
    let running = Some(seen.state.pid).filter(|&pid| pid > 0);
    let group =
        running.and_then(|pid| find::group_of(&System::real(), pid)).filter(|group| is_of(group, &seen.id));
    let leader = running.filter(|_| group.is_some()).and_then(Leader::of);
    // A place where there is nothing to find, freeze or kill.
    let nothing = || Group::V2 { path: PathBuf::from("/nonexistent").join(&seen.id) };
    let mut enclosure = Enclosure::of(group.unwrap_or_else(nothing));
    enclosure.led_by(leader);
    enclosure
}

/// Whether a group is this container's: engines name its folders by its id. A process that is about to end is told to be in the
/// root of all groups, and one of an engine on another machine has the number of somebody else's here: to kill that group would
/// be to kill all, or strangers.
fn is_of(group: &Group, id: &str) -> bool {
    let is_named =
        |folder: &PathBuf| folder.file_name().is_some_and(|name| name.to_string_lossy().contains(id));
    id.len() >= ID_LENGTH && group.files().folders.iter().all(is_named)
}

/// Letters of an engine's id of a container.
const ID_LENGTH: usize = 64;

/// The port that is asked for, and all that are published; with the machine's own network nobody tells.
fn ports(contender: &Contender, port: u16) -> Vec<u16> {
    let containers = contender.services.iter().filter_map(|service| service.container.as_ref());
    let mut ports: Vec<u16> = containers.flat_map(|container| container.ports.iter().copied()).collect();
    ports.push(port);
    ports.sort_unstable();
    ports.dedup();
    ports
}

/// Names that the file chooses itself can be somebody's: Compose would take over what is there, or fail.
fn require_names_free(engine: &Engine, contender: &Contender) -> Result<(), HostError> {
    let containers = contender.services.iter().filter_map(|service| service.container.as_ref());
    let containers = containers.filter_map(|container| container.container_name.as_ref());
    let volumes = contender.own_names.volumes.iter();
    let networks = contender.own_names.networks.iter();
    let all = containers.map(|name| ("container", "rm --force", name));
    let all = all.chain(volumes.map(|name| ("volume", "volume rm", name)));
    for (kind, remove, name) in all.chain(networks.map(|name| ("network", "network rm", name))) {
        if engine.attempt(&[kind, "inspect", "--", name], SOON)?.is_ok() {
            return Err(HostError::host(format!(
                "there is a {kind} called `{name}` already, which the file names too\n\
                 hint: remove it, if it is yours: docker {remove} {name}"
            )));
        }
    }
    Ok(())
}

fn placement(inner: &Inner, contender: &Contender, port: u16) -> Placement {
    let limits_note = match inner.options.limited {
        // The engine gives a container as much swap as memory.
        true => SwapLimit::Lacking
            .lack(&System::real().read("/proc/swaps").unwrap_or_default())
            .map(|lack| format!("{}; {}", lack.why, lack.mend)),
        false => Some("limits were switched off (--unlimited)".to_owned()),
    };
    Placement {
        contender: contender.name.clone(),
        target: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        limits_enforced: limits_note.is_none(),
        limits_note,
        walls_note: None,
        services: Vec::new(),
    }
}

impl Containers {
    /// Copies what containers may write to, once for each source. What is not there becomes an empty folder, as the engine
    /// would make it.
    fn copy(&mut self, copied: &[Copied], folder: &Path) -> Result<(), HostError> {
        if copied.is_empty() {
            return Ok(());
        }
        self.copies.push(folder.to_owned());
        self.inner.state.change(|list| list.volumes.push(folder.to_owned()))?;
        std::fs::create_dir(folder).map_err(|e| HostError::io("make", folder, &e))?;
        let sources: BTreeMap<&Path, &Path> =
            copied.iter().map(|one| (one.copy.as_path(), one.source.as_path())).collect();
        for (copy, source) in sources {
            // Followed once, and not by whoever mounts the copy.
            let Ok(real) = source.canonicalize() else {
                std::fs::create_dir(copy).map_err(|e| HostError::io("make", copy, &e))?;
                continue;
            };
            let bytes = holding::bytes(std::slice::from_ref(&real));
            if bytes > COPY_MAX_BYTES {
                return Err(HostError::contender(format!(
                    "the containers may write to `{}`, which holds {}, too much to copy for each round\n\
                     hint: mount it read-only (`:ro`), or let the round begin with less in it",
                    source.display(),
                    format_bytes(bytes)
                )));
            }
            let words = [
                "--archive".to_owned(),
                "--".to_owned(),
                real.display().to_string(),
                copy.display().to_string(),
            ];
            let environment = self.project.engine.environment();
            let errand = Errand {
                what: "copy",
                program: &process::find_program("cp", "/".as_ref(), &environment)?,
                arguments: &words,
                environment: &environment,
                workdir: "/".as_ref(),
                within: Some(COPY_WITHIN),
                limits: None,
            };
            let done = errand.run(&self.inner)?;
            if !done.is_good() {
                let (source, words, lines) = (source.display(), done.words(), log::quoted(&done.lines));
                return Err(HostError::host(format!(
                    "cannot copy `{source}`, which its containers may write to ({words}){lines}\nhint: see who may read it"
                )));
            }
        }
        Ok(())
    }

    /// Writes what is laid over the contender's file, beside the logs: its setting, and then galo's own.
    fn lay_over(&self, copied: &[Copied], logs: &Path) -> Result<Vec<PathBuf>, HostError> {
        let limited = self.inner.options.limited;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let memory_bytes = System::real().meminfo("MemTotal:");
        let text =
            overrides::text(&self.contender, copied, (!limited).then_some(Unlimited { cores, memory_bytes }));
        let setting = overrides::setting(&self.contender).map(|text| ("compose.setting.json", text));
        let write = |(name, text): (&str, String)| {
            let path = logs.join(name);
            std::fs::write(&path, text).map_err(|e| HostError::io("write", &path, &e))?;
            Ok(path)
        };
        setting.into_iter().chain([("compose.galo.json", text)]).map(write).collect()
    }

    /// Has Compose bring it up, and finds its containers.
    fn up(&mut self, logs: &Path) -> Result<(), HostError> {
        let done = self.have_made(&["up", "--detach", "--no-build"])?;
        // Also where it failed: the logs of what was made tell why.
        let found = self.find(logs);
        if done.is_good() {
            return found;
        }
        self.project.engine.version()?;
        let _ = found;
        self.services.iter_mut().for_each(|service| service.follower.finish());
        let unfit = self.services.iter().filter(|service| service.seen.fitness() != Fitness::Fit);
        let told = unfit.map(|s| match s.seen.state.exit_code {
            0 => format!("\n  of `{}`:{}", s.name, quoted(s)),
            _ => format!("\n  of `{}` ({}):{}", s.name, ending(&s.seen.state), quoted(s)),
        });
        let told: String = told.collect();
        let (words, lines) = (done.words(), log::quoted(&done.lines));
        let said = format!("{} could not bring it up ({words}){lines}{told}", self.compose.version);
        Err(blamed(&done, &said, &format!("see {}", logs.display())))
    }

    /// Has Compose do something to the project that makes containers.
    pub(super) fn have_made(&mut self, does: &[&str]) -> Result<Done, HostError> {
        let (compose, engine) = (&self.compose, &self.project.engine);
        let errand = Errand {
            what: "compose",
            program: &compose.program(engine)?,
            arguments: &compose.arguments(&self.project.name, &self.files, does),
            environment: &engine.environment(),
            workdir: self.contender.file.parent().unwrap_or(Path::new("/")),
            within: Some(self.within() + MAKING),
            limits: None,
        };
        self.is_made = false;
        let done = errand.run(&self.inner)?;
        self.is_made = done.status.is_some();
        Ok(done)
    }

    /// Finds the container of each service, and follows its log.
    fn find(&mut self, logs: &Path) -> Result<(), HostError> {
        let engine = &self.project.engine;
        let ids = self.project.containers()?;
        let mut all =
            if ids.is_empty() { Vec::new() } else { inspect(engine, ids.iter().map(String::as_str))? };
        for service in &self.contender.services {
            let Some(at) = all.iter().position(|seen| seen.service() == service.name) else {
                return Err(missing(service));
            };
            let seen = all.swap_remove(at);
            let log = logs.join(format!("{}.log", service.name));
            let limits = self.inner.options.limited.then_some(Limits {
                cpus_milli: service.cpus_milli,
                period_us: PERIOD_US,
                memory_bytes: service.memory_bytes,
                pids_max: service.pids_max.or(Some(PIDS_MAX)),
            });
            self.keeper.add(&service.name, log.clone(), limits);
            self.inner.options.events.send(Event::ServiceStarted { service: service.name.clone() });
            self.services.push(Contained {
                name: service.name.clone(),
                id: seen.id.clone(),
                enclosure: enclosure(&seen),
                listens: None,
                follower: Follower::start(engine, &seen.id, &log, None)?,
                log,
                limits,
                seen,
                told: false,
                oom_told: 0,
            });
        }
        match all.first() {
            None => Ok(()),
            Some(stranger) => Err(HostError::contender(format!(
                "Compose started a service `{}` that galo has not read\nhint: does a profile or the environment start it?",
                stranger.service()
            ))),
        }
    }

    /// How long it may take to become ready.
    fn within(&self) -> Duration {
        let longest = self.contender.services.iter().map(|service| service.ready_timeout_ns).max();
        Duration::from_nanos(longest.unwrap_or_default())
    }

    /// Waits until all are healthy and somebody answers at the port, then sees that limits hold and says where everything is.
    fn wait(&mut self, begun: Instant) -> Result<(), HostError> {
        let target = self.placement.target;
        let path = self.inner.ready_path.get().cloned();
        // A load balancer that is asked before its instances listen may take them for dead for ten seconds (nginx does).
        let made = Instant::now();
        while made.elapsed() < LISTENING && self.services.iter().any(|service| self.is_awaited(service)) {
            self.inner.go_on()?;
            thread::sleep(LISTEN_LOOK);
        }
        let all = self.names();
        self.wait_for(&all, made, move || ready::answers(target, path.as_deref()))?;
        // One instance is enough for an answer. The other, to be asked by itself as well, may need a moment more.
        let answered = Instant::now();
        while answered.elapsed() < LISTENING && self.lacks_an_instance() {
            self.inner.go_on()?;
            thread::sleep(LISTEN_LOOK);
            self.unfit(&all)?;
        }
        self.take_over(begun, &all)
    }

    /// Whether of services that are alike some listen, and others do not yet.
    fn lacks_an_instance(&self) -> bool {
        let alike = instances::largest(&self.contender.services);
        let is_one = |contained: &&Contained| alike.iter().any(|service| service.name == contained.name);
        let all = self.services.iter().filter(is_one).filter(|contained| contained.seen.address().is_some());
        let (listening, silent): (Vec<_>, Vec<_>) = all.partition(|contained| listens(contained).is_some());
        !listening.is_empty() && !silent.is_empty()
    }

    /// Whether others need it, it can be reached, and it listens nowhere yet.
    fn is_awaited(&self, contained: &Contained) -> bool {
        let is_needed =
            self.contender.services.iter().any(|other| other.depends_on.contains(&contained.name));
        is_needed && contained.seen.address().is_some() && listens(contained).is_none()
    }

    /// Waits until these are healthy, and a question has its answer.
    pub(super) fn wait_for(
        &mut self,
        awaited: &[String],
        begun: Instant,
        ask: impl Fn() -> Result<(), String> + Clone + Send + 'static,
    ) -> Result<(), HostError> {
        let (mut asking, mut next) = (None::<Asking>, Instant::now());
        let (mut last, mut is_answered, mut is_told) = ("none yet".to_owned(), false, false);
        loop {
            self.inner.go_on()?;
            if !is_answered {
                let ask = ask.clone();
                if let Some(heard) = asking.get_or_insert_with(|| Asking::begin(ask)).heard() {
                    asking = None;
                    match heard {
                        Ok(()) => is_answered = true,
                        Err(said) => last = said,
                    }
                }
            }
            if Instant::now() >= next {
                next = Instant::now() + ASKING;
                let unfit = self.unfit(awaited)?;
                match unfit {
                    None if is_answered => return Ok(()),
                    None => {}
                    Some(said) => last = said,
                }
            }
            if begun.elapsed() > self.within() {
                return Err(self.not_ready(&last));
            }
            if begun.elapsed() > LATE && !is_told {
                is_told = true;
                let service = self.services.last().map(|service| service.name.clone()).unwrap_or_default();
                let (last, listens) = (last.clone(), self.where_they_listen());
                self.inner.options.events.send(Event::ServiceLate { service, last, listens });
            }
            thread::sleep(LOOK);
        }
    }

    /// Whose health check of these is not content yet, if any; an error for who of them has ended.
    fn unfit(&mut self, awaited: &[String]) -> Result<Option<String>, HostError> {
        let all = self.look()?;
        let mut unfit = None;
        for (service, seen) in self.services.iter_mut().zip(all) {
            let (lives, fitness) = (seen.lives(), seen.fitness());
            let is_new = service.seen.state.pid != seen.state.pid;
            if lives && is_new && seen.state.pid > 0 {
                service.refresh(&self.project.engine, seen)?;
            } else {
                service.seen = seen;
            }
            // Who is still to be started again does not count.
            if service.told || !awaited.contains(&service.name) {
                continue;
            }
            if !lives {
                return Err(ended(service));
            }
            if let Fitness::Unfit(said) = fitness {
                unfit.get_or_insert_with(|| format!("health of `{}`: {said}", service.name));
            }
        }
        Ok(unfit)
    }

    /// Where its containers listen, in words.
    fn where_they_listen(&self) -> String {
        let told = self
            .services
            .iter()
            .filter_map(|service| Some(format!("{} on {}", service.name, listens(service)?)));
        told.collect::<Vec<_>>().join(", ")
    }

    fn not_ready(&self, last: &str) -> HostError {
        let seconds = self.within().as_secs();
        let target = self.placement.target;
        let logs: String =
            self.services.iter().map(|s| format!("\n  of `{}`:{}", s.name, quoted_briefly(s))).collect();
        HostError::contender(format!(
            "it was not ready after {seconds} s (last answer at {target}: {last}){logs}\n\
             hint: does it publish port {}, and does its load balancer reach its instances?",
            target.port()
        ))
    }

    /// Says where these are, now that they are ready; limits must hold from here on.
    pub(super) fn take_over(&mut self, begun: Instant, names: &[String]) -> Result<(), HostError> {
        let ready_after_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let images =
            inspect::digests(&self.project.engine, self.services.iter().map(|s| s.seen.image.as_str()))?;
        for (contained, service) in self.services.iter_mut().zip(&self.contender.services) {
            if !names.contains(&contained.name) {
                continue;
            }
            hold(contained, service)?;
            contained.listens = listens(contained);
            self.keeper.add(&contained.name, contained.log.clone(), contained.limits);
            self.keeper.watch(&contained.name, &contained.enclosure);
            let read = contained.enclosure.limits();
            let placed = ServicePlacement {
                name: contained.name.clone(),
                group: contained.enclosure.group(),
                pid: contained.seen.state.pid,
                log: contained.log.clone(),
                cpus_milli: read.cpus_milli,
                memory_bytes: read.memory_bytes,
                ulimits: ulimits_in_force(contained.seen.state.pid, &service.ulimits),
                ready_after_ns,
                listens: contained.listens,
                image: images.get(&contained.seen.image).cloned(),
            };
            let event = Event::ServiceReady { service: placed.name.clone(), after_ns: ready_after_ns };
            self.inner.options.events.send(event);
            let services = &mut self.placement.services;
            match services.iter_mut().find(|known| known.name == placed.name) {
                Some(known) => *known = placed,
                None => services.push(placed),
            }
        }
        Ok(())
    }
}

/// Compares what holds with what the file says, and keeps what holds. The engine counts CPU in billionths and the kernel in
/// microseconds of a period, so that the last thousandth may differ.
fn hold(contained: &mut Contained, service: &Service) -> Result<(), HostError> {
    let Some(asked) = contained.limits else { return Ok(()) };
    let read = contained.enclosure.limits();
    let page = rustix::param::page_size() as u64;
    let cpus = read.cpus_milli.filter(|got| got.abs_diff(asked.cpus_milli) <= 1);
    let memory = read.memory_bytes.filter(|got| got / page == asked.memory_bytes / page);
    let (Some(cpus_milli), Some(memory_bytes)) = (cpus, memory) else {
        let error = HostError::host(format!(
            "the limits do not hold: {read:?} instead of {asked:?}\n\
             hint: docker info tells what the engine can limit; with docker-compose below 1.29 limits of `deploy` may mean nothing"
        ));
        return Err(error.about("service", &service.name));
    };
    contained.limits = Some(Limits { cpus_milli, memory_bytes, ..asked });
    Ok(())
}

/// Where it is asked by itself: at the first port on which its processes listen for everybody.
fn listens(contained: &Contained) -> Option<SocketAddr> {
    let address = contained.seen.address()?;
    let pids = contained.enclosure.processes();
    let is_open = |heard: &SocketAddr| {
        heard.ip().is_unspecified() || heard.ip() == address || is_mapped(heard.ip(), address)
    };
    let heard = port::heard_in(&System::real(), &contained.seen.state.pid.to_string(), &pids);
    heard.into_iter().find(is_open).map(|heard| SocketAddr::new(address, heard.port()))
}

fn is_mapped(heard: IpAddr, address: IpAddr) -> bool {
    matches!(heard, IpAddr::V6(heard) if heard.to_ipv4_mapped().map(IpAddr::V4) == Some(address))
}

/// What the file names, and the limit of open files in any case, as the kernel has it for a container's first process.
fn ulimits_in_force(pid: u32, named: &BTreeMap<String, Ulimit>) -> BTreeMap<String, Ulimit> {
    let mut ulimits = named.clone();
    let text = System::real().read(format!("/proc/{pid}/limits")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Max open files")).unwrap_or_default();
    let both: Vec<Option<u64>> = line.split_whitespace().take(2).map(|number| number.parse().ok()).collect();
    if let [soft, hard] = both[..] {
        ulimits.insert("nofile".to_owned(), Ulimit { soft, hard });
    }
    ulimits
}

/// What Compose could not do. What the machine does not give is not the contender's fault.
pub(super) fn blamed(done: &Done, said: &str, hint: &str) -> HostError {
    let is_machines = |line: &String| OF_MACHINE.iter().any(|words| line.contains(words));
    if done.lines.iter().any(is_machines) {
        let hint = "see to the machine: `galo doctor`; more open files, as root: ulimit -n 1048576; dockerd";
        return HostError::host(format!("{said}\nhint: {hint}"));
    }
    HostError::contender(format!("{said}\nhint: {hint}"))
}

fn missing(service: &Service) -> HostError {
    let hint = "does it belong to a profile? galo starts none";
    HostError::contender(format!("Compose made no container of it\nhint: {hint}"))
        .about("service", &service.name)
}

fn ended(service: &mut Contained) -> HostError {
    service.follower.finish();
    let state = &service.seen.state;
    let why = if state.error.is_empty() { String::new() } else { format!("; {}", state.error) };
    let error = HostError::contender(format!(
        "it ended before all were ready ({}{why}){}\nhint: see {}",
        ending(state),
        quoted(service),
        service.log.display()
    ));
    error.about("service", &service.name)
}

/// How a container's first process ended, in words.
fn ending(state: &State) -> String {
    let memory = if state.oom_killed { "; killed by the kernel: out of memory" } else { "" };
    format!("exit status {}{memory}", state.exit_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_is_not_the_containers_own_is_none_to_kill() {
        let id = "ab".repeat(32);
        let v1 = |folder: &str| {
            let path = PathBuf::from(folder);
            Group::V1 {
                cpu: path.clone(),
                cpuacct: path.clone(),
                memory: path.clone(),
                freezer: Some(path),
                pids: None,
            }
        };
        assert!(is_of(&v1(&format!("/sys/fs/cgroup/memory/docker/{id}")), &id));
        let scope = format!("/sys/fs/cgroup/system.slice/docker-{id}.scope");
        assert!(is_of(&Group::V2 { path: scope.into() }, &id));
        // Where the kernel shows a process that is about to end, and where a stranger of the same number is.
        assert!(!is_of(&v1("/sys/fs/cgroup/memory"), &id) && !is_of(&v1("/"), &id));
        assert!(!is_of(&Group::V2 { path: "/sys/fs/cgroup/user.slice/session-2.scope".into() }, &id));
        assert!(!is_of(&v1("/sys/fs/cgroup/memory/docker/x"), ""));
    }
}
