//! Whether the files of a work tree are those of a commit, byte for byte: by the commit's objects, and never by the tree's index.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{Metadata, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{Result, said};

/// Longest text of git's own that is read.
const SHORT_TEXT: u64 = 4096;

/// A file as a commit has it.
struct Entry<'a> {
    mode: &'a str,
    object: &'a str,
    path: PathBuf,
}

/// Whether a tree has all files of a commit of this repository, each with its content. Files that the commit does not have are not
/// looked at. A repository whose checkouts differ from its objects (line ends, large files kept elsewhere) never has such a tree.
///
/// # Errors
/// What git refuses.
pub(super) fn are_those_of(root: &Path, tree: &Path, commit: &str) -> Result<bool> {
    let listed = said(root, &["ls-tree", "-r", "-z", "--full-tree", commit], &[], "list a commit's files")?;
    let lines = listed.split(|&byte| byte == 0).filter(|line| !line.is_empty());
    let Some(entries) = lines.map(|line| Entry::of(line, tree)).collect::<Option<Vec<_>>>() else {
        return Ok(false);
    };
    let mut folders = BTreeSet::from([tree.to_owned()]);
    if !entries.iter().all(|entry| entry.is_there(tree, &mut folders)) {
        return Ok(false);
    }
    let mut paths = Vec::new();
    let mut expected = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.is_module()) {
        if entry.is_link() {
            let Ok(target) = std::fs::read_link(&entry.path) else { return Ok(false) };
            let object =
                said(root, &["hash-object", "--stdin"], target.as_os_str().as_bytes(), "hash a link")?;
            if object.trim_ascii() != entry.object.as_bytes() {
                return Ok(false);
            }
            continue;
        }
        let path = entry.path.as_os_str().as_bytes();
        // The list that git is handed has a path in each line.
        if path.contains(&b'\n') {
            return Ok(false);
        }
        paths.extend_from_slice(path);
        paths.push(b'\n');
        expected.push(entry.object);
    }
    let hashed = said(root, &["hash-object", "--no-filters", "--stdin-paths"], &paths, "hash files")?;
    Ok(hashed
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
        .eq(expected.iter().map(|o| o.as_bytes())))
}

impl<'a> Entry<'a> {
    /// Reads a line of `git ls-tree -z`.
    fn of(line: &'a [u8], tree: &Path) -> Option<Self> {
        let tab = line.iter().position(|&byte| byte == b'\t')?;
        let mut words = std::str::from_utf8(&line[..tab]).ok()?.split(' ');
        let (mode, _, object) = (words.next()?, words.next()?, words.next()?);
        Some(Self { mode, object, path: tree.join(OsStr::from_bytes(&line[tab + 1..])) })
    }

    fn is_link(&self) -> bool {
        self.mode == "120000"
    }

    /// Whether it is another repository, of which a fresh tree has an empty folder.
    fn is_module(&self) -> bool {
        self.mode == "160000"
    }

    /// Whether there is a file of its kind, in real folders, of which those in `folders` are known.
    fn is_there(&self, tree: &Path, folders: &mut BTreeSet<PathBuf>) -> bool {
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        for folder in self.path.ancestors().skip(1).take_while(|folder| *folder != tree) {
            if !folders.contains(folder) && !is_folder(folder) {
                return false;
            }
            folders.insert(folder.to_owned());
        }
        if self.is_module() {
            return is_folder(&self.path);
        }
        let is_right = |meta: Metadata| match self.is_link() {
            true => meta.is_symlink(),
            false => meta.is_file() && (meta.mode() & 0o100 != 0) == (self.mode == "100755"),
        };
        self.path.symlink_metadata().is_ok_and(is_right)
    }
}

/// The text of a small file; `None`: there is none, or it is no plain file.
pub(super) fn short_text(path: &Path) -> Option<String> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    file.metadata().ok().filter(|meta| meta.is_file() && meta.len() <= SHORT_TEXT)?;
    let mut text = String::new();
    file.take(SHORT_TEXT).read_to_string(&mut text).ok()?;
    Some(text)
}
