//! JSON lines: `{"method": "POST", "url": "/a", "headers": {"X": "y"}, "body": {...}, "weight": 3}`; all but `url` may be left
//! out. A body that is no text is sent as JSON; bytes that are no text stand in `body-base64`.

use std::collections::BTreeMap;

use base64::Engine as _;
use serde::Deserialize;
use serde_json::Value;

use super::collected::Collected;
use super::left_out::{Left, Reason};
use super::read::{Text, Wrong};
use super::sent::{Address, Headers, LOST, Sent};
use crate::request::body::BASE64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    method: Option<String>,
    #[serde(alias = "path")]
    url: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: Option<Value>,
    #[serde(default, rename = "body-base64")]
    body_base64: Option<String>,
    #[serde(default = "once")]
    weight: u32,
}

fn once() -> u32 {
    1
}

pub(super) fn parse(text: Text<'_>, collected: &mut Collected) -> Result<(), Wrong> {
    text.each_line(|number, line| {
        if line.trim().is_empty() {
            return Ok(());
        }
        let wrong = |what: String| Wrong::new(number, what);
        let read: Line = match serde_json::from_str(line) {
            Ok(read) => read,
            Err(error) => {
                let what = format!("{error}\nhint: write {{\"method\": \"GET\", \"url\": \"/path\"}}");
                collected.wrong(number as u64, Reason::Unreadable, wrong(what));
                return Ok(());
            }
        };
        if read.weight == 0 {
            let what = "the weight is 0\nhint: leave the line out".to_owned();
            collected.wrong(number as u64, Reason::Unreadable, wrong(what));
            return Ok(());
        }
        let weight = read.weight;
        let sent = if line.contains(LOST) {
            Err(Left::new(Reason::NotWhole, "a letter that is no UTF-8"))
        } else {
            read.sent()
        };
        collected.add(number as u64, weight, sent);
        Ok(())
    })
}

impl Line {
    fn sent(self) -> Result<Sent, Left> {
        let mut headers: Headers = self.headers.into_iter().collect();
        let body = match (self.body, self.body_base64) {
            (Some(_), Some(_)) => return Err(Left::new(Reason::Unreadable, "it has two bodies")),
            (Some(Value::String(text)), None) => Some(text.into_bytes()),
            (Some(json), None) => {
                if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                    headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
                }
                Some(json.to_string().into_bytes())
            }
            (None, Some(packed)) => {
                let decoded = BASE64.decode(packed);
                Some(decoded.map_err(|_| Left::new(Reason::Unreadable, "its base64"))?)
            }
            (None, None) => None,
        };
        let usual = if body.is_some() { "POST" } else { "GET" };
        let address = Address::parse(&self.url)?;
        headers.extend(address.authorization());
        // A person writes these lines, and means the method in whatever letters.
        let method = self.method.map_or_else(|| usual.to_owned(), |method| method.to_ascii_uppercase());
        Sent::new(&method, address, headers, body)
    }
}
