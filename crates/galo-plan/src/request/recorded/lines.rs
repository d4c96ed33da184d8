//! JSON lines: `{"method": "POST", "url": "/a", "headers": {"X": "y"}, "body": {...}, "weight": 3}`; all but `url` may be left
//! out. A body that is no text is sent as JSON.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::read::Text;
use super::{Collected, Wrong};

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
        let read: Line = serde_json::from_str(line).map_err(|error| {
            wrong(format!("{error}\nhint: write {{\"method\": \"GET\", \"url\": \"/path\"}}"))
        })?;
        if read.weight == 0 {
            return Err(wrong("the weight is 0\nhint: leave the line out".to_owned()));
        }
        let mut headers: Vec<String> =
            read.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let body = read.body.map(|body| match body {
            Value::String(text) => text,
            json => {
                if !read.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type")) {
                    headers.push("Content-Type: application/json".to_owned());
                }
                json.to_string()
            }
        });
        let usual = if body.is_some() { "POST" } else { "GET" };
        collected.add(read.method.as_deref().unwrap_or(usual), &read.url, headers, body, read.weight);
        Ok(())
    })
}
