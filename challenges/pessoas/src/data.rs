//! The data of one plan.

use galo_plan::model::{
    Answer, Ceiling, ChallengeData, Examination, Label, Question, Row, Seen, Thing, Wanted,
};

use crate::answer::uuid_text;
use crate::census::{Census, Rivals};
use crate::draw::Key;
use crate::examine;
use crate::index::{
    BODY, CREATE, LATE, OTHER_TWINS, PEOPLE, PIECE, PROBES, READ, SEARCH, SOON, TERM, TERMS, TWINS,
};
use crate::matching;
use crate::person::Person;
use crate::probe::{Probe, twin};
use crate::term::term;
use crate::text::{Text, quoted};

/// A seed, and what the census of its people told.
pub(crate) struct PessoasData {
    key: Key,
    census: Census,
}

impl PessoasData {
    /// The data of a plan that sends so many people.
    pub(crate) fn new(key: Key, people: u64) -> Self {
        Self { key, census: Census::take(key, people) }
    }

    /// Which other rows may be why a row is refused.
    fn rivals(&self, row: Row) -> Rivals {
        match row.feeder {
            PEOPLE => self.census.rivals(row.number),
            feeder => Rivals { same: matches!(feeder, TWINS | OTHER_TWINS), by_case: false },
        }
    }

    /// The person whom a row stands for.
    fn created(&self, row: Row) -> Option<Person> {
        match row.feeder {
            PEOPLE => Some(Person::of_row(self.key, row.number)),
            PROBES | SOON | LATE => Some(Probe::of_row(self.key, row.feeder, row.number).person),
            TWINS | OTHER_TWINS => Some(twin(self.key, row.feeder, row.number)),
            _ => None,
        }
    }
}

impl PessoasData {
    /// What a row's search asks for; empty where it is no row of a search.
    fn needle(&self, row: Row) -> Text<50> {
        match row.feeder {
            TERMS => term(self.key, row.number),
            PROBES | SOON | LATE => Probe::of_row(self.key, row.feeder, row.number).piece,
            _ => Text::of_parts(&[]),
        }
    }
}

impl ChallengeData for PessoasData {
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        match (feeder, field) {
            (TERMS, TERM) => out.extend_from_slice(term(self.key, row).as_bytes()),
            (_, BODY) => {
                self.created(Row { feeder, number: row })
                    .into_iter()
                    .for_each(|person| person.write_body(out));
            }
            (PROBES | SOON | LATE, PIECE) => {
                out.extend_from_slice(Probe::of_row(self.key, feeder, row).piece.as_bytes());
            }
            _ => {}
        }
    }

    fn ceiling(&self) -> Ceiling {
        self.census.ceiling()
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
        let row = Row { feeder: question.feeder, number: question.row };
        match question.check {
            CREATE => match self.created(row) {
                Some(person) => examine::create(&person, self.rivals(row), answer),
                None => examine::create_of_unknown(answer),
            },
            READ => examine::read(self.created(row).as_ref(), question.created, answer, seen),
            // Every text contains the empty one: of a search without a term only the answer's form is examined.
            SEARCH => examine::search(self.needle(row).as_bytes(), answer, seen),
            _ => Examination::RIGHT,
        }
    }

    fn thing(&self, row: Row) -> Option<Thing> {
        let person = self.created(row)?;
        let label = match person.label() {
            // Who takes it for a nickname that is taken may refuse it.
            Label::Accept if self.rivals(row).by_case => Label::Free,
            label => label,
        };
        Some(Thing { key: person.key(), digest: person.digest(), label })
    }

    fn listed(&self, queries: &[Row], things: &[Row], most: usize) -> Option<Vec<Vec<u32>>> {
        let needles: Vec<Text<50>> = queries.iter().map(|query| self.needle(*query)).collect();
        Some(matching::listed(&needles, things.iter().map(|row| self.created(*row)), most))
    }

    fn lookup(&self, wanted: Wanted) -> Option<(&'static str, String)> {
        Some(match wanted {
            Wanted::Id(id) => ("/pessoas/", uuid_text(id)),
            Wanted::KeyOf(row) => ("/pessoas?t=", self.created(row)?.apelido.as_str().to_owned()),
            Wanted::Account(_) => return None,
        })
    }

    fn words(&self, row: Row) -> String {
        match row.feeder {
            TERMS => format!("t={}", quoted(self.needle(row).as_str())),
            PROBES | SOON | LATE => {
                let Probe { person, piece } = Probe::of_row(self.key, row.feeder, row.number);
                format!("apelido {}, t={}", quoted(person.apelido.as_str()), quoted(piece.as_str()))
            }
            _ => match self.created(row) {
                Some(person) => format!("apelido {}", quoted(person.apelido.as_str())),
                None => format!("row {}", row.number),
            },
        }
    }
}
