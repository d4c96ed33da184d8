//! Starts the services of a contender, each as soon as those that it depends on are ready, as Compose does: services that
//! wait for the same ones start together.

mod starter;

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use galo_plan::{Contender, Service};
use galo_record::Placement;

use crate::account::Account;
use crate::error::HostError;
use crate::inner::Inner;
use crate::keeper::Keeper;
use crate::processes::{Origin, Processes};
use crate::system::System;
use crate::volumes::Volumes;
use crate::{log, port};
use starter::Starter;

/// Starts all services. On an error the half-started contender is dropped, which kills it.
pub(crate) fn start(
    inner: &Arc<Inner>,
    contender: &Contender,
    port: u16,
    logs: &Path,
) -> Result<Processes, HostError> {
    inner.go_on()?;
    inner.require_supervisor()?;
    let ports = port::of(&contender.services, port);
    let held = port::Held::take(inner.state.root(), &ports)?;
    port::require_free(&ports)?;
    std::fs::create_dir_all(logs).map_err(|e| HostError::io("make", logs, &e))?;
    let logs = logs.canonicalize().map_err(|e| HostError::io("read", logs, &e))?;
    let mut accounts = BTreeMap::new();
    for service in &contender.services {
        if let Some(account) = account_of(service)? {
            accounts.insert(service.name.clone(), account);
        }
    }
    let link = inner.state.root().with_file_name(inner.new_name("volumes"));
    let volumes = Volumes::planned(&logs, link, &contender.services);
    let origin = Arc::new(Origin { contender: contender.clone(), logs, volumes, accounts });
    let volumes = &origin.volumes;
    let mut running = Processes {
        inner: Arc::clone(inner),
        placement: placement(inner, contender, port),
        services: Vec::new(),
        commons: inner.walls.commons()?,
        keeper: Keeper::start(),
        asides: Vec::new(),
        origin: Arc::clone(&origin),
        volumes: Vec::new(),
        ports,
        _held: held,
        ended: false,
    };
    if contender.services.iter().any(|s| !s.volumes.is_empty()) {
        require_absent(&volumes.folder)?;
        running.volumes = vec![volumes.link.clone(), volumes.folder.clone()];
        inner.state.change(|list| list.volumes.extend_from_slice(&running.volumes))?;
        volumes.make(&contender.services, &origin.accounts, running.commons.is_some())?;
    }
    start_each(&mut running, &origin, contender.services.iter().collect())?;
    Ok(running)
}

/// Starts services again that were killed, on the volumes that they left.
pub(crate) fn restart(running: &mut Processes, names: &[String]) -> Result<(), HostError> {
    let origin = Arc::clone(&running.origin);
    let killed: Vec<&Service> =
        origin.contender.services.iter().filter(|service| names.contains(&service.name)).collect();
    if killed.len() == origin.contender.services.len() {
        // Nothing but the volumes lasts.
        running.commons = running.inner.walls.commons()?;
    }
    start_each(running, &origin, killed)
}

/// Starts services, and returns when all of them are ready. What they depend on besides one another runs already.
fn start_each(running: &mut Processes, origin: &Origin, mut waiting: Vec<&Service>) -> Result<(), HostError> {
    let mut starting: Vec<Starter<'_>> = Vec::new();
    loop {
        let missing: BTreeSet<&str> = waiting
            .iter()
            .map(|service| service.name.as_str())
            .chain(starting.iter().map(Starter::name))
            .collect();
        let held = |service: &Service| service.depends_on.iter().any(|name| missing.contains(name.as_str()));
        let (held, free): (Vec<&Service>, _) = waiting.into_iter().partition(|service| held(service));
        waiting = held;
        for service in free {
            let starter =
                Starter::start(running, service, origin).map_err(|e| e.about("service", &service.name))?;
            starting.push(starter);
        }
        running.inner.go_on()?;
        require_alive(running, &starting)?;
        let (before, mut not_ready) = (starting.len(), Vec::new());
        for mut starter in starting {
            if !starter.is_ready(running).map_err(|e| e.about("service", starter.name()))? {
                not_ready.push(starter);
            }
        }
        starting = not_ready;
        if waiting.is_empty() && starting.is_empty() {
            break;
        }
        // Where one has become ready, another may start at once.
        if starting.len() == before {
            std::thread::sleep(starter::LOOK);
        }
    }
    // In starting order, whichever was ready first.
    let order = |name: &str| origin.contender.services.iter().position(|service| service.name == name);
    running.placement.services.sort_by_key(|placed| order(&placed.name));
    require_alive(running, &[])
}

fn placement(inner: &Inner, contender: &Contender, port: u16) -> Placement {
    let limits_note = inner.limits_note();
    Placement {
        walls_note: inner.walls.note(),
        contender: contender.name.clone(),
        target: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        limits_enforced: limits_note.is_none(),
        limits_note,
        services: Vec::new(),
    }
}

fn account_of(service: &Service) -> Result<Option<Account>, HostError> {
    let found = service.user.as_ref().map(|user| Account::find(&System::real(), user)).transpose();
    found.map(Option::flatten).map_err(|e| e.about("service", &service.name))
}

/// Volumes must be fresh. A folder that is there already is not galo's to remove: what dead galos left was.
fn require_absent(folder: &Path) -> Result<(), HostError> {
    if !folder.exists() {
        return Ok(());
    }
    let path = folder.display();
    Err(HostError::client(format!(
        "folder `{path}` for fresh volumes is there already\nhint: remove it, or choose another --out"
    )))
}

/// An error for the first service whose first process has ended; `starting` are not ready yet.
fn require_alive(running: &mut Processes, starting: &[Starter<'_>]) -> Result<(), HostError> {
    for live in &mut running.services {
        let Some(status) = live.status() else { continue };
        live.told = true;
        let is_content = status.success();
        let status = live.status_words(status);
        let lines = log::quoted(&log::tail(&live.log));
        let (name, log) = (&live.name, live.log.display());
        let ended = match starting.iter().any(|starter| starter.name() == name) {
            true => "it ended before it was ready",
            false => "it ended before all were ready",
        };
        let hint = match live.enclosure.is_empty() {
            // With the first process of a namespace all end that it has left behind.
            true if is_content && running.commons.is_some() => {
                format!("a program that goes to the background must stay in front here; see {log}")
            }
            true => format!("see {log}"),
            false => format!(
                "it has left processes in the background: start it so that it stays in front; see {log}"
            ),
        };
        let error = HostError::contender(format!("{ended} ({status}){lines}\nhint: {hint}"));
        return Err(error.about("service", name));
    }
    Ok(())
}
