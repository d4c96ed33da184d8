use galo_plan::RuleCode;
use galo_plan::model::{Effect, Id, Seen};
use proptest::prelude::*;

use super::file::{decode, encode};
use super::*;
use crate::RecordError;

fn operation() -> impl Strategy<Value = Operation> {
    let result = prop_oneof![
        Just(OperationResult::Ok),
        Just(OperationResult::Wrong),
        Just(OperationResult::Failed),
        Just(OperationResult::TimedOut),
        Just(OperationResult::Unfinished),
    ];
    let effect = prop_oneof![Just(Effect::None), Just(Effect::No), Just(Effect::Yes), Just(Effect::Unknown)];
    let times = (any::<u64>(), any::<Option<u64>>(), any::<Option<u64>>(), any::<u64>());
    // Identities that repeat, as they do where somebody is seen again.
    let id = proptest::option::of(prop_oneof![any::<u128>(), 0..3_u128]);
    let numbers = (any::<[u32; 3]>(), any::<u16>(), any::<u8>(), id, any::<Option<u8>>());
    (times, numbers, result, effect).prop_map(
        |((intended_ns, sent_ns, first_byte_ns, done_ns), (n, status, step, id, broken), result, effect)| {
            Operation {
                intended_ns,
                sent_ns,
                first_byte_ns,
                done_ns,
                id: id.map(Id),
                user: n[0],
                connection: n[1],
                found: n[2],
                seen: 0,
                kept: 0,
                status,
                step,
                result,
                effect,
                broken: broken.map(RuleCode),
            }
        },
    )
}

/// Operations, and what they saw, laid out as in a file.
fn history() -> impl Strategy<Value = (Vec<Operation>, Vec<Seen>)> {
    let id = prop_oneof![any::<u128>(), 0..3_u128];
    let seen = proptest::collection::vec((id, any::<u64>()), 0..4);
    proptest::collection::vec((operation(), seen), 0..30).prop_map(|pairs| {
        let (mut operations, mut all) = (Vec::new(), Vec::new());
        for (operation, seen) in pairs {
            operations.push(Operation { seen: all.len() as u32, kept: seen.len() as u8, ..operation });
            all.extend(seen.into_iter().map(|(id, digest)| Seen { id: Id(id), digest }));
        }
        (operations, all)
    })
}

/// Numbers that look random and are the same every time (splitmix64; Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A latency of around a millisecond with a long tail, to the nanosecond.
    fn latency_ns(&mut self) -> u64 {
        let tail = 1 << (self.next() % 5);
        200_000 * tail + self.next() % (600_000 * tail)
    }
}

/// As the contest's traffic leaves it: arrivals that speed up, creations with an identity, most of them read, searches
/// of which one in 16 is full.
fn contest() -> (Vec<Operation>, Vec<Seen>) {
    let mut random = Random(7);
    let mut history = Vec::new();
    for (step, users) in [(0, 54_635_u32), (2, 9_590), (3, 4_190)] {
        for user in 0..users {
            let intended_ns = (f64::from(user) / f64::from(users)).sqrt() * 205e9;
            let id = u128::from(random.next()) << 64 | u128::from(random.next());
            let accepted = step == 0 && !random.next().is_multiple_of(7);
            let mut operation = Operation {
                intended_ns: intended_ns as u64,
                sent_ns: Some(intended_ns as u64 + 20_000 + random.next() % 100_000),
                first_byte_ns: None,
                done_ns: 0,
                id: accepted.then_some(Id(id)),
                user,
                connection: history.len() as u32,
                found: if step == 2 && random.next().is_multiple_of(16) { 50 } else { 0 },
                seen: 0,
                kept: 0,
                status: if accepted { 201 } else { 422 },
                step,
                result: OperationResult::Ok,
                effect: if accepted { Effect::Yes } else { Effect::None },
                broken: None,
            };
            end(&mut operation, random.latency_ns(), random.next() % 30_000);
            history.push(operation);
            if accepted {
                operation.intended_ns = operation.done_ns + 1_000_000 + random.next() % 29_000_000;
                operation.sent_ns = Some(operation.intended_ns + random.next() % 100_000);
                operation.step = 1;
                operation.status = 200;
                operation.effect = Effect::None;
                end(&mut operation, random.latency_ns(), random.next() % 30_000);
                history.push(operation);
            }
        }
    }
    history.sort_by_key(|o| o.done_ns);
    let created: Vec<Id> = history.iter().filter_map(|o| o.id).collect();
    let mut seen = Vec::new();
    for operation in &mut history {
        operation.seen = seen.len() as u32;
        operation.kept = match operation.step {
            1 => 1,
            _ => operation.found as u8,
        };
        for _ in 0..operation.kept {
            let id = created[random.next() as usize % created.len()];
            // What somebody looks like does not change.
            seen.push(Seen { id, digest: id.0 as u64 ^ 0x5555 });
        }
    }
    (history, seen)
}

fn end(operation: &mut Operation, latency_ns: u64, reading_ns: u64) {
    operation.done_ns = operation.intended_ns + 120_000 + latency_ns;
    operation.first_byte_ns = Some(operation.done_ns - reading_ns);
}

#[test]
fn a_history_of_the_contest_takes_less_than_40_bytes_an_operation() {
    let (history, seen) = contest();
    assert!(history.len() > 110_000 && seen.len() > 70_000);
    let bytes = encode(&history, &seen).unwrap();
    let each = bytes.len() as f64 / history.len() as f64;
    assert!(each < 40.0, "{each} bytes an operation");
    assert_eq!(decode(&bytes).unwrap(), (history, seen));
}

#[test]
fn a_damaged_file_is_told_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.bin.zst");
    let (history, seen) = contest();
    write(&crate::disk::Folder::open(folder.path()).unwrap(), "history.bin.zst", &history[..100], &seen)
        .unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let error = read(&path).unwrap_err();
    assert!(matches!(&error, RecordError::Damaged { path: told, .. } if *told == path), "{error}");
    assert!(error.to_string().contains("is damaged: it is cut off\nhint: "), "{error}");
}

#[test]
fn a_number_of_operations_that_the_file_cannot_hold_is_refused() {
    let (history, seen) = contest();
    let mut bytes = encode(&history[..100], &seen).unwrap();
    for count in [101, 1 << 40, u64::MAX] {
        bytes[12..20].copy_from_slice(&count.to_le_bytes());
        assert!(decode(&bytes).is_err(), "{count}");
    }
}

#[test]
fn a_small_file_that_claims_millions_of_operations_is_refused_before_they_are_made() {
    // Eleven zeros are an operation. They compress to next to nothing; what follows the frame is skipped by readers.
    let (operations, size) = (5_000_000_u64, 64 << 10);
    let mut bytes = b"galoHIST\x02\0\0\0".to_vec();
    bytes.extend(operations.to_le_bytes());
    bytes.extend(zstd::encode_all(vec![0; operations as usize * 11].as_slice(), 3).unwrap());
    bytes.extend(0x184D_2A50_u32.to_le_bytes());
    bytes.extend((size - bytes.len() as u32).to_le_bytes());
    bytes.resize(size as usize, 0);
    let error = decode(&bytes).unwrap_err().to_string();
    assert_eq!(error, "it tells of 5000000 operations, more than it can hold");
}

#[test]
fn a_long_history_of_equal_operations_comes_back() {
    let equal = Operation { kept: 0, seen: 0, ..contest().0[0] };
    let history = vec![equal; 500_000];
    let bytes = encode(&history, &[]).unwrap();
    assert!(decode(&bytes).unwrap() == (history, Vec::new()));
}

#[test]
fn what_follows_the_history_is_damage() {
    let (history, seen) = contest();
    let mut bytes = encode(&history[..100], &seen).unwrap();
    bytes.push(0);
    assert!(decode(&bytes).is_err());
}

proptest! {
    #[test]
    fn what_is_written_is_read_back_equal(history in history()) {
        prop_assert_eq!(decode(&encode(&history.0, &history.1).unwrap()).unwrap(), history);
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error(
        history in history(),
        at in any::<proptest::sample::Index>(),
    ) {
        let whole = encode(&history.0, &history.1).unwrap();
        prop_assert!(decode(&whole[..at.index(whole.len())]).is_err());
    }

    #[test]
    fn a_changed_byte_is_an_error_or_changes_nothing(
        history in history(),
        at in any::<proptest::sample::Index>(),
        change in 1..=255_u8,
    ) {
        let mut bytes = encode(&history.0, &history.1).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        // zstd has bits that mean nothing; its checksum covers all that do.
        if let Ok(read) = decode(&bytes) {
            prop_assert_eq!(read, history);
        }
    }

    #[test]
    fn arbitrary_bytes_are_refused(bytes in any::<Vec<u8>>()) {
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn a_frame_of_any_content_is_read_or_refused(count in any::<u8>(), body in any::<Vec<u8>>()) {
        let bytes = crate::codec::encode(b"galoHIST", 2, u64::from(count), |out| out.write_all(&body)).unwrap();
        if let Ok((history, _)) = decode(&bytes) {
            prop_assert_eq!(history.len(), usize::from(count));
        }
    }
}

#[test]
fn an_operation_takes_112_bytes_in_memory() {
    // Told in ARCHITECTURE.md and galo-load: an official round keeps some 115,000 of them.
    assert_eq!(size_of::<Operation>(), 112);
}
