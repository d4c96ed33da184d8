//! `galo duel`, a fight between two commands or addresses: options, sides, turns, report.
//!
//! Both sides are kept up, and one stands still while the other is driven; where they must share a port, each is started
//! for its turn. A turn is a load of each level. [`galo_judge::duel`] compares the turns pair by pair.

mod answers;
mod corner;
mod load;
mod pace;
mod revision;
mod ring;
pub(crate) mod scan;
mod setup;
mod side;
mod traffic;
mod view;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use galo_judge::duel::DuelVerdict;
use galo_record::run::{Folder, open_header};
use galo_record::{DuelRecord, Machine, RecordError, RunEnd, RunHeader, RunWriter};
use galo_report::{DuelReport, End};

use crate::cli::{DuelArgs, FormArgs, OutputArgs, ProgressArgs};
use crate::exit::Exit;
use crate::live::{Live, Room};
use crate::output::{Forms, check_forms, look, tell as tell_forms};
use crate::report::write_forms;
use crate::session::{header, open_host, run_folder, stop_flag, stopped};

use load::Engine;
use ring::Ring;
use setup::Setup;
use view::Status;

/// Runs the command.
pub(crate) fn run(args: &DuelArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    let stop = stop_flag()?;
    let machine = galo_watch::machine(Path::new("/"));
    if let Some(param) = &args.param {
        return scan::run(args, param, &machine, &stop);
    }
    let create = |header| RunWriter::create_duel(&run_folder(args.out.as_deref()), &header);
    let (writer, record) = fight(args, machine, &stop, create)?;
    Ok(exit_of(&tell(writer.path(), &record, Some(writer.folder()), &args.output, &args.form)?))
}

/// Drives one duel, in the run folder that `create` makes; its writer, and what was recorded.
fn fight(
    args: &DuelArgs,
    machine: Machine,
    stop: &Arc<AtomicBool>,
    create: impl FnOnce(RunHeader) -> Result<RunWriter, RecordError>,
) -> Result<(RunWriter, DuelRecord)> {
    let setup = Setup::new(args, &machine)?;
    let status = Status::default();
    let room = Room::of(&args.output, &ProgressArgs { progress: args.progress });
    let live = Live::with(room, status.view());
    let host = setup.has_commands().then(|| open_host(!args.unlimited, stop, &live)).transpose()?;
    let mut record = setup.record(host.as_ref());
    let writer = create(header(machine))?;
    writer.write_duel(&record)?;

    let engine = Engine { stop: Arc::clone(stop), events: live.events(), threads: setup.threads };
    let ring = Ring::new(setup, engine, host.as_ref(), &live, &writer, &status);
    let driven = ring.drive(&mut record);
    drop(host);
    drop(live);
    record.end = match &driven {
        _ if stopped(stop) => RunEnd::Interrupted,
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
    Ok((writer, record))
}

/// Tells what a duel says, and writes it into a folder if one is given.
pub(crate) fn tell(
    folder: &Path,
    record: &DuelRecord,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<DuelReport> {
    let report = DuelReport::of(record);
    let (header, json) = (open_header(folder)?, report.to_json());
    let document = report.document(record, &header);
    let html = || Ok(document.html(form.language())?);
    let place = write_forms(into, &[("report.json", &|| Ok(json.clone())), ("report.html", &html)])?;
    let markdown = || document.markdown(form.words());
    let summary = || format!("{}{place}", document.terminal(look(), form.words()));
    tell_forms(output, form, &Forms { json: &json, markdown: &markdown, summary: &summary })?;
    Ok(report)
}

fn exit_of(report: &DuelReport) -> Exit {
    match (&report.verdict, report.end) {
        (_, End::Interrupted) => Exit::Interrupted,
        (DuelVerdict::Void { .. }, _) => Exit::Void,
        _ if report.assertions.iter().any(|outcome| !outcome.met) => Exit::CheckFailed,
        _ => Exit::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_what_a_recorded_duel_comes_to() {
        let json = include_str!("../../galo-report/tests/report/duel.json");
        let recorded: DuelRecord = serde_json::from_str(json).unwrap();
        let exit = |change: fn(&mut DuelRecord)| {
            let mut record = recorded.clone();
            change(&mut record);
            exit_of(&DuelReport::of(&record))
        };
        assert_eq!(exit(|record| record.assertions.clear()), Exit::Done);
        let never = |record: &mut DuelRecord| record.assertions = vec!["p99 ratio < 0.001".to_owned()];
        assert_eq!(exit(never), Exit::CheckFailed);
        let late = |record: &mut DuelRecord| {
            let loads = record.turns.iter_mut().flat_map(|turn| &mut turn.loads);
            loads.for_each(|load| load.engine.lag_us_p50 = 1e9);
        };
        assert_eq!(exit(late), Exit::Void);
        assert_eq!(exit(|record| record.end = RunEnd::Interrupted), Exit::Interrupted);
    }
}
