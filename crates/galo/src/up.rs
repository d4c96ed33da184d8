//! `galo up`: a contender under its limits, for any outside tool to drive.

use std::time::Duration;

use anyhow::Result;
use galo_judge::findings::{Finding, Wording};
use galo_plan::units::{format_bytes, format_cpus};
use galo_record::Placement;
use galo_words::Lang;

use crate::cli::UpArgs;
use crate::exit::Exit;
use crate::live::{Live, Room};
use crate::output::{print, say};
use crate::registry::{self, HowRead};
use crate::session::{hide, open_host, run_folder};
use crate::stop::{stop_flag, stopped};
use crate::watched::Watched;

/// Runs the command.
pub(crate) fn run(args: &UpArgs) -> Result<Exit> {
    let stop = stop_flag()?;
    let (definition, contender) = registry::contender(&args.contender, &HowRead::new(&args.runners, 1)?)?;
    let port = definition.challenge.policy.port;
    if let Some(told) = galo_report::over_budget(&contender, &definition.challenge.policy) {
        say(&told.en);
    }
    let live = Live::start(Room::Line, &Watched::default());
    let host = open_host(!args.unlimited, &stop, &live)?;
    host.ready_when(definition.challenge.policy.ready.as_deref());
    host.build(&contender)?;
    let run = run_folder(args.out.as_deref());
    let logs = run.join("logs");
    std::fs::create_dir_all(&logs)?;
    hide(&host, &run);
    let mut running = host.start(&contender, port, &logs)?;
    drop(live);
    print(&format!("{}logs: {}\nCtrl-C ends it\n", describe(running.placement()), logs.display()))?;
    while !stopped(&stop) {
        for trouble in running.trouble() {
            let Wording { text, evidence, .. } = Finding::from(&trouble).wording();
            say(&text.en);
            evidence.iter().for_each(|line| say(&format!("  {}", line.en)));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    for finding in running.stop()? {
        say(&galo_judge::findings::host_sentence(&finding, Lang::En));
    }
    Ok(Exit::Done)
}

fn describe(placement: &Placement) -> String {
    let mut text = String::new();
    text += &format!("{} is up at http://{}\n", placement.contender, placement.target);
    for service in &placement.services {
        let cpus = service.cpus_milli.map_or("unlimited".to_owned(), format_cpus);
        let memory = service.memory_bytes.map_or("unlimited".to_owned(), format_bytes);
        text += &format!("  {:<12} pid {:<8} {cpus} CPU, {memory}\n", service.name, service.pid);
    }
    text
}
