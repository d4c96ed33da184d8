//! Variables of a file: `@name = value`, and `{{name}}` where it is meant.

use std::collections::HashMap;

use super::super::left_out::{Left, Reason};

/// Values may name others; a circle has no end.
const DEEPEST: usize = 16;
/// Letters that one text may become.
const LONGEST: usize = 64 << 20;

/// See the module.
pub(super) struct Variables<'a> {
    values: HashMap<&'a str, &'a str>,
}

impl<'a> Variables<'a> {
    /// Reads all lines of a file; the last definition of a name counts.
    pub(super) fn read(lines: &[&'a str]) -> Self {
        let pair = |line: &&'a str| {
            let (name, value) = line.strip_prefix('@')?.split_once('=')?;
            let name = name.trim();
            let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
            is_name.then(|| (name, value.trim()))
        };
        Self { values: lines.iter().filter_map(pair).collect() }
    }

    /// A text with all values in their places.
    pub(super) fn filled(&self, text: &str) -> Result<String, Left> {
        let mut filled = text.to_owned();
        for _ in 0..DEEPEST {
            if !filled.contains("{{") {
                return Ok(filled);
            }
            match self.once(&filled)? {
                Some(next) => filled = next,
                None => return Ok(filled),
            }
        }
        Err(Left::new(Reason::Variable, text))
    }

    /// `None`: there is no variable in it.
    fn once(&self, text: &str) -> Result<Option<String>, Left> {
        let (mut out, mut rest, mut is_any) = (String::with_capacity(text.len()), text, false);
        while let Some((before, behind)) = rest.split_once("{{") {
            out.push_str(before);
            let name = behind.split_once("}}").filter(|(name, _)| is_name(name));
            // Braces of JSON stand in pairs as well.
            let Some((name, after)) = name else {
                out.push_str("{{");
                rest = behind;
                continue;
            };
            let name = name.trim();
            let value = self.values.get(name).ok_or_else(|| Left::new(Reason::Variable, name))?;
            out.push_str(value);
            if out.len() > LONGEST {
                return Err(Left::new(Reason::Variable, name));
            }
            is_any = true;
            rest = after;
        }
        out.push_str(rest);
        Ok(is_any.then_some(out))
    }
}

/// Whether what stands between braces can be a variable: `name`, `$datetime 'iso8601'`, `login.response.body.$[?(@.a==1)]`. What looks
/// like one is told, not sent.
fn is_name(text: &str) -> bool {
    let text = text.trim();
    let is_first = |c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '%');
    text.starts_with(is_first) && !text.contains(['{', '}', '"', ';', '\n'])
}
