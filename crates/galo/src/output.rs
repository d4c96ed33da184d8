//! Standard output for results alone, so that galo pipes; standard error for what accompanies them.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use galo_report::Look;

use crate::cli::{FormArgs, OutputArgs};
use crate::exit::WrongUse;

/// Widest line of a summary.
const WIDTH: usize = 80;

/// Prints a result. A reader that has gone away (`| head`) wanted no more: that is no error, and changes nothing in
/// what was found; `print!` would panic.
pub(crate) fn print(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Says something that is no result. Nobody need listen: a closed standard error is no error. It may hold text of a
/// contender's, so control characters are spelled out.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", plain(text));
}

/// Text of any number of lines without control characters.
pub(crate) fn plain(text: &str) -> String {
    text.lines().map(galo_report::clean).collect::<Vec<_>>().join("\n")
}

/// How summaries look: in colour on a terminal without `NO_COLOR` (no-color.org).
pub(crate) fn look() -> Look {
    let colour = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    Look { width: WIDTH, colour }
}

/// Writes a report where the caller wants it, and says whether that was standard output.
pub(crate) fn write_result(target: Option<&Path>, text: &str) -> Result<bool> {
    match target {
        None => Ok(false),
        Some(path) if path == Path::new("-") => print(text).map(|()| true),
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
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

/// Only one thing goes to standard output.
pub(crate) fn check_forms(output: &OutputArgs, form: &FormArgs) -> Result<(), WrongUse> {
    let to_stdout = |target: &Option<std::path::PathBuf>| target.as_deref() == Some(Path::new("-"));
    if to_stdout(&output.json) && to_stdout(&form.markdown) {
        let text = "--json and --markdown cannot both go to standard output";
        return Err(WrongUse(format!("{text}\nhint: name a file for one of them")));
    }
    Ok(())
}
