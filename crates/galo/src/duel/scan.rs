//! `--param NAME=A,B,C`: one command at several values, each against the first one; or two commands at each value.

use std::path::Path;

use anyhow::Result;
use galo_judge::json::pretty;
use galo_judge::scan::{JudgedScan, ScannedDuel};
use galo_plan::duel::{FORMAT, ScanDuel};
use galo_plan::{DuelPlan, PairId, ScanPlan, Seed};
use galo_record::run::{Folder, open_header};
use galo_record::{RecordError, Run, RunHeader, RunWriter, Seeds};

use super::setup::Setup;
use super::side::told_apart;
use super::{Known, Session, exit_of, fight, refused};
use crate::cli::{DuelArgs, FormArgs, OutputArgs};
use crate::cut_off::CutOff;
use crate::exit::{self, Exit, WrongUse};
use crate::output::{say, tell_document};
use crate::session::{header, run_folder, stopped};

/// A parameter and its values, at least two of them.
struct Parameter {
    name: String,
    values: Vec<String>,
}

/// Drives all duels of a scan, or what is left of them, then tells them as one.
///
/// # Errors
/// What is wrong with the options; what ends a duel.
pub(super) fn run(
    args: &DuelArgs,
    param: &str,
    session: &Session<'_>,
    known: Option<(RunWriter, Run<ScanPlan>)>,
) -> Result<Exit> {
    // Its command line is recorded without the seed.
    let seed = known.as_ref().map_or(args.seed, |(_, run)| run.plan.seed);
    let args = &DuelArgs { seed, ..args.clone() };
    let parameter = Parameter::parse(param)?;
    let duels = parameter.duels(args)?;
    let plan = parameter.plan(args, &duels);
    let writer = match known {
        Some((_, run)) if run.plan != plan => {
            return Err(refused(&run.path, "its command line is not that of its duels"));
        }
        Some((writer, _)) => writer,
        None => {
            for (_, duel) in &duels {
                // What is wrong with one of them is told before the first one is driven.
                Setup::new(duel, session.machine, None)?;
            }
            RunWriter::create(&run_folder(args.out.as_deref()), session.header, &plan, &Seeds::of_user())?
        }
    };
    let (all, mut failures) = (duels.len(), Vec::new());
    for (number, (ScanDuel { value, folder }, (_, args))) in plan.duels.iter().zip(duels).enumerate() {
        if !args.output.quiet {
            say(&format!("{}={value} ({} of {all})", parameter.name, number + 1));
        }
        let begun = child(&writer.path().join(folder))?;
        let header = RunHeader { command: session.header.command.clone(), ..header(session.machine.clone()) };
        let create = |duel: &_| writer.create_child(folder, &header, duel);
        let args = DuelArgs { seed: seed.map(|seed| of_duel(seed, number)), ..args };
        // One value at which a command does not start leaves the others to be told.
        failures.extend(fight(&args, session, begun, create).err().map(|error| exit::report(&error)));
        if stopped(session.stop) {
            break;
        }
    }
    let is_over = plan.duels.iter().all(|duel| is_over(&writer.path().join(&duel.folder)));
    if is_over {
        writer.tell_seed()?;
    }
    let scan = tell(writer.path(), &plan, Some(writer.folder()), &args.output, &args.form)?;
    if stopped(session.stop) && !is_over {
        CutOff::Duel.say_interrupted(writer.path());
    }
    let of_duel = |at: &ScannedDuel| exit_of(&at.duel, args.assert_strict);
    let exits = scan.duels.iter().map(of_duel).chain(failures);
    Ok(exits.max_by_key(|exit| exit.gravity()).unwrap_or(Exit::Done))
}

/// A duel tells its seed at its end, while others are still to be driven.
fn of_duel(seed: Seed, number: usize) -> Seed {
    seed.of_pair(PairId { pair: number as u32, attempt: 0 })
}

/// Whether a duel of the scan cannot be gone on with.
fn is_over(path: &Path) -> bool {
    Run::<DuelPlan>::open(path, &Seeds::of_user()).is_ok_and(|run| run.is_over)
}

/// A duel of the scan that was begun before.
fn child(path: &Path) -> Result<Option<Known>, RecordError> {
    match open_header(path) {
        Ok(_) => RunWriter::resume(path, &Seeds::of_user()).map(Some),
        Err(RecordError::NoRun(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Tells what a scan says, and writes it into a folder if one is given, with the page of each duel below it.
pub(crate) fn tell(
    folder: &Path,
    scan: &ScanPlan,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<JudgedScan> {
    let mut duels = Vec::with_capacity(scan.duels.len());
    for duel in &scan.duels {
        match Run::open(&folder.join(&duel.folder), &Seeds::of_user()) {
            Ok(run) => {
                // Its own page is what this one links to.
                let quiet = OutputArgs { json: None, quiet: true };
                let below = into.map(|into| into.make_unless_there(&duel.folder)).transpose()?;
                let judged = super::tell(&run, below.as_ref(), &quiet, &form.page_alone())?;
                duels.push(ScannedDuel { value: duel.value.clone(), duel: judged });
            }
            // It was not begun; whatever kept it from that was told then.
            Err(RecordError::NoRun(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let judged = JudgedScan::of(scan, duels);
    let page =
        |value: &str| scan.duels.iter().find(|duel| duel.value == value).map(|duel| duel.folder.clone());
    let document = galo_report::scan(&judged, &open_header(folder)?, page);
    tell_document(&document, &pretty(&judged), into, output, form)?;
    Ok(judged)
}

impl Parameter {
    fn parse(text: &str) -> Result<Self, WrongUse> {
        let wrong = |what: &str| {
            WrongUse(format!("--param `{text}` {what}\nhint: write for example --param workers=1,2,4"))
        };
        let (name, values) = text.split_once('=').ok_or_else(|| wrong("has no `=`"))?;
        let is_word = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
        };
        if !is_word(name) || name == "port" {
            return Err(wrong("has no name that may stand between braces"));
        }
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        if values.len() < 2 || values.iter().any(String::is_empty) {
            return Err(wrong("needs two values or more"));
        }
        let mut seen = values.clone();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() < values.len() {
            return Err(wrong("names a value twice"));
        }
        Ok(Self { name: name.to_owned(), values })
    }

    /// Which duels there are to be, and where.
    fn plan(&self, args: &DuelArgs, duels: &[(String, DuelArgs)]) -> ScanPlan {
        let duel = |(value, number): (&String, usize)| ScanDuel {
            value: value.clone(),
            folder: format!("{number:02}"),
        };
        ScanPlan {
            format: FORMAT,
            parameter: self.name.clone(),
            seed: args.seed,
            baseline: (args.sides.len() == 1).then(|| self.values[0].clone()),
            duels: duels.iter().map(|(value, _)| value).zip(1..).map(duel).collect(),
        }
    }

    /// The duels, each with the value that it is told by.
    fn duels(&self, args: &DuelArgs) -> Result<Vec<(String, DuelArgs)>, WrongUse> {
        let place = format!("{{{}}}", self.name);
        let commands = &args.sides;
        if !commands.iter().any(|command| command.contains(&place)) {
            let hint = format!("write {place} where the value belongs, e.g. 'WORKERS={place} node a.js'");
            return Err(WrongUse(format!("{place} stands in no command\nhint: {hint}")));
        }
        let filled = |command: &String, value: &String| command.replace(&place, value);
        let duel =
            |sides: Vec<String>, name: Vec<String>| DuelArgs { sides, name, param: None, ..args.clone() };
        let all = self.values.iter();
        Ok(match commands.as_slice() {
            [_] if !args.name.is_empty() => {
                let hint = "leave --name out: its sides are named by the value, e.g. workers=2";
                return Err(WrongUse(format!("--name with --param and one command\nhint: {hint}")));
            }
            [command] => {
                let called = |value: &String| format!("{}={value}", self.name);
                let first = &self.values[0];
                let against_first = |value: &String| {
                    let both = [first, value];
                    duel(both.map(|value| filled(command, value)).into(), both.map(called).into())
                };
                all.skip(1).map(|value| (value.clone(), against_first(value))).collect()
            }
            _ => {
                let name = match args.name.as_slice() {
                    // What tells them apart is the same at each value.
                    [] => <[String; 2]>::try_from(commands.clone())
                        .map_or(Vec::new(), |two| told_apart(&two).into()),
                    names => names.to_vec(),
                };
                let at = |value: &String| commands.iter().map(|command| filled(command, value)).collect();
                all.map(|value| (value.clone(), duel(at(value), name.clone()))).collect()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use insta::assert_snapshot;

    use super::*;
    use crate::cli::{Cli, Command};

    fn args(line: &[&str]) -> DuelArgs {
        let line = [&["galo", "duel", "--url", "http://127.0.0.1:{port}/"], line].concat();
        match Cli::parse_from(line).command {
            Command::Duel(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    fn duels(param: &str, line: &[&str]) -> String {
        let duels = Parameter::parse(param).and_then(|parameter| parameter.duels(&args(line)));
        match duels {
            Err(error) => error.to_string(),
            Ok(duels) => duels
                .iter()
                .map(|(value, args)| format!("{value}: {:?} {:?}\n", args.sides, args.name))
                .collect(),
        }
    }

    #[test]
    fn one_command_fights_itself_at_the_first_value() {
        assert_snapshot!(duels("n=1,2,4", &["N={n} app {port}"]), @r#"
2: ["N=1 app {port}", "N=2 app {port}"] ["n=1", "n=2"]
4: ["N=1 app {port}", "N=4 app {port}"] ["n=1", "n=4"]
"#);
    }

    #[test]
    fn two_commands_fight_at_each_value() {
        assert_snapshot!(duels("n=1, 2", &["a {n}", "b {n}"]), @r#"
1: ["a 1", "b 1"] ["a", "b"]
2: ["a 2", "b 2"] ["a", "b"]
"#);
        assert_snapshot!(duels("n=1,2", &["a", "b {n}", "--name", "x", "--name", "y"]), @r#"
1: ["a", "b 1"] ["x", "y"]
2: ["a", "b 2"] ["x", "y"]
"#);
    }

    #[test]
    fn what_is_no_parameter_is_told() {
        for wrong in ["n", "=1,2", "port=1,2", "a b=1,2", "n=1", "n=1,,2", "n=1,1"] {
            assert!(Parameter::parse(wrong).is_err(), "{wrong}");
        }
        assert_snapshot!(duels("n=1", &["a {n}"]), @r#"
--param `n=1` needs two values or more
hint: write for example --param workers=1,2,4
"#);
        assert_snapshot!(duels("n=1,2", &["a {m}"]), @r#"
{n} stands in no command
hint: write {n} where the value belongs, e.g. 'WORKERS={n} node a.js'
"#);
    }
}
