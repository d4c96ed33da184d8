//! The CPU quota under which galo itself runs: of its own control group, or of one above it, as a container or a CI job
//! has it.

use std::fs;
use std::path::{Path, PathBuf};

use galo_record::CpuQuota;

use crate::cgroup::find::own_group;
use crate::cgroup::{cpu_limit, keyed};
use crate::system::System;

/// All quotas that bear on galo.
#[derive(Debug, Clone, Default)]
pub struct Quotas(Vec<Quota>);

/// One group's.
#[derive(Debug, Clone)]
struct Quota {
    folder: PathBuf,
    cpus: f64,
    file: &'static str,
}

/// How long each group had been stopped at a moment.
#[derive(Debug, Clone)]
pub struct QuotaMark(Vec<u64>);

impl Quotas {
    /// Quotas on this process.
    pub fn of_galo() -> Self {
        Self::find(&System::real())
    }

    /// Looks at galo's own group and all above it. What cannot be read bounds nothing.
    pub(crate) fn find(system: &System) -> Self {
        let Some((top, own)) = own_group(system, "cpu") else { return Self::default() };
        let groups = own.ancestors().take_while(|folder| folder.starts_with(&top));
        Self(groups.filter_map(Quota::read).collect())
    }

    /// The counters now.
    pub fn mark(&self) -> QuotaMark {
        QuotaMark(self.0.iter().map(Quota::throttled_ns).collect())
    }

    /// The quota that stopped galo longest since then; the tightest, where none did. `None`: there is no quota.
    pub fn since(&self, mark: &QuotaMark) -> Option<CpuQuota> {
        let stopped = |(quota, before): (&Quota, &u64)| CpuQuota {
            cpus: quota.cpus,
            file: quota.file.to_owned(),
            throttled_ns: quota.throttled_ns().saturating_sub(*before),
        };
        let all = self.0.iter().zip(&mark.0).map(stopped);
        all.min_by(|one, other| {
            other.throttled_ns.cmp(&one.throttled_ns).then(one.cpus.total_cmp(&other.cpus))
        })
    }

    /// The tightest one.
    pub(crate) fn tightest(&self) -> Option<(f64, &'static str)> {
        let quotas = self.0.iter().map(|quota| (quota.cpus, quota.file));
        quotas.min_by(|one, other| one.0.total_cmp(&other.0))
    }
}

impl Quota {
    /// `None`: this group has none.
    fn read(folder: &Path) -> Option<Self> {
        let (milli, file) = cpu_limit(folder)?;
        Some(Self { folder: folder.to_owned(), cpus: f64::from(milli) / 1e3, file })
    }

    /// In nanoseconds by version 1, in microseconds by version 2.
    fn throttled_ns(&self) -> u64 {
        let stat = fs::read_to_string(self.folder.join("cpu.stat")).unwrap_or_default();
        let us = || keyed(&stat, "throttled_usec").map(|us| us.saturating_mul(1000));
        keyed(&stat, "throttled_time").or_else(us).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with these files.
    fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, Quotas) {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), files);
        let quotas = Quotas::find(&System::at(root.path()));
        (root, quotas)
    }

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn since(quotas: &Quotas, mark: &QuotaMark) -> Option<(f64, String, u64)> {
        quotas.since(mark).map(|quota| (quota.cpus, quota.file, quota.throttled_ns))
    }

    const V2: [(&str, &str); 2] = [
        ("proc/self/mountinfo", "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
        ("proc/self/cgroup", "0::/ci/job/step\n"),
    ];

    #[test]
    fn of_version_two_the_quota_of_a_group_above_counts() {
        let (root, quotas) = machine(&V2);
        assert_eq!(since(&quotas, &quotas.mark()), None);
        let group = [
            ("sys/fs/cgroup/ci/job/step/cpu.max", "max 100000\n"),
            ("sys/fs/cgroup/ci/job/cpu.max", "50000 100000\n"),
            ("sys/fs/cgroup/ci/job/cpu.stat", "usage_usec 7\nnr_throttled 3\nthrottled_usec 1000\n"),
            ("sys/fs/cgroup/ci/cpu.max", "200000 100000\n"),
        ];
        write(root.path(), &group);
        let quotas = Quotas::find(&System::at(root.path()));
        let mark = quotas.mark();
        assert_eq!(since(&quotas, &mark), Some((0.5, "cpu.max".to_owned(), 0)));
        write(root.path(), &[("sys/fs/cgroup/ci/job/cpu.stat", "nr_throttled 9\nthrottled_usec 4200\n")]);
        assert_eq!(since(&quotas, &mark), Some((0.5, "cpu.max".to_owned(), 3_200_000)));
        // What stopped galo is told, though another quota is tighter.
        write(root.path(), &[("sys/fs/cgroup/ci/cpu.stat", "nr_throttled 9\nthrottled_usec 9000\n")]);
        assert_eq!(since(&quotas, &mark), Some((2.0, "cpu.max".to_owned(), 9_000_000)));
        assert_eq!(quotas.tightest(), Some((0.5, "cpu.max")));
    }

    #[test]
    fn in_a_container_the_groups_root_is_its_own() {
        let files = [
            ("proc/self/mountinfo", "30 24 0:26 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
            ("proc/self/cgroup", "0::/docker/ab\n"),
            ("sys/fs/cgroup/cpu.max", "150000 100000\n"),
        ];
        let (_root, quotas) = machine(&files);
        assert_eq!(since(&quotas, &quotas.mark()), Some((1.5, "cpu.max".to_owned(), 0)));
    }

    #[test]
    fn of_version_one_the_hierarchy_of_the_cpu_counts() {
        let mounts = "31 24 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                      32 24 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let folder = "sys/fs/cgroup/cpu,cpuacct/job";
        let (quota, period, stat) = (
            format!("{folder}/cpu.cfs_quota_us"),
            format!("{folder}/cpu.cfs_period_us"),
            format!("{folder}/cpu.stat"),
        );
        let (root, quotas) = machine(&[
            ("proc/self/mountinfo", mounts),
            ("proc/self/cgroup", "4:cpu,cpuacct:/job/step\n0::/elsewhere\n"),
            ("sys/fs/cgroup/cpu,cpuacct/job/step/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu,cpuacct/job/step/cpu.cfs_period_us", "100000\n"),
            (&quota, "25000\n"),
            (&period, "50000\n"),
            (&stat, "nr_periods 9\nnr_throttled 1\nthrottled_time 77\n"),
        ]);
        let mark = quotas.mark();
        write(root.path(), &[(&stat, "nr_periods 9\nnr_throttled 2\nthrottled_time 100\n")]);
        assert_eq!(since(&quotas, &mark), Some((0.5, "cpu.cfs_quota_us".to_owned(), 23)));
    }

    #[test]
    fn what_cannot_be_read_bounds_nothing() {
        for text in ["", "50000", "many 100000", "50000 0", "-1 100000", "max 100000"] {
            let (root, _) = machine(&V2);
            write(root.path(), &[("sys/fs/cgroup/ci/job/cpu.max", text)]);
            let quotas = Quotas::find(&System::at(root.path()));
            assert_eq!(since(&quotas, &quotas.mark()), None, "{text}");
        }
        let (_root, quotas) = machine(&[]);
        assert_eq!(quotas.tightest(), None);
    }
}
