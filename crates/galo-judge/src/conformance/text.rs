//! Answers in a few lines, whatever they hold.

use galo_record::Exchange;

/// Characters of a body that are shown.
const BODY_SHOWN: usize = 400;
/// Characters of one line.
const LINE: usize = 200;
/// Headers that are shown.
const HEADERS: [&str; 5] = ["Content-Type", "Content-Length", "Location", "Allow", "Connection"];

/// The start of a text, with what was left out told.
pub(super) fn start(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}... ({} bytes)", &text[..end], text.len()),
        None => text.to_owned(),
    }
}

/// A text of unknown origin on one line, and cut where it is long.
pub(super) fn line(text: &str) -> String {
    start(&text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>(), LINE)
}

/// A text in quotes, escaped onto one line, and cut where it is long.
pub(super) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(LINE / 2).collect();
    match shown.len() == text.len() {
        true => format!("{shown:?}"),
        false => format!("{shown:?}... ({} bytes)", text.len()),
    }
}

/// Status line, headers of interest and the start of the body.
pub(super) fn answer(exchange: &Exchange) -> String {
    if exchange.status == 0 {
        return String::new();
    }
    let head = String::from_utf8_lossy(&exchange.head.bytes()).into_owned();
    let mut lines = vec![line(head.lines().next().unwrap_or_default())];
    for name in HEADERS {
        lines.extend(exchange.headers(name).iter().take(2).map(|value| line(&format!("{name}: {value}"))));
    }
    let kept = exchange.body.bytes();
    let body = String::from_utf8_lossy(&kept);
    if !body.is_empty() {
        lines.push(String::new());
        let shown: String = body.chars().take(BODY_SHOWN).collect();
        let cut = shown.len() < body.len() || (kept.len() as u64) < exchange.body_bytes;
        lines.push(if cut { format!("{shown}... ({} bytes)", exchange.body_bytes) } else { shown });
    }
    lines.join("\n")
}
