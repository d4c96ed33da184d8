use std::collections::BTreeMap;

use super::*;

const V1: &str = "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:10 master:1 - cgroup cgroup rw,memory
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
";
const V2: &str = "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const NAMED: &str = "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n";

#[test]
fn cgroups_are_told_by_the_controllers_of_what_is_mounted() {
    assert_eq!(cgroups(V1), "v1");
    assert_eq!(cgroups(V2), "v2");
    assert_eq!(cgroups(&format!("{V1}{V2}")), "hybrid");
    assert_eq!(cgroups(&format!("{NAMED}{V2}")), "v2");
    assert_eq!(cgroups(NAMED), "none");
    assert_eq!(cgroups("cut - "), "none");
}

/// A machine as recorded: its files below a folder.
fn recorded(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

#[test]
fn a_machine_is_told_from_its_files() {
    let root = recorded(&[
        (
            "proc/cpuinfo",
            "processor\t: 0\nmodel\t\t: 207\nmodel name\t: Intel(R) Xeon(R)  Processor\n\
             flags\t\t: fpu vme hypervisor lahf_lm\n\nprocessor\t: 1\nmodel name\t: other\n",
        ),
        ("proc/meminfo", "MemTotal:        8148244 kB\nMemFree:         1 kB\n"),
        ("proc/sys/kernel/ostype", "Linux\n"),
        ("proc/sys/kernel/osrelease", "6.18.44\n"),
        ("proc/sys/net/core/somaxconn", "4096\n"),
        ("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
        ("etc/os-release", "PRETTY_NAME=\"Debian\"\nVERSION_ID=\"12\"\nID=debian\n"),
        ("proc/self/mountinfo", V1),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
    ]);
    let told = machine(root.path());
    let setting = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert!(told.cores >= 1);
    let expected = Machine {
        cpu: "Intel(R) Xeon(R) Processor".into(),
        cores: told.cores,
        memory_bytes: 8_148_244 * 1024,
        kernel: "Linux 6.18.44".into(),
        system: "debian 12".into(),
        virtual_machine: true,
        cgroups: "v1".into(),
        clock_source: "tsc".into(),
        settings: BTreeMap::from([
            setting("net.core.somaxconn", "4096"),
            setting("net.ipv4.ip_local_port_range", "32768 60999"),
        ]),
    };
    assert_eq!(told, expected);
}

#[test]
fn a_machine_that_tells_nothing_is_empty() {
    let root = recorded(&[]);
    let told = machine(root.path());
    assert_eq!(told, Machine { cores: told.cores, cgroups: "none".into(), ..Machine::default() });
}

#[test]
fn files_that_are_not_as_they_should_be_are_as_missing_ones() {
    let root = recorded(&[
        ("proc/meminfo", "MemTotal: 99999999999999999999 kB\n"),
        ("proc/cpuinfo", "model name"),
        ("usr/lib/os-release", "ID='arch'\n"),
    ]);
    let told = machine(root.path());
    assert_eq!((told.memory_bytes, told.cpu.as_str(), told.system.as_str()), (0, "", "arch"));
}
