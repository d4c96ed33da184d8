//! Lines of `curl`, as browsers copy them and people write them.

mod options;
mod request;
mod words;

use super::collected::Collected;
use super::left_out::{Left, Reason};
use super::read::{Text, Wrong};
use super::sent::LOST;
use words::{Command, Word};

pub(super) fn parse(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    let text = text.whole()?;
    for Command { line, words } in words::commands(&text) {
        let number = line as u64;
        let words = match words {
            Ok(words) => words,
            Err(left) if left.reason == Reason::Unreadable => {
                collected.wrong(number, left.reason, Wrong::new(line, left.about));
                continue;
            }
            Err(left) => {
                collected.add(number, 1, Err(left));
                continue;
            }
        };
        let Some(words) = of_curl(&words) else {
            let hint = "begin it with `curl`, or with # to leave it out";
            let what = format!("no line of curl\nhint: {hint}");
            collected.wrong(number, Reason::NoRequest, Wrong::new(line, what));
            continue;
        };
        match plain(words).and_then(|words| request::all(&words, &collected.beside)) {
            Ok(all) => all.into_iter().for_each(|sent| {
                collected.add(number, 1, sent);
            }),
            Err(left) => {
                collected.add(number, 1, Err(left));
            }
        }
    }
    Ok(())
}

/// Whether a line begins such a command.
pub(super) fn is_line(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    line.split_whitespace().next().is_some_and(is_curl)
}

fn is_curl(program: &str) -> bool {
    matches!(program.rsplit(['/', '\\']).next(), Some("curl" | "curl.exe"))
}

/// The words behind `curl`, before which variables may be set.
fn of_curl(words: &[Word]) -> Option<&[Word]> {
    let is_set = |word: &&Word| {
        let name = word.bytes.split(|b| *b == b'=').next().unwrap_or_default();
        let is_name = !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
        word.bytes.contains(&b'=') && is_name
    };
    let start = words.iter().take_while(is_set).count();
    let program = words.get(start)?;
    std::str::from_utf8(&program.bytes).is_ok_and(is_curl).then(|| &words[start + 1..])
}

/// The words, where no shell is needed to know them.
fn plain(words: &[Word]) -> Result<Vec<Vec<u8>>, Left> {
    let plain = |word: &Word| match &word.needs_shell {
        Some(what) => Err(Left::new(Reason::Shell, what.clone())),
        None if String::from_utf8_lossy(&word.written).contains(LOST) => {
            Err(Left::new(Reason::NotWhole, "a letter that is no UTF-8"))
        }
        None => Ok(word.bytes.clone()),
    };
    words.iter().map(plain).collect()
}
