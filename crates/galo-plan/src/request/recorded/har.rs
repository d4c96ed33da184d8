//! HTTP archives (HAR 1.2, as browsers export them): `log.entries[].request`.

mod entry;

use std::cell::Cell;
use std::fmt;
use std::io::BufReader;
use std::rc::Rc;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::collected::Collected;
use super::left_out::{Left, Reason};
use super::read::{LONGEST, Text, Wrong};

pub(super) fn parse(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    let left = Rc::new(Cell::new(LONGEST));
    let mut reader = serde_json::Deserializer::from_reader(BufReader::new(text.bounded(Rc::clone(&left))));
    let mut number = 0;
    let entries = Entries { collected, left: &left, number: &mut number };
    let read = Key { name: "log", inner: Key { name: "entries", inner: entries } };
    let Err(error) = read.deserialize(&mut reader).and_then(|()| reader.end()) else { return Ok(()) };
    // Once there are entries, it is one of them.
    let place = if number == 0 { error.line().max(1) } else { number as usize + 1 };
    Err(Wrong::new(place, format!("{error}\nhint: export it again as a HAR file")))
}

/// What is wrong, without the place in the entry's own text.
fn without_place(error: &serde_json::Error) -> String {
    let told = error.to_string();
    told.split(" at line ").next().unwrap_or_default().to_owned()
}

/// An object of which one key counts, which must be there.
struct Key<S> {
    name: &'static str,
    inner: S,
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> DeserializeSeed<'de> for Key<S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de, S: DeserializeSeed<'de, Value = ()>> Visitor<'de> for Key<S> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with `{}`", self.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut inner = Some(self.inner);
        while let Some(key) = map.next_key::<String>()? {
            match inner.take_if(|_| key == self.name) {
                Some(inner) => map.next_value_seed(inner)?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        match inner {
            None => Ok(()),
            Some(_) => Err(A::Error::missing_field(self.name)),
        }
    }
}

/// The entries, each taken as it comes: an archive holds all answers too, and may be larger than memory.
struct Entries<'a> {
    collected: &'a mut Collected,
    /// Bytes that may be read before the next entry is over.
    left: &'a Cell<u64>,
    /// Entries that were read.
    number: &'a mut u64,
}

impl<'de> DeserializeSeed<'de> for Entries<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        // As its text first: one that is not as it should be leaves the others readable.
        while let Some(text) = entries.next_element::<Box<RawValue>>()? {
            self.left.set(LONGEST);
            *self.number += 1;
            match serde_json::from_str::<entry::Entry>(text.get()) {
                Ok(entry) => {
                    let at = entry.time();
                    self.collected.add_at(*self.number, at, entry.sent());
                }
                Err(error) => {
                    let left = Left::new(Reason::Unreadable, without_place(&error));
                    self.collected.add(*self.number, 1, Err(left));
                }
            }
        }
        Ok(())
    }
}
