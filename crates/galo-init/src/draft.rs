//! What goes into the files, before it is text.

use std::collections::{BTreeMap, HashSet};

/// A challenge.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Draft {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) port: u16,
    pub(super) cpus: String,
    pub(super) memory: String,
    pub(super) timeout: String,
    /// Of all scenarios together, in millionths of a user per second.
    pub(super) rate_micro: u64,
    pub(super) scenarios: Vec<Scenario>,
    pub(super) cases: Vec<Case>,
}

/// A request that the traffic sends again and again.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scenario {
    pub(super) name: String,
    /// Its share of the rate is this by the sum of all.
    pub(super) weight: u32,
    pub(super) request: Request,
}

/// A request and what its answer may be. Braces stand for themselves.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Request {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    /// Each name once.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
    pub(super) statuses: Vec<u16>,
}

/// A case of conformance, of one request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) request: Request,
    pub(super) media_type: Option<String>,
}

/// What is sent, and what comes of it.
#[derive(Debug, Default)]
pub(super) struct DraftRequests {
    /// What the API calls itself, if that is known.
    pub(super) title: Option<String>,
    pub(super) scenarios: Vec<Scenario>,
    pub(super) cases: Vec<Case>,
    /// What was left out, and why: a line each.
    pub(super) told: Vec<String>,
}

/// A command as a contender.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entrant {
    pub(super) name: String,
    pub(super) command: String,
    pub(super) build: Option<String>,
    pub(super) environment: BTreeMap<String, String>,
    /// From its folder to where it runs.
    pub(super) workdir: String,
    pub(super) port: u16,
    pub(super) cpus: String,
    pub(super) memory: String,
}

impl Draft {
    /// Makes the names of scenarios and cases different: what stands there again gets a number.
    pub(super) fn number(&mut self) {
        number(self.scenarios.iter_mut().map(|scenario| &mut scenario.name));
        number(self.cases.iter_mut().map(|case| &mut case.name));
    }
}

fn number<'a>(names: impl Iterator<Item = &'a mut String>) {
    let mut taken = HashSet::new();
    for name in names {
        let others = (2..).map(|number| format!("{name} ({number})"));
        let free = std::iter::once(name.clone()).chain(others).find(|other| !taken.contains(other));
        *name = free.unwrap_or_default();
        taken.insert(name.clone());
    }
}

impl Request {
    /// What its texts take up, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.target.len() + headers + self.body.as_ref().map_or(0, String::len)
    }

    /// Adds a header, unless it is there already.
    pub(super) fn add_missing_header(&mut self, name: &str, value: &str) {
        if !self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
    }

    /// Adds a header; one that is there already has both values then, as RFC 9110 (5.3) has it.
    pub(super) fn add_header(&mut self, name: &str, value: &str) {
        match self.headers.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            None => self.headers.push((name.to_owned(), value.to_owned())),
            Some((_, known)) => {
                let between = if name.eq_ignore_ascii_case("cookie") { "; " } else { ", " };
                *known = format!("{known}{between}{value}");
            }
        }
    }
}
