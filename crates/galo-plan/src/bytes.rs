//! Two texts of bytes that should be one.

/// Bytes that are shown around the first difference.
const SHOWN: usize = 8;

/// In which way the second differs from the first, in one line: its length, and where the first difference is.
pub fn difference(expected: &[u8], came: &[u8]) -> String {
    let lengths = match came.len() == expected.len() {
        true => format!("the body has {} bytes, as it should", came.len()),
        false => format!("the body has {} bytes, not {}", came.len(), expected.len()),
    };
    let first = expected.iter().zip(came).position(|(one, other)| one != other);
    match first {
        Some(at) => {
            let part =
                |bytes: &[u8]| bytes[at..].iter().take(SHOWN).map(|b| format!("{b:02x}")).collect::<String>();
            format!("{lengths}, and differs from byte {at} on: {} instead of {}", part(came), part(expected))
        }
        None => lengths,
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn length_and_place_are_told() {
        assert_eq!(difference(b"abc", b"abcd"), "the body has 4 bytes, not 3");
        assert_eq!(difference(b"abc", b""), "the body has 0 bytes, not 3");
        assert_eq!(
            difference(b"0123456789", b"0123\n56789"),
            "the body has 10 bytes, as it should, and differs from byte 4 on: 0a3536373839 instead of 343536373839"
        );
        assert_eq!(
            difference(b"abc", b"axcd"),
            "the body has 4 bytes, not 3, and differs from byte 1 on: 786364 instead of 6263"
        );
    }
}
