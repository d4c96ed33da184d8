//! Everybody, in memory.
//!
//! People have numbers in order of arrival. Nothing is allocated for one person: documents and search texts lie in
//! blocks of 64, the ways to a number (by id, by apelido) are tables of numbers.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;
use memchr::memmem::Finder;

use super::blocks::{BLOCK_PEOPLE, Blocks};
use super::id::Id;
use super::index::{Candidates, Index, Rows, SEGMENT_BLOCKS};
use super::record::{APELIDO_START, Foreign, Record, write_json};
use super::words::Words;
use crate::store::SEARCH_RESULTS_MAX;
use crate::store::text::{FIELD_END, lower, lower_into};

/// Parts of the table of apelidos. A table that grows moves all that it holds; a 256th of a million people is moved
/// within less than a millisecond.
const SHARDS: usize = 256;

/// Sequences in a page of the way from id to number.
const PAGE: usize = 1024;

/// All people that this instance knows.
pub(super) struct People {
    documents: Blocks,
    haystacks: Blocks,
    index: Index,
    /// By writer and sequence, divided by [`PAGE`]: numbers plus one, 0 for nobody. A row of somebody else's with
    /// whatever sequence takes a page, no more.
    by_id: BTreeMap<(u64, u64), Box<[u32; PAGE]>>,
    by_apelido: Vec<HashTable<Name>>,
    hasher: RandomState,
    count: usize,
    newest: Option<Id>,
    words: Words,
    /// How often somebody was described, added or not.
    turn: u64,
    lowered: String,
    scratch: Vec<u8>,
}

/// Who has an apelido. The hash is kept, since a table that grows asks for it again, and the documents that it is of lie
/// anywhere in memory: of a start with a million people it took a third of the time that is the program's own.
struct Name {
    hash: u32,
    person: u32,
}

/// A search under way: it goes on where it stopped, since people are only ever added at the end.
pub(super) struct Search {
    needle: Finder<'static>,
    rows: Rows,
    /// Segments of the index that were asked.
    segments: usize,
    /// Blocks of the last of them that are still to be read.
    candidates: Candidates,
    found: Vec<Vec<u8>>,
}

/// Memory in bytes by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Footprint {
    /// What readers get.
    pub(super) documents: usize,
    /// What searches read.
    pub(super) haystacks: usize,
    /// Signatures.
    pub(super) index: usize,
    /// Ways from id and apelido.
    pub(super) tables: usize,
}

impl Default for People {
    fn default() -> Self {
        Self {
            documents: Blocks::default(),
            haystacks: Blocks::default(),
            index: Index::default(),
            by_id: BTreeMap::new(),
            by_apelido: (0..SHARDS).map(|_| HashTable::new()).collect(),
            hasher: RandomState::new(),
            count: 0,
            newest: None,
            words: Words::default(),
            turn: 0,
            lowered: String::new(),
            scratch: Vec::new(),
        }
    }
}

impl People {
    /// Adds a person, unless there is one of this id. Whether the apelido is free is the database's affair.
    pub(super) fn add(&mut self, id: Id, record: &Record<'_>) -> Result<bool, Foreign> {
        if self.number(id).is_some() {
            return Ok(false);
        }
        let person = self.count;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        self.describe(person, record, &mut scratch)?;
        self.haystacks.push(&scratch);
        scratch.clear();
        record.write_document(id.uuid(), &mut scratch);
        self.documents.push(&scratch);
        self.name(person, apelido(&scratch));
        self.scratch = scratch;
        let (page, at) = page(id);
        let page = self.by_id.entry(page).or_insert_with(|| Box::new([0; PAGE]));
        // Four billion people would need a terabyte.
        page[at] = u32::try_from(person + 1).unwrap_or(u32::MAX);
        self.count += 1;
        self.newest = Some(id);
        Ok(true)
    }

    /// Whether somebody has this apelido.
    pub(super) fn has(&self, apelido: &str) -> bool {
        let mut json = Vec::with_capacity(64);
        write_json(apelido, &mut json);
        let hash = self.hash(&json);
        // The JSON text ends with a quote, so it is no beginning of a longer one.
        let same = |name: &Name| {
            name.hash == hash && self.documents.get(name.person as usize)[APELIDO_START..].starts_with(&json)
        };
        self.by_apelido[shard(hash)].find(spread(hash), same).is_some()
    }

    /// The JSON that a reader gets.
    pub(super) fn document(&self, id: Id) -> Option<&[u8]> {
        self.number(id).map(|number| self.documents.get(number))
    }

    /// How many they are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The id of who came last.
    pub(super) fn newest(&self) -> Option<Id> {
        self.newest
    }

    /// Goes on with a search until some `blocks` have been read; whether it is complete.
    pub(super) fn search(&self, search: &mut Search, blocks: usize) -> bool {
        for _ in 0..blocks {
            let Some(block) = self.next_block(search) else { return true };
            for number in self.haystacks.containing(block, &search.needle) {
                search.found.push(self.documents.get(number).to_vec());
                if search.found.len() == SEARCH_RESULTS_MAX as usize {
                    return true;
                }
            }
        }
        false
    }

    /// The next block that a search has to read.
    fn next_block(&self, search: &mut Search) -> Option<usize> {
        loop {
            if let Some((word, bits)) = search.candidates.iter_mut().enumerate().find(|(_, bits)| **bits != 0)
            {
                let block =
                    (search.segments - 1) * SEGMENT_BLOCKS + word * 64 + bits.trailing_zeros() as usize;
                *bits &= *bits - 1;
                return Some(block);
            }
            if search.segments >= self.index.segments() {
                return None;
            }
            search.candidates = self.index.candidates(search.segments, &search.rows);
            search.segments += 1;
        }
    }

    /// Where the memory goes.
    pub(super) fn footprint(&self) -> Footprint {
        // An entry of a table and its byte of control; nodes of the map are hardly more than their pages.
        let names: usize = self.by_apelido.iter().map(HashTable::allocation_size).sum();
        Footprint {
            documents: self.documents.bytes(),
            haystacks: self.haystacks.bytes(),
            index: self.index.bytes(),
            tables: names + self.by_id.len() * size_of::<[u32; PAGE]>(),
        }
    }

    /// Appends the lower-cased fields that searches look into, each with [`FIELD_END`], and enters them in the index.
    fn describe(&mut self, person: usize, record: &Record<'_>, out: &mut Vec<u8>) -> Result<(), Foreign> {
        let Self { index, words, turn, lowered, .. } = self;
        *turn += 1;
        for field in [record.apelido, record.nome] {
            lowered.clear();
            lower_into(field, lowered);
            index.add(person, lowered);
            out.extend_from_slice(lowered.as_bytes());
            out.push(FIELD_END);
        }
        record.each_technology(|entry| {
            let Some(word) = words.add(entry, *turn, person / BLOCK_PEOPLE) else { return };
            if word.in_block {
                index.add(person, word.lowered);
            }
            out.extend_from_slice(word.lowered.as_bytes());
            out.push(FIELD_END);
        })
    }

    fn number(&self, id: Id) -> Option<usize> {
        let (page, at) = page(id);
        self.by_id.get(&page)?[at].checked_sub(1).map(|number| number as usize)
    }

    /// Enters an apelido, written as JSON.
    fn name(&mut self, person: usize, json: &[u8]) {
        let hash = self.hash(json);
        let name = Name { hash, person: u32::try_from(person).unwrap_or(u32::MAX) };
        self.by_apelido[shard(hash)].insert_unique(spread(hash), name, |name| spread(name.hash));
    }

    fn hash(&self, json: &[u8]) -> u32 {
        #[allow(clippy::cast_possible_truncation, reason = "half of the bits are enough")]
        let hash = self.hasher.hash_one(json) as u32;
        hash
    }
}

impl Search {
    /// A search for a term as people write it.
    pub(super) fn new(term: &str) -> Self {
        let term = lower(term);
        let needle = Finder::new(term.as_bytes()).into_owned();
        Self {
            needle,
            rows: Rows::new(&term),
            segments: 0,
            candidates: Candidates::default(),
            found: Vec::new(),
        }
    }

    /// Documents found.
    pub(super) fn into_found(self) -> Vec<Vec<u8>> {
        self.found
    }
}

/// The apelido of a document, as JSON: it ends at the first quote that no backslash escapes.
fn apelido(document: &[u8]) -> &[u8] {
    let json = &document[APELIDO_START..];
    let mut end = 1;
    while let Some(step) = memchr::memchr2(b'"', b'\\', &json[end..]) {
        end += step;
        if json[end] == b'"' {
            return &json[..=end];
        }
        end += 2;
    }
    json
}

fn shard(hash: u32) -> usize {
    // From the middle: the table takes its own bits from both ends.
    (hash >> 16) as usize % SHARDS
}

/// A table's hash, which it wants to have 64 bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

fn page(id: Id) -> ((u64, u64), usize) {
    ((id.writer, id.sequence / PAGE as u64), (id.sequence % PAGE as u64) as usize)
}

#[cfg(test)]
mod tests;
