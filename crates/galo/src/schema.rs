//! The JSON schemas of what galo tells. `docs/schema` holds them, so that no build but that of the tests derives them.

use crate::cli::SchemaArg;

/// As it is published.
#[cfg(not(feature = "schema"))]
pub(crate) const fn of(what: SchemaArg) -> &'static str {
    match what {
        SchemaArg::Run => include_str!("../../../docs/schema/run-v1.json"),
        SchemaArg::Compare => include_str!("../../../docs/schema/compare-v1.json"),
        SchemaArg::Trend => include_str!("../../../docs/schema/trend-v1.json"),
        SchemaArg::Policy => include_str!("../../../docs/schema/policy-v1.json"),
    }
}

/// As it is derived.
#[cfg(feature = "schema")]
pub(crate) fn of(what: SchemaArg) -> String {
    use galo_judge::schema::text;
    match what {
        SchemaArg::Run => text::<galo_judge::judged::Judged>(),
        SchemaArg::Compare => text::<galo_judge::comparison::JudgedComparison>(),
        SchemaArg::Trend => text::<galo_judge::trend::JudgedTrend>(),
        SchemaArg::Policy => text::<crate::policy::PolicyReport>(),
    }
}
