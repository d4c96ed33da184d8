//! Text for a terminal of fixed width. What a contender sent is shown, never obeyed.

use unicode_width::UnicodeWidthChar;

/// Makes text of unknown origin harmless for one line of a terminal: line breaks and tabs become spaces; every other
/// control character, and what would turn the direction of writing, is spelled out. Whatever a contender sent or a file
/// holds goes through here before it is printed.
///
/// ```
/// assert_eq!(galo_report::clean("a\u{1b}[2Jb\nc\u{202e}d"), r"a\u{1b}[2Jb c\u{202e}d");
/// ```
pub fn clean(text: &str) -> String {
    clean_but(text, |_| false)
}

/// The same with line breaks and tabs kept, for where they cannot break the layout.
pub(crate) fn clean_lines(text: &str) -> String {
    clean_but(text, |c| matches!(c, '\n' | '\t'))
}

fn clean_but(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if keep(c) => out.push(c),
            '\n' | '\r' | '\t' => out.push(' '),
            c if c.is_control() || steers_direction(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Unicode's bidirectional controls (UAX #9): they let text pretend to stand somewhere else.
const fn steers_direction(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Columns that text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

fn char_width(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// Cuts text to at most `limit` columns; what was cut shows as an ellipsis.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let mut out = take_columns(text, limit.saturating_sub(1)).to_owned();
    out.push('…');
    out
}

/// The longest start of `text` that takes at most `limit` columns.
fn take_columns(text: &str, limit: usize) -> &str {
    let mut used = 0;
    for (index, c) in text.char_indices() {
        used += char_width(c);
        if used > limit {
            return &text[..index];
        }
    }
    text
}

/// Breaks text at spaces into lines of at most `limit` columns; a longer word is cut. `indent` stands before every
/// line but the first.
pub(crate) fn wrap(text: &str, limit: usize, indent: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut empty = true;
    for word in text.split_whitespace() {
        let mut word = word;
        if !empty && width(&line) + 1 + width(word) > limit {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        while width(&line) + width(word) > limit {
            // At least one character goes on each line, however narrow it is, or this would never end.
            let first = word.chars().next().map_or(0, char::len_utf8);
            let taken = take_columns(word, limit.saturating_sub(width(&line))).len().max(first);
            line.push_str(&word[..taken]);
            word = &word[taken..];
            if word.is_empty() {
                break;
            }
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        }
        line.push_str(word);
        empty = false;
    }
    if !empty {
        lines.push(line);
    }
    lines
}

/// Text followed by spaces up to `columns`.
pub(crate) fn left(text: &str, columns: usize) -> String {
    let text = shorten(text, columns);
    let pad = columns.saturating_sub(width(&text));
    format!("{text}{}", " ".repeat(pad))
}

/// Text after spaces up to `columns`.
pub(crate) fn right(text: &str, columns: usize) -> String {
    let text = shorten(text, columns);
    let pad = columns.saturating_sub(width(&text));
    format!("{}{text}", " ".repeat(pad))
}

/// How text looks in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns that no line passes.
    pub width: usize,
    /// Whether ANSI sequences may be used. Without them everything is told by text alone.
    pub colour: bool,
}

impl Look {
    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn warning(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    pub(crate) fn struck(self, text: &str) -> String {
        self.paint("9", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_of_a_contender_are_spelled_out() {
        assert_eq!(clean("a\u{1b}[2Jb\nc\u{202e}d"), "a\\u{1b}[2Jb c\\u{202e}d");
        assert_eq!(clean_lines("a\nb\r\0"), "a\nb \\u{0}");
    }

    #[test]
    fn wrapped_lines_never_pass_the_limit() {
        let text = "a verylongwordthatmustbecut and short ones, 日本語日本語 too";
        for limit in 4..30 {
            for line in wrap(text, limit, "  ") {
                assert!(width(&line) <= limit, "{limit}: {line:?}");
            }
        }
    }

    #[test]
    fn wrapping_loses_no_word() {
        let text = "one two three four five six";
        let lines = wrap(text, 9, "  ");
        assert_eq!(lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" "), text);
        assert_eq!(wrap("", 10, ""), Vec::<String>::new());
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("日本"), 4);
        assert_eq!(shorten("日本語", 5), "日本…");
        assert_eq!(right("é", 3), "  é");
    }
}
