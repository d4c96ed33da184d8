//! A run that was cut off, to be gone on with on its own terms: a fight, a check, or a search for the highest scale.

use std::path::{Path, PathBuf};

use anyhow::Result;
use galo_drive::{Before, DriveError};
use galo_plan::{ChallengeModel, Contender, NoModel, Options, Plan};
use galo_record::act::{Unit, units};
use galo_record::{Machine, RoundData, Run, RunWriter, Seeds};

use crate::registry::{self, Asked, Definition};
use crate::wrong::WrongUse;

/// Such a run, which nobody else drives meanwhile.
pub(crate) struct Resumed {
    writer: RunWriter,
    run: Run,
}

impl Resumed {
    /// Opens one that `galo <command>` began.
    ///
    /// # Errors
    /// It is no run, or none of that command; another galo drives it, or another version began it.
    pub(crate) fn open(path: &Path, command: &str) -> Result<Self> {
        let (writer, run) = RunWriter::resume(path, &Seeds::of_user())?;
        let (began, told) = (run.plan.kind.command(), path.display());
        if began != command {
            let text = format!("`{told}` was begun by `galo {began}`\nhint: galo {began} --resume {told}");
            return Err(WrongUse(text).into());
        }
        Ok(Self { writer, run })
    }

    /// The plan, made anew of the files that it was made of: a record has no secrets.
    ///
    /// # Errors
    /// A file has changed since, or is gone.
    pub(crate) fn plan(&self) -> Result<(Plan, &'static dyn ChallengeModel)> {
        let old = &self.run.plan;
        if let Some([why, hint]) = not_resumable(old)? {
            let path = self.run.path.display();
            return Err(WrongUse(format!("`{path}` cannot be resumed: {why}\nhint: {hint}")).into());
        }
        let files: Vec<PathBuf> = old.contenders.iter().map(|contender| contender.file.clone()).collect();
        let asked = Asked::recorded(&old.contenders, &old.challenge);
        let (Definition { challenge, model }, contenders) = registry::contenders(&files, &asked)?;
        let options = Options {
            profile: old.profile.clone(),
            scale_milli: old.scale_milli,
            rounds: (old.order.len() / old.contenders.len().max(1)) as u32,
            seed: old.seed,
            limited: old.limited,
            noise_floor: old.noise_floor.clone(),
        };
        let plan = Plan::new(challenge, model, contenders, &options)?;
        let plan = Plan { detect_percent: old.detect_percent, kind: old.kind.clone(), ..plan };
        match changed(old, &plan.without_secrets()) {
            None => Ok((plan, model)),
            Some(what) => Err(self.refused(&what)),
        }
    }

    /// What was heard of it, with what the judge says of its units.
    ///
    /// # Errors
    /// It began on another machine, or cannot be read.
    pub(crate) fn before<F>(
        self,
        machine: &Machine,
        judge: impl Fn(Unit<'_>, &RoundData) -> Result<F, DriveError>,
    ) -> Result<(RunWriter, Before<F>)> {
        if self.run.header.machine != *machine {
            return Err(self.refused("the machine"));
        }
        let facts = judged(&self.run, judge)?;
        let acts = self.run.acts;
        Ok((self.writer, Before { acts, facts }))
    }

    fn refused(&self, what: &str) -> anyhow::Error {
        let path = self.run.path.display();
        let hint = "what is measured on other terms does not belong to one run: begin it anew";
        WrongUse(format!("`{path}` cannot be resumed: since it began, {what} has changed\nhint: {hint}"))
            .into()
    }
}

/// Why a run of these contenders cannot be gone on with, and what to do instead; `None`: it can. A challenge that stood in a file is
/// read again where a Compose file names it; which file the command line named is recorded nowhere.
///
/// # Errors
/// A Compose file cannot be read.
pub(crate) fn not_resumable(plan: &Plan) -> Result<Option<[String; 2]>> {
    if plan.contenders.iter().any(Contender::runs_already) {
        let why = "what it created in a server that galo did not start is still there";
        return Ok(Some([why.to_owned(), "begin it anew".to_owned()]));
    }
    if plan.challenge.model != NoModel::NAME {
        return Ok(None);
    }
    for Contender { file, .. } in &plan.contenders {
        if Contender::challenge_of(file)?.0.is_none() {
            let file = file.display();
            let why = format!(
                "`{file}` names no challenge, and of --challenge FILE nothing is kept but what it said"
            );
            let hint =
                "begin it anew; with `x-galo: { challenge: FILE }` in the Compose file it could be resumed";
            return Ok(Some([why, hint.to_owned()]));
        }
    }
    Ok(None)
}

/// What the judge says of each unit of a run that was closed.
///
/// # Errors
/// It cannot be read.
pub(crate) fn judged<F>(
    run: &Run,
    judge: impl Fn(Unit<'_>, &RoundData) -> Result<F, DriveError>,
) -> Result<Vec<F>> {
    let units = units(&run.acts).map_err(DriveError::Bug)?;
    let closed = units.into_iter().filter(Unit::is_closed).enumerate();
    closed.map(|(index, unit)| Ok(judge(unit, &run.round(index)?)?)).collect()
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
