//! What of a plan is not told before its run is over: the seed, and all that is drawn by it.
//!
//! `plan.json` holds a commitment in its place: a contender that reads it learns nothing, and nobody can choose another seed
//! afterwards.

use std::collections::BTreeMap;
use std::io;

use galo_plan::digest::hex;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Key of the commitment in `plan.json`.
const COMMITMENT: &str = "commitment";
/// Key of a plan's seed.
const SEED: &str = "seed";

/// What a plan commits to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sealed {
    /// 128 random bits in hex. A seed that somebody chose is short, and would be found by trying.
    salt: String,
    /// What was taken out of the plan, by its keys.
    #[serde(flatten)]
    fields: BTreeMap<String, Value>,
}

impl Sealed {
    /// SHA-256 of `galo`, salt and seed with a space between each, in hex.
    pub fn commitment(&self) -> String {
        let seed = self.fields.get(SEED).and_then(Value::as_str).unwrap_or_default();
        hex(&Sha256::digest(format!("galo {} {seed}", self.salt)))
    }

    /// Takes these keys out of a plan and puts a commitment in their place, by a salt from the kernel.
    ///
    /// # Errors
    /// The kernel gave no random bytes.
    pub(crate) fn take_from(plan: &mut Value, keys: &[&str]) -> io::Result<Self> {
        let mut salt = [0; 16];
        // So few bytes are given whole, or not at all.
        getrandom(&mut salt, GetRandomFlags::empty())?;
        let mut sealed = Self { salt: hex(&salt), fields: BTreeMap::new() };
        if let Some(plan) = plan.as_object_mut() {
            let taken = keys.iter().filter_map(|&key| Some((key.to_owned(), plan.remove(key)?)));
            sealed.fields.extend(taken);
            plan.insert(COMMITMENT.to_owned(), sealed.commitment().into());
        }
        Ok(sealed)
    }

    /// Puts them back.
    pub(crate) fn put_into(&self, plan: &mut Value) {
        if let Some(plan) = plan.as_object_mut() {
            plan.remove(COMMITMENT);
            plan.extend(self.fields.clone());
        }
    }
}

/// The commitment in a plan as it is recorded.
pub(crate) fn commitment_in(plan: &Value) -> Option<&str> {
    plan.get(COMMITMENT).and_then(Value::as_str)
}
