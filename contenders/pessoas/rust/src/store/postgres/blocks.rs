//! Many byte strings in few allocations.

use memchr::memmem::Finder;

/// Strings in a block.
pub(super) const BLOCK_PEOPLE: usize = 64;

/// Byte strings, numbered in order of arrival, kept in blocks whose bytes lie side by side: one allocation for 64
/// people, and one run of bytes for a search.
#[derive(Default)]
pub(super) struct Blocks {
    /// All but the last are full, and have no spare capacity.
    blocks: Vec<Block>,
    /// Capacity of the blocks' bytes.
    bytes: usize,
}

struct Block {
    bytes: Vec<u8>,
    /// Where each string ends; those that are still to come end where all do.
    ends: [u32; BLOCK_PEOPLE],
    filled: usize,
}

impl Blocks {
    /// Adds a string at the end.
    pub(super) fn push(&mut self, string: &[u8]) {
        if self.blocks.last().is_none_or(|block| block.filled == BLOCK_PEOPLE) {
            // The next block will be about as long as the one before.
            let capacity = self.blocks.last().map_or(0, |block| block.bytes.len());
            self.bytes += capacity;
            let bytes = Vec::with_capacity(capacity);
            self.blocks.push(Block { bytes, ends: [0; BLOCK_PEOPLE], filled: 0 });
        }
        let Some(block) = self.blocks.last_mut() else { return };
        let before = block.bytes.capacity();
        block.bytes.extend_from_slice(string);
        // A person comes from a body of at most 64 KB, so a block's end fits by far.
        let end = u32::try_from(block.bytes.len()).unwrap_or(u32::MAX);
        block.ends[block.filled..].fill(end);
        block.filled += 1;
        if block.filled == BLOCK_PEOPLE {
            block.bytes.shrink_to_fit();
        }
        self.bytes = self.bytes + block.bytes.capacity() - before;
    }

    /// The string of this number; empty if there is none.
    pub(super) fn get(&self, number: usize) -> &[u8] {
        let Some(block) = self.blocks.get(number / BLOCK_PEOPLE) else { return &[] };
        let at = number % BLOCK_PEOPLE;
        let start = if at == 0 { 0 } else { block.ends[at - 1] };
        &block.bytes[start as usize..block.ends[at] as usize]
    }

    /// Numbers of the strings of a block that contain the needle, in order, each once. The needle holds nothing that
    /// ends a string, so none is found across two.
    pub(super) fn containing<'a>(
        &'a self,
        block: usize,
        needle: &'a Finder<'_>,
    ) -> impl Iterator<Item = usize> + 'a {
        let mut from = 0;
        let found = self.blocks.get(block).map(|found| (found.bytes.as_slice(), &found.ends));
        std::iter::from_fn(move || {
            let (bytes, ends) = found?;
            let position = from + needle.find(&bytes[from..])?;
            let at = ends.partition_point(|end| *end as usize <= position);
            from = *ends.get(at)? as usize;
            Some(block * BLOCK_PEOPLE + at)
        })
    }

    /// Memory of the strings and of what finds them.
    pub(super) fn bytes(&self) -> usize {
        self.bytes + self.blocks.capacity() * size_of::<Block>()
    }
}
