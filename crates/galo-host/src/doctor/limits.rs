//! Whether limits can be enforced, told and be trusted.

use std::fs;

use crate::doctor::Check;
use crate::groups::Groups;
use crate::system::{System, is_root};
use crate::walls::Walls;

const ENFORCE: &str = "limits";
const THROTTLING: &str = "throttling";
const KILLING: &str = "killing";
const WALLS: &str = "walls";

/// Tries the limits with a group of its own.
pub(super) fn checks(system: &System) -> Vec<Check> {
    let user =
        Check::good("user", if is_root() { "root" } else { "not root: services cannot have a `user`" });
    let (groups, swap) = Groups::choose(system, &format!("galo-{}-doctor", std::process::id()), &|_| Ok(()));
    let Groups::None(lack) = &groups else {
        let tried = "0.25 CPU and 64 MiB were set and read back";
        let enforced = match swap.lack(&system.read("/proc/swaps").unwrap_or_default()) {
            Some(lack) => Check::lacking(ENFORCE, lack.why, lack.mend),
            None => Check::good(ENFORCE, format!("control groups of {}: {tried}", groups.describe())),
        };
        return vec![user, enforced, throttling(&groups), killing(&groups), walls(&groups)];
    };
    let found = format!("cannot be enforced: {}", lack.why);
    vec![user, Check::broken(ENFORCE, found, lack.mend.clone())]
}

/// Whether the kernel tells how often a group had to wait for its CPU quota.
fn throttling(groups: &Groups) -> Check {
    let Some(folder) = groups.example() else {
        return Check::good(THROTTLING, "counted by every scope of systemd's");
    };
    let stat = fs::read_to_string(folder.join("cpu.stat")).unwrap_or_default();
    // At the root of version 2 only children have the counter; there it comes with the controller.
    if stat.contains("nr_throttled") || matches!(groups, Groups::V2(_)) {
        Check::good(THROTTLING, "counted by the kernel")
    } else {
        let mend = "boot a kernel with CONFIG_CFS_BANDWIDTH";
        Check::lacking(THROTTLING, "the kernel does not count it", mend)
    }
}

/// Whether services are kept apart from one another and from galo.
fn walls(groups: &Groups) -> Check {
    match Walls::choose(groups).note() {
        None => Check::good(
            WALLS,
            "each service has processes, mounts and IPC of its own, few capabilities, and a fresh file system",
        ),
        Some(note) => Check::lacking(WALLS, note, "sudo galo ..."),
    }
}

/// Whether a group can be killed without a race.
fn killing(groups: &Groups) -> Check {
    match groups {
        Groups::V1(own) if own.files().freezer.is_none() => Check::lacking(
            KILLING,
            "there is no freezer: galo repeats until nothing is left",
            "mkdir -p /sys/fs/cgroup/freezer && mount -t cgroup -o freezer none /sys/fs/cgroup/freezer",
        ),
        Groups::V1(_) => Check::good(KILLING, "by the freezer"),
        _ => Check::good(KILLING, "by cgroup.kill (a kernel before 5.14: by cgroup.freeze)"),
    }
}
