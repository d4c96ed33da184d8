use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Child, Command, Stdio};

use super::*;

/// A version 2 group in a folder of the test's, whose lists hold these processes.
fn group(processes: &[u32]) -> (tempfile::TempDir, Group) {
    let folder = tempfile::tempdir().unwrap();
    let list: String = processes.iter().map(|process| format!("{process}\n")).collect();
    for name in ["cgroup.threads", "cgroup.procs"] {
        fs::write(folder.path().join(name), &list).unwrap();
    }
    let group = Group::V2 { path: folder.path().to_owned() };
    (folder, group)
}

/// A service of these processes on these volumes.
fn counted(processes: &[u32], volumes: &[PathBuf]) -> (tempfile::TempDir, Counted) {
    let (folder, group) = group(processes);
    let tracepoints = Tracepoints::of(&Tracefs::open().unwrap(), volumes).unwrap();
    let counted = Counted {
        name: "db".to_owned(),
        counters: Counters::open(&tracepoints, &group, &mut 1000),
        group: Some(group),
        began: Files::of(volumes),
        volumes: volumes.to_vec(),
        last: None,
    };
    (folder, counted)
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

fn own() -> u32 {
    rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()
}

/// By system calls, and by the file system where that tells.
fn ways(folder: &Path) -> [Vec<PathBuf>; 2] {
    [Vec::new(), vec![folder.to_owned()]]
}

#[test]
fn flushes_of_whatever_a_process_starts_are_counted_and_other_calls_are_not() {
    if !counts_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    for volumes in ways(folder.path()) {
        // `dd` in a process of a process: 1 fsync, 1 fdatasync, and writes.
        let script = format!(
            "(dd if=/dev/zero of={path}/a bs=1k count=9 conv=fsync 2>/dev/null); \
             sh -c 'dd if=/dev/zero of={path}/b bs=1k count=9 conv=fdatasync 2>/dev/null; \
             dd if=/dev/zero of={path}/c count=9 2>/dev/null'"
        );
        let (flusher, quiet) = (waiting(&script), waiting("echo x > /dev/null"));
        let (_first, mut of_flusher) = counted(&[flusher.id()], &volumes);
        let (_second, mut of_quiet) = counted(&[quiet.id()], &volumes);
        assert_eq!(of_flusher.read().calls, Some(0));
        go_on(flusher);
        go_on(quiet);
        let read = of_flusher.read();
        assert_eq!((read.calls, read.doubt), (Some(2), None));
        assert_eq!(of_quiet.read().calls, Some(0));
    }
}

#[test]
fn a_write_that_writes_through_is_a_flush_and_any_other_is_none() {
    if !counts_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("a")).unwrap();
    for volumes in ways(folder.path()) {
        let (_folder, mut counted) = counted(&[own()], &volumes);
        let text = [io::IoSlice::new(b"x")];
        rustix::io::pwritev2(&file, &text, 0, rustix::io::ReadWriteFlags::empty()).unwrap();
        assert_eq!(counted.read().calls, Some(0));
        rustix::io::pwritev2(&file, &text, 0, rustix::io::ReadWriteFlags::DSYNC).unwrap();
        let read = counted.read();
        assert_eq!((read.calls, read.doubt), (Some(1), None));
    }
}

/// A ring's request, which is waited for.
#[allow(unsafe_code)]
fn ask(ring: &mut io_uring::IoUring, request: &io_uring::squeue::Entry) {
    // SAFETY: what the request points to outlives it, as its answer is waited for.
    unsafe { ring.submission().push(request).unwrap() };
    ring.submit_and_wait(1).unwrap();
    assert!(ring.completion().next().unwrap().result() >= 0);
}

/// What is counted of a flush and of a write by a ring. The ring's workers belong to its thread, so a thread that has
/// asked nothing of a ring before has none that began before counting did.
fn by_ring(file: &File, volumes: &[PathBuf]) {
    let to = io_uring::types::Fd(file.as_raw_fd());
    let (_folder, mut counted) = counted(&[own()], volumes);
    let mut ring = io_uring::IoUring::new(2).unwrap();
    ask(&mut ring, &io_uring::opcode::Nop::new().build());
    assert_eq!(counted.read().calls, Some(0));
    ask(&mut ring, &io_uring::opcode::Fsync::new(to).build());
    let read = counted.read();
    assert_eq!((read.calls, read.doubt), (Some(1), None), "{volumes:?}");
    ask(&mut ring, &io_uring::opcode::Write::new(to, b"x".as_ptr(), 1).build());
    let doubt = "it wrote by io_uring, perhaps to write through (calls: 1)";
    let tells = Tracepoints::of(&Tracefs::open().unwrap(), volumes).unwrap().suspects.len() < 2;
    assert_eq!(counted.read().doubt.as_deref(), (!tells).then_some(doubt));
}

#[test]
fn a_flush_by_io_uring_is_counted_and_a_write_by_it_is_a_doubt_where_the_file_system_does_not_tell() {
    if io_uring::IoUring::new(2).is_err() {
        return needs::lacked("the kernel gives no io_uring");
    }
    if !counts_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(folder.path().join("a")).unwrap();
    for volumes in ways(folder.path()) {
        let by_itself = std::thread::scope(|scope| scope.spawn(|| by_ring(&file, &volumes)).join());
        by_itself.unwrap();
    }
}

#[test]
fn a_synchronous_file_outside_of_the_volumes_or_without_a_write_is_neither_a_flush_nor_a_doubt() {
    if !counts_here() {
        return;
    }
    let (volume, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let open = |folder: &tempfile::TempDir| {
        let path = folder.path().join("journal");
        fs::OpenOptions::new().create(true).append(true).custom_flags(libc::O_DSYNC).open(path).unwrap()
    };
    let (mut unused, _other) = (open(&volume), open(&elsewhere));
    let (_folder, mut counted) = counted(&[own()], &[volume.path().to_owned()]);
    let read = counted.read();
    assert_eq!((read.seen(), read.doubt, read.written_files), (Some(0), None, Some(0)));
    unused.write_all(b"x").unwrap();
    let read = counted.read();
    assert!(read.seen() > Some(0));
    assert_eq!((read.synchronous_files, read.doubt, read.written_files), (1, None, Some(1)));
    drop(unused);
    assert_eq!(counted.read().synchronous_files, 1, "it was seen once");
}

#[test]
fn each_write_of_a_synchronous_file_is_seen_between_two_looks() {
    if !counts_here() {
        return;
    }
    let volume = tempfile::tempdir().unwrap();
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true).custom_flags(libc::O_DSYNC);
    let mut journal = options.open(volume.path().join("journal")).unwrap();
    let (_folder, mut counted) = counted(&[own()], &[volume.path().to_owned()]);
    journal.write_all(b"x").unwrap();
    counted.read();
    let counter = FlushCounter { services: vec![counted] };
    let before = counter.mark().unwrap();
    assert_eq!(counter.mark().unwrap().since(&before), 0);
    journal.write_all(b"x").unwrap();
    assert!(counter.mark().unwrap().since(&before) > 0);
}

#[test]
fn a_file_that_is_opened_to_write_through_and_closed_again_is_a_doubt_where_the_file_system_does_not_tell() {
    if !counts_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_folder, mut counted) = counted(&[own()], &[]);
    let _ordinary = File::create(folder.path().join("a")).unwrap();
    assert_eq!(counted.read().doubt, None);
    let mut options = fs::OpenOptions::new();
    drop(options.write(true).custom_flags(libc::O_DSYNC).open(folder.path().join("a")).unwrap());
    let doubt = counted.read().doubt;
    let told = "it opened files with O_SYNC or O_DSYNC, perhaps to write through (calls: 1)";
    assert_eq!(doubt.as_deref(), Some(told));
    assert_eq!(counted.read().doubt, doubt, "a doubt stays");
}

#[test]
fn a_service_without_a_group_or_without_threads_is_not_counted_and_told_why() {
    let (_folder, empty) = group(&[]);
    let tracepoints = Tracepoints { flushes: Vec::new(), suspects: Vec::new(), unseen: None };
    assert_eq!(Counters::open(&tracepoints, &empty, &mut 1).unwrap_err(), "it has no threads");
    let placement = crate::tests::placement([None]);
    let told = FlushCounter::open(&placement, |_| Vec::new()).read().remove(0);
    assert!(told.calls.is_none() && told.doubt.is_some() && told.is_in_doubt(), "{told:?}");
}

#[test]
fn services_without_a_volume_are_left_out_where_others_have_one() {
    let placement = crate::tests::placement([None, None]);
    let volume = tempfile::tempdir().unwrap();
    let names = |volumes: &dyn Fn(&str) -> Vec<PathBuf>| {
        let mut counter = FlushCounter::open(&placement, volumes);
        counter.read().into_iter().map(|read| read.service).collect::<Vec<_>>()
    };
    let all = names(&|_| Vec::new());
    assert_eq!(all.len(), 2);
    let first = |name: &str| Vec::from_iter((name == all[0]).then(|| volume.path().to_owned()));
    assert_eq!(names(&first), all[..1]);
}

#[test]
fn more_threads_than_there_are_files_for_are_not_counted_and_take_nothing() {
    let (_folder, group) = group(&[1, 2, 3]);
    let point = Tracepoint { number: 1, filter: None };
    let tracepoints = Tracepoints {
        flushes: vec![point.clone(), point.clone()],
        suspects: vec![("wrote", point)],
        unseen: None,
    };
    let mut room = 8;
    let lack = Counters::open(&tracepoints, &group, &mut room).unwrap_err();
    assert_eq!(lack, "too many threads to count: 3 here, for the open files that galo may have");
    assert_eq!(room, 8);
}

#[test]
fn threads_of_groups_below_are_counted_with_their_service() {
    let (folder, group) = group(&[1]);
    let inner = folder.path().join("inner/most");
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join("cgroup.threads"), "2\n").unwrap();
    assert_eq!(threads(&group), [1, 2]);
}
