//! Git, asked in such a way that nothing that it finds in a repository is run.

use std::path::Path;
use std::process::Command;

/// Settings by which a repository, or a work tree, would have git run programs.
const RUNS_NOTHING: [&str; 3] = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "core.sshCommand=false"];

/// Variables that the caller may set for every repository: settings, and how large files are kept.
const KEPT: [&str; 2] = ["GIT_CONFIG_", "GIT_LFS_"];
/// Settings of one command of git's, which ran galo.
const OF_ONE_COMMAND: &str = "GIT_CONFIG_PARAMETERS";

/// Git in a folder, without its hooks and without anything that the caller's environment says of another repository.
pub(crate) fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        let begins = |with: &str| name.as_encoded_bytes().starts_with(with.as_bytes());
        if begins("GIT_") && (begins(OF_ONE_COMMAND) || !KEPT.into_iter().any(begins)) {
            command.env_remove(name);
        }
    }
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0");
    for setting in RUNS_NOTHING {
        command.args(["-c", setting]);
    }
    command.arg("-C").arg(folder);
    command
}
