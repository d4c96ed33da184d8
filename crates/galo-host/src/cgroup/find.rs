//! Finds the hierarchies and galo's own group in each, from `/proc/self/mountinfo` and `/proc/self/cgroup`.

use std::path::{Path, PathBuf};

use galo_record::group::Group;

use crate::cgroup::Lack;
use crate::cgroup::v2::Parent;
use crate::system::System;

/// What controls CPU and memory on this machine.
#[derive(Debug, Clone)]
pub(crate) enum Hierarchy {
    /// galo's own group.
    V1(Group),
    V2(Parent),
}

/// Looks at the mounts. On a hybrid machine the version that holds the `cpu` controller wins.
pub(crate) fn find(system: &System) -> Result<Hierarchy, Lack> {
    let lack = |why: String| Lack { why, mend: "mount -t cgroup2 none /sys/fs/cgroup".to_owned() };
    let read = |path: &str| system.read(path).map_err(|e| lack(format!("cannot read `{path}`: {e}")));
    let mounts = parse_mounts(&read("/proc/self/mountinfo")?);
    let own = read("/proc/self/cgroup")?;
    if let Some(hierarchies) = hierarchies(system, &mounts, &own) {
        return Ok(Hierarchy::V1(hierarchies));
    }
    let Some(mount) = mounts.iter().find(|m| m.kind == "cgroup2") else {
        return Err(lack("no control groups are mounted".to_owned()));
    };
    let top = system.path(&mount.point);
    let own = own_path(&own, "").unwrap_or("/");
    let controllers = std::fs::read_to_string(top.join("cgroup.controllers")).unwrap_or_default();
    for controller in ["cpu", "memory"] {
        if !controllers.split_whitespace().any(|c| c == controller) {
            let why = format!("`{}` has no `{controller}` controller", mount.point.display());
            return Err(Lack {
                why,
                mend: "boot Linux with cgroup_enable=memory cgroup_no_v1=all".to_owned(),
            });
        }
    }
    let folder = system.path(mount.locate(own));
    Ok(Hierarchy::V2(Parent::beside(&top, &folder)))
}

/// Where the hierarchy of a controller is mounted, and galo's own group in it, below there.
pub(crate) fn own_group(system: &System, controller: &str) -> Option<(PathBuf, PathBuf)> {
    let mounts = parse_mounts(&system.read("/proc/self/mountinfo").ok()?);
    let own = system.read("/proc/self/cgroup").ok()?;
    let has_it = |mount: &&Mount| mount.kind == "cgroup" && mount.options.iter().any(|o| o == controller);
    let v1 = mounts.iter().find(has_it).and_then(|mount| Some((mount, own_path(&own, controller)?)));
    let v2 = || mounts.iter().find(|mount| mount.kind == "cgroup2").zip(own_path(&own, ""));
    let (mount, group) = v1.or_else(v2)?;
    Some((system.path(&mount.point), system.path(mount.locate(group))))
}

/// One mount.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The file system, by the numbers of its device.
    pub(crate) device: String,
    /// The part of the file system that the mount shows; for control groups, the group.
    pub(crate) root: String,
    pub(crate) point: PathBuf,
    kind: String,
    options: Vec<String>,
}

impl Mount {
    /// The folder of a group. In a container the mount can show a part of the tree only: paths count from there.
    fn locate(&self, group: &str) -> PathBuf {
        let below = match self.root.as_str() {
            "/" => group,
            root => group.strip_prefix(root).unwrap_or("/"),
        };
        match below.trim_matches('/') {
            "" => self.point.clone(),
            below => self.point.join(below),
        }
    }
}

/// Reads the mounts of a mountinfo (its form: proc_pid_mountinfo(5)).
pub(crate) fn parse_mounts(mountinfo: &str) -> Vec<Mount> {
    let parse = |line: &str| {
        let (left, right) = line.split_once(" - ")?;
        let mut left = left.split(' ').skip(2);
        let (device, root, point) = (left.next()?, left.next()?, left.next()?);
        let mut right = right.split(' ');
        let kind = right.next()?;
        let options = right.nth(1).unwrap_or_default();
        Some(Mount {
            device: device.to_owned(),
            root: unescape(root),
            point: PathBuf::from(unescape(point)),
            kind: kind.to_owned(),
            options: options.split(',').map(str::to_owned).collect(),
        })
    };
    mountinfo.lines().filter_map(parse).collect()
}

/// mountinfo writes space, tab, newline and backslash as `\040`, `\011`, `\012` and `\134`.
fn unescape(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

/// galo's own group in the hierarchy of a controller; `""` is the unified one.
pub(crate) fn own_path<'a>(cgroup: &'a str, controller: &str) -> Option<&'a str> {
    cgroup.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        controllers.split(',').any(|c| c == controller).then_some(path)
    })
}

/// A process's group in each hierarchy of version 1, given its `/proc/PID/cgroup`; `None`: they do not hold CPU and memory.
fn hierarchies(system: &System, mounts: &[Mount], cgroup: &str) -> Option<Group> {
    let folder = |controller: &str| {
        let mount =
            mounts.iter().find(|m| m.kind == "cgroup" && m.options.iter().any(|o| o == controller))?;
        Some(system.path(mount.locate(own_path(cgroup, controller)?)))
    };
    Some(Group::V1 {
        cpu: folder("cpu")?,
        cpuacct: folder("cpuacct")?,
        memory: folder("memory")?,
        freezer: folder("freezer"),
        pids: folder("pids"),
    })
}

/// The group of any process: where the machine's controllers have it, which is where its limits are.
pub(crate) fn group_of(system: &System, pid: u32) -> Option<Group> {
    let mounts = parse_mounts(&system.read("/proc/self/mountinfo").ok()?);
    let cgroup = system.read(Path::new("/proc").join(pid.to_string()).join("cgroup")).ok()?;
    let unified = || Some(Group::V2 { path: unified_folder(system, pid)? });
    hierarchies(system, &mounts, &cgroup).or_else(unified)
}

/// The folder of the group in the unified hierarchy of a process, if the machine tells.
pub(crate) fn unified_folder(system: &System, pid: u32) -> Option<PathBuf> {
    let mounts = parse_mounts(&system.read("/proc/self/mountinfo").ok()?);
    let mount = mounts.iter().find(|m| m.kind == "cgroup2")?;
    let cgroup = system.read(Path::new("/proc").join(pid.to_string()).join("cgroup")).ok()?;
    Some(system.path(mount.locate(own_path(&cgroup, "")?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn recorded(mountinfo: &str, cgroup: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/self")).unwrap();
        fs::write(root.path().join("proc/self/mountinfo"), mountinfo).unwrap();
        fs::write(root.path().join("proc/self/cgroup"), cgroup).unwrap();
        root
    }

    const JOINED: &str = "\
25 30 0:23 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755
26 25 0:24 / /sys/fs/cgroup/unified rw shared:10 - cgroup2 cgroup2 rw
29 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:14 master:2 - cgroup cgroup rw,cpu,cpuacct
30 25 0:28 / /sys/fs/cgroup/with\\040space rw shared:15 - cgroup cgroup rw,memory
";

    #[test]
    fn joined_controllers_and_the_own_group_are_found() {
        let root = recorded(JOINED, "4:memory:/user\n3:cpu,cpuacct:/user.slice/u\n0::/x\n");
        let Ok(Hierarchy::V1(Group::V1 { cpu, cpuacct, memory, freezer, .. })) =
            find(&System::at(root.path()))
        else {
            panic!("not version 1")
        };
        assert_eq!(cpu, root.path().join("sys/fs/cgroup/cpu,cpuacct/user.slice/u"));
        assert_eq!(cpuacct, cpu);
        assert_eq!(memory, root.path().join("sys/fs/cgroup/with space/user"));
        assert_eq!(freezer, None);
    }

    #[test]
    fn a_mount_that_shows_a_part_of_the_tree_is_counted_from_there() {
        let mounts = parse_mounts("30 25 0:28 /docker/ab /m rw - cgroup cgroup rw,memory\n");
        assert_eq!(mounts[0].locate("/docker/ab/x"), Path::new("/m/x"));
        assert_eq!(mounts[0].locate("/docker/ab"), Path::new("/m"));
        assert_eq!(mounts[0].locate("/elsewhere"), Path::new("/m"));
    }

    #[test]
    fn the_group_of_a_container_is_found_in_either_version() {
        let root = recorded(JOINED, "");
        let of = |cgroup: &str| {
            fs::create_dir_all(root.path().join("proc/7")).unwrap();
            fs::write(root.path().join("proc/7/cgroup"), cgroup).unwrap();
            group_of(&System::at(root.path()), 7).unwrap()
        };
        let Group::V1 { cpu, memory, freezer, .. } =
            of("4:memory:/docker/ab\n3:cpu,cpuacct:/docker/ab\n0::/docker/ab\n")
        else {
            panic!("not version 1")
        };
        assert_eq!(cpu, root.path().join("sys/fs/cgroup/cpu,cpuacct/docker/ab"));
        assert_eq!((memory, freezer), (root.path().join("sys/fs/cgroup/with space/docker/ab"), None));
        // As the driver of systemd names it.
        fs::write(
            root.path().join("proc/self/mountinfo"),
            "1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
        )
        .unwrap();
        let scope = of("0::/system.slice/docker-ab.scope\n");
        assert_eq!(scope, Group::V2 { path: root.path().join("sys/fs/cgroup/system.slice/docker-ab.scope") });
    }

    #[test]
    fn a_unified_hierarchy_without_controllers_is_named_as_the_lack() {
        let root = recorded("1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/\n");
        fs::create_dir_all(root.path().join("sys/fs/cgroup")).unwrap();
        fs::write(root.path().join("sys/fs/cgroup/cgroup.controllers"), "pids memory\n").unwrap();
        let lack = find(&System::at(root.path())).unwrap_err();
        assert_eq!(lack.why, "`/sys/fs/cgroup` has no `cpu` controller");
    }

    #[test]
    fn a_machine_without_control_groups_is_named_as_such() {
        let root = recorded("1 0 0:1 / / rw - ext4 /dev/vda rw\n", "");
        assert_eq!(find(&System::at(root.path())).unwrap_err().why, "no control groups are mounted");
    }
}
