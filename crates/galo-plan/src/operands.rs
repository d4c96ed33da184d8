//! Operands that say who serves: an address, or a command with its variables and the folder where it runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::address::{Parts, Place};

/// Whether an operand is the address of a server, and not a command: with its scheme, or as `host:port`, with a path or without.
pub fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://") || is_host_and_port(text)
}

fn is_host_and_port(text: &str) -> bool {
    let place = text.split(['/', '?', '#']).next().unwrap_or_default().replace("{port}", "1");
    Place::parse(&place).is_ok_and(|place| place.port.is_some())
}

/// Scheme and authority of an address: `http://h:1` of `http://h:1/a?b`.
pub fn server(url: &str) -> &str {
    &url[..url.len() - Parts::split(url).target.len()]
}

/// The words of each command that are not the same in all, at their beginnings and ends.
pub fn words_apart<'a>(all: &[Vec<&'a str>]) -> Vec<Vec<&'a str>> {
    let shortest = all.iter().map(Vec::len).min().unwrap_or(0);
    let same = |at: &dyn Fn(&Vec<&'a str>) -> &'a str| all.windows(2).all(|two| at(&two[0]) == at(&two[1]));
    let before = (0..shortest).take_while(|&n| same(&|words| words[n])).count();
    let after = (0..shortest - before).take_while(|&n| same(&|words| words[words.len() - 1 - n])).count();
    all.iter().map(|words| words[before..words.len() - after].to_vec()).collect()
}

/// Texts `NAME=VALUE` as a map; the last of a name counts.
///
/// # Errors
/// A text has no name, or no `=`: what to write instead.
pub fn variables(texts: &[String]) -> Result<BTreeMap<String, String>, String> {
    let pair = |text: &String| {
        let pair = text.split_once('=').filter(|(name, _)| !name.is_empty());
        let wrong = || format!("--env `{text}` has no name and `=`\nhint: write NAME=VALUE");
        pair.map(|(name, value)| (name.to_owned(), value.to_owned())).ok_or_else(wrong)
    };
    texts.iter().map(pair).collect()
}

/// The folder where commands run, as an absolute path without links.
///
/// # Errors
/// It is not there, or is no folder.
pub fn folder(cwd: &Path) -> Result<PathBuf, String> {
    let wrong = || format!("--cwd `{}` is no folder\nhint: name one that is there", cwd.display());
    cwd.canonicalize().ok().filter(|path| path.is_dir()).ok_or_else(wrong)
}

/// A word for a shell: in quotation marks where it needs them.
pub fn shell_word(text: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-:+,@%=".contains(&b);
    if !text.is_empty() && text.bytes().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A command line that a shell reads back as the same words.
pub fn shell_line(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_or_a_port() {
        for address in
            ["http://h", "https://h/", "localhost:3000", "127.0.0.1:80/a?b", "[::1]:80", "h:{port}/"]
        {
            assert!(is_address(address), "{address}");
        }
        for other in
            ["mine", "./localhost:80", "a b:80", "node a.js {port}", "h:", ":80", "h:x", "::1:80", "c:0"]
        {
            assert!(!is_address(other), "{other}");
        }
    }

    #[test]
    fn a_server_is_an_address_without_its_path() {
        for url in ["http://h:1", "http://h:1/", "http://h:1?a=/", "http://h:1/a/b?c"] {
            assert_eq!(server(url), "http://h:1", "{url}");
        }
    }

    #[test]
    fn a_command_line_can_be_pasted_into_a_shell() {
        let words = ["galo", "duel", "http://h:1/", "app {port}", "it's", "--rate=5", ""].map(str::to_owned);
        assert_eq!(shell_line(&words), r"galo duel http://h:1/ 'app {port}' 'it'\''s' --rate=5 ''");
    }
}
