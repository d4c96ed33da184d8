//! Where a path leads.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, taken out before any link is followed.
pub fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

/// An absolute path with its links followed, as far as it exists; `None` for a link to what does not.
pub fn real(path: &Path) -> Option<PathBuf> {
    let path = clean(path);
    for there in path.ancestors() {
        if let Ok(real) = there.canonicalize() {
            return Some(path.strip_prefix(there).map_or(real.clone(), |rest| {
                if rest.as_os_str().is_empty() { real } else { real.join(rest) }
            }));
        }
        if there.symlink_metadata().is_ok() {
            return None;
        }
    }
    Some(path)
}
