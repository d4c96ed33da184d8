//! Standard output for results alone, so that galo pipes; standard error for what accompanies them.

use galo_record::run::Folder;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, absolute};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use galo_report::{Document, Look};
use ratatui::crossterm::terminal::size;

use crate::cli::{FormArgs, OutputArgs};
use crate::exit::WrongUse;

/// Widest line of a summary.
const WIDTH: usize = 80;
/// Narrower terminals break the lines themselves.
const LEAST_WIDTH: usize = 40;

/// Prints a result. A reader that has gone away (`| head`) wanted no more: that is no error, and changes nothing in
/// what was found; `print!` would panic.
pub(crate) fn print(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// What was said on standard error.
struct Said {
    /// The last of it, a line each.
    last: VecDeque<String>,
    /// What is not said yet, since a full screen would hide it; `None`: there is none.
    held: Option<Vec<String>>,
}

/// Lines that are remembered: as many as the tallest terminal shows.
const REMEMBERED: usize = 100;

static SAID: Mutex<Said> = Mutex::new(Said { last: VecDeque::new(), held: None });

impl Said {
    fn get() -> MutexGuard<'static, Self> {
        SAID.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says something that is no result. Nobody need listen: a closed standard error is no error. It may hold text of a
/// contender's, so control characters are spelled out.
pub(crate) fn say(text: &str) {
    let text = plain(text);
    let mut said = Said::get();
    for line in text.lines() {
        said.last.push_back(line.to_owned());
    }
    let more = said.last.len().saturating_sub(REMEMBERED);
    said.last.drain(..more);
    match &mut said.held {
        Some(held) => held.push(text),
        None => write_line(&text),
    }
}

fn write_line(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// From here on [`say`] waits for [`release`].
pub(crate) fn hold() {
    Said::get().held = Some(Vec::new());
}

/// Says what was held.
pub(crate) fn release() {
    let held = Said::get().held.take();
    held.unwrap_or_default().iter().for_each(|text| write_line(text));
}

/// The last lines that were said, or are to be.
pub(crate) fn last_said() -> Vec<String> {
    Said::get().last.iter().cloned().collect()
}

/// Text of any number of lines without control characters.
pub(crate) fn plain(text: &str) -> String {
    text.lines().map(galo_report::clean).collect::<Vec<_>>().join("\n")
}

/// How summaries look: as wide as the terminal, 80 columns at most; in colour on a terminal without `NO_COLOR` (no-color.org).
pub(crate) fn look() -> Look {
    let stdout = std::io::stdout();
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let seen = || size().ok().filter(|_| stdout.is_terminal()).map(|(columns, _)| usize::from(columns));
    Look { width: width(said.or_else(seen)), colour: has_colour(&stdout) }
}

/// Columns of a summary on a terminal of so many; 0, as some terminals say, is none that is known.
fn width(columns: Option<usize>) -> usize {
    columns.filter(|columns| *columns > 0).map_or(WIDTH, |columns| columns.clamp(LEAST_WIDTH, WIDTH))
}

/// Whether what is written there may have colours.
pub(crate) fn has_colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

/// Whether the locale knows more characters than ASCII.
pub(crate) fn is_unicode() -> bool {
    let variable = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
    variable.is_some_and(|value| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}

/// Writes a report where the caller wants it, and says whether that was standard output.
pub(crate) fn write_result(target: Option<&Path>, text: &str) -> Result<bool> {
    match target {
        None => Ok(false),
        Some(path) if path == Path::new("-") => print(text).map(|()| true),
        Some(path) => {
            std::fs::write(path, text).with_context(|| cannot_write(path))?;
            Ok(false)
        }
    }
}

/// A report in its forms; those that nobody asked for are never made.
pub(crate) struct Forms<'a> {
    pub(crate) json: &'a str,
    pub(crate) markdown: &'a dyn Fn() -> String,
    pub(crate) summary: &'a dyn Fn() -> String,
}

/// Writes a report in the forms that were asked for, and prints its summary unless one of them took its place.
pub(crate) fn tell(output: &OutputArgs, form: &FormArgs, forms: &Forms<'_>) -> Result<()> {
    let mut told = write_result(output.json.as_deref(), forms.json)?;
    if let Some(target) = &form.markdown {
        told |= write_result(Some(target), &(forms.markdown)())?;
    }
    if told || output.quiet { Ok(()) } else { print(&(forms.summary)()) }
}

/// A form of a report by the name of its file, made only where it is written.
pub(crate) type NamedForm<'a> = (&'a str, &'a dyn Fn() -> Result<String>);

/// Writes forms of a report into a folder. The line that ends the summary: where the last of them is, or what would write
/// them.
pub(crate) fn write_forms(into: Option<&Folder>, forms: &[NamedForm<'_>]) -> Result<String> {
    let Some(folder) = into else {
        let names: Vec<&str> = forms.iter().map(|(name, _)| *name).collect();
        return Ok(format!("report: --out DIR writes {}\n", names.join(" and ")));
    };
    let mut place = String::new();
    for (name, text) in forms {
        place = format!("report: {}\n", folder.write(name, text()?.as_bytes())?.display());
    }
    Ok(place)
}

/// Tells a document in the forms that were asked for, and writes `report.json` and `report.html` into a folder if one is given.
pub(crate) fn tell_document(
    document: &Document,
    json: &str,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<()> {
    tell_document_and(document, "", json, into, output, form)
}

/// The same, with something more at the end of the summary.
pub(crate) fn tell_document_and(
    document: &Document,
    more: &str,
    json: &str,
    into: Option<&Folder>,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<()> {
    let html = || Ok(document.html(form.language())?);
    let place = write_forms(into, &[("report.json", &|| Ok(json.to_owned())), ("report.html", &html)])?;
    tell_pageless(document, json, &format!("{more}{place}"), output, form)
}

/// Tells a document in the forms that were asked for, but for its page. `ending` ends its summary.
pub(crate) fn tell_pageless(
    document: &Document,
    json: &str,
    ending: &str,
    output: &OutputArgs,
    form: &FormArgs,
) -> Result<()> {
    let markdown = || document.markdown(form.words());
    let summary = || document.terminal(look(), form.words()) + ending;
    tell(output, form, &Forms { json, markdown: &markdown, summary: &summary })
}

/// Refuses what a report could not be written to, so that this is known before anything starts. Nothing is left where there was
/// nothing. `out`: the folder that is made for the run, with those above it.
///
/// # Errors
/// Two forms go to standard output, or a file cannot be written.
pub(crate) fn check_forms(output: &OutputArgs, form: &FormArgs, out: Option<&Path>) -> Result<()> {
    let targets = [&output.json, &form.markdown].map(Option::as_deref);
    if targets == [Some(Path::new("-")); 2] {
        let text = "--json and --markdown cannot both go to standard output";
        return Err(WrongUse(format!("{text}\nhint: name a file for one of them")).into());
    }
    for path in targets.into_iter().flatten().filter(|path| *path != Path::new("-")) {
        require_writable(path, out).with_context(|| cannot_write(path))?;
    }
    Ok(())
}

fn require_writable(path: &Path, out: Option<&Path>) -> std::io::Result<()> {
    match std::fs::metadata(path) {
        Ok(known) if known.is_file() || known.is_dir() => {
            OpenOptions::new().append(true).open(path).map(drop)
        }
        // The reader of a pipe would take its end for the report's.
        Ok(_) => Ok(()),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Err(_) if out.is_some_and(|out| is_made_with(path, out)) => Ok(()),
        Err(_) => match File::create_new(path) {
            Ok(_) => std::fs::remove_file(path),
            // A link to what is not there yet.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        },
    }
}

/// Whether the folder of a file is not there yet, and is made with the folder `out`.
fn is_made_with(path: &Path, out: &Path) -> bool {
    let [Ok(path), Ok(out)] = [path, out].map(absolute) else { return false };
    path.parent().is_some_and(|folder| !folder.exists() && out.starts_with(folder))
}

pub(crate) fn cannot_write(path: &Path) -> String {
    format!("cannot write `{}`", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_as_wide_as_the_terminal_from_40_to_80_columns() {
        assert_eq!([None, Some(0), Some(60), Some(20), Some(200)].map(width), [80, 80, 60, 40, 80]);
    }

    #[test]
    fn what_could_not_be_written_is_refused_and_nothing_is_left_where_nothing_was() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("kept"), "what stands in it").unwrap();
        std::os::unix::fs::symlink(at("later"), at("link")).unwrap();
        let check = |name: &str, out: Option<&str>| {
            let output = OutputArgs { json: Some(at("kept")), quiet: false };
            let mut form = FormArgs::default();
            form.markdown = Some(at(name));
            check_forms(&output, &form, out.map(at).as_deref())
        };
        let told = |name: &str, out| format!("{:#}", check(name, out).unwrap_err());
        for (name, out) in [
            ("new", None),
            ("link", None),
            ("runs/one/new", Some("runs/one")),
            ("runs/new", Some("runs/one")),
        ] {
            check(name, out).unwrap();
        }
        assert!(told("no/new", None).contains("No such file or directory"));
        assert!(told("run/below/new", Some("run")).contains("cannot write `"));
        assert!(told("", None).contains("Is a directory"));
        assert_eq!(std::fs::read_to_string(at("kept")).unwrap(), "what stands in it");
        let mut left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["kept", "link"]);
    }
}
