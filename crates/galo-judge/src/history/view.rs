//! A round's history as the checkers read it: what was created when, and who was seen where.

use std::ops::Range;

use galo_plan::model::{CheckKind, Effect, Id, Label, Row, Seen};
use galo_plan::{ChallengeData, Plan};
use galo_record::{Operation, OperationResult, RoundData};

use crate::findings::Unjudged;
use crate::step::StepName;

/// Stands for nobody in [`View::shown`].
const NOBODY: u32 = u32::MAX;

/// A history with its rows. Operations are numbered by their place in it, which is the order of their ends.
pub(crate) struct View<'a> {
    pub(super) plan: &'a Plan,
    pub(super) data: &'a dyn ChallengeData,
    pub(super) round: &'a RoundData,
    /// By flat step number; `None` where it asks for no check.
    steps: Vec<Option<StepFacts>>,
    /// All that was meant to be created, by digest.
    pub(super) things: Vec<Made>,
    /// Creations of the things, one thing after the other.
    creations: Vec<u32>,
    /// Numbers of things by key.
    by_key: Vec<u32>,
    /// Things by the identities that acknowledgements gave them, each pair once.
    by_id: Vec<(Id, u32)>,
    /// The identities of these, in order.
    identities: Vec<Identity>,
    /// Beside [`RoundData::seen`]: which thing has the digest, or [`NOBODY`].
    shown: Vec<u32>,
}

/// What a step's operations are.
#[derive(Clone, Copy)]
struct StepFacts {
    kind: CheckKind,
    feeder: Option<usize>,
}

/// What is to be known of all who were given one identity. However many they are, nobody walks them again: a contender
/// that gives one identity to everybody must not make its judge slow.
#[derive(Clone, Copy)]
pub(super) struct Identity {
    id: Id,
    /// The first acknowledgement that gave it.
    pub(super) first: u32,
    /// The thing that it was given to then.
    pub(super) thing: u32,
    /// Whether it was given to somebody who was to be refused.
    pub(super) of_refused: bool,
}

/// A thing that was meant to be created, by one creation or more of equal rows.
pub(crate) struct Made {
    /// Equal for what excludes one another.
    pub(super) key: u64,
    /// All of its fields as one number.
    pub(super) digest: u64,
    /// What must become of it.
    pub(super) label: Label,
    creations: Range<u32>,
    /// When the first of its creations that were sent was due; `u64::MAX`: none was.
    pub(super) begun_ns: u64,
    /// Its first acknowledgement.
    pub(super) acknowledged: Option<u32>,
    /// Whether any of its creations was acknowledged, or of unknown effect.
    pub(super) may_exist: bool,
    /// The first answer that showed it.
    pub(super) first_seen: Option<u32>,
}

impl<'a> View<'a> {
    /// Reads a history that does not contradict itself.
    ///
    /// # Errors
    /// Why nothing can be said of it: the plan or the model does not tell what its operations mean.
    pub(super) fn of(
        plan: &'a Plan,
        data: &'a dyn ChallengeData,
        round: &'a RoundData,
    ) -> Result<Self, Unjudged> {
        let steps = step_facts(plan)?;
        let mut view = Self {
            plan,
            data,
            round,
            steps,
            things: Vec::new(),
            creations: Vec::new(),
            by_key: Vec::new(),
            by_id: Vec::new(),
            identities: Vec::new(),
            shown: Vec::new(),
        };
        view.find_things()?;
        view.by_key = (0..view.things.len() as u32).collect();
        view.by_key.sort_unstable_by_key(|&thing| (view.things[thing as usize].key, thing));
        view.find_identities();
        view.find_sightings();
        Ok(view)
    }

    /// Gathers creations into things.
    fn find_things(&mut self) -> Result<(), Unjudged> {
        let mut made = Vec::new();
        for (at, operation) in self.operations() {
            if self.kind(operation) == Some(CheckKind::Create) {
                let thing = self.row(operation).and_then(|row| self.data.thing(row)).ok_or_else(|| {
                    Unjudged::RowsUnsaid { step: StepName::of(self.plan, usize::from(operation.step)) }
                })?;
                made.push((thing.digest, at, thing.key, thing.label));
            }
        }
        made.sort_unstable_by_key(|&(digest, at, ..)| (digest, at));
        self.creations = made.iter().map(|&(_, at, ..)| at).collect();
        let mut start = 0;
        for equal in made.chunk_by(|a, b| a.0 == b.0) {
            let (digest, _, key, label) = equal[0];
            let creations = start..start + equal.len() as u32;
            start = creations.end;
            let mut thing = Made {
                key,
                digest,
                label,
                creations,
                begun_ns: u64::MAX,
                acknowledged: None,
                may_exist: false,
                first_seen: None,
            };
            for operation in equal.iter().map(|&(_, at, ..)| at) {
                thing.note(operation, self.operation(operation));
            }
            self.things.push(thing);
        }
        Ok(())
    }

    fn find_identities(&mut self) {
        let mut given = Vec::new();
        for (number, thing) in (0..).zip(&self.things) {
            let creations = self.creations_of(thing).map(|at| (at, self.operation(at)));
            let acknowledged = creations.filter(|(_, o)| o.effect == Effect::Yes);
            given.extend(acknowledged.filter_map(|(at, o)| Some((o.id?, at, number))));
        }
        given.sort_unstable();
        let identity = |of_one: &[(Id, u32, u32)]| {
            let (id, first, thing) = of_one[0];
            let is_refused = |number: u32| self.things[number as usize].label == Label::Refuse;
            Identity { id, first, thing, of_refused: of_one.iter().any(|&(.., thing)| is_refused(thing)) }
        };
        self.identities = given.chunk_by(|a, b| a.0 == b.0).map(identity).collect();
        self.by_id = given.into_iter().map(|(id, _, thing)| (id, thing)).collect();
        self.by_id.sort_unstable();
        self.by_id.dedup();
    }

    fn find_sightings(&mut self) {
        let place = |digest| self.things.binary_search_by_key(&digest, |thing| thing.digest);
        self.shown =
            self.round.seen.iter().map(|seen| place(seen.digest).map_or(NOBODY, |at| at as u32)).collect();
        let mut first = vec![None; self.things.len()];
        for sighting in self.sightings() {
            if let Some(thing) = sighting.thing {
                first[thing as usize].get_or_insert(sighting.at);
            }
        }
        for (thing, first) in self.things.iter_mut().zip(first) {
            thing.first_seen = first;
        }
    }

    /// All operations with their numbers.
    pub(super) fn operations(&self) -> impl Iterator<Item = (u32, &'a Operation)> + use<'a> {
        (0..).zip(&self.round.history)
    }

    /// One operation.
    pub(super) fn operation(&self, at: u32) -> &'a Operation {
        &self.round.history[at as usize]
    }

    /// What an operation is; `None`: nothing that is judged here.
    pub(super) fn kind(&self, operation: &Operation) -> Option<CheckKind> {
        Some(self.facts(operation)?.kind)
    }

    /// The row of an operation's user.
    pub(super) fn row(&self, operation: &Operation) -> Option<Row> {
        Some(Row { feeder: self.facts(operation)?.feeder?, number: u64::from(operation.user) })
    }

    fn facts(&self, operation: &Operation) -> Option<StepFacts> {
        *self.steps.get(usize::from(operation.step))?
    }

    /// The creations of a thing, in order.
    pub(super) fn creations_of(&self, thing: &Made) -> impl Iterator<Item = u32> + '_ {
        self.creations[thing.creations.start as usize..thing.creations.end as usize].iter().copied()
    }

    /// A row of which a thing is made.
    pub(super) fn row_of(&self, thing: &Made) -> Option<Row> {
        self.row(self.operation(self.creations_of(thing).next()?))
    }

    /// Things by key, those of one key together.
    pub(super) fn keys(&self) -> impl Iterator<Item = &[u32]> {
        self.by_key.chunk_by(|a, b| self.things[*a as usize].key == self.things[*b as usize].key)
    }

    /// What is known of an identity, if an acknowledgement gave it.
    pub(super) fn identity(&self, id: Id) -> Option<&Identity> {
        let place = self.identities.binary_search_by_key(&id, |identity| identity.id).ok()?;
        self.identities.get(place)
    }

    /// The things that acknowledgements gave an identity, those of one identity together.
    pub(super) fn named(&self) -> impl Iterator<Item = &[(Id, u32)]> {
        self.by_id.chunk_by(|a, b| a.0 == b.0)
    }

    /// Whether an acknowledgement gave a thing this identity.
    pub(super) fn is_named(&self, thing: u32, id: Id) -> bool {
        self.by_id.binary_search(&(id, thing)).is_ok()
    }

    /// All that believable answers showed, in the order of their ends. An answer to a read that the model found
    /// wrong is told already; of a wrong list the elements are as good as any.
    pub(super) fn sightings(&self) -> impl Iterator<Item = Sighting> + '_ {
        let believed = self.operations().filter(|(_, operation)| self.is_believed(operation));
        believed.flat_map(move |(at, operation)| {
            let range = operation.seen as usize..operation.seen as usize + usize::from(operation.kept);
            range.map(move |place| Sighting {
                at,
                seen: self.round.seen[place],
                thing: Some(self.shown[place]).filter(|thing| *thing != NOBODY),
            })
        })
    }

    fn is_believed(&self, operation: &Operation) -> bool {
        match self.kind(operation) {
            Some(CheckKind::Read) => operation.result == OperationResult::Ok,
            Some(CheckKind::Search { .. }) => self.is_listed(operation),
            _ => false,
        }
    }

    /// Whether a search was answered with a list that could be read. A wrong answer that lists nothing may have been
    /// no list at all.
    pub(super) fn is_listed(&self, operation: &Operation) -> bool {
        let readable = match operation.result {
            OperationResult::Ok => true,
            OperationResult::Wrong => operation.kept > 0,
            _ => false,
        };
        readable && (200..300).contains(&operation.status)
    }

    /// Whether an answer showed a thing, by its fields or by its identity.
    pub(super) fn shows(&self, operation: &Operation, thing: u32) -> bool {
        let digest = self.things[thing as usize].digest;
        let shown = operation.seen(&self.round.seen);
        shown.iter().any(|seen| seen.digest == digest)
            || shown.iter().any(|seen| self.is_named(thing, seen.id))
    }
}

/// One thing that an answer showed.
pub(crate) struct Sighting {
    /// The operation that was answered.
    pub(super) at: u32,
    /// As shown.
    pub(super) seen: Seen,
    /// The thing whose fields they are.
    pub(super) thing: Option<u32>,
}

impl Made {
    /// Notes one of its creations. They come in the order of their ends.
    fn note(&mut self, at: u32, operation: &Operation) {
        if operation.sent_ns.is_some() {
            self.begun_ns = self.begun_ns.min(operation.intended_ns);
        }
        if operation.effect == Effect::Yes {
            self.acknowledged.get_or_insert(at);
        }
        self.may_exist |= matches!(operation.effect, Effect::Yes | Effect::Unknown);
    }
}

fn step_facts(plan: &Plan) -> Result<Vec<Option<StepFacts>>, Unjudged> {
    let facts = plan.challenge.steps().enumerate().map(|(number, (scenario, step))| {
        let Some(check) = step.check else { return Ok(None) };
        let unsaid = || Unjudged::CheckUnsaid { step: StepName::of(plan, number) };
        let kind = *plan.checks.get(check).ok_or_else(unsaid)?;
        Ok(Some(StepFacts { kind, feeder: scenario.feeder }))
    });
    facts.collect()
}
