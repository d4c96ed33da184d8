//! What must not be written down: values of headers and of the environment, passwords and tokens on command lines and in
//! addresses. Names stay, so that a reader sees what there was; who does it again gives the values anew.
//!
//! Whatever is recorded or told passes one of these functions where it enters the record: a plan
//! ([`crate::Plan::without_secrets`]), a case ([`crate::conformance::Case::without_secrets`]), a run's own command line, the lines
//! of a log that are quoted. Headers on the command line are all masked but for harmless ones; those that a file holds, if
//! their names are of secrets: the others are needed to do it again.

mod body;
mod names;
mod walk;

pub use body::in_body;
pub use names::is_secret;
use walk::{Reading, Walk};

use crate::words;

/// Stands for a value that is not told.
pub const MASK: &str = "***";

/// Headers whose values say nothing that is to be kept.
const HARMLESS: &str = "
    accept accept-encoding accept-language cache-control connection content-length content-type host
    user-agent
";

/// A header line `Name: value`.
pub fn in_header(line: &str) -> String {
    match line.split_once(':') {
        Some((name, value))
            if !value.trim().is_empty() && !words::has(HARMLESS, &name.trim().to_ascii_lowercase()) =>
        {
            format!("{name}: {MASK}")
        }
        _ => line.to_owned(),
    }
}

/// A variable's value. Numbers and switches are told, unless the name is one of a secret: they are how a service is tuned.
pub fn in_variable(name: &str, value: &str) -> String {
    let is_number = value.parse::<f64>().is_ok() || matches!(value, "true" | "false" | "yes" | "no");
    let is_harmless = value.is_empty() || is_place(value) || (is_number && !is_secret(name));
    if is_harmless { value.to_owned() } else { MASK.to_owned() }
}

/// Whether a value is a place `{name}`, which something else is put into.
fn is_place(value: &str) -> bool {
    let inner = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inner.is_some_and(|name| !name.contains(['{', '}', '"']))
}

/// `NAME=VALUE`.
pub fn in_pair(pair: &str) -> String {
    pair.split_once('=')
        .map_or_else(|| pair.to_owned(), |(name, value)| format!("{name}={}", in_variable(name, value)))
}

/// The user in front of a host in each address that a text holds, and in queries what their names say is secret.
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
    in_query(&(out + rest))
}

/// One address, with a scheme or without.
pub fn in_address(text: &str) -> String {
    if text.contains("://") {
        return in_urls(text);
    }
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    in_authority(&text[..end]) + &in_query(&text[end..])
}

fn in_authority(authority: &str) -> String {
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{MASK}@{host}"),
        None => authority.to_owned(),
    }
}

/// `NAME=VALUE` behind a `?`, a `&` or a `;`, where the name is one of a secret.
fn in_query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['?', '&', ';']) {
        let (before, behind) = rest.split_at(at + 1);
        out.push_str(before);
        rest = behind;
        let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || "_-.[]%".contains(c);
        let Some((name, after)) = behind.split_once('=') else { continue };
        if !name.chars().all(is_of_a_name) || !is_secret(name) {
            continue;
        }
        let end = after.find(|c: char| "&;#'\"<>)".contains(c) || c.is_whitespace()).unwrap_or(after.len());
        let value = &after[..end];
        let told = if value.is_empty() || is_place(value) { value } else { MASK };
        out.push_str(name);
        out.push('=');
        out.push_str(told);
        rest = &after[end..];
    }
    out + rest
}

/// A line for a shell: what it sets of the environment, options that say a secret, and addresses.
pub fn in_line(line: &str) -> String {
    Walk::new(Reading::Line).line(line)
}

/// A program and its arguments.
pub fn in_words(words: &[String]) -> Vec<String> {
    let mut walk = Walk::new(Reading::Words);
    words.iter().map(|word| walk.word(word)).collect()
}

/// A command line of galo's, word by word. The seed is left out with its option: it is told at the end of the run.
pub fn in_command(words: &[String]) -> Vec<String> {
    let mut walk = Walk::new(Reading::OfGalo);
    without_seed(words).map(|word| walk.word(word)).collect()
}

/// A line that a program wrote, e.g. into its log: as for a shell, but of variables only those whose names are of secrets.
pub fn in_text(line: &str) -> String {
    Walk::new(Reading::Text).line(line)
}

fn without_seed(words: &[String]) -> impl Iterator<Item = &String> {
    let mut is_value = false;
    words.iter().filter(move |word| {
        let is_seed = *word == "--seed";
        let is_left_out = is_seed || word.starts_with("--seed=") || is_value;
        is_value = is_seed && !is_value;
        !is_left_out
    })
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
        assert_eq!(command("galo|fight|a|--seed|7|b|--seed=8|--seeds"), "galo|fight|a|b|--seeds");
        let scan = "galo|duel|--param|gc=none,full|--param=n=a,b|GC={gc} N={n}x app {port}";
        assert_eq!(command(scan), "galo|duel|--param|gc=none,full|--param=n=a,b|GC={gc} N=*** app {port}");
        let bodies = r#"galo|duel|--data={"user":"b","password":"c"}|--data-a|token=d&n=1|--data-b=@f|--body|{"q":"a"}"#;
        let told = r#"galo|duel|--data={"user":"b","password":"***"}|--data-a|token=***&n=1|--data-b=@f|--body|{"q":"a"}"#;
        assert_eq!(command(bodies), told);
        assert_eq!(
            command("galo|load|--expect-json|/token = a|--expect-body=b"),
            "galo|load|--expect-json|***|--expect-body=b"
        );
        let sweep = "galo|fight|--sweep|pool=1,5|--sweep=db.cpus=0.2..0.8/0.2";
        assert_eq!(command(sweep), sweep);
    }

    #[test]
    fn options_that_say_a_secret_lose_it_in_each_way_of_writing_them() {
        for (line, told) in [
            ("app --password hunter2 --port 80", "app --password *** --port 80"),
            ("app --token=abc -password x", "app --token=*** -password ***"),
            ("app --password='a b' --api-key \"c d\" e", "app --password=*** --api-key *** e"),
            ("PGPASSWORD=1234 psql -h db", "PGPASSWORD=*** psql -h db"),
            (
                "java -Dspring.datasource.password=x -Xmx1g -jar a.jar",
                "java -Dspring.datasource.password=*** -Xmx1g -jar a.jar",
            ),
            (
                "sh -c \"redis-server --requirepass x; sleep 1\"",
                "sh -c \"redis-server --requirepass *** sleep 1\"",
            ),
            ("curl -u me:secret http://h/", "curl -u me:*** http://h/"),
            ("docker run --user 1000:1000 -u a:b x", "docker run --user 1000:1000 -u a:b x"),
            ("curl --header 'X-Key: abc' http://h", "curl --header 'X-Key: ***' http://h"),
            (r#"curl --data '{"pwd":"a b"}' h"#, r#"curl --data '{"pwd":"***"}' h"#),
            ("app --auth --port 5", "app --auth --port 5"),
            ("app --password-file /run/x --no-password", "app --password-file /run/x --no-password"),
            (
                "app --password $P --token \"${T}\" --pass \"$(cat f)\"",
                "app --password $P --token \"${T}\" --pass \"$(cat f)\"",
            ),
            ("app --token ${T:-abc} --pass '$P' --pwd {pwd}", "app --token *** --pass *** --pwd {pwd}"),
        ] {
            assert_eq!(in_line(line), told);
        }
    }

    #[test]
    fn an_argument_is_masked_by_the_one_before_it_as_in_a_line() {
        let words = |text: &str| -> Vec<String> { text.split('|').map(str::to_owned).collect() };
        let told = |text: &str| in_words(&words(text)).join("|");
        assert_eq!(
            told("app|--password|a b|--token|$x|--port|80"),
            "app|--password|***|--token|***|--port|80"
        );
        assert_eq!(told("sh|-c|A=b app --secret c"), "sh|-c|A=*** app --secret ***");
        assert_eq!(told("app|--token=a b"), "app|--token=***");
        assert_eq!(
            in_command(&words("galo|duel|app --password x {port}|--url|http://h/?token=a")).join("|"),
            "galo|duel|app --password *** {port}|--url|http://h/?token=***"
        );
    }

    #[test]
    fn in_queries_what_its_name_says_is_secret_is_masked() {
        for (address, told) in [
            ("http://h/a?token=x&page=2&api_key=y#z", "http://h/a?token=***&page=2&api_key=***#z"),
            ("postgres://u:p@h/d?user=x&password=y", "postgres://***@h/d?user=x&password=***"),
            (
                "jdbc:sqlserver://h;databaseName=a;password=b;x=1",
                "jdbc:sqlserver://h;databaseName=a;password=***;x=1",
            ),
            ("h:80/x?accessToken=a%20b", "h:80/x?accessToken=***"),
            ("http://h/?q=a&token=&key={key}", "http://h/?q=a&token=&key={key}"),
            ("http://h/?t=a=b&c", "http://h/?t=a=b&c"),
        ] {
            assert_eq!(in_address(address), told);
        }
        assert_eq!(in_urls("GET /a?token=x HTTP/1.1"), "GET /a?token=*** HTTP/1.1");
    }

    #[test]
    fn a_line_of_a_log_keeps_what_is_no_secret() {
        let line = "level=error url=http://u:p@h/?token=a password=b \"started: app --token c\" ms=5";
        let told = "level=error url=http://***@h/?token=*** password=*** \"started: app --token ***\" ms=5";
        assert_eq!(in_text(line), told);
        assert_eq!(in_text("it's fine\tnow"), "it's fine\tnow");
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd_to_be_read(text in "[ '\"=?&;:/@$(){}a-zA-Zé-]{0,60}") {
            let _ = (in_line(&text), in_text(&text), in_words(std::slice::from_ref(&text)), in_address(&text));
        }
    }
}
