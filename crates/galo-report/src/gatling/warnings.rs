//! What in a log is not as it should be: told once for each kind, with the first line and how many there are.

use schemars::JsonSchema;
use serde::Serialize;

/// Kinds that are told.
const MOST: usize = 100;

/// One kind of trouble.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Warning {
    /// The first line that has it, from 1; 0: it is of no line.
    pub line: u64,
    /// How many lines have it.
    pub lines: u64,
    /// What that line is, or does.
    pub text: String,
}

/// All of them.
#[derive(Default)]
pub(super) struct Warnings(Vec<(String, Warning)>);

impl Warnings {
    /// One more line has what is called `kind` here.
    pub(super) fn tell(&mut self, kind: &str, line: u64, text: impl FnOnce() -> String) {
        if let Some((_, known)) = self.0.iter_mut().find(|(known, _)| known == kind) {
            known.lines += 1;
        } else if self.0.len() < MOST {
            self.0.push((kind.to_owned(), Warning { line, lines: 1, text: text() }));
        } else if kind != REST {
            self.tell_rest(line);
        }
    }

    /// The last kind is all further ones.
    fn tell_rest(&mut self, line: u64) {
        match self.0.last_mut() {
            Some((kind, last)) if kind == REST => last.lines += 1,
            _ => self.0.push((
                REST.to_owned(),
                Warning {
                    line,
                    lines: 1,
                    text: "is odd in yet another way; only a hundred are told".to_owned(),
                },
            )),
        }
    }

    pub(super) fn into_told(self) -> Vec<Warning> {
        let mut told: Vec<Warning> = self.0.into_iter().map(|(_, warning)| warning).collect();
        told.sort_by_key(|warning| warning.line);
        told
    }
}

/// The kind of whatever is too much.
const REST: &str = "more";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_told_once_and_kinds_without_end_are_cut() {
        let mut warnings = Warnings::default();
        for line in 1..=1_000 {
            warnings.tell("same", line, || "same".to_owned());
            warnings.tell(&format!("kind {line}"), line, String::new);
        }
        let told = warnings.into_told();
        assert_eq!(told.len(), MOST + 1);
        assert_eq!((told[0].line, told[0].lines), (1, 1_000));
        assert_eq!(told.last().unwrap().lines, 901);
    }
}
