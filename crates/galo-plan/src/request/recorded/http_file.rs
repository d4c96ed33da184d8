//! `.http` files, as VS Code's REST Client and JetBrains' HTTP Client read them: requests parted by `###`, with variables of
//! the file, bodies from files beside it, and what is done with answers, which is skipped.

mod body;
mod variables;

use super::collected::Collected;
use super::left_out::{Left, Reason};
use super::read::{Text, Wrong};
use super::sent::{Address, Headers, LOST, Sent, basic, header};
use variables::Variables;

pub(super) fn parse(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    let text = text.whole()?;
    let lines: Vec<&str> = text.lines().collect();
    let variables = Variables::read(&lines);
    let mut start = 0;
    for (end, _) in
        lines.iter().enumerate().filter(|(_, line)| line.starts_with("###")).chain([(lines.len(), &"")])
    {
        one(start, &lines[start..end], &variables, collected);
        start = end + 1;
    }
    Ok(())
}

/// Whether a word is a method as these files have them.
pub(super) fn is_method(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'-')
}

/// What stands between two `###`. `before`: lines above it.
fn one(before: usize, lines: &[&str], variables: &Variables, collected: &mut Collected) {
    let Some(first) = first_line(lines) else { return };
    let number = before + first + 1;
    let mut words = lines[first].split_whitespace();
    let (method, start) = match (words.next(), words.next()) {
        (Some(method), Some(_)) if is_method(method) => (method, method.len()),
        // An address alone is a GET.
        (Some(address), None) if address.contains(['/', ':', '{']) => ("GET", 0),
        _ => {
            let hint = "write for example `POST http://localhost:3000/path`";
            let what = format!("`{}` begins no request\nhint: {hint}", lines[first]);
            collected.wrong(number as u64, Reason::NoRequest, Wrong::new(number, what));
            return;
        }
    };
    let line = lines[first].trim_start();
    let address = &line[start..];
    let asked = asked(method, address, &lines[first + 1..], variables, collected);
    collected.add(number as u64, 1, asked);
}

/// The index of a request's first line: before it stand comments, variables and scripts.
fn first_line(lines: &[&str]) -> Option<usize> {
    let mut is_script = false;
    lines.iter().position(|line| {
        let text = line.trim();
        if is_script || text.starts_with("< {%") {
            is_script = !text.ends_with("%}");
            return false;
        }
        !(text.is_empty() || is_comment(line) || text.starts_with('@') || text.starts_with("< "))
    })
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("//")
}

fn asked(
    method: &str,
    address: &str,
    rest: &[&str],
    variables: &Variables,
    collected: &Collected,
) -> Result<Sent, Left> {
    if let Some(line) = rest.iter().chain([&address]).find(|line| line.contains(LOST)) {
        return Err(Left::new(Reason::NotWhole, *line));
    }
    if matches!(method, "WEBSOCKET" | "GRPC" | "GRAPHQL" | "RSOCKET") {
        return Err(Left::new(Reason::NotHttp, method));
    }
    // A query may go on in lines of its own.
    let is_more = |line: &&&str| {
        line.starts_with([' ', '\t']) && !line.trim().is_empty() || line.starts_with(['?', '&'])
    };
    let more = rest.iter().take_while(is_more).count();
    let address = address.trim();
    // `HTTP/1.1`, or `HTTP/2 (Prior Knowledge)`.
    let mut address = address.rfind(" HTTP/").map_or(address, |at| &address[..at]).trim().to_owned();
    rest[..more].iter().filter(|line| !is_comment(line)).for_each(|line| address.push_str(line.trim()));
    let rest = &rest[more..];

    let ends_head = |line: &&str| line.trim().is_empty() || body::is_of_answer(line);
    let head = rest.iter().position(ends_head).unwrap_or(rest.len());
    let is_header = |line: &&&str| !is_comment(line) && !line.starts_with('@');
    let headers = headers(rest[..head].iter().filter(is_header), variables)?;
    let mut address = Address::parse(&variables.filled(&address)?)?;
    if address.host.is_none() {
        let host = header(&headers, "host").map(|host| Address::parse(&format!("http://{host}")));
        address.host = host.transpose()?.and_then(|host| host.host);
    }
    let media_type = header(&headers, "content-type").unwrap_or_default().to_owned();
    let is_empty = rest.get(head).is_some_and(|line| line.trim().is_empty());
    let lines = rest.get(head + usize::from(is_empty)..).unwrap_or_default();
    let body = body::read(lines, &media_type, variables, &collected.beside)?;
    let mut headers = authorized(headers)?;
    if header(&headers, "authorization").is_none() {
        headers.extend(address.authorization());
    }
    Sent::new(method, address, headers, Some(body))
}

fn headers<'a>(lines: impl Iterator<Item = &'a &'a str>, variables: &Variables) -> Result<Headers, Left> {
    let mut headers = Headers::new();
    for line in lines {
        let line = variables.filled(line.trim())?;
        let (name, value) = line.split_once(':').ok_or_else(|| Left::new(Reason::Header, line.as_str()))?;
        headers.push((name.trim_end().to_owned(), value.trim().to_owned()));
    }
    if header(&headers, "x-request-type").is_some() {
        return Err(Left::new(Reason::NotKnown, "X-Request-Type"));
    }
    Ok(headers)
}

/// `Authorization: Basic NAME PASSWORD` as it is sent; ways in which a server is asked first are not known.
fn authorized(mut headers: Headers) -> Result<Headers, Left> {
    for (name, value) in &mut headers {
        if !name.eq_ignore_ascii_case("authorization") {
            continue;
        }
        let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
        match scheme.to_ascii_lowercase().as_str() {
            "basic" => {
                let rest = rest.trim();
                let parted = rest.split_once(':').or_else(|| rest.split_once(' '));
                if let Some((user, password)) = parted {
                    *value = basic(format!("{user}:{}", password.trim_start()).into_bytes()).1;
                }
            }
            "digest" | "aws" | "cognito" => {
                return Err(Left::new(Reason::NotKnown, format!("{name}: {scheme}")));
            }
            _ => {}
        }
    }
    Ok(headers)
}
