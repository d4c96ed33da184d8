//! The data of one plan.

use galo_plan::model::{Answer, Asked, Ceiling, ChallengeData, Examination};

use crate::census::Census;
use crate::examine;
use crate::index::{BODY, CREATE, PEOPLE, PIECE, PROBE_SEARCH, PROBES, READ, SEARCH, TERM, TERMS};
use crate::person::Person;
use crate::probe::Probe;
use crate::term::term;

/// A seed, and what the census of its people told.
pub(crate) struct PessoasData {
    seed: u64,
    census: Census,
}

impl PessoasData {
    /// The data of a plan that sends so many people.
    pub(crate) fn new(seed: u64, people: u64) -> Self {
        Self { seed, census: Census::take(seed, people) }
    }

    /// Who was sent, for a creation or a read, and whether another row may take the same nickname. `None` for a feeder
    /// without people: then there is nobody to compare an answer with.
    fn person(&self, asked: &Asked) -> Option<(Person, bool)> {
        match asked.feeder {
            PEOPLE => Some((Person::of_row(self.seed, asked.row), self.census.is_contested(asked.row))),
            PROBES => Some((Probe::of_row(self.seed, asked.row).person, false)),
            _ => None,
        }
    }
}

impl ChallengeData for PessoasData {
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        match (feeder, field) {
            (PEOPLE, BODY) => Person::of_row(self.seed, row).write_body(out),
            (TERMS, TERM) => out.extend_from_slice(term(self.seed, row).as_bytes()),
            (PROBES, BODY) => Probe::of_row(self.seed, row).person.write_body(out),
            (PROBES, PIECE) => out.extend_from_slice(Probe::of_row(self.seed, row).piece.as_bytes()),
            _ => {}
        }
    }

    fn ceiling(&self) -> Ceiling {
        self.census.ceiling()
    }

    fn examine(&self, asked: &Asked, answer: &Answer<'_>) -> Examination {
        match (asked.check, asked.feeder) {
            (CREATE, _) => match self.person(asked) {
                Some((person, contested)) => examine::create(&person, contested, answer),
                None => examine::create_of_unknown(answer),
            },
            (READ, _) => {
                examine::read(self.person(asked).map(|(person, _)| person).as_ref(), asked.created, answer)
            }
            (SEARCH | PROBE_SEARCH, TERMS) => {
                examine::search(term(self.seed, asked.row).as_bytes(), None, answer)
            }
            (SEARCH, PROBES) => {
                examine::search(Probe::of_row(self.seed, asked.row).piece.as_bytes(), None, answer)
            }
            (PROBE_SEARCH, PROBES) => {
                examine::search(Probe::of_row(self.seed, asked.row).piece.as_bytes(), asked.created, answer)
            }
            // Every text contains the empty one: only the answer's form is examined.
            (SEARCH | PROBE_SEARCH, _) => examine::search(b"", None, answer),
            _ => Examination::RIGHT,
        }
    }
}
