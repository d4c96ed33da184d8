//! What tests need of the machine. It is no part of galo: tests of all crates and of the contenders share it.
//!
//! A program that can be installed is simply there, or the test fails with the command that installs it. What only another
//! machine or another user has (a version of control groups, root) may be lacked: that is noted in the file that
//! `GALO_SKIPPED` names, where `ci/validate` looks whether `ci/may-skip` allows it. Without that variable the test fails.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

/// A program's file, also where Debian and others put those that are not for everybody.
///
/// # Panics
/// Where there is none, with the Debian package that has it.
#[must_use]
pub fn program(name: &str, package: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let of_path = std::env::var_os("PATH").unwrap_or_default();
    let folders = versions
        .map(|version| version.path().join("bin"))
        .chain(std::env::split_paths(&of_path))
        .chain(["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"].map(PathBuf::from));
    let found = folders.map(|folder| folder.join(name)).find(|path| path.is_file());
    found.unwrap_or_else(|| {
        panic!("this test needs the program `{name}`\nhint: apt-get install {package}, or run ci/validate as root")
    })
}

/// The user and group to run a PostgreSQL as, which refuses to run as root; the folder becomes theirs.
///
/// # Panics
/// Where root finds no user `postgres`.
#[must_use]
pub fn user_of_postgres(folder: &Path) -> (u32, u32) {
    let meta = folder.metadata().expect("the test's own folder is there");
    if meta.uid() != 0 {
        return (meta.uid(), meta.gid());
    }
    let users = fs::read_to_string("/etc/passwd").expect("every Linux has /etc/passwd");
    let line = users.lines().find(|line| line.starts_with("postgres:")).unwrap_or_default();
    let ids: Vec<u32> = line.split(':').skip(2).take(2).flat_map(str::parse).collect();
    let [uid, gid] = ids[..] else {
        panic!("this test needs a user `postgres`\nhint: apt-get install postgresql, which makes one")
    };
    chown(folder, Some(uid), Some(gid)).expect("root may give a folder away");
    (uid, gid)
}

/// Notes that the test of this thread proves nothing on this machine, and why. The test is to return then.
///
/// # Panics
/// Where nobody asked for such notes: a test that proves nothing has not passed.
pub fn lacked(why: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a thread without a name");
    let crate_name = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    match note(std::env::var_os("GALO_SKIPPED"), &format!("{crate_name} {test}: {why}\n")) {
        Ok(true) => {}
        Ok(false) => panic!(
            "this test proves nothing here: {why}\n\
             hint: GALO_SKIPPED=FILE lets it pass and notes it there; ci/validate then asks ci/may-skip"
        ),
        Err(error) => panic!("the file that GALO_SKIPPED names: {error}"),
    }
}

/// Whether there is a file to note it in.
fn note(file: Option<OsString>, line: &str) -> io::Result<bool> {
    let Some(file) = file else { return Ok(false) };
    // One write, so that lines of tests that run side by side stay whole.
    File::options().append(true).create(true).open(file)?.write_all(line.as_bytes())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lack_is_noted_behind_those_before_it() {
        let file = std::env::temp_dir().join(format!("needs-{}", std::process::id()));
        for line in ["a one: no\n", "a two: no\n"] {
            assert!(note(Some(file.clone().into()), line).is_ok_and(|noted| noted));
        }
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("a one: no\na two: no\n"));
        assert!(fs::remove_file(&file).is_ok());
    }

    #[test]
    fn a_lack_that_nobody_asked_for_is_not_noted() {
        assert!(note(None, "a one: no\n").is_ok_and(|noted| !noted));
    }

    #[test]
    #[should_panic(expected = "apt-get install no-such-package")]
    fn a_program_that_is_missing_is_told_with_its_package() {
        let _ = program("no-such-program", "no-such-package");
    }
}
