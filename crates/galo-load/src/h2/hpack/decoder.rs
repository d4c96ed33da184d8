//! From blocks to heads: RFC 7541, sections 3 and 6.

use super::super::head::{FieldKind, HeadText};
use super::table::DynamicTable;
use super::{CompressionError, DEFAULT_TABLE_SIZE, integer, statics};

/// What a block does beside what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Effect {
    /// Nothing: it says the same if it comes again at once.
    None,
    /// It adds to the table, but neither reads nor resizes it: it says the same whenever it comes.
    Adds,
    Other,
}

/// What has been done to the table.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    changed: bool,
    read: bool,
    resized: bool,
}

/// The receiving side's state, the same as the sender's after every block.
#[derive(Debug)]
pub(in super::super) struct Decoder {
    table: DynamicTable,
}

impl Decoder {
    pub(in super::super) fn new() -> Self {
        Self { table: DynamicTable::new() }
    }

    /// The dynamic table.
    #[cfg(test)]
    pub(super) const fn table(&self) -> &DynamicTable {
        &self.table
    }

    /// Decodes a whole block into `head`, which was begun before.
    pub(in super::super) fn decode(
        &mut self,
        block: &[u8],
        head: &mut HeadText,
    ) -> Result<Effect, CompressionError> {
        let mut rest = block;
        let mut uses = Uses::default();
        let mut may_resize = true;
        while let Some(&first) = rest.first() {
            if first & 0x80 != 0 {
                let index = integer::read(&mut rest, 7)? as usize;
                let (name, value, kind) = self.entry(index, &mut uses)?;
                head.field(name, value, kind);
            } else if first & 0x40 != 0 {
                let (name_len, kind) = self.literal(&mut rest, 6, head, &mut uses)?;
                let (name, value) = head.pending(name_len);
                uses.changed |= self.table.insert(name, value, kind);
                head.keep(name_len, kind);
            } else if first & 0x20 != 0 {
                let size = integer::read(&mut rest, 5)?;
                // Only before the first field (section 4.2), and within what galo's settings allow.
                if !may_resize || size > DEFAULT_TABLE_SIZE {
                    return Err(CompressionError);
                }
                self.table.resize(size as usize);
                uses.resized = true;
                continue;
            } else {
                let (name_len, kind) = self.literal(&mut rest, 4, head, &mut uses)?;
                head.keep(name_len, kind);
            }
            may_resize = false;
        }
        Ok(match uses {
            Uses { changed: false, resized: false, .. } => Effect::None,
            Uses { read: false, resized: false, .. } => Effect::Adds,
            _ => Effect::Other,
        })
    }

    /// Reads a literal field to the end of the head's text, yet to be kept there; returns the length of its name.
    fn literal(
        &self,
        rest: &mut &[u8],
        bits: u32,
        head: &mut HeadText,
        uses: &mut Uses,
    ) -> Result<(usize, FieldKind), CompressionError> {
        let index = integer::read(rest, bits)? as usize;
        let out = head.begin_field();
        let start = out.len();
        if index == 0 {
            integer::read_string(rest, out)?;
        } else {
            out.extend_from_slice(self.entry(index, uses)?.0);
        }
        let name_len = out.len() - start;
        head.begin_value();
        integer::read_string(rest, head.begin_field())?;
        let (name, value) = head.pending(name_len);
        Ok((name_len, FieldKind::of(name, value)))
    }

    /// An entry of both tables, which are numbered together (section 2.3.3).
    fn entry(&self, index: usize, uses: &mut Uses) -> Result<(&[u8], &[u8], FieldKind), CompressionError> {
        let place = index.checked_sub(1).ok_or(CompressionError)?;
        if let Some(&(name, value)) = statics::ENTRIES.get(place) {
            return Ok((name, value, FieldKind::of_static(index)));
        }
        uses.read = true;
        self.table.get(place - statics::COUNT).ok_or(CompressionError)
    }
}
