//! What contenders are started from: each service's program, and the files of its work tree. They are kept in mind once a
//! contender is built, and looked at again before each start: no contender may change another one's program.
//!
//! A look is one `lstat` for each file. What it is compared with holds the time of the last change (ctime), which can be set by
//! no call, so a file is read again only where something of it differs, and counts as changed only where its content is.
//!
//! Files of a work tree are those that git tracks. Outside of a repository they are those whose names say that they are code. Logs,
//! caches and databases that a contender writes beside them are its own affair, and so is what a build left, but for programs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use galo_plan::{Contender, Runner, Service};
use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::git::git;
use crate::process::find_program;

/// Most files of one work tree that are looked at.
const FILES: usize = 10_000;
/// Most bytes of one file, and of all of a contender, whose content is compared. What is larger has changed as soon as anything
/// else of it has.
const BYTES: [u64; 2] = [32 << 20, 128 << 20];
/// How deep a folder outside of a repository is searched.
const DEPTH: usize = 6;
/// Endings of code.
const CODE: [&str; 32] = [
    "bash", "c", "cjs", "clj", "cs", "dll", "ex", "exs", "fs", "go", "jar", "java", "jl", "js", "jsx", "kt",
    "lua", "mjs", "php", "pl", "py", "rb", "rs", "scala", "sh", "so", "sql", "swift", "ts", "tsx", "war",
    "wasm",
];
/// Folders of what was fetched or built.
const FETCHED: [&str; 5] = ["__pycache__", "build", "dist", "node_modules", "target"];

/// What all contenders of a galo are started from, by the contender's name.
#[derive(Debug, Default)]
pub(crate) struct Programs(BTreeMap<String, BTreeMap<PathBuf, Seen>>);

/// A file as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    /// The service that it was found for.
    service: String,
    stamp: Stamp,
    /// `None`: it is too large.
    content: Option<[u8; 32]>,
}

/// What a look at a file shows without reading it. Nobody can set the last two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    kind: u32,
    size: u64,
    modified: (i64, i64),
    place: (u64, u64),
    changed: (i64, i64),
}

impl Programs {
    /// Keeps in mind what a contender is started from, in place of what was known of it: it has just been built.
    pub(crate) fn keep(&mut self, contender: &Contender) {
        if contender.runner == Runner::Process {
            self.0.insert(contender.name.clone(), seen(contender));
        }
    }

    /// Sees that a contender would be started from what was built. The first time that it is asked about one that was never
    /// built this keeps in mind what there is.
    ///
    /// # Errors
    /// Something was changed, by whomever.
    pub(crate) fn require_unchanged(&mut self, contender: &Contender) -> Result<(), HostError> {
        let Some(known) = self.0.get_mut(&contender.name) else {
            self.keep(contender);
            return Ok(());
        };
        for (path, seen) in known {
            let how = match path.symlink_metadata() {
                Err(error) => error.to_string(),
                Ok(now) if Stamp::of(&now) == seen.stamp => continue,
                Ok(now) => match seen.content {
                    Some(content) if content_of(path, &now, seen.stamp.size).ok() == Some(content) => {
                        seen.stamp = Stamp::of(&now);
                        continue;
                    }
                    _ => "its content is another".to_owned(),
                },
            };
            return Err(changed(path, &how).about("service", &seen.service));
        }
        Ok(())
    }
}

fn changed(path: &Path, how: &str) -> HostError {
    HostError::host(format!(
        "`{}` was changed after the build: {how}; who did it is not known\n\
         hint: until the run is over no editor, build or contender may write to it: start again, or let copies fight (`galo duel \
         --git` makes them of two revisions)",
        path.display()
    ))
}

/// Everything that a contender is started from, as it is now. What is not there is told when it is started.
fn seen(contender: &Contender) -> BTreeMap<PathBuf, Seen> {
    let mut all = BTreeMap::new();
    let mut left = BYTES[1];
    for service in &contender.services {
        let places = work_trees(contender, service);
        let below = places.iter().flat_map(|place| tracked(place));
        for path in started_from(service).into_iter().chain(below) {
            let Ok(meta) = path.symlink_metadata() else { continue };
            if meta.is_dir() || all.contains_key(&path) {
                continue;
            }
            let content = content_of(&path, &meta, left.min(BYTES[0])).ok();
            left = left.saturating_sub(if content.is_some() { meta.len() } else { 0 });
            all.insert(path, Seen { service: service.name.clone(), stamp: Stamp::of(&meta), content });
        }
    }
    all
}

/// Where the files of a service lie: in the folder of its Compose file, and where it runs. Not where it runs at the root of all,
/// in a folder around that one: what lies beside a contender is not its own.
fn work_trees(contender: &Contender, service: &Service) -> Vec<PathBuf> {
    let place = |path: &Path| path.canonicalize().ok();
    let folder = contender.file.parent().filter(|folder| folder.is_absolute()).and_then(place);
    let runs_in = place(&service.workdir);
    let is_around = |folder: &PathBuf| runs_in.as_ref().is_some_and(|runs_in| folder.starts_with(runs_in));
    match folder {
        Some(folder) if is_around(&folder) => vec![folder],
        folder => folder.into_iter().chain(runs_in).collect(),
    }
}

/// The program of a service's command, and the code that its command and its setup name. Where a link leads to it, both are there.
fn started_from(service: &Service) -> Vec<PathBuf> {
    let path = service.environment.get("PATH").map(OsString::from).or_else(|| std::env::var_os("PATH"));
    let environment: Vec<(OsString, OsString)> = path.map(|path| ("PATH".into(), path)).into_iter().collect();
    let words = service.command.iter().chain(&service.setup).flat_map(|word| word.split_whitespace());
    let named = words.filter_map(|word| {
        let path = service.workdir.join(word);
        (path.is_file() && (is_code(&path) || is_executable(&path))).then_some(path)
    });
    let program = service.command.first();
    let program = program.and_then(|word| find_program(word, &service.workdir, &environment).ok());
    let mut found: Vec<PathBuf> = program.into_iter().chain(named).collect();
    let behind_links: Vec<PathBuf> = found.iter().filter_map(|path| path.canonicalize().ok()).collect();
    found.extend(behind_links);
    found
}

/// The files of a work tree.
fn tracked(folder: &Path) -> Vec<PathBuf> {
    let listed = git(folder).args(["ls-files", "-z"]).output().ok().filter(|output| output.status.success());
    let Some(listed) = listed else { return code_below(folder) };
    let names = listed.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    names.take(FILES).map(|name| folder.join(OsString::from_vec(name.to_vec()))).collect()
}

/// The code in a folder that is in no repository. The root of a file system is nobody's work tree.
fn code_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<(PathBuf, usize)> = vec![(folder.to_owned(), 0)];
    folders.retain(|(folder, _)| folder.parent().is_some());
    let mut looked_at = 0;
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if looked_at > FILES {
                return found;
            }
            let (name, path) = (entry.file_name(), entry.path());
            let is_passed_over =
                name.as_bytes().starts_with(b".") || FETCHED.iter().any(|known| name == *known);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEPTH && !is_passed_over => {
                    folders.push((path, depth + 1));
                }
                Ok(kind) if !kind.is_dir() && is_code(&path) => found.push(path),
                _ => {}
            }
        }
    }
    found
}

fn is_code(path: &Path) -> bool {
    path.extension().is_some_and(|ending| CODE.iter().any(|known| ending == *known))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.mode() & 0o111 != 0)
}

impl Stamp {
    fn of(meta: &Metadata) -> Self {
        Self {
            kind: meta.mode(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            place: (meta.dev(), meta.ino()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }
}

/// Digest of a file's kind and content; of a link, of where it leads to.
///
/// # Errors
/// It is larger than `most` bytes, cannot be read, or is neither.
fn content_of(path: &Path, meta: &Metadata, most: u64) -> io::Result<[u8; 32]> {
    let mut digest = Sha256::new();
    // Who may write to it is no part of it; whether it can be run is.
    digest.update([u8::from(meta.is_symlink()), u8::from(meta.mode() & 0o111 != 0)]);
    if meta.is_symlink() {
        digest.update(std::fs::read_link(path)?.as_os_str().as_bytes());
        return Ok(digest.finalize().into());
    }
    if !meta.is_file() || meta.len() > most {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // It may have become a pipe meanwhile, which nobody writes to.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let mut file = file.take(meta.len().saturating_add(1));
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(digest.finalize().into()),
            length => digest.update(&buffer[..length]),
        }
    }
}

#[cfg(test)]
mod tests;
