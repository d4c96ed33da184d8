//! `--param NAME=A,B,C`: one command at several settings, each against the first one; or two commands at each setting.

use anyhow::Result;
use galo_judge::ChildFacts;
use galo_plan::knob::{combinations, told};
use galo_plan::scan::FORMAT;
use galo_plan::{Knob, ScanPlan, Turn};
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

impl Kind for Scan {
    type Args = DuelArgs;
    type Plan = ScanPlan;
    const NAMES: [&'static str; 2] = Duel::NAMES;
    const IS_SHOWN: bool = false;

    fn shared(args: &DuelArgs) -> Shared<'_> {
        Duel::shared(args)
    }

    fn new(args: &DuelArgs, known: Option<&ScanPlan>, machine: &Machine) -> Result<Self> {
        let all = settings(args)?;
        let baseline = (args.sides.len() == 1).then(|| all[0].clone());
        let (settings, duels): (Vec<_>, Vec<_>) = duels(args, all)?.into_iter().unzip();
        let seed = drawn_unless(known.map(|plan| plan.seed).or(args.seed))?;
        let plan = ScanPlan { format: FORMAT, baseline, seed, settings };
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
        let (args, setting) = (&self.duels[index], told(&self.plan.settings[index]));
        if !self.is_quiet {
            say(&format!("{setting} ({} of {})", id.child, self.duels.len()));
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

/// All settings of the parameters, two at least where one command fights itself.
fn settings(args: &DuelArgs) -> Result<Vec<Vec<Turn>>, WrongUse> {
    let written = |knob: &Knob| format!("--param {}", knob.name);
    for knob in &args.param {
        let is_word = knob.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if !is_word || knob.name == "port" {
            let hint = "hint: write for example --param workers=1,2,4";
            let text = format!("{} has no name that may stand between braces", written(knob));
            return Err(WrongUse(format!("{text}\n{hint}")));
        }
        let place = place(&knob.name);
        if !args.sides.iter().any(|command| command.contains(&place)) {
            let hint = format!("write {place} where the value belongs, e.g. 'WORKERS={place} node a.js'");
            return Err(WrongUse(format!("{place} stands in no command\nhint: {hint}")));
        }
    }
    let all = combinations(&args.param).map_err(|error| WrongUse(format!("--param: {error}")))?;
    match (all.len(), args.sides.len()) {
        (1, 1) => {
            let hint = "hint: write for example --param workers=1,2,4";
            Err(WrongUse(format!("{} needs two values or more\n{hint}", written(&args.param[0]))))
        }
        _ => Ok(all),
    }
}

/// What stands in a command for a parameter.
fn place(name: &str) -> String {
    format!("{{{name}}}")
}

/// The duels at these settings, each with the one that it is told by.
fn duels(args: &DuelArgs, all: Vec<Vec<Turn>>) -> Result<Vec<(Vec<Turn>, DuelArgs)>, WrongUse> {
    let filled = |command: &String, turns: &[Turn]| {
        turns.iter().fold(command.clone(), |command, turn| command.replace(&place(&turn.knob), &turn.value))
    };
    let duel =
        |sides: Vec<String>, name: Vec<String>| DuelArgs { sides, name, param: Vec::new(), ..args.clone() };
    Ok(match args.sides.as_slice() {
        [_] if !args.name.is_empty() => {
            let hint = "leave --name out: its sides are named by the value, e.g. workers=2";
            return Err(WrongUse(format!("--name with --param and one command\nhint: {hint}")));
        }
        [command] => {
            let first = all[0].clone();
            let against_first = |turns: Vec<Turn>| {
                let both = [&first, &turns];
                let duel = duel(
                    both.map(|turns| filled(command, turns)).into(),
                    both.map(|turns| told(turns)).into(),
                );
                (turns, duel)
            };
            all.into_iter().skip(1).map(against_first).collect()
        }
        commands => {
            let name = match args.name.as_slice() {
                // What tells them apart is the same at each setting.
                [] => <[String; 2]>::try_from(commands.to_vec())
                    .map_or(Vec::new(), |two| told_apart(&two).into()),
                names => names.to_vec(),
            };
            let at = |turns: &[Turn]| commands.iter().map(|command| filled(command, turns)).collect();
            all.into_iter().map(|turns| (turns.clone(), duel(at(&turns), name.clone()))).collect()
        }
    })
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

    fn duels(params: &[&str], line: &[&str]) -> String {
        let params: Vec<&str> = params.iter().flat_map(|param| ["--param", param]).collect();
        let args = args(&[line, &params].concat());
        let duels = settings(&args).and_then(|all| super::duels(&args, all));
        match duels {
            Err(error) => error.to_string(),
            Ok(duels) => duels
                .iter()
                .map(|(turns, args)| format!("{}: {:?} {:?}\n", told(turns), args.sides, args.name))
                .collect(),
        }
    }

    #[test]
    fn one_command_fights_itself_at_the_first_setting() {
        assert_snapshot!(duels(&["n=1,2,4"], &["N={n} app {port}"]), @r#"
        n=2: ["N=1 app {port}", "N=2 app {port}"] ["n=1", "n=2"]
        n=4: ["N=1 app {port}", "N=4 app {port}"] ["n=1", "n=4"]
        "#);
        assert_snapshot!(duels(&["n=1,2", "m=a,b"], &["app {n} {m}"]), @r#"
        n=1 m=b: ["app 1 a", "app 1 b"] ["n=1 m=a", "n=1 m=b"]
        n=2 m=a: ["app 1 a", "app 2 a"] ["n=1 m=a", "n=2 m=a"]
        n=2 m=b: ["app 1 a", "app 2 b"] ["n=1 m=a", "n=2 m=b"]
        "#);
    }

    #[test]
    fn two_commands_fight_at_each_setting() {
        assert_snapshot!(duels(&["n=1, 2"], &["a {n}", "b {n}"]), @r#"
        n=1: ["a 1", "b 1"] ["a", "b"]
        n=2: ["a 2", "b 2"] ["a", "b"]
        "#);
        assert_snapshot!(duels(&["n=1,2"], &["a", "b {n}", "--name", "x", "--name", "y"]), @r#"
        n=1: ["a", "b 1"] ["x", "y"]
        n=2: ["a", "b 2"] ["x", "y"]
        "#);
    }

    #[test]
    fn what_is_no_parameter_is_told() {
        for wrong in ["port=1,2", "a.b=1,2", "n=1"] {
            let told = duels(&[wrong], &["a {n} {port}"]);
            assert!(told.contains("hint: "), "{wrong}: {told}");
        }
        assert_snapshot!(duels(&["n=1"], &["a {n}"]), @r"
        --param n needs two values or more
        hint: write for example --param workers=1,2,4
        ");
        assert_snapshot!(duels(&["n=1,2"], &["a {m}"]), @r"
        {n} stands in no command
        hint: write {n} where the value belongs, e.g. 'WORKERS={n} node a.js'
        ");
    }
}
