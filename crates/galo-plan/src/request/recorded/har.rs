//! HTTP archives (HAR 1.2, as browsers export them): `log.entries[].request`.

use std::cell::Cell;
use std::fmt;
use std::io::BufReader;
use std::rc::Rc;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::read::{LONGEST, Text};
use super::{Collected, Wrong};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    started_date_time: String,
    request: Request,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct PostData {
    #[serde(default)]
    text: Option<String>,
}

pub(super) fn parse(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    let left = Rc::new(Cell::new(LONGEST));
    let mut reader = serde_json::Deserializer::from_reader(BufReader::new(text.bounded(Rc::clone(&left))));
    let entries = Entries { collected, left: &left };
    let read = Key { name: "log", inner: Key { name: "entries", inner: entries } };
    read.deserialize(&mut reader).and_then(|()| reader.end()).map_err(|error| {
        Wrong::new(error.line().max(1), format!("{error}\nhint: export it again as a HAR file"))
    })
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
        while let Some(Entry { started_date_time, request }) = entries.next_element()? {
            self.left.set(LONGEST);
            let headers =
                request.headers.iter().map(|header| format!("{}: {}", header.name, header.value)).collect();
            let body = request.post_data.and_then(|data| data.text);
            let at = started_date_time.parse().ok();
            self.collected.add_at(at, &request.method, &request.url, headers, body);
        }
        Ok(())
    }
}
