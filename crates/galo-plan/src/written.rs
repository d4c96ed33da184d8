//! Values that files may write in more than one way.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// An amount as text, written as text or as a number: `"0.45"` or `0.45`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Amount(pub(crate) String);

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AmountVisitor;

        impl Visitor<'_> for AmountVisitor {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or text that holds one")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Amount, E> {
                Ok(Amount(text.to_owned()))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Amount, E> {
                Ok(Amount(number.to_string()))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Amount, E> {
                Ok(Amount(number.to_string()))
            }
            // Rust writes the shortest decimal that reads back as the same number: what was in the file.
            fn visit_f64<E: Error>(self, number: f64) -> Result<Amount, E> {
                Ok(Amount(number.to_string()))
            }
        }

        deserializer.deserialize_any(AmountVisitor)
    }
}
