//! Drives children: each a whole run, which its own frame drives.

use galo_record::RunEnd;
use galo_record::act::{Act, ChildId, Outcome};

use crate::{DriveError, Stage};

/// Performs the acts of a run of runs.
pub struct ChildStage<D> {
    drive: D,
}

impl<D: FnMut(ChildId) -> Result<Option<RunEnd>, DriveError>> ChildStage<D> {
    /// `drive` drives a child to its end, and leaves nothing up; `None`: the caller broke it off.
    pub const fn new(drive: D) -> Self {
        Self { drive }
    }
}

impl<D: FnMut(ChildId) -> Result<Option<RunEnd>, DriveError>> Stage for ChildStage<D> {
    type Bulk = ();

    fn perform(&mut self, act: &Act) -> Result<Option<Outcome>, DriveError> {
        match act {
            Act::Begin(_) | Act::Close => Ok(Some(Outcome::Done)),
            Act::Child(child) => Ok((self.drive)(*child)?.map(Outcome::ChildEnded)),
            other => Err(DriveError::Bug(format!("a run of runs has no such act: {other:?}"))),
        }
    }

    fn take_bulk(&mut self) {}

    fn clear(&mut self) -> Result<(), DriveError> {
        Ok(())
    }
}
