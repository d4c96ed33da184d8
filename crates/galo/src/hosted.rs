//! A run of one contender that galo starts: begun or resumed, driven, told, and nothing of it left up.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use galo_drive::stage::{ContenderStage, Means, Server};
use galo_drive::{Before, DriveError, Schedule, Watch, drive, round};
use galo_plan::{ChallengeModel, Plan};
use galo_record::act::Unit;
use galo_record::run::Folder;
use galo_record::{RoundData, RunWriter};
use galo_report::Document;

use crate::cli::{FormArgs, OutputArgs};
use crate::live::Live;
use crate::output::write_forms;
use crate::output::{Forms, look, tell as tell_forms};
use crate::resumed::Resumed;
use crate::session::{engine_threads, header, open_host, run_folder};

/// What it is of.
pub(crate) struct Hosted<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) model: &'a dyn ChallengeModel,
    /// As asked for.
    pub(crate) threads: Option<u16>,
    /// As asked for.
    pub(crate) out: Option<&'a Path>,
    pub(crate) resumed: Option<Resumed>,
    pub(crate) stop: &'a Arc<AtomicBool>,
    pub(crate) live: &'a Live,
}

impl Hosted<'_> {
    /// Drives it; its writer, and whether the caller broke it off.
    ///
    /// # Errors
    /// What ended it that is neither the contender's doing nor the caller's.
    pub(crate) fn drive<S: Schedule>(
        self,
        schedule: &S,
        judge: impl Fn(Unit<'_>, &RoundData) -> Result<S::Facts, DriveError>,
        watch: &mut impl Watch<S::Facts>,
    ) -> Result<(RunWriter, bool)> {
        let Self { plan, model, stop, live, .. } = self;
        let host = open_host(plan.limited, stop, live)?;
        plan.contenders.iter().try_for_each(|contender| host.build(contender))?;
        let machine = galo_watch::machine(Path::new("/"));
        let (writer, before) = match self.resumed {
            Some(resumed) => {
                let (writer, _, before) = resumed.before(&machine, &judge)?;
                (writer, before)
            }
            None => (RunWriter::create(&run_folder(self.out), &header(machine), plan)?, Before::default()),
        };
        let events = live.events();
        let mut stage = ContenderStage::new(Means {
            plan,
            model,
            writer: &writer,
            server: Server::Hosted(&host),
            threads: engine_threads(self.threads, &plan.challenge.policy),
            stop,
            events: &events,
            cases: &[],
        });
        let judge = |unit: Unit<'_>, bulk| judge(unit, &round(unit, bulk)?);
        let driven = drive(schedule, &mut stage, &writer, judge, watch, before);
        let goes_on = || {
            let (command, path) = (plan.kind.command(), writer.path().display());
            format!("what was over is kept: galo {command} --resume {path} goes on")
        };
        let interrupted = driven.with_context(goes_on)?.interrupted;
        drop(stage);
        Ok((writer, interrupted))
    }
}

/// Tells a run in the forms that were asked for, and writes `report.json` and `report.html` into a folder if one is given.
pub(crate) fn tell(
    document: &Document,
    json: &str,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<()> {
    let html = || Ok(document.html(form.language())?);
    let place = write_forms(into, &[("report.json", &|| Ok(json.to_owned())), ("report.html", &html)])?;
    let markdown = || document.markdown(form.words());
    let summary = || format!("{}{place}", document.terminal(look(), form.words()));
    tell_forms(output, form, &Forms { json, markdown: &markdown, summary: &summary })
}
