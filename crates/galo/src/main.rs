//! galo stages a fair fight between HTTP backends and gives a verdict that can be trusted.
//!
//! This crate is the command line: it wires the stages together (plan, host, load, watch, record, judge, report),
//! prints, and sets the exit code. It decides nothing about a fight itself. Its one key decision: standard output
//! carries results alone, and everything that merely accompanies them goes to standard error, so that galo pipes.

mod address;
mod calibrate;
mod check;
mod children;
mod cli;
mod contenders;
mod doctor;
mod duel;
mod exit;
mod fight;
mod follow;
mod frame;
mod init;
mod league;
mod limit;
mod live;
mod load;
mod metrics;
mod noise;
mod output;
mod policy;
mod registry;
mod report;
mod resume;
mod schema;
mod session;
mod soak;
mod stop;
mod tune;
mod up;
mod watched;
mod written;
mod wrong;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::check::Check;
use crate::cli::{Cli, Command};
use crate::duel::Duel;
use crate::duel::scan::Scan;
use crate::exit::{Exit, WrongUse};
use crate::fight::Fight;
use crate::league::League;
use crate::limit::Limit;
use crate::soak::Soak;
use crate::tune::Tune;

/// What galo says to somebody who asks for nothing.
const FIRST_STEPS: &str = "\
galo doctor        what this machine can enforce, and how to mend each lack
galo fight         a first fight, between two contenders that come with galo
galo duel --help   which of your two servers, commands or revisions is better
galo --help        all commands; each has examples in its own --help
";

fn main() -> ExitCode {
    let run = || {
        let words = words()?;
        if words.len() < 2 {
            output::print(FIRST_STEPS)?;
            return Ok(Exit::Done);
        }
        let Cli { command } = cli::parse(&words)?.unwrap_or_else(|error| error.exit());
        galo_load::raise_open_files();
        run(resume::as_begun(command)?)
    };
    run().unwrap_or_else(|error| exit::report(&error)).into()
}

/// The command line, the program first. Runs record all after that, and what they record is UTF-8.
fn words() -> Result<Vec<String>, WrongUse> {
    let text = |word: OsString| {
        word.into_string().map_err(|word| WrongUse(format!("`{}` is not UTF-8", word.display())))
    };
    let mut words = std::env::args_os();
    let program = words.next().unwrap_or_default().to_string_lossy().into_owned();
    std::iter::once(Ok(program)).chain(words.map(text)).collect()
}

fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Fight(args) if !args.sweep.sweep.is_empty() => {
            frame::run::<League>(&league::sweep::of_fight(*args)?)
        }
        Command::Fight(args) => frame::run::<Fight>(&args),
        Command::League(args) => match args.part {
            Some(part) => league::shared::run(part),
            None => frame::run::<League>(&args),
        },
        Command::Duel(args) if !args.param.is_empty() => frame::run::<Scan>(&args),
        Command::Duel(args) => frame::run::<Duel>(&args),
        Command::Check(args) if !args.policy.is_empty() => policy::run(&args),
        Command::Check(args) => frame::run::<Check>(&args),
        Command::Init(args) => init::run(&args),
        Command::Load(args) => load::run(&args),
        Command::Limit(args) if !args.sweep.sweep.is_empty() => {
            frame::run::<League>(&league::sweep::of_limit(args)?)
        }
        Command::Limit(args) => frame::run::<Limit>(&args),
        Command::Soak(args) => frame::run::<Soak>(&args),
        Command::Tune(args) => frame::run::<Tune>(&args),
        Command::Up(args) => up::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Clean => {
            let removed = galo_host::clean()?;
            let text = if removed.is_empty() { "nothing to remove".to_owned() } else { removed.join("\n") };
            output::print(&(text + "\n"))?;
            Ok(Exit::Done)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "galo", &mut script);
            output::print(&String::from_utf8_lossy(&script))?;
            Ok(Exit::Done)
        }
        Command::Schema { of } => {
            output::print(schema::of(of).as_ref())?;
            Ok(Exit::Done)
        }
        Command::Man { folder } => {
            std::fs::create_dir_all(&folder)?;
            clap_mangen::generate_to(Cli::command(), &folder)?;
            Ok(Exit::Done)
        }
        Command::Null { address } => calibrate::serve_null(address),
        Command::Supervise { state } => {
            galo_host::supervise(&state)?;
            Ok(Exit::Done)
        }
    }
}
