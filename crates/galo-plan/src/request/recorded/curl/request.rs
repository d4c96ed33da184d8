//! What curl sends, by its options.

mod data;

use std::collections::VecDeque;

use super::super::beside::Beside;
use super::super::form::{self, Part};
use super::super::left_out::{Change, Left, Reason};
use super::super::sent::{Address, Headers, LOST, Sent, basic, header};
use super::options::{self, Kind, Sets, Takes};
use crate::address::Parts;
use crate::location;
use data::{curl_escaped, data, part};

/// What the options of one request say.
#[derive(Default)]
struct Said {
    method: Option<String>,
    urls: Vec<String>,
    queries: Vec<String>,
    /// Lines, as they are written.
    headers: Vec<String>,
    cookies: Vec<String>,
    user: Option<Vec<u8>>,
    bearer: Option<String>,
    agent: Option<String>,
    referer: Option<String>,
    range: Option<String>,
    data: Option<Vec<u8>>,
    is_json: bool,
    parts: Vec<Part>,
    upload: Option<(String, Vec<u8>)>,
    is_get: bool,
    is_head: bool,
    is_compressed: bool,
    is_glob_off: bool,
    is_path_as_is: bool,
}

/// The requests of one command, one for each of its addresses. `words`: what stands behind `curl`.
pub(super) fn all(words: &[Vec<u8>], beside: &Beside) -> Result<Vec<Result<Sent, Left>>, Left> {
    let mut words: VecDeque<Vec<u8>> = words.iter().cloned().collect();
    let (mut all, mut said) = (Vec::new(), Said::default());
    let mut is_options = true;
    while let Some(word) = words.pop_front() {
        if !is_options || !word.starts_with(b"-") || word == b"-" {
            said.urls.push(text(word)?);
        } else if word == b"--" {
            is_options = false;
        } else if word.starts_with(b"--") {
            let (name, glued) = long(&text(word)?);
            if let Some(glued) = glued {
                words.push_front(glued.into_bytes());
            }
            said.option(&name, &mut words, &mut all, beside)?;
        } else {
            said.short(&word[1..], &mut words, &mut all, beside)?;
        }
    }
    all.extend(said.requests()?);
    Ok(all)
}

/// `--url=http://h` as `--url` and its value, which curl does not know, but people write.
fn long(word: &str) -> (String, Option<String>) {
    match word.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
        None => (word.to_owned(), None),
    }
}

fn text(bytes: Vec<u8>) -> Result<String, Left> {
    String::from_utf8(bytes).map_err(|error| {
        let shown = String::from_utf8_lossy(error.as_bytes()).replace(LOST, "?");
        Left::new(Reason::NotKnown, format!("{shown}, which is no UTF-8"))
    })
}

impl Said {
    /// Letters that stand together: `-sSLXPOST`.
    fn short(
        &mut self,
        letters: &[u8],
        words: &mut VecDeque<Vec<u8>>,
        all: &mut Vec<Result<Sent, Left>>,
        beside: &Beside,
    ) -> Result<(), Left> {
        let mut rest = letters;
        while let [letter, behind @ ..] = rest {
            let name = format!("-{}", char::from(*letter));
            let has_value = matches!(options::find(&name), Some(Kind::Value | Kind::Takes(_)));
            if has_value && !behind.is_empty() {
                words.push_front(behind.to_vec());
                return self.option(&name, words, all, beside);
            }
            self.option(&name, words, all, beside)?;
            rest = behind;
        }
        Ok(())
    }

    /// One option, which takes its value from the words behind it.
    fn option(
        &mut self,
        name: &str,
        words: &mut VecDeque<Vec<u8>>,
        all: &mut Vec<Result<Sent, Left>>,
        beside: &Beside,
    ) -> Result<(), Left> {
        let mut value =
            || words.pop_front().ok_or_else(|| Left::new(Reason::Unreadable, format!("{name} has no value")));
        match options::find(name) {
            None => return Err(Left::new(Reason::NotKnown, name)),
            Some(Kind::Flag) => {}
            Some(Kind::Value) => drop(value()?),
            Some(Kind::Takes(takes)) => self.take(takes, value()?, beside)?,
            Some(Kind::Sets(sets)) => match sets {
                Sets::Get => self.is_get = true,
                Sets::Head => self.is_head = true,
                Sets::Compressed => self.is_compressed = true,
                Sets::NoGlob => self.is_glob_off = true,
                Sets::PathAsIs => self.is_path_as_is = true,
                Sets::Next => all.extend(std::mem::take(self).requests()?),
            },
        }
        Ok(())
    }

    fn take(&mut self, takes: Takes, value: Vec<u8>, beside: &Beside) -> Result<(), Left> {
        match takes {
            Takes::Data | Takes::DataRaw | Takes::DataBinary | Takes::DataEncoded | Takes::Json => {
                let data = data(takes, value, beside)?;
                let is_json = takes == Takes::Json;
                self.is_json |= is_json;
                match &mut self.data {
                    None => self.data = Some(data),
                    Some(known) => {
                        if !is_json {
                            known.push(b'&');
                        }
                        known.extend_from_slice(&data);
                    }
                }
            }
            Takes::User if value.contains(&b':') => self.user = Some(value),
            Takes::User => return Err(Left::new(Reason::NotKnown, "-u without a password")),
            Takes::Form | Takes::FormString => self.parts.push(part(takes, &text(value)?, beside)?),
            Takes::Upload => {
                let name = text(value)?;
                if self.upload.is_some() {
                    return Err(Left::new(Reason::NotKnown, "several files to upload"));
                }
                if matches!(name.as_str(), "-" | ".") {
                    return Err(Left::new(Reason::File, "standard input"));
                }
                let bytes = beside.read(&name)?;
                self.upload = Some((name, bytes));
            }
            Takes::Header if value.starts_with(b"@") => {
                let lines = text(beside.read(&text(value[1..].to_vec())?)?)?;
                self.headers.extend(lines.lines().filter(|line| !line.is_empty()).map(str::to_owned));
            }
            Takes::Method => self.method = Some(text(value)?),
            Takes::Header => self.headers.push(text(value)?),
            Takes::Cookie if !value.contains(&b'=') => {
                return Err(Left::new(Reason::NotKnown, "cookies from a file"));
            }
            Takes::Cookie => self.cookies.push(text(value)?),
            Takes::Bearer => self.bearer = Some(text(value)?),
            Takes::Agent => self.agent = Some(text(value)?),
            Takes::Referer => self.referer = Some(text(value)?),
            Takes::Range => self.range = Some(text(value)?),
            Takes::Url => self.urls.push(text(value)?),
            Takes::UrlQuery => {
                let query = match value.strip_prefix(b"+") {
                    Some(plain) => plain.to_vec(),
                    None => data(Takes::DataEncoded, value, beside)?,
                };
                self.queries.push(text(query)?);
            }
        }
        Ok(())
    }

    fn requests(mut self) -> Result<Vec<Result<Sent, Left>>, Left> {
        if self.urls.is_empty() {
            return Err(Left::new(Reason::NoRequest, "no address"));
        }
        let bodies = [self.data.is_some() && !self.is_get, !self.parts.is_empty(), self.upload.is_some()];
        if bodies.iter().filter(|is_one| **is_one).count() > 1 || (self.is_head && (bodies[0] || bodies[1])) {
            return Err(Left::new(Reason::NotKnown, "more than one way to send"));
        }
        let urls = std::mem::take(&mut self.urls);
        Ok(urls.iter().map(|url| self.request(url)).collect())
    }

    fn request(&self, url: &str) -> Result<Sent, Left> {
        if !self.is_glob_off && is_glob(url) {
            return Err(Left::new(Reason::NotKnown, format!("{url} (several addresses in one)")));
        }
        let mut url = url.to_owned();
        if let (Some((name, _)), true) = (&self.upload, url.ends_with('/')) {
            url.push_str(&curl_escaped(name.rsplit('/').next().unwrap_or_default().as_bytes(), "%20"));
        }
        let data = self.data.as_ref().filter(|_| self.is_get).map(|data| text(data.clone())).transpose()?;
        for query in self.queries.iter().chain(&data) {
            let end = url.find('#').unwrap_or(url.len());
            if query.is_empty() && !url[..end].contains('?') {
                continue;
            }
            let sign = if url[..end].contains('?') { '&' } else { '?' };
            url.insert_str(end, &format!("{sign}{query}"));
        }
        let mut address = Address::parse(&url)?;
        if !self.is_path_as_is {
            address.target = without_dots(&address.target);
        }
        let (body, media_type) = self.body();
        let usual = match &body {
            _ if self.is_head => "HEAD",
            _ if self.upload.is_some() => "PUT",
            Some(_) => "POST",
            None => "GET",
        };
        let headers = self.all_headers(&address, media_type)?;
        let mut sent = Sent::new(self.method.as_deref().unwrap_or(usual), address, headers, body)?;
        if self.is_compressed && !sent.changes.contains(&Change::NotPacked) {
            sent.changes.push(Change::NotPacked);
        }
        Ok(sent)
    }

    /// The body, and the type that it has unless a header says otherwise.
    fn body(&self) -> (Option<Vec<u8>>, Option<String>) {
        if !self.parts.is_empty() {
            let boundary = form::boundary(&self.parts);
            let body = form::multipart(&self.parts, &boundary);
            return (Some(body), Some(format!("multipart/form-data; boundary={boundary}")));
        }
        if let Some((_, bytes)) = &self.upload {
            return (Some(bytes.clone()), None);
        }
        let media_type = if self.is_json { "application/json" } else { "application/x-www-form-urlencoded" };
        match &self.data {
            Some(data) if !self.is_get => (Some(data.clone()), Some(media_type.to_owned())),
            _ => (None, None),
        }
    }

    /// The headers that are given, and those that curl adds unless they are, or are taken away (`-H 'Accept:'`).
    fn all_headers(&self, address: &Address, media_type: Option<String>) -> Result<Headers, Left> {
        let (mut headers, mut taken_away) = (Headers::new(), Vec::new());
        for line in &self.headers {
            match line.split_once(':') {
                Some((name, value)) if value.trim().is_empty() => taken_away.push(name.to_ascii_lowercase()),
                Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
                None => match line.strip_suffix(';') {
                    Some(name) => headers.push((name.to_owned(), String::new())),
                    None => return Err(Left::new(Reason::Header, line.as_str())),
                },
            }
        }
        let boundary = media_type.as_deref().filter(|_| !self.parts.is_empty()).and_then(form::boundary_of);
        if let Some(boundary) = boundary {
            let own = headers.iter_mut().filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            own.for_each(|(_, value)| value.push_str(&format!("; boundary={boundary}")));
        }
        let accept = if self.is_json { "application/json" } else { "*/*" };
        let cookie = (!self.cookies.is_empty()).then(|| self.cookies.join(";"));
        let user = self.user.clone().map(|user| basic(user).1);
        let user = user.or_else(|| address.authorization().map(|(_, value)| value));
        let referer = self.referer.as_ref().map(|text| text.strip_suffix(";auto").unwrap_or(text).to_owned());
        let agent = self.agent.clone().filter(|agent| !agent.is_empty());
        for (name, value) in [
            ("User-Agent", agent),
            ("Accept", Some(accept.to_owned())),
            ("Authorization", self.bearer.as_ref().map(|token| format!("Bearer {token}")).or(user)),
            ("Cookie", cookie),
            ("Referer", referer.filter(|text| !text.is_empty())),
            ("Range", self.range.as_ref().map(|range| format!("bytes={range}"))),
            ("Content-Type", media_type),
        ] {
            let lower = name.to_ascii_lowercase();
            if let Some(value) =
                value.filter(|_| header(&headers, &lower).is_none() && !taken_away.contains(&lower))
            {
                headers.push((name.to_owned(), value));
            }
        }
        Ok(headers)
    }
}

/// Whether curl would make several addresses of it: `{a,b}`, `[1-3]`. An IPv6 address has brackets too.
fn is_glob(url: &str) -> bool {
    let Parts { user, place, target, .. } = Parts::split(url);
    let texts = [user.unwrap_or_default(), place.trim_start_matches('['), target];
    texts.iter().any(|text| text.contains(['{', '}', '['])) || target.contains(']')
}

/// A target without `.` and `..` between its slashes (RFC 3986, section 5.2.4), as curl sends it.
fn without_dots(target: &str) -> String {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    let mut out = Vec::new();
    location::push_without_dot_segments(b"", path.as_bytes(), &mut out);
    format!("{}{query}", String::from_utf8_lossy(&out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_between_slashes_are_resolved() {
        for (written, sent) in [
            ("/a/../b/./c", "/b/c"),
            ("/a/..", "/"),
            ("/a/.", "/a/"),
            ("/../a?b=/../c", "/a?b=/../c"),
            ("//a", "//a"),
            ("/...", "/..."),
        ] {
            assert_eq!(without_dots(written), sent, "{written}");
        }
    }
}
