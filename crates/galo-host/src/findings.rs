//! What is found about running contenders.

use galo_plan::Blame;
use galo_record::Finding;
use galo_record::finding::Weight;

/// Names of all findings about running contenders.
pub const FINDINGS: [&str; 8] = [
    "limits-lost",
    "log-flood",
    "service-died",
    "service-hard-to-kill",
    "service-late-to-stop",
    "service-left-its-group",
    "service-out-of-memory",
    "service-out-of-processes",
];

pub(crate) fn finding(
    name: &str,
    weight: Weight,
    blame: Blame,
    text: String,
    evidence: Vec<String>,
    hint: Option<String>,
) -> Finding {
    debug_assert!(FINDINGS.contains(&name), "list `{name}` in `FINDINGS`");
    Finding { name: name.to_owned(), weight, blame, text, evidence, hint, explains_milli: None }
}
