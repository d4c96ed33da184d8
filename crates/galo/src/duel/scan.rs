//! `--param NAME=A,B,C`: one command at several values, each against the first one; or two commands at each value.

use anyhow::Result;
use galo_judge::ChildFacts;
use galo_plan::ScanPlan;
use galo_plan::scan::FORMAT;
use galo_record::act::ChildId;
use galo_record::{AnyRun, Machine, Run, RunEnd, RunWriter, Seeds};

use super::Duel;
use super::setup::Setup;
use super::side::told_apart;
use crate::children;
use crate::cli::DuelArgs;
use crate::contenders::drawn_unless;
use crate::exit::WrongUse;
use crate::follow::Quiet;
use crate::frame::{Desk, Driven, Kind, Place, Shared, drive_one};
use crate::output::say;
use crate::report;

/// A scan: its children are duels.
pub(crate) struct Scan {
    plan: ScanPlan,
    /// The options of each duel.
    duels: Vec<DuelArgs>,
    is_quiet: bool,
}

/// A parameter and its values, at least two of them.
struct Parameter {
    name: String,
    values: Vec<String>,
}

impl Kind for Scan {
    type Args = DuelArgs;
    type Plan = ScanPlan;
    const NAMES: [&'static str; 2] = Duel::NAMES;
    const IS_SHOWN: bool = false;

    fn shared(args: &DuelArgs) -> Shared<'_> {
        Duel::shared(args)
    }

    fn new(args: &DuelArgs, known: Option<&ScanPlan>, machine: &Machine) -> Result<Self> {
        let parameter = Parameter::parse(args.param.as_deref().unwrap_or_default())?;
        let (values, duels): (Vec<_>, Vec<_>) = parameter.duels(args)?.into_iter().unzip();
        let baseline = (args.sides.len() == 1).then(|| parameter.values[0].clone());
        let seed = drawn_unless(known.map(|plan| plan.seed).or(args.seed))?;
        let plan = ScanPlan { format: FORMAT, parameter: parameter.name, baseline, seed, values };
        let seeded = |(child, duel)| DuelArgs { seed: Some(plan.seed_of(child)), ..duel };
        let duels: Vec<DuelArgs> = (1..).zip(duels).map(seeded).collect();
        for duel in duels.iter().filter(|_| known.is_none()) {
            // What is wrong with one of them is told before the first one is driven.
            Setup::new(duel, machine, None)?;
        }
        Ok(Self { plan, duels, is_quiet: args.output.quiet })
    }

    fn plan(&self) -> &ScanPlan {
        &self.plan
    }

    fn changed(old: &ScanPlan, new: &ScanPlan) -> Option<String> {
        (old != new).then(|| "what its duels are".to_owned())
    }

    fn limited(&self) -> Option<bool> {
        None
    }

    fn prepare(&mut self, _: &Desk<'_>) -> Result<()> {
        Ok(())
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run<ScanPlan>>) -> Result<bool> {
        let count = self.duels.len();
        let known = known.map(|run| (run.acts.clone(), AnyRun::Scan(Box::new(run))));
        let next = |facts: &[ChildFacts]| (facts.len() < count).then_some(facts.len() as u32 + 1);
        let child = |id, _: &[ChildFacts]| self.child(desk, writer, id);
        Ok(children::drive(writer, known, next, child, &mut Quiet)?.interrupted)
    }
}

impl Scan {
    /// Drives a duel; `None`: the caller broke it off.
    fn child(&self, desk: &Desk<'_>, writer: &RunWriter, id: ChildId) -> Result<Option<RunEnd>> {
        let index = id.child as usize - 1;
        let (args, value) = (&self.duels[index], &self.plan.values[index]);
        if !self.is_quiet {
            say(&format!("{}={value} ({} of {})", self.plan.parameter, id.child, self.duels.len()));
        }
        let duel = Duel::new(args, None, &desk.session.header.machine)?;
        let driven = drive_one(duel, desk.session, desk.args, Place::Child(writer, id))?;
        let Driven { writer, interrupted, .. } = driven;
        if interrupted {
            return Ok(None);
        }
        // One value at which a command does not start leaves the others to be told.
        let judged = report::fold(AnyRun::open(writer.path(), &Seeds::of_user())?, &mut |_, _| ())?.judged;
        report::say_failure(&judged, writer.path());
        Ok(Some(judged.end()))
    }
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
