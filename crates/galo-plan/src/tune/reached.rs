//! The knobs that a search turns, and where each goes: those that its file declares and those that are asked for.

use super::Share;
use crate::contender::Contender;
use crate::error::PlanError;
use crate::knob::{Key, Knob, Place, Reach};

/// A knob, and where it goes.
pub(super) struct Reached {
    pub(super) knob: Knob,
    /// Whether it is asked for; else the file declares it.
    pub(super) is_asked: bool,
    pub(super) reach: Reach,
    /// Its places; where they are of one share of CPU, that share.
    turned: Vec<String>,
}

impl Reached {
    /// The declared knobs, then the asked ones. An asked knob replaces every declared one that turns the same.
    ///
    /// # Errors
    /// A knob that goes nowhere, or two that turn the same, with what to do.
    pub(super) fn all(
        contender: &Contender,
        shares: &[Share],
        asked: &[Knob],
    ) -> Result<Vec<Self>, PlanError> {
        let (file, runner) = (&contender.file, Some(contender.runner));
        let reached = |knob: Knob, is_asked: bool| {
            let reach = Contender::reach_of(file, runner, &knob.name)?;
            let turned = reach.places.iter().map(|place| turned(place, shares)).collect();
            Ok(Self { knob, is_asked, reach, turned })
        };
        let asked = asked.iter().map(|knob| reached(knob.clone(), true));
        let asked = asked.collect::<Result<Vec<Self>, PlanError>>()?;
        let mut all = Vec::new();
        for knob in Contender::knobs_of(file, runner)? {
            let declared = reached(knob, false)?;
            // Without shares it turns nothing.
            if shares.is_empty() && declared.is_of_cpus() {
                continue;
            }
            if !asked.iter().any(|asked| asked.shared_with(&declared).is_some()) {
                all.push(declared);
            }
        }
        all.extend(asked);
        for (at, knob) in all.iter().enumerate() {
            all[..at].iter().try_for_each(|before| before.require_apart_from(knob))?;
        }
        Ok(all)
    }

    /// Services whose CPU it turns.
    pub(super) fn services_of_cpus(&self) -> Vec<String> {
        let places = self.reach.places.iter().filter_map(|place| Place::parse(place).ok());
        places.filter(|place| place.key == Key::Cpus).map(|place| place.service).collect()
    }

    /// Whether all that it turns is CPU.
    pub(super) fn is_of_cpus(&self) -> bool {
        self.services_of_cpus().len() == self.reach.places.len()
    }

    /// Whether all that it turns is memory.
    pub(super) fn is_of_memory(&self) -> bool {
        let is_memory = |place: &String| Place::parse(place).is_ok_and(|place| place.key == Key::Memory);
        self.reach.places.iter().all(is_memory)
    }

    /// What both turn.
    fn shared_with(&self, other: &Self) -> Option<&String> {
        self.turned.iter().find(|turned| other.turned.contains(turned))
    }

    fn require_apart_from(&self, later: &Self) -> Result<(), PlanError> {
        let Some(place) = self.shared_with(later) else { return Ok(()) };
        let [first, second] = [self, later].map(|one| &one.knob.name);
        Err(PlanError::Invalid(if first == second {
            format!("knob `{first}` is named twice\nhint: write its range in one place")
        } else {
            let hint = match later.is_asked {
                true => "leave one of them out".to_owned(),
                false => format!("name the one to turn, --knob {first}=LOW..HIGH"),
            };
            format!("knobs `{first}` and `{second}` both turn `{place}`\nhint: {hint}")
        }))
    }
}

/// What is turned at a place.
fn turned(place: &str, shares: &[Share]) -> String {
    let of_cpus = Place::parse(place).ok().filter(|place| place.key == Key::Cpus);
    let share = of_cpus.and_then(|place| shares.iter().find(|share| share.services.contains(&place.service)));
    share.map_or_else(|| place.to_owned(), Share::name)
}
