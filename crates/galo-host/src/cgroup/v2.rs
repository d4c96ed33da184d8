//! Control groups of version 2: one folder in the unified hierarchy. Unit tests have recorded
//! folders; `ci/vm` has a real kernel.

use std::path::{Path, PathBuf};

use galo_record::group::Group;

use crate::cgroup::{Limits, make_folder, set_quota, write};
use crate::error::HostError;

/// File of the CPU quota.
pub(crate) const CPU_MAX: &str = "cpu.max";

/// The group below which new ones are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parent {
    /// Where the hierarchy is mounted.
    pub(crate) top: PathBuf,
    /// The parent's folder, at or below `top`.
    pub(crate) folder: PathBuf,
}

impl Parent {
    /// The parent of galo's own group, so that new groups go beside it: galo's own group has a process (galo), so it
    /// may not hand controllers to children. At the root of the hierarchy, the root itself.
    pub(crate) fn beside(top: &Path, own: &Path) -> Self {
        let folder = if own == top { own } else { own.parent().unwrap_or(top) };
        Self { top: top.to_owned(), folder: folder.to_owned() }
    }

    /// The folder of a group called `name`.
    pub(crate) fn planned(&self, name: &str) -> Group {
        Group::V2 { path: self.folder.join(name) }
    }

    /// Makes the folder and sets the limits.
    pub(crate) fn make(&self, group: &Group, limits: Option<&Limits>) -> Result<(), HostError> {
        let Group::V2 { path } = group else { return Ok(()) };
        self.enable_controllers()?;
        make_folder(path)?;
        let Some(limits) = limits else { return Ok(()) };
        set_quota(group, limits)?;
        write(&path.join("memory.max"), &limits.memory_bytes.to_string())?;
        let processes = path.join("pids.max");
        if let Some(most) = limits.pids_max.filter(|_| processes.exists()) {
            write(&processes, &most.to_string())?;
        }
        // Not there without swap accounting; `swap_limit` reads it back.
        let _ = std::fs::write(path.join("memory.swap.max"), "0");
        Ok(())
    }

    /// Hands `cpu` and `memory` down from the top to the children of the parent, where that is not done yet.
    fn enable_controllers(&self) -> Result<(), HostError> {
        let below = self.folder.strip_prefix(&self.top).unwrap_or(Path::new(""));
        let mut folder = self.top.clone();
        enable(&folder)?;
        for part in below {
            folder.push(part);
            enable(&folder)?;
        }
        Ok(())
    }
}

fn enable(folder: &Path) -> Result<(), HostError> {
    let path = folder.join("cgroup.subtree_control");
    let enabled = std::fs::read_to_string(&path).map_err(|e| HostError::io("read", &path, &e))?;
    let missing = |c: &&str| !enabled.split_whitespace().any(|e| e == *c);
    let wanted: Vec<String> =
        ["cpu", "memory"].iter().filter(|c| missing(c)).map(|c| format!("+{c}")).collect();
    if !wanted.is_empty() {
        write(&path, &wanted.join(" "))?;
    }
    // Not every machine has it, and fewer hand it down.
    let is_there = std::fs::read_to_string(folder.join("cgroup.controllers"))
        .is_ok_and(|there| there.split_whitespace().any(|controller| controller == "pids"));
    if is_there && missing(&"pids") {
        let _ = std::fs::write(&path, "+pids");
    }
    Ok(())
}

/// CPU quota of a group in thousandths; `None`: it has none, or is no group of version 2.
pub(crate) fn cpus_milli(folder: &Path) -> Option<u32> {
    let text = std::fs::read_to_string(folder.join(CPU_MAX)).ok()?;
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(quota)), Some(Ok(period))) if period > 0 => {
            u32::try_from(quota.saturating_mul(1000) / period).ok()
        }
        _ => None, // `max`
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cgroup::find::{Hierarchy, find};
    use crate::cgroup::{LimitsRead, PERIOD_US, read_limits};
    use crate::system::System;
    use std::fs;

    /// A machine of version 2, as one finds it in `/`.
    fn recorded(own: &str, enabled: &str) -> (tempfile::TempDir, Parent) {
        let root = tempfile::tempdir().unwrap();
        let top = root.path().join("sys/fs/cgroup");
        fs::create_dir_all(root.path().join("proc/self")).unwrap();
        fs::write(root.path().join("proc/self/cgroup"), format!("0::{own}\n")).unwrap();
        let mount = "30 25 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
        fs::write(root.path().join("proc/self/mountinfo"), mount).unwrap();
        let mut folder = top.clone();
        fs::create_dir_all(top.join(own.trim_start_matches('/'))).unwrap();
        fs::write(top.join("cgroup.controllers"), "cpuset cpu io memory pids\n").unwrap();
        fs::write(top.join("cgroup.subtree_control"), "cpu memory pids\n").unwrap();
        for part in Path::new(own.trim_start_matches('/')) {
            folder.push(part);
            fs::write(folder.join("cgroup.subtree_control"), enabled).unwrap();
        }
        let Ok(Hierarchy::V2(parent)) = find(&System::at(root.path())) else { panic!("not version 2") };
        (root, parent)
    }

    #[test]
    fn a_group_is_made_beside_galos_own_with_limits_that_read_back() {
        let (root, parent) = recorded("/user.slice/session-1.scope", "");
        let limits =
            Limits { cpus_milli: 450, memory_bytes: 512 << 20, period_us: PERIOD_US, pids_max: Some(99) };
        let group = parent.planned("galo-1-api1");
        parent.make(&group, Some(&limits)).unwrap();
        let slice = root.path().join("sys/fs/cgroup/user.slice");
        let Group::V2 { path } = &group else { panic!("not version 2") };
        assert_eq!(*path, slice.join("galo-1-api1"));
        assert_eq!(fs::read_to_string(path.join("cpu.max")).unwrap(), "45000 100000");
        assert_eq!(fs::read_to_string(path.join("memory.swap.max")).unwrap(), "0");
        assert!(read_limits(&group).are(&limits));
    }

    #[test]
    fn controllers_are_enabled_in_the_parent_and_never_in_galos_own_group() {
        let (root, parent) = recorded("/user.slice/session-1.scope", "");
        parent.make(&parent.planned("g"), None).unwrap();
        let slice = root.path().join("sys/fs/cgroup/user.slice");
        assert_eq!(fs::read_to_string(slice.join("cgroup.subtree_control")).unwrap(), "+cpu +memory");
        assert_eq!(fs::read_to_string(slice.join("session-1.scope/cgroup.subtree_control")).unwrap(), "");
    }

    #[test]
    fn only_the_missing_controller_is_enabled() {
        let (root, parent) = recorded("/a.slice/b.scope", "memory\n");
        parent.make(&parent.planned("g"), None).unwrap();
        let file = root.path().join("sys/fs/cgroup/a.slice/cgroup.subtree_control");
        assert_eq!(fs::read_to_string(file).unwrap(), "+cpu");
    }

    #[test]
    fn at_the_root_groups_are_made_in_the_root() {
        let (root, parent) = recorded("/", "");
        assert_eq!(parent.folder, root.path().join("sys/fs/cgroup"));
    }

    #[test]
    fn a_group_without_limits_reads_back_as_none() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cpu.max"), "max 100000\n").unwrap();
        fs::write(folder.path().join("memory.max"), "max\n").unwrap();
        let group = Group::V2 { path: folder.path().to_owned() };
        assert_eq!(read_limits(&group), LimitsRead::default());
    }

    #[test]
    fn the_name_of_a_group_that_is_there_already_is_refused() {
        let (_root, parent) = recorded("/", "");
        parent.make(&parent.planned("g"), None).unwrap();
        let error = parent.make(&parent.planned("g"), None).unwrap_err();
        assert!(error.message.starts_with("cannot make control group `"), "{}", error.message);
    }
}
