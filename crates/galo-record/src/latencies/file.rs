//! `latencies.bin.zst`: the header of [`crate::codec`] (entries are steps), then for each step `ok`, `ok_service`
//! and `not_ok`, the number of seconds, and for each second `intended`, `wrong`, `failed`, `timed_out`, `ok`,
//! `ok_service` and `not_ok`. A histogram is the number of its non-empty buckets, then for each the distance from the previous
//! bucket number and the count. All numbers are of variable length.

use std::io::{self, Read, Write};
use std::path::Path;

use super::{BUCKETS, Latencies, SecondLatencies, SparseLatencies, StepLatencies};
use crate::codec::{self, get, get_u32, invalid, put};
use crate::disk::{Folder, RecordError, files};

const MAGIC: &[u8; 8] = b"galoLATE";
const VERSION: u32 = 2;
/// A flat step number is one byte.
const MAX_STEPS: u64 = 256;

/// Writes the latencies of a round, by flat step number: whole or not at all.
///
/// # Errors
/// What the file system refuses, more than 256 steps, or a [`SparseLatencies`] that is not as it says.
pub fn write(folder: &Folder, name: &str, steps: &[StepLatencies]) -> Result<(), RecordError> {
    let bytes =
        encode(steps).map_err(|source| RecordError::io("write", &folder.path().join(name), source))?;
    folder.write(name, &bytes).map(drop)
}

/// Reads what [`write()`] wrote.
///
/// # Errors
/// [`RecordError::Damaged`] for anything else.
pub fn read(path: &Path) -> Result<Vec<StepLatencies>, RecordError> {
    decode(&files::read_whole(path)?).map_err(|e| files::damaged(path, &e))
}

pub(super) fn encode(steps: &[StepLatencies]) -> io::Result<Vec<u8>> {
    if steps.len() as u64 > MAX_STEPS {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "there are more than 256 steps"));
    }
    codec::encode(MAGIC, VERSION, steps.len() as u64, |out| {
        for step in steps {
            for latencies in [&step.ok, &step.ok_service, &step.not_ok] {
                put_sparse(out, &latencies.to_sparse())?;
            }
            put(out, step.seconds.len() as u64)?;
            for second in &step.seconds {
                for count in [second.intended, second.wrong, second.failed, second.timed_out] {
                    put(out, u64::from(count))?;
                }
                put_sparse(out, &second.ok)?;
                put_sparse(out, &second.ok_service)?;
                put_sparse(out, &second.not_ok)?;
            }
        }
        Ok(())
    })
}

pub(super) fn decode(bytes: &[u8]) -> io::Result<Vec<StepLatencies>> {
    let (count, mut from) = codec::open(bytes, MAGIC, VERSION)?;
    if count > MAX_STEPS {
        return Err(invalid(format!("it tells of {count} steps")));
    }
    let steps = (0..count).map(|_| get_step(&mut from)).collect::<io::Result<_>>()?;
    codec::close(&mut from)?;
    Ok(steps)
}

fn get_step(from: &mut impl Read) -> io::Result<StepLatencies> {
    let ok = get_latencies(from)?;
    let ok_service = get_latencies(from)?;
    let not_ok = get_latencies(from)?;
    // Not collected from a range: its length, which is not yet to be believed, would be allocated at once.
    let mut seconds = Vec::new();
    for _ in 0..get(from)? {
        seconds.push(SecondLatencies {
            intended: get_u32(from)?,
            wrong: get_u32(from)?,
            failed: get_u32(from)?,
            timed_out: get_u32(from)?,
            ok: get_sparse(from)?,
            ok_service: get_sparse(from)?,
            not_ok: get_sparse(from)?,
        });
    }
    Ok(StepLatencies { ok, ok_service, not_ok, seconds })
}

fn get_latencies(from: &mut impl Read) -> io::Result<Latencies> {
    let mut latencies = Latencies::new();
    latencies.add_sparse(&get_sparse(from)?);
    Ok(latencies)
}

fn put_sparse(out: &mut dyn Write, sparse: &SparseLatencies) -> io::Result<()> {
    put(out, sparse.0.len() as u64)?;
    let mut next = 0;
    for &(bucket, count) in &sparse.0 {
        if bucket < next || bucket >= BUCKETS {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "bucket numbers do not ascend"));
        }
        put(out, u64::from(bucket - next))?;
        put(out, u64::from(count))?;
        next = bucket + 1;
    }
    Ok(())
}

fn get_sparse(from: &mut impl Read) -> io::Result<SparseLatencies> {
    let length = get(from)?;
    if length > u64::from(BUCKETS) {
        return Err(invalid(format!("it tells of {length} buckets of {BUCKETS}")));
    }
    let mut buckets = Vec::new();
    let mut next = 0_u64;
    for _ in 0..length {
        let bucket = next + u64::from(get_u32(from)?);
        let count = get_u32(from)?;
        let number = u32::try_from(bucket).ok().filter(|&b| b < BUCKETS);
        buckets.push((number.ok_or_else(|| invalid(format!("it tells of bucket {bucket}")))?, count));
        next = bucket + 1;
    }
    Ok(SparseLatencies(buckets))
}
