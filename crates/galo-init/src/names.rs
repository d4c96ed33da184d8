//! Names of contenders, which are names of folders as well.

use std::path::Path;

use galo_plan::operands::words_apart;
use galo_plan::secret::{MASK, in_text};

use crate::CHALLENGE;
use crate::error::InitError;

/// As given, or by what tells the commands apart.
pub(super) fn of(commands: &[&str], given: &[String]) -> Result<Vec<String>, InitError> {
    if given.is_empty() {
        return Ok(told_apart(commands));
    }
    if given.len() != commands.len() {
        let count = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
        let text = format!("{} for {}", count(given.len(), "name"), count(commands.len(), "command"));
        return Err(InitError::Wrong(format!(
            "{text}\nhint: give --name once for each command, in their order"
        )));
    }
    if let Some(wrong) = given.iter().find(|name| !is_free(name) || slug(name) != **name) {
        let hint = format!("use letters, digits, `.`, `_` and `-`; `{CHALLENGE}` is the challenge's file");
        return Err(InitError::Wrong(format!(
            "--name `{wrong}` cannot be the name of a folder\nhint: {hint}"
        )));
    }
    if let Some(twice) = twice(given) {
        return Err(InitError::Wrong(format!(
            "two contenders are called `{twice}`\nhint: give each another --name"
        )));
    }
    Ok(given.to_vec())
}

/// `a` and `b` of `node a.js {port}` and `node b.js {port}`. What is a secret names no folder.
fn told_apart(commands: &[&str]) -> Vec<String> {
    let masked: Vec<String> = commands.iter().map(|line| in_text(line)).collect();
    let words: Vec<Vec<&str>> = masked.iter().map(|line| line.split_whitespace().collect()).collect();
    let names: Vec<String> = match words.as_slice() {
        [only] => vec![slug(&stem(program(only)))],
        _ => words_apart(&words).iter().map(|own| slug(&stems(own))).collect(),
    };
    let full = || words_apart(&words).iter().map(|own| slug(&own.join(" "))).collect();
    let will_do = |names: &Vec<String>| names.iter().all(|name| is_free(name)) && twice(names).is_none();
    let counted = || (1..=commands.len()).map(|number| format!("contender-{number}")).collect();
    [names, full()].into_iter().find(will_do).unwrap_or_else(counted)
}

/// Whether a folder may have this name beside the challenge's file.
fn is_free(name: &str) -> bool {
    !name.is_empty() && name != CHALLENGE
}

/// Whether a word says what is run: neither a port nor a secret.
fn names_something(word: &str) -> bool {
    !word.contains("{port}") && !word.contains(MASK)
}

/// The word that names a program best: the last one that is no option.
fn program<'a>(words: &[&'a str]) -> &'a str {
    let named = |word: &&&str| !word.starts_with('-') && names_something(word);
    words.iter().rev().find(named).copied().unwrap_or_default()
}

/// Words without the folders and the extensions of files.
fn stems(words: &[&str]) -> String {
    let named = words.iter().filter(|word| names_something(word));
    named.map(|word| stem(word)).collect::<Vec<_>>().join(" ")
}

fn stem(word: &str) -> String {
    Path::new(word).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Letters, digits, dots, underscores, and dashes for all else.
fn slug(text: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "._".contains(c) { c } else { '-' };
    let parts: String = text.chars().map(kept).collect();
    let parts = parts.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    parts.trim_start_matches('.').to_owned()
}

/// A name that stands twice.
fn twice(names: &[String]) -> Option<&String> {
    names.iter().enumerate().find(|(index, name)| names[..*index].contains(name)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_are_called_by_what_tells_their_commands_apart() {
        assert_eq!(told_apart(&["node a.js {port}", "node b.js {port}"]), ["a", "b"]);
        assert_eq!(told_apart(&["node a.js {port}", "bun b.ts {port}"]), ["node-a", "bun-b"]);
        assert_eq!(told_apart(&["target/release/old", "target/release/new"]), ["old", "new"]);
        assert_eq!(told_apart(&["node app.js", "bun app.js"]), ["node", "bun"]);
        assert_eq!(told_apart(&["run v1.2", "run v1.3"]), ["v1.2", "v1.3"]);
        assert_eq!(told_apart(&["app {port}", "app --fast {port}"]), ["contender-1", "contender-2"]);
        assert_eq!(told_apart(&["app", "app"]), ["contender-1", "contender-2"]);
        assert_eq!(told_apart(&["x a", "x b", "x c"]), ["a", "b", "c"]);
        assert_eq!(told_apart(&["node a.js --listen={port}"]), ["a"]);
        assert_eq!(told_apart(&["{port}"]), ["contender-1"]);
        assert_eq!(told_apart(&["app --token hunter2 {port}"]), ["app"]);
        assert_eq!(told_apart(&["app --token=hunter2 {port}", "other {port}"]), ["app", "other"]);
        assert_eq!(told_apart(&["run challenge.toml", "run challenge.json"]), ["contender-1", "contender-2"]);
        assert!(told_apart(&[]).is_empty());
    }

    #[test]
    fn wrong_names_are_told() {
        let told = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|&name| name.to_owned()).collect();
            of(&["a", "b"], &given).unwrap_err().to_string()
        };
        insta::assert_snapshot!(told(&["a"]), @r#"
1 name for 2 commands
hint: give --name once for each command, in their order
"#);
        insta::assert_snapshot!(told(&["a", "../b"]), @r#"
--name `../b` cannot be the name of a folder
hint: use letters, digits, `.`, `_` and `-`; `challenge.toml` is the challenge's file
"#);
        for wrong in ["", "challenge.toml"] {
            let first = told(&[wrong, "b"]).lines().next().unwrap_or_default().to_owned();
            assert_eq!(first, format!("--name `{wrong}` cannot be the name of a folder"));
        }
        insta::assert_snapshot!(told(&["a", "a"]), @r#"
two contenders are called `a`
hint: give each another --name
"#);
    }
}
