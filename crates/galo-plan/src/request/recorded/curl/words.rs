//! Words of commands as bash parts them. `shell-words` and `shlex` do not know `$'...'`, in which browsers write what is not plain,
//! and a parser of all of bash is more than is needed: what a shell has to compute is told, not computed.

mod escape;

use std::iter::Peekable;
use std::str::CharIndices;

use super::super::left_out::{Left, Reason};

/// A command, or why it cannot be parted into words.
pub(super) struct Command {
    /// The line where it begins, from 1.
    pub(super) line: usize,
    pub(super) words: Result<Vec<Word>, Left>,
}

/// A word without its quotes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) bytes: Vec<u8>,
    /// The letters that stand for themselves, without those that an escape stands for.
    pub(super) written: Vec<u8>,
    /// The part that only a shell could compute.
    pub(super) needs_shell: Option<String>,
}

/// All commands of a text, one after another.
pub(super) fn commands(text: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    let (mut line, mut at) = (1, 0);
    while at < text.len() {
        let rest = &text[at..];
        let start = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', ';']).len();
        line += rest[..start].matches('\n').count();
        let rest = &rest[start..];
        at += start;
        if rest.is_empty() {
            break;
        }
        let (command, length) = match of_cmd(rest) {
            Some(length) => {
                let left = Left::new(Reason::Shell, "quotes of Windows' cmd: copy it as cURL (bash)");
                (Some(Err(left)), length)
            }
            None => one(rest),
        };
        if let Some(words) = command {
            commands.push(Command { line, words });
        }
        line += rest[..length].matches('\n').count();
        at += length;
    }
    commands
}

/// The length of a command that is written for Windows' `cmd`, which quotes by `^`.
fn of_cmd(text: &str) -> Option<usize> {
    let mut lines = text.lines();
    let first = lines.next().filter(|line| super::is_line(line))?;
    // In quotes of bash these letters may stand as well.
    let is_option = |word: &&str| word.starts_with('-');
    let word =
        first.split_whitespace().skip_while(|word| !super::is_line(word)).skip(1).find(|w| !is_option(w));
    let goes_on =
        first.trim_end().ends_with(" ^") && lines.next().is_some_and(|l| l.trim_start().starts_with('-'));
    if !goes_on && !word.is_some_and(|word| word.starts_with("^\"")) {
        return None;
    }
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('^') {
            break;
        }
    }
    Some(length)
}

/// One command and its length; `None`: there is none before the line's end.
fn one(text: &str) -> (Option<Result<Vec<Word>, Left>>, usize) {
    let start = if text.starts_with("$ ") { 2 } else { 0 };
    let mut parser = Parser { letters: text[start..].char_indices().peekable(), text: &text[start..] };
    let (mut words, mut is_of_answer) = (Vec::new(), false);
    let parsed = loop {
        match parser.next() {
            Ok(Token::Word(_)) if is_of_answer => {}
            Ok(Token::Word(word)) => words.push(word),
            // What stands behind reads the answer.
            Ok(Token::Pipe) => is_of_answer = true,
            Ok(Token::End) => break Ok(()),
            Err(left) => break Err(left),
        }
    };
    let length = start + parser.letters.peek().map_or(parser.text.len(), |(at, _)| *at);
    match parsed {
        Ok(()) => ((!words.is_empty()).then_some(Ok(words)), length),
        // What is quoted to the file's end may hide others: the next line that begins one counts.
        Err(left) => (Some(Err(left)), next_command(text)),
    }
}

/// Where the next line begins that begins with `curl`.
fn next_command(text: &str) -> usize {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if number > 0 && super::is_line(line) {
            return at;
        }
        at += line.len();
    }
    text.len()
}

/// What a command consists of.
enum Token {
    Word(Word),
    Pipe,
    /// The command is over, and what ends it is passed.
    End,
}

struct Parser<'a> {
    letters: Peekable<CharIndices<'a>>,
    text: &'a str,
}

impl Parser<'_> {
    fn next(&mut self) -> Result<Token, Left> {
        loop {
            match self.peek() {
                None => return Ok(Token::End),
                Some(' ' | '\t' | '\r') => drop(self.letters.next()),
                Some('\\') if self.is_continued() => {}
                Some('#') => self.skip_line(),
                Some('\n' | ';') => {
                    self.letters.next();
                    return Ok(Token::End);
                }
                Some(sign @ ('&' | '|')) => {
                    self.letters.next();
                    let is_double = self.letters.next_if(|(_, letter)| *letter == sign).is_some();
                    return Ok(if sign == '|' && !is_double { Token::Pipe } else { Token::End });
                }
                Some('<') => return Err(Left::new(Reason::Shell, "<")),
                Some('>') => self.redirection()?,
                Some(_) => {
                    if let Some(word) = self.text()? {
                        return Ok(Token::Word(word));
                    }
                }
            }
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.letters.peek().map(|(_, letter)| *letter)
    }

    /// Passes a `\` at a line's end.
    fn is_continued(&mut self) -> bool {
        let mut ahead = self.letters.clone();
        ahead.next();
        if ahead.peek().is_some_and(|(_, letter)| *letter == '\r') {
            ahead.next();
        }
        let is_end = ahead.next().is_none_or(|(_, letter)| letter == '\n');
        if is_end {
            self.letters = ahead;
        }
        is_end
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|letter| letter != '\n') {
            self.letters.next();
        }
    }

    /// Passes `> file` and `>&1`.
    fn redirection(&mut self) -> Result<(), Left> {
        while self.letters.next_if(|(_, letter)| matches!(letter, '>' | '&' | '|')).is_some() {}
        while self.letters.next_if(|(_, letter)| matches!(letter, ' ' | '\t')).is_some() {}
        self.text().map(drop)
    }

    /// One word, from its first letter on; `None`: it was the number of what is redirected (`2>&1`).
    fn text(&mut self) -> Result<Option<Word>, Left> {
        let mut word = Word::default();
        while let Some((at, letter)) = self.letters.peek().copied() {
            match letter {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' => break,
                '\\' if self.is_continued() => continue,
                _ => {}
            }
            self.letters.next();
            match letter {
                '\'' => self.single(&mut word)?,
                '"' => self.double(&mut word)?,
                '\\' => {
                    if let Some((_, next)) = self.letters.next() {
                        word.push(next);
                    }
                }
                '$' => match self.peek() {
                    Some('\'') => {
                        self.letters.next();
                        self.escaped(&mut word)?;
                    }
                    Some('"') => {}
                    next => word.dollar(next, &self.text[at..]),
                },
                '`' | '(' | ')' => word.compute(&self.text[at..]),
                '~' if word.is_before_home() => word.compute(&self.text[at..]),
                '{' if is_braces(&self.text[at..]) => word.compute(&self.text[at..]),
                letter => word.push(letter),
            }
            let is_number = !word.bytes.is_empty() && word.bytes.iter().all(u8::is_ascii_digit);
            if self.peek() == Some('>') && is_number {
                return Ok(None);
            }
        }
        Ok(Some(word))
    }

    fn single(&mut self, word: &mut Word) -> Result<(), Left> {
        loop {
            match self.letters.next() {
                Some((_, '\'')) => return Ok(()),
                Some((_, letter)) => word.push(letter),
                None => return Err(unclosed()),
            }
        }
    }

    fn double(&mut self, word: &mut Word) -> Result<(), Left> {
        loop {
            match self.letters.next() {
                Some((_, '"')) => return Ok(()),
                Some((_, '\\')) => match self.letters.next() {
                    Some((_, '\n')) => {}
                    Some((_, next @ ('$' | '`' | '"' | '\\'))) => word.push(next),
                    Some((_, next)) => {
                        word.push('\\');
                        word.push(next);
                    }
                    None => return Err(unclosed()),
                },
                Some((at, '$')) => {
                    let next = self.peek();
                    word.dollar(next, &self.text[at..]);
                }
                Some((at, '`')) => word.compute(&self.text[at..]),
                Some((_, letter)) => word.push(letter),
                None => return Err(unclosed()),
            }
        }
    }
}

impl Word {
    fn push(&mut self, letter: char) {
        let mut buffer = [0; 4];
        let bytes = letter.encode_utf8(&mut buffer).as_bytes();
        self.bytes.extend_from_slice(bytes);
        self.written.extend_from_slice(bytes);
    }

    /// Whether a `~` behind it stands for a folder.
    fn is_before_home(&self) -> bool {
        self.bytes.last().is_none_or(|last| *last == b'=')
    }

    /// A `$`, before this letter.
    fn dollar(&mut self, next: Option<char>, rest: &str) {
        match next {
            Some(c) if c.is_ascii_alphanumeric() || "_{(*@#?$!-[".contains(c) => self.compute(rest),
            _ => self.push('$'),
        }
    }

    fn compute(&mut self, rest: &str) {
        let end = rest.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(rest.len());
        self.needs_shell.get_or_insert_with(|| rest[..end].to_owned());
    }
}

/// Whether braces are expanded: `{a,b}` and `{1..3}`, as long as no quote stands in them.
fn is_braces(rest: &str) -> bool {
    let inner = rest[1..].split(['}', ' ', '\t', '\n']).next().unwrap_or_default();
    let is_closed = rest[1 + inner.len()..].starts_with('}');
    is_closed && (inner.contains(',') || inner.contains(".."))
}

fn unclosed() -> Left {
    Left::new(Reason::Unreadable, "missing closing quote\nhint: write it as bash would read it")
}

#[cfg(test)]
mod tests;
