//! The body of a request in a `.http` file.

use super::super::beside::Beside;
use super::super::form::is_type;
use super::super::left_out::{Left, Reason};
use super::Variables;

/// Makes the body of the lines behind a request's head.
pub(super) fn read(
    lines: &[&str],
    media_type: &str,
    variables: &Variables<'_>,
    beside: &Beside,
) -> Result<Vec<u8>, Left> {
    let end = lines.iter().position(|line| is_of_answer(line)).unwrap_or(lines.len());
    let lines = &lines[..end];
    let (first, last) = match (lines.iter().position(is_said), lines.iter().rposition(is_said)) {
        (Some(first), Some(last)) => (first, last),
        _ => return Ok(Vec::new()),
    };
    // Empty lines above a body are part of it; only a file that is alone stands where it likes.
    let first = if file_of(lines[first]).is_some() { first } else { 0 };
    let is_in_parts = media_type.to_ascii_lowercase().trim_start().starts_with("multipart/");
    let is_form = is_type(media_type, "application/x-www-form-urlencoded");
    let mut out: Vec<u8> = Vec::new();
    for (number, line) in lines[first..=last].iter().enumerate() {
        let goes_on = is_form && (line.starts_with('&') || out.ends_with(b"&"));
        if number > 0 && !goes_on {
            out.extend_from_slice(if is_in_parts { b"\r\n" } else { b"\n" });
        }
        match file_of(line) {
            Some(File { name, is_filled, is_text }) => {
                let name = variables.filled(name)?;
                if !is_text {
                    return Err(Left::new(Reason::NotKnown, *line));
                }
                let bytes = beside.read(&name)?;
                match String::from_utf8(bytes) {
                    Ok(text) if is_filled => out.extend_from_slice(variables.filled(&text)?.as_bytes()),
                    Ok(text) => out.extend_from_slice(text.as_bytes()),
                    Err(error) if !is_filled => out.extend_from_slice(error.as_bytes()),
                    Err(_) => return Err(Left::new(Reason::NotKnown, *line)),
                }
            }
            None if number == 0 || !goes_on => out.extend_from_slice(variables.filled(line)?.as_bytes()),
            None => out.extend_from_slice(variables.filled(line.trim_end())?.as_bytes()),
        }
    }
    if is_in_parts {
        out.extend_from_slice(b"\r\n");
    } else if file_of(lines[last]).is_none() {
        let length = out.trim_ascii_end().len();
        out.truncate(length);
    }
    Ok(out)
}

fn is_said(line: &&str) -> bool {
    !line.trim().is_empty()
}

/// Whether from this line on it is about the answer: `> {% script %}`, `> script.js`, `>> file`, `<> file`.
pub(super) fn is_of_answer(line: &str) -> bool {
    let is_script = |rest: &str| {
        let rest = rest.trim();
        rest.starts_with("{%")
            || (!rest.contains(char::is_whitespace)
                && [".js", ".mjs", ".ts"].iter().any(|end| rest.ends_with(end)))
    };
    line.starts_with("<> ")
        || line.starts_with(">> ")
        || line.starts_with(">>! ")
        || line.strip_prefix('>').is_some_and(is_script)
}

/// A file that stands for what is in it.
struct File<'a> {
    name: &'a str,
    /// Whether its text has variables.
    is_filled: bool,
    /// Whether it is read as it stands, or as UTF-8.
    is_text: bool,
}

/// `< ./name`, `<@ ./name`, `<@utf8 ./name`.
fn file_of(line: &str) -> Option<File<'_>> {
    let rest = line.strip_prefix('<')?;
    let (mark, name) = rest.split_once(char::is_whitespace)?;
    let name = name.trim();
    let encoding = mark.strip_prefix('@');
    let is_mark = mark.is_empty()
        || encoding.is_some_and(|e| e.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
    let is_text = encoding.is_none_or(|e| matches!(e.to_ascii_lowercase().as_str(), "" | "utf8" | "utf-8"));
    (is_mark && !name.is_empty()).then_some(File { name, is_filled: encoding.is_some(), is_text })
}
