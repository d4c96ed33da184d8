//! A contender that stands still while another one is driven: it keeps its memory and its connections, and takes no core.

use crate::running::Running;

impl Running {
    /// Stops every process of all services where it stands. Time goes on: what they would have done meanwhile they do
    /// when they may go on.
    pub fn pause(&self) {
        self.services.iter().rev().for_each(|live| live.enclosure.freeze());
    }

    /// Lets them go on.
    pub fn resume(&self) {
        self.services.iter().for_each(|live| live.enclosure.thaw());
    }
}
