//! The action's steps, run as a runner would, on repositories with real servers.

use std::fs::File;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::duel::SHORT;
use crate::runner::{Job, Ran, action};
use crate::servers::{Recorder, json};
use crate::support::{Ended, assert_no_group_is_left, driven_until, root, run, within_a_minute};

/// A server that takes so many milliseconds for an answer.
const SERVER: &str = r#"
import sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MILLISECONDS = TAKES

class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(MILLISECONDS / 1000)
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    def log_message(self, *_):
        pass

ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
"#;

pub(crate) const COMMAND: (&str, &str) = ("command", "python3 server.py {port}");
pub(crate) const BUILD: (&str, &str) = ("build", "python3 -m py_compile server.py");

pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    let mut git = Command::new("git");
    run(git.current_dir(folder).args(identity).args(arguments)).expect(0).stdout.trim().to_owned()
}

/// A repository with one commit for each server, by what stands where its milliseconds should.
pub(crate) fn repository(servers: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet", "--initial-branch", "main"]);
    std::fs::write(folder.path().join(".gitignore"), "__pycache__\n").unwrap();
    for (number, takes) in servers.iter().enumerate() {
        let server = format!("# {number}\n{}", SERVER.replace("TAKES", takes));
        std::fs::write(folder.path().join("server.py"), server).unwrap();
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "--quiet", "--message", takes]);
    }
    folder
}

/// A job whose duel comes to nothing.
fn told(servers: &[&str], inputs: &[(&str, &str)]) -> (Ran, Job) {
    let repository = repository(servers);
    let job = Job::new(repository.path(), inputs);
    let ran = job.run();
    assert_no_group_is_left();
    (ran, job)
}

#[test]
fn a_base_that_does_not_build_or_start_leaves_nothing_to_compare_and_fails_nothing() {
    for (base, why) in
        [("1 +", "the build failed"), ("sys.exit(3)", "exit status 3"), ("None", "gives no answer")]
    {
        let (ran, job) = told(&[base, "1"], &[COMMAND, BUILD]);
        assert_eq!((ran.code, ran.outputs["verdict"].as_str()), (0, "base-fails"), "{base}: {}", ran.log);
        assert!(ran.log.contains("::warning title=galo::nothing was compared"), "{}", ran.log);
        let comment = job.comments().concat();
        assert!(comment.contains("### Nothing to compare: the base cannot fight"), "{comment}");
        assert!(comment.contains(why), "{comment}");
    }
}

#[test]
fn a_side_that_does_not_start_a_later_time_is_told_as_one_that_never_does() {
    let options = format!("--rounds=3\n--profile={SHORT}");
    for (place, expected) in [(0, (0, "base-fails")), (1, (4, "head-fails"))] {
        // A server asks it when it starts, and ends by any status but 200. A third pair begins a second start.
        let (_, address) = Recorder::start(|before| json(if before == 0 { 200 } else { 500 }, "{}"));
        let asks = format!("__import__('urllib.request').request.urlopen('http://{address}/').status / 200");
        let mut servers = ["1", "1"];
        servers[place] = &asks;
        let (ran, job) = told(&servers, &[COMMAND, ("quick", "true"), ("options", &options)]);
        assert_eq!((ran.code, ran.outputs["verdict"].as_str()), expected, "{}", ran.log);
        assert!(Path::new(&ran.outputs["run"]).join("report.html").exists(), "{}", ran.log);
        let comment = job.comments().concat();
        assert!(comment.contains("cannot fight") && comment.contains("HTTP Error 500"), "{comment}");
    }
}

#[test]
fn a_head_that_does_not_build_fails_the_job_whether_its_base_does_or_not() {
    for base in ["1", "1 +"] {
        let (ran, job) = told(&[base, "2 +"], &[COMMAND, BUILD]);
        assert_eq!((ran.code, ran.outputs["verdict"].as_str()), (4, "head-fails"), "{}", ran.log);
        let comment = job.comments().concat();
        assert!(
            comment.contains("### The head cannot fight") && comment.contains("    error: the build failed"),
            "{comment}"
        );
    }
}

/// Stands for the milliseconds of a server that stops answering after as many answers as come before a load.
const FAILS_LATER: &str =
    "type('', (), {'__truediv__': lambda self, by, left=iter(range(40)): next(left, None) / 1e6})()";

#[test]
fn a_base_that_fails_under_load_fails_no_bound_and_a_head_fails_each() {
    let options = format!("--rounds=1\n--profile={SHORT}");
    let inputs = [COMMAND, ("quick", "true"), ("options", options.as_str()), ("assert", "p99 ratio < 9")];
    for (place, expected) in [(0, (0, "base-fails")), (1, (1, "fails"))] {
        let mut servers = ["1", "1"];
        servers[place] = FAILS_LATER;
        let counts = |(ran, _): &(Ran, Job)| ran.outputs["verdict"] != "void";
        let (ran, job) = driven_until(counts, || told(&servers, &inputs));
        assert_eq!((ran.code, ran.outputs["verdict"].as_str()), expected, "{}", ran.log);
        assert_eq!(ran.log.contains("::warning title=galo::nothing was compared"), place == 0, "{}", ran.log);
        assert!(job.comments()[0].contains("does not answer rightly"), "{:?}", job.comments());
    }
}

#[test]
fn what_root_made_is_handed_back_to_the_job_and_nothing_else() {
    /// Whom the job says it runs as.
    const USER: u32 = 12345;
    let build =
        "mkdir -p ~/.npm && touch ~/.npm/new && ln -sf old ~/.npm/link && python3 -m py_compile server.py";
    let repository = repository(&["1", "2 +"]);
    let job = Job::new(repository.path(), &[COMMAND, ("build", build), ("sudo", "true")]);
    std::fs::write(job.path("bin/id"), format!("#!/bin/sh\necho {USER}\n")).unwrap();
    std::fs::set_permissions(job.path("bin/id"), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir(job.path("home/.npm")).unwrap();
    File::create(job.path("home/.npm/old")).unwrap();
    let ran = job.run();
    assert_eq!(ran.outputs["verdict"], "head-fails", "{}", ran.log);
    let asked = std::fs::read_to_string(job.path("sudo")).unwrap();
    let asked: Vec<&str> = asked.lines().collect();
    assert!(asked[0].starts_with("--non-interactive --preserve-env env PATH="), "{asked:?}");
    assert!(asked[1].starts_with("--non-interactive find "), "{asked:?}");
    assert_eq!(asked.len(), 2);

    let owner = |path: &Path| path.symlink_metadata().unwrap().uid();
    let tester = owner(&job.path("home/.npm/old"));
    // The stand-in for `sudo` gives no rights, so only a test that is root makes files of root's.
    let handed = if tester == 0 { USER } else { tester };
    for path in ["home/.npm", "home/.npm/new", "home/.npm/link"] {
        assert_eq!(owner(&job.path(path)), handed, "{path}");
    }
    assert_eq!(owner(&repository.path().join(".git/worktrees")), handed);
    assert_eq!(owner(&repository.path().join("server.py")), tester);
    assert_eq!(owner(&job.path("home/.cache/galo/revisions")), tester);
}

#[test]
fn a_first_commit_has_nothing_to_compare_with() {
    let (ran, job) = told(&["1"], &[COMMAND]);
    assert_eq!((ran.code, ran.outputs["verdict"].as_str()), (0, "no-base"), "{}", ran.log);
    assert!(job.comments()[0].contains("this is the first commit"), "{:?}", job.comments());
}

#[test]
fn a_folder_that_the_base_lacks_has_nothing_to_compare_with() {
    let repository = repository(&["1"]);
    let folder = repository.path().join("apps/new");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(repository.path().join("server.py"), folder.join("server.py")).unwrap();
    git(repository.path(), &["add", "."]);
    git(repository.path(), &["commit", "--quiet", "--message", "a new service"]);
    let job = Job::new(repository.path(), &[COMMAND, ("directory", "apps/new")]);
    let ran = job.run();
    assert_eq!((ran.code, ran.outputs["verdict"].as_str()), (0, "no-base"), "{}", ran.log);
    assert!(job.comments()[0].contains("the base has no folder `apps/new/`"), "{:?}", job.comments());
}

#[test]
fn a_pull_request_is_told_by_the_commit_that_was_pushed() {
    let repository = repository(&["1 +", "1"]);
    let mut job = Job::new(repository.path(), &[COMMAND, BUILD]);
    let event = r#"{"pull_request": {"number": 7, "head": {"sha": "0123456789abcdef"}}}"#;
    std::fs::write(job.path("github/event.json"), event).unwrap();
    let head = git(repository.path(), &["rev-parse", "HEAD"]);
    for (merge, told) in [(head.as_str(), "0123456789ab"), ("another", &head[..12])] {
        job.variables.insert("GITHUB_SHA".to_owned(), merge.to_owned());
        job.run();
        assert!(job.comments()[0].contains(&format!("head `{told}` against base ")), "{:?}", job.comments());
    }
}

#[test]
fn a_shallow_clone_is_told_how_to_fetch_all() {
    let (repository, clone) = (repository(&["1", "2"]), tempfile::tempdir().unwrap());
    let url = format!("file://{}", repository.path().display());
    git(clone.path(), &["clone", "--quiet", "--depth", "1", &url, "."]);
    for base in ["", "origin/old"] {
        let ran = Job::new(clone.path(), &[COMMAND, ("base", base)]).run();
        assert_eq!(ran.code, 2, "{}", ran.log);
        assert!(ran.log.contains(
            "is not in this shallow clone%0Ahint: fetch all: actions/checkout with { fetch-depth: 0 }"
        ));
    }
}

#[test]
fn a_pull_request_is_compared_with_its_base_and_wrong_inputs_are_refused() {
    let repository = repository(&["1", "2"]);
    let mut job = Job::new(repository.path(), &[COMMAND]);
    job.variables.insert("GITHUB_BASE_REF".to_owned(), "main".to_owned());
    let refused = |job: &Job, code: i32, why: &str| {
        let ran = job.run();
        assert_eq!(ran.code, code, "{}", ran.log);
        assert!(ran.log.contains(why), "{}", ran.log);
    };
    refused(&job, 2, "there is no revision `origin/main`");
    git(repository.path(), &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    refused(&job, 0, "base and head are the same commit");
    // What came to the target branch after the head left it is not compared.
    let later = git(repository.path(), &["commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "later"]);
    git(repository.path(), &["update-ref", "refs/remotes/origin/main", &later]);
    refused(&job, 0, "base and head are the same commit");
    job.with("base", "HEAD^");
    job.with("options", "--nothing");
    refused(&job, 2, "unexpected argument '--nothing'");
    job.with("options", "");
    job.with("assert", "p99 ration < 2");
    refused(&job, 2, "::error title=galo::");
    job.with("command", "");
    refused(&job, 2, "the input `command` is missing");
    job.with("command", COMMAND.1);
    std::fs::rename(repository.path().join(".git"), repository.path().join("gone")).unwrap();
    refused(&job, 2, "git finds no repository at ");
    job.variables.insert("GITHUB_EVENT_NAME".to_owned(), "pull_request_target".to_owned());
    refused(&job, 2, "use `on: pull_request`");
}

#[test]
fn inputs_are_never_read_by_a_shell() {
    for step in action().runs.steps {
        assert!(!step.run.contains("${{"), "{}: {}", step.id, step.run);
    }
    let repository = repository(&["1"]);
    let evil = "\"; touch evil; $(touch evil) `touch evil` '; touch evil";
    let inputs = ["build", "url", "scenario", "assert", "base", "quick", "options", "name", "version"];
    for name in inputs {
        Job::new(repository.path(), &[COMMAND, (name, evil)]).run();
        assert!(!repository.path().join("evil").exists(), "{name}");
    }
}

#[test]
fn a_second_run_replaces_its_own_comment_and_never_a_strangers() {
    let repository = repository(&["1"]);
    let mut job = Job::new(repository.path(), &[COMMAND]);
    let stranger =
        r#"[{"id": 1, "body": "<!-- galo duel: galo -->\nmine", "user": {"type": "User", "login": "x"}}]"#;
    std::fs::write(job.path("github/comments.json"), stranger).unwrap();
    job.run();
    job.run();
    assert_eq!(job.comments().len(), 2, "{:?}", job.comments());
    assert!(job.comments()[0].ends_with("mine"));
    job.with("name", "search");
    job.run();
    assert_eq!(job.comments().len(), 3, "another duel has a comment of its own: {:?}", job.comments());
    for name in ["a/b", "a:b", "ab"] {
        job.with("name", name);
        job.run();
        job.run();
    }
    assert_eq!(job.comments().len(), 6, "names that differ by a mark alone: {:?}", job.comments());
    job.with("comment", "false");
    job.with("name", "none");
    job.run();
    assert_eq!(job.comments().len(), 6);
}

#[test]
fn a_server_that_is_not_github_com_is_asked_by_its_own_name_and_token() {
    let repository = repository(&["1"]);
    let mut job = Job::new(repository.path(), &[COMMAND]);
    std::fs::rename(job.path("bin/gh"), job.path("bin/gh-itself")).unwrap();
    let gh =
        "#!/bin/sh\necho \"${GH_HOST-} ${GH_ENTERPRISE_TOKEN-}\" >\"$0.asked\"\nexec \"$0-itself\" \"$@\"\n";
    std::fs::write(job.path("bin/gh"), gh).unwrap();
    std::fs::set_permissions(job.path("bin/gh"), PermissionsExt::from_mode(0o755)).unwrap();
    for (server, expected) in [("https://github.com", " \n"), ("https://git.test", "git.test the token\n")] {
        job.variables.insert("GITHUB_SERVER_URL".to_owned(), server.to_owned());
        job.run();
        assert_eq!(std::fs::read_to_string(job.path("bin/gh.asked")).unwrap(), expected);
    }
    assert_eq!(job.comments().len(), 1);
}

#[test]
fn a_fork_that_may_not_write_is_told_that_the_comment_is_left_out() {
    let repository = repository(&["1"]);
    let job = Job::new(repository.path(), &[COMMAND]);
    File::create(job.path("github/read-only")).unwrap();
    let ran = job.run();
    assert_eq!((ran.code, job.comments().len()), (0, 0), "{}", ran.log);
    assert!(
        ran.log.contains("::notice title=galo::the comment is left out: the token may not write"),
        "{}",
        ran.log
    );
    assert!(ran.summary.contains("this is the first commit"));
}

#[test]
fn two_jobs_on_one_machine_wait_for_each_other() {
    let repository = repository(&["1 +", "1"]);
    let job = Job::new(repository.path(), &[COMMAND, BUILD]);
    let cache = job.path("home/.cache/galo");
    std::fs::create_dir_all(&cache).unwrap();
    let other = File::options().append(true).create(true).open(cache.join("action.lock")).unwrap();
    other.lock().unwrap();
    let revisions = cache.join("revisions");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| job.run());
        std::thread::sleep(std::time::Duration::from_secs(2));
        assert!(!revisions.exists() && !waiting.is_finished(), "it did not wait");
        other.unlock().unwrap();
        let ran = waiting.join().unwrap();
        assert!(ran.log.contains("another job duels on this machine"), "{}", ran.log);
        assert!(within_a_minute(|| revisions.exists()));
    });
}

/// Runs what GitLab's job does on a merge request once it has this galo.
fn merge_request(repository: &Path, galo: &Path, variables: &[(&str, &str)]) -> Ended {
    #[derive(serde::Deserialize)]
    struct Pipeline {
        speed: PipelineJob,
    }
    #[derive(serde::Deserialize)]
    struct PipelineJob {
        script: Vec<String>,
    }
    let text = std::fs::read_to_string(root().join("examples/gitlab-ci.yml")).unwrap();
    let Pipeline { speed: PipelineJob { script } } = serde_saphyr::from_str(&text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("bin")).unwrap();
    std::os::unix::fs::symlink(galo, folder.path().join("bin/galo")).unwrap();
    let from = script.iter().position(|line| line.starts_with("base=")).unwrap();
    let mut job = Command::new("bash");
    job.args(["-e", "-o", "pipefail", "-c", &script[from..].join("\n")]).current_dir(repository);
    job.envs([("HOME", folder.path()), ("folder", folder.path()), ("galo", Path::new("."))]);
    run(job
        .envs([("code", "0"), ("GALO_OPTIONS", "--quick"), ("BUILD", BUILD.1), ("COMMAND", COMMAND.1)])
        .envs(variables.iter().copied()))
}

#[test]
fn a_job_of_gitlab_fails_by_its_head_and_not_by_its_base() {
    for (servers, code) in [(["1 +", "1"], 0), (["1", "2 +"], 4), (["1 +", "2 +"], 4)] {
        let repository = repository(&servers);
        let base = git(repository.path(), &["rev-parse", "HEAD^"]);
        let galo = Path::new(env!("CARGO_BIN_EXE_galo"));
        let ended = merge_request(repository.path(), galo, &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base)]);
        assert_eq!(ended.code, Some(code), "{servers:?}: {}\n{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("error: the build failed"), "{}", ended.stdout);
        assert!(!repository.path().join("galo.md").exists());
    }
    // Stands for a galo that leaves a report.
    let (repository, galo) =
        (repository(&["1", "2"]), tempfile::NamedTempFile::new().unwrap().into_temp_path());
    std::fs::set_permissions(&galo, PermissionsExt::from_mode(0o755)).unwrap();
    let verdicts = [
        (1, r#"{ "kind": "fails", "sides": [0] }"#, 0),
        (1, r#"{ "kind": "disqualified", "sides": [0], "rules": ["x"] }"#, 0),
        (1, r#"{ "kind": "fails", "sides": [0, 1] }"#, 1),
        (1, r#"{ "kind": "better", "winner": 0 }"#, 1),
        (3, r#"{ "kind": "void" }"#, 0),
        (6, r#"{ "kind": "mixed" }"#, 6),
    ];
    for (ends, verdict, code) in verdicts {
        let says = format!("echo '{{\n  \"verdict\": {verdict}\n}}' >galo.json");
        std::fs::write(&galo, format!("#!/bin/sh\n{says}\necho '### note' >galo.md\nexit {ends}\n")).unwrap();
        let ended = merge_request(repository.path(), &galo, &[("CI_MERGE_REQUEST_DIFF_BASE_SHA", "HEAD^")]);
        assert_eq!(ended.code, Some(code), "{verdict}: {}\n{}", ended.stdout, ended.stderr);
        assert_eq!(ended.stdout, "### note\n");
    }
}

#[test]
fn a_job_of_gitlab_whose_results_are_merged_is_compared_with_what_it_was_merged_into() {
    let repository = repository(&["1", "2"]);
    let [old, pushed] = ["HEAD^", "HEAD"].map(|name| git(repository.path(), &["rev-parse", name]));
    let commit = |parents: &[&str]| {
        let parents = parents.iter().flat_map(|parent| ["-p", parent]);
        let asked: Vec<&str> = ["commit-tree", "HEAD^{tree}", "-m", "x"].into_iter().chain(parents).collect();
        git(repository.path(), &asked)
    };
    let others = commit(&[&old]);
    let merged = commit(&[&others, &pushed]);
    let old = ("CI_MERGE_REQUEST_DIFF_BASE_SHA", old.as_str());
    let into = ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", others.as_str());
    for (head, variables, base) in [(&pushed, &[old][..], old.1), (&merged, &[old, into], into.1)] {
        git(repository.path(), &["checkout", "--quiet", head]);
        let ended = merge_request(repository.path(), Path::new("/bin/echo"), variables);
        assert!(ended.stdout.starts_with(&format!("duel --git {base} --git HEAD ")), "{}", ended.stdout);
        assert_eq!(ended.code, Some(0));
    }
}
