//! Revisions of a repository that fight: each in a work tree of its own, built once.
//!
//! Work trees lie in the user's cache, by commit, and those used last stay there for the next time. What a build left is used again
//! within the hour if its command is the same: later its compiler, or what it fetches, may be another one than the other side's. A tree is used again only where it and the cache are the caller's own, nobody else may write
//! there, and every file of the commit is as the commit has it; else it is made anew. The caller's own files are never touched; where
//! the caller's own tree is a side, it is used as it is.
//!
//! Galos at one commit share its tree. One of them makes and builds it while the others wait ([`holds`]); none changes it while
//! another uses it.
//!
//! What ran in a tree may have written to its index, its attributes and its settings. So git is asked in the caller's repository
//! alone, what it says of a commit is held against the files themselves, and nothing that a tree names is run.

mod files;
mod holds;

use std::fs::Permissions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use sha2::{Digest, Sha256};

use crate::cache::{self, CacheError, refused};
use holds::Holds;

/// Why a revision cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RevisionError {
    /// What the caller can mend.
    #[error("{0}")]
    Asked(String),
    /// There is no place to check it out.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

type Result<T> = std::result::Result<T, RevisionError>;

/// How a caller names the work tree as it is, in place of a revision.
pub const WORK_TREE: &str = ".";

/// What galo itself leaves in a work tree.
const OWN: [&str; 3] = [".", ":(exclude,glob)**/galo-runs", ":(exclude,glob)**/galo-runs/**"];

/// Characters of a commit's name in a folder's.
const SHORT: usize = 12;

/// For so long a build counts as made by what the other side's is made by.
const FRESH: Duration = Duration::from_secs(3600);

/// So many work trees stay in the cache, if no galo uses more.
const KEPT: usize = 10;

/// A revision, checked out.
pub struct Revision {
    /// Where commands run: the folder of the caller, seen from the root of the repository.
    pub folder: PathBuf,
    /// Its whole name.
    pub commit: String,
    /// The command that builds it, if there is one.
    build: Option<String>,
    /// Whether that was run in it a short while ago.
    is_built: bool,
    /// Holds the command of its last build, and is as old as that.
    marker: PathBuf,
    /// The root of its work tree.
    tree: PathBuf,
    /// Other galos wait until it is built, and leave the tree as it is until this is dropped.
    holds: Holds,
}

/// Finds two revisions of the repository that `folder` is in, and checks both out; `None`: the work tree as it is. `waits` is told again
/// and again of a work tree that another galo makes or builds, and says whether to wait on.
///
/// # Errors
/// No repository, no such revision, one commit twice, what git refuses, and that it was not to wait on.
pub fn check_out(
    folder: &Path,
    names: [&str; 2],
    build: Option<&str>,
    waits: &mut dyn FnMut(&Path) -> bool,
) -> Result<[Option<Revision>; 2]> {
    let root = PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"], "find a repository")?);
    let prefix = git(folder, &["rev-parse", "--show-prefix"], "find a repository")?;
    let [first, second] = names.map(|name| commit_of(&root, name));
    let (first, second) = (first?, second?);
    if first == second {
        let text = format!("`{}` and `{}` are the same", names[0], names[1]);
        let hint = "what is not committed fights as `.`: --git HEAD --git .";
        return Err(RevisionError::Asked(format!("{text}\nhint: {hint}")));
    }
    let cache = cache::place("revisions")?;
    let mut tree = |commit: Option<String>| {
        commit.map(|commit| work_tree(&cache, &root, (&commit, &prefix), build, waits)).transpose()
    };
    // In the order of their names: of two galos that wait for trees, none has the one that the other waits for.
    let both = if first > second {
        let second = tree(second)?;
        [tree(first)?, second]
    } else {
        [tree(first)?, tree(second)?]
    };
    holds::remove_unused(&cache, KEPT);
    Ok(both)
}

/// The commit of a revision; `None`: it is the work tree as it is.
fn commit_of(root: &Path, name: &str) -> Result<Option<String>> {
    if name == WORK_TREE {
        return Ok(None);
    }
    let commit = format!("{name}^{{commit}}");
    let asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit];
    git(root, &asked, &format!("find the revision `{name}`")).map(Some)
}

/// How many files of the repository that `folder` is in are changed or new, and so in no revision. Ignored files and galo's own runs
/// are not counted.
///
/// # Errors
/// No repository, and what git refuses.
pub fn uncommitted(folder: &Path) -> Result<u64> {
    let root = PathBuf::from(git(folder, &["rev-parse", "--show-toplevel"], "find a repository")?);
    let status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--"];
    let listed = said(&root, &[&status[..], &OWN].concat(), &[], "look for changes")?;
    Ok(listed.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()).count() as u64)
}

impl Revision {
    /// Whether this very build was run a short while ago.
    pub const fn is_built(&self) -> bool {
        self.is_built
    }

    /// Whether it has submodules, of which a work tree has empty folders.
    pub fn has_submodules(&self) -> bool {
        self.tree.join(".gitmodules").is_file()
    }

    /// Remembers that it was run, and lets other galos use what it left.
    ///
    /// # Errors
    /// The cache cannot be written.
    pub fn keep_built(&self) -> Result<()> {
        let Some(command) = &self.build else { return Ok(()) };
        std::fs::write(&self.marker, command).map_err(refused("write", &self.marker))?;
        self.holds.share(&self.tree)
    }
}

fn work_tree(
    cache: &Path,
    root: &Path,
    (commit, prefix): (&str, &str),
    build: Option<&str>,
    waits: &mut dyn FnMut(&Path) -> bool,
) -> Result<Revision> {
    cache::require_own(cache)?;
    let short = &commit[..SHORT.min(commit.len())];
    let name = tree_name(root, short);
    let tree = cache.join(name);
    let marker = holds::beside(&tree, holds::BUILT);
    let holds = Holds::wait(&tree, waits)?;
    if !is_trusted(root, &tree, commit) {
        holds.require_alone(&tree)?;
        let _ = std::fs::remove_file(&marker);
        match std::fs::remove_dir_all(&tree) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(refused("remove", &tree)(error).into());
            }
            _ => {}
        }
        // By force, since one that was removed is still registered. `git worktree prune` would forget the caller's own trees as well
        // whose folders are not there now.
        let path = tree.to_string_lossy();
        git(root, &["worktree", "add", "--detach", "--force", &path, commit], "make a work tree")?;
        // The caller's umask may let a group write.
        std::fs::set_permissions(&tree, Permissions::from_mode(0o700)).map_err(refused("make", &tree))?;
    }
    let folder = tree.join(prefix);
    if !folder.is_dir() {
        return Err(RevisionError::Asked(format!(
            "commit {short} has no folder `{prefix}`\nhint: start galo in a folder that both revisions have, or give --cwd"
        )));
    }
    let (commit, build) = (commit.to_owned(), build.map(str::to_owned));
    let is_built = build.as_ref().is_some_and(|command| is_fresh(&marker, command));
    let revision = Revision { folder, commit, build, is_built, marker, tree, holds };
    match revision.build.is_none() || is_built {
        true => revision.holds.share(&revision.tree)?,
        false => revision.holds.require_alone(&revision.tree)?,
    }
    Ok(revision)
}

/// Whether a build's marker says that this command was run a short while ago.
fn is_fresh(marker: &Path, command: &str) -> bool {
    let built = marker.metadata().and_then(|meta| meta.modified());
    let age = built.ok().and_then(|built| SystemTime::now().duration_since(built).ok());
    age.is_some_and(|age| age < FRESH) && std::fs::read_to_string(marker).is_ok_and(|text| text == command)
}

/// Folder of a commit's work tree in the cache. Two clones of one repository, as two jobs on one machine have them, share none.
fn tree_name(root: &Path, short: &str) -> String {
    let clone = Sha256::digest(root.as_os_str().as_encoded_bytes());
    let clone: String = clone.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    format!("{name}-{clone}-{short}")
}

/// Whether a work tree is there, its owner's alone, a tree of this repository at this commit, and with the commit's files
/// unchanged. What a build left beside these is what it is kept for.
fn is_trusted(root: &Path, tree: &Path, commit: &str) -> bool {
    cache::is_own(tree)
        && is_at(root, tree, commit)
        && files::are_those_of(root, tree, commit).unwrap_or(false)
}

/// Whether a tree is one of this repository's, at this commit.
fn is_at(root: &Path, tree: &Path, commit: &str) -> bool {
    let common = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    let Ok(common) = git(root, &common, "look at a repository") else { return false };
    let link = files::short_text(&tree.join(".git"));
    let private = link.as_deref().and_then(|link| link.strip_prefix("gitdir: "));
    let private = private.map(|path| PathBuf::from(path.trim_end()));
    let private = private.filter(|path| path.parent() == Some(&Path::new(&common).join("worktrees")));
    let head = private.and_then(|private| files::short_text(&private.join("HEAD")));
    head.is_some_and(|head| head.trim_end() == commit)
}

/// What git says, in one line.
fn git(folder: &Path, arguments: &[&str], what: &str) -> Result<String> {
    let said = said(folder, arguments, &[], what)?;
    Ok(String::from_utf8_lossy(&said).trim().to_owned())
}

/// All that git says to this input.
fn said(folder: &Path, arguments: &[&str], input: &[u8], what: &str) -> Result<Vec<u8>> {
    let cannot_run = |error| RevisionError::Asked(format!("git cannot be run: {error}\nhint: install git"));
    let mut git = crate::git::git(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot_run)?;
    let stdin = git.stdin.take();
    let output = std::thread::scope(|scope| {
        // Beside, since git may say much before it has read all. One that reads no more says why by itself.
        scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(input)));
        git.wait_with_output()
    });
    let output = output.map_err(cannot_run)?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().last().unwrap_or_default();
    Err(RevisionError::Asked(format!(
        "git cannot {what} in `{}`: {said}\nhint: see `git log` and `git worktree list`",
        folder.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

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
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let check_out = |build| both(&repository, cache.path(), build);
        let [one, two] = check_out("make");
        let version = |revision: &Revision| std::fs::read_to_string(revision.folder.join("version")).unwrap();
        assert_eq!((version(&one), version(&two)), ("one".to_owned(), "two".to_owned()));
        assert!(!one.is_built());
        // What a build leaves beside the commit's files is no change of them.
        let left = one.folder.join("built");
        std::fs::write(&left, "x").unwrap();
        one.keep_built().unwrap();
        let marker = one.marker.clone();
        drop((one, two));
        assert!(check_out("make")[0].is_built() && !check_out("make fast")[0].is_built());
        let long_ago = SystemTime::now() - 2 * FRESH;
        std::fs::File::open(marker).and_then(|marker| marker.set_modified(long_ago)).unwrap();
        assert!(!check_out("make")[0].is_built());
        assert!(left.exists());
    }

    #[test]
    fn the_trees_that_were_used_last_and_those_in_use_stay() {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let [one, two] = both(&repository, cache.path(), "make");
        let trees = [one.tree.clone(), two.tree.clone()];
        let are_there = || trees.each_ref().map(|tree| tree.is_dir());
        two.keep_built().unwrap();
        let marker = two.marker.clone();
        holds::remove_unused(cache.path(), 0);
        assert_eq!(are_there(), [true, true]);
        drop(two);
        holds::remove_unused(cache.path(), 2);
        assert_eq!(are_there(), [true, true]);
        holds::remove_unused(cache.path(), 0);
        assert_eq!((are_there(), marker.exists()), ([true, false], false));
        drop(one);
        holds::remove_unused(cache.path(), 1);
        assert_eq!(are_there(), [true, false]);
        assert!(both(&repository, cache.path(), "make").iter().all(|revision| revision.folder.is_dir()));
    }

    #[test]
    fn a_tree_is_the_callers_alone_whatever_the_umask() {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let tree = one(&repository, cache.path(), "make").unwrap().tree;
        assert_eq!(tree.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }

    /// The first revision's work tree in this cache.
    fn one(repository: &tempfile::TempDir, cache: &Path, build: &str) -> Result<Revision> {
        let commit = git(repository.path(), &["rev-parse", "one"], "find a commit").unwrap();
        work_tree(cache, repository.path(), (&commit, "app"), Some(build), &mut |_| true)
    }

    #[test]
    fn who_comes_while_a_tree_is_built_waits_and_uses_it_too() {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let first = one(&repository, cache.path(), "make").unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| one(&repository, cache.path(), "make").unwrap().is_built());
            // Time in which the second would see that nothing is built, if it did not wait.
            std::thread::sleep(std::time::Duration::from_millis(300));
            first.keep_built().unwrap();
            assert!(second.join().unwrap());
        });
    }

    #[test]
    fn who_does_not_want_to_wait_for_another_galo_is_told() {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let first = one(&repository, cache.path(), "make").unwrap();
        let commit = git(repository.path(), &["rev-parse", "one"], "find a commit").unwrap();
        let mut looks = 0;
        let mut waits = |tree: &Path| {
            looks += 1;
            assert_eq!(tree, first.tree);
            looks < 3
        };
        let second = work_tree(cache.path(), repository.path(), (&commit, "app"), Some("make"), &mut waits);
        assert!(second.err().unwrap().to_string().starts_with("another galo makes or builds `"));
        assert_eq!(looks, 3);
    }

    #[test]
    fn a_tree_that_another_galo_uses_is_neither_made_nor_built_anew() {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let first = one(&repository, cache.path(), "make").unwrap();
        first.keep_built().unwrap();
        let told = |build| one(&repository, cache.path(), build).err().map(|error| error.to_string());
        assert_eq!(told("make"), None);
        let refused = told("make fast").unwrap();
        assert!(refused.starts_with("another galo uses the work tree `"), "{refused}");
        std::fs::write(first.folder.join("version"), "changed").unwrap();
        assert_eq!(told("make"), Some(refused));
        drop(first);
        assert_eq!(told("make"), None);
    }

    #[test]
    fn the_callers_own_trees_that_are_not_there_now_stay_registered() {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let own = cache.path().join("own");
        let add = ["worktree", "add", "--quiet", "--detach", &own.to_string_lossy()];
        drop(git(repository.path(), &add, "prepare a test").unwrap());
        // As on a disk that is not mounted now.
        std::fs::rename(&own, cache.path().join("elsewhere")).unwrap();
        let first = one(&repository, cache.path(), "make").unwrap();
        std::fs::remove_dir_all(&first.tree).unwrap();
        drop(first);
        assert!(one(&repository, cache.path(), "make").unwrap().folder.join("version").exists());
        std::fs::rename(cache.path().join("elsewhere"), &own).unwrap();
        assert!(git(&own, &["rev-parse", "HEAD"], "look at a tree").is_ok());
    }

    /// Both revisions' work trees in this cache.
    fn both(repository: &tempfile::TempDir, cache: &Path, build: &str) -> [Revision; 2] {
        let commit = |name: &str| git(repository.path(), &["rev-parse", name], "find a commit").unwrap();
        ["one", "two"].map(|name| {
            work_tree(cache, repository.path(), (&commit(name), "app"), Some(build), &mut |_| true).unwrap()
        })
    }

    #[test]
    fn two_clones_at_one_commit_share_no_tree() {
        let (repository, place) = (repository(), tempfile::tempdir().unwrap());
        let clone = place.path().join(repository.path().file_name().unwrap());
        let [from, to] = [repository.path(), &clone].map(|path| path.to_string_lossy());
        drop(git(place.path(), &["clone", "--quiet", &from, &to], "prepare a test").unwrap());
        let commit = git(&clone, &["rev-parse", "two"], "find a commit").unwrap();
        let cache = tempfile::tempdir().unwrap();
        let tree = |root: &Path| {
            work_tree(cache.path(), root, (&commit, "app"), None, &mut |_| true).unwrap().folder
        };
        let first = tree(repository.path());
        assert_ne!(first, tree(&clone));
        assert!(is_trusted(repository.path(), first.parent().unwrap(), &commit));
    }

    #[test]
    fn a_tree_that_was_changed_or_that_others_may_write_to_is_made_anew() {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let changed = |tree: &Path| std::fs::write(tree.join("app/version"), "changed").unwrap();
        let opened = |tree: &Path| std::fs::set_permissions(tree, Permissions::from_mode(0o777)).unwrap();
        let moved = |tree: &Path| drop(git(tree, &["checkout", "--quiet", "two"], "move a tree").unwrap());
        let faked = |tree: &Path| {
            std::fs::remove_dir_all(tree).unwrap();
            std::fs::create_dir_all(tree.join(".git")).unwrap();
            std::fs::create_dir(tree.join("app")).unwrap();
        };
        for spoil in [&changed as &dyn Fn(&Path), &opened, &moved, &faked] {
            let revision = one(&repository, cache.path(), "make").unwrap();
            revision.keep_built().unwrap();
            spoil(&revision.tree);
            drop(revision);
            let one = one(&repository, cache.path(), "make").unwrap();
            assert_eq!(std::fs::read_to_string(one.folder.join("version")).unwrap(), "one");
            assert!(!one.is_built());
        }
    }

    /// The first revision's version, as it is used after the tree was spoiled.
    fn used_after(spoil: impl Fn(&Path)) -> (String, bool) {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        let revision = one(&repository, cache.path(), "make").unwrap();
        revision.keep_built().unwrap();
        spoil(&revision.tree);
        drop(revision);
        let one = one(&repository, cache.path(), "make").unwrap();
        (std::fs::read_to_string(one.folder.join("version")).unwrap(), one.is_built())
    }

    #[test]
    fn a_change_that_the_trees_own_git_was_told_to_overlook_is_seen() {
        let run = |tree: &Path, arguments: &[&str]| drop(git(tree, arguments, "spoil a tree").unwrap());
        let change = |tree: &Path| std::fs::write(tree.join("app/version"), "oen").unwrap();
        let assumed = |tree: &Path| {
            run(tree, &["update-index", "--assume-unchanged", "app/version"]);
            change(tree);
        };
        let skipped = |tree: &Path| {
            run(tree, &["update-index", "--skip-worktree", "app/version"]);
            change(tree);
        };
        let staged = |tree: &Path| {
            change(tree);
            run(tree, &["add", "."]);
            run(tree, &["config", "user.name", "a"]);
            run(tree, &["config", "user.email", "a@b"]);
            run(tree, &["commit", "--quiet", "-m", "x"]);
        };
        let filtered = |tree: &Path| {
            run(tree, &["config", "filter.hide.clean", "printf one"]);
            let common = git(tree, &["rev-parse", "--git-common-dir"], "spoil a tree").unwrap();
            std::fs::create_dir_all(Path::new(&common).join("info")).unwrap();
            std::fs::write(Path::new(&common).join("info/attributes"), "version filter=hide\n").unwrap();
            change(tree);
        };
        let linked = |tree: &Path| {
            let elsewhere = tree.join("elsewhere");
            std::fs::rename(tree.join("app"), &elsewhere).unwrap();
            std::os::unix::fs::symlink(&elsewhere, tree.join("app")).unwrap();
        };
        let executable = |tree: &Path| {
            std::fs::set_permissions(tree.join("app/version"), Permissions::from_mode(0o755)).unwrap();
        };
        for spoil in [&assumed as &dyn Fn(&Path), &skipped, &staged, &filtered, &linked, &executable] {
            assert_eq!(used_after(spoil), ("one".to_owned(), false));
        }
        assert_eq!(used_after(|_| ()), ("one".to_owned(), true));
    }

    #[test]
    fn nothing_that_a_tree_names_is_run() {
        let place = tempfile::tempdir().unwrap();
        let (program, ran) = (place.path().join("program"), place.path().join("ran"));
        testing::program(&program, &format!("#!/bin/sh\ntouch {}\n", ran.display()));
        let set = |tree: &Path, name: &str, value: &Path| {
            drop(git(tree, &["config", name, &value.to_string_lossy()], "spoil a tree").unwrap());
        };
        let watched = |tree: &Path| set(tree, "core.fsmonitor", &program);
        let hooked = |tree: &Path| {
            let hooks = place.path().join("hooks");
            std::fs::create_dir_all(&hooks).unwrap();
            std::fs::copy(&program, hooks.join("post-checkout")).unwrap();
            set(tree, "core.hooksPath", &hooks);
            std::fs::write(tree.join("app/version"), "two").unwrap();
        };
        let other = repository();
        let elsewhere = |tree: &Path| {
            set(other.path(), "core.fsmonitor", &program);
            let git = other.path().join(".git");
            std::fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        };
        for spoil in [&watched as &dyn Fn(&Path), &hooked, &elsewhere] {
            assert_eq!(used_after(spoil).0, "one");
            assert!(!ran.exists(), "a program was run");
        }
    }

    #[test]
    fn a_cache_that_others_may_write_to_is_refused() {
        let (repository, cache) = (repository(), tempfile::tempdir().unwrap());
        std::fs::set_permissions(cache.path(), Permissions::from_mode(0o777)).unwrap();
        let told = work_tree(cache.path(), repository.path(), ("one", "app"), None, &mut |_| true)
            .err()
            .unwrap()
            .to_string();
        assert!(told.starts_with("others may write to `"), "{told}");
    }

    #[test]
    fn what_no_revision_has_is_counted_and_is_the_work_tree_as_it_is() {
        let repository = repository();
        let write = |path: &str| {
            let path = repository.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "three").unwrap();
        };
        let app = repository.path().join("app");
        assert_eq!(uncommitted(&app).unwrap(), 0);
        ["galo-runs/x/run.json", "app/galo-runs/run.json"].into_iter().for_each(write);
        assert_eq!(uncommitted(&app).unwrap(), 0, "runs of galo's own");
        ["app/version", "new", "news/one", "news/two"].into_iter().for_each(write);
        assert_eq!(uncommitted(&app).unwrap(), 4);
        std::fs::write(repository.path().join(".gitignore"), "news\n").unwrap();
        assert_eq!(uncommitted(&app).unwrap(), 3);
        assert_eq!(commit_of(repository.path(), WORK_TREE).unwrap(), None);
    }

    #[test]
    fn what_is_no_revision_is_told() {
        let repository = repository();
        let told =
            |names| check_out(repository.path(), names, None, &mut |_| true).err().unwrap().to_string();
        assert!(told(["one", "none"]).contains("git cannot find the revision `none`"));
        assert!(told(["two", "main"]).contains("are the same\nhint: "));
        assert!(told([WORK_TREE, WORK_TREE]).contains("are the same\nhint: "));
        let elsewhere = tempfile::tempdir().unwrap();
        assert!(
            check_out(elsewhere.path(), ["a", "b"], None, &mut |_| true)
                .err()
                .unwrap()
                .to_string()
                .contains("find a repository")
        );
    }
}
