//! `history.bin.zst`: the header of [`crate::codec`] (entries are operations), then one column after another, because
//! neighbours in a column are alike and compress well, which fields of different kinds do not.
//!
//! | column | as |
//! |---|---|
//! | what is there | bits: sent 1, first byte 2, id 4, broken 8 |
//! | step, result, effect | a byte each |
//! | broken rule | a byte where there is one |
//! | status, found, kept | as they are |
//! | done | distance from the previous operation's |
//! | intended | distance from its done |
//! | sent | distance from its intended, where there is one |
//! | first byte | distance from its done, where there is one |
//! | user, connection | distance from that of the previous operation of the same step |
//! | id | 16 bytes, little-endian, where there is one |
//! | things seen, in the order of their operations | number of the identity among those given before (below), digest: 8 bytes, little-endian |
//!
//! An identity that was seen is mostly one that a creation was given: it is written as 1 + its place among the
//! operations' distinct identities, in order; any other as 0 and its 16 bytes.
//!
//! Numbers are of variable length; distances go in either direction. Every operation comes back as it was, in whatever
//! order they are given; in the order of `done` the file is smallest.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read, Write};
use std::path::Path;

use galo_plan::RuleCode;
use galo_plan::model::{Effect, Id, Seen};

use super::{Operation, OperationResult};
use crate::codec::{self, apply, difference, get, get_u32, invalid, put};
use crate::disk::{Folder, RecordError, files};

const MAGIC: &[u8; 8] = b"galoHIST";
const VERSION: u32 = 2;

/// Bytes of the columns that every operation is in, at least: one in each.
const LEAST_BYTES: u64 = 11;

const SENT: u8 = 1;
const FIRST_BYTE: u8 = 2;
const ID: u8 = 4;
const BROKEN: u8 = 8;

/// Writes a history compressed: whole or not at all.
///
/// # Errors
/// What the file system refuses.
pub fn write(
    folder: &Folder,
    name: &str,
    operations: &[Operation],
    seen: &[Seen],
) -> Result<(), RecordError> {
    let bytes = encode(operations, seen)
        .map_err(|source| RecordError::io("write", &folder.path().join(name), source))?;
    folder.write(name, &bytes).map(drop)
}

/// Reads what [`write()`] wrote.
///
/// # Errors
/// [`RecordError::Damaged`] for anything else.
pub fn read(path: &Path) -> Result<(Vec<Operation>, Vec<Seen>), RecordError> {
    decode(&files::read_whole(path)?).map_err(|e| files::damaged(path, &e))
}

pub(super) fn encode(operations: &[Operation], seen: &[Seen]) -> io::Result<Vec<u8>> {
    codec::encode(MAGIC, VERSION, operations.len() as u64, |out| {
        let bytes: [fn(&Operation) -> u8; 4] =
            [what_is_there, |o| o.step, |o| o.result as u8, |o| o.effect as u8];
        for column in bytes {
            operations.iter().try_for_each(|o| out.write_all(&[column(o)]))?;
        }
        for RuleCode(code) in operations.iter().filter_map(|o| o.broken) {
            out.write_all(&[code])?;
        }
        operations.iter().try_for_each(|o| put(out, u64::from(o.status)))?;
        operations.iter().try_for_each(|o| put(out, u64::from(o.found)))?;
        operations.iter().try_for_each(|o| put(out, o.seen(seen).len() as u64))?;
        put_times(out, operations)?;
        put_by_step(out, operations, |o| o.user)?;
        put_by_step(out, operations, |o| o.connection)?;
        for Id(id) in operations.iter().filter_map(|o| o.id) {
            out.write_all(&id.to_le_bytes())?;
        }
        put_seen(out, operations, seen)
    })
}

fn what_is_there(o: &Operation) -> u8 {
    let bit = |bit, there| if there { bit } else { 0 };
    bit(SENT, o.sent_ns.is_some())
        | bit(FIRST_BYTE, o.first_byte_ns.is_some())
        | bit(ID, o.id.is_some())
        | bit(BROKEN, o.broken.is_some())
}

fn put_times(out: &mut dyn Write, operations: &[Operation]) -> io::Result<()> {
    let mut previous = 0;
    for o in operations {
        put(out, difference(o.done_ns, previous))?;
        previous = o.done_ns;
    }
    for o in operations {
        put(out, difference(o.intended_ns, o.done_ns))?;
    }
    for o in operations {
        o.sent_ns.map_or(Ok(()), |sent| put(out, difference(sent, o.intended_ns)))?;
    }
    for o in operations {
        o.first_byte_ns.map_or(Ok(()), |first| put(out, difference(first, o.done_ns)))?;
    }
    Ok(())
}

fn put_by_step(
    out: &mut dyn Write,
    operations: &[Operation],
    column: fn(&Operation) -> u32,
) -> io::Result<()> {
    let mut previous = [0; 256];
    for o in operations {
        let previous = &mut previous[usize::from(o.step)];
        put(out, difference(u64::from(column(o)), *previous))?;
        *previous = u64::from(column(o));
    }
    Ok(())
}

pub(super) fn decode(bytes: &[u8]) -> io::Result<(Vec<Operation>, Vec<Seen>)> {
    let (count, mut from) = codec::open(bytes, MAGIC, VERSION)?;
    if count > codec::allowed(bytes.len()) / LEAST_BYTES {
        return Err(invalid(format!("it tells of {count} operations, more than it can hold")));
    }
    let (mut operations, flags) = get_flags(&mut from, count)?;
    get_bytes(&mut from, &mut operations, &flags)?;
    for o in &mut operations {
        let status = get(&mut from)?;
        o.status = u16::try_from(status).map_err(|_| invalid(format!("it tells of status {status}")))?;
    }
    for o in &mut operations {
        o.found = get_u32(&mut from)?;
    }
    let mut seen = 0_u32;
    for o in &mut operations {
        let kept = get(&mut from)?;
        o.kept =
            u8::try_from(kept).map_err(|_| invalid(format!("it tells of {kept} things of one answer")))?;
        o.seen = seen;
        seen =
            seen.checked_add(u32::from(o.kept)).ok_or_else(|| invalid("it tells of too many things seen"))?;
    }
    get_times(&mut from, &mut operations, &flags)?;
    get_by_step(&mut from, &mut operations, |o| &mut o.user)?;
    get_by_step(&mut from, &mut operations, |o| &mut o.connection)?;
    for (o, _) in there(&mut operations, &flags, ID) {
        o.id = Some(Id(u128::from_le_bytes(get_array(&mut from)?)));
    }
    let seen = get_seen(&mut from, &operations, seen)?;
    codec::close(&mut from)?;
    Ok((operations, seen))
}

/// The distinct identities of the operations, in order of their first.
fn identities(operations: &[Operation]) -> Vec<Id> {
    let mut known = HashSet::new();
    operations.iter().filter_map(|o| o.id).filter(|id| known.insert(*id)).collect()
}

fn put_seen(out: &mut dyn Write, operations: &[Operation], seen: &[Seen]) -> io::Result<()> {
    let places: HashMap<Id, u64> = identities(operations).into_iter().zip(1..).collect();
    for thing in operations.iter().flat_map(|o| o.seen(seen)) {
        let place = places.get(&thing.id).copied().unwrap_or(0);
        put(out, place)?;
        if place == 0 {
            out.write_all(&thing.id.0.to_le_bytes())?;
        }
        out.write_all(&thing.digest.to_le_bytes())?;
    }
    Ok(())
}

fn get_seen(from: &mut impl Read, operations: &[Operation], count: u32) -> io::Result<Vec<Seen>> {
    let known = identities(operations);
    let mut seen = Vec::new();
    for _ in 0..count {
        let id = match get(from)? {
            0 => Id(u128::from_le_bytes(get_array(from)?)),
            place => *usize::try_from(place - 1)
                .ok()
                .and_then(|place| known.get(place))
                .ok_or_else(|| invalid("it tells of an identity that there is not"))?,
        };
        seen.push(Seen { id, digest: u64::from_le_bytes(get_array(from)?) });
    }
    Ok(seen)
}

fn get_array<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The first column. It makes the operations, one by one, so that memory grows with what is read and not with
/// what the header claims.
fn get_flags(from: &mut impl Read, count: u64) -> io::Result<(Vec<Operation>, Vec<u8>)> {
    let mut flags = Vec::new();
    from.take(count).read_to_end(&mut flags)?;
    if (flags.len() as u64) < count {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if flags.iter().any(|f| f & !(SENT | FIRST_BYTE | ID | BROKEN) != 0) {
        return Err(invalid("it tells of fields that there are not"));
    }
    let empty = Operation {
        intended_ns: 0,
        sent_ns: None,
        first_byte_ns: None,
        done_ns: 0,
        id: None,
        user: 0,
        connection: 0,
        found: 0,
        seen: 0,
        kept: 0,
        status: 0,
        step: 0,
        result: OperationResult::Ok,
        effect: Effect::None,
        broken: None,
    };
    Ok((vec![empty; flags.len()], flags))
}

/// The operations that have one of the fields that may be missing.
fn there<'a>(
    operations: &'a mut [Operation],
    flags: &'a [u8],
    bit: u8,
) -> impl Iterator<Item = (&'a mut Operation, &'a u8)> {
    operations.iter_mut().zip(flags).filter(move |(_, flags)| *flags & bit != 0)
}

fn get_bytes(from: &mut impl Read, operations: &mut [Operation], flags: &[u8]) -> io::Result<()> {
    for o in &mut *operations {
        o.step = get_byte(from)?;
    }
    for o in &mut *operations {
        o.result = match get_byte(from)? {
            0 => OperationResult::Ok,
            1 => OperationResult::Wrong,
            2 => OperationResult::Failed,
            3 => OperationResult::TimedOut,
            4 => OperationResult::Unfinished,
            other => return Err(invalid(format!("it tells of result {other}"))),
        };
    }
    for o in &mut *operations {
        o.effect = match get_byte(from)? {
            0 => Effect::None,
            1 => Effect::No,
            2 => Effect::Yes,
            3 => Effect::Unknown,
            other => return Err(invalid(format!("it tells of effect {other}"))),
        };
    }
    for (o, _) in there(operations, flags, BROKEN) {
        o.broken = Some(RuleCode(get_byte(from)?));
    }
    Ok(())
}

fn get_byte(from: &mut impl Read) -> io::Result<u8> {
    let [byte] = get_array(from)?;
    Ok(byte)
}

fn get_times(from: &mut impl Read, operations: &mut [Operation], flags: &[u8]) -> io::Result<()> {
    let mut previous = 0;
    for o in &mut *operations {
        o.done_ns = apply(get(from)?, previous);
        previous = o.done_ns;
    }
    for o in &mut *operations {
        o.intended_ns = apply(get(from)?, o.done_ns);
    }
    for (o, _) in there(operations, flags, SENT) {
        o.sent_ns = Some(apply(get(from)?, o.intended_ns));
    }
    for (o, _) in there(operations, flags, FIRST_BYTE) {
        o.first_byte_ns = Some(apply(get(from)?, o.done_ns));
    }
    Ok(())
}

fn get_by_step(
    from: &mut impl Read,
    operations: &mut [Operation],
    column: fn(&mut Operation) -> &mut u32,
) -> io::Result<()> {
    let mut previous = [0; 256];
    for o in operations {
        let previous = &mut previous[usize::from(o.step)];
        *previous = apply(get(from)?, *previous);
        *column(o) = u32::try_from(*previous).map_err(|_| invalid("it tells of too many users"))?;
    }
    Ok(())
}
