//! Where the action gets galo from, and the workflows that the examples and pages show.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::action::{BUILD, COMMAND, git, repository};
use crate::duel::SHORT;
use crate::runner::{Job, action};
use crate::support::{root, run};

/// A folder with a release: a tarball whose galo says that it is of `version`, and its sums.
fn release(named: &str, version: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("galo-{named}-x86_64-linux");
    let galo = folder.path().join(&name).join("bin/galo");
    std::fs::create_dir_all(galo.parent().unwrap()).unwrap();
    let real = env!("CARGO_BIN_EXE_galo");
    let script =
        format!("#!/bin/sh\n[ \"$1\" != --version ] || exec echo galo {version}\nexec {real} \"$@\"\n");
    std::fs::write(&galo, script).unwrap();
    std::fs::set_permissions(&galo, PermissionsExt::from_mode(0o755)).unwrap();
    let tarball = format!("{name}.tar.gz");
    run(Command::new("tar").current_dir(folder.path()).args(["-czf", &tarball, &name])).expect(0);
    let sum = Sha256::digest(std::fs::read(folder.path().join(&tarball)).unwrap());
    let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    std::fs::write(folder.path().join("SHA256SUMS"), format!("{sum}  {tarball}\n")).unwrap();
    folder
}

/// What getting galo comes to, with these inputs.
#[track_caller]
fn got(inputs: &[(&str, &str)], expected: Result<&str, &str>) {
    let ran = Job::new(&root(), inputs).run_only(|id| id == "get");
    let (code, told) = match expected {
        Ok(version) => (0, format!("galo {version}\n")),
        Err(why) => (2, why.to_owned()),
    };
    assert_eq!(ran.code, code, "{inputs:?}: {}", ran.log);
    assert!(ran.log.contains(&told), "{inputs:?}: {}", ran.log);
}

#[test]
fn galo_comes_from_a_release_or_a_path_and_is_what_its_sums_say() {
    let own = env!("CARGO_PKG_VERSION");
    let release = release(own, own);
    let folder = release.path().to_str().unwrap();
    let tarball = format!("{folder}/galo-{own}-x86_64-linux.tar.gz");
    got(&[("path", folder)], Ok(own));
    got(&[("path", &tarball)], Ok(own));
    let releases = format!("file://{folder}");
    got(&[("path", ""), ("releases", &releases)], Ok(own));
    got(&[("path", ""), ("releases", &releases), ("version", "9.9.9")], Err("there is no file://"));
    got(&[("path", folder), ("version", "9.9.9")], Err("there is no "));
    got(&[("path", "nowhere")], Err("`path` is no galo: nowhere"));

    let sums = release.path().join("SHA256SUMS");
    let right = std::fs::read_to_string(&sums).unwrap();
    std::fs::write(&sums, right.replace("galo-", "rooster-")).unwrap();
    got(&[("path", &tarball)], Err("SHA256SUMS does not name galo-"));
    std::fs::write(&sums, format!("{}  galo-{own}-x86_64-linux.tar.gz\n", "0".repeat(64))).unwrap();
    got(&[("path", &tarball)], Err("is not what SHA256SUMS says"));
    std::fs::remove_file(&sums).unwrap();
    got(&[("path", &tarball)], Err("no SHA256SUMS lies beside"));
}

#[test]
fn a_tarball_of_another_version_is_refused() {
    let release = release("9.9.9", "9.9.8");
    let folder = release.path().to_str().unwrap();
    let tarball = format!("{folder}/galo-9.9.9-x86_64-linux.tar.gz");
    got(
        &[("path", folder), ("version", "9.9.9")],
        Err("this galo is 9.9.8, and version 9.9.9 was asked for"),
    );
    got(&[("path", &tarball)], Err("galo-9.9.9-x86_64-linux.tar.gz holds galo 9.9.8"));
}

/// Each use of the action in a workflow, or in a part of one.
fn uses(of: &Value, found: &mut Vec<Value>) {
    match of {
        Value::Object(map)
            if map.get("uses").is_some_and(|name| name.as_str().unwrap().contains("/galo@")) =>
        {
            found.push(of.clone());
        }
        Value::Object(map) => map.values().for_each(|value| uses(value, found)),
        Value::Array(values) => values.iter().for_each(|value| uses(value, found)),
        _ => {}
    }
}

#[test]
fn workflows_in_example_and_pages_give_inputs_that_the_action_has() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let example = read("examples/github-actions.yml");
    let of_pages = ["README.md", "README.pt-BR.md", "docs/tutorials/in-ci.md"].map(read);
    let blocks = of_pages.iter().flat_map(|page| page.split("\n```yaml\n").skip(1));
    let blocks = blocks.map(|rest| rest.split_once("\n```").unwrap().0);
    let inputs = action().inputs;
    let mut found = Vec::new();
    for text in blocks.chain([example.as_str()]) {
        uses(&serde_saphyr::from_str(text).unwrap(), &mut found);
    }
    assert_eq!(found.len(), 4);
    for step in found {
        assert!(step["uses"].as_str().unwrap().ends_with(concat!("@v", env!("CARGO_PKG_VERSION"))), "{step}");
        let given = step["with"].as_object().unwrap();
        assert!(given.keys().all(|name| inputs.contains_key(name)), "{step}");
        assert!(inputs.iter().all(|(name, input)| !input.required || given.contains_key(name)), "{step}");
    }
}

#[test]
fn the_example_of_gitlab_runs_as_it_stands() {
    #[derive(serde::Deserialize)]
    struct Pipeline {
        speed: PipelineJob,
    }
    #[derive(serde::Deserialize)]
    struct PipelineJob {
        variables: BTreeMap<String, String>,
        script: Vec<String>,
    }
    let text = std::fs::read_to_string(root().join("examples/gitlab-ci.yml")).unwrap();
    let Pipeline { speed: PipelineJob { variables, script } } = serde_saphyr::from_str(&text).unwrap();
    let (repository, release) = (repository(&["60", "5"]), release("0.1.0", "0.1.0"));
    let home = tempfile::tempdir().unwrap();
    let ended = run(Command::new("bash")
        .args(["-e", "-o", "pipefail", "-c", &script.join("\n")])
        .current_dir(repository.path())
        .env("HOME", home.path())
        .envs(&variables)
        .env("GALO_VERSION", "0.1.0")
        .env("GALO_RELEASES", format!("file://{}", release.path().display()))
        .env("GALO_OPTIONS", format!("--quick --rounds 1 --profile {SHORT}"))
        .env("BUILD", BUILD.1)
        .env("COMMAND", COMMAND.1)
        .env("CI_MERGE_REQUEST_DIFF_BASE_SHA", git(repository.path(), &["rev-parse", "HEAD^"])));
    assert!(matches!(ended.code, Some(0 | 3)), "{}\n{}", ended.stdout, ended.stderr);
    let note = std::fs::read_to_string(repository.path().join("galo.md")).unwrap();
    // What a busy machine did to it comes first.
    let verdict = note.lines().find(|line| !line.is_empty() && !line.starts_with("> "));
    assert!(verdict.is_some_and(|line| line.starts_with("### ")), "{note}");
    assert!(ended.stdout.contains("base"), "{}", ended.stdout);
}
