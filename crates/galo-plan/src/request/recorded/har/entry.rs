//! One entry of an archive, with the ways in which browsers write it.

use std::fmt;

use base64::Engine as _;
use jiff::Timestamp;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::super::form::{self, Part, not_whole};
use super::super::left_out::{Left, Reason};
use super::super::sent::{Address, Headers, LOST, Sent, header};
use crate::request::body::BASE64;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Entry {
    #[serde(default)]
    started_date_time: Loose,
    request: Request,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    #[serde(default)]
    method: Loose,
    #[serde(default)]
    url: Loose,
    #[serde(default)]
    headers: Option<Vec<Pair>>,
    #[serde(default)]
    cookies: Option<Vec<Pair>>,
    #[serde(default)]
    query_string: Option<Vec<Pair>>,
    #[serde(default)]
    post_data: Option<PostData>,
    #[serde(default)]
    body_size: Option<f64>,
}

/// A header, a cookie, or a field of a form.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Pair {
    #[serde(default)]
    name: Loose,
    #[serde(default)]
    value: Option<Loose>,
    #[serde(default)]
    file_name: Option<Loose>,
    #[serde(default)]
    content_type: Option<Loose>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PostData {
    #[serde(default)]
    mime_type: Loose,
    #[serde(default)]
    text: Option<Loose>,
    #[serde(default, alias = "_encoding")]
    encoding: Option<Loose>,
    #[serde(default)]
    params: Option<Vec<Pair>>,
}

/// A text that may have half a letter (a lone surrogate), which is [`LOST`] then, or be `null`, which is empty.
#[derive(Default)]
struct Loose(String);

impl<'de> Deserialize<'de> for Loose {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Loose;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Loose, E> {
                Ok(Loose(String::from_utf8_lossy(bytes).into_owned()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Loose, E> {
                Ok(Loose(text.to_owned()))
            }

            fn visit_none<E: Error>(self) -> Result<Loose, E> {
                Ok(Loose::default())
            }

            fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Loose, D::Error> {
                from.deserialize_bytes(self)
            }
        }
        from.deserialize_option(Bytes)
    }
}

fn text(loose: Option<&Loose>) -> &str {
    loose.map_or("", |loose| loose.0.as_str())
}

fn pairs(pairs: &[Pair]) -> impl Iterator<Item = (&str, &str)> {
    pairs.iter().map(|pair| (pair.name.0.as_str(), text(pair.value.as_ref())))
}

impl Entry {
    /// When it was sent.
    pub(super) fn time(&self) -> Option<Timestamp> {
        self.started_date_time.0.parse().ok()
    }

    pub(super) fn sent(self) -> Result<Sent, Left> {
        let Request { method, url, headers, cookies, query_string, post_data, body_size } = self.request;
        let mut url = url.0;
        let is_whole = url.contains("://") || url.starts_with('/');
        if !is_whole && !url.contains(':') {
            return Err(Left::new(Reason::Target, url));
        }
        let query = query_string.unwrap_or_default();
        if !query.is_empty() && !url.contains('?') {
            let query = form::urlencoded(pairs(&query)).replace('+', "%20");
            let end = url.find('#').unwrap_or(url.len());
            url.insert_str(end, &format!("?{query}"));
        }
        let address = Address::parse(&url)?;
        let mut headers: Headers = pairs(&headers.unwrap_or_default())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        join_cookies(&mut headers);
        let cookies = cookies.unwrap_or_default();
        if header(&headers, "cookie").is_none() && !cookies.is_empty() {
            let each = pairs(&cookies).map(|(name, value)| format!("{name}={value}"));
            headers.push(("Cookie".to_owned(), each.collect::<Vec<_>>().join("; ")));
        }
        let body = post_data.map(|data| data.body(&mut headers)).transpose()?.flatten();
        is_all(&headers, body.as_deref(), body_size)?;
        Sent::new(&method.0, address, headers, body)
    }
}

/// HTTP/2 may part cookies among several headers, which are one elsewhere (RFC 9113, section 8.2.3).
fn join_cookies(headers: &mut Headers) {
    let is_cookie = |(name, _): &(String, String)| name.eq_ignore_ascii_case("cookie");
    let values: Vec<&str> =
        headers.iter().filter(|h| is_cookie(h)).map(|(_, value)| value.as_str()).collect();
    if values.len() > 1 {
        let joined = values.join("; ");
        headers.retain(|header| !is_cookie(header));
        headers.push(("Cookie".to_owned(), joined));
    }
}

/// Says so where the archive knows that a body was longer or shorter than what it holds.
fn is_all(headers: &Headers, body: Option<&[u8]>, body_size: Option<f64>) -> Result<(), Left> {
    let length = body.map_or(0, <[u8]>::len);
    let written = header(headers, "content-length").and_then(|text| text.trim().parse::<usize>().ok());
    match written {
        Some(written) if written != length => {
            Err(not_whole(&format!("its body has {length} of {written} bytes")))
        }
        // Browsers count headers in, and forms that they do not write down: only that there was one is sure.
        None if body.is_none() && body_size.is_some_and(|size| size > 0.0) => {
            Err(not_whole("it has no body"))
        }
        _ => Ok(()),
    }
}

impl PostData {
    /// The body, and the header that names its type where there is none.
    fn body(self, headers: &mut Headers) -> Result<Option<Vec<u8>>, Left> {
        let written = text(self.text.as_ref());
        let params = self.params.as_deref().unwrap_or_default();
        let media_type = header(headers, "content-type").unwrap_or(&self.mime_type.0).to_owned();
        let is_named = header(headers, "content-type").is_some();
        if written.is_empty() && !params.is_empty() {
            return of_params(params, &media_type, headers).map(Some);
        }
        if !is_named && media_type.contains('/') && !written.is_empty() {
            headers.push(("Content-Type".to_owned(), media_type));
        }
        match text(self.encoding.as_ref()) {
            "" if written.contains(LOST) => Err(not_whole("its body is no text")),
            "" => Ok(self.text.map(|text| text.0.into_bytes())),
            "base64" => {
                let packed: String = written.split_ascii_whitespace().collect();
                BASE64.decode(packed).map(Some).map_err(|_| not_whole("its base64"))
            }
            other => Err(Left::new(Reason::NotKnown, format!("encoding {other}"))),
        }
    }
}

/// The body of a form of which only the fields are known.
fn of_params(params: &[Pair], media_type: &str, headers: &mut Headers) -> Result<Vec<u8>, Left> {
    let lost = |pair: &&Pair| pair.name.0.contains(LOST) || text(pair.value.as_ref()).contains(LOST);
    if let Some(pair) = params.iter().find(lost) {
        return Err(not_whole(&format!("field {}", pair.name.0)));
    }
    let mut name_type = |media_type: String| {
        headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        headers.push(("Content-Type".to_owned(), media_type));
    };
    if form::is_type(media_type, "multipart/form-data") {
        let parts = params.iter().map(part).collect::<Result<Vec<_>, _>>()?;
        if let Some(boundary) = form::boundary_of(media_type) {
            let body = form::multipart(&parts, boundary);
            name_type(media_type.to_owned());
            return Ok(body);
        }
        let boundary = form::boundary(&parts);
        name_type(format!("multipart/form-data; boundary={boundary}"));
        return Ok(form::multipart(&parts, &boundary));
    }
    if !media_type.is_empty() && !form::is_type(media_type, "application/x-www-form-urlencoded") {
        return Err(not_whole("its body is there as fields alone"));
    }
    if header(headers, "content-type").is_none() {
        headers.push(("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
    }
    Ok(form::urlencoded(pairs(params)).into_bytes())
}

fn part(pair: &Pair) -> Result<Part, Left> {
    let (value, file) = (text(pair.value.as_ref()), pair.file_name.as_ref().map(|file| file.0.clone()));
    let file = file.filter(|file| !file.is_empty());
    if let Some(file) = file.as_ref().filter(|_| value.is_empty()) {
        return Err(not_whole(&format!("what is in {file}")));
    }
    let media_type = pair.content_type.as_ref().map(|kind| kind.0.clone()).filter(|kind| !kind.is_empty());
    Ok(Part { name: pair.name.0.clone(), file, media_type, value: value.as_bytes().to_vec() })
}
