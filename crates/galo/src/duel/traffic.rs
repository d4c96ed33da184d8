//! What the sides are sent: one request, or those of a recording.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Result;
use galo_plan::load::{Address, Arrivals, Pick, Pool, Transport};
use galo_plan::request::recorded::{Recorded, Recording};
use galo_plan::request::{RequestOptions, Requests, Url};
use galo_plan::{LoadPlan, PlanError};

use crate::cli::DuelArgs;

/// See the module.
pub(super) struct Traffic<'a> {
    duel: &'a DuelArgs,
    recording: Option<Recording>,
    seed: u64,
}

impl<'a> Traffic<'a> {
    /// Reads the recording, if there is one.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn new(duel: &'a DuelArgs, seed: u64) -> Result<Self, PlanError> {
        let recording = duel.requests.as_deref().map(Recording::read).transpose()?;
        Ok(Self { duel, recording, seed })
    }

    /// What side number `side` is sent, at this address. When users arrive, and where the server listens, is not said yet.
    ///
    /// # Errors
    /// What is wrong with one of the requests.
    pub(super) fn plan(&self, side: usize, url: &str) -> Result<LoadPlan, PlanError> {
        let one = self.request(side, url);
        let parts: Vec<(RequestOptions, u32)> = match &self.recording {
            None => vec![(one, 1)],
            Some(recording) => {
                let of = |request: &Recorded| (recorded(request, &one, server(url)), request.weight);
                recording.requests.iter().map(of).collect()
            }
        };
        let parts = parts.iter().map(|(request, weight)| Ok((request.resolve()?, *weight)));
        let mixed = Requests::mix(parts.collect::<Result<_, PlanError>>()?);
        let requests = mixed.ok_or_else(|| {
            PlanError::Invalid("there is nothing to send\nhint: name an address".to_owned())
        })?;
        let nobody = Arrivals::Closed { users: 1, total: Some(0), duration_ns: None };
        let nowhere = |_: &Url| Ok(Address::Ip(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0))));
        let plan = requests.into_plan(nobody, Pick::Random, Transport::default(), Pool::default(), nowhere);
        Ok(plan.unwrap_or_else(|never: Infallible| match never {}))
    }

    /// What is sent to this address, in a few words.
    pub(super) fn described(&self, url: &str) -> String {
        if let (Some(recording), Some(path)) = (&self.recording, &self.duel.requests) {
            let kinds = match recording.requests.len() {
                1 => "one request".to_owned(),
                n => format!("{n} different requests"),
            };
            let left_out = match recording.left_out {
                0 => String::new(),
                n => format!(" ({n} left out)"),
            };
            return format!("{kinds} of {}{left_out}", path.display());
        }
        let DuelArgs { data, data_a, data_b, method, .. } = self.duel;
        let has_body = [data, data_a, data_b].into_iter().any(Option::is_some);
        let usual = if has_body { "POST" } else { "GET" };
        let path = &url[server(url).len()..];
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        format!("{} {path}", method.as_deref().unwrap_or(usual))
    }

    fn request(&self, side: usize, url: &str) -> RequestOptions {
        let duel = self.duel;
        let own_headers = [&duel.header_a, &duel.header_b][side];
        let own_body = [&duel.data_a, &duel.data_b][side].as_ref();
        RequestOptions {
            urls: vec![url.to_owned()],
            method: duel.method.clone(),
            headers: duel.header.iter().chain(own_headers).cloned().collect(),
            body: own_body.or(duel.data.as_ref()).cloned(),
            statuses: duel.status.clone(),
            timeout: duel.timeout.clone(),
            seed: self.seed,
            ..RequestOptions::default()
        }
    }
}

/// A request of a recording, sent to a server as `one` says of the rest.
fn recorded(request: &Recorded, one: &RequestOptions, server: &str) -> RequestOptions {
    RequestOptions {
        urls: vec![format!("{server}{}", request.target)],
        method: Some(request.method.clone()),
        headers: request.headers.iter().chain(&one.headers).cloned().collect(),
        // As it stands, whatever it begins with.
        body: request.body.as_ref().map(|body| format!("text:{body}")),
        ..one.clone()
    }
}

/// Scheme and authority of an address.
fn server(url: &str) -> &str {
    let root = url.find("://").map_or(0, |at| at + 3);
    url[root..].find(['/', '?', '#']).map_or(url, |end| &url[..root + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_an_address_without_its_path() {
        for url in ["http://h:1", "http://h:1/", "http://h:1?a=/", "http://h:1/a/b?c"] {
            assert_eq!(server(url), "http://h:1", "{url}");
        }
    }
}
