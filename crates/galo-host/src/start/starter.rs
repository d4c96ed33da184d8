//! One service: its group, its setup, its first process, its readiness.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use galo_plan::Service;
use galo_plan::contender::Ready;
use galo_record::clock::now_ns;
use galo_record::{Event, ServicePlacement};

use crate::account::Account;
use crate::cgroup::{Limits, PERIOD_US};
use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::groups::Groups;
use crate::process::{Launch, find_program, ulimits_in_force};
use crate::processes::{Live, Origin, Processes};
use crate::ready::{self, Asking};
use crate::reap;
use crate::system::System;
use crate::volumes::Volumes;
use crate::walls::{self, Inside, Room, View};
use crate::{log, port};

/// Time between two looks at the stop flag and at the services.
pub(super) const LOOK: Duration = Duration::from_millis(5);
/// Time between two tries of a health check while its service starts, also where the file says a longer one: that is meant for
/// one that runs.
const ASKING: Duration = Duration::from_millis(100);
/// A service that is not ready after this is told as late, once: it may listen somewhere else.
const LATE: Duration = Duration::from_secs(3);
/// How long a service that is ready as soon as it runs is watched: a command that fails at once should be told as
/// that, not as a death in the round. A busy machine takes its time for a failure too.
const STARTED: Duration = Duration::from_millis(200);

/// Starts one service.
pub(super) struct Starter<'a> {
    service: &'a Service,
    account: Option<&'a Account>,
    volumes: &'a Volumes,
    environment: Vec<(OsString, OsString)>,
    /// Its walls, where it has some.
    room: Option<Room>,
    /// The PID namespace of its first process, once that runs.
    processes: Option<File>,
    log: PathBuf,
    limits: Option<Limits>,
    /// Index of the service in [`Processes::services`].
    index: usize,
    begun: Instant,
    begun_ns: u64,
    /// When it is next asked whether it is ready.
    next: Instant,
    /// The try that is under way.
    asking: Option<Asking>,
    /// What it answered last.
    last: String,
    /// Whether it was told that it is late.
    is_told: bool,
}

impl<'a> Starter<'a> {
    /// Starts it: lists its group, makes it, runs the setup unless the service was started before, and launches its first
    /// process. One that was started before gets a new group in place of the old one, which must be gone.
    pub(super) fn start(
        running: &mut Processes,
        service: &'a Service,
        origin: &'a Origin,
    ) -> Result<Self, HostError> {
        let inner = Arc::clone(&running.inner);
        inner.go_on()?;
        let limits = Limits {
            cpus_milli: service.cpus_milli,
            period_us: PERIOD_US,
            memory_bytes: service.memory_bytes,
            pids_max: service.pids_max,
        };
        limits.require_enforceable()?;
        let limits = inner.limits(limits);
        let enclosure = inner.groups.planned(&inner.new_name(&service.name));
        let known = running.services.iter().position(|known| known.name == service.name);
        let log = match known {
            None => origin.logs.join(format!("{}.log", service.name)),
            Some(_) => next_log(&origin.logs, &service.name),
        };
        inner.state.add(&enclosure)?;
        let live = Live {
            name: service.name.clone(),
            enclosure: enclosure.clone(),
            child: None,
            log: log.clone(),
            limits,
            stop: service.stop,
            told: false,
            oom_told: 0,
        };
        running.keeper.add(&service.name, log.clone(), limits);
        let index = known.unwrap_or(running.services.len());
        match known {
            Some(index) => running.services[index] = live,
            None => running.services.push(live),
        }
        inner.groups.make(&enclosure, limits.as_ref())?;
        let account = origin.accounts.get(&service.name);
        let volumes = &origin.volumes;
        let environment = environment(service, account, volumes)?;
        let (begun, begun_ns) = (Instant::now(), now_ns());
        let last = "none yet".to_owned();
        let mut starter = Self {
            service,
            account,
            volumes,
            environment,
            room: None,
            processes: None,
            log,
            limits,
            index,
            begun,
            begun_ns,
            next: begun,
            asking: None,
            last,
            is_told: false,
        };
        if let Some(commons) = &running.commons {
            starter.room = Some(Room::open(commons, &starter.view(running, origin)?)?);
        }
        if known.is_none() {
            starter.setup(running)?;
        }
        starter.launch_service(running)?;
        Ok(starter)
    }

    /// What it sees of the file system.
    fn view(&self, running: &Processes, origin: &Origin) -> Result<View, HostError> {
        let service = self.service;
        let mut needed = vec![service.workdir.clone()];
        let words = service.command.iter().chain(&service.setup).chain(service.environment.values());
        let checked = match &service.ready {
            Ready::Command { command, .. } => command.as_slice(),
            _ => &[],
        };
        let paths = words.chain(checked).flat_map(|text| text.split(['=', ' ', '\'', '"', ';', ':', ',']));
        // In `/run` there are sockets of other programs, which nobody gets by naming them.
        needed.extend(paths.filter(|path| path.starts_with("/tmp/")).map(PathBuf::from));
        if let Some(program) = service.command.first() {
            needed.push(find_program(program, &service.workdir, &self.environment)?);
        }
        let mut hidden: Vec<PathBuf> = running.inner.hidden().iter().cloned().collect();
        hidden.extend(origin.logs.parent().map(Path::to_owned));
        let volumes = service.volumes.iter().map(|name| self.volumes.places(name)).collect();
        let (has_layer, bytes) = (running.inner.walls.has_layers(), service.memory_bytes);
        Ok(View { has_layer, bytes, needed, hidden, volumes })
    }

    /// Its name.
    pub(super) fn name(&self) -> &'a str {
        &self.service.name
    }

    /// Runs `setup` to its end. It may take as long as the service may take to become ready.
    fn setup(&self, running: &mut Processes) -> Result<(), HostError> {
        let Some(setup) = &self.service.setup else { return Ok(()) };
        let command = ["/bin/sh".to_owned(), "-c".to_owned(), self.volumes.expand(setup)?];
        let log = self.log.clone();
        let within = Duration::from_nanos(self.service.ready_timeout_ns);
        let failed = |how: &str| {
            let lines = log::quoted(&log::tail(&log));
            HostError::contender(format!("setup failed ({how}){lines}\nhint: see {}", log.display()))
        };
        match self.run(running, &command, &log, within)? {
            None => Err(failed(&format!("not done after {} s", within.as_secs()))),
            Some(status) if !status.success() => {
                let words = running.services[self.index].status_words(status);
                Err(failed(&words))
            }
            Some(_) => Ok(()),
        }
    }

    fn launch_service(&mut self, running: &mut Processes) -> Result<(), HostError> {
        let command: Vec<String> =
            self.service.command.iter().map(|word| self.volumes.expand(word)).collect::<Result<_, _>>()?;
        (self.begun, self.begun_ns) = (Instant::now(), now_ns());
        let before = running.services[self.index].enclosure.clone();
        let mut enclosure = before.clone();
        let child = self.launch(running, &command, &self.log, &mut enclosure)?;
        // What systemd takes for a scope is no time of the service's.
        self.begun = Instant::now();
        // Without it, checks of its readiness have processes of their own.
        self.processes = self.room.as_ref().and_then(|_| walls::processes_of(child.id()).ok());
        let live = &mut running.services[self.index];
        live.enclosure = enclosure.clone();
        live.child = Some(child);
        running.inner.state.replace(&before, &enclosure)?;
        running.inner.options.events.send(Event::ServiceStarted { service: self.service.name.clone() });
        if let Some(limits) = self.limits
            && enclosure.group().is_some()
        {
            enclosure.verify(&limits)?;
        }
        running.keeper.watch(&self.service.name, &enclosure);
        Ok(())
    }

    fn launch(
        &self,
        running: &Processes,
        command: &[String],
        output: &Path,
        enclosure: &mut Enclosure,
    ) -> Result<Child, HostError> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(HostError::contender("it has no command\nhint: give it one by `x-galo.command`"));
        };
        let program = find_program(program, &self.service.workdir, &self.environment)?;
        let launch = Launch {
            program: &program,
            arguments,
            environment: &self.environment,
            workdir: &self.service.workdir,
            account: self.account,
            ulimits: &self.service.ulimits,
            cpuset: &self.service.cpuset,
            limits: self.limits.as_ref(),
            inside: self.room.as_ref().map(|room| Inside { room, joins: self.processes.as_ref() }),
            output: &log::open(output)?,
        };
        launch.start(&running.inner.groups, enclosure)
    }

    /// Runs a command to its end in the service's group, user and environment. `None`: it took too long and was
    /// killed.
    fn run(
        &self,
        running: &mut Processes,
        command: &[String],
        output: &Path,
        within: Duration,
    ) -> Result<Option<std::process::ExitStatus>, HostError> {
        let inner = Arc::clone(&running.inner);
        let mut enclosure = running.services[self.index].enclosure.clone();
        let aside = matches!(inner.groups, Groups::Systemd(_));
        if aside {
            // A scope is made by the process that starts in it, so each has one of its own.
            enclosure = inner.groups.planned(&inner.new_name(&self.service.name));
            inner.state.add(&enclosure)?;
            running.asides.push(enclosure.clone());
        }
        let planned = enclosure.clone();
        let mut child = self.launch(running, command, output, &mut enclosure)?;
        if aside {
            inner.state.replace(&planned, &enclosure)?;
            running.asides.retain(|listed| *listed != planned);
            running.asides.push(enclosure);
        }
        let give_up = Instant::now() + within;
        let result = loop {
            if let Ok(Some(status)) = child.try_wait() {
                break Ok(Some(status));
            }
            if let Err(error) = inner.go_on() {
                break Err(error);
            }
            if Instant::now() > give_up {
                break Ok(None);
            }
            std::thread::sleep(LOOK);
        };
        if !matches!(result, Ok(Some(_))) {
            kill_session(&mut child)?;
        }
        result
    }

    /// Asks whether it is ready, if it is time for that; an error when its time is over.
    pub(super) fn is_ready(&mut self, running: &mut Processes) -> Result<bool, HostError> {
        let answered = if Instant::now() >= self.next { self.ask(running)? } else { None };
        if answered == Some(Ok(())) {
            self.place(running);
            return Ok(true);
        }
        if let Some(Err(answer)) = answered {
            self.last = answer;
            let interval = match &self.service.ready {
                Ready::Command { interval_ns, .. } => Duration::from_nanos(*interval_ns).min(ASKING),
                _ => ready::INTERVAL,
            };
            self.next = Instant::now() + interval;
        }
        if self.begun.elapsed() > Duration::from_nanos(self.service.ready_timeout_ns) {
            return Err(self.not_ready(running));
        }
        if self.begun.elapsed() > LATE && !self.is_told {
            self.is_told = true;
            let (service, last) = (self.service.name.clone(), self.last.clone());
            let listens = self.listens(running);
            running.inner.options.events.send(Event::ServiceLate { service, last, listens });
        }
        Ok(false)
    }

    /// Says where it is, now that it is ready.
    fn place(&self, running: &mut Processes) {
        let ready_after_ns = now_ns() - self.begun_ns;
        let name = self.service.name.clone();
        running
            .inner
            .options
            .events
            .send(Event::ServiceReady { service: name.clone(), after_ns: ready_after_ns });
        let live = &running.services[self.index];
        let read = live.enclosure.limits();
        let placed = ServicePlacement {
            name,
            group: live.enclosure.group(),
            pid: live.child.as_ref().map_or(0, Child::id),
            log: self.log.clone(),
            cpus_milli: read.cpus_milli,
            memory_bytes: read.memory_bytes,
            ulimits: ulimits_in_force(&self.service.ulimits),
            ready_after_ns,
            listens: None,
            image: None,
        };
        let services = &mut running.placement.services;
        match services.iter_mut().find(|known| known.name == placed.name) {
            Some(known) => *known = placed,
            None => services.push(placed),
        }
    }

    /// One try, whose inner error is what was answered; `None`: it is still under way.
    fn ask(&mut self, running: &mut Processes) -> Result<Option<Result<(), String>>, HostError> {
        Ok(Some(match &self.service.ready {
            Ready::Started if self.begun.elapsed() < STARTED => Err("it has only just started".to_owned()),
            Ready::Started => Ok(()),
            Ready::Http(to) | Ready::Tcp(to) => {
                let (to, is_http) = (to.clone(), matches!(self.service.ready, Ready::Http(_)));
                let begin =
                    || Asking::begin(move || if is_http { ready::http(&to) } else { ready::tcp(&to) });
                let Some(answered) = self.asking.get_or_insert_with(begin).heard() else { return Ok(None) };
                self.asking = None;
                answered
            }
            Ready::Command { command, timeout_ns, .. } => {
                let command: Vec<String> =
                    command.iter().map(|word| self.volumes.expand(word)).collect::<Result<_, _>>()?;
                let output = self.log.with_extension("ready.log");
                match self.run(running, &command, &output, Duration::from_nanos(*timeout_ns))? {
                    Some(status) if status.success() => Ok(()),
                    Some(status) => Err(answer(&log::status_words(status), &output)),
                    None => Err(answer("not done in time", &output)),
                }
            }
        }))
    }

    /// Where its processes listen, in words.
    fn listens(&self, running: &Processes) -> String {
        let pids = running.services[self.index].enclosure.processes();
        let addresses: Vec<String> =
            port::heard_at(&System::real(), &pids).iter().map(ToString::to_string).collect();
        addresses.join(" and ")
    }

    fn not_ready(&self, running: &Processes) -> HostError {
        let lines = log::quoted(&log::tail(&self.log));
        let seconds = self.service.ready_timeout_ns as f64 / 1e9;
        let log = self.log.display();
        let hint = match self.listens(running).as_str() {
            "" => format!("see {log}"),
            addresses => format!("it listens on {addresses}; see {log}"),
        };
        HostError::contender(format!(
            "it was not ready after {seconds} s (last answer: {}){lines}\nhint: {hint}",
            self.last
        ))
    }
}

/// Where a service writes that is started again: a process can read what it writes to, so the log of a start would keep
/// for the next one what belongs into volumes.
fn next_log(logs: &Path, name: &str) -> PathBuf {
    let mut number = 2_u32;
    loop {
        let log = logs.join(format!("{name}-{number}.log"));
        if !log.exists() {
            return log;
        }
        number += 1;
    }
}

/// A readiness command's answer: how it ended, and the last line that it wrote.
fn answer(how: &str, output: &Path) -> String {
    log::tail(output).last().map_or_else(|| how.to_owned(), |line| format!("{how}: {line}"))
}

/// Kills a process that galo started as the leader of its session, with its process group.
fn kill_session(child: &mut Child) -> Result<(), HostError> {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
    reap::end(child)
}

/// PATH, HOME and LANG of galo's, then the service's own. A service with a user gets that user's HOME.
fn environment(
    service: &Service,
    account: Option<&Account>,
    volumes: &Volumes,
) -> Result<Vec<(OsString, OsString)>, HostError> {
    let mut environment: BTreeMap<OsString, OsString> = ["PATH", "HOME", "LANG"]
        .iter()
        .filter_map(|&name| Some((name.into(), std::env::var_os(name)?)))
        .collect();
    if let Some(home) = account.and_then(|account| account.home.clone()) {
        environment.insert("HOME".into(), home.into());
    }
    for (name, value) in &service.environment {
        environment.insert(name.into(), volumes.expand(value)?.into());
    }
    Ok(environment.into_iter().collect())
}
