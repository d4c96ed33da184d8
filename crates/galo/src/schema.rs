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
    use galo_judge::schema::of;
    match what {
        SchemaArg::Run => of::<galo_judge::judged::Judged>(),
        SchemaArg::Compare => of::<galo_judge::comparison::JudgedComparison>(),
        SchemaArg::Trend => of::<galo_judge::trend::JudgedTrend>(),
        SchemaArg::Policy => of::<crate::policy::PolicyReport>(),
    }
}
