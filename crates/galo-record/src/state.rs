//! Where galo keeps what outlives a run.

use std::ffi::OsString;
use std::path::PathBuf;

/// The state folder, by the environment. XDG wants relative paths ignored.
pub(crate) fn state_folder(
    own: Option<OsString>,
    xdg: Option<OsString>,
    home: Option<OsString>,
) -> Option<PathBuf> {
    let set = |value: Option<OsString>| value.filter(|v| !v.is_empty()).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    set(own)
        .or_else(|| set(xdg).filter(absolute).map(|state| state.join("galo")))
        .or_else(|| set(home).filter(absolute).map(|home| home.join(".local/state/galo")))
}
