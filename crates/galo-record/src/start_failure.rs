//! Why a contender did not start, by class. It is read from the reason that was recorded, so that old runs have one as well.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

/// The class of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartFailure {
    /// A signal ended it, or the kernel for want of memory.
    Killed,
    /// A file that it mounts is not there.
    MountedFileMissing,
    /// It ended by itself.
    Exited,
    /// Its image or program is for another kind of machine.
    WrongPlatform,
    /// A host name has no address.
    UnknownHost,
    /// Its registry does not have the image, or does not give it.
    ImageGone,
    /// It ran, and was not ready in time.
    NotReadyInTime,
    /// It could not be built.
    NotBuilt,
    /// None of these.
    Other,
}

/// What a line of a reason says, in lower case; `*` stands for any text. The first class with such a line holds: an image that a
/// build does not find is gone, whatever else the build says.
const SIGNS: [(StartFailure, &[&str]); 8] = [
    (
        StartFailure::WrongPlatform,
        &[
            "exec format error",
            "no matching manifest for ",
            "no match for platform in manifest",
            "does not match the specified platform",
            "cannot be used on this platform",
        ],
    ),
    (
        StartFailure::ImageGone,
        &[
            "manifest unknown",
            "manifest for * not found",
            "failed to resolve*: not found",
            "pull access denied",
            "does not exist or no pull access",
            "repository name not known to registry",
            "no such image",
            "/v2/*: denied",
            "/v2/*: unauthorized",
        ],
    ),
    (StartFailure::NotBuilt, &["the build failed (", "the images cannot be built ("]),
    (
        StartFailure::MountedFileMissing,
        &["bind source path does not exist", "mount a directory onto a file", "is a directory"],
    ),
    // With a status above 128, see `ended_by_signal`.
    (StartFailure::Killed, &["killed by the kernel", "killed by signal ", "out of memory: killed process"]),
    (
        StartFailure::UnknownHost,
        &[
            "no such host",
            "host not found",
            "unknownhost",
            "unknown host",
            "unknown mysql server host",
            "could not resolve address",
            "could not resolve host",
            "could not translate host name",
            "failed to lookup address",
            "getaddrinfo",
            "name or service not known",
            "name does not resolve",
            "in name resolution",
            "no address associated with hostname",
            "nxdomain",
        ],
    ),
    (
        StartFailure::Exited,
        &[
            " ended before ",
            "setup failed (exit status",
            "` (exit status ",
            "being started again",
            " exited (",
            " exited with code ",
            ": exit ",
        ],
    ),
    (
        StartFailure::NotReadyInTime,
        &["not ready after ", "setup failed (not done", "not done in time", "is unhealthy"],
    ),
];

impl StartFailure {
    /// The class of a reason, as it is recorded: what happened, and the last lines of what did not start.
    pub fn of(reason: &str) -> Self {
        let reason = reason.to_lowercase();
        let is_said = |(class, signs): &&(Self, &[&str])| {
            reason.lines().any(|line| {
                signs.iter().any(|sign| says(line, sign)) || *class == Self::Killed && ended_by_signal(line)
            })
        };
        SIGNS.iter().find(is_said).map_or(Self::Other, |(class, _)| *class)
    }
}

/// Whether the parts of a sign stand in a line, in their order.
fn says(line: &str, sign: &str) -> bool {
    let after = |rest: &str, part: &str| rest.find(part).map(|at| at + part.len());
    sign.split('*').try_fold(line, |rest, part| after(rest, part).map(|at| &rest[at..])).is_some()
}

/// Whether an exit status is a shell's or an engine's for one that a signal ended: 128, and the signal.
fn ended_by_signal(line: &str) -> bool {
    let status = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok();
    let told =
        |words| line.split(words).skip(1).filter_map(status).any(|status| (129..160).contains(&status));
    ["exit status ", " exited (", " exited with code ", ": exit "].into_iter().any(told)
}

#[cfg(test)]
mod tests {
    use super::StartFailure::{self, *};

    /// Words of Docker 20.10 to 28, of both generations of Compose, of the kernel and of common programs, as galo records them.
    #[test]
    fn reasons_have_the_class_of_their_gravest_line() {
        let ended = |status: &str, log: &str| {
            format!(
                "service `api` of contender `a` ended before all were ready ({status})\n  | {log}\nhint: see api.log"
            )
        };
        let up = |said: &str| {
            format!("docker-compose 1.29.2 could not bring it up (exit status 1; contender `a`)\n  | {said}")
        };
        let pull = |said: &str| {
            format!("image `x/y` is not on this machine and cannot be pulled (contender `a`)\n  | {said}")
        };
        let build =
            |said: &str| format!("the images cannot be built (exit status 1; contender `a`)\n  | {said}");
        let late = |last: &str| {
            format!(
                "contender `a` was not ready after 60 s (last answer at 127.0.0.1:9999: {last})\n  of `api`:\n  | up"
            )
        };
        let refused = "connection refused";
        let table: &[(StartFailure, &[String])] = &[
            (
                Killed,
                &[
                    ended("killed by signal 11", "booting"),
                    ended("exit status 137; killed by the kernel: out of memory", "host not found"),
                    ended("exit status 139", ""),
                    up("dependency failed to start: container a-db-1 exited (137)"),
                    up("service \"migrate\" didn't complete successfully: exit 143"),
                    up("ERROR: for api  Container \"54ade6ad7efb\" exited with code 137."),
                    late("health of `api`: it is being started again: exit status 137"),
                ],
            ),
            (
                MountedFileMissing,
                &[
                    up(
                        "Cannot start service lb: OCI runtime create failed: rootfs_linux.go:76: mounting \"/e/nginx.conf\" to rootfs \
                        at \"/etc/nginx/nginx.conf\" caused: mount through procfd: not a directory: unknown: Are you trying to mount a \
                        directory onto a file (or vice-versa)? Check if the specified host path exists and is the expected type",
                    ),
                    up(
                        "Error response from daemon: invalid mount config for type \"bind\": bind source path does not exist: /e/x",
                    ),
                    ended("exit status 1", "nginx: [crit] pread() \"/etc/nginx/x.conf\" failed (21: Is a directory)"),
                    up("psql:/docker-entrypoint-initdb.d/init.sql: error: could not read from input file: Is a directory"),
                ],
            ),
            (
                Exited,
                &[
                    ended("exit status 1", "panic: no config"),
                    ended("exit status 255", ""),
                    ended("exit status 0", "bye"),
                    "setup failed (exit status 2; service `db` of contender `a`)\n  | no schema".to_owned(),
                    up("dependency failed to start: container a-db-1 exited (1)"),
                    up("no word of it\n  of `db` (exit status 1):\n  | no schema"),
                    late("health of `api`: it is being started again: exit status 1"),
                ],
            ),
            (
                WrongPlatform,
                &[
                    ended("exit status 255", "exec /server: exec format error"),
                    ended("exit status 1", "standard_init_linux.go:228: exec user process caused: exec format error"),
                    "`/e/server` cannot be executed: Exec format error (os error 8) (service `api`)".to_owned(),
                    pull("no matching manifest for linux/amd64 in the manifest list entries"),
                    pull("image operating system \"windows\" cannot be used on this platform: operating system is not supported"),
                    build(
                        "failed to solve: x: failed to resolve source metadata for docker.io/x: no match for platform in manifest: not found",
                    ),
                ],
            ),
            (
                UnknownHost,
                &[
                    ended("exit status 1", "nginx: [emerg] host not found in upstream \"api1:8080\" in /etc/nginx/nginx.conf:9"),
                    ended("exit status 1", "psycopg2.OperationalError: could not translate host name \"db\" to address: Name or service not known"),
                    ended("exit status 1", "Error: getaddrinfo ENOTFOUND db"),
                    ended("exit status 1", "Caused by: java.net.UnknownHostException: db"),
                    ended("exit status 101", "failed to lookup address information: Temporary failure in name resolution"),
                    ended("exit status 1", "[ALERT] parsing [/haproxy.cfg:9] : could not resolve address 'api1'."),
                    ended("exit status 2", "dial tcp: lookup db on 127.0.0.11:53: no such host"),
                    pull("Get \"https://ghcr.example/v2/\": dial tcp: lookup ghcr.example on 1.1.1.1:53: no such host"),
                ],
            ),
            (
                ImageGone,
                &[
                    pull("Error response from daemon: manifest for x/y:latest not found: manifest unknown: manifest unknown"),
                    pull(
                        "Error response from daemon: pull access denied for x/y, repository does not exist or may require 'docker login': \
                        denied: requested access to the resource is denied",
                    ),
                    pull("Error response from daemon: failed to resolve reference \"docker.io/x/y:1\": docker.io/x/y:1: not found"),
                    pull("Error response from daemon: Head \"https://ghcr.io/v2/x/y/manifests/latest\": denied"),
                    up("No such image: x/y:latest"),
                    build("failed to solve: openjdk:8-gone: failed to resolve source metadata for docker.io/library/openjdk:8-gone: \
                        docker.io/library/openjdk:8-gone: not found"),
                ],
            ),
            (
                NotReadyInTime,
                &[
                    late(refused),
                    late("status 502"),
                    "service `api` of contender `a` was not ready after 30 s (last answer: connection refused)".to_owned(),
                    "setup failed (not done after 30 s; service `db` of contender `a`)".to_owned(),
                    up("ERROR: for api  Container \"54ade6ad7efb\" is unhealthy."),
                    "docker-compose 1.29.2 could not bring it up (not done in time; contender `a`)".to_owned(),
                ],
            ),
            (
                NotBuilt,
                &[
                    build("make: *** [Makefile:3: all] Error 2"),
                    build("npm error getaddrinfo EAI_AGAIN registry.npmjs.org"),
                    "the build failed (exit status 137; service `api`): `make`\n  | Killed".to_owned(),
                ],
            ),
            (
                Other,
                &[
                    pull("toomanyrequests: You have reached your unauthenticated pull rate limit."),
                    pull("Get \"https://ghcr.example/v2/\": net/http: TLS handshake timeout"),
                    "no such command `/nowhere/server` (looked for `/nowhere/server`; service `api`)".to_owned(),
                    "the container engine does not answer".to_owned(),
                    String::new(),
                ],
            ),
        ];
        for (class, reasons) in table {
            for reason in *reasons {
                assert_eq!(StartFailure::of(reason), *class, "{reason}");
            }
        }
    }
}
