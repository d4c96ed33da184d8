//! Folders of galo's own in the caller's cache: where galo puts what it builds and runs later.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Why there is no such folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// What the caller can mend.
    #[error("{0}")]
    Asked(String),
    /// It cannot be read or written.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// `make`, `write`, `remove`, `lock`, `unlock`.
        action: &'static str,
        /// The cache's path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

type Result<T> = std::result::Result<T, CacheError>;

pub(crate) fn refused(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CacheError {
    move |source| CacheError::Io { action, path: path.to_owned(), source }
}

/// Lays files out in a folder of the caller's cache, `galo/NAME`: those that are not there as they should be are written, each as a
/// whole.
///
/// # Errors
/// There is no cache of the caller's own, or it cannot be written.
pub fn lay_out(name: &str, files: &[(PathBuf, String)]) -> Result<PathBuf> {
    let folder = place(name)?;
    require_own(&folder)?;
    for (path, text) in files {
        let path = folder.join(path);
        if std::fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
            continue;
        }
        let parent = path.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent).map_err(refused("make", parent))?;
        let draft = path.with_extension(format!("draft-{}", std::process::id()));
        std::fs::write(&draft, text)
            .and_then(|()| std::fs::rename(&draft, &path))
            .map_err(refused("write", &path))?;
    }
    Ok(folder)
}

/// Where it lies: never in a folder for everybody's temporary files, where somebody else could lay out what galo then builds and
/// runs.
pub(crate) fn place(name: &str) -> Result<PathBuf> {
    place_in(std::env::var_os("XDG_CACHE_HOME"), std::env::var_os("HOME"), name)
}

fn place_in(cache_home: Option<OsString>, home: Option<OsString>, name: &str) -> Result<PathBuf> {
    let absolute = |path: OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    let folder = cache_home.and_then(absolute).or_else(|| Some(home.and_then(absolute)?.join(".cache")));
    let is_everybodys = |path: &PathBuf| {
        let meta = path.ancestors().find_map(|path| path.metadata().ok());
        meta.is_none_or(|meta| meta.mode() & 0o1002 != 0)
    };
    let folder = folder.filter(|path| !is_everybodys(path));
    folder.map(|path| path.join("galo").join(name)).ok_or_else(|| {
        let text = "there is no cache folder of your own for what galo builds";
        let hint = "set XDG_CACHE_HOME, or HOME, to a folder that nobody else may write to";
        CacheError::Asked(format!("{text}\nhint: {hint}"))
    })
}

/// Makes a folder of the cache, or sees that it is the caller's own and that nobody else may write to it.
pub(crate) fn require_own(folder: &Path) -> Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(refused("make", folder))?;
    if is_own(folder) {
        return Ok(());
    }
    let path = folder.display();
    Err(CacheError::Asked(format!("others may write to `{path}`\nhint: remove it: rm -r {path}")))
}

/// Whether it is a folder (no link) of the caller's that nobody else may write to.
pub(crate) fn is_own(folder: &Path) -> bool {
    folder.symlink_metadata().is_ok_and(|meta| {
        let is_callers = meta.uid() == rustix::process::geteuid().as_raw();
        meta.is_dir() && is_callers && meta.mode() & 0o022 == 0
    })
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn no_cache_lies_where_everybody_may_write() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o1777)).unwrap();
        let (mine, everybodys) = (Some("/root".into()), Some(folder.path().as_os_str().to_owned()));
        let place = |cache, home| place_in(cache, home, "revisions");
        assert_eq!(place(None, mine.clone()).unwrap(), Path::new("/root/.cache/galo/revisions"));
        assert!(place(None, None).is_err() && place(everybodys.clone(), mine).is_err());
        assert!(place(None, everybodys).is_err());
    }
}
