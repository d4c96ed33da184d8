//! `galo fight` between two commands or addresses: options, sides, turns, report.
//!
//! Both sides are kept up, and one stands still while the other is driven; where they must share a port, each is started
//! for its turn. A turn is a load of each level. [`galo_judge::duel`] compares the turns pair by pair.

mod answers;
mod load;
mod revision;
mod ring;
mod setup;
mod side;
mod view;

use std::path::Path;

use anyhow::Result;
use galo_judge::duel::assertion::RatioOutcome;
use galo_judge::duel::{DuelVerdict, judge_duel};
use galo_record::run::write_derived;
use galo_record::{DuelRecord, RunEnd, RunWriter};
use galo_report::DuelReport;

use crate::cli::{FightArgs, OutputArgs};
use crate::exit::Exit;
use crate::live::Live;
use crate::output::{look, print, say, write_json};
use crate::session::{header, open_host, run_folder, stop_flag, stopped};

use ring::Ring;
use setup::Setup;
use view::Status;

/// Whether what is to fight are commands or addresses, rather than contenders.
pub(crate) fn is_meant(args: &FightArgs) -> bool {
    let is_address = |side: &Path| setup::is_address(&side.to_string_lossy());
    args.duel.url.is_some()
        || !args.duel.git.is_empty()
        || args.contenders.iter().any(|side| is_address(side))
}

/// Runs the command.
pub(crate) fn run(args: &FightArgs) -> Result<Exit> {
    let stop = stop_flag()?;
    let setup = Setup::new(args)?;
    let status = Status::default();
    let live = Live::with(args.output.quiet, status.view());
    let host = open_host(!args.unlimited, &stop, &live)?;
    let mut record = setup.record();
    record.limits_note = host.limits_note();
    record.limits_enforced = record.limits_note.is_none();
    let header = header(galo_watch::machine(Path::new("/")));
    let writer = RunWriter::create_duel(&run_folder(args.out.as_deref()), &header)?;
    writer.write_duel(&record)?;
    setup.build(&host)?;

    let mut ring = Ring::new(&setup, &host, &live, &writer, &stop, &status);
    let driven = ring.drive(&mut record);
    // However it ended, nothing is left of either side before anything is told.
    let driven = driven.and(ring.end());
    drop(host);
    drop(live);
    record.end = match &driven {
        _ if stopped(&stop) => RunEnd::Interrupted,
        Ok(()) => RunEnd::Done,
        Err(error) => RunEnd::Failed(format!("{error:#}")),
    };
    writer.write_duel(&record)?;
    if record.end != RunEnd::Interrupted {
        driven.map_err(|error| match record.turns.len() {
            0 => error,
            turns => error.context(format!(
                "the duel ended after {turns} turns, which are kept: galo report {}",
                writer.path().display()
            )),
        })?;
    }
    let report = tell(writer.path(), &record, &args.output)?;
    let judged = judge_duel(&record);
    let outcomes: Vec<RatioOutcome> =
        setup.assertions.iter().map(|assertion| assertion.evaluate(&judged)).collect();
    if !args.output.quiet {
        outcomes.iter().for_each(|outcome| say(&outcome.text));
    }
    Ok(exit_of(&report, outcomes.iter().all(|outcome| outcome.met)))
}

/// Tells what a duel says, and writes it into the run folder.
pub(crate) fn tell(folder: &Path, record: &DuelRecord, output: &OutputArgs) -> Result<DuelReport> {
    let report = DuelReport::of(record);
    let json = report.to_json();
    let file = write_derived(folder, "report.json", json.as_bytes())?;
    if !write_json(output.json.as_deref(), &json)? && !output.quiet {
        print(&format!("{}report: {}\n", report.terminal(look()), file.display()))?;
    }
    Ok(report)
}

fn exit_of(report: &DuelReport, met: bool) -> Exit {
    match (&report.verdict, report.end.as_str()) {
        (_, "interrupted") => Exit::Interrupted,
        (DuelVerdict::Void { .. }, _) => Exit::Void,
        _ if !met => Exit::CheckFailed,
        _ => Exit::Done,
    }
}
