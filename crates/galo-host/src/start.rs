//! Starts the services of a contender, each when those that it depends on are ready.

mod starter;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use galo_plan::{Contender, Service};
use galo_record::Placement;

use crate::account::Account;
use crate::error::HostError;
use crate::host::Inner;
use crate::running::Running;
use crate::system::System;
use crate::volumes::Volumes;
use crate::{log, port};
use starter::Starter;

/// What a contender was started from, and what a service of it is started from again.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) contender: Contender,
    /// Where logs go.
    logs: PathBuf,
    pub(crate) volumes: Volumes,
}

/// Starts all services. On an error the half-started contender is dropped, which kills it.
pub(crate) fn start(
    inner: &Arc<Inner>,
    contender: &Contender,
    port: u16,
    logs: &Path,
) -> Result<Running, HostError> {
    inner.go_on()?;
    inner.require_supervisor()?;
    let ports = port::of(&contender.services, port);
    let held = port::Held::take(inner.state.root(), &ports)?;
    port::require_free(&ports)?;
    std::fs::create_dir_all(logs).map_err(|e| HostError::io("make", logs, &e))?;
    let logs = logs.canonicalize().map_err(|e| HostError::io("read", logs, &e))?;
    let mut accounts = BTreeMap::new();
    for service in &contender.services {
        accounts.insert(service.name.as_str(), account_of(service)?);
    }
    let link = inner.state.root().with_file_name(inner.new_name("volumes"));
    let volumes = Volumes::planned(&logs, link, &contender.services);
    let origin = Arc::new(Origin { contender: contender.clone(), logs, volumes });
    let volumes = &origin.volumes;
    let mut running = Running {
        inner: Arc::clone(inner),
        placement: placement(inner, contender, port),
        services: Vec::new(),
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
        volumes.make(&contender.services, &accounts)?;
    }
    for service in &contender.services {
        let account = accounts.get(service.name.as_str()).and_then(Option::as_ref);
        Starter::new(&mut running, service, account, volumes, &origin.logs)
            .and_then(|mut starter| starter.start())
            .map_err(|e| e.about(&subject(service)))?;
    }
    require_alive(&mut running)?;
    Ok(running)
}

/// Starts services again that were killed, on the volumes that they left, in starting order.
pub(crate) fn restart(running: &mut Running, names: &[String]) -> Result<(), HostError> {
    let origin = Arc::clone(&running.origin);
    for service in origin.contender.services.iter().filter(|service| names.contains(&service.name)) {
        let account = account_of(service)?;
        Starter::new(running, service, account.as_ref(), &origin.volumes, &origin.logs)
            .and_then(|mut starter| starter.start_again())
            .map_err(|e| e.about(&subject(service)))?;
    }
    require_alive(running)
}

fn subject(service: &Service) -> String {
    format!("service `{}`: ", service.name)
}

fn placement(inner: &Inner, contender: &Contender, port: u16) -> Placement {
    let limits_note = inner.limits_note();
    Placement {
        contender: contender.name.clone(),
        target: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
        limits_enforced: limits_note.is_none(),
        limits_note,
        services: Vec::new(),
    }
}

fn account_of(service: &Service) -> Result<Option<Account>, HostError> {
    let found = service.user.as_ref().map(|user| Account::find(&System::real(), user)).transpose();
    found.map(Option::flatten).map_err(|e| e.about(&subject(service)))
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

/// An error for the first service whose first process has ended.
fn require_alive(running: &mut Running) -> Result<(), HostError> {
    for live in &mut running.services {
        let Some(status) = live.status() else { continue };
        live.told = true;
        let status = live.status_words(status);
        let lines = log::quoted(&log::tail(&live.log));
        let (name, log) = (&live.name, live.log.display());
        return Err(HostError::contender(format!(
            "service `{name}` ended before the contender was ready ({status}){lines}\nhint: see {log}"
        )));
    }
    Ok(())
}
