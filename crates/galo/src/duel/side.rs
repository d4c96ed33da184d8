//! One side: a command that galo starts, or a server that runs.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::PathBuf;

use anyhow::{Context, Result};
use galo_plan::contender::Ready;
use galo_plan::request::Url;
use galo_plan::{Contender, Service};

use super::setup::{Limits, variables};
use crate::cli::DuelArgs;
use crate::exit::WrongUse;

/// How long a command may take until it listens.
const READY_NS: u64 = 30_000_000_000;
/// The only service of a command.
pub(super) const SERVICE: &str = "command";

/// See the module.
pub(super) struct Side {
    pub(super) name: String,
    /// What is asked.
    pub(super) url: String,
    pub(super) kind: Kind,
    /// Whether the other side listens on the same port, so that both cannot be up.
    pub(super) shares_port: bool,
}

/// What stands behind it.
pub(super) enum Kind {
    /// A server that galo does not start.
    Address,
    /// A command, as a contender of one service.
    Command { line: String, contender: Box<Contender>, port: u16 },
}

/// How commands are started.
pub(super) struct Start<'a> {
    pub(super) limits: Limits,
    /// Whether they share one port.
    pub(super) shared: bool,
    pub(super) args: &'a DuelArgs,
}

impl Side {
    /// A command that listens where the address says.
    pub(super) fn of_command(
        name: String,
        line: &str,
        url: String,
        parsed: &Url,
        folder: PathBuf,
        start: &Start<'_>,
    ) -> Result<Self, WrongUse> {
        let mut environment = variables(&start.args.env)?;
        environment.entry("PORT".to_owned()).or_insert_with(|| parsed.port.to_string());
        let bracketed =
            if parsed.host.contains(':') { format!("[{}]", parsed.host) } else { parsed.host.clone() };
        let service = Service {
            name: SERVICE.to_owned(),
            build: start.args.build.clone(),
            setup: start.args.before.clone(),
            command: vec!["/bin/sh".to_owned(), "-c".to_owned(), line.to_owned()],
            environment,
            workdir: folder,
            user: None,
            ready: Ready::Tcp(format!("{bracketed}:{}", parsed.port)),
            ready_timeout_ns: READY_NS,
            depends_on: Vec::new(),
            cpus_milli: start.limits.cpus_milli,
            cpuset: Vec::new(),
            memory_bytes: start.limits.memory_bytes,
            ulimits: BTreeMap::new(),
            volumes: Vec::new(),
            stop: None,
        };
        let contender = Contender {
            name: name.clone(),
            title: line.to_owned(),
            language: None,
            challenge: String::new(),
            file: PathBuf::new(),
            file_sha256: String::new(),
            services: vec![service],
        };
        let kind = Kind::Command { line: line.to_owned(), contender: Box::new(contender), port: parsed.port };
        Ok(Self { name, url, kind, shares_port: start.shared })
    }

    /// Says whether its build has been run before.
    pub(super) fn set_built(&mut self, is_built: bool) {
        if let (true, Kind::Command { contender, .. }) = (is_built, &mut self.kind) {
            contender.services.iter_mut().for_each(|service| service.build = None);
        }
    }

    /// The command; `None`: an address.
    pub(super) fn command(&self) -> Option<&str> {
        match &self.kind {
            Kind::Address => None,
            Kind::Command { line, .. } => Some(line),
        }
    }
}

/// A port on which nobody listens now.
pub(super) fn free_port() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no port is free on 127.0.0.1")?;
    Ok(listener.local_addr().context("a port that is free has no number")?.port())
}
