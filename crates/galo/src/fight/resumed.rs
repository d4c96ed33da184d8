//! A fight that was cut off, to be gone on with on its own terms.

use std::path::{Path, PathBuf};

use anyhow::Result;
use galo_drive::Before;
use galo_judge::Judgement;
use galo_plan::{ChallengeModel, Options, Plan};
use galo_record::{Machine, RoundData, Run, RunHeader, RunWriter};

use crate::registry::{self, Definition};
use crate::wrong::WrongUse;

/// Its run, which nobody else drives meanwhile.
pub(super) struct Resumed {
    writer: RunWriter,
    run: Run,
}

impl Resumed {
    /// Opens it.
    ///
    /// # Errors
    /// It is no run, another galo drives it, or another version began it.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let (writer, run) = RunWriter::resume(path)?;
        Ok(Self { writer, run })
    }

    /// The plan, made anew of the files that it was made of: a record has no secrets.
    ///
    /// # Errors
    /// A file has changed since, or is gone.
    pub(super) fn plan(&self) -> Result<(Plan, &'static dyn ChallengeModel)> {
        let old = &self.run.plan;
        let files: Vec<PathBuf> = old.contenders.iter().map(|contender| contender.file.clone()).collect();
        let (Definition { challenge, model }, contenders) = registry::contenders(&files)?;
        let options = Options {
            profile: old.profile.clone(),
            scale_milli: old.scale_milli,
            rounds: (old.order.len() / old.contenders.len().max(1)) as u32,
            seed: old.seed,
            limited: old.limited,
            noise_floor: old.noise_floor.clone(),
        };
        let plan = Plan::new(challenge, model, contenders, &options)?;
        let Plan { detect_percent, ends_early, .. } = *old;
        let plan = Plan { detect_percent, ends_early, ..plan };
        match changed(old, &plan.without_secrets()) {
            None => Ok((plan, model)),
            Some(what) => Err(self.refused(&what)),
        }
    }

    /// What was heard of it, with what the judge says of its rounds.
    ///
    /// # Errors
    /// It began on another machine, or cannot be read.
    pub(super) fn before(
        self,
        machine: &Machine,
        judge: impl Fn(&RoundData) -> Judgement,
    ) -> Result<(RunWriter, RunHeader, Before<Judgement>)> {
        if self.run.header.machine != *machine {
            return Err(self.refused("the machine"));
        }
        let rounds = (0..self.run.len()).map(|round| Ok(judge(&self.run.round(round)?)));
        let facts = rounds.collect::<Result<Vec<_>>>()?;
        let Run { header, acts, .. } = self.run;
        Ok((self.writer, header, Before { acts, facts }))
    }

    fn refused(&self, what: &str) -> anyhow::Error {
        let path = self.run.path.display();
        let hint = "rounds on other terms are no rounds of one fight: begin it anew";
        WrongUse(format!("`{path}` cannot be resumed: since it began, {what} has changed\nhint: {hint}"))
            .into()
    }
}

/// What differs between the plan of a run and the one that its files give now.
fn changed(old: &Plan, new: &Plan) -> Option<String> {
    if old.challenge != new.challenge {
        return Some(format!("challenge `{}`", old.challenge.name));
    }
    let contenders = old.contenders.iter().zip(&new.contenders).find(|(old, new)| old != new);
    if let Some((contender, _)) = contenders {
        return Some(format!("contender `{}` ({})", contender.name, contender.file.display()));
    }
    (old != new).then(|| "what the plan is made of".to_owned())
}
