//! From fields to blocks.
//!
//! The dynamic table is only ever filled: what no longer fits is sent as a literal, so that a plan with more constants
//! than room does not turn the table over with every request. If the peer changes the size, the table is emptied and
//! filled anew.

use super::{DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD, integer, statics};

/// "Indexed header field": RFC 7541, section 6.1.
const INDEXED: u8 = 0x80;
/// "Literal header field with incremental indexing": section 6.2.1.
const LITERAL_INDEXED: u8 = 0x40;
/// "Literal header field without indexing": section 6.2.2.
const LITERAL: u8 = 0x00;
/// "Dynamic table size update": section 6.3.
const RESIZE: u8 = 0x20;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Where the name begins; the value follows it.
    start: usize,
    name: usize,
    value: usize,
}

/// Where a constant field was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Number in the static table.
    Static(usize),
    /// How many were added before it.
    Dynamic(usize),
}

/// The sending side's state.
#[derive(Debug)]
pub(in super::super) struct Encoder {
    bytes: Vec<u8>,
    /// In the order in which they were added.
    entries: Vec<Entry>,
    size: usize,
    capacity: usize,
    /// Whether the peer is to be told that the table was emptied and resized.
    resized: bool,
    /// By position in a block: where the last constant field there was found. Requests are alike.
    hints: Vec<Place>,
    position: usize,
}

impl Encoder {
    pub(in super::super) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            entries: Vec::new(),
            size: 0,
            capacity: DEFAULT_TABLE_SIZE as usize,
            resized: false,
            hints: Vec::new(),
            position: 0,
        }
    }

    /// Takes the peer's HEADER_TABLE_SIZE. galo never uses more than the default.
    pub(in super::super) fn resize(&mut self, allowed: u32) {
        let capacity = allowed.min(DEFAULT_TABLE_SIZE) as usize;
        if capacity != self.capacity {
            self.capacity = capacity;
            self.resized = true;
            self.bytes.clear();
            self.entries.clear();
            self.hints.clear();
            self.size = 0;
        }
    }

    /// Begins a block.
    pub(in super::super) fn begin(&mut self, out: &mut Vec<u8>) {
        self.position = 0;
        if std::mem::take(&mut self.resized) {
            // The least size since the last block comes first (RFC 7541, section 4.2); 0 empties the table.
            integer::write(out, RESIZE, 5, 0);
            integer::write(out, RESIZE, 5, self.capacity);
        }
    }

    /// Writes a field. `constant`: other requests have it with the same value.
    pub(in super::super) fn field(&mut self, name: &[u8], value: &[u8], constant: bool, out: &mut Vec<u8>) {
        if constant {
            self.constant(name, value, out);
        } else {
            self.position += 1;
            write_literal(LITERAL, 4, name, value, out);
        }
    }

    fn constant(&mut self, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
        let position = self.position;
        self.position += 1;
        if let Some(&hint) = self.hints.get(position)
            && self.is_at(hint, name, value)
        {
            return self.write_index(hint, out);
        }
        let Some(place) = self.find(name, value) else { return self.add(name, value, out) };
        if position >= self.hints.len() {
            // Positions of varying fields come to no use, whatever their hint.
            self.hints.resize(position + 1, place);
        }
        self.hints[position] = place;
        self.write_index(place, out);
    }

    fn is_at(&self, place: Place, name: &[u8], value: &[u8]) -> bool {
        match place {
            Place::Static(index) => statics::ENTRIES[index - 1] == (name, value),
            Place::Dynamic(nth) => {
                let entry = self.entries[nth];
                let rest = &self.bytes[entry.start..];
                entry.name == name.len()
                    && entry.value == value.len()
                    && rest[entry.name..entry.name + entry.value] == *value
                    && rest[..entry.name] == *name
            }
        }
    }

    fn find(&self, name: &[u8], value: &[u8]) -> Option<Place> {
        statics::find(name, value).map(Place::Static).or_else(|| {
            (0..self.entries.len()).map(Place::Dynamic).find(|&place| self.is_at(place, name, value))
        })
    }

    /// Writes a new field, and adds it to the table if there is room.
    fn add(&mut self, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
        let size = name.len() + value.len() + ENTRY_OVERHEAD;
        if self.size + size > self.capacity {
            return write_literal(LITERAL, 4, name, value, out);
        }
        self.size += size;
        self.entries.push(Entry { start: self.bytes.len(), name: name.len(), value: value.len() });
        self.bytes.extend_from_slice(name);
        self.bytes.extend_from_slice(value);
        write_literal(LITERAL_INDEXED, 6, name, value, out);
    }

    fn write_index(&self, place: Place, out: &mut Vec<u8>) {
        let index = match place {
            Place::Static(index) => index,
            // The newest comes first, behind the static table.
            Place::Dynamic(nth) => statics::COUNT + self.entries.len() - nth,
        };
        integer::write(out, INDEXED, 7, index);
    }
}

fn write_literal(pattern: u8, bits: u32, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    let known = statics::find_name(name);
    integer::write(out, pattern, bits, known.unwrap_or(0));
    if known.is_none() {
        integer::write_string(out, name);
    }
    integer::write_string(out, value);
}
