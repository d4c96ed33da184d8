//! A command line or a line of text, word by word: what one word says of the next.

use super::body::in_written;
use super::names::is_secret;
use super::{MASK, in_address, in_header, in_pair, in_urls, is_place};

/// What is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// A line for a shell.
    Line,
    /// A program and its arguments, each as the program gets it.
    Words,
    /// A command line of galo's.
    OfGalo,
    /// What a program wrote.
    Text,
}

/// What the value of an option is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Header,
    Pair,
    Address,
    Body,
    Secret,
    /// `NAME:PASSWORD`
    User,
    /// No secret: it is what is compared.
    Values,
}

/// The way over the words.
pub(super) struct Walk {
    reading: Reading,
    /// What the next word is, by the option before it.
    next: Option<Kind>,
    /// Whether the program is one whose `-u` is a user.
    is_curl: bool,
}

impl Walk {
    pub(super) const fn new(reading: Reading) -> Self {
        Self { reading, next: None, is_curl: false }
    }

    /// A line, with all of its spaces.
    pub(super) fn line(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while !rest.is_empty() {
            let length = word_length(rest);
            if length == 0 {
                let space = rest.chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..space]);
                rest = &rest[space..];
                continue;
            }
            out.push_str(&self.word(&rest[..length]));
            rest = &rest[length..];
        }
        out
    }

    pub(super) fn word(&mut self, word: &str) -> String {
        if let Some(kind) = self.next.take() {
            let is_an_option_itself = matches!(kind, Kind::Secret | Kind::User) && word.starts_with('-');
            if !is_an_option_itself {
                return self.masked(kind, word);
            }
        }
        if let Some((option, value)) = word.split_once('=')
            && let Some(kind) = self.kind_of(option)
        {
            return format!("{option}={}", self.masked(kind, value));
        }
        // `-H` may stand behind other letters, and its value right behind it.
        let short =
            word.strip_prefix('-').filter(|rest| self.reading == Reading::OfGalo && !rest.starts_with('-'));
        match short.and_then(|rest| rest.split_once('H')) {
            Some((_, "")) => {
                self.next = Some(Kind::Header);
                return word.to_owned();
            }
            Some((before, value)) => return format!("-{before}H{}", in_header(value)),
            None => {}
        }
        if word_length(word) < word.len() {
            return Walk::new(self.inner()).line(word);
        }
        if sets_a_variable(word) {
            let name = word.split('=').next().unwrap_or_default();
            return if self.reading == Reading::Text && !is_secret(name) {
                in_urls(word)
            } else {
                in_pair(word)
            };
        }
        if let Some((quote, inner)) = quoted(word) {
            let told = if inner.contains(char::is_whitespace) {
                Walk::new(self.inner()).line(inner)
            } else {
                self.word(inner)
            };
            return format!("{quote}{told}{quote}");
        }
        self.next = self.kind_of(word);
        self.is_curl |= word.rsplit('/').next() == Some("curl");
        in_urls(word)
    }

    /// How a line is read that is one word of this.
    fn inner(&self) -> Reading {
        if self.reading == Reading::Text { Reading::Text } else { Reading::Line }
    }

    fn kind_of(&self, option: &str) -> Option<Kind> {
        match option {
            "--header" | "--header-any" | "--header-a" | "--header-b" | "--expect-header" => {
                Some(Kind::Header)
            }
            "--env" => Some(Kind::Pair),
            "--data" | "--data-a" | "--data-b" | "--body" | "--expect-body" | "--expect-json" => {
                Some(Kind::Body)
            }
            "--proxy" | "--push-gateway" => Some(Kind::Address),
            "--param" | "--sweep" | "--knob" if self.reading == Reading::OfGalo => Some(Kind::Values),
            "-u" => self.is_curl.then_some(Kind::User),
            "--user" | "--proxy-user" => Some(Kind::User),
            _ => {
                let name = option.strip_prefix('-')?;
                (name.len() > 1 && is_secret(name)).then_some(Kind::Secret)
            }
        }
    }

    fn masked(&self, kind: Kind, value: &str) -> String {
        if let Some((quote, inner)) = quoted(value).filter(|_| kind != Kind::Secret) {
            return format!("{quote}{}{quote}", self.masked(kind, inner));
        }
        match kind {
            Kind::Header => in_header(value),
            Kind::Pair => in_pair(value),
            Kind::Address => in_address(value),
            Kind::Body => in_written(value),
            Kind::Values => value.to_owned(),
            Kind::User => match value.split_once(':') {
                Some((name, password)) if password.parse::<u32>().is_err() => format!("{name}:{MASK}"),
                _ => value.to_owned(),
            },
            Kind::Secret => {
                let is_told = value.is_empty()
                    || is_place(value)
                    || (self.reading == Reading::Line && is_filled_by_the_shell(value));
                if is_told { value.to_owned() } else { MASK.to_owned() }
            }
        }
    }
}

/// Whether a value is what a shell puts there: `$NAME`, `${NAME}`, `$(COMMAND)`, in double quotation marks or none.
fn is_filled_by_the_shell(value: &str) -> bool {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
    let Some(inner) = inner.strip_prefix('$') else { return false };
    if inner.starts_with('(') && inner.ends_with(')') {
        return true;
    }
    let name = inner.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(inner);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What stands between two quotation marks that are the whole word.
fn quoted(word: &str) -> Option<(char, &str)> {
    let quote = word.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = word[1..].strip_suffix(quote)?;
    (!inner.contains(quote)).then_some((quote, inner))
}

/// Bytes up to the first space outside of quotation marks.
fn word_length(text: &str) -> usize {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, _) if letter.is_whitespace() => return at,
            _ => {}
        }
    }
    text.len()
}

fn sets_a_variable(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}
