//! Runs a contender's builds, before the first round and outside of its limits, but not without any: with a small
//! environment, within bounds that an honest build does not notice.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use galo_plan::{Contender, Runner, Service, secret, words};
use galo_record::Event;

use crate::cgroup::{Limits, PERIOD_US};
use crate::errand::Errand;
use crate::error::HostError;
use crate::inner::Inner;
use crate::log;
use crate::system::System;

/// How long a build may take: longer than any that ends.
const WITHIN: Duration = Duration::from_secs(2 * 60 * 60);
/// Processes and threads that a build may have.
const PROCESSES: u32 = 8192;

/// Runs each build that this galo has not run yet.
pub(crate) fn build(inner: &Inner, contender: &Contender) -> Result<(), HostError> {
    for service in &contender.services {
        let Some(command) = &service.build else { continue };
        let key = (service.workdir.clone(), command.clone());
        if inner.built().contains(&key) {
            continue;
        }
        inner
            .options
            .events
            .send(Event::Building { contender: contender.name.clone(), command: command.clone() });
        run(inner, &service.workdir, command).map_err(|e| e.about("service", &service.name))?;
        inner.built().insert(key);
    }
    Ok(())
}

/// Sees that a contender would be started from what was built. What is not so any more is built again, once: cargo puts another
/// program at the same place for each set of packages that it is built with.
///
/// # Errors
/// That does not make it what it was, or the build failed.
pub(crate) fn require_built(inner: &Inner, contender: &Contender) -> Result<(), HostError> {
    let unchanged = inner.programs().require_unchanged(contender);
    let is_built = |service: &Service| service.build.is_some();
    if unchanged.is_ok() || contender.runner != Runner::Process || !contender.services.iter().any(is_built) {
        return unchanged;
    }
    let is_its = |dir: &Path| contender.services.iter().any(|service| service.workdir == dir);
    inner.built().retain(|(dir, _)| !is_its(dir));
    build(inner, contender)?;
    inner.programs().require_unchanged(contender)
}

fn run(inner: &Inner, workdir: &Path, command: &str) -> Result<(), HostError> {
    let errand = Errand {
        what: "build",
        program: "/bin/sh".as_ref(),
        arguments: &["-c".to_owned(), command.to_owned()],
        environment: &environment(),
        workdir,
        within: Some(WITHIN),
        limits: limits(),
    };
    let done = errand.run(inner)?;
    if done.is_good() {
        return Ok(());
    }
    Err(HostError::contender(format!(
        "the build failed ({}): `{}`{}\nhint: run it by hand in {}",
        done.words(),
        secret::in_line(command),
        log::quoted(&done.lines),
        workdir.display()
    )))
}

/// What toolchains need of galo's own environment, and nothing else: a build is the contender's, and galo's caller may have
/// secrets there.
fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| is_passed_on(name)).collect()
}

/// Whether a variable is one that a build gets.
fn is_passed_on(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    let upper = name.to_ascii_uppercase();
    let is_known =
        words::has(NAMES, &upper) || PREFIXES.split_whitespace().any(|prefix| upper.starts_with(prefix));
    is_known && !is_left_over(name) && !SECRET.iter().any(|part| upper.contains(part))
}

/// Variables that builds get, in capitals whatever the case they are written in.
const NAMES: &str = "
    ALL_PROXY AR AS CC CFLAGS CGO_CFLAGS CGO_ENABLED CGO_LDFLAGS CLASSPATH CPATH CPP CPPFLAGS
    CURL_CA_BUNDLE CXX CXXFLAGS C_INCLUDE_PATH CPLUS_INCLUDE_PATH FTP_PROXY GEM_HOME GEM_PATH
    GHCUP_INSTALL_BASE_PREFIX GO111MODULE GOARCH GOBIN GOCACHE GOENV GOFLAGS GOMODCACHE GONOPROXY
    GONOSUMDB GOOS GOPATH GOPRIVATE GOPROXY GOROOT GOSUMDB GOTMPDIR GOTOOLCHAIN HOME HTTPS_PROXY
    HTTP_PROXY JAVA_HOME LANG LANGUAGE LD LDFLAGS LD_LIBRARY_PATH LIBRARY_PATH LOGNAME NM NO_PROXY
    PATH RANLIB REQUESTS_CA_BUNDLE SHELL SOURCE_DATE_EPOCH TERM TMPDIR TZ USER VIRTUAL_ENV ZIG
";

/// Beginnings of variables that builds get.
const PREFIXES: &str = "
    BUNDLE_ BUN_ CABAL_ CARGO_ CCACHE_ CMAKE_ COMPOSER_ CONDA_ DENO_ DOTNET_ ELIXIR_ ERL_ GRADLE_
    HEX_ JAVA_ LC_ LIBCLANG_ LLVM_ MAVEN_ MIX_ NIX_ NODE_ NPM_CONFIG_ NUGET_ OPAM OPENSSL_ PHP_ PIP_
    PKG_CONFIG PNPM_ POETRY_ PYTHON RUBY RUST SCCACHE_ SQLX_OFFLINE SSL_CERT_ UV_ XDG_ YARN_
";

/// Parts of names of what is nobody's but the caller's.
const SECRET: [&str; 7] = ["AUTH", "CREDENTIAL", "PASSPHRASE", "PASSWD", "PASSWORD", "SECRET", "TOKEN"];

/// What `cargo run` sets for the program that it runs, and where its build went: a contender's build must put its
/// result where its Compose file looks for it.
fn is_left_over(name: &str) -> bool {
    let names = "
        CARGO_BIN_NAME CARGO_BUILD_TARGET_DIR CARGO_CRATE_NAME CARGO_MAKEFLAGS CARGO_PRIMARY_PACKAGE
        CARGO_TARGET_DIR CARGO_TARGET_TMPDIR
    ";
    let prefixes = ["CARGO_BIN_EXE_", "CARGO_MANIFEST_", "CARGO_PKG_"];
    words::has(names, name) || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// What a build may use: nearly all of the machine, so that one that runs wild is ended before the machine is.
fn limits() -> Option<Limits> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory_bytes = Some(System::real().meminfo("MemTotal:")).filter(|&bytes| bytes > 0)?;
    Some(Limits {
        cpus_milli: u32::try_from(cores.saturating_mul(1000)).unwrap_or(u32::MAX),
        period_us: PERIOD_US,
        memory_bytes: memory_bytes - memory_bytes / 16,
        pids_max: Some(PROCESSES),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_run_leaves_is_dropped_and_what_the_user_set_is_kept() {
        for name in ["CARGO", "CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "CARGO_TARGET_DIR", "CARGO_BIN_EXE_x"] {
            assert!(!is_passed_on(OsStr::new(name)), "{name}");
        }
        for name in ["CARGO_HOME", "CARGO_NET_OFFLINE", "PATH", "CC", "CARGO_BUILD_JOBS"] {
            assert!(is_passed_on(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn a_build_gets_what_toolchains_need_and_none_of_the_callers_secrets() {
        let needed = [
            "GOFLAGS",
            "JAVA_HOME",
            "NODE_ENV",
            "npm_config_cache",
            "PIP_INDEX_URL",
            "http_proxy",
            "SSL_CERT_FILE",
        ];
        for name in needed {
            assert!(is_passed_on(OsStr::new(name)), "{name}");
        }
        let secret = [
            "AWS_SECRET_ACCESS_KEY",
            "CARGO_REGISTRY_TOKEN",
            "CARGO_REGISTRIES_OURS_TOKEN",
            "GITHUB_TOKEN",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "NODE_AUTH_TOKEN",
            "npm_config__auth",
            "DATABASE_URL",
            "PGPASSWORD",
            "SSH_AUTH_SOCK",
            "GOBLIN",
            "GIT_DIR",
        ];
        for name in secret {
            assert!(!is_passed_on(OsStr::new(name)), "{name}");
        }
    }
}
