//! What the options of curl say that have data: `-d`, `--data-urlencode`, `-F`.

use super::super::super::beside::Beside;
use super::super::super::form::Part;
use super::super::super::left_out::{Left, Reason};
use super::super::options::Takes;
use super::text;
use crate::http;

/// What one of the options of data says, its file read.
pub(super) fn data(takes: Takes, value: Vec<u8>, beside: &Beside) -> Result<Vec<u8>, Left> {
    let file = |name: &[u8]| match name {
        b"-" => Err(Left::new(Reason::File, "standard input")),
        name => beside.read(&text(name.to_vec())?),
    };
    match (takes, value.strip_prefix(b"@")) {
        (Takes::DataRaw, _) => Ok(value),
        (Takes::DataEncoded, _) => {
            // `content`, `=content`, `name=content`, `@file` or `name@file`.
            let at = value.iter().position(|b| matches!(b, b'=' | b'@'));
            let Some(at) = at else { return Ok(curl_escaped(&value, "+").into_bytes()) };
            let (name, content) = (&value[..at], &value[at + 1..]);
            let content = if value[at] == b'@' { file(content)? } else { content.to_vec() };
            let sign: &[u8] = if name.is_empty() { b"" } else { b"=" };
            Ok([name, sign, curl_escaped(&content, "+").as_bytes()].concat())
        }
        (Takes::Data, Some(name)) => {
            let mut bytes = file(name)?;
            bytes.retain(|b| !matches!(b, b'\r' | b'\n' | 0));
            Ok(bytes)
        }
        (_, Some(name)) => file(name),
        (_, None) => Ok(value),
    }
}

/// `-F name=content`, `name=@file;type=text/plain;filename=x`, `name=<file`; what has a `;` in it may stand in quotes.
pub(super) fn part(takes: Takes, form: &str, beside: &Beside) -> Result<Part, Left> {
    let (name, content) =
        form.split_once('=').ok_or_else(|| Left::new(Reason::NotKnown, "-F without a value"))?;
    // Parts within parts, headers, encodings and several files have rules of their own.
    let unknown = || Left::new(Reason::NotKnown, format!("-F {name}"));
    let plain = |value: &str| Part {
        name: name.to_owned(),
        file: None,
        media_type: None,
        value: value.as_bytes().to_vec(),
    };
    if takes == Takes::FormString {
        return Ok(plain(content));
    }
    let place = content.trim_start_matches(['@', '<']);
    let (place, mut more) = quoted(place).ok_or_else(unknown)?;
    let mut part = match content.as_bytes().first() {
        Some(b'(' | b')') => return Err(unknown()),
        Some(b'@') => {
            if place.contains(',') || place == "-" {
                return Err(unknown());
            }
            let (value, media_type) = (beside.read(&place)?, Some(type_of(&place).to_owned()));
            Part { file: place.rsplit('/').next().map(str::to_owned), media_type, value, ..plain("") }
        }
        Some(b'<') => Part { value: beside.read(&place)?, ..plain("") },
        _ => plain(&place),
    };
    while !more.is_empty() {
        let (option, behind) = more.split_once('=').ok_or_else(unknown)?;
        let (value, rest) = quoted(behind).ok_or_else(unknown)?;
        match option.trim() {
            "type" => part.media_type = Some(value),
            "filename" => part.file = Some(value),
            _ => return Err(unknown()),
        }
        more = rest;
    }
    Ok(part)
}

/// A text up to the next `;`, perhaps in quotes, in which `\\` and `\"` are escaped, and what stands behind the `;`. `None`: the
/// quotes are not closed, or something stands behind them.
fn quoted(text: &str) -> Option<(String, &str)> {
    let Some(inner) = text.strip_prefix('"') else {
        let (value, rest) = text.split_once(';').map_or((text, ""), |(value, rest)| (value.trim_end(), rest));
        return Some((value.to_owned(), rest));
    };
    let (mut value, mut letters) = (String::new(), inner.char_indices());
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => {
                let rest = inner[at + 1..].trim_start();
                return (rest.is_empty() || rest.starts_with(';'))
                    .then(|| (value, rest.trim_start_matches(';')));
            }
            '\\' => match letters.next() {
                Some((_, next @ ('"' | '\\'))) => value.push(next),
                Some((_, next)) => value.extend(['\\', next]),
                None => return None,
            },
            letter => value.push(letter),
        }
    }
    None
}

/// The type that curl gives to a file of a form, by its extension.
fn type_of(file: &str) -> &'static str {
    let extension =
        file.rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_ascii_lowercase());
    match extension.as_str() {
        "gif" => "image/gif",
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        "txt" => "text/plain",
        "htm" | "html" => "text/html",
        "pdf" => "application/pdf",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}

/// As curl escapes: all but unreserved letters.
pub(super) fn curl_escaped(bytes: &[u8], space: &str) -> String {
    http::escaped(bytes).replace("%20", space)
}
