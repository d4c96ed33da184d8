//! The cases of conformance: every row of the contest's rules, and the edges of JSON and HTTP around them.
//!
//! Only what the contest itself says is held to a `must` rule. Of what it leaves open nothing is demanded but an end:
//! an answer, no 5xx where a sane server has none, and a server that lives on; the rest is `should`.

mod accepted;
mod build;
mod drawn;
mod http;
mod identities;
mod instances;
mod json;
mod odd;
mod refused;
mod search;
mod terms;

use galo_plan::conformance::Case;

use crate::draw::Key;

/// All cases. Of the seed only the drawn ones depend, which come last.
pub(crate) fn all(key: Key) -> Vec<Case> {
    [
        accepted::cases(),
        refused::cases(),
        json::cases(),
        odd::cases(),
        search::cases(),
        terms::cases(),
        identities::cases(),
        instances::cases(),
        http::cases(),
        drawn::cases(key),
    ]
    .concat()
}

#[cfg(test)]
mod tests;
