//! The frame of every run: plan, host, schedule and stage, fold, document, exit code.
//!
//! [`run`] reads from the options of a command to its exit code. What a kind of run has of its own stands behind [`Kind`]: how
//! options become a plan, which schedule is driven on which stage, and what is said meanwhile.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use galo_drive::{Before, DriveError, Schedule, Stage, Watch, drive};
use galo_host::Host;
use galo_judge::Folded;
use galo_record::act::{ChildId, Unit};
use galo_record::run::Planned;
use galo_record::{AnyRun, Machine, Run, RunHeader, RunWriter, Seeds};

use crate::cli::{RunArgs, StyleArgs};
use crate::exit::Exit;
use crate::live::{Live, Room};
use crate::metrics::Exporter;
use crate::output::check_forms;
use crate::report::{self, Seen};
use crate::resume;
use crate::session::{header, hide, open_host, run_folder};
use crate::stop::stop_flag;
use crate::watched::{Watched, Worth};

/// A kind of run, with what one command line asks of it.
pub(crate) trait Kind: Sized {
    /// Options as clap reads them.
    type Args;
    /// What `plan.json` holds.
    type Plan: Planned;
    /// The kind and its unit, as metrics call them.
    const NAMES: [&'static str; 2];
    /// Whether it is shown while it goes on. A run of children is not: each child shows itself.
    const IS_SHOWN: bool = true;

    /// What all kinds are asked alike.
    fn shared(args: &Self::Args) -> Shared<'_>;

    /// From options to a plan. `known`: the plan of a run that is gone on with, from which its draws are taken.
    ///
    /// # Errors
    /// What is wrong with the options, with what to do.
    fn new(args: &Self::Args, known: Option<&Self::Plan>, machine: &Machine) -> Result<Self>;

    /// What is to be driven.
    fn plan(&self) -> &Self::Plan;

    /// What differs between the plan of a run that is gone on with and the one that its files give now.
    fn changed(old: &Self::Plan, new: &Self::Plan) -> Option<String>;

    /// Units that are to be driven, if that is known before.
    fn units(&self) -> Option<usize> {
        None
    }

    /// Whether limits hold for what galo starts; `None`: it starts nothing itself.
    fn limited(&self) -> Option<bool>;

    /// What is driven, where there is room for a heading.
    fn heading(&self) -> Option<String> {
        None
    }

    /// What has to be done before the run folder is made: builds, above all.
    ///
    /// # Errors
    /// A build failed, or the caller broke it off.
    fn prepare(&mut self, desk: &Desk<'_>) -> Result<()>;

    /// Drives it, or what is left of it, by its schedule on its stage. Whether it was left before its end: the caller broke it off, or it
    /// [is out of time](Self::is_out_of_time).
    ///
    /// # Errors
    /// What ended it that is neither the contender's doing nor the caller's.
    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run<Self::Plan>>) -> Result<bool>;

    /// Whether it was left since the time that this session had for it is over.
    fn is_out_of_time(&self) -> bool {
        false
    }

    /// Where the seed of a new run in this folder is kept until it is over.
    fn seeds(&self, _: &Path) -> Seeds {
        Seeds::of_user()
    }

    /// What is done with a run that is over, before it is told.
    fn keep(&self, _: &Folded) {}
}

/// What every kind is asked.
pub(crate) struct Shared<'a> {
    pub(crate) run: RunArgs,
    pub(crate) resume: Option<&'a Path>,
    pub(crate) style: StyleArgs,
    /// Whether what was not measured is not done.
    pub(crate) is_strict: bool,
}

/// What all runs of one command line share.
pub(crate) struct Session {
    /// The command line that began it, and the machine.
    pub(crate) header: RunHeader,
    pub(crate) stop: Arc<AtomicBool>,
    pub(crate) watched: Watched,
}

/// What one run is driven with: there before it, and gone after it.
pub(crate) struct Desk<'a> {
    pub(crate) session: &'a Session,
    pub(crate) args: &'a RunArgs,
    pub(crate) live: &'a Live,
    /// Who starts things, if anybody has to.
    pub(crate) host: Option<&'a Host>,
    /// Whether the run goes on.
    pub(crate) is_resumed: bool,
}

/// Where a run goes.
pub(crate) enum Place<'a, P> {
    New(PathBuf),
    Child(&'a RunWriter, ChildId),
    /// A folder below that of a run which another process writes.
    Below(&'a Path, PathBuf),
    /// A run that was cut off, which nobody else drives meanwhile.
    Known(RunWriter, Box<Run<P>>),
}

/// A run as far as it was driven.
pub(crate) struct Driven<K> {
    pub(crate) kind: K,
    pub(crate) writer: RunWriter,
    /// Whether the caller broke it off.
    pub(crate) interrupted: bool,
}

/// Drives a run, or what is left of it, and tells it.
///
/// # Errors
/// What is wrong with the options; what ended the run that is neither the contender's doing nor the caller's.
pub(crate) fn run<K: Kind>(args: &K::Args) -> Result<Exit> {
    let Shared { run: told, resume: known, style, is_strict } = &K::shared(args);
    let folder = run_folder(told.out.as_deref());
    check_forms(&told.output, &told.form, Some(&folder))?;
    let stop = stop_flag()?;
    let machine = galo_watch::machine(Path::new("/"));
    let known = known.map(|path| resume::open::<K::Plan>(path, &machine)).transpose()?;
    // The machine as it was when the run began: after another boot it may have a little less memory.
    let begun_on = known.as_ref().map(|(_, run)| &run.header.machine).filter(|begun| begun.is_same(&machine));
    let kind = K::new(args, known.as_ref().map(|(_, run)| &run.plan), begun_on.unwrap_or(&machine))?;
    let (header, place) = match known {
        Some((writer, run)) => {
            resume::require_same(&run.path, K::changed(&run.plan, &kind.plan().without_secrets()))?;
            (run.header.clone(), Place::Known(writer, Box::new(run)))
        }
        None => (header(machine), Place::New(folder)),
    };
    let session = Session { header, stop, watched: Watched::default() };
    let job = format!("galo_{}", K::NAMES[0]);
    let exporter = Exporter::open(&told.metrics, &job, told.output.quiet, {
        let (watched, units) = (session.watched.clone(), kind.units());
        move || galo_report::run_metrics(&watched.get(), K::NAMES, units)
    })?;
    let driven = drive_one(kind, &session, told, place);
    exporter.finish();
    let Driven { kind, writer, interrupted } = driven?;

    let seen = Seen::of(AnyRun::open(writer.path(), &Seeds::of_run(writer.path()))?)?;
    let judged = &seen.folded.judged;
    if !interrupted {
        kind.keep(&seen.folded);
    }
    if report::is_worth_telling(judged, interrupted) {
        report::tell(&seen, Some(writer.folder()), &told.output, &told.form, style)?;
    }
    if interrupted {
        let (why, exit) = match kind.is_out_of_time() {
            true => ("its time is over", Exit::Done),
            false => ("interrupted", Exit::Interrupted),
        };
        resume::say_left(writer.path(), why);
        return Ok(exit);
    }
    report::say_failure(judged, writer.path());
    Ok(Exit::of_run(judged, *is_strict))
}

/// Drives one run, or what is left of it. However it ends, nothing is left up.
///
/// # Errors
/// What ended it that is neither the contender's doing nor the caller's.
pub(crate) fn drive_one<K: Kind>(
    mut kind: K,
    session: &Session,
    args: &RunArgs,
    place: Place<'_, K::Plan>,
) -> Result<Driven<K>> {
    let room = if K::IS_SHOWN { Room::of(&args.output, &args.progress) } else { Room::Nothing };
    let live = Live::start(room, &session.watched);
    if K::IS_SHOWN {
        live.begin(&kind.heading().unwrap_or_default());
    }
    let host = kind.limited().map(|limited| open_host(limited, &session.stop, &live)).transpose()?;
    host.iter().for_each(|host| hide(host, place.hidden()));
    let is_resumed = matches!(place, Place::Known(..));
    let desk = Desk { session, args, live: &live, host: host.as_ref(), is_resumed };
    kind.prepare(&desk)?;
    let (seeds, is_below) = (kind.seeds(&place.folder()), matches!(place, Place::Below(..)));
    let (writer, known) = place.open(kind.plan(), &session.header, &seeds)?;
    let goes_on = || match is_below {
        true => "nothing of it counts\nhint: give the same command again".to_owned(),
        false => format!("what was over is kept\n{}", resume::hint(writer.path())),
    };
    let interrupted = kind.drive(&desk, &writer, known).with_context(goes_on)?;
    // One that was broken off may be gone on with.
    if !interrupted {
        writer.tell_seed()?;
    }
    Ok(Driven { kind, writer, interrupted })
}

impl Desk<'_> {
    /// Drives a schedule on a stage, and tells of it meanwhile. Contenders, by their place in the plan, have these names.
    ///
    /// # Errors
    /// What ended it that is neither the contender's doing nor the caller's.
    pub(crate) fn drive<S: Schedule<Facts: Worth>, T: Stage>(
        &self,
        schedule: &S,
        mut stage: T,
        writer: &RunWriter,
        judge: impl Fn(Unit<'_>, T::Bulk) -> Result<S::Facts, DriveError>,
        (names, follow): (Vec<String>, &mut impl Watch<S::Facts>),
        before: Before<S::Facts>,
    ) -> Result<bool> {
        let mut watch = self.live.watched().and(names, follow);
        Ok(drive(schedule, &mut stage, writer, judge, &mut watch, before)?.interrupted)
    }
}

impl<P: Planned> Place<'_, P> {
    /// What is kept from contenders: the run folder, or that of the run that it is a child of.
    fn hidden(&self) -> &Path {
        match self {
            Self::New(folder) => folder,
            Self::Child(parent, _) => parent.path(),
            Self::Below(parent, _) => parent,
            Self::Known(writer, _) => writer.path(),
        }
    }

    /// The run folder.
    pub(crate) fn folder(&self) -> PathBuf {
        match self {
            Self::New(folder) | Self::Below(_, folder) => folder.clone(),
            Self::Child(parent, child) => parent.path().join(child.folder()),
            Self::Known(writer, _) => writer.path().to_owned(),
        }
    }

    /// Makes the run folder, unless it is there.
    fn open(self, plan: &P, begun: &RunHeader, seeds: &Seeds) -> Result<(RunWriter, Option<Run<P>>)> {
        let now = || RunHeader { command: begun.command.clone(), ..header(begun.machine.clone()) };
        Ok(match self {
            Self::New(folder) | Self::Below(_, folder) => {
                (RunWriter::create(&folder, &now(), plan, seeds)?, None)
            }
            Self::Child(parent, child) => (parent.create_child(child, &now(), plan)?, None),
            Self::Known(writer, run) => (writer, Some(*run)),
        })
    }
}
