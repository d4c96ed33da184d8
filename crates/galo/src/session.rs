//! What every command that drives something shares: the host, the run folder, the run's header.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use galo_host::{Host, HostOptions};
use galo_plan::challenge::Policy;
use galo_record::run::FORMAT;
use galo_record::{Machine, RunHeader, Seeds};

use crate::live::Live;

/// Opens the host, and says first of all if it will not enforce limits.
pub(crate) fn open_host(limited: bool, stop: &Arc<AtomicBool>, live: &Live) -> Result<Host> {
    let host = Host::open(HostOptions { limited, stop: Arc::clone(stop), events: live.events() })?;
    if let Some(note) = host.limits_note() {
        live.line(&format!("limits are NOT enforced: {note}"));
    }
    if let Some(note) = host.walls_note() {
        live.line(&format!("walls do NOT hold: {note}"));
    }
    Ok(host)
}

/// Keeps a run's folder from its contenders, with the runs beside it where galo chose the place, and the seeds of all runs.
pub(crate) fn hide(host: &Host, run: &Path) {
    let beside = run.parent().filter(|parent| parent.ends_with(RUNS));
    host.hide(beside.unwrap_or(run));
    Seeds::of_user().path().into_iter().for_each(|seeds| host.hide(seeds));
}

/// Where runs go for which nobody names a place.
const RUNS: &str = "galo-runs";

/// The folder of a new run: as given, or `galo-runs/` and the time.
pub(crate) fn run_folder(out: Option<&Path>) -> PathBuf {
    out.map_or_else(
        || {
            let now = humantime::format_rfc3339_millis(std::time::SystemTime::now()).to_string();
            PathBuf::from(RUNS).join(now.replace(':', "-"))
        },
        Path::to_path_buf,
    )
}

/// The header of a run that starts now.
pub(crate) fn header(machine: Machine) -> RunHeader {
    // All but the program are UTF-8.
    let words = std::env::args_os().skip(1);
    let lossy = |word: OsString| word.to_string_lossy().into_owned();
    RunHeader {
        format: FORMAT,
        galo: env!("CARGO_PKG_VERSION").to_owned(),
        command: std::iter::once("galo".to_owned()).chain(words.map(lossy)).collect(),
        started: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
        machine,
    }
}

/// Threads of the load engine: as asked, or the cores that the budget leaves, 1 to 4.
pub(crate) fn engine_threads(asked: Option<u16>, policy: &Policy) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let taken = policy.cpus_milli.div_ceil(1000) as usize;
    asked.map_or_else(|| cores.saturating_sub(taken).clamp(1, 4), usize::from)
}
