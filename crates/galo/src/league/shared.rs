//! A league that machines share: `galo league plan`, `run` and `gather`. All that is handed over is a folder and a number.
//!
//! Its one key decision: whatever drives a child does so in a folder of its own, and renames it to [`OVER`] when it is over. A name is
//! taken once, so of two that drive the same child (a requeued task whose first process lives on) one counts, whole. Who gathers, one
//! process at a time, moves it to where its attempt belongs and writes that down; acts of the league are written by nobody else.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use galo_judge::{ChildFacts, FoldedChild};
use galo_plan::league::ChildTerms;
use galo_plan::operands::shell_line;
use galo_plan::{LeaguePlan, Seed};
use galo_record::act::ChildId;
use galo_record::run::{VERSION, open_header};
use galo_record::{AnyRun, RecordError, Run, RunEnd, RunWriter, Seeds};

use super::{League, due_after};
use crate::children;
use crate::cli::{Command, FormArgs, LeaguePart, LeagueTerms, OutputArgs, RunArgs, StyleArgs};
use crate::exit::{Exit, WrongUse, cause_of_host, in_words};
use crate::follow::Quiet;
use crate::frame::{Kind, Place, Session};
use crate::output::{check_forms, print, say};
use crate::report::{self, Seen};
use crate::resume;
use crate::session::header;
use crate::stop::stop_flag;
use crate::watched::Watched;

/// The folder of a child that is over, until it is gathered.
const OVER: &str = "over";
/// In it, why the child could not be driven at all.
const REASON: &str = "reason.txt";
/// What a child that is due is.
const TERMS: &str = "terms.json";

/// Runs a part of a league.
pub(crate) fn run(part: LeaguePart) -> Result<Exit> {
    match part {
        LeaguePart::Plan { terms, out, quiet } => plan(&terms, &out, quiet),
        LeaguePart::Run { league, index, progress, quiet } => {
            let output = OutputArgs { json: None, quiet };
            drive(&league, index, &RunArgs { output, progress, ..RunArgs::default() })
        }
        LeaguePart::Gather { league, due, output, form } => gather(&league, due, &output, &form),
    }
}

fn plan(terms: &LeagueTerms, out: &Path, is_quiet: bool) -> Result<Exit> {
    let league = League::of(terms, None, is_quiet)?;
    let header = header(galo_watch::machine(Path::new("/")));
    let writer = RunWriter::create(out, &header, league.plan(), &Seeds::within(out))?;
    let due = due_after(league.plan(), &[]);
    hand_out(writer.path(), &due)?;
    league.say(&league.outlook());
    league.say(&told(out, &due));
    Ok(Exit::Done)
}

/// What is due, and how it is driven.
fn told(league: &Path, due: &[(u32, ChildTerms)]) -> String {
    let (Some((first, _)), Some((last, _))) = (due.first(), due.last()) else { return String::new() };
    let line =
        |part: &str| shell_line(&["galo", "league", part, &league.to_string_lossy()].map(str::to_owned));
    let which = match due.len() as u32 {
        1 => format!("due is number {first}"),
        count if count == last - first + 1 => format!("due are numbers {first} to {last}"),
        count => format!("due are {count} of numbers {first} to {last}"),
    };
    format!("{which}: {} --index {first}\nthen: {}", line("run"), line("gather"))
}

/// Writes down what children that are due are, for whoever drives them.
///
/// # Errors
/// What the file system refuses.
pub(super) fn hand_out(league: &Path, due: &[(u32, ChildTerms)]) -> Result<()> {
    for (number, terms) in due {
        let folder = league.join(ChildId::attempts(*number));
        let file = folder.join(TERMS);
        let cannot = || format!("cannot write `{}`", file.display());
        fs::create_dir_all(&folder).with_context(cannot)?;
        // By another name first: a machine may look for it at any time.
        let draft = folder.join(format!(".{TERMS}"));
        fs::write(&draft, serde_json::to_vec(terms)?).with_context(cannot)?;
        fs::rename(&draft, &file).with_context(cannot)?;
    }
    Ok(())
}

/// Drives a child of a league that another process keeps.
fn drive(league: &Path, number: u32, args: &RunArgs) -> Result<Exit> {
    let shown = league.display();
    let header_read = open_header(league)?;
    let path = fs::canonicalize(league).with_context(|| format!("cannot read `{shown}`"))?;
    if header_read.galo != VERSION {
        return Err(RecordError::OtherGalo { path, found: header_read.galo }.into());
    }
    let seeds = Seeds::of_run(&path);
    let plan = Run::<LeaguePlan>::open(&path, &seeds)?.plan;
    let (begun, directory) = resume::begun_there(&path, &header_read)?;
    let Command::League(begun) = begun else {
        return Err(WrongUse(format!("`{shown}` is no league")).into());
    };
    let attempts = path.join(ChildId::attempts(number));
    let terms = terms_of(&attempts, league, number, plan.entries.len())?;
    if is_counted(&path, &plan, number) {
        say(&format!("{number} is over already: nothing to drive"));
        return Ok(Exit::Done);
    }
    let entries = begun.into_terms();
    if !entries.folders.iter().all(|folder| folder.is_absolute()) {
        let hint = "hint: plan it with a path of the entries that is the same on all machines";
        resume::go_there(&path, directory.as_deref()).context(hint)?;
    }
    let league = League::of(&entries, Some(&plan), args.output.quiet)?;
    resume::require_same(&path, League::changed(&plan, &league.plan().without_secrets()))?;
    let session = Session {
        header: header(galo_watch::machine(Path::new("/"))),
        stop: stop_flag()?,
        watched: Watched::default(),
    };
    league.say(&league.heading(&terms));
    set_aside_damaged(&attempts, plan.seed_of(number))?;
    // What an engine killed with its supervisor is still there.
    for removed in galo_host::clean()? {
        league.say(&format!("removed: {removed}"));
    }
    let draft = attempts.join(draft_name());
    let place = Place::Below(&path, draft.clone());
    let end = match league.child(&session, args, place, (number, &terms)) {
        Err(error) => match (cause_of_host(&error), &terms) {
            // What one machine lacks is the entry's doing where all lack it.
            (Some(host), ChildTerms::Check { .. }) if !host.interrupted && !draft.exists() => {
                Some(RunEnd::Failed(in_words(&error)))
            }
            _ => children::broken_off(error)?,
        },
        Ok(end) => end,
    };
    let Some(end) = end else {
        say(&format!(
            "interrupted; nothing is left running\nhint: drive it anew: galo league run {shown} --index {number}"
        ));
        return Ok(Exit::Interrupted);
    };
    let came_to = match end {
        RunEnd::Failed(reason) => {
            fs::create_dir_all(&draft)?;
            fs::write(draft.join(REASON), &reason)?;
            if !is_agreed(&attempts, &draft)? {
                let first = reason.lines().next().unwrap_or_default();
                let counts = "that counts once two machines say so, or one has said so three times";
                say(&format!("did not start here: {first}\n{counts}\nhint: give the same command again"));
                return Ok(Exit::NotStarted);
            }
            Err(reason)
        }
        _ => Ok(report::fold(AnyRun::open(&draft, &Seeds::of_user())?, &mut |_, _| ())?.judged),
    };
    let came_to = children::in_words(&ChildFacts { child: number, came_to });
    let over = attempts.join(OVER);
    let is_first = !is_counted(&path, &plan, number)
        && taken(fs::rename(&draft, &over))
            .with_context(|| format!("cannot rename `{}`", draft.display()))?;
    league.say(&match is_first {
        true => format!("{number} is over{}", came_to.map_or_else(String::new, |told| format!(": {told}"))),
        false => format!("{number} was over before: this attempt does not count"),
    });
    Ok(Exit::Done)
}

/// Whether a rename took a name that nobody had.
fn taken(renamed: std::io::Result<()>) -> std::io::Result<bool> {
    match renamed {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// A name that no other process of any machine takes.
fn draft_name() -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let now = galo_record::clock::now_ns();
    format!("on-{host}-{}-{now}", std::process::id())
}

/// Whether a child that could not be driven at all, as this draft says, is so by its entry's doing, and not by that of a machine that
/// lacks something: another machine says so too, or this one says so for the third time.
fn is_agreed(attempts: &Path, draft: &Path) -> Result<bool> {
    let listed = fs::read_dir(attempts).with_context(|| format!("cannot read `{}`", attempts.display()))?;
    let failed = listed.flatten().map(|entry| entry.path()).filter(|folder| folder.join(REASON).exists());
    // Without process and time.
    let host = |folder: &Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.rsplitn(3, '-').nth(2).map(str::to_owned)
    };
    let hosts: Vec<_> = failed.map(|folder| host(&folder)).collect();
    Ok(hosts.len() >= 3 || hosts.iter().any(|other| *other != host(draft)))
}

/// Whether a child was driven to its end, gathered or not.
pub(super) fn is_counted(league: &Path, plan: &LeaguePlan, number: u32) -> bool {
    let listed = fs::read_dir(league.join(ChildId::attempts(number)));
    let mut folders = listed.into_iter().flatten().flatten().map(|entry| entry.path());
    let may_count = |folder: &Path| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name == OVER || name.starts_with("attempt-")
    };
    folders.any(|folder| may_count(&folder) && is_over(&folder, plan.seed_of(number)))
}

fn terms_of(attempts: &Path, league: &Path, number: u32, entries: usize) -> Result<ChildTerms> {
    let file = attempts.join(TERMS);
    let text = match fs::read(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let line = shell_line(
                &["galo", "league", "gather", &league.to_string_lossy(), "--due"].map(str::to_owned),
            );
            let text = format!("{number} is not due in `{}`\nhint: see what is: {line}", league.display());
            return Err(WrongUse(text).into());
        }
        read => read.with_context(|| format!("cannot read `{}`", file.display()))?,
    };
    let damaged = || format!("`{}` is damaged", file.display());
    let terms: ChildTerms = serde_json::from_slice(&text).with_context(damaged)?;
    let named = match &terms {
        ChildTerms::Check { entry } | ChildTerms::Limit { entry } | ChildTerms::Crash { entry } => {
            vec![*entry]
        }
        ChildTerms::Block { block, .. } => [block.entries.as_slice(), &[block.control]].concat(),
    };
    let is_known = named.iter().all(|entry| *entry < entries);
    ensure!(is_known, "{}: it names an entry that the league does not have", damaged());
    Ok(terms)
}

/// Takes over a child that another process drove to its end, as this attempt: how it ended. `None`: there is none.
///
/// # Errors
/// What the file system refuses.
pub(super) fn take_over(league: &Path, plan: &LeaguePlan, id: ChildId) -> Result<Option<RunEnd>> {
    let (attempts, seed) = (league.join(ChildId::attempts(id.child)), plan.seed_of(id.child));
    set_aside_damaged(&attempts, seed)?;
    let over = attempts.join(OVER);
    // An earlier gather that was ended between its rename and its act has moved it already.
    let earlier = (1..=id.attempt).rev().map(|attempt| league.join(ChildId { attempt, ..id }.folder()));
    let mut from = std::iter::once(over).chain(earlier);
    let Some(from) = from.find(|from| is_over(from, seed)) else { return Ok(None) };
    let to = league.join(id.folder());
    rename(&from, &to)?;
    let reason = to.join(REASON);
    if !reason.exists() {
        return Ok(Some(RunEnd::Done));
    }
    let text = fs::read_to_string(&reason).with_context(|| format!("cannot read `{}`", reason.display()))?;
    Ok(Some(RunEnd::Failed(text)))
}

/// What took the name of a child that is over and cannot be read, or is none of this league's, would keep it from ever being so.
fn set_aside_damaged(attempts: &Path, seed: Seed) -> Result<()> {
    let over = attempts.join(OVER);
    if over.exists() && !is_over(&over, seed) {
        let aside = over.with_file_name(format!("damaged-{}", galo_record::clock::now_ns()));
        rename(&over, &aside)?;
        let aside = aside.display();
        say(&format!("what is in `{aside}` cannot be read or is another league's, and is driven anew"));
    }
    Ok(())
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to).with_context(|| format!("cannot rename `{}`", from.display()))
}

/// Whether a child that this seed was drawn for came to its end in a folder.
fn is_over(folder: &Path, seed: Seed) -> bool {
    let run = || AnyRun::open(folder, &Seeds::of_user());
    let is_own =
        |run: &AnyRun| matches!(run, AnyRun::Contenders(run) if run.is_over && run.plan.seed == seed);
    folder.join(REASON).exists() || run().is_ok_and(|run| is_own(&run))
}

/// Judges what is there. Nothing is written into a league that another galo gathers meanwhile.
fn gather(league: &Path, only_due: bool, output: &OutputArgs, form: &FormArgs) -> Result<Exit> {
    check_forms(output, form, None)?;
    let seeds = Seeds::of_run(league);
    let (into, due) = match RunWriter::resume::<LeaguePlan>(league, &seeds) {
        Ok((writer, run)) => {
            let due = take_all(&writer, run)?;
            hand_out(league, &due)?;
            if due.is_empty() {
                writer.tell_seed()?;
            }
            (Some(writer), due)
        }
        Err(RecordError::InUse(_)) => {
            say("another galo gathers it meanwhile: it is read, and nothing is written");
            let run = Run::<LeaguePlan>::open(league, &seeds)?;
            let plan = run.plan.clone();
            let children = report::fold(AnyRun::League(Box::new(run)), &mut |_, _| ())?.children;
            let facts: Vec<_> = children.into_iter().map(FoldedChild::facts).collect();
            // What is not handed out yet cannot be driven yet.
            let is_out = |number: u32| league.join(ChildId::attempts(number)).join(TERMS).exists();
            (None, due_after(&plan, &facts).into_iter().filter(|(number, _)| is_out(*number)).collect())
        }
        Err(error) => return Err(error.into()),
    };
    if only_due {
        print(&due.iter().map(|(number, _)| format!("{number}\n")).collect::<String>())?;
        return Ok(Exit::Done);
    }
    let seen = Seen::of(AnyRun::open(league, &seeds)?)?;
    report::tell(&seen, into.as_ref().map(RunWriter::folder), output, form, &StyleArgs::default())?;
    if !output.quiet && !due.is_empty() {
        say(&if Seeds::are_within(league) { told(league, &due) } else { resume::hint(league) });
    }
    Ok(Exit::Done)
}

/// Takes over all children that are over: what is due then.
fn take_all(writer: &RunWriter, run: Run<LeaguePlan>) -> Result<Vec<(u32, ChildTerms)>> {
    let plan = run.plan.clone();
    let next = |facts: &[ChildFacts]| {
        let mut due = due_after(&plan, facts).into_iter().map(|(number, _)| number);
        due.find(|number| is_counted(writer.path(), &plan, *number))
    };
    let known = (run.acts.clone(), AnyRun::League(Box::new(run)));
    let take = |id: ChildId, _: &[ChildFacts]| take_over(writer.path(), &plan, id);
    let driven = children::drive(writer, Some(known), next, take, &mut Quiet)?;
    Ok(due_after(&plan, &driven.facts))
}
