//! One element of a set to which things are added, and from which nothing is removed.

use super::Specification;

/// The place of one key: nothing, or the first thing that was inserted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Element;

/// What is done with the place. Things are told apart by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElementOperation {
    /// The thing was inserted.
    Inserted(u32),
    /// It was not, because there was one already.
    Refused,
    /// It was inserted unless there was one: nobody knows.
    MayBeInserted(u32),
    /// This very thing was there.
    Found(u32),
    /// This very thing was not there.
    Lacking(u32),
}

impl Specification for Element {
    type State = Option<u32>;
    type Operation = ElementOperation;

    fn initial(&self) -> Option<u32> {
        None
    }

    fn apply(&self, state: &Option<u32>, operation: &ElementOperation) -> Option<Option<u32>> {
        use ElementOperation::{Found, Inserted, Lacking, MayBeInserted, Refused};
        match *operation {
            Inserted(thing) => state.is_none().then_some(Some(thing)),
            Refused => state.is_some().then_some(*state),
            MayBeInserted(thing) => Some(state.or(Some(thing))),
            Found(thing) => (*state == Some(thing)).then_some(*state),
            Lacking(thing) => (*state != Some(thing)).then_some(*state),
        }
    }

    /// Nothing is removed, so a place that is taken stays as it is.
    fn is_inert(&self, state: &Option<u32>, operation: &ElementOperation) -> bool {
        let changes = matches!(operation, ElementOperation::Inserted(_) | ElementOperation::MayBeInserted(_));
        state.is_some() || !changes
    }
}
