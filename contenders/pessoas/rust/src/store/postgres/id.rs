//! Identities that say who wrote, and in what order.

use uuid::Uuid;

/// Bits of an identity that are the same in all: version 8 (whatever its maker likes, RFC 9562 section 5.8), the
/// twelve bits after it, which stay 0, and the variant.
const FIXED: u128 = 0x8000 << 64 | 0b10 << 62;
const FIXED_MASK: u128 = 0xFFFF << 64 | 0b11 << 62;

/// Bits of the sequence.
const SEQUENCE_MASK: u64 = (1 << 62) - 1;

/// The n-th creation of a writer. As a UUID its bytes sort by writer, then by sequence, so the primary key's index
/// answers "what is new of this writer".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Id {
    /// Number of a writing session, from 1 on, below 2^48.
    pub(super) writer: u64,
    /// From 1 on, in order of commit; numbers of refused creations are missing.
    pub(super) sequence: u64,
}

impl Id {
    /// `None` for an identity that no writer of ours gives.
    pub(super) fn from_uuid(uuid: Uuid) -> Option<Self> {
        let bits = uuid.as_u128();
        // What is cut off are the bits of the other part.
        #[allow(clippy::cast_possible_truncation, reason = "the rest belongs to other parts")]
        let id = Self { writer: (bits >> 80) as u64, sequence: bits as u64 & SEQUENCE_MASK };
        (bits & FIXED_MASK == FIXED && id.writer > 0 && id.sequence > 0).then_some(id)
    }

    /// The identity as people see it.
    pub(super) fn uuid(self) -> Uuid {
        Uuid::from_u128(u128::from(self.writer) << 80 | FIXED | u128::from(self.sequence & SEQUENCE_MASK))
    }
}

#[cfg(test)]
mod tests {
    use super::Id;
    use uuid::{Uuid, Variant};

    #[test]
    fn identities_sort_by_writer_then_by_sequence_and_come_back() {
        let numbers = [1, 2, 255, 256, 65_535, 65_536, (1 << 48) - 1];
        let ids: Vec<Id> = numbers
            .iter()
            .flat_map(|&writer| numbers.map(|sequence| Id { writer, sequence: sequence << 13 }))
            .collect();
        let uuids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        assert!(uuids.is_sorted());
        for (id, uuid) in ids.iter().zip(&uuids) {
            assert_eq!(Id::from_uuid(*uuid), Some(*id));
            assert_eq!((uuid.get_version_num(), uuid.get_variant()), (8, Variant::RFC4122));
        }
    }

    #[test]
    fn an_identity_that_somebody_else_made_is_none_of_ours() {
        for text in [
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
            "67e55044-10b1-426f-9247-bb680e5fe0c8",
            "00000000-0001-8001-8000-000000000001",
            "00000000-0001-8000-8000-000000000000",
            "00000000-0000-8000-8000-000000000001",
            "00000000-0001-8000-c000-000000000001",
        ] {
            assert_eq!(Id::from_uuid(Uuid::parse_str(text).unwrap()), None, "{text}");
        }
    }
}
