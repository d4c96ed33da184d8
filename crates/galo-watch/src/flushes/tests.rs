use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, Stdio};

use super::*;

/// A version 2 group in a folder of the test's, whose list holds these threads.
fn group(threads: &[u32]) -> (tempfile::TempDir, Group) {
    let folder = tempfile::tempdir().unwrap();
    let list: String = threads.iter().map(|thread| format!("{thread}\n")).collect();
    fs::write(folder.path().join("cgroup.threads"), list).unwrap();
    let group = Group::V2 { path: folder.path().to_owned() };
    (folder, group)
}

/// A shell that waits for a line before it runs the script.
fn waiting(script: &str) -> Child {
    Command::new("sh").args(["-c", &format!("read line; {script}")]).stdin(Stdio::piped()).spawn().unwrap()
}

fn go_on(mut child: Child) {
    child.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(child.wait().unwrap().success());
}

/// Whether this machine counts; a test that proves nothing says so.
fn counts_here() -> bool {
    let lack = flushes_lack();
    if let Some((why, _)) = &lack {
        needs::lacked(&format!("flushes are not counted: {why}"));
    }
    lack.is_none()
}

#[test]
fn flushes_of_whatever_a_process_starts_are_counted_and_other_calls_are_not() {
    if !counts_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    // `dd` in a process of a process: 1 fsync, 1 fdatasync, and writes.
    let script = format!(
        "(dd if=/dev/zero of={path}/a bs=1k count=9 conv=fsync 2>/dev/null); \
         sh -c 'dd if=/dev/zero of={path}/b bs=1k count=9 conv=fdatasync 2>/dev/null; \
         dd if=/dev/zero of={path}/c count=9 2>/dev/null'"
    );
    let (flusher, quiet) = (waiting(&script), waiting("echo x > /dev/null"));
    let counted = |child: &Child| {
        let (_folder, group) = group(&[child.id()]);
        let counters = Counters::open(&tracepoints().unwrap(), &group, &mut 100);
        Counted { name: "db".to_owned(), counters, group: None, doubt: None }
    };
    let (mut of_flusher, mut of_quiet) = (counted(&flusher), counted(&quiet));
    assert_eq!(of_flusher.read().calls, Some(0));
    go_on(flusher);
    go_on(quiet);
    assert_eq!(of_flusher.read(), ServiceFlushes { service: "db".to_owned(), calls: Some(2), doubt: None });
    assert_eq!(of_quiet.read().calls, Some(0));
}

#[test]
fn tracefs_is_read_without_being_mounted() {
    if !counts_here() {
        return;
    }
    let mount = detached().unwrap();
    let id = "events/syscalls/sys_enter_fsync/id";
    let file = rustix::fs::openat(&mount, id, OFlags::RDONLY, Mode::empty()).unwrap();
    let number: u64 = io::read_to_string(File::from(file)).unwrap().trim().parse().unwrap();
    assert!(tracepoints().unwrap().flushes.contains(&number));
}

#[test]
fn a_service_without_a_group_or_without_threads_is_not_counted_and_told_why() {
    let (_folder, empty) = group(&[]);
    let tracepoints = Tracepoints { flushes: vec![1], suspects: Vec::new() };
    assert_eq!(Counters::open(&tracepoints, &empty, &mut 1).unwrap_err(), "it has no threads");
    let mut counted =
        Counted { name: "api".to_owned(), group: None, counters: Err("why".to_owned()), doubt: None };
    let told = ServiceFlushes { service: "api".to_owned(), calls: None, doubt: Some("why".to_owned()) };
    assert_eq!(counted.read(), told);
}

#[test]
fn a_file_that_is_written_through_is_a_doubt() {
    let folder = tempfile::tempdir().unwrap();
    let own = i32::try_from(std::process::id()).unwrap();
    let open = |name: &str, flags| {
        fs::OpenOptions::new().create(true).append(true).custom_flags(flags).open(folder.path().join(name))
    };
    let _ordinary = open("a", 0).unwrap();
    assert_eq!(written_through(&[own]), None);
    let _synchronous = open("b", libc::O_SYNC).unwrap();
    let doubt = written_through(&[own]).unwrap();
    assert!(doubt.ends_with("/b` opened with O_SYNC or O_DSYNC"), "{doubt}");
}

#[test]
fn a_doubt_outlives_what_gave_it() {
    let folder = tempfile::tempdir().unwrap();
    let to = format!("of={}", folder.path().join("a").display());
    let mut writer =
        Command::new("dd").args([&to, "oflag=dsync", "status=none"]).stdin(Stdio::piped()).spawn().unwrap();
    fs::write(folder.path().join("cgroup.procs"), format!("{}\n", writer.id())).unwrap();
    let group = Some(Group::V2 { path: folder.path().to_owned() });
    let counters = Ok(Counters::default());
    let mut counted = Counted { name: "db".to_owned(), counters, group, doubt: None };
    let doubt = std::iter::repeat_with(|| counted.read().doubt).take(1_000_000).find_map(|doubt| doubt);
    drop(writer.stdin.take());
    assert!(writer.wait().unwrap().success() && doubt.is_some());
    assert_eq!(counted.read().doubt, doubt);
}

#[test]
fn what_may_have_been_written_through_is_a_doubt() {
    if !counts_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("a")).unwrap();
    let mut counted = {
        let (_folder, group) = group(&[rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()]);
        let counters = Counters::open(&tracepoints().unwrap(), &group, &mut 100);
        Counted { name: "db".to_owned(), counters, group: None, doubt: None }
    };
    assert_eq!(counted.read().doubt, None);
    let text = [io::IoSlice::new(b"x")];
    rustix::io::pwritev2(&file, &text, 0, rustix::io::ReadWriteFlags::DSYNC).unwrap();
    let told = counted.read();
    assert_eq!(
        (told.calls, told.doubt.as_deref()),
        (Some(0), Some("it called pwritev2, perhaps to write through (calls: 1)"))
    );
}

#[test]
fn more_threads_than_there_are_files_for_are_not_counted_and_take_nothing() {
    let (_folder, group) = group(&[1, 2, 3]);
    let tracepoints = Tracepoints { flushes: vec![1, 2], suspects: vec![3] };
    let mut room = 8;
    let lack = Counters::open(&tracepoints, &group, &mut room).unwrap_err();
    assert_eq!(lack, "too many threads to count: 3 here, for the open files that galo may have");
    assert_eq!(room, 8);
}

#[test]
fn groups_below_and_processes_that_cannot_be_read_are_a_doubt_and_those_gone_are_not() {
    let (folder, group) = group(&[]);
    let write = |processes: &str| fs::write(folder.path().join("cgroup.procs"), processes).unwrap();
    // No process has this id: the kernel gives none above 2^22.
    write("4194305\n");
    assert_eq!(unseen(&group), None);
    fs::create_dir(folder.path().join("inner")).unwrap();
    assert_eq!(unseen(&group).unwrap(), "it has control groups below its own, whose threads are not counted");
    assert!(has_ended(&fs::read_dir("/proc/4194305/fd").unwrap_err()));
    assert!(!has_ended(&io::Error::from_raw_os_error(libc::EACCES)));
}

#[test]
fn the_ring_of_the_kernels_aio_is_a_doubt() {
    let process = tempfile::tempdir().unwrap();
    fs::create_dir(process.path().join("fd")).unwrap();
    let map = |name: &str| format!("7f1c-7f1d rw-s 00000000 00:0e 4711   {name}\n");
    let maps = |name: &str| fs::write(process.path().join("maps"), map("/lib/x.so") + &map(name)).unwrap();
    maps("/tmp/[aio]");
    assert_eq!(of_maps(process.path()).unwrap(), None);
    maps("/[aio] (deleted)");
    assert_eq!(
        of_maps(process.path()).unwrap().unwrap(),
        "it uses the kernel's AIO, whose flushes are not seen"
    );
}

#[test]
fn flags_are_read_as_octal_numbers() {
    assert!(opened_synchronously("pos:\t0\nflags:\t02110001\n"));
    assert!(opened_synchronously("flags:\t04110001\n"));
    assert!(!opened_synchronously("pos:\t10000\nflags:\t0100001\nmnt_id:\t10000\n"));
    assert!(!opened_synchronously("flags:\tnone\n"));
}
