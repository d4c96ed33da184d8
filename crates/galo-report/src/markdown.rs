//! How Markdown is written, for a pull request or the summary of a CI job: GitHub's dialect (GFM).
//!
//! Names, requests and answers come from contenders: [`text`], [`block`] and the line of [`details`] show them word
//! for word, whatever they hold, so nothing in them is a tag, a link, a mention, or the end of a cell.

use crate::text::{clean, clean_lines};

/// Stands between a character and what would make a mention or a reference of it, and shows nothing.
const WORD_JOINER: char = '\u{2060}';

/// Text of unknown origin for a paragraph, a heading or a cell, shown as it is.
pub(crate) fn text(raw: &str) -> String {
    escaped(raw, false)
}

/// Markdown that shows a text as it is; in a line of HTML, where a backslash is nothing but a backslash, without any.
fn escaped(raw: &str, in_html: bool) -> String {
    let raw = clean(raw);
    // A byte order mark shows nothing, and would hide what a line begins with.
    let raw = raw.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    // Only digits with one of these behind them begin a list.
    let digits = raw.bytes().take_while(u8::is_ascii_digit).count();
    let mut out = String::with_capacity(raw.len() + raw.len() / 8);
    for (index, c) in raw.char_indices() {
        let rest = &raw[index..];
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' | '#' => out.extend([c, WORD_JOINER]),
            'w' | 'W' if starts_with_www(rest) => out.extend([c, WORD_JOINER]),
            ':' if in_html && rest.starts_with("://") => out.extend([c, WORD_JOINER]),
            _ if in_html => out.push(c),
            // Not by a backslash: in a table that would be read before the cell is.
            '|' => out.push_str("&#124;"),
            ':' if rest.starts_with("://") => out.push_str("&#58;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '~' | '!' | '$' | '^' => out.extend(['\\', c]),
            '-' | '+' | '=' if index == 0 => out.extend(['\\', c]),
            '.' | ')' if index == digits && digits > 0 && !rest[1..].starts_with(is_word) => {
                out.extend(['\\', c]);
            }
            _ => out.push(c),
        }
    }
    out
}

const fn is_word(c: char) -> bool {
    !matches!(c, ' ' | '\t')
}

fn starts_with_www(text: &str) -> bool {
    text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."))
}

/// Lines of unknown origin as a block of code.
pub(crate) fn block(language: &str, raw: &str) -> String {
    let raw = clean_lines(raw);
    let fence = "`".repeat((longest_run(&raw, '`') + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", raw.trim_end())
}

/// Most of a character in a row.
fn longest_run(text: &str, wanted: char) -> usize {
    text.split(|c| c != wanted).map(str::len).max().unwrap_or(0)
}

/// A table: these columns to the left, by place, and others, of figures, to the right. Cells are Markdown.
pub(crate) fn table(head: &[String], left: &[usize], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let rule: String =
        (0..head.len()).map(|column| if left.contains(&column) { "|---" } else { "|--:" }).collect();
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{rule}|\n{rows}", line(head))
}

/// Folded until somebody asks. `summary` is text of unknown origin, `body` Markdown.
pub(crate) fn details(summary: &str, body: &str) -> String {
    if body.trim().is_empty() {
        return String::new();
    }
    let summary = escaped(summary, true);
    format!("<details><summary>{summary}</summary>\n\n{}\n\n</details>\n", body.trim_end())
}

/// A box that warns.
pub(crate) fn warning(told: &str) -> String {
    format!("> [!WARNING]\n> {}\n", text(told))
}

/// Joins what there is, a blank line between.
pub(crate) fn join(parts: &[String]) -> String {
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect();
    parts.join("\n\n") + "\n"
}

#[cfg(test)]
mod tests;
