//! Lines of `curl`, as browsers and documents give them; a `\` at a line's end goes on in the next.

use super::read::Text;
use super::{Collected, Wrong};

/// Options that change nothing of what is sent.
const IGNORED: &[&str] = &[
    "-s",
    "--silent",
    "-S",
    "--show-error",
    "-sS",
    "-i",
    "--include",
    "-v",
    "--verbose",
    "-k",
    "--insecure",
    "-f",
    "--fail",
    "--compressed",
    "-g",
    "--globoff",
    "--http1.1",
];
/// ... and have a value.
const IGNORED_WITH_VALUE: &[&str] =
    &["-o", "--output", "-w", "--write-out", "-m", "--max-time", "-A", "--user-agent"];

pub(super) fn parse(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    let text = text.whole()?;
    let mut pending: Option<(usize, String)> = None;
    for (number, line) in text.lines().enumerate() {
        let (first, mut whole) = pending.take().unwrap_or((number + 1, String::new()));
        if let Some(start) = line.strip_suffix('\\') {
            whole.push_str(start);
            whole.push(' ');
            pending = Some((first, whole));
            continue;
        }
        whole.push_str(line);
        one(first, whole.trim(), collected)?;
    }
    match pending {
        Some((first, whole)) => one(first, whole.trim(), collected),
        None => Ok(()),
    }
}

fn one(line: usize, text: &str, collected: &mut Collected) -> Result<(), Wrong> {
    let text = text.strip_prefix("$ ").unwrap_or(text);
    if text.is_empty() || text.starts_with('#') {
        return Ok(());
    }
    let words = shell_words::split(text).map_err(|error| Wrong::new(line, error.to_string()))?;
    let mut words = words.into_iter();
    if words.next().as_deref() != Some("curl") {
        return Err(Wrong::new(
            line,
            "no line of curl\nhint: begin it with `curl`, or with # to leave it out",
        ));
    }
    let (mut method, mut address, mut headers, mut data) = (None, None, Vec::new(), Vec::new());
    let mut json = false;
    while let Some(word) = words.next() {
        let (option, glued) = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option.to_owned(), Some(value.to_owned())),
            _ => (word.clone(), None),
        };
        let mut value = || {
            glued
                .clone()
                .or_else(|| words.next())
                .ok_or_else(|| Wrong::new(line, format!("{option} has no value")))
        };
        match option.as_str() {
            "-X" | "--request" => method = Some(value()?),
            "-H" | "--header" => headers.push(value()?),
            "-b" | "--cookie" => headers.push(format!("Cookie: {}", value()?)),
            "-d" | "--data" | "--data-raw" | "--data-binary" | "--data-ascii" => data.push(value()?),
            "--json" => {
                json = true;
                data.push(value()?);
            }
            "--url" => address = Some(value()?),
            "-I" | "--head" => method = Some("HEAD".to_owned()),
            option if IGNORED.contains(&option) => {}
            option if IGNORED_WITH_VALUE.contains(&option) => drop(value()?),
            option if option.starts_with('-') => {
                let hint = "leave it out, or write the request as a line of JSON (.jsonl)";
                return Err(Wrong::new(line, format!("galo does not know curl's `{option}`\nhint: {hint}")));
            }
            _ => address = Some(word),
        }
    }
    let address = address.ok_or_else(|| Wrong::new(line, "this curl has no address"))?;
    if let Some(file) = data.iter().find(|data| data.starts_with('@')) {
        return Err(Wrong::new(line, format!("the body is in a file (`{file}`)\nhint: write it out")));
    }
    let body = (!data.is_empty()).then(|| data.join("&"));
    let has_type = headers.iter().any(|line: &String| line.to_ascii_lowercase().starts_with("content-type:"));
    if body.is_some() && !has_type {
        let kind = if json { "application/json" } else { "application/x-www-form-urlencoded" };
        headers.push(format!("Content-Type: {kind}"));
    }
    let usual = if body.is_some() { "POST" } else { "GET" };
    collected.add(method.as_deref().unwrap_or(usual), &address, headers, body, 1);
    Ok(())
}
