//! The container engine, asked by its own client, and Compose, whichever there is. Every wait is bounded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::bounded::run;
use crate::error::HostError;
use crate::{log, process};

/// How long a question may take that the engine answers from what it knows.
pub(crate) const SOON: Duration = Duration::from_secs(20);
/// How long it may take to do something: to start, end or remove containers.
pub(crate) const DOING: Duration = Duration::from_secs(90);
/// Lines of a failed answer that are told.
const TOLD_LINES: usize = 8;
/// All of the environment that the client and Compose get: how they find programs, files of their own and the engine. A
/// Compose file sees no other variable of galo's.
const VARIABLES: [&str; 9] = [
    "DOCKER_API_VERSION",
    "DOCKER_BUILDKIT",
    "DOCKER_CERT_PATH",
    "DOCKER_CONFIG",
    "DOCKER_CONTEXT",
    "DOCKER_HOST",
    "DOCKER_TLS_VERIFY",
    "HOME",
    "PATH",
];

/// How the engine is reached: the variables that say so.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Engine {
    variables: BTreeMap<String, String>,
}

/// Who reads Compose files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Compose {
    /// Program and arguments before Compose's own.
    command: Vec<String>,
    /// For people, e.g. `docker-compose 1.29.2`.
    pub(crate) version: String,
    /// Of the first generation, which holds `deploy` to mean something only when it is asked to.
    is_first: bool,
}

impl Engine {
    /// The one that this user's client would ask.
    pub(crate) fn of_environment() -> Self {
        let set = VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
        Self { variables: set.collect() }
    }

    /// The whole environment of its client.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        self.variables.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    /// Its version.
    ///
    /// # Errors
    /// There is no client, or nobody answers it.
    pub(crate) fn version(&self) -> Result<String, HostError> {
        let version = self.ask(&["version", "--format", "{{.Server.Version}}"], SOON)?;
        Ok(version.trim().to_owned())
    }

    /// What the client prints.
    ///
    /// # Errors
    /// The engine refuses, does not answer in time, or is not there.
    pub(crate) fn ask(&self, arguments: &[&str], within: Duration) -> Result<String, HostError> {
        let line = format!("docker {}", arguments.first().unwrap_or(&""));
        self.attempt(arguments, within)?.map_err(|said| {
            let hint = "see what the engine says: docker ps --all, docker info";
            HostError::host(format!("the container engine refuses `{line}`{said}\nhint: {hint}"))
        })
    }

    /// What the client prints, or what it says against it, as lines below a message: which may be the contender's doing.
    ///
    /// # Errors
    /// The engine does not answer in time, or is not there.
    pub(crate) fn attempt(
        &self,
        arguments: &[&str],
        within: Duration,
    ) -> Result<Result<String, String>, HostError> {
        self.answer("docker", arguments, within)
    }

    /// The same for any program of the engine's.
    fn answer(
        &self,
        program: &str,
        arguments: &[&str],
        within: Duration,
    ) -> Result<Result<String, String>, HostError> {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(&self.variables).current_dir("/");
        let line = format!("{program} {}", arguments.first().unwrap_or(&""));
        match run(&mut command, within) {
            Ok(Some((true, out, _))) => Ok(Ok(out)),
            Ok(Some((false, _, said))) if is_silence(&said) => {
                let what = log::last_lines(said.as_bytes(), false, TOLD_LINES).join(" ");
                let hint = "start it: systemctl start docker, or dockerd; what is left of a contender goes by `galo clean`";
                Err(HostError::host(format!("the container engine does not answer: {what}\nhint: {hint}")))
            }
            Ok(Some((false, _, said))) => {
                Ok(Err(log::quoted(&log::last_lines(said.as_bytes(), false, TOLD_LINES))))
            }
            Ok(None) => {
                let seconds = within.as_secs();
                Err(HostError::host(format!(
                    "the container engine did not answer `{line}` within {seconds} s\nhint: see whether it still \
                     works: docker ps; what is left goes by `galo clean` once it does"
                )))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(HostError::host(format!("`{program}` is not installed\nhint: {INSTALL}")))
            }
            Err(error) => Err(HostError::host(format!("cannot run `{line}`: {error}\nhint: {INSTALL}"))),
        }
    }

    /// Which Compose there is: the engine's own plugin before the older program.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn compose(&self) -> Result<Compose, HostError> {
        let tried = [
            ("docker", vec!["compose", "version", "--short"]),
            ("docker-compose", vec!["version", "--short"]),
        ];
        for (program, arguments) in tried {
            let Ok(Ok(version)) = self.answer(program, &arguments, SOON) else { continue };
            let version = version.trim().trim_start_matches('v').to_owned();
            let is_plugin = program == "docker";
            let command = if is_plugin { vec!["docker", "compose"] } else { vec!["docker-compose"] };
            return Ok(Compose {
                version: format!("{} {version}", command.join(" ")),
                is_first: version.starts_with("1."),
                command: command.into_iter().map(str::to_owned).collect(),
            });
        }
        Err(HostError::host(format!("there is no Compose\nhint: {INSTALL}")))
    }

    /// What Compose makes of these arguments, or what it says against them, as lines below a message.
    ///
    /// # Errors
    /// As [`Self::attempt`].
    pub(crate) fn ask_compose(
        &self,
        compose: &Compose,
        arguments: &[String],
    ) -> Result<Result<String, String>, HostError> {
        let all: Vec<&str> = compose.command[1..].iter().chain(arguments).map(String::as_str).collect();
        self.answer(&compose.command[0], &all, SOON)
    }
}

/// What gives a Debian machine all of it.
pub(crate) const INSTALL: &str = "apt-get install docker.io iptables docker-compose  (then start dockerd)";

impl Compose {
    /// The program, absolute.
    ///
    /// # Errors
    /// It is gone.
    pub(crate) fn program(&self, engine: &Engine) -> Result<PathBuf, HostError> {
        process::find_program(&self.command[0], "/".as_ref(), &engine.environment())
    }

    /// Its arguments for something that is done to a project, of which limits hold.
    pub(crate) fn arguments(&self, project: &str, files: &[PathBuf], does: &[&str]) -> Vec<String> {
        let mut arguments = self.command[1..].to_vec();
        if self.is_first {
            arguments.push("--compatibility".to_owned());
        }
        arguments.extend(["--project-name".to_owned(), project.to_owned()]);
        for file in files {
            arguments.extend(["--file".to_owned(), file.display().to_string()]);
        }
        arguments.extend(does.iter().map(|&word| word.to_owned()));
        arguments
    }
}

/// Whether the client says that nobody answers it.
fn is_silence(said: &str) -> bool {
    said.contains("Cannot connect to the Docker daemon") || said.contains("error during connect")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_is_not_there_is_told_with_how_to_start_it() {
        let variables = BTreeMap::from([("PATH".to_owned(), "/nonexistent".to_owned())]);
        let error = Engine { variables: variables.clone() }.answer("docker", &["ps"], SOON).unwrap_err();
        assert_eq!(error.message.lines().next(), Some("`docker` is not installed"));
        let says = |text: &str| {
            let arguments = ["-c", "echo \"$0\" >&2; exit 1", text];
            Engine { variables: variables.clone() }.answer("/bin/sh", &arguments, SOON)
        };
        let error = says("Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?")
            .unwrap_err();
        assert!(error.message.contains("does not answer: Cannot connect"), "{error}");
        assert!(
            error.message.contains("\nhint: start it: ") && error.blame == galo_plan::Blame::Host,
            "{error}"
        );
        assert_eq!(says("no such image").unwrap(), Err("\n  | no such image".to_owned()));
    }

    #[test]
    fn limits_hold_in_either_generation() {
        let compose = |version: &str, command: &[&str]| Compose {
            command: command.iter().map(|&word| word.to_owned()).collect(),
            version: version.to_owned(),
            is_first: version.starts_with("1."),
        };
        let files = [PathBuf::from("/a.yml"), PathBuf::from("/b.yml")];
        let rest = "--project-name p --file /a.yml --file /b.yml up -d";
        let first = compose("1.29.2", &["docker-compose"]).arguments("p", &files, &["up", "-d"]);
        assert_eq!(first.join(" "), format!("--compatibility {rest}"));
        let second = compose("2.24.0", &["docker", "compose"]).arguments("p", &files, &["up", "-d"]);
        assert_eq!(second.join(" "), format!("compose {rest}"));
    }
}
