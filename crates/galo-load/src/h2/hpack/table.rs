//! The dynamic table of a decoder: RFC 7541, sections 2.3.2 and 4.

use std::collections::VecDeque;

use super::super::head::FieldKind;
use super::{DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD};

/// Bytes of evicted entries that may lie before those of the living.
const MOST_DEAD: usize = DEFAULT_TABLE_SIZE as usize;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Where the name begins; the value follows it.
    start: usize,
    name: usize,
    value: usize,
    kind: FieldKind,
}

/// The table. Entries lie one behind the other in one buffer, which is moved to its front now and then.
#[derive(Debug)]
pub(super) struct DynamicTable {
    bytes: Vec<u8>,
    /// The newest is the last.
    entries: VecDeque<Entry>,
    size: usize,
    capacity: usize,
}

impl DynamicTable {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), entries: VecDeque::new(), size: 0, capacity: DEFAULT_TABLE_SIZE as usize }
    }

    /// Name, value and kind of an entry; 0 is the newest.
    pub(super) fn get(&self, index: usize) -> Option<(&[u8], &[u8], FieldKind)> {
        let place = self.entries.len().checked_sub(index + 1)?;
        let entry = self.entries.get(place)?;
        let (name, rest) = self.bytes[entry.start..].split_at(entry.name);
        Some((name, &rest[..entry.value], entry.kind))
    }

    /// Sets how much it may hold.
    pub(super) fn resize(&mut self, capacity: usize) {
        self.capacity = capacity;
        self.evict(capacity);
    }

    /// Adds an entry. `false`: nothing changed, for the table is empty and the entry does not fit.
    pub(super) fn insert(&mut self, name: &[u8], value: &[u8], kind: FieldKind) -> bool {
        let size = name.len() + value.len() + ENTRY_OVERHEAD;
        let Some(room_for_others) = self.capacity.checked_sub(size) else {
            let changed = !self.entries.is_empty();
            self.evict(0);
            return changed;
        };
        self.evict(room_for_others);
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(value);
        self.entries.push_back(Entry { start, name: name.len(), value: value.len(), kind });
        self.size += size;
        true
    }

    /// Drops the oldest until at most `size` is left.
    fn evict(&mut self, size: usize) {
        while self.size > size {
            let Some(entry) = self.entries.pop_front() else { break };
            self.size -= entry.name + entry.value + ENTRY_OVERHEAD;
        }
        let dead = self.entries.front().map_or(self.bytes.len(), |entry| entry.start);
        if dead > MOST_DEAD || self.entries.is_empty() {
            self.bytes.drain(..dead);
            for entry in &mut self.entries {
                entry.start -= dead;
            }
        }
    }
}
