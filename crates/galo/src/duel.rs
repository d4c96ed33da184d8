//! `galo duel`, a fight between two commands or addresses: options, plan, schedule, report.

mod limits;
mod resumed;
pub(crate) mod scan;
mod setup;
mod side;
mod traffic;
mod view;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use galo_drive::schedule::Duel;
use galo_drive::stage::{DuelMeans, DuelStage};
use galo_drive::{Before, DriveError, drive};
use galo_judge::assertion::RatioOutcome;
use galo_judge::duel::{DuelVerdict, JudgedDuel, PairFacts, is_refused, judge_pair, loaded_of};
use galo_judge::json::pretty;
use galo_plan::DuelPlan;
use galo_plan::duel::DuelSide;
use galo_record::act::{Act, Acted, Loaded, Outcome, Unit, units};
use galo_record::run::Folder;
use galo_record::{Machine, RecordError, Run, RunEnd, RunHeader, RunWriter, Seeds};
use galo_words::Lang;

use crate::cli::{DuelArgs, FormArgs, OutputArgs, ProgressArgs};
use crate::cut_off::CutOff;
use crate::exit::{Exit, NotStarted, WrongUse};
use crate::live::{Live, Room};
use crate::output::{check_forms, say, tell_document};
use crate::session::{header, hide, open_host, run_folder, stop_flag};

use crate::watched::Watched;
use setup::Setup;
use view::{Follow, Status};

/// A duel that is gone on with: its run, which nobody else drives meanwhile.
type Known = (RunWriter, Run<DuelPlan>);

/// What all duels of a command line share.
struct Session<'a> {
    watched: &'a Watched,
    machine: &'a Machine,
    header: &'a RunHeader,
    stop: &'a Arc<AtomicBool>,
}

/// Runs the command.
pub(crate) fn run(args: &DuelArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    let stop = &stop_flag()?;
    let machine = &galo_watch::machine(Path::new("/"));
    let watched = Watched::open(&args.metrics, ("duel", "pair"), None, args.output.quiet)?;
    let ended = match (&args.resume, &args.param) {
        (Some(path), _) => resumed::run(path, args, machine, stop, &watched),
        (None, param) => {
            let header = &header(machine.clone());
            let session = Session { watched: &watched, machine, header, stop };
            match param {
                Some(param) => scan::run(args, param, &session, None),
                None => one(args, &session, None),
            }
        }
    };
    watched.finish();
    ended
}

/// Drives one duel, or what is left of it, and tells it.
fn one(args: &DuelArgs, session: &Session<'_>, known: Option<Known>) -> Result<Exit> {
    let create = |plan: &DuelPlan| {
        RunWriter::create(&run_folder(args.out.as_deref()), session.header, plan, &Seeds::of_user())
    };
    let writer = fight(args, session, known, create)?;
    let run = Run::open(writer.path(), &Seeds::of_user())?;
    let duel = tell(&run, Some(writer.folder()), &args.output, &args.form)?;
    if duel.end == RunEnd::Interrupted {
        CutOff::Duel.say_interrupted(writer.path());
    }
    Ok(exit_of(&duel, args.assert_strict))
}

/// Drives one duel, in the run folder that `create` makes, or what is left of one that is known; its writer.
fn fight(
    args: &DuelArgs,
    session: &Session<'_>,
    known: Option<Known>,
    create: impl FnOnce(&DuelPlan) -> Result<RunWriter, RecordError>,
) -> Result<RunWriter> {
    let known = match known {
        Some((writer, run)) if JudgedDuel::of(&run)?.end != RunEnd::Interrupted => {
            writer.tell_seed()?;
            failure(&writer, &run.plan, &run.acts)?;
            return Ok(writer);
        }
        known => known,
    };
    let setup = Setup::new(args, session.machine, known.as_ref().map(|(_, run)| &run.plan))?;
    if !args.output.quiet {
        setup.told.iter().for_each(|line| say(line));
    }
    let status = Status::default();
    let room = Room::of(&args.output, &ProgressArgs { progress: args.progress });
    let live = Live::hearing(room, session.watched.ear(), status.view());
    let uncommitted = galo_report::uncommitted(setup.plan.uncommitted_files, Lang::En);
    uncommitted.filter(|_| known.is_none()).iter().for_each(|told| live.line(told));
    let has_commands = setup.plan.is_own(0) || setup.plan.is_own(1);
    let host = has_commands.then(|| open_host(!args.unlimited, session.stop, &live)).transpose()?;
    let (writer, before) = match known {
        Some((writer, run)) => {
            resumed::same(&run, &setup.plan, session.machine)?;
            (writer, before(run)?)
        }
        None => (create(&setup.plan)?, Before::default()),
    };
    if let Some(host) = &host {
        hide(host, writer.path());
        setup.build(host)?;
    }

    let (events, Setup { plan, loads, .. }) = (live.events(), setup);
    let means = DuelMeans {
        plan: &plan,
        loads,
        host: host.as_ref(),
        writer: &writer,
        threads: usize::from(args.threads),
        stop: session.stop,
        events: &events,
    };
    let mut stage = DuelStage::new(means, &before.acts);
    let judge = |unit: Unit<'_>, ()| judge_pair(unit).map_err(DriveError::Bug);
    let mut follow = Follow {
        plan: &plan,
        live: &live,
        status: &status,
        reached_per_s: [None, None],
        pair: before.facts.last().map(|facts| facts.pair),
        contacts: Vec::new(),
        told_spoiled: Vec::new(),
    };
    let names = plan.sides.iter().map(|side| side.name.clone()).collect();
    let mut watch = session.watched.and(names, &mut follow);
    let driven = drive(&Duel::new(&plan), &mut stage, &writer, judge, &mut watch, before);
    drop(stage);
    drop(host);
    drop(live);
    let run: Run<DuelPlan> = Run::open(writer.path(), &Seeds::of_user())?;
    let driven = driven.map_err(|error| with_what_is_kept(error.into(), &writer, &run.acts))?;
    // One that was broken off may be gone on with.
    if !driven.interrupted {
        writer.tell_seed()?;
    }
    failure(&writer, &run.plan, &run.acts)?;
    Ok(writer)
}

/// What was heard of a duel that is gone on with.
fn before(run: Run<DuelPlan>) -> Result<Before<PairFacts>> {
    let closed = units(&run.acts).map(|units| units.into_iter().filter(Unit::is_closed));
    let facts = closed.and_then(|mut closed| {
        closed.try_fold(Vec::new(), |mut facts, unit| {
            facts.push(judge_pair(unit)?);
            Ok(facts)
        })
    });
    let facts = facts.map_err(|reason| run.damaged(reason))?;
    Ok(Before { acts: run.acts, facts })
}

/// Why a duel ended that could not be driven to its end.
fn failure(writer: &RunWriter, plan: &DuelPlan, acts: &[Acted]) -> Result<()> {
    let of = |acted: &Acted| match (&acted.act, &acted.outcome) {
        (Act::Start { contender }, Outcome::NotReady(reason)) if plan.is_own(*contender) => {
            Some(NotStarted(reason.clone()).into())
        }
        (_, Outcome::NotReady(reason)) => Some(WrongUse(reason.clone()).into()),
        _ => {
            let (side, traffic, loaded) = loaded_of(acted)?;
            is_refused(traffic, loaded).then(|| no_answer(plan, side, loaded))
        }
    };
    match acts.iter().find_map(of) {
        None => Ok(()),
        Some(error) => Err(with_what_is_kept(error, writer, acts)),
    }
}

fn with_what_is_kept(error: anyhow::Error, writer: &RunWriter, acts: &[Acted]) -> anyhow::Error {
    match acts.iter().filter(|acted| acted.act == Act::Close).count() {
        0 => error,
        pairs => {
            let told = if pairs == 1 {
                "1 pair of turns, which is"
            } else {
                &format!("{pairs} pairs of turns, which are")
            };
            let path = writer.path().display();
            error.context(format!(
                "the duel ended after {told} kept\nhint: see what is known: galo report {path}"
            ))
        }
    }
}

/// Why a side that does not answer rightly at all cannot fight.
fn no_answer(plan: &DuelPlan, side: usize, loaded: &Loaded) -> anyhow::Error {
    let DuelSide { name, url, .. } = &plan.sides[side];
    let total = loaded.load.total();
    let statuses: Vec<String> = total.statuses.keys().map(u16::to_string).collect();
    let text = if statuses.is_empty() {
        let errors = total.errors.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        format!("`{name}` gives no answer at {url} ({errors})\nhint: try it: curl -i {url}")
    } else {
        let hint = "give an address that it answers, or say what is right: --status";
        let [told, right] = [" and ", ","].map(|between| statuses.join(between));
        format!("`{name}` answers {url} by status {told}\nhint: {hint} {right}")
    };
    WrongUse(text).into()
}

/// Why a run cannot be gone on with.
fn refused(path: &Path, why: &str) -> anyhow::Error {
    let path = path.display();
    WrongUse(format!("`{path}` cannot be resumed: {why}\nhint: begin it anew")).into()
}

/// Tells what a duel says, and writes it into a folder if one is given.
pub(crate) fn tell(
    run: &Run<DuelPlan>,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<JudgedDuel> {
    let duel = JudgedDuel::of(run)?;
    let document = galo_report::duel(&duel, &run.header);
    tell_document(&document, &pretty(&duel), into, output, form)?;
    Ok(duel)
}

/// `is_strict`: what was not measured is not done.
fn exit_of(duel: &JudgedDuel, is_strict: bool) -> Exit {
    match (&duel.verdict, &duel.end) {
        (_, RunEnd::Interrupted) => Exit::Interrupted,
        (DuelVerdict::Void { .. }, _) => Exit::Void,
        _ if duel.assertions.iter().any(RatioOutcome::fails) => Exit::CheckFailed,
        _ if is_strict && duel.assertions.iter().any(|outcome| !outcome.met) => Exit::NotMeasured,
        _ => Exit::Done,
    }
}

#[cfg(test)]
mod tests {
    use galo_judge::duel::SideFinding;
    use galo_record::finding::ServiceLeftItsGroup;

    use super::*;

    /// The duel of the report's own tests with these bounds, changed, and judged.
    fn duel(bounds: &[&str], change: impl FnOnce(&mut JudgedDuel)) -> JudgedDuel {
        let mut duel: JudgedDuel =
            serde_json::from_str(include_str!("../../galo-report/tests/report/duel.json")).unwrap();
        let known = duel.assertions[0].clone();
        let bound = |text: &&str| RatioOutcome { assertion: (*text).to_owned(), ..known.clone() };
        duel.assertions = bounds.iter().map(bound).collect();
        change(&mut duel);
        duel.judged()
    }

    #[test]
    fn the_exit_code_is_what_a_recorded_duel_comes_to() {
        let exit = |bounds, change: fn(&mut JudgedDuel)| exit_of(&duel(bounds, change), false);
        assert_eq!(exit(&[], |_| {}), Exit::Done);
        assert_eq!(exit(&["p99 ratio < 0.001"], |_| {}), Exit::CheckFailed);
        let late = |duel: &mut JudgedDuel| {
            let loads = duel.turns.iter_mut().flat_map(|turn| &mut turn.loads);
            loads.for_each(|load| load.engine.lag_us_p50 = 1e9);
        };
        assert_eq!(exit(&[], late), Exit::Void);
        assert_eq!(exit(&["p99 ratio < 0.001"], late), Exit::Void, "it says nothing of a bound");
        let left = |duel: &mut JudgedDuel| {
            let (service, command, groups) = ("command".to_owned(), "sh".to_owned(), Vec::new());
            let finding =
                galo_record::HostFact::from(ServiceLeftItsGroup { service, pid: 7, command, groups });
            duel.findings = vec![SideFinding { side: 0, pair: None, finding: (&finding).into() }];
        };
        assert_eq!(
            exit(&["p99 ratio < 9"], left),
            Exit::CheckFailed,
            "a bound of one that broke a rule is not met"
        );
        let broken_off = |duel: &mut JudgedDuel| duel.end = RunEnd::Interrupted;
        assert_eq!(exit(&[], broken_off), Exit::Interrupted);
        assert_eq!(exit(&["p99 ratio < 0.001"], broken_off), Exit::Interrupted);
    }

    #[test]
    fn what_was_not_measured_fails_nobody_but_whoever_asks_for_that() {
        let unseen = |duel: &mut JudgedDuel| {
            let loads = duel.turns.iter_mut().flat_map(|turn| &mut turn.loads);
            loads.for_each(|load| load.usage = None);
        };
        let known = duel(&["cpu ratio < 99", "p99 ratio < 99"], unseen);
        assert_eq!([false, true].map(|strict| exit_of(&known, strict)), [Exit::Done, Exit::NotMeasured]);
        let failed = duel(&["cpu ratio < 99", "p99 ratio < 99", "p99 ratio < 0.001"], unseen);
        assert_eq!(exit_of(&failed, true), Exit::CheckFailed, "what fails is graver");
        assert!(Exit::NotMeasured.gravity() < Exit::CheckFailed.gravity());
        assert!(Exit::Failed.gravity() < Exit::Interrupted.gravity());
    }
}
