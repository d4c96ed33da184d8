use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::testing;

/// A contender whose only service runs `command` in this folder.
fn contender(folder: &Path, command: &[&str]) -> Contender {
    let service = Service {
        name: "api".to_owned(),
        build: None,
        setup: None,
        command: command.iter().map(|word| (*word).to_owned()).collect(),
        environment: BTreeMap::new(),
        workdir: folder.to_owned(),
        user: None,
        ready: galo_plan::contender::Ready::Started,
        ready_timeout_ns: 1,
        depends_on: Vec::new(),
        cpus_milli: 1,
        memory_bytes: 1,
        cpuset: Vec::new(),
        ulimits: BTreeMap::new(),
        pids_max: None,
        volumes: Vec::new(),
        stop: None,
        container: None,
    };
    testing::contender(vec![service], Runner::Process)
}

/// A folder with a program, its code, and what it writes.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::create_dir(folder.path().join("target")).unwrap();
    for name in ["target/app", "server.js", "library.js", "data.db", "run.log"] {
        write(name, "one");
    }
    fs::set_permissions(folder.path().join("target/app"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn in_a_repository() -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("nginx.conf"), "one").unwrap();
    let run = |arguments: &[&str]| assert!(git(folder.path()).args(arguments).status().unwrap().success());
    run(&["init", "--quiet"]);
    run(&["add", "server.js", "library.js", "nginx.conf"]);
    folder
}

/// What is told after something was done to a folder that was built.
fn told(folder: &tempfile::TempDir, command: &[&str], spoil: impl Fn(&Path)) -> Option<String> {
    let contender = contender(folder.path(), command);
    let mut programs = Programs::default();
    programs.keep(&contender);
    programs.require_unchanged(&contender).unwrap();
    spoil(folder.path());
    let error = programs.require_unchanged(&contender).err()?;
    assert_eq!(error.blame, galo_plan::Blame::Host);
    Some(error.to_string().replace(&*folder.path().to_string_lossy(), "HERE"))
}

#[test]
fn a_program_that_was_changed_after_its_build_is_told_wherever_it_lies() {
    let change = |path: &Path| fs::write(path.join("target/app"), "two").unwrap();
    for folder in [folder(), in_a_repository()] {
        let told = told(&folder, &["./target/app", "80"], change).unwrap();
        assert!(told.starts_with("`HERE/./target/app` was changed after the build"), "{told}");
        assert!(told.contains("who did it is not known (service `api`)\nhint: "), "{told}");
    }
}

#[test]
fn a_change_is_told_though_size_and_times_are_as_before() {
    let folder = in_a_repository();
    let forge = |path: &Path| {
        let file = path.join("library.js");
        let modified = file.metadata().unwrap().modified().unwrap();
        fs::write(&file, "two").unwrap();
        File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    };
    let told = told(&folder, &["node", "server.js"], forge).unwrap();
    assert!(told.contains("`HERE/library.js` was changed"), "{told}");
}

#[test]
fn a_file_that_git_tracks_may_be_neither_changed_nor_removed_nor_replaced() {
    let change = |path: &Path| fs::write(path.join("nginx.conf"), "two").unwrap();
    let remove = |path: &Path| fs::remove_file(path.join("nginx.conf")).unwrap();
    let replace = |path: &Path| {
        remove(path);
        std::os::unix::fs::symlink("server.js", path.join("nginx.conf")).unwrap();
    };
    let pipe = |path: &Path| {
        remove(path);
        let made = std::process::Command::new("mkfifo").arg(path.join("nginx.conf")).status().unwrap();
        assert!(made.success());
    };
    for spoil in [&change as &dyn Fn(&Path), &remove, &replace, &pipe] {
        let told = told(&in_a_repository(), &["node", "server.js"], spoil).unwrap();
        assert!(told.contains("`HERE/nginx.conf` was changed"), "{told}");
    }
}

#[test]
fn outside_of_a_repository_code_alone_may_not_be_changed() {
    let change = |name: &'static str| move |path: &Path| fs::write(path.join(name), "two").unwrap();
    let command = ["node", "server.js"];
    assert!(told(&folder(), &command, change("library.js")).unwrap().contains("`HERE/library.js`"));
    for own in ["data.db", "run.log", "new.js"] {
        assert_eq!(told(&folder(), &command, change(own)), None, "{own}");
    }
}

#[test]
fn what_a_contender_writes_beside_its_code_is_no_offence() {
    let write = |path: &Path| {
        fs::create_dir(path.join("__pycache__")).unwrap();
        fs::write(path.join("__pycache__/server.pyc"), "two").unwrap();
        fs::write(path.join("run.log"), "two").unwrap();
        fs::write(path.join("data.db"), "two").unwrap();
    };
    for folder in [folder(), in_a_repository()] {
        assert_eq!(told(&folder, &["node", "server.js", "--database", "data.db"], write), None);
    }
}

#[test]
fn a_file_that_was_written_anew_with_the_same_content_is_the_same() {
    let again = |path: &Path| {
        fs::remove_file(path.join("server.js")).unwrap();
        fs::write(path.join("server.js"), "one").unwrap();
    };
    assert_eq!(told(&in_a_repository(), &["node", "server.js"], again), None);
}

#[test]
fn what_was_built_again_is_what_counts() {
    let folder = folder();
    let contender = contender(folder.path(), &["target/app"]);
    let mut programs = Programs::default();
    programs.keep(&contender);
    fs::write(folder.path().join("target/app"), "two").unwrap();
    programs.keep(&contender);
    programs.require_unchanged(&contender).unwrap();
}

#[test]
fn a_contender_that_runs_in_a_folder_around_its_own_owns_nothing_beside_it() {
    let folder = in_a_repository();
    let own = folder.path().join("contenders/own");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("settings.conf"), "one").unwrap();
    assert!(git(folder.path()).args(["add", "."]).status().unwrap().success());
    let mut contender = contender(folder.path(), &["node", "server.js"]);
    contender.file = own.join("compose.yaml");
    let mut programs = Programs::default();
    programs.keep(&contender);
    fs::write(folder.path().join("nginx.conf"), "two").unwrap();
    programs.require_unchanged(&contender).unwrap();
    for named in [own.join("settings.conf"), folder.path().join("server.js")] {
        fs::write(&named, "two").unwrap();
        let told = programs.require_unchanged(&contender).unwrap_err().message;
        assert!(told.contains(&*named.file_name().unwrap().to_string_lossy()), "{told}");
        programs.keep(&contender);
    }
}
