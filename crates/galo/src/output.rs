//! Standard output for results alone, so that galo pipes; standard error for what accompanies them.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use galo_report::Look;

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

/// Writes the JSON where the caller wants it, and says whether that was standard output.
pub(crate) fn write_json(target: Option<&Path>, json: &str) -> Result<bool> {
    match target {
        None => Ok(false),
        Some(path) if path == Path::new("-") => print(json).map(|()| true),
        Some(path) => {
            std::fs::write(path, json).with_context(|| format!("cannot write `{}`", path.display()))?;
            Ok(false)
        }
    }
}
