//! Deaths that galo causes on purpose: services are killed in the midst of their work and started again on what they
//! left.

use galo_record::clock::now_ns;
use galo_record::{Halt, HostFact};

use crate::end::ask_alone;
use crate::error::HostError;
use crate::reap;
use crate::running::Running;
use crate::session::Leader;
use crate::start;

impl Running {
    /// Kills these services by SIGKILL, every process of theirs. They are frozen first, last started first, so that
    /// none goes on while others die (where there is no freezer, they die within milliseconds of one another).
    /// Volumes, logs and ports stay as they are. No such death is told by [`Self::deaths`].
    ///
    /// Returns the moment of it, by [`now_ns`].
    ///
    /// # Errors
    /// A name that the contender does not have; a process that cannot be killed.
    pub fn kill_services(&mut self, names: &[String]) -> Result<u64, HostError> {
        if let Some(stranger) = names.iter().find(|name| self.services.iter().all(|s| s.name != **name)) {
            let text =
                format!("there is no service `{stranger}` to kill\nhint: name one of the Compose file");
            return Err(HostError::client(text));
        }
        let doomed: Vec<usize> =
            (0..self.services.len()).rev().filter(|&i| names.contains(&self.services[i].name)).collect();
        let left = self.keeper.release(|name| names.iter().any(|doomed| doomed == name));
        for &index in &doomed {
            self.services[index].enclosure.freeze();
        }
        let frozen_ns = now_ns();
        for &index in &doomed {
            self.services[index].enclosure.strike();
        }
        left.iter().for_each(Leader::kill);
        for &index in &doomed {
            let live = &mut self.services[index];
            live.told = true;
            live.enclosure.kill()?;
            if let Some(mut child) = live.child.take() {
                reap::end(&mut child)?;
            }
            self.inner.discard(&live.enclosure)?;
        }
        Ok(frozen_ns)
    }

    /// Ends all services, to be started again on what they leave: asks each by its own signal, those that depend on others
    /// first and one after another, or kills all at once. What is asked and has not ended when its time is over is killed, and told.
    /// Volumes, logs and ports stay. No such end is told by [`Self::deaths`].
    ///
    /// # Errors
    /// As [`Self::kill_services`].
    pub fn halt(&mut self, halt: Halt) -> Result<Vec<HostFact>, HostError> {
        // Nobody looks after limits any more: who is asked to end may do it as fast as it can.
        let left = self.keeper.release(|_| true);
        let late = match halt {
            Halt::Killed => Vec::new(),
            Halt::Asked => self.services.iter_mut().rev().flat_map(ask_alone).collect(),
        };
        let names = self.service_names();
        self.kill_services(&names)?;
        left.iter().for_each(Leader::kill);
        Ok(late)
    }

    /// Names of all services, in starting order.
    pub fn service_names(&self) -> Vec<String> {
        self.services.iter().map(|live| live.name.clone()).collect()
    }

    /// Bytes of all files in its volumes.
    pub fn volumes_bytes(&self) -> u64 {
        self.origin.volumes.bytes()
    }

    /// Starts killed services again, in starting order and under the same limits, on the volumes and ports that they
    /// had; their logs go on. `setup` is not run again: what it made is in the volumes. Each must become ready within
    /// its time.
    ///
    /// # Errors
    /// As [`crate::Host::start`]; what was started stays until the contender is stopped.
    pub fn restart(&mut self, names: &[String]) -> Result<(), HostError> {
        start::restart(self, names)
            .map_err(|e| e.about(&format!("contender `{}`: ", self.placement.contender)))
    }
}
