//! Makes a killed service's container anew, by Compose and from the same files: what it wrote beside its volumes is gone.
//!
//! The old container is removed first. Compose's own `--force-recreate` would keep anonymous volumes too, but `docker-compose`
//! 1.29 fails at it with engines that tell no `ContainerConfig` of an image.

use std::collections::BTreeSet;
use std::path::Path;

use super::inspect::inspect;
use super::overrides::{self, Anonymous};
use super::{Containers, quoted, start};
use crate::engine::DOING;
use crate::error::HostError;
use crate::log;

impl Containers {
    /// Has Compose mount the volumes that the engine has named again, whenever it makes a container anew, and lists them: they
    /// carry no label, and no longer go with a container.
    pub(super) fn keep_anonymous(&mut self, logs: &Path) -> Result<(), HostError> {
        let anonymous = self.anonymous();
        if anonymous.is_empty() {
            return Ok(());
        }
        self.project.anonymous = anonymous.iter().map(|one| one.volume.clone()).collect();
        self.inner.state.change(|list| {
            let listed = list.projects.iter_mut().filter(|listed| listed.name == self.project.name);
            listed.for_each(|listed| listed.clone_from(&self.project));
        })?;
        let path = logs.join("compose.volumes.json");
        let text = overrides::mounted_again(&anonymous);
        std::fs::write(&path, text).map_err(|e| HostError::io("write", &path, &e))?;
        self.files.push(path);
        Ok(())
    }

    /// Volumes that no container was made with by name.
    fn anonymous(&self) -> Vec<Anonymous> {
        let named: BTreeSet<&str> = self.services.iter().flat_map(|service| service.seen.named()).collect();
        let all = self.services.iter().flat_map(|service| {
            service.seen.volumes().filter(|mount| !named.contains(mount.name.as_str())).map(|mount| {
                Anonymous {
                    service: service.name.clone(),
                    volume: mount.name.clone(),
                    target: mount.destination.clone(),
                    is_writable: mount.is_writable,
                }
            })
        });
        all.collect()
    }

    /// Removes a service's container, and has Compose make and start another one.
    pub(super) fn make_anew(&mut self, index: usize) -> Result<(), HostError> {
        let service = &mut self.services[index];
        let name = service.name.clone();
        service.follower.finish();
        self.project.engine.ask(&["rm", "--force", &service.id], DOING)?;
        let done = self.have_made(&["up", "--detach", "--no-build", "--no-deps", &name])?;
        // Also where it failed: the log of what was made tells why.
        let found = self.find_anew(index);
        if done.is_good() {
            return found;
        }
        self.project.engine.version()?;
        let _ = found;
        let service = &mut self.services[index];
        service.follower.finish();
        let (words, lines, told) = (done.words(), log::quoted(&done.lines), quoted(service));
        let version = &self.compose.version;
        let said = format!("it does not start again ({version}: {words}){lines}{told}");
        Err(start::blamed(&done, &said, "does what it left keep it from starting?").about("service", &name))
    }

    /// Takes over the container that Compose made in place of another.
    fn find_anew(&mut self, index: usize) -> Result<(), HostError> {
        let (engine, service) = (&self.project.engine, &mut self.services[index]);
        let ids = self.project.containers_of(&service.name)?;
        let seen = match ids.is_empty() {
            true => None,
            false => inspect(engine, ids.iter().map(String::as_str))?.into_iter().next(),
        };
        let none = || HostError::host("Compose made no container of it again\nhint: docker ps --all");
        let seen = seen.ok_or_else(|| none().about("service", &service.name))?;
        service.refresh(engine, seen)
    }
}
