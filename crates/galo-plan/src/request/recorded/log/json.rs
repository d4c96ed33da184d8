//! Access logs with a JSON object on each line, as Caddy, Traefik, nginx and others write them.

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::super::collected::Collected;
use super::super::left_out::{Change, Left, Reason};
use super::super::read::Wrong;
use super::super::sent::{LOST, Sent};
use crate::words;

type Object = Map<String, Value>;

const INNER: &str = "request req httpRequest";
const METHODS: &str = "method RequestMethod request_method requestMethod http_method verb";
/// The first one counts: some have the target both as it was sent and as it was understood.
const TARGETS: &str = "request_uri RequestPath requestUrl uri url path request_path http_path";
const QUERIES: &str = "args query_string query";
const HOSTS: &str = "host RequestHost http_host server_name vhost";
const TIMES: &str = "ts StartUTC time time_iso8601 time_local timestamp @timestamp msec StartLocal date";

/// One line.
pub(super) fn add(number: usize, line: &str, collected: &mut Collected) {
    // Where nginx is not told `escape=json`, its `\x22` makes a line that is no JSON.
    let escaped = || serde_json::from_str(&line.replace("\\x", "\\\\x")).map(|object| (object, true));
    let read = serde_json::from_str(line).map(|object| (object, false));
    let (object, is_escaped): (Object, bool) = match read.or_else(|error| escaped().map_err(|_| error)) {
        Ok(read) => read,
        Err(error) => {
            collected.wrong(number as u64, Reason::Unreadable, Wrong::new(number, error.to_string()));
            return;
        }
    };
    if !is_of_log(&object) {
        let what = "no request of an access log\nhint: it needs a method and a path, or `request`";
        collected.wrong(number as u64, Reason::NoRequest, Wrong::new(number, what));
        return;
    }
    collected.add_at(number as u64, time(&object), sent(&object, is_escaped));
}

/// Whether an object is a line of such a log.
pub(in super::super) fn is_of_log(object: &Object) -> bool {
    // Galo's own lines have these two as well.
    let is_own = object.keys().all(|key| words::has("method url path headers body body-base64 weight", key));
    !is_own && (text(object, "request").is_some() || asks(object) || inner(object).is_some_and(asks))
}

fn asks(object: &Object) -> bool {
    text(object, METHODS).is_some() && text(object, TARGETS).is_some()
}

fn inner(object: &Object) -> Option<&Object> {
    INNER.split_whitespace().find_map(|key| object.get(key)?.as_object())
}

/// The first of these keys that has a text.
fn text<'a>(object: &'a Object, keys: &str) -> Option<&'a str> {
    keys.split_whitespace().find_map(|key| object.get(key)?.as_str())
}

fn sent(object: &Object, is_escaped: bool) -> Result<Sent, Left> {
    let bytes = |text: &str| if is_escaped { super::unescaped(text) } else { text.as_bytes().to_vec() };
    let inner = inner(object).filter(|inner| asks(inner));
    let asked = inner.unwrap_or(object);
    let headers = asked.get("headers").and_then(Value::as_object);
    let of_header = headers.and_then(|headers| text(headers, "host Host"));
    let host = text(asked, HOSTS).or_else(|| text(object, HOSTS)).or(of_header).and_then(super::host);
    let whole = |text: &str| match text.contains(LOST) {
        true => Err(Left::new(Reason::NotWhole, text)),
        false => Ok(()),
    };
    let mut sent = match text(object, "request") {
        Some(line) if !asks(asked) => {
            whole(line)?;
            super::asked(&bytes(line), host)?
        }
        _ => {
            let (method, target) = (text(asked, METHODS), text(asked, TARGETS));
            let (method, mut target) = (method.unwrap_or_default(), target.unwrap_or_default().to_owned());
            let query = text(asked, QUERIES).filter(|query| !query.is_empty() && *query != "-");
            if let Some(query) = query.filter(|_| !target.contains('?')) {
                target.push('?');
                target.push_str(query.trim_start_matches('?'));
            }
            whole(&target)?;
            // Where the target names the host, it is the server's own.
            let named = super::Address::parse(&target).ok().and_then(|address| address.host);
            super::get(method, &bytes(&target), host.or(named))?
        }
    };
    if headers.is_some_and(|headers| !headers.is_empty()) {
        sent.changes.push(Change::WithoutHeaders);
    }
    Ok(sent)
}

/// Seconds since 1970 (or their thousandths), or a time as text.
fn time(object: &Object) -> Option<Timestamp> {
    TIMES.split_whitespace().find_map(|key| match object.get(key)? {
        Value::String(text) => {
            let number = || text.parse::<f64>().ok().and_then(moment);
            text.parse().ok().or_else(|| super::local_time(text)).or_else(number)
        }
        Value::Number(number) => moment(number.as_f64()?),
        _ => None,
    })
}

fn moment(seconds: f64) -> Option<Timestamp> {
    // Nobody's log is of the year 5138: these are thousandths.
    let seconds = if seconds > 1e11 { seconds / 1e3 } else { seconds };
    Timestamp::from_nanosecond((seconds * 1e9) as i128).ok()
}
