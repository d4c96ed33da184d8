//! From blocks to heads: RFC 7541, sections 3 and 6.

use super::super::head::{FieldKind, HeadText};
use super::table::DynamicTable;
use super::{CompressionError, DEFAULT_TABLE_SIZE, integer, statics};

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

    /// Decodes a whole block into `head`, which was begun before. `true`: the block changed nothing here, so that it
    /// means the same if it comes again.
    pub(in super::super) fn decode(
        &mut self,
        block: &[u8],
        head: &mut HeadText,
    ) -> Result<bool, CompressionError> {
        let mut rest = block;
        let mut unchanged = true;
        let mut may_resize = true;
        while let Some(&first) = rest.first() {
            if first & 0x80 != 0 {
                let index = integer::read(&mut rest, 7)? as usize;
                let (name, value, kind) = self.entry(index)?;
                head.field(name, value, kind);
            } else if first & 0x40 != 0 {
                let (name_len, kind) = self.literal(&mut rest, 6, head)?;
                let (name, value) = head.pending(name_len);
                unchanged &= !self.table.insert(name, value, kind);
                head.keep(name_len, kind);
            } else if first & 0x20 != 0 {
                let size = integer::read(&mut rest, 5)?;
                // Only before the first field (section 4.2), and within what galo's settings allow.
                if !may_resize || size > DEFAULT_TABLE_SIZE {
                    return Err(CompressionError);
                }
                self.table.resize(size as usize);
                unchanged = false;
                continue;
            } else {
                let (name_len, kind) = self.literal(&mut rest, 4, head)?;
                head.keep(name_len, kind);
            }
            may_resize = false;
        }
        Ok(unchanged)
    }

    /// Reads a literal field to the end of the head's text, yet to be kept there; returns the length of its name.
    fn literal(
        &self,
        rest: &mut &[u8],
        bits: u32,
        head: &mut HeadText,
    ) -> Result<(usize, FieldKind), CompressionError> {
        let index = integer::read(rest, bits)? as usize;
        let out = head.begin_field();
        let start = out.len();
        if index == 0 {
            integer::read_string(rest, out)?;
        } else {
            out.extend_from_slice(self.entry(index)?.0);
        }
        let name_len = out.len() - start;
        head.begin_value();
        integer::read_string(rest, head.begin_field())?;
        let (name, value) = head.pending(name_len);
        Ok((name_len, FieldKind::of(name, value)))
    }

    /// An entry of both tables, which are numbered together (section 2.3.3).
    fn entry(&self, index: usize) -> Result<(&[u8], &[u8], FieldKind), CompressionError> {
        let place = index.checked_sub(1).ok_or(CompressionError)?;
        match statics::ENTRIES.get(place) {
            Some(&(name, value)) => Ok((name, value, FieldKind::of_static(index))),
            None => self.table.get(place - statics::COUNT).ok_or(CompressionError),
        }
    }
}
