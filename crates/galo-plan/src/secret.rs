//! What must not be written down: values of headers and of the environment, and users in addresses. Names stay, so that a
//! reader sees what there was; who does it again gives the values anew.

/// Stands for a value that is not told.
pub const MASK: &str = "***";

/// Headers whose values say nothing that is to be kept.
const HARMLESS: &[&str] = &[
    "accept",
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
];

/// A header line `Name: value`.
pub fn in_header(line: &str) -> String {
    match line.split_once(':') {
        Some((name, value))
            if !value.trim().is_empty() && !HARMLESS.contains(&name.trim().to_ascii_lowercase().as_str()) =>
        {
            format!("{name}: {MASK}")
        }
        _ => line.to_owned(),
    }
}

/// A value of the environment. Numbers and switches are told: they are how a service is tuned. So is a place `{name}`, which
/// something else is put into.
pub fn in_value(value: &str) -> String {
    let inner = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let is_place = inner.is_some_and(|name| !name.contains(['{', '}']));
    let is_harmless =
        is_place || value.parse::<f64>().is_ok() || matches!(value, "" | "true" | "false" | "yes" | "no");
    if is_harmless { value.to_owned() } else { MASK.to_owned() }
}

/// `NAME=VALUE`.
pub fn in_pair(pair: &str) -> String {
    pair.split_once('=')
        .map_or_else(|| pair.to_owned(), |(name, value)| format!("{name}={}", in_value(value)))
}

/// The user in front of a host, in each address that a text holds.
pub fn in_urls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, behind) = rest.split_at(at + 3);
        let end = behind
            .find(|c: char| matches!(c, '/' | '?' | '#' | '\'' | '"') || c.is_whitespace())
            .unwrap_or(behind.len());
        out.push_str(before);
        out.push_str(&in_authority(&behind[..end]));
        rest = &behind[end..];
    }
    out + rest
}

/// One address, with a scheme or without.
pub fn in_address(text: &str) -> String {
    if text.contains("://") {
        return in_urls(text);
    }
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    in_authority(&text[..end]) + &text[end..]
}

fn in_authority(authority: &str) -> String {
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{MASK}@{host}"),
        None => authority.to_owned(),
    }
}

/// A line for a shell: what it sets of the environment, and users in addresses.
pub fn in_line(line: &str) -> String {
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
        let word = &rest[..length];
        out.push_str(&if sets_a_variable(word) { in_pair(word) } else { in_urls(word) });
        rest = &rest[length..];
    }
    out
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

/// What the value of an option is.
#[derive(Clone, Copy)]
enum Kind {
    Header,
    Pair,
    Address,
    /// No secret: it is what is compared.
    Values,
}

fn kind_of(option: &str) -> Option<Kind> {
    match option {
        "--header" | "--header-any" | "--header-a" | "--header-b" | "--expect-header" => Some(Kind::Header),
        "--env" => Some(Kind::Pair),
        "--proxy" | "--push-gateway" => Some(Kind::Address),
        "--param" => Some(Kind::Values),
        _ => None,
    }
}

fn masked(kind: Kind, value: &str) -> String {
    match kind {
        Kind::Header => in_header(value),
        Kind::Pair => in_pair(value),
        Kind::Address => in_address(value),
        Kind::Values => value.to_owned(),
    }
}

/// A command line of galo's, word by word.
pub fn in_command(words: &[String]) -> Vec<String> {
    let mut next = None;
    let one = |word: &String| {
        if let Some(kind) = next.take() {
            return masked(kind, word);
        }
        if let Some((option, value)) = word.split_once('=')
            && let Some(kind) = kind_of(option)
        {
            return format!("{option}={}", masked(kind, value));
        }
        // `-H` may stand behind other letters, and its value right behind it.
        let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        match short.and_then(|rest| rest.split_once('H')) {
            Some((_, "")) => next = Some(Kind::Header),
            Some((before, value)) => return format!("-{before}H{}", in_header(value)),
            None => next = kind_of(word),
        }
        in_line(word)
    };
    words.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_headers_only_the_harmless_keep_their_values() {
        assert_eq!(in_header("Authorization: Bearer abc"), "Authorization: ***");
        assert_eq!(in_header("X-Api-Key:abc"), "X-Api-Key: ***");
        assert_eq!(in_header("Content-Type: text/plain; a=b"), "Content-Type: text/plain; a=b");
        assert_eq!(in_header("no header"), "no header");
    }

    #[test]
    fn addresses_are_told_without_their_user() {
        assert_eq!(
            in_urls("cannot push to `http://me:s@cret@gw:9091/x@y`"),
            "cannot push to `http://***@gw:9091/x@y`"
        );
        assert_eq!(in_urls("a://b@c d://e:f@g?h"), "a://***@c d://***@g?h");
        assert_eq!(in_address("me:secret@proxy:3128"), "***@proxy:3128");
        assert_eq!(in_address("localhost:8080/a@b"), "localhost:8080/a@b");
    }

    #[test]
    fn a_line_keeps_its_form_and_loses_what_it_sets() {
        let line = "WORKERS=4 DB='postgres://u:p@h/d b'  node a.js --db http://u:p@h/ {port}";
        assert_eq!(in_line(line), "WORKERS=4 DB=***  node a.js --db http://***@h/ {port}");
        assert_eq!(in_line("a 'é ü'  b\n"), "a 'é ü'  b\n");
    }

    #[test]
    fn a_command_line_tells_names_and_no_values() {
        let command = |text: &str| {
            let words: Vec<String> = text.split('|').map(str::to_owned).collect();
            in_command(&words).join("|")
        };
        assert_eq!(
            command(
                "galo|load|http://h/|-H|Authorization: a|-qH|Cookie: b|-HX: c|--header=X: d|-H|Accept: */*"
            ),
            "galo|load|http://h/|-H|Authorization: ***|-qH|Cookie: ***|-HX: ***|--header=X: ***|-H|Accept: */*"
        );
        assert_eq!(
            command("galo|fight|KEY=a node x|--env|TOKEN=b|--env=N=3|--proxy|u:p@h|--header-b|X: y|-XHEAD"),
            "galo|fight|KEY=*** node x|--env|TOKEN=***|--env=N=3|--proxy|***@h|--header-b|X: ***|-XHEAD"
        );
        let scan = "galo|duel|--param|gc=none,full|--param=n=a,b|GC={gc} N={n}x app {port}";
        assert_eq!(command(scan), "galo|duel|--param|gc=none,full|--param=n=a,b|GC={gc} N=*** app {port}");
    }
}
