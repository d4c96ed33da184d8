//! A contender that runs, however it was started: who drives it cannot tell which runner it has.

use std::path::PathBuf;

use galo_plan::Service;
use galo_record::{Halt, HostFact, Placement};

use crate::error::HostError;

/// A running contender. Dropping it ends it.
pub trait Running: std::fmt::Debug + Send {
    /// Where it is.
    fn placement(&self) -> &Placement;

    /// The services as they were started: their environment leads to their databases.
    fn services(&self) -> Vec<Service>;

    /// Names of all services, in starting order.
    fn service_names(&self) -> Vec<String>;

    /// Where its services keep what they keep: folders and files of its volumes, and those that containers wrote elsewhere.
    fn volumes(&self) -> Vec<PathBuf>;

    /// The same of one service.
    fn kept_by(&self, service: &str) -> Vec<PathBuf>;

    /// Services that died since the last call, each as a finding with exit status and last log lines.
    fn deaths(&mut self) -> Vec<HostFact>;

    /// What was found of services since the last call: logs that had to be cut, processes that left their group, limits that
    /// somebody wrote to, the limit of processes reached. Each is told once of a service.
    fn faults(&mut self) -> Vec<HostFact>;

    /// [`Self::deaths`], then [`Self::faults`].
    fn trouble(&mut self) -> Vec<HostFact> {
        let mut findings = self.deaths();
        findings.extend(self.faults());
        findings
    }

    /// Kills these services by SIGKILL, every process of theirs. They are frozen first, last started first, so that
    /// none goes on while others die (where there is no freezer, they die within milliseconds of one another).
    /// Volumes, logs and ports stay as they are. No such death is told by [`Self::deaths`].
    ///
    /// Returns the moment of it, by [`galo_record::clock::now_ns`].
    ///
    /// # Errors
    /// A name that the contender does not have; a process that cannot be killed.
    fn kill_services(&mut self, names: &[String]) -> Result<u64, HostError>;

    /// Ends all services, to be started again on what they leave: asks each by its own signal, those that depend on others
    /// first and one after another, or kills all at once. What is asked and has not ended when its time is over is killed, and told.
    /// Volumes, logs and ports stay. No such end is told by [`Self::deaths`].
    ///
    /// # Errors
    /// As [`Self::kill_services`].
    fn halt(&mut self, halt: Halt) -> Result<Vec<HostFact>, HostError>;

    /// Starts killed services again, in starting order and under the same limits, on the volumes and ports that they
    /// had; their logs go on. Each must become ready within its time.
    ///
    /// # Errors
    /// As [`crate::Host::start`]; what was started stays until the contender is stopped.
    fn restart(&mut self, names: &[String]) -> Result<(), HostError>;

    /// Stops every process of all services where it stands, so that it takes no core while another contender is driven.
    /// Time goes on: what they would have done meanwhile they do when they may go on. Returns whether all of them were seen to
    /// stand still.
    fn pause(&self) -> bool;

    /// Lets them go on.
    fn resume(&self);

    /// Ends and removes everything, waits until no process, group, container or port is left, and tells what was remarkable
    /// (deaths and faults not yet told, kills for want of memory, a service that did not end when it was asked, a group
    /// that did not die at once).
    ///
    /// # Errors
    /// Something could not be killed or removed; the rest is gone all the same.
    fn stop(self: Box<Self>) -> Result<Vec<HostFact>, HostError>;
}

/// An error for a name that none of `known` is.
pub(crate) fn require_known(names: &[String], known: &[String]) -> Result<(), HostError> {
    match names.iter().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(stranger) => Err(HostError::client(format!(
            "there is no service `{stranger}` to kill\nhint: name one of the Compose file"
        ))),
    }
}
