//! Values that templates insert and no file holds: `{seq}`, `{uuid}`, `{random:1:100}`.

use std::io::Write as _;

use serde::{Deserialize, Serialize};

use crate::draw::{below, draw};
use crate::template::TemplateError;

/// First word of what is drawn here, so that numbers share no draw with anything else.
const NUMBER: u64 = u64::from_be_bytes(*b"number\0\0");

/// One such value. It is the same all over one user's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Generated {
    /// The user's number, from 0.
    Sequence,
    /// A whole number, both ends included.
    Random {
        /// The least.
        least: i64,
        /// The greatest, not below it.
        most: i64,
    },
    /// A random UUID (RFC 9562, version 4).
    Uuid,
}

impl Generated {
    /// Names of this kind, for those who wrote another one.
    pub(crate) const NAMES: [&'static str; 3] = ["seq", "uuid", "random:1:100"];

    /// What a name between braces stands for; `None`: nothing of this kind.
    ///
    /// # Errors
    /// A `random:` without two whole numbers in order.
    pub(crate) fn named(name: &str) -> Option<Result<Self, TemplateError>> {
        match name {
            "seq" => Some(Ok(Self::Sequence)),
            "uuid" => Some(Ok(Self::Uuid)),
            _ => name
                .strip_prefix("random:")
                .map(|range| random(range).ok_or_else(|| TemplateError::Range(name.to_owned()))),
        }
    }

    /// Appends it for one user. `place` tells apart what one user is given.
    pub(crate) fn write(self, seed: u64, user: u64, place: usize, out: &mut Vec<u8>) {
        let drawn = |word: u64| draw(seed, &[NUMBER, user, place as u64, word]);
        // Writing to a vector cannot fail.
        let _ = match self {
            Self::Sequence => write!(out, "{user}"),
            Self::Random { least, most } => {
                let choices = i128::from(most) - i128::from(least) + 1;
                let over = below(drawn(0), u128::try_from(choices).unwrap_or(1));
                write!(out, "{}", i128::from(least) + i128::from(over))
            }
            Self::Uuid => {
                let (high, low) = (drawn(0), drawn(1));
                // Version 4 and variant 0b10 have their fixed bits (RFC 9562, section 5.4).
                let (version, variant) = (0x4000 | high & 0xfff, 0x8000 | low >> 48 & 0x3fff);
                let (first, second, last) = (high >> 32, high >> 16 & 0xffff, low & 0xffff_ffff_ffff);
                write!(out, "{first:08x}-{second:04x}-{version:04x}-{variant:04x}-{last:012x}")
            }
        };
    }
}

/// `1:100`: both ends belong to the range.
fn random(range: &str) -> Option<Generated> {
    let (least, most) = range.split_once(':')?;
    let (least, most) = (least.parse::<i64>().ok()?, most.parse::<i64>().ok()?);
    (least <= most).then_some(Generated::Random { least, most })
}
