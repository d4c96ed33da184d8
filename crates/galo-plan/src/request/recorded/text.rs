//! Files for people: `.http` (requests parted by `###`), and access logs.

use jiff::Timestamp;
use jiff::fmt::strtime;

use super::read::Text;
use super::{Collected, Wrong};

/// Requests as editors send them: a line `METHOD address`, headers, an empty line, a body.
pub(super) fn http(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    let text = text.whole()?;
    let lines: Vec<&str> = text.lines().collect();
    let mut start = 0;
    for (end, _) in
        lines.iter().enumerate().filter(|(_, line)| line.starts_with("###")).chain([(lines.len(), &"")])
    {
        one(start, &lines[start..end], collected)?;
        start = end + 1;
    }
    Ok(())
}

fn one(before: usize, lines: &[&str], collected: &mut Collected) -> Result<(), Wrong> {
    let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && !line.starts_with("//");
    let Some(first) = lines.iter().position(&is_said) else { return Ok(()) };
    let number = before + first + 1;
    let mut words = lines[first].split_whitespace();
    let (method, address) = match (words.next(), words.next()) {
        (Some(method), Some(address)) if method.bytes().all(|b| b.is_ascii_uppercase()) => (method, address),
        // An address alone is a GET.
        (Some(address), None) => ("GET", address),
        _ => {
            let hint = "write for example `POST http://localhost:3000/path`";
            return Err(Wrong::new(number, format!("`{}` begins no request\nhint: {hint}", lines[first])));
        }
    };
    if address.contains("{{") {
        let hint = "write its value out: galo knows no variables of editors";
        return Err(Wrong::new(number, format!("`{address}` holds a variable\nhint: {hint}")));
    }
    let rest = &lines[first + 1..];
    let head = rest.iter().position(|line| line.trim().is_empty()).unwrap_or(rest.len());
    let headers = rest[..head].iter().copied().filter(is_said).map(|line| line.trim().to_owned()).collect();
    let body = rest.get(head + 1..).unwrap_or_default().join("\n");
    collected.add(method, address, headers, Some(body.trim_end().to_owned()), 1);
    Ok(())
}

/// Access logs in the combined or common format: of each line the first text in quotation marks, `GET /path HTTP/1.1`.
pub(super) fn access_log(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    text.each_line(|number, line| {
        if line.trim().is_empty() {
            return Ok(());
        }
        let request = line.split('"').nth(1).unwrap_or_default();
        let words: Vec<&str> = request.split_whitespace().collect();
        match words.as_slice() {
            [method @ ("GET" | "HEAD"), address, protocol] if protocol.starts_with("HTTP/") => {
                collected.add_at(time(line), method, address, Vec::new(), None);
            }
            // A request with a body that nobody wrote down, or what strangers send to find out who listens.
            _ if line.contains('"') => collected.left_out += 1,
            _ => {
                let hint = "an access log has the request in quotation marks, as nginx's `combined`";
                return Err(Wrong::new(number, format!("no line of an access log\nhint: {hint}")));
            }
        }
        Ok(())
    })
}

/// The time of a line: the first text in brackets, `10/Oct/2000:13:55:36 -0700`.
fn time(line: &str) -> Option<Timestamp> {
    let (_, rest) = line.split_once('[')?;
    let (text, _) = rest.split_once(']')?;
    strtime::parse("%d/%b/%Y:%H:%M:%S %z", text).ok()?.to_timestamp().ok()
}
