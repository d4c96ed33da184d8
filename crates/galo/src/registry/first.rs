//! The contenders of the first fight: where they lie.
//!
//! They come along with galo. Nothing that somebody else could have put there is started.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use galo_init::{FIRST_CONTENDERS, first_contenders};

use crate::exit::WrongUse;
use crate::output::say;

/// Where a package has them, from the root that `bin/galo` is in: as programs, for which no Rust is needed.
const PACKAGED: &str = "lib/galo";

/// The folders of the contenders that fight when none is named.
pub(crate) fn folders() -> Result<Vec<PathBuf>> {
    let tree = match packaged(&std::env::current_exe()?).or(cloned(&std::env::current_dir()?)) {
        Some(tree) => tree,
        None => laid_out()?,
    };
    Ok(FIRST_CONTENDERS.iter().map(|contender| tree.join(contender)).collect())
}

/// Those beside an installed galo.
fn packaged(galo: &Path) -> Option<PathBuf> {
    let galo = galo.canonicalize().ok()?;
    let tree = galo.ancestors().nth(2)?.join(PACKAGED);
    // The owner of the running program may say what it starts.
    let owner = galo.metadata().ok()?.uid();
    (has_them(&tree) && is_trusted(&tree, &[owner])).then_some(tree)
}

/// Those of the caller's clone of galo's repository around a folder.
fn cloned(here: &Path) -> Option<PathBuf> {
    let tree = here.ancestors().find(|tree| has_them(tree))?;
    // `sudo` makes root of somebody whose clone it is.
    let caller = std::env::var("SUDO_UID").ok().and_then(|uid| uid.parse().ok());
    if is_trusted(tree, &Vec::from_iter(caller)) {
        return Some(tree.to_owned());
    }
    say(&format!(
        "`{}` belongs to somebody else, so galo takes its own copies of its contenders",
        tree.display()
    ));
    None
}

/// Those that galo has in itself, laid out in the caller's cache for cargo to build.
fn laid_out() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join("cargo").is_file()) {
        let hint = "install Rust (rustup.rs), or a package of galo, which has them as programs; or name contenders: \
                    galo fight DIR DIR";
        return Err(WrongUse(format!(
            "galo builds its contenders by `cargo`, which is not in PATH\nhint: {hint}"
        ))
        .into());
    }
    let files = first_contenders();
    // Two galos of different contents never share a folder, since both may be running.
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    let name = format!("contenders/{}-{:016x}", env!("CARGO_PKG_VERSION"), hasher.finish());
    Ok(galo_host::lay_out(&name, &files)?)
}

fn has_them(tree: &Path) -> bool {
    FIRST_CONTENDERS.iter().all(|contender| tree.join(contender).is_dir())
}

/// Whether a tree and its contenders belong to the caller, to root or to one of these users, and not everybody may write there.
fn is_trusted(tree: &Path, owners: &[u32]) -> bool {
    let callers = [rustix::process::geteuid().as_raw(), 0];
    let is_safe = |folder: PathBuf| {
        folder.metadata().is_ok_and(|meta| {
            meta.mode() & 0o002 == 0 && callers.iter().chain(owners).any(|owner| *owner == meta.uid())
        })
    };
    let contenders = FIRST_CONTENDERS.iter().map(|contender| tree.join(contender));
    [tree.to_owned()].into_iter().chain(contenders).all(is_safe)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, chown};

    use super::*;

    /// A folder that has the contenders below `tree`.
    fn place(tree: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for contender in FIRST_CONTENDERS {
            fs::create_dir_all(folder.path().join(tree).join(contender)).unwrap();
        }
        folder
    }

    #[test]
    fn a_clone_is_used_from_each_of_its_folders() {
        let clone = place("");
        let below = clone.path().join(FIRST_CONTENDERS[0]);
        assert_eq!(cloned(&below).as_deref(), Some(clone.path()));
        assert_eq!(cloned(tempfile::tempdir().unwrap().path()), None);
    }

    #[test]
    fn what_everybody_may_write_to_is_not_used() {
        for spoiled in ["", FIRST_CONTENDERS[1]] {
            let clone = place("");
            fs::set_permissions(clone.path().join(spoiled), Permissions::from_mode(0o777)).unwrap();
            assert_eq!(cloned(clone.path()), None, "`{spoiled}`");
        }
    }

    #[test]
    fn what_belongs_to_somebody_else_is_not_used() {
        for spoiled in ["", FIRST_CONTENDERS[1]] {
            let clone = place("");
            // Only root can give something away, and ci/validate runs as root.
            if chown(clone.path().join(spoiled), Some(12345), None).is_ok() {
                assert_eq!(cloned(clone.path()), None, "`{spoiled}`");
            }
        }
    }

    #[test]
    fn an_installed_galo_has_them_beside_it_also_where_a_link_leads_to_it() {
        let folder = place("usr/lib/galo");
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("usr/bin")).unwrap();
        fs::write(root.join("usr/bin/galo"), "").unwrap();
        std::os::unix::fs::symlink("usr/bin/galo", root.join("link")).unwrap();
        for galo in ["usr/bin/galo", "link"] {
            assert_eq!(packaged(&root.join(galo)), Some(root.join("usr/lib/galo")), "{galo}");
        }
        fs::set_permissions(root.join("usr/lib/galo"), Permissions::from_mode(0o777)).unwrap();
        assert_eq!(packaged(&root.join("usr/bin/galo")), None);
    }
}
