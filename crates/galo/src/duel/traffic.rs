//! What the sides are sent: one request, or those of a recording.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use galo_plan::address::Url;
use galo_plan::duel::{AskedTraffic, DuelSide};
use galo_plan::load::{Address, Arrivals, Pick, Pool, Transport};
use galo_plan::request::recorded::Recording;
use galo_plan::request::{RequestOptions, Requests};
use galo_plan::units::parse_rate_micro;
use galo_plan::{Injection, LoadPlan, PlanError, Seed};

use crate::cli::DuelArgs;
use crate::exit::WrongUse;
use crate::written::{self, server};

/// A replay may last so long in each turn.
const LONGEST: Duration = Duration::from_secs(600);

/// See the module.
pub(super) struct TurnTraffic<'a> {
    duel: &'a DuelArgs,
    seed: Seed,
    recording: Option<Recording>,
}

impl<'a> TurnTraffic<'a> {
    /// Reads the recording, if there is one.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn new(duel: &'a DuelArgs, seed: Seed) -> Result<Self, PlanError> {
        let recording = duel.requests.as_deref();
        let recording = recording.map(|file| Recording::read(file, duel.host.as_deref())).transpose()?;
        Ok(Self { duel, seed, recording })
    }

    /// Entries of the recording that are not sent, or not as they were, one line for each reason.
    pub(super) fn told(&self) -> Vec<String> {
        let recording = self.recording.as_ref().zip(self.duel.requests.as_ref());
        recording.map(|(recording, file)| recording.remarks(&file.display().to_string())).unwrap_or_default()
    }

    /// Whether what is sent is of a file, which may change.
    pub(super) fn is_of_file(&self) -> bool {
        let DuelArgs { request, data_a, data_b, .. } = self.duel;
        let bodies = [&request.data, data_a, data_b].into_iter().flatten();
        self.recording.is_some()
            || self.duel.scenario.is_some()
            || bodies.into_iter().any(|body| body.starts_with('@'))
    }

    /// When users are to arrive, if the caller says so.
    ///
    /// # Errors
    /// What is wrong with a rate, a profile or a pace.
    pub(super) fn asked(&self) -> Result<Option<AskedTraffic>> {
        let DuelArgs { rate, profile, pace, .. } = self.duel;
        if let Some(rate) = rate {
            return Ok(Some(AskedTraffic::Rate(parse_rate_micro(rate).map_err(WrongUse)?)));
        }
        if let Some(file) = profile {
            return Ok(Some(AskedTraffic::Arrivals(phases(file)?)));
        }
        let replayed = self.recording.as_ref().zip(*pace);
        let arrivals =
            replayed.map(|(recording, factor)| recording.injection(factor, LONGEST)).transpose()?;
        Ok(arrivals.map(AskedTraffic::Arrivals))
    }

    /// What side number `side` is sent, at this address. When users arrive, and where the server listens, is not said yet.
    ///
    /// # Errors
    /// What is wrong with one of the requests.
    pub(super) fn plan(
        &self,
        side: usize,
        url: &str,
        address: impl FnMut(&Url) -> Result<Address>,
    ) -> Result<LoadPlan> {
        let requests = self.requests(side, url, self.seed.word("requests", &[]))?;
        let mut plan = self.planned(requests, address)?;
        if let (Some(recording), true) = (&self.recording, self.duel.pace.is_some()) {
            // At its own pace also in its own order.
            for source in &mut plan.sources {
                source.scenarios = recording.arrivals.iter().map(|arrival| arrival.request).collect();
                source.pick = Pick::InTurn;
            }
        }
        Ok(plan)
    }

    /// Digest of what the two are sent, the same for every seed.
    ///
    /// # Errors
    /// What is wrong with one of the requests.
    pub(super) fn sent_sha256(&self, sides: &[DuelSide; 2]) -> Result<String, PlanError> {
        let requests = |side: usize| self.requests(side, &sides[side].url, 0);
        Ok(Requests::sent_sha256(&[requests(0)?, requests(1)?]))
    }

    /// What is sent to this address, in a few words.
    pub(super) fn described(&self, url: &str) -> String {
        if let (Some(recording), Some(path)) = (&self.recording, &self.duel.requests) {
            let kinds = match recording.requests.len() {
                1 => "one request".to_owned(),
                n => format!("{n} different requests"),
            };
            let left_out = match recording.left_out.in_short() {
                reasons if reasons.is_empty() => reasons,
                reasons => format!(" (left out: {reasons})"),
            };
            return format!("{kinds} of {}{left_out}", path.display());
        }
        if let Some(file) = &self.duel.scenario {
            return match &self.duel.only[..] {
                [] => format!("the scenarios of {}", file.display()),
                only => format!("{} of {}", only.join(", "), file.display()),
            };
        }
        let DuelArgs { request, data_a, data_b, .. } = self.duel;
        let has_body = [&request.data, data_a, data_b].into_iter().any(Option::is_some);
        let usual = if has_body { "POST" } else { "GET" };
        let path = &url[server(url).len()..];
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        format!("{} {path}", request.method.as_deref().unwrap_or(usual))
    }

    /// The plan of sending these, by nobody yet.
    fn planned(&self, requests: Requests, address: impl FnMut(&Url) -> Result<Address>) -> Result<LoadPlan> {
        let nobody = Arrivals::Closed { users: 1, total: Some(0), duration_ns: None };
        let transport = Transport { tls: self.duel.tls.settings(), ..Transport::default() };
        requests.into_plan(nobody, Pick::Random, transport, Pool::default(), address)
    }

    fn requests(&self, side: usize, url: &str, seed: u64) -> Result<Requests, PlanError> {
        let duel = self.duel;
        let mut one = RequestOptions { seed, ..written::request(&duel.request, url) };
        one.headers.extend_from_slice([&duel.header_a, &duel.header_b][side]);
        one.body = [&duel.data_a, &duel.data_b][side].clone().or(one.body);
        match (&duel.scenario, &self.recording) {
            (Some(file), _) => one.resolve_scenarios(file, &duel.only),
            (None, Some(recording)) => one.resolve_recorded(&recording.requests),
            (None, None) => one.resolve(),
        }
    }
}

/// Phases of a file, one on each line; what follows a `#` is for people.
fn phases(path: &Path) -> Result<Injection> {
    let name = path.display();
    let text = galo_plan::read_text(path).map_err(|error| {
        let hint = "name a file of phases, e.g. `ramp 10/s to 500/s over 20s`, one on each line";
        WrongUse(format!("the profile `{name}` cannot be read: {error}\nhint: {hint}"))
    })?;
    let phases: Vec<&str> = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .collect();
    Ok(Injection::parse(&phases).map_err(|error| WrongUse(format!("{name}: {error}")))?)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::{Cli, Command};

    fn digest(seed: u64, port: u16, more: &[&str]) -> String {
        let words = [&["galo", "duel", "http://h/", "http://h/"], more].concat();
        let Command::Duel(duel) = Cli::try_parse_from(words).unwrap().command else { panic!("no duel") };
        let url = format!("http://127.0.0.1:{port}/a");
        let side = || DuelSide { name: String::new(), url: url.clone(), command: None };
        let traffic = TurnTraffic::new(&duel, Seed::of_number(seed)).unwrap();
        traffic.sent_sha256(&[side(), side()]).unwrap()
    }

    #[test]
    fn what_is_sent_has_one_digest_for_every_seed_and_port_and_another_once_anything_of_it_differs() {
        let folder = tempfile::tempdir().unwrap();
        let [body, scenario, recording] =
            ["body", "s.toml", "r.jsonl"].map(|name| folder.path().join(name).display().to_string());
        let write = |path: &str| {
            std::fs::write(&body, path).unwrap();
            std::fs::write(&recording, format!("{{\"url\": \"{path}\"}}\n")).unwrap();
            let step = "[[scenario]]\nname = 'a'\n[[scenario.step]]\nname = 'b'\nrequest = 'GET ";
            std::fs::write(&scenario, format!("{step}{path}'\n")).unwrap();
        };
        let of_file = format!("@{body}");
        let all: [&[&str]; 8] = [
            &["--data", "random:1k"],
            &["--data", r#"{"q":"a"}"#],
            &["--data", r#"{"q":"b"}"#],
            &["--data-a", r#"{"q":"a"}"#],
            &["-H", "Accept: a"],
            &["--data-b", &of_file],
            &["--scenario", &scenario],
            &["--requests", &recording],
        ];
        write("/a");
        let digests = all.map(|more| digest(1, 1, more));
        assert_eq!(all.map(|more| digest(2, 2, more)), digests);
        for (at, one) in digests.iter().enumerate() {
            assert!(!digests[..at].contains(one), "{:?}", all[at]);
        }
        write("/b");
        for (more, before) in all.iter().zip(&digests) {
            let is_of_file = more[1].contains(folder.path().to_str().unwrap());
            assert_eq!(digest(1, 1, more) != *before, is_of_file, "{more:?}");
        }
    }
}
