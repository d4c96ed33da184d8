//! A model for this crate's tests: the names of `pessoas`, and rows that are short texts.

use crate::model::{
    Answer, Ceiling, ChallengeData, ChallengeModel, CheckKind, CheckSpec, Examination, FeederSpec, Question,
    Seen,
};
use crate::rules::Rule;
use crate::seed::Seed;

pub(crate) struct FakeModel;

struct FakeData {
    seed: Seed,
    rows: Vec<u64>,
}

impl ChallengeModel for FakeModel {
    fn name(&self) -> &'static str {
        "pessoas"
    }
    fn feeders(&self) -> &'static [FeederSpec] {
        &[
            FeederSpec { name: "people", fields: &["body"] },
            FeederSpec { name: "terms", fields: &["term"] },
            FeederSpec { name: "probes", fields: &["body", "piece"] },
            FeederSpec { name: "soon", fields: &["body", "piece"] },
            FeederSpec { name: "late", fields: &["body", "piece"] },
            FeederSpec { name: "twins", fields: &["body"] },
            FeederSpec { name: "other twins", fields: &["body"] },
        ]
    }
    fn checks(&self) -> &'static [CheckSpec] {
        &[
            CheckSpec { name: "create", kind: CheckKind::Create },
            CheckSpec { name: "read", kind: CheckKind::Read },
            CheckSpec { name: "search", kind: CheckKind::Search { full_at: 50 } },
        ]
    }
    fn rules(&self) -> &'static [Rule] {
        const RULES: &[Rule] = &[Rule::must("read-differs", "a read returns what was created")];
        RULES
    }
    fn prepare(&self, seed: Seed, rows: &[u64]) -> Box<dyn ChallengeData> {
        Box::new(FakeData { seed, rows: rows.to_vec() })
    }
}

impl ChallengeData for FakeData {
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{}-{feeder}-{row}-{field}", self.seed).as_bytes());
    }
    fn ceiling(&self) -> Ceiling {
        Ceiling { min: self.rows[0] / 2, max: self.rows[0] }
    }
    fn examine(&self, _: &Question, _: &Answer<'_>, _: &mut Vec<Seen>) -> Examination {
        Examination::RIGHT
    }
}
