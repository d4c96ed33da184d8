//! A league on a real Slurm: a controller and three nodes on this machine, each with a network of its own.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::challenge_file::shops;
use crate::league::begun;
use crate::support::{assert_no_group_is_left, galo, kill, ran_alone, run, within_a_minute};

const NODES: [&str; 3] = ["n1", "n2", "n3"];
/// What a league with two blocks in a pass and some more for it may take beside other tests.
const LONGEST: Duration = Duration::from_secs(400);

/// Slurm, within a network of the test's own.
struct Slurm {
    folder: TempDir,
    controller: Child,
    nodes: Vec<Child>,
}

impl Slurm {
    fn up() -> Self {
        let _ = ["sbatch", "slurmctld", "slurmd"].map(|name| needs::program(name, "slurm-wlm"));
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().display();
        let configuration = format!(
            "ClusterName=galo\n\
             SlurmctldHost=controller(10.77.0.10)\n\
             SlurmUser=root\n\
             SlurmdUser=root\n\
             AuthType=auth/none\n\
             CredType=cred/none\n\
             StateSaveLocation={at}/state\n\
             SlurmdSpoolDir={at}/spool-%n\n\
             SlurmctldPidFile={at}/controller.pid\n\
             SlurmdPidFile={at}/%n.pid\n\
             SlurmctldLogFile={at}/controller.log\n\
             SlurmdLogFile={at}/%n.log\n\
             ProctrackType=proctrack/linuxproc\n\
             TaskPlugin=task/none\n\
             SelectType=select/cons_tres\n\
             SchedulerParameters=batch_sched_delay=0,sched_interval=1\n\
             SlurmdTimeout=10\n\
             ReturnToService=2\n\
             MpiDefault=none\n\
             NodeName=n[1-3] NodeAddr=10.77.0.1[1-3] CPUs=2 State=UNKNOWN\n\
             PartitionName=all Nodes=ALL Default=YES State=UP\n"
        );
        std::fs::create_dir(folder.path().join("state")).unwrap();
        std::fs::write(folder.path().join("slurm.conf"), configuration).unwrap();
        ip("link add galo0 type bridge");
        ip("addr add 10.77.0.10/24 dev galo0");
        ip("link set galo0 up");
        let controller = controller(folder.path());
        let nodes = NODES.map(|name| node(folder.path(), name));
        let slurm = Self { folder, controller, nodes: nodes.into() };
        let idle = || slurm.ask("sinfo", &["-h", "-N", "-t", "idle"]).lines().count();
        assert!(within_a_minute(|| idle() == NODES.len()), "{}", slurm.logs());
        slurm
    }

    /// A galo that submits here.
    fn galo(&self, arguments: &[&str]) -> Command {
        let mut command = galo(arguments);
        command.env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        command
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let conf = self.folder.path().join("slurm.conf");
        run(Command::new(program).args(arguments).env("SLURM_CONF", conf)).stdout
    }

    /// Processes that still know this Slurm.
    fn left(&self) -> impl Iterator<Item = u32> {
        let known = format!("SLURM_CONF={}/slurm.conf", self.folder.path().display());
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
        ids.filter(move |id| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == known.as_bytes())
        })
    }

    /// What its daemons wrote.
    fn logs(&self) -> String {
        let names =
            ["controller", "n1", "n2", "n3"].map(|name| self.folder.path().join(format!("{name}.log")));
        names.iter().filter_map(|file| std::fs::read_to_string(file).ok()).collect()
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        self.ask("scancel", &["--full", "--user=root"]);
        within_a_minute(|| self.ask("squeue", &["-h"]).trim().is_empty());
        for daemon in self.nodes.iter_mut().chain([&mut self.controller]) {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        // A step whose node was cut off waits for a controller that is gone.
        self.left().for_each(|process| kill(9, process));
    }
}

fn ip(line: &str) {
    run(Command::new("ip").args(line.split(' '))).expect(0);
}

fn daemon(folder: &Path, command: &mut Command) -> Child {
    let command = command.env("SLURM_CONF", folder.join("slurm.conf"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn controller(folder: &Path) -> Child {
    let named = "hostname controller; exec slurmctld -D";
    daemon(folder, Command::new("unshare").args(["--uts", "sh", "-c", named]))
}

/// A node with a name, a `/run`, and a network that a wire `wire-n1` joins to the bridge.
fn node(folder: &Path, name: &str) -> Child {
    let address = 10 + name.trim_start_matches('n').parse::<u32>().unwrap();
    let run_of_node = folder.join(format!("run-{name}"));
    std::fs::create_dir_all(&run_of_node).unwrap();
    let run = run_of_node.display();
    let begins = format!(
        "mount --bind {run} /run; hostname {name}; until ip link set eth0 up; do sleep 0.1; done 2>/dev/null; \
         ip addr add 10.77.0.{address}/24 dev eth0; ip link set lo up; exec slurmd -D -N {name}"
    );
    let node =
        daemon(folder, Command::new("unshare").args(["--net", "--uts", "--mount", "sh", "-c", &begins]));
    let here = std::fs::read_link("/proc/self/ns/net").unwrap();
    let own = || std::fs::read_link(format!("/proc/{}/ns/net", node.id()));
    assert!(within_a_minute(|| own().is_ok_and(|own| own != here)), "{name} has no network of its own");
    let id = node.id();
    ip(&format!("link add wire-{name} type veth peer name eth0 netns {id}"));
    ip(&format!("link set wire-{name} master galo0"));
    ip(&format!("link set wire-{name} up"));
    node
}

/// Beside `strict`, entries of its program, by these names and with this more in their environment.
fn entries(arrivals: &str, others: impl Iterator<Item = (String, &'static str)>) -> TempDir {
    let folder = shops(arrivals);
    let strict = std::fs::read_to_string(folder.path().join("strict/compose.yaml")).unwrap();
    for (name, more) in others {
        let entry = folder.path().join(name);
        std::fs::create_dir(&entry).unwrap();
        let compose = strict.replace("environment: { ", &format!("environment: {{ {more}"));
        std::fs::write(entry.join("compose.yaml"), compose).unwrap();
    }
    folder
}

fn wait(mut galo: Child) -> Option<i32> {
    let end = Instant::now() + LONGEST;
    while Instant::now() < end {
        if let Some(status) = galo.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    kill(2, galo.id());
    galo.wait().unwrap();
    None
}

#[test]
fn on_three_nodes_each_child_counts_once_whoever_of_all_is_killed() {
    if ran_alone() {
        return;
    }
    let mut slurm = Slurm::up();
    // More than a block takes.
    let folder = entries("40/s for 1s", (2..=13).map(|number| (format!("e{number:02}"), "")));
    let out = folder.path().join("run");
    let league = |slurm: &Slurm, arguments: &[&str]| {
        let mut galo = slurm.galo(arguments);
        let said =
            std::fs::File::options().create(true).append(true).open(folder.path().join("said")).unwrap();
        galo.current_dir(folder.path()).stdout(Stdio::null()).stderr(said).spawn().unwrap()
    };
    let line = ["league", ".", "--skip", "lenient", "--passes", "1", "--slurm", "", "--out", "run"];
    let mut first = league(&slurm, &line);
    assert!(within_a_minute(|| begun(&out) >= 2), "{}", slurm.logs());
    // One node is reached no more, with its check in the middle; one loses its slurmd; the controller and galo are killed.
    ip("link set wire-n1 down");
    slurm.nodes[1].kill().unwrap();
    slurm.controller.kill().unwrap();
    kill(9, first.id());
    first.wait().unwrap();
    slurm.nodes[1].wait().unwrap();
    slurm.controller.wait().unwrap();
    let second = league(&slurm, &["league", "--resume", "run"]);
    slurm.controller = controller(slurm.folder.path());
    ip("link del wire-n2");
    slurm.nodes[1] = node(slurm.folder.path(), "n2");
    assert!(within_a_minute(|| begun(&out) >= 8), "{}", slurm.logs());
    ip("link set wire-n1 up");
    let said = || std::fs::read_to_string(folder.path().join("said")).unwrap();
    assert_eq!(wait(second), Some(0), "{}\n{}", said(), slurm.logs());
    drop(slurm);
    assert_no_group_is_left();

    let report: Value = serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
    assert_eq!((&report["is_over"], &report["blocks"]), (&true.into(), &2.into()), "{report}");
    assert_eq!(report["ranking"].as_array().unwrap().len(), 13, "{report}");
    // Thirteen checks and two blocks, each with one attempt that counts, and several machines drove them.
    let acts = std::fs::read_to_string(out.join("acts.jsonl")).unwrap();
    assert_eq!(acts.matches(r#""act":"close""#).count(), 15, "{acts}");
    let logs = std::fs::read_dir(out.join("jobs")).unwrap().count();
    assert!(logs >= 15, "{logs} logs of tasks");
}

/// `cargo test -p galo --test cli -- --ignored --nocapture a_node_that_is_throttled`
#[test]
#[ignore = "takes minutes, and measures; prints the ranking of a league of which one node has half of its CPU"]
fn a_node_that_is_throttled_moves_no_verdict() {
    if ran_alone() {
        return;
    }
    let half = format!("/sys/fs/cgroup/cpu/half-of-a-node-{}", std::process::id());
    let others = (1..=13).map(|number| match number <= 6 {
        true => (format!("even-{number}"), ""),
        false => (format!("slow-{}", number - 6), "SCANS: \"400000\", "),
    });
    let folder = entries("100/s for 3s", others);
    let slurm = Slurm::up();
    // A node has two cores. This one gets the time of one.
    std::fs::create_dir(&half).unwrap();
    std::fs::write(format!("{half}/cpu.cfs_quota_us"), "100000").unwrap();
    std::fs::write(format!("{half}/cgroup.procs"), slurm.nodes[0].id().to_string()).unwrap();
    let line = ["league", ".", "--skip", "lenient", "--passes", "4", "--slurm", "", "--out", "run"];
    let league = slurm.galo(&line).current_dir(folder.path()).stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(wait(league), Some(0), "{}", slurm.logs());
    drop(slurm);
    assert!(within_a_minute(|| std::fs::remove_dir(&half).is_ok()));
    let out = folder.path().join("run");
    println!("{}", run(galo(&["report"]).arg(&out)).expect(0).stdout);
    let report: Value = serde_json::from_slice(&std::fs::read(out.join("report.json")).unwrap()).unwrap();
    let ranking = report["ranking"].as_array().unwrap();
    let of = |one: &Value| {
        let place = |index: usize| one["places"][index].as_u64().unwrap();
        (one["name"].as_str().unwrap().starts_with("slow"), place(0), place(1))
    };
    let (mut right, mut of_equals) = (0, 0);
    for (index, one) in ranking.iter().enumerate() {
        for other in &ranking[index + 1..] {
            let ((a, _, last), (b, first, _)) = (of(one), of(other));
            let is_told = last < first;
            assert!(!(is_told && a && !b), "the slower one is told to be better: {one}, {other}");
            right += usize::from(is_told && a != b);
            of_equals += usize::from(is_told && a == b);
        }
    }
    println!("told apart: {right} of 49 pairs that differ, {of_equals} of 42 that do not");
    // Each takes many times the CPU of the other.
    assert_eq!(right, 49, "a difference was lost");
}

#[test]
fn without_a_slurm_that_answers_it_is_told_what_to_do() {
    let folder = shops("40/s for 1s");
    let line = ["league", ".", "--slurm", "--partition bench", "--out", "run", "--quiet"];
    let ended = run(galo(&line).current_dir(folder.path()).env("PATH", "/nowhere")).expect(5);
    assert!(
        ended.stderr.contains("cannot start `squeue`") && ended.stderr.contains("galo league plan"),
        "{}",
        ended.stderr
    );
    let garbled =
        run(galo(&["league", ".", "--slurm", "'", "--out", "other"]).current_dir(folder.path())).expect(2);
    assert!(garbled.stderr.contains("--slurm"), "{}", garbled.stderr);
    for option in ["-M other", "--wait", "--array=1-3"] {
        let line = ["league", ".", "--slurm", option, "--out", "other"];
        let told = run(galo(&line).current_dir(folder.path())).expect(2).stderr;
        assert!(told.contains("hint: leave it out"), "{told}");
    }
}
