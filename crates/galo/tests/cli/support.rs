//! Running the binary, and looking at what it leaves.

use std::fs::File;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use galo_record::Seeds;
use serde_json::Value;
use tempfile::TempDir;

/// The port that the policy of `pessoas` gives its contenders: the only one that is not drawn.
pub(crate) const PORT: u16 = 9999;

/// The turn of a test whose containers publish [`PORT`] on this whole machine: another checkout's tests may run as well.
pub(crate) fn turn() -> File {
    let file = std::env::temp_dir().join(format!("galo-tests-at-{PORT}"));
    let turn = File::options().append(true).create(true).open(file).unwrap();
    turn.lock().unwrap();
    turn
}

/// Runs the test that calls it once more, in a process that has a network and a `/run` of its own: its contender serves [`PORT`]
/// there while those of other tests serve theirs. In that process it tells false, and the test goes on.
///
/// There is nothing but loopback: what contenders are built of must have been fetched, as by `cargo test --workspace`.
#[track_caller]
pub(crate) fn ran_alone() -> bool {
    const MARK: &str = "GALO_TEST_IS_ALONE";
    if std::env::var_os(MARK).is_some() {
        return false;
    }
    let thread = std::thread::current();
    let test = thread.name().expect("a test runs in a thread of its name");
    let inside = r#"mount -t tmpfs none /run && ip link set lo up && exec "$@""#;
    let ended = run(Command::new("unshare")
        .args(["--net", "--mount", "sh", "-c", inside, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--include-ignored"])
        .env(MARK, "1")
        .stdin(Stdio::null()))
    .expect(0);
    assert!(ended.stdout.contains("1 passed"), "{}", ended.stdout);
    print!("{}", ended.stdout);
    true
}

/// A port that nobody listens at.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// What other fights on this machine measured is no part of a test.
const STATE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/galo-state");

/// Where the binary keeps seeds.
pub(crate) fn seeds() -> Seeds {
    Seeds::at(&Path::new(STATE).join("seeds"))
}

/// The binary with arguments, in the repository.
pub(crate) fn galo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_galo"));
    command
        .args(arguments)
        .current_dir(root())
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .env_remove("LC_ALL")
        .env("LC_MESSAGES", "C")
        .stdin(Stdio::null());
    command.env("GALO_STATE", STATE);
    command
}

/// A finished galo.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs to the end.
pub(crate) fn run(command: &mut Command) -> Ended {
    let Output { status, stdout, stderr } = command.output().unwrap();
    Ended {
        code: status.code(),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

impl Ended {
    /// Fails with all that was printed unless galo ended with `code`.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Standard output as JSON. Whoever asks for it without [`Self::expect`] looks at what was sent, found and recorded, and not at
    /// whether the figures count: a machine full of other tests can make galo too late for that (exit code 3). When they count is
    /// tested in galo-judge, on records.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}\nstdout:\n{}\nstderr:\n{}", self.stdout, self.stderr))
    }
}

/// Drives until it counts, four times at most: a host may take the machine away for a while.
pub(crate) fn driven_until<T>(counts: impl Fn(&T) -> bool, drive: impl Fn() -> T) -> T {
    let driven = || {
        let ended = drive();
        assert_no_group_is_left();
        ended
    };
    (0..3).map(|_| driven()).find(counts).unwrap_or_else(driven)
}

/// Sends a signal by its number. By the program of this name, so that no test needs unsafe code.
pub(crate) fn kill(signal: i32, pid: u32) {
    let status = Command::new("kill").arg(format!("-{signal}")).arg(pid.to_string()).status().unwrap();
    assert!(status.success());
}

/// A galo in the background. One that a failing test leaves behind is ended as by Ctrl-C, or the next test would find its
/// contender instead of its own.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(None)) {
            kill(2, self.0.id());
            let _ = self.0.wait();
        }
    }
}

/// A contender of one shell command, with limits, in a folder of its own.
pub(crate) fn contender(command: &str, more: &str) -> TempDir {
    compose(&format!(
        "x-galo: {{ challenge: pessoas }}\n\
         services:\n\
         \x20 api:\n\
         \x20   deploy: {{ resources: {{ limits: {{ cpus: \"0.5\", memory: 64MB }} }} }}\n\
         \x20   x-galo:\n\
         \x20     command: [sh, -c, {command:?}]\n\
         {more}"
    ))
}

/// A folder with this Compose file.
pub(crate) fn compose(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("compose.yaml"), text).unwrap();
    folder
}

/// Waits until a condition holds, for a minute at most; whether it came to hold.
pub(crate) fn within_a_minute(mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

/// Whether anything accepts connections at [`PORT`].
pub(crate) fn is_served() -> bool {
    TcpStream::connect(("127.0.0.1", PORT)).is_ok()
}

/// Control groups of galos that are dead. (Another galo may be alive on this machine, and its groups with it.)
pub(crate) fn groups_left() -> Vec<PathBuf> {
    let is_dead = |group: &PathBuf| {
        let name = group.file_name().unwrap().to_string_lossy();
        name.split('-').nth(1).is_none_or(|pid| !Path::new("/proc").join(pid).exists())
    };
    groups().into_iter().filter(is_dead).collect()
}

/// Control groups of galos: `galo-`, the galo's process id, and more.
pub(crate) fn groups() -> Vec<PathBuf> {
    fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if !entry.file_type().is_ok_and(|t| t.is_dir()) {
                continue;
            }
            if entry.file_name().to_string_lossy().starts_with("galo-") {
                found.push(path);
            } else if depth > 0 {
                walk(&path, depth - 1, found);
            }
        }
    }
    let mut found = Vec::new();
    walk(Path::new("/sys/fs/cgroup"), 4, &mut found);
    found
}

/// Fails if [`PORT`] is still served in this test's network, or a control group is left.
#[track_caller]
pub(crate) fn assert_nothing_is_left() {
    assert!(!is_served(), "port {PORT} is still served");
    assert_no_group_is_left();
}

/// Fails if a control group of a dead galo is left, and with it perhaps a process. Of a galo that another test kills, one is there
/// for a moment.
#[track_caller]
pub(crate) fn assert_no_group_is_left() {
    assert!(within_a_minute(|| groups_left().is_empty()), "left: {:?}", groups_left());
}

/// What closes a unit, as a line of `acts.jsonl` has it.
pub(crate) const CLOSE: &str = r#""act":"close""#;

/// How many units of a run were closed.
pub(crate) fn closed(out: &Path) -> usize {
    let acts = std::fs::read_to_string(out.join("acts.jsonl")).unwrap_or_default();
    acts.lines().filter(|line| line.contains(CLOSE)).count()
}

/// That a galo which was broken off, and has ended, says on standard error how to go on, with these of its options.
#[track_caller]
pub(crate) fn assert_goes_on(mut broken_off: Child, command: &str, run: &Path, options: &str) {
    let mut said = String::new();
    broken_off.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let run = run.display();
    let line = format!("hint: go on with it: galo {command} --resume {run} {options}");
    assert!(
        said.contains("interrupted; nothing is left running\n") && said.contains(line.trim_end()),
        "{said}"
    );
}
