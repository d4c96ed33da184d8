//! Who was in a control group, and has left it alive.

use std::collections::{BTreeMap, BTreeSet};

use galo_record::group::Group;

use crate::cgroup;
use crate::session::{Leader, Left, Stat};
use crate::system::System;

/// The processes that were seen in a group, by id, with the time of their start.
#[derive(Debug, Default)]
pub(super) struct Members(BTreeMap<i32, u64>);

impl Members {
    /// A group in which only this process is known to have been.
    pub(super) fn of(leader: Option<&Leader>) -> Self {
        Self(leader.iter().map(|leader| (leader.pid, leader.started)).collect())
    }

    /// Looks again: who has left since the last look. A process belongs to a group of version 1 only where every hierarchy
    /// lists it.
    pub(super) fn left(&mut self, group: &Group) -> Vec<Left> {
        let lists: Vec<BTreeSet<i32>> = group.files().folders.iter().map(|folder| listed(folder)).collect();
        let is_inside = |pid: &i32| lists.iter().all(|list| list.contains(pid));
        let mut left = Vec::new();
        let system = System::real();
        self.0.retain(|pid, started| {
            let is_in = is_inside(pid);
            if !is_in {
                left.extend(Left::living(&system, *pid).filter(|left| left.leader.started == *started));
            }
            is_in
        });
        let new = lists.first().into_iter().flatten().filter(|pid| is_inside(pid));
        for pid in new {
            if !self.0.contains_key(pid)
                && let Some(stat) = Stat::of(&system, *pid)
            {
                self.0.insert(*pid, stat.started);
            }
        }
        left
    }
}

/// The processes of a group's folder and of those below it.
fn listed(folder: &std::path::Path) -> BTreeSet<i32> {
    let lists = cgroup::subfolders(folder).into_iter();
    let lists = lists.filter_map(|folder| std::fs::read_to_string(folder.join("cgroup.procs")).ok());
    lists.flat_map(|list| list.lines().filter_map(|line| line.parse().ok()).collect::<Vec<_>>()).collect()
}
