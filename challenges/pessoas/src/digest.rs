//! A person's fields by meaning as one number, so that whoever is listed is known again without storing texts.
//!
//! FNV-1a (Fowler, Noll, Vo; RFC 9923) over fields with a byte between them that no UTF-8 text has, then the output
//! function of SplitMix64. The number stands in histories: it must never change.

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;
const BETWEEN: u8 = 0xff;

/// The output function of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Digest of a nickname alone: what is unique.
pub(crate) fn key(apelido: &[u8]) -> u64 {
    mix(field(OFFSET, apelido))
}

/// Digest of a whole person. No stack is the same as an empty one, and 29 February of a common year (which is
/// free) the same as the days beside it ([`crate::person::date_by_meaning`]).
pub(crate) fn person<'s>(
    apelido: &[u8],
    nome: &[u8],
    nascimento: &[u8],
    stack: impl Iterator<Item = &'s str>,
) -> u64 {
    let fields = [apelido, nome, nascimento].into_iter().fold(OFFSET, field);
    mix(stack.fold(fields, |digest, skill| field(digest, skill.as_bytes())))
}

fn field(digest: u64, text: &[u8]) -> u64 {
    let step = |digest: u64, byte: &u8| (digest ^ u64::from(*byte)).wrapping_mul(PRIME);
    step(text.iter().fold(digest, step), &BETWEEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_moves_from_one_field_into_the_next_changes_the_digest() {
        let digest = |a: &str, n: &str, s: &[&str]| {
            person(a.as_bytes(), n.as_bytes(), b"2000-01-01", s.iter().copied())
        };
        let all = [
            digest("ab", "c", &[]),
            digest("a", "bc", &[]),
            digest("ab", "c", &["d", "e"]),
            digest("ab", "c", &["de"]),
            digest("ab", "c", &["e", "d"]),
            digest("ab", "c", &["d", "e", ""]),
        ];
        for (place, one) in all.iter().enumerate() {
            assert_eq!(all.iter().position(|other| other == one), Some(place));
        }
    }

    #[test]
    fn digests_stay_what_they_are() {
        assert_eq!(key(b"joana"), 0x920d_9904_eb97_e2ef);
        assert_eq!(person(b"joana", b"Joana", b"2000-01-01", ["Go"].into_iter()), 0x8292_aea2_38cf_90ef);
    }
}
