//! All that is seen of a contender while a load runs, and of the machine around it: what its causes are told from.

use std::path::Path;

use galo_plan::Service;
use galo_record::round::Beside;
use galo_record::{Events, Placement, RoundData};

use crate::neighbours::Neighbours;
use crate::{DatabaseWatcher, Logs, WatchError, Watcher};

/// See the module.
#[derive(Debug)]
pub struct Witness {
    placement: Placement,
    watcher: Watcher,
    database: Option<DatabaseWatcher>,
    neighbours: Neighbours,
    logs: Logs,
}

impl Witness {
    /// Begins to look at services as they were started. Their logs are read at the end.
    ///
    /// # Errors
    /// As [`Watcher::start`].
    pub fn start(
        placement: Placement,
        services: &[Service],
        logs: Logs,
        events: &Events,
    ) -> Result<Self, WatchError> {
        Ok(Self {
            watcher: Watcher::start(&placement, events)?,
            database: DatabaseWatcher::start(services),
            neighbours: Neighbours::look(Path::new("/proc")),
            placement,
            logs,
        })
    }

    /// Ends it, and keeps what was seen of the load, of which the record must know when it ran.
    pub fn end(self, data: &mut RoundData) {
        let (neighbours, container_engine_ns) = self.neighbours.since(&self.placement);
        data.samples = self.watcher.stop();
        data.database = self.database.map(DatabaseWatcher::stop).unwrap_or_default();
        data.keep_window();
        data.record.beside =
            Beside { log_signs: self.logs.signs(), neighbours, container_engine_ns, ..data.record.beside };
    }
}
