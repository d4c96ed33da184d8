//! Where the files of a contender may lie: in the repository that its folder belongs to.

use std::path::{Path, PathBuf};

use crate::paths::real;

/// The repository of a folder: the nearest one above that has a `.git`, else the folder alone.
#[derive(Debug)]
pub(super) struct Repository {
    /// Canonical.
    pub(super) root: PathBuf,
}

impl Repository {
    /// Finds the repository around a canonical folder.
    pub(super) fn around(folder: &Path) -> Self {
        let root = folder.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(folder);
        Self { root: root.to_owned() }
    }

    /// What is wrong with where this absolute path leads, links followed; `None` if it may be used.
    pub(super) fn objection(&self, path: &Path) -> Option<String> {
        let Some(path) = real(path) else { return Some("is a link that leads nowhere".to_owned()) };
        match path.strip_prefix(&self.root) {
            Err(_) => Some(format!("lies outside of the folder's repository, `{}`", self.root.display())),
            Ok(inner) if inner.components().any(|part| part.as_os_str() == ".git") => {
                Some("lies inside of `.git`".to_owned())
            }
            Ok(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_is_followed_as_far_as_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("repository/.git/hooks")).unwrap();
        std::fs::create_dir_all(root.join("repository/mine/conf")).unwrap();
        symlink("/etc", root.join("repository/mine/etc")).unwrap();
        symlink("conf", root.join("repository/mine/same")).unwrap();
        symlink("nowhere", root.join("repository/mine/lost")).unwrap();
        let mine = root.join("repository/mine");
        let repository = Repository::around(&mine);
        assert_eq!(repository.root, root.join("repository"));
        let objection = |path: &str| {
            let told = repository.objection(&mine.join(path))?;
            Some(told.replace(root.to_str().unwrap(), "ROOT"))
        };
        for fine in ["conf", "conf/not/yet", "same/x", "../other", ".", "etc/../conf", "..git"] {
            assert_eq!(objection(fine), None, "{fine}");
        }
        let outside = Some("lies outside of the folder's repository, `ROOT/repository`".to_owned());
        for path in ["../..", "/etc/passwd", "etc", "etc/x/y", "../../repository2", "/"] {
            assert_eq!(objection(path), outside, "{path}");
        }
        assert_eq!(objection("../.git/hooks"), Some("lies inside of `.git`".to_owned()));
        assert_eq!(objection("lost/x"), Some("is a link that leads nowhere".to_owned()));
    }

    #[test]
    fn a_folder_of_no_repository_stands_alone() {
        let folder = tempfile::tempdir().unwrap();
        let alone = folder.path().canonicalize().unwrap();
        assert_eq!(Repository::around(&alone).root, alone);
    }
}
