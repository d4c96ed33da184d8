//! A request as a line that can be pasted into a POSIX shell.

use std::net::SocketAddr;

use galo_plan::conformance::{CaseRequest, Content, Filling, Form, Piece, Way};

/// So often must a letter stand in a row to be written as a repetition.
const ROW: usize = 50;
/// A longer body is piped in: one argument of a command holds 128 KiB.
const INLINE_BYTES: usize = 64 * 1024;

/// The line, for a server and perhaps through a proxy's tunnel; `None` where a placeholder of it was not given anything to stand for.
pub(super) fn line(
    request: &CaseRequest,
    filling: Filling<'_>,
    to: SocketAddr,
    through: Option<SocketAddr>,
) -> Option<String> {
    let target = rows(&filling.content(&request.target)?);
    let body = match &request.body {
        Some(body) => Some(rows(&filling.content(body)?)),
        None => None,
    };
    let mut words = vec!["curl -sS".to_owned()];
    words.extend(through.map(|proxy| format!("-p -x {proxy}")));
    words.extend(method(request));
    for (name, value) in &request.headers {
        let value = rows(&filling.content(value)?);
        words.push(format!("-H {}", header(name, value)));
    }
    words.extend(form(request).map(str::to_owned));
    let mut line = match &request.before {
        Some(before) => format!("{} && ", String::from_utf8_lossy(&filling.content(before)?.bytes())),
        None => String::new(),
    };
    if let Some(body) = body {
        if !request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            words.push("-H 'Content-Type:'".to_owned());
        }
        if is_printable(&body) && body.bytes().len() <= INLINE_BYTES {
            words.push(format!("--data-raw {}", word(&body)));
        } else {
            line += &format!("{} | ", printed(&body));
            words.push("-H 'Expect:' --data-binary @-".to_owned());
        }
    }
    words.push(url(&target, to));
    line += &words.join(" ");
    line += &remark(request);
    Some(line)
}

fn method(request: &CaseRequest) -> Option<String> {
    match (request.method.as_str(), &request.body) {
        ("GET", None) | ("POST", Some(_)) => Some("-i".to_owned()),
        ("HEAD", _) => Some("-I".to_owned()),
        (method, _) => Some(format!("-i -X {}", quoted(method))),
    }
}

fn header(name: &str, value: Content) -> String {
    if value.bytes().is_empty() {
        // So curl is told to send it without a value, and not to leave it out.
        return quoted(&format!("{name};"));
    }
    word(&behind(format!("{name}: "), value))
}

const fn form(request: &CaseRequest) -> Option<&'static str> {
    match request.form {
        Form::Chunked => Some("-H 'Transfer-Encoding: chunked'"),
        Form::Http10 => Some("--http1.0"),
        Form::Continue => Some("-H 'Expect: 100-continue'"),
        Form::Plain | Form::HalfClosed | Form::Cut(_) | Form::Reset => None,
    }
}

/// What a single line cannot do is said behind it.
fn remark(request: &CaseRequest) -> String {
    let form = match request.form {
        Form::Cut(bytes) => format!(" # the client goes away after {bytes} bytes of the body"),
        Form::HalfClosed => " # the client ends its own direction once it has sent this".to_owned(),
        Form::Reset => " # the client resets the connection as soon as the answer begins".to_owned(),
        _ => String::new(),
    };
    let way = match request.way {
        Way::Fresh => "",
        Way::Kept => " # on the connection of the request before it",
        Way::Pipelined => " # on the same connection, without waiting for the answer before it",
        Way::AtOnce => " # at the same time as the request before it",
    };
    form + way
}

fn url(target: &Content, to: SocketAddr) -> String {
    let bytes = target.bytes();
    if bytes.first() != Some(&b'/') {
        return format!("--request-target {} http://{to}/", word(target));
    }
    // curl itself would take brackets for ranges, and remove dot segments.
    let globs = if bytes.iter().any(|b| b"[]{}".contains(b)) { "-g " } else { "" };
    let dots = if bytes.windows(2).any(|two| two == b"/.") { "--path-as-is " } else { "" };
    format!("{globs}{dots}{}", word(&behind(format!("http://{to}"), target.clone())))
}

/// A content behind a text, with which it is one piece where it begins with text itself.
fn behind(text: String, mut content: Content) -> Content {
    match content.0.first_mut() {
        Some(Piece::Text(first)) => first.insert_str(0, &text),
        _ => content.0.insert(0, Piece::Text(text)),
    }
    content
}

/// The same content with every long row of one letter written as a repetition.
fn rows(content: &Content) -> Content {
    let mut pieces = Vec::new();
    for piece in &content.0 {
        match piece {
            Piece::Text(text) => split_rows(text, &mut pieces),
            other => pieces.push(other.clone()),
        }
    }
    Content(pieces)
}

fn split_rows(text: &str, pieces: &mut Vec<Piece>) {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let times = rest.chars().take_while(|other| *other == letter).count();
        let (row, after) = rest.split_at(times * letter.len_utf8());
        rest = after;
        if times < ROW {
            plain.push_str(row);
            continue;
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(Piece::Repeat { text: letter.to_string(), times });
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
}

/// Whether a word of a shell can hold it as it is.
fn is_printable(content: &Content) -> bool {
    content.0.iter().all(|piece| match piece {
        Piece::Text(text) | Piece::Repeat { text, .. } => !text.contains(char::is_control),
        Piece::Octets { .. } => false,
    })
}

/// One word of a shell.
fn word(content: &Content) -> String {
    let pieces = content.0.iter().map(|piece| match piece {
        Piece::Text(text) => quoted(text),
        Piece::Repeat { .. } | Piece::Octets { .. } => format!("\"$({})\"", command(piece)),
    });
    let word: String = pieces.collect();
    if word.is_empty() { "''".to_owned() } else { word }
}

/// Commands that print it.
fn printed(content: &Content) -> String {
    let commands: Vec<String> = content.0.iter().map(command).collect();
    match commands.as_slice() {
        [one] => one.clone(),
        many => format!("{{ {}; }}", many.join("; ")),
    }
}

fn command(piece: &Piece) -> String {
    match piece {
        Piece::Text(text) => format!("printf {}", escaped(text.as_bytes())),
        Piece::Repeat { text, times } => {
            format!("yes -- {} | head -n {times} | tr -d '\\n'", quoted(text))
        }
        Piece::Octets { base64 } => format!("printf {}", escaped(base64)),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A format of `printf` that prints these bytes.
fn escaped(bytes: &[u8]) -> String {
    let mut format = String::new();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '%' => format.push_str("%%"),
                '\\' => format.push_str(r"\\"),
                letter if letter.is_control() => {
                    let mut bytes = [0; 4];
                    octal(letter.encode_utf8(&mut bytes).as_bytes(), &mut format);
                }
                letter => format.push(letter),
            }
        }
        octal(chunk.invalid(), &mut format);
    }
    // A format that begins like an option is none.
    let format = if format.starts_with('-') { format.replacen('-', r"\055", 1) } else { format };
    quoted(&format)
}

fn octal(bytes: &[u8], out: &mut String) {
    for byte in bytes {
        out.push_str(&format!("\\{byte:03o}"));
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    const TO: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8081);

    fn told(request: &CaseRequest) -> String {
        line(request, Filling { mark: "a1b", given: &[] }, TO, None).unwrap()
    }

    fn post(body: impl Into<Content>) -> CaseRequest {
        let mut request = CaseRequest::new("POST", "/pessoas");
        request.headers = vec![("Content-Type".to_owned(), Content::from("application/json"))];
        request.body = Some(body.into());
        request
    }

    #[test]
    fn requests_are_told_as_lines_for_a_shell() {
        let get = CaseRequest::new("GET", "/pessoas?t={mark}%25&x[]={x}");
        insta::assert_snapshot!(told(&get), @"curl -sS -i -g 'http://127.0.0.1:8081/pessoas?t=a1b%25&x[]={x}'");
        let person = post(r#"{"apelido":"d'{mark}"}"#);
        insta::assert_snapshot!(told(&person), @r#"curl -sS -i -H 'Content-Type: application/json' --data-raw '{"apelido":"d'\''a1b"}' 'http://127.0.0.1:8081/pessoas'"#);
        let long = post(Content::from("\"").repeated("x", 10_000_000).text("\""));
        insta::assert_snapshot!(told(&long), @r#"{ printf '"'; yes -- 'x' | head -n 10000000 | tr -d '\n'; printf '"'; } | curl -sS -i -H 'Content-Type: application/json' -H 'Expect:' --data-binary @- 'http://127.0.0.1:8081/pessoas'"#);
        let row = post("y".repeat(200));
        insta::assert_snapshot!(told(&row), @r#"curl -sS -i -H 'Content-Type: application/json' --data-raw "$(yes -- 'y' | head -n 200 | tr -d '\n')" 'http://127.0.0.1:8081/pessoas'"#);
        let mut bytes = CaseRequest { headers: Vec::new(), ..post(Content::from("a\n%").octets(b"\xff\0")) };
        bytes.form = Form::Chunked;
        insta::assert_snapshot!(told(&bytes), @r"{ printf 'a\012%%'; printf '\377\000'; } | curl -sS -i -H 'Transfer-Encoding: chunked' -H 'Content-Type:' -H 'Expect:' --data-binary @- 'http://127.0.0.1:8081/pessoas'");
    }

    #[test]
    fn what_curl_would_change_is_kept_and_what_it_cannot_do_is_said() {
        let mut head = CaseRequest::new("HEAD", "http://localhost/x");
        head.headers = vec![("X-Empty".to_owned(), Content::default())];
        head.way = Way::Pipelined;
        insta::assert_snapshot!(told(&head), @"curl -sS -I -H 'X-Empty;' --request-target 'http://localhost/x' http://127.0.0.1:8081/ # on the same connection, without waiting for the answer before it");
        let dots = CaseRequest { form: Form::Http10, ..CaseRequest::new("DELETE", "/x/../y") };
        insta::assert_snapshot!(told(&dots), @"curl -sS -i -X 'DELETE' --http1.0 --path-as-is 'http://127.0.0.1:8081/x/../y'");
        let cut = CaseRequest { form: Form::Cut(7), ..post("{}") };
        assert!(told(&cut).ends_with("# the client goes away after 7 bytes of the body"));
    }

    #[test]
    fn nothing_is_told_of_a_request_that_could_not_be_sent() {
        let read = CaseRequest::new("GET", "{0.location}");
        assert_eq!(line(&read, Filling { mark: "", given: &[None] }, TO, None), None);
    }

    #[test]
    fn what_is_done_before_a_request_and_whose_tunnel_it_takes_are_part_of_the_line() {
        let plain = CaseRequest::new("GET", "/x");
        let through =
            line(&plain, Filling { mark: "", given: &[] }, TO, Some(([10, 0, 0, 1], 8080).into())).unwrap();
        assert!(through.starts_with("curl -sS -p -x 10.0.0.1:8080 -i "), "{through}");
        let changed = CaseRequest { before: Some(Content::from("psql -c 'x {mark}'")), ..plain };
        let changed = line(&changed, Filling { mark: "a1", given: &[] }, TO, None).unwrap();
        assert!(changed.starts_with("psql -c 'x a1' && curl -sS "), "{changed}");
    }

    /// What a shell makes of it.
    fn by_shell(script: &str) -> Vec<u8> {
        Command::new("sh").args(["-c", script]).output().unwrap().stdout
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn a_shell_reads_back_the_same_bytes(
            text in "[ -~é\n\t]{1,40}",
            bytes in prop::collection::vec(any::<u8>(), 1..40),
            times in 1..200_usize,
        ) {
            let content = rows(&Content::from(text.as_str()).octets(&bytes).repeated("-a'", times));
            prop_assert_eq!(by_shell(&printed(&content)), content.bytes());
            let printable = rows(&Content::from(text.replace(['\n', '\t'], " ")).repeated("z", times));
            prop_assert_eq!(by_shell(&format!("printf %s {}", word(&printable))), printable.bytes());
        }
    }
}
