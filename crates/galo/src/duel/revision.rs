//! Revisions of a repository that fight: each in a work tree of its own, built once.
//!
//! Work trees lie in the user's cache, by commit, and stay there for the next time; what a build left is used again as long as
//! the build's command is the same. The caller's own files are never touched.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::exit::WrongUse;

/// Characters of a commit's name in a folder's.
const SHORT: usize = 12;

/// A revision, checked out.
pub(super) struct Revision {
    /// Where commands run: the folder of the caller, seen from the root of the repository.
    pub(super) folder: PathBuf,
    /// The command that builds it, if there is one.
    build: Option<String>,
    /// What its last build was.
    marker: PathBuf,
}

/// Finds two revisions of the repository that `folder` is in, and checks both out.
///
/// # Errors
/// No repository, no such revision, one commit twice, and what git refuses.
pub(super) fn check_out(folder: &Path, names: [&str; 2], build: Option<&str>) -> Result<[Revision; 2]> {
    let root = PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"], "find a repository")?);
    let prefix = git(folder, &["rev-parse", "--show-prefix"], "find a repository")?;
    let [first, second] = names.map(|name| {
        let commit = format!("{name}^{{commit}}");
        git(
            &root,
            &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit],
            &format!("find the revision `{name}`"),
        )
    });
    let (first, second) = (first?, second?);
    if first == second {
        let text = format!("`{}` and `{}` are the same commit", names[0], names[1]);
        return Err(WrongUse(format!("{text}\nhint: commit what is to be compared")).into());
    }
    Ok([work_tree(&root, &first, &prefix, build)?, work_tree(&root, &second, &prefix, build)?])
}

impl Revision {
    /// Whether this very build was run before.
    pub(super) fn is_built(&self) -> bool {
        self.build.is_some() && std::fs::read_to_string(&self.marker).ok() == self.build
    }

    /// Remembers that it was run.
    ///
    /// # Errors
    /// The cache cannot be written.
    pub(super) fn keep_built(&self) -> Result<()> {
        let Some(command) = &self.build else { return Ok(()) };
        std::fs::write(&self.marker, command)
            .with_context(|| format!("cannot write `{}`", self.marker.display()))
    }
}

fn work_tree(root: &Path, commit: &str, prefix: &str, build: Option<&str>) -> Result<Revision> {
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    let short = &commit[..SHORT.min(commit.len())];
    let tree = cache().join(format!("{name}-{short}"));
    let marker = cache().join(format!("{name}-{short}.built"));
    if !tree.join(".git").exists() {
        // One that was removed by hand is still registered.
        git(root, &["worktree", "prune"], "tidy up its work trees")?;
        if let Some(parent) = tree.parent() {
            std::fs::create_dir_all(parent).with_context(|| format!("cannot make `{}`", parent.display()))?;
        }
        let _ = std::fs::remove_file(&marker);
        let path = tree.to_string_lossy();
        git(root, &["worktree", "add", "--detach", "--force", &path, commit], "make a work tree")?;
    }
    let folder = tree.join(prefix);
    if !folder.is_dir() {
        return Err(WrongUse(format!(
            "commit {short} has no folder `{prefix}`\nhint: start galo in a folder that both revisions have, or give --cwd"
        ))
        .into());
    }
    Ok(Revision { folder, build: build.map(str::to_owned), marker })
}

/// Where work trees lie.
fn cache() -> PathBuf {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    cache.or_else(home).unwrap_or_else(std::env::temp_dir).join("galo/revisions")
}

/// What git says, in one line.
fn git(folder: &Path, arguments: &[&str], what: &str) -> Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        // A hook or a caller may have set them for another repository.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .map_err(|error| WrongUse(format!("git cannot be run: {error}\nhint: install git")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().last().unwrap_or_default();
    Err(WrongUse(format!(
        "git cannot {what} in `{}`: {said}\nhint: see `git log` and `git worktree list`",
        folder.display()
    ))
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| git(folder.path(), arguments, "prepare a test").unwrap();
        run(&["init", "--quiet", "--initial-branch", "main"]);
        std::fs::create_dir(folder.path().join("app")).unwrap();
        for version in ["one", "two"] {
            std::fs::write(folder.path().join("app/version"), version).unwrap();
            run(&["add", "."]);
            let as_somebody =
                ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", version];
            run(&as_somebody);
            run(&["tag", version]);
        }
        folder
    }

    #[test]
    fn each_revision_has_a_folder_of_its_own_and_is_built_once() {
        let repository = repository();
        let app = repository.path().join("app");
        let check_out = |build| check_out(&app, ["one", "two"], Some(build)).unwrap();
        let [one, two] = check_out("make");
        let version = |revision: &Revision| std::fs::read_to_string(revision.folder.join("version")).unwrap();
        assert_eq!((version(&one), version(&two)), ("one".to_owned(), "two".to_owned()));
        assert!(!one.is_built());
        one.keep_built().unwrap();
        assert!(check_out("make")[0].is_built() && !check_out("make fast")[0].is_built());
        for revision in [&one, &two] {
            std::fs::remove_dir_all(revision.folder.parent().unwrap()).unwrap();
            let _ = std::fs::remove_file(&revision.marker);
        }
    }

    #[test]
    fn what_is_no_revision_is_told() {
        let repository = repository();
        let told = |names| check_out(repository.path(), names, None).err().unwrap().to_string();
        assert!(told(["one", "none"]).contains("git cannot find the revision `none`"));
        assert!(told(["two", "main"]).contains("are the same commit"));
        let elsewhere = tempfile::tempdir().unwrap();
        assert!(
            check_out(elsewhere.path(), ["a", "b"], None)
                .err()
                .unwrap()
                .to_string()
                .contains("find a repository")
        );
    }
}
