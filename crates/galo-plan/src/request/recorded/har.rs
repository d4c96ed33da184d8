//! HTTP archives (HAR 1.2, as browsers export them): `log.entries[].request`.

use serde::Deserialize;

use super::{Collected, Wrong};

#[derive(Deserialize)]
struct Archive {
    log: Log,
}

#[derive(Deserialize)]
struct Log {
    entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    started_date_time: String,
    request: Request,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    method: String,
    url: String,
    #[serde(default)]
    headers: Vec<Header>,
    post_data: Option<PostData>,
}

#[derive(Deserialize)]
struct Header {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct PostData {
    #[serde(default)]
    text: Option<String>,
}

pub(super) fn parse(text: &str, collected: &mut Collected) -> Result<(), Wrong> {
    let archive: Archive = serde_json::from_str(text)
        .map_err(|error| Wrong::new(error.line(), format!("{error}\nhint: export it again as a HAR file")))?;
    for Entry { started_date_time, request } in archive.log.entries {
        let headers =
            request.headers.iter().map(|header| format!("{}: {}", header.name, header.value)).collect();
        let body = request.post_data.and_then(|data| data.text);
        let at = started_date_time.parse().ok();
        collected.add_at(at, &request.method, &request.url, headers, body);
    }
    Ok(())
}
