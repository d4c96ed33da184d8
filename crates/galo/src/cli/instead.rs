//! `galo fight` with commands or addresses is refused with the line of `galo duel` that is meant.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use galo_plan::operands::{is_address, shell_line};

use super::resumable::read;
use super::{Cli, Command};
use crate::exit::WrongUse;

/// Reads a command line, of which the first word is the program. What clap says against it (or the help that was asked for)
/// stands in the inner result.
///
/// # Errors
/// `galo fight` where `galo duel` is meant.
pub(crate) fn parse(words: &[String]) -> Result<Result<Cli, clap::Error>, WrongUse> {
    let parsed = read(words);
    if words.get(1).is_none_or(|command| command != "fight") {
        return Ok(parsed);
    }
    let duel = [&["galo", "duel"].map(str::to_owned), &words[2..]].concat();
    let as_duel = read(&duel);
    let is_duel = match &parsed {
        Ok(cli) => has_address(cli),
        Err(error) if error.kind() == ErrorKind::DisplayHelp => false,
        Err(_) => as_duel.as_ref().is_ok_and(has_address) || duel.iter().any(|word| is_of_duels(word)),
    };
    if !is_duel {
        return Ok(parsed);
    }
    let hint = match as_duel {
        Ok(_) => shell_line(&duel),
        Err(error) => {
            let said = error.to_string();
            let said = said.lines().next().unwrap_or_default().trim_start_matches("error: ");
            format!("see galo duel --help; to this line it would say: {said}")
        }
    };
    Err(WrongUse(format!("commands, addresses and revisions fight by `galo duel`\nhint: {hint}")))
}

fn has_address(cli: &Cli) -> bool {
    match &cli.command {
        Command::Fight(args) => args.contenders.iter().any(|path| is_address(&path.to_string_lossy())),
        Command::Duel(args) => args.sides.iter().any(|side| is_address(side)),
        _ => false,
    }
}

/// Whether an option is one that only `galo duel` has, and that says what fights.
fn is_of_duels(word: &str) -> bool {
    ["--url", "--git", "--param"].contains(&word.split('=').next().unwrap_or_default())
}

/// What is to be told of something that is neither a contender nor an address: either it is a command, or it is not there.
pub(crate) fn no_contender(missing: &Path, all: &[PathBuf]) -> WrongUse {
    let text = format!("`{}` is no Compose file and no folder with one", missing.display());
    if all.len() != 2 || all.iter().any(|path| path.exists()) {
        let hint = "name a folder that holds a compose.yaml";
        return WrongUse(format!("{text}\nhint: {hint}"));
    }
    let words = ["galo", "duel", "--url", "http://127.0.0.1:{port}/"].map(str::to_owned);
    let commands = all.iter().map(|path| path.to_string_lossy().into_owned());
    let line = shell_line(&words.into_iter().chain(commands).collect::<Vec<_>>());
    WrongUse(format!("{text}\nhint: if it is a command: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &[&str]) -> String {
        let words: Vec<String> = ["galo", "fight"].iter().chain(line).map(|&word| word.to_owned()).collect();
        match parse(&words) {
            Err(error) => error.to_string(),
            Ok(Err(error)) => error.to_string().lines().next().unwrap_or_default().to_owned(),
            Ok(Ok(_)) => "a fight".to_owned(),
        }
    }

    #[test]
    fn a_fight_of_what_are_no_contenders_is_told_with_the_line_of_the_duel() {
        let hint =
            |line: &str| format!("commands, addresses and revisions fight by `galo duel`\nhint: {line}");
        assert_eq!(told(&["http://a:1/", "http://b:2/"]), hint("galo duel http://a:1/ http://b:2/"));
        assert_eq!(
            told(&["--url", "http://127.0.0.1:{port}/", "node a {port}", "node b {port}", "--quick"]),
            hint("galo duel --url 'http://127.0.0.1:{port}/' 'node a {port}' 'node b {port}' --quick")
        );
        assert_eq!(
            told(&["--git", "a", "--git", "b", "--url=http://h/", "app", "--assert", "p99 ratio < 1.05"]),
            hint("galo duel --git a --git b --url=http://h/ app --assert 'p99 ratio < 1.05'")
        );
        assert_eq!(
            told(&["http://a:1/", "http://b:2/", "--scale", "2"]),
            hint("see galo duel --help; to this line it would say: unexpected argument '--scale' found")
        );
    }

    #[test]
    fn a_sweep_of_contenders_that_cannot_be_is_told_as_one() {
        let told = told(&["mine", "--sweep", "pool=1,2", "--ceiling"]);
        assert_eq!(told, "error: the argument '--sweep <KNOB=VALUES>' cannot be used with '--ceiling'");
    }

    #[test]
    fn a_fight_of_contenders_is_one() {
        for line in [&[][..], &["mine", "yours"], &["mine", "--push-gateway", "http://gateway/"]] {
            assert_eq!(told(line), "a fight", "{line:?}");
        }
    }

    #[test]
    fn what_only_duels_have_is_unknown_to_a_fight_of_contenders() {
        for option in
            ["--assert=p99 ratio < 2", "--quick", "--thorough", "--rate=5", "--cpus=1", "--requests=a.log"]
        {
            let name = option.split('=').next().unwrap_or_default();
            let told = told(&["mine", "yours", option]);
            assert_eq!(told, format!("error: unexpected argument '{name}' found"), "{option}");
        }
    }
}
