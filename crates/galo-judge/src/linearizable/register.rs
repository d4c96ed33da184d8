//! One key of a key-value store.

use super::Specification;

/// A register that nobody has written to yet holds nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Register;

/// What is done with a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterOperation {
    /// It holds this value now.
    Write(u64),
    /// It held this value, or nothing.
    Read(Option<u64>),
}

impl Specification for Register {
    type State = Option<u64>;
    type Operation = RegisterOperation;

    fn initial(&self) -> Option<u64> {
        None
    }

    fn apply(&self, state: &Option<u64>, operation: &RegisterOperation) -> Option<Option<u64>> {
        match *operation {
            RegisterOperation::Write(value) => Some(Some(value)),
            RegisterOperation::Read(value) => (value == *state).then_some(value),
        }
    }

    fn is_inert(&self, _state: &Option<u64>, operation: &RegisterOperation) -> bool {
        matches!(operation, RegisterOperation::Read(_))
    }
}
