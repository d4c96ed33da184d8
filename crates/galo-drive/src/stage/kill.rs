//! Services killed while a load runs, and brought back.

use galo_host::{HostError, Running, volumes_bytes};
use galo_plan::Blame;
use galo_record::act::{Kill, Killed};
use galo_record::clock::now_ns;
use galo_record::{Event, Events, HostFact};

use super::lookups::traced;

/// Kills when it is time, and brings back.
pub(super) struct Killer<'r> {
    running: &'r mut dyn Running,
    events: &'r Events,
    kill: &'r Kill,
    kill_at_ns: u64,
    pub(super) killed: Killed,
    /// Bytes in its volumes before the load.
    volumes_bytes: u64,
    /// What was seen of the services meanwhile.
    pub(super) trouble: Vec<HostFact>,
    /// What neither the contender nor the plan is to blame for.
    pub(super) error: Option<HostError>,
}

impl<'r> Killer<'r> {
    /// Of a load that begins now.
    pub(super) fn new(running: &'r mut dyn Running, events: &'r Events, kill: &'r Kill) -> Self {
        let volumes_bytes = volumes_bytes(&running.volumes());
        Self {
            running,
            volumes_bytes,
            events,
            kill,
            kill_at_ns: now_ns() + kill.after_ns,
            killed: Killed::default(),
            trouble: Vec::new(),
            error: None,
        }
    }

    /// To be called again and again while the load runs.
    pub(super) fn look(&mut self) {
        self.trouble.extend(self.running.trouble());
        let now = now_ns();
        match (self.killed.killed_at_ns, self.kill.down_ns) {
            (None, _) if now >= self.kill_at_ns && self.error.is_none() => self.kill(),
            (Some(at_ns), Some(down_ns)) if now >= at_ns + down_ns => self.bring_back(),
            _ => {}
        }
    }

    fn kill(&mut self) {
        match self.running.kill_services(&self.kill.services) {
            Ok(at_ns) => {
                self.killed.killed_at_ns = Some(at_ns);
                self.events.send(Event::ServicesKilled { services: self.kill.services.clone() });
            }
            Err(error) => self.error = Some(error),
        }
    }

    /// Where all services were killed and none was started again: looks in their volumes for these texts of acknowledged people.
    pub(super) fn search_volumes(&mut self, texts: impl FnOnce() -> Vec<Vec<String>>) {
        let is_down = self.killed.killed_at_ns.is_some() && self.killed.restarted_at_ns.is_none();
        if is_down && self.kill.down_ns.is_none() {
            let volumes = self.running.volumes();
            self.killed.volumes_bytes = [self.volumes_bytes, volumes_bytes(&volumes)];
            self.killed.traced = traced(&volumes, &texts());
        }
    }

    /// Starts again what was killed, once, and waits until it is ready.
    pub(super) fn bring_back(&mut self) {
        let is_due = self.killed.killed_at_ns.is_some() && self.killed.restarted_at_ns.is_none();
        if !is_due || self.error.is_some() {
            return;
        }
        self.killed.restarted_at_ns = Some(now_ns());
        match self.running.restart(&self.kill.services) {
            Ok(()) => self.killed.ready_at_ns = Some(now_ns()),
            Err(error) if error.blame == Blame::Contender => self.killed.not_up = Some(error.to_string()),
            Err(error) => self.error = Some(error),
        }
    }
}
