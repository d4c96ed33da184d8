//! One service: its group, its setup, its first process, its readiness.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use galo_plan::Service;
use galo_plan::contender::Ready;
use galo_record::clock::now_ns;
use galo_record::{Event, ServicePlacement};

use super::require_alive;
use crate::account::Account;
use crate::cgroup::{Groups, Limits};
use crate::enclosure::Enclosure;
use crate::error::HostError;
use crate::process::{Launch, find_program, ulimits_in_force};
use crate::running::{Live, Running};
use crate::volumes::Volumes;
use crate::{log, ready};

/// Time between two looks at the stop flag and at the services.
const LOOK: Duration = Duration::from_millis(5);
/// How long a service that is ready as soon as it runs is watched: a command that fails at once should be told as
/// that, not as a death in the round.
const STARTED: Duration = Duration::from_millis(50);

/// Starts one service.
pub(super) struct Starter<'a> {
    running: &'a mut Running,
    service: &'a Service,
    account: Option<&'a Account>,
    volumes: &'a Volumes,
    environment: Vec<(OsString, OsString)>,
    log: PathBuf,
    limits: Option<Limits>,
    /// Index of the service in [`Running::services`].
    index: usize,
}

impl<'a> Starter<'a> {
    /// Lists its group, then makes it. A service that was started before gets a new group in place of the old one,
    /// which must be gone.
    pub(super) fn new(
        running: &'a mut Running,
        service: &'a Service,
        account: Option<&'a Account>,
        volumes: &'a Volumes,
        logs: &Path,
    ) -> Result<Self, HostError> {
        let inner = Arc::clone(&running.inner);
        inner.go_on()?;
        let limits = Limits { cpus_milli: service.cpus_milli, memory_bytes: service.memory_bytes };
        limits.require_enforceable()?;
        let limits = inner.limits(limits);
        let enclosure = inner.groups.planned(&inner.new_name(&service.name));
        let log = logs.join(format!("{}.log", service.name));
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
        let index = match running.services.iter().position(|known| known.name == service.name) {
            Some(index) => {
                running.services[index] = live;
                index
            }
            None => {
                running.services.push(live);
                running.services.len() - 1
            }
        };
        inner.groups.make(&enclosure, limits.as_ref())?;
        let environment = environment(service, account, volumes)?;
        Ok(Self { running, service, account, volumes, environment, log, limits, index })
    }

    /// For the first time: with its setup.
    pub(super) fn start(&mut self) -> Result<(), HostError> {
        self.setup()?;
        self.start_again()
    }

    /// Without its setup, which the volumes have behind them.
    pub(super) fn start_again(&mut self) -> Result<(), HostError> {
        let started_ns = now_ns();
        let child = self.launch_service()?;
        let pid = child.id();
        self.running.services[self.index].child = Some(child);
        let events = self.running.inner.options.events.clone();
        events.send(Event::ServiceStarted { service: self.service.name.clone() });
        let enclosure = self.running.services[self.index].enclosure.clone();
        if let Some(limits) = self.limits
            && enclosure.group().is_some()
        {
            enclosure.verify(&limits)?;
        }
        self.wait_ready()?;
        let ready_after_ns = now_ns() - started_ns;
        events.send(Event::ServiceReady { service: self.service.name.clone(), after_ns: ready_after_ns });
        let read = enclosure.limits();
        let placed = ServicePlacement {
            name: self.service.name.clone(),
            group: enclosure.group(),
            pid,
            log: self.log.clone(),
            cpus_milli: read.cpus_milli,
            memory_bytes: read.memory_bytes,
            ulimits: ulimits_in_force(&self.service.ulimits),
            ready_after_ns,
        };
        let services = &mut self.running.placement.services;
        match services.iter_mut().find(|known| known.name == placed.name) {
            Some(known) => *known = placed,
            None => services.push(placed),
        }
        Ok(())
    }

    /// Runs `setup` to its end. It may take as long as the service may take to become ready.
    fn setup(&mut self) -> Result<(), HostError> {
        let Some(setup) = &self.service.setup else { return Ok(()) };
        let command = ["/bin/sh".to_owned(), "-c".to_owned(), self.volumes.expand(setup)?];
        let log = self.log.clone();
        let within = Duration::from_nanos(self.service.ready_timeout_ns);
        let failed = |how: &str| {
            let lines = log::quoted(&log::tail(&log));
            HostError::contender(format!("setup failed ({how}){lines}\nhint: see {}", log.display()))
        };
        match self.run(&command, &log, within)? {
            None => Err(failed(&format!("not done after {} s", within.as_secs()))),
            Some(status) if !status.success() => {
                let words = self.running.services[self.index].status_words(status);
                Err(failed(&words))
            }
            Some(_) => Ok(()),
        }
    }

    fn launch_service(&mut self) -> Result<Child, HostError> {
        let command: Vec<String> =
            self.service.command.iter().map(|word| self.volumes.expand(word)).collect::<Result<_, _>>()?;
        let before = self.running.services[self.index].enclosure.clone();
        let mut enclosure = before.clone();
        let child = self.launch(&command, &self.log, &mut enclosure)?;
        self.running.services[self.index].enclosure = enclosure.clone();
        self.running.inner.state.replace(&before, &enclosure)?;
        Ok(child)
    }

    fn launch(
        &self,
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
            output: &log::open(output)?,
        };
        launch.start(&self.running.inner.groups, enclosure)
    }

    /// Runs a command to its end in the service's group, user and environment. `None`: it took too long and was
    /// killed.
    fn run(
        &mut self,
        command: &[String],
        output: &Path,
        within: Duration,
    ) -> Result<Option<std::process::ExitStatus>, HostError> {
        let inner = Arc::clone(&self.running.inner);
        let mut enclosure = self.running.services[self.index].enclosure.clone();
        let aside = matches!(inner.groups, Groups::Systemd(_));
        if aside {
            // A scope is made by the process that starts in it, so each has one of its own.
            enclosure = inner.groups.planned(&inner.new_name(&self.service.name));
            inner.state.add(&enclosure)?;
            self.running.asides.push(enclosure.clone());
        }
        let planned = enclosure.clone();
        let mut child = self.launch(command, output, &mut enclosure)?;
        if aside {
            inner.state.replace(&planned, &enclosure)?;
            self.running.asides.retain(|listed| *listed != planned);
            self.running.asides.push(enclosure);
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
            kill_session(&mut child);
        }
        result
    }

    /// Asks until it is ready, it or another service has died, its time is over, or the caller breaks it off.
    fn wait_ready(&mut self) -> Result<(), HostError> {
        let begun = Instant::now();
        let within = Duration::from_nanos(self.service.ready_timeout_ns);
        let interval = match &self.service.ready {
            Ready::Command { interval_ns, .. } => Duration::from_nanos(*interval_ns),
            _ => ready::INTERVAL,
        };
        let mut next = begun;
        let mut last = "none yet".to_owned();
        loop {
            self.running.inner.go_on()?;
            require_alive(self.running).map_err(strip_subject(self.service))?;
            if Instant::now() >= next {
                match self.ask(begun) {
                    Ok(Ok(())) => return Ok(()),
                    Ok(Err(answer)) => last = answer,
                    Err(error) => return Err(error),
                }
                next = Instant::now() + interval;
            }
            if begun.elapsed() > within {
                return Err(self.not_ready(&last));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// One try. The inner error is what was answered.
    fn ask(&mut self, begun: Instant) -> Result<Result<(), String>, HostError> {
        Ok(match &self.service.ready {
            Ready::Started if begun.elapsed() < STARTED => Err("it has only just started".to_owned()),
            Ready::Started => Ok(()),
            Ready::Http(url) => ready::http(url),
            Ready::Tcp(address) => ready::tcp(address),
            Ready::Command { command, timeout_ns, .. } => {
                let command: Vec<String> =
                    command.iter().map(|word| self.volumes.expand(word)).collect::<Result<_, _>>()?;
                let output = self.log.with_extension("ready.log");
                match self.run(&command, &output, Duration::from_nanos(*timeout_ns))? {
                    Some(status) if status.success() => Ok(()),
                    Some(status) => Err(answer(&log::status_words(status), &output)),
                    None => Err(answer("not done in time", &output)),
                }
            }
        })
    }

    fn not_ready(&self, last: &str) -> HostError {
        let lines = log::quoted(&log::tail(&self.log));
        let seconds = self.service.ready_timeout_ns as f64 / 1e9;
        HostError::contender(format!(
            "it was not ready after {seconds} s (last answer: {last}){lines}\nhint: see {}",
            self.log.display()
        ))
    }
}

/// A readiness command's answer: how it ended, and the last line that it wrote.
fn answer(how: &str, output: &Path) -> String {
    log::tail(output).last().map_or_else(|| how.to_owned(), |line| format!("{how}: {line}"))
}

/// While a service is waited for, its own death needs no second mention of its name.
fn strip_subject(service: &Service) -> impl Fn(HostError) -> HostError {
    let own = format!("service `{}` ended before the contender was ready", service.name);
    move |mut error| {
        if let Some(rest) = error.message.strip_prefix(&own) {
            error.message = format!("it ended before it was ready{rest}");
        }
        error
    }
}

/// Kills a process that galo started as the leader of its session, with its process group.
fn kill_session(child: &mut Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
    let _ = child.wait();
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
