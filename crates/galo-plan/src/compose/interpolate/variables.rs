//! What `${NAME}` stands for: nothing for processes, and for containers what the `.env` file beside the Compose file says.
//! Never galo's own environment, so that a file means the same everywhere.
//!
//! The file is read as Compose reads it (compose-go, `dotenv`): lines of `KEY=VALUE`, `export` before them or not,
//! comments, quotation marks, and variables of earlier lines in values that do not stand in single ones.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;

use super::interpolate;
use crate::error::PlanError;
use crate::source::{Source, read_text};

/// Bytes that the variables of a document may come to where they stand in it: a few lines can name one another into more
/// than any memory holds.
const MOST: usize = 16 << 20;

/// Settings of Compose that change nothing of what galo read.
const HARMLESS: &[&str] = &[
    "COMPOSE_DOCKER_CLI_BUILD",
    "COMPOSE_FILE",
    "COMPOSE_HTTP_TIMEOUT",
    "COMPOSE_IGNORE_ORPHANS",
    "COMPOSE_PARALLEL_LIMIT",
    "COMPOSE_PROJECT_NAME",
];

/// Whether Compose, or a program that it starts, would take a variable for a setting of its own: another engine, other services,
/// other files, a library to load.
fn is_setting(name: &str) -> bool {
    let begins =
        ["BUILDKIT_", "BUILDX_", "COMPOSE_", "DOCKER_", "LD_"].iter().any(|start| name.starts_with(start));
    begins && !HARMLESS.contains(&name)
}

/// The variables of a document.
#[derive(Debug, Default)]
pub(in crate::compose) struct Variables {
    values: BTreeMap<String, String>,
    /// The file that they stand in, if there is one.
    text: Option<String>,
    /// What is not there is nothing, as in Compose; else it is a mistake.
    pub(in crate::compose) may_be_unset: bool,
    spent: Cell<usize>,
}

impl Variables {
    /// Those of a document in this folder that an engine is to start.
    ///
    /// # Errors
    /// The `.env` file there cannot be read.
    pub(in crate::compose) fn beside(folder: &Path) -> Result<Self, PlanError> {
        let path = folder.join(".env");
        if !path.is_file() {
            return Ok(Self::blank());
        }
        let shown = path.display().to_string();
        let text = read_text(&path).map_err(|source| PlanError::Read { path, source })?;
        let variables = Self::parse(Source { file: &shown, text: &text })?;
        if let Some(name) = variables.values.keys().find(|name| is_setting(name)) {
            return Err(PlanError::Invalid(format!(
                "{shown}: `{name}` would change what Compose does\nhint: leave it out"
            )));
        }
        Ok(Self { text: Some(text), ..variables })
    }

    /// None, and that is no mistake.
    pub(in crate::compose) fn blank() -> Self {
        Self { may_be_unset: true, ..Self::default() }
    }

    /// All of the file that they stand in.
    pub(in crate::compose) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The value of a variable; `None` where it has none.
    ///
    /// # Errors
    /// All values that were asked for are too much text together.
    pub(in crate::compose) fn get(&self, name: &str) -> Result<Option<&str>, String> {
        let value = self.values.get(name).map(String::as_str);
        self.spent.set(self.spent.get() + value.map_or(0, str::len));
        if self.spent.get() > MOST {
            return Err(format!("its variables come to more than {} MiB of text", MOST >> 20));
        }
        Ok(value)
    }

    fn parse(source: Source<'_>) -> Result<Self, PlanError> {
        let mut variables = Self::blank();
        let mut rest = source.text.strip_prefix('\u{feff}').unwrap_or(source.text);
        while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
            rest = &rest[start..];
            let at = source.text.len() - rest.len();
            rest = variables.line(rest).map_err(|message| source.error_at(at, message))?;
        }
        Ok(variables)
    }

    /// Reads a comment or an assignment; what comes after it.
    fn line<'t>(&mut self, text: &'t str) -> Result<&'t str, String> {
        let (line, after) = text.split_once('\n').unwrap_or((text, ""));
        if line.starts_with('#') {
            return Ok(after);
        }
        let assignment = line.strip_prefix("export ").map_or(line, str::trim_start);
        let Some((key, _)) = assignment.split_once(['=', ':']) else {
            // A name alone is taken from the environment of Compose, where galo sets none.
            return name(assignment.trim()).map(|_| after);
        };
        let key = name(key.trim())?;
        let value = &text[line.len() - assignment.len() + assignment.find(['=', ':']).unwrap_or(0) + 1..];
        let value = value.trim_start_matches([' ', '\t']);
        let (value, after) = match value.chars().next() {
            Some(quote @ ('\'' | '"')) => self.quoted(&value[1..], quote)?,
            _ => self.bare(value)?,
        };
        self.values.insert(key.to_owned(), value);
        Ok(after)
    }

    /// A value up to the end of its line, or to a comment.
    fn bare<'t>(&self, text: &'t str) -> Result<(String, &'t str), String> {
        let (line, after) = text.split_once('\n').unwrap_or((text, ""));
        let comment = line.match_indices('#').find(|(at, _)| line[..*at].ends_with([' ', '\t']));
        let value =
            if line.starts_with('#') { "" } else { &line[..comment.map_or(line.len(), |(at, _)| at)] };
        Ok((interpolate(value.trim(), self)?, after))
    }

    /// A value up to the quotation mark that closes it, on whatever line.
    fn quoted<'t>(&self, text: &'t str, quote: char) -> Result<(String, &'t str), String> {
        let is_escaped =
            |at: usize| text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        let Some((end, _)) = text.match_indices(quote).find(|(at, _)| !is_escaped(*at)) else {
            return Err("a quotation mark is never closed".to_owned());
        };
        let (value, after) = (&text[..end], &text[end + 1..]);
        let (behind, after) = after.split_once('\n').unwrap_or((after, ""));
        let behind = behind.trim();
        if !behind.is_empty() && !behind.starts_with('#') {
            return Err(format!("`{behind}` stands behind the quotation mark"));
        }
        let value = if quote == '\'' { value.to_owned() } else { interpolate(&unescaped(value), self)? };
        Ok((value, after))
    }
}

fn name(text: &str) -> Result<&str, String> {
    let good = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if !text.is_empty() && text.chars().all(good) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(text);
    }
    Err(format!("`{}` is not the name of a variable\nhint: write `NAME=VALUE`", text.escape_debug()))
}

/// What stands in double quotation marks. A `\$` is the sign itself.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('t') => plain.push('\t'),
            Some('$') => plain.push_str("$$"),
            Some(other @ ('"' | '\\')) => plain.push(other),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Variables, String> {
        Variables::parse(Source { file: ".env", text }).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_of_variables_is_read_as_compose_reads_it() {
        let text = "\u{feff}# all of it\nPLAIN=a b  # told\nexport PORT = 80\n  EMPTY=\nHASH=a#b\nS='${PLAIN} # \"'\n\
                    D=\"x\\n${PORT}\\$\" # y\nLONG=\"a\nb\"\r\nOF=${PORT:-1}${NO:-2}$NO\nYAML: c\nALONE\nLAST=1";
        let variables = parse(text).unwrap();
        for (name, value) in [
            ("PLAIN", "a b"),
            ("PORT", "80"),
            ("EMPTY", ""),
            ("HASH", "a#b"),
            ("S", "${PLAIN} # \""),
            ("D", "x\n80$"),
            ("LONG", "a\nb"),
            ("OF", "802"),
            ("YAML", "c"),
            ("LAST", "1"),
        ] {
            assert_eq!(variables.get(name), Ok(Some(value)), "{name}");
        }
        assert_eq!(variables.get("ALONE"), Ok(None));
    }

    #[test]
    fn what_is_no_assignment_is_told_with_its_line() {
        let error = |text: &str| parse(text).unwrap_err();
        insta::assert_snapshot!(error("A=1\n\n2B=1"), @r"
        .env:3: `2B` is not the name of a variable
        hint: write `NAME=VALUE`
        ");
        insta::assert_snapshot!(error("A=\"1\nB=2"), @".env:1: a quotation mark is never closed");
        insta::assert_snapshot!(error("A='1' 2"), @".env:1: `2` stands behind the quotation mark");
        insta::assert_snapshot!(error("A=${"), @".env:1: `${` is never closed in `${`");
    }

    #[test]
    fn variables_that_name_one_another_come_to_an_end() {
        let mut text = format!("A0={}\n", "x".repeat(1000));
        for n in 1..64 {
            text += &format!("A{n}=${{A{}}}${{A{0}}}\n", n - 1);
        }
        assert!(parse(&text).unwrap_err().contains("more than 16 MiB of text"));
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in ".*", signs in "[A\"'$={}#\\\\ \néx:]{0,40}") {
            let _ = (parse(&text), parse(&signs));
        }
    }
}
