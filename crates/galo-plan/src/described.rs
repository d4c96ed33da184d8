//! Rows and answers of a challenge that is data alone: what its file says of them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::bytes;
use crate::capture;
use crate::checks::{self, Check};
use crate::conformance::Content;
use crate::digest::hex;
use crate::draw::{Pick, below, draw};
use crate::generated::Generated;
use crate::json::{Texts, same, shown_value};
use crate::model::{
    Answer, Ceiling, ChallengeData, ChallengeModel, CheckSpec, Examination, FeederSpec, Question, Row, Seen,
};
use crate::rules::Rule;
use crate::seed::Seed;
use crate::table::Table;
use crate::template::{Encoding, Template};

/// The model of a challenge that is data alone: no rows, no checks, and the rules of what its file says of answers. Steps are
/// judged by their statuses, and by [`Described`].
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModel;

impl NoModel {
    /// Its name, which a file leaves out.
    pub const NAME: &'static str = "none";
    /// Index into its rules of the one that cases are held to.
    pub const ANSWERS_AS_DESCRIBED: usize = checks::AS_DESCRIBED;
}

impl ChallengeModel for NoModel {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn feeders(&self) -> &'static [FeederSpec] {
        &[]
    }

    fn checks(&self) -> &'static [CheckSpec] {
        &[]
    }

    fn rules(&self) -> &'static [Rule] {
        checks::RULES
    }

    fn prepare(&self, _seed: Seed, _rows: &[u64]) -> Box<dyn ChallengeData> {
        Box::new(Described::default())
    }
}

/// What a file or options say beside the requests themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Data {
    /// Rows; [`crate::Scenario::feeder`] indexes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeders: Vec<Feeder>,
    /// What answers must be; [`crate::Step::check`] indexes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<AnswerIs>,
    /// Values that no file holds: fields beyond a feeder's columns. The number tells draws apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub generated: Vec<(usize, Generated)>,
}

/// Rows that a file has. User `n` of a scenario takes row `n mod rows`, or one drawn by seed and `n`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feeder {
    /// By which scenarios name it.
    pub name: String,
    /// The rows, at least one, with names of columns that templates may insert.
    #[serde(flatten)]
    pub table: Table,
    /// Which row a user takes.
    pub pick: Pick,
    /// Word that tells the draws of its rows apart from others.
    pub word: u64,
}

/// What an answer must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerIs {
    /// These bytes.
    Bytes(Content),
    /// JSON that means the same: keys in any order, `3` and `3.0` alike, and times by the moment that they name.
    Json {
        /// Index of the feeder whose row fills it; `None`: it has no places.
        feeder: Option<usize>,
        /// With places for the row's cells: escaped between quotes, elsewhere as they stand.
        template: Template,
    },
    /// One that passes these checks.
    Holds(Vec<Check>),
    /// One that gives these values, which later steps send.
    Gives(Vec<capture::Part>),
    /// All of these.
    All(Vec<AnswerIs>),
}

/// Says which rule an answer breaks, and how. The number is the row that fills what is wanted.
type Examiner = Box<dyn Fn(&Answer<'_>, usize) -> Option<(usize, String)> + Send + Sync>;

impl AnswerIs {
    /// The first row with which it is no JSON, from 1 on, and what is wrong with it.
    pub(crate) fn first_wrong(&self, feeders: &[Feeder]) -> Option<(u64, serde_json::Error)> {
        let Self::Json { feeder, template } = self else { return None };
        values(template, feeders, *feeder).zip(1..).find_map(|(value, row)| Some((row, value.err()?)))
    }

    fn examiner(&self, feeders: &[Feeder]) -> Examiner {
        match self.clone() {
            Self::Bytes(content) => {
                let expected = content.bytes();
                Box::new(move |answer, _| {
                    let differs = expected != answer.body;
                    differs.then(|| (checks::AS_DESCRIBED, bytes::difference(&expected, answer.body)))
                })
            }
            Self::Json { feeder, template } => {
                // What is no JSON once its places are filled is wanted of no answer.
                let by_row: Vec<Option<Value>> = values(&template, feeders, feeder).map(Result::ok).collect();
                Box::new(move |answer, row| {
                    let expected = by_row.get(row % by_row.len().max(1)).and_then(Option::as_ref)?;
                    Some((checks::AS_DESCRIBED, differs(expected, answer.body)?))
                })
            }
            Self::Holds(checks) => Box::new(move |answer, _| checks::first_broken(&checks, answer)),
            Self::Gives(parts) => {
                Box::new(move |answer, _| Some((checks::NOTHING_TO_KEEP, capture::missing(&parts, answer)?)))
            }
            Self::All(all) => {
                let all: Vec<Examiner> = all.iter().map(|answer| answer.examiner(feeders)).collect();
                Box::new(move |answer, row| all.iter().find_map(|examine| examine(answer, row)))
            }
        }
    }
}

/// The data of such a challenge.
#[derive(Default)]
pub struct Described {
    data: Data,
    /// By the number of the answer.
    examiners: Vec<Examiner>,
    /// Seed of all that is drawn.
    seed: u64,
}

impl Described {
    /// The data, drawn by this seed.
    pub fn new(data: Data, seed: u64) -> Self {
        let examiners = data.answers.iter().map(|answer| answer.examiner(&data.feeders)).collect();
        Self { data, examiners, seed }
    }

    /// The row of a feeder that a user takes.
    fn row(&self, feeder: usize, user: u64) -> u64 {
        let Some(of) = self.data.feeders.get(feeder) else { return 0 };
        match of.pick {
            Pick::InTurn => user.checked_rem(of.table.rows()).unwrap_or(0),
            Pick::Random => below(draw(self.seed, &[of.word, user]), u128::from(of.table.rows())),
        }
    }
}

/// SHA-256 in hex over all rows of feeders.
pub(crate) fn data_sha256(feeders: &[Feeder]) -> String {
    let (fields, rows): (Vec<usize>, Vec<u64>) =
        feeders.iter().map(|feeder| (feeder.table.width(), feeder.table.rows())).unzip();
    let write = |feeder: usize, row, field, out: &mut Vec<u8>| {
        out.extend_from_slice(feeders[feeder].table.cell(row, field));
    };
    crate::model::data_sha256(write, &fields, &rows)
}

/// What a template comes to with each row of a feeder, or once.
fn values(
    template: &Template,
    feeders: &[Feeder],
    feeder: Option<usize>,
) -> impl Iterator<Item = serde_json::Result<Value>> {
    let table = feeder.and_then(|feeder| feeders.get(feeder)).map(|feeder| &feeder.table);
    (0..table.map_or(1, Table::rows)).map(move |row| {
        let mut text = Vec::new();
        let cell = |field| table.map_or(&[][..], |table| table.cell(row, field));
        template.write_with(|field, out| out.extend_from_slice(cell(field)), &[], Encoding::Raw, &mut text);
        serde_json::from_slice(&text)
    })
}

impl ChallengeData for Described {
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        let table = self.data.feeders.get(feeder).map(|feeder| &feeder.table);
        match (field.checked_sub(table.map_or(0, Table::width)), table) {
            (None, Some(table)) => out.extend_from_slice(table.cell(self.row(feeder, row), field)),
            (place, _) => {
                if let Some((number, generated)) = place.and_then(|place| self.data.generated.get(place)) {
                    generated.write(self.seed, row, *number, out);
                }
            }
        }
    }

    fn ceiling(&self) -> Ceiling {
        Ceiling { min: 0, max: 0 }
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, _seen: &mut Vec<Seen>) -> Examination {
        let row = self.row(question.feeder, question.row) as usize;
        let (broken, difference) =
            self.examiners.get(question.check).and_then(|examine| examine(answer, row)).unzip();
        Examination { broken, difference, ..Examination::RIGHT }
    }

    fn file_sha256(&self) -> String {
        // No map in them has keys other than strings, so there is nothing that JSON could not write.
        let said = serde_json::to_string(&(&self.data.answers, &self.data.generated)).unwrap_or_default();
        hex(&Sha256::digest(data_sha256(&self.data.feeders) + &said))
    }

    fn words(&self, row: Row) -> String {
        let table = self.data.feeders.get(row.feeder).map(|feeder| &feeder.table);
        match table.and_then(|table| Some((table, *table.columns().first()?))) {
            Some((table, column)) => {
                let cell = table.cell(self.row(row.feeder, row.number), 0);
                format!("{column} {:?}", String::from_utf8_lossy(cell))
            }
            None => format!("row {}", row.number),
        }
    }
}

/// In which way a body does not mean what it should.
fn differs(expected: &Value, body: &[u8]) -> Option<String> {
    match serde_json::from_slice::<Value>(body) {
        Ok(came) if same(&came, expected, Texts::OrMoments) => None,
        Ok(came) => Some(format!("the body is {}, expected {}", shown_value(&came), shown_value(expected))),
        Err(error) => Some(format!("the body is no JSON ({error}), expected {}", shown_value(expected))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::DataFormat;

    fn posts(pick: Pick) -> Feeder {
        let rows = "{\"id\": 1, \"post\": {\"id\": 1, \"tags\": []}}\n{\"id\": 2, \"post\": {\"id\": 2, \"tags\": [\"a\"]}}";
        let table = Table::parse("posts", rows.as_bytes(), DataFormat::JsonLines).unwrap();
        Feeder { name: "posts".to_owned(), table, pick, word: 0 }
    }

    fn data(pick: Pick) -> Described {
        let template = Template::parse("{post}", &["id", "post"]).unwrap();
        let answers = vec![AnswerIs::Json { feeder: Some(0), template }];
        Described::new(Data { feeders: vec![posts(pick)], answers, generated: Vec::new() }, 7)
    }

    fn examined(data: &Described, user: u64, body: &str) -> Option<String> {
        let question = Question { check: 0, step: 0, feeder: 0, row: user, created: None };
        let body = body.as_bytes();
        let answer = Answer { status: 200, head: b"", location: None, content_type: None, body };
        data.examine(&question, &answer, &mut Vec::new()).difference
    }

    #[test]
    fn an_answer_is_held_to_the_row_that_was_asked_for_by_meaning() {
        let data = data(Pick::InTurn);
        assert_eq!(examined(&data, 0, r#"{"tags":[],"id":1.0}"#), None);
        assert_eq!(examined(&data, 3, r#"{"id":2,"tags":["a"]}"#), None);
        insta::assert_snapshot!(examined(&data, 1, r#"{"id":1,"tags":[]}"#).unwrap(), @r#"the body is {"id":1,"tags":[]}, expected {"id":2,"tags":["a"]}"#);
        insta::assert_snapshot!(examined(&data, 0, "").unwrap(), @r#"the body is no JSON (EOF while parsing a value at line 1 column 0), expected {"id":1,"tags":[]}"#);
    }

    #[test]
    fn a_row_is_drawn_by_the_seed_and_what_is_sent_is_what_is_expected() {
        let data = data(Pick::Random);
        let mut drawn = [0; 2];
        for user in 0..100 {
            let mut id = Vec::new();
            data.write_field(0, user, 0, &mut id);
            let row: usize = String::from_utf8(id).unwrap().parse().unwrap();
            drawn[row - 1] += 1;
            let posts = posts(Pick::Random);
            let body = String::from_utf8_lossy(posts.table.cell(row as u64 - 1, 1));
            assert_eq!(examined(&data, user, &body), None);
        }
        assert!(drawn.iter().all(|times| *times > 30), "{drawn:?}");
    }
}
