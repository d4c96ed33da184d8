//! Which blocks of people may contain a term.
//!
//! Bit-sliced signatures, as in BitFunnel (Goodwin et al., "BitFunnel: Revisiting Signatures for Search", SIGIR
//! 2017): a table has a row for each hash of a gram, and in the row a bit for each block of people; the bit is set
//! when somebody in the block has the gram. A term's rows, taken together by AND, leave the blocks that are worth
//! reading. It errs only on the safe side: a block may be named for nothing, never left out.

use super::blocks::BLOCK_PEOPLE;

/// Words of a row: one cache line, so that a row costs one miss however many of its blocks are asked about.
const WORDS: usize = 8;

/// Blocks that one segment tells apart.
pub(super) const SEGMENT_BLOCKS: usize = WORDS * 64;

/// Rows of a segment, a power of two. With 32,768 a person costs 64 bytes.
const ROWS: usize = 1 << ROWS_BITS;
const ROWS_BITS: u32 = 15;

/// 2^64 divided by the golden ratio: multiplying by it spreads neighbouring grams over the table (Knuth, The Art of
/// Computer Programming, volume 3, section 6.4).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bit for each block of a segment.
pub(super) type Candidates = [u64; WORDS];

/// Signatures of all people.
#[derive(Default)]
pub(super) struct Index {
    segments: Vec<Box<[Candidates]>>,
}

/// Rows that a term asks for.
pub(super) struct Rows(Vec<usize>);

impl Index {
    /// Adds one lower-cased field of a person; people come in order of their number.
    pub(super) fn add(&mut self, person: usize, field: &str) {
        let block = person / BLOCK_PEOPLE;
        let (segment, block) = (block / SEGMENT_BLOCKS, block % SEGMENT_BLOCKS);
        if segment == self.segments.len() {
            self.segments.push(vec![[0; WORDS]; ROWS].into_boxed_slice());
        }
        let (table, word, bit) = (&mut self.segments[segment], block / 64, 1 << (block % 64));
        grams(field, |grams| {
            for gram in grams {
                table[row(gram)][word] |= bit;
            }
        });
    }

    /// How many segments there are.
    pub(super) fn segments(&self) -> usize {
        self.segments.len()
    }

    /// Blocks of a segment that may contain the term.
    pub(super) fn candidates(&self, segment: usize, rows: &Rows) -> Candidates {
        let mut candidates = [u64::MAX; WORDS];
        for &row in &rows.0 {
            let bits = &self.segments[segment][row];
            let mut any = 0;
            for (candidate, bits) in candidates.iter_mut().zip(bits) {
                *candidate &= bits;
                any |= *candidate;
            }
            if any == 0 {
                break;
            }
        }
        candidates
    }

    /// Memory of the tables.
    pub(super) fn bytes(&self) -> usize {
        self.segments.len() * ROWS * size_of::<Candidates>()
    }
}

impl Rows {
    /// Rows of a lower-cased term: of all its trigrams, or of the whole if it is shorter.
    pub(super) fn new(term: &str) -> Self {
        let mut rows = Vec::with_capacity(term.len());
        let mut last = 0;
        grams(term, |[one, two, three]| {
            if three != 0 {
                rows.push(row(three));
            }
            last = if two == 0 { one } else { two };
        });
        if rows.is_empty() {
            rows.push(row(last));
        }
        Self(rows)
    }
}

/// Calls `each` for each character of a text with the runs of one, two and three characters that end there; 0 where
/// there are not so many. A character has 21 bits, so a run is a number.
fn grams(text: &str, mut each: impl FnMut([u64; 3])) {
    const ONE: u64 = (1 << 21) - 1;
    const TWO: u64 = (1 << 42) - 1;
    const THREE: u64 = (1 << 63) - 1;
    let mut run = 0;
    for char in text.chars() {
        run = (run << 21 | u64::from(char)) & THREE;
        let long = |mask: u64, least: u64| if run >= least { run & mask } else { 0 };
        each([run & ONE, long(TWO, 1 << 21), long(THREE, 1 << 42)]);
    }
}

/// Where a gram's row is. That no gram (0) has one too does no harm.
fn row(gram: u64) -> usize {
    #[allow(clippy::cast_possible_truncation, reason = "15 bits are left")]
    let row = (gram.wrapping_mul(SPREAD) >> (u64::BITS - ROWS_BITS)) as usize;
    row
}

#[cfg(test)]
mod tests {
    use super::{Index, Rows, SEGMENT_BLOCKS};
    use crate::store::postgres::blocks::BLOCK_PEOPLE;

    fn candidates(index: &Index, term: &str) -> Vec<usize> {
        let rows = Rows::new(term);
        (0..index.segments())
            .flat_map(|segment| {
                let found = index.candidates(segment, &rows);
                (0..SEGMENT_BLOCKS)
                    .filter(move |block| found[block / 64] >> (block % 64) & 1 == 1)
                    .map(move |block| segment * SEGMENT_BLOCKS + block)
            })
            .collect()
    }

    #[test]
    fn a_term_names_the_block_of_its_person_and_few_others() {
        let mut index = Index::default();
        let blocks = SEGMENT_BLOCKS + 3;
        for block in 0..blocks {
            index.add(block * BLOCK_PEOPLE, &format!("josé {block:05} ñu"));
        }
        for term in ["00000", "00511", "00512", "josé 00514", "é 00042 ñ"] {
            let block: usize = term.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
            let found = candidates(&index, term);
            assert!(found.contains(&block), "{term}: {found:?}");
        }
        assert_eq!(candidates(&index, "é 00042 ñ"), [42]);
        for term in ["é", "jo", "ñ", "sé "] {
            assert_eq!(candidates(&index, term).len(), blocks, "{term}");
        }
        assert!(candidates(&index, "xyzzy").is_empty());
        assert_eq!(index.bytes(), 2 * 32_768 * 64);
    }
}
