//! A runner of GitHub's, as far as `action.yml` needs one: inputs, steps, the variables and files of a job, and a stand-in for
//! `gh` that keeps a pull request's comments in a file.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::root;

/// `action.yml`, with nothing in it that this runner does not do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "description")]
    _description: String,
    #[serde(rename = "branding")]
    _branding: BTreeMap<String, String>,
    pub(crate) inputs: BTreeMap<String, Input>,
    outputs: BTreeMap<String, Output>,
    pub(crate) runs: Runs,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    #[serde(rename = "description")]
    _description: String,
    #[serde(default)]
    default: String,
    #[serde(default)]
    pub(crate) required: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Output {
    #[serde(rename = "description")]
    _description: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runs {
    using: String,
    pub(crate) steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Step {
    pub(crate) id: String,
    #[serde(rename = "if")]
    condition: Option<String>,
    shell: String,
    working_directory: Option<String>,
    env: BTreeMap<String, String>,
    pub(crate) run: String,
}

/// The action of this repository.
pub(crate) fn action() -> Action {
    let text = std::fs::read_to_string(root().join("action.yml")).unwrap();
    let action: Action = serde_saphyr::from_str(&text).unwrap();
    assert_eq!(action.runs.using, "composite");
    action
}

/// `gh`, whose comments are a file. It answers as GitHub does to the token of a job.
const GH: &str = r#"#!/usr/bin/env bash
set -euo pipefail
state=$(dirname "$0")/../github
refuse() { echo "gh: $1" >&2; exit 1; }
[ -n "${GH_TOKEN-}" ] || refuse "no token"
case "$*" in
"api user "*) refuse "Resource not accessible by integration (HTTP 403)" ;;
"api --paginate repos/o/r/issues/7/comments?per_page=100 --jq "*) jq -r "${*: -1}" "$state/comments.json" ;;
"api --method "*" repos/o/r/issues/"*" --field body=@"*" --jq .html_url")
    [ ! -e "$state/read-only" ] || refuse "Resource not accessible by integration (HTTP 403)"
    body=${6#body=@}
    case "$3 $4" in
    "POST repos/o/r/issues/7/comments")
        change='. + [{ id: (length + 1), body: $body, user: { type: "Bot", login: "github-actions[bot]" } }]' ;;
    "PATCH repos/o/r/issues/comments/"*) change='map(if .id == ($id | tonumber) then .body = $body else . end)' ;;
    *) refuse "no such thing: $3 $4" ;;
    esac
    jq --rawfile body "$body" --arg id "${4##*/}" "$change" "$state/comments.json" >"$state/new"
    mv "$state/new" "$state/comments.json"
    echo https://github.test/o/r/pull/7
    ;;
*) refuse "not understood: $*" ;;
esac
"#;

/// `sudo`, which keeps what it was asked.
const SUDO: &str = r#"#!/usr/bin/env bash
echo "$*" >>"$(dirname "$0")/../sudo"
while [[ "$1" = --* ]]; do shift; done
exec "$@"
"#;

/// A job on a pull request, number 7 of `o/r`.
pub(crate) struct Job {
    folder: TempDir,
    inputs: BTreeMap<String, String>,
    pub(crate) variables: BTreeMap<String, String>,
}

/// What a job's steps left.
pub(crate) struct Ran {
    /// How the first step ended that failed, or 0.
    pub(crate) code: i32,
    /// All that they printed.
    pub(crate) log: String,
    pub(crate) summary: String,
    /// Those of the action.
    pub(crate) outputs: BTreeMap<String, String>,
}

/// Outputs of steps, by `step.name`.
type Said = BTreeMap<String, String>;

impl Job {
    /// One that works in `repository` with these inputs; galo is the one that is tested.
    pub(crate) fn new(repository: &Path, inputs: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["bin", "github", "home", "temp"] {
            std::fs::create_dir(path(name)).unwrap();
        }
        for (program, text) in [("bin/gh", GH), ("bin/sudo", SUDO)] {
            std::fs::write(path(program), text).unwrap();
            std::fs::set_permissions(path(program), PermissionsExt::from_mode(0o755)).unwrap();
        }
        std::fs::write(path("github/comments.json"), "[]").unwrap();
        std::fs::write(path("github/event.json"), r#"{"pull_request": {"number": 7}}"#).unwrap();
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let variables = [
            ("PATH", format!("{}:{}", text(path("bin")), std::env::var("PATH").unwrap())),
            ("HOME", text(path("home"))),
            ("RUNNER_TEMP", text(path("temp"))),
            ("GALO_STATE", text(path("state"))),
            ("GITHUB_ACTION_PATH", text(root())),
            ("GITHUB_EVENT_NAME", "pull_request".to_owned()),
            ("GITHUB_EVENT_PATH", text(path("github/event.json"))),
            ("GITHUB_REPOSITORY", "o/r".to_owned()),
            ("GITHUB_WORKSPACE", text(repository.to_owned())),
        ];
        let mut job = Self {
            inputs: action().inputs.into_iter().map(|(name, input)| (name, input.default)).collect(),
            variables: variables.map(|(name, value)| (name.to_owned(), value)).into(),
            folder,
        };
        job.with("path", env!("CARGO_BIN_EXE_galo"));
        inputs.iter().for_each(|(name, value)| job.with(name, value));
        job
    }

    /// Gives an input.
    pub(crate) fn with(&mut self, name: &str, value: &str) {
        let known = self.inputs.insert(name.to_owned(), value.to_owned());
        assert!(known.is_some(), "the action has no input `{name}`");
    }

    /// A path in the job's own folder: `github`, `home`, `temp`.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Bodies of the comments on the pull request.
    pub(crate) fn comments(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("github/comments.json")).unwrap();
        let comments: Vec<Value> = serde_json::from_str(&text).unwrap();
        comments.iter().map(|comment| comment["body"].as_str().unwrap().to_owned()).collect()
    }

    /// Runs all steps.
    pub(crate) fn run(&self) -> Ran {
        self.run_only(|_| true)
    }

    /// Runs some steps, by their ids.
    pub(crate) fn run_only(&self, wanted: impl Fn(&str) -> bool) -> Ran {
        let action = action();
        let mut said = Said::new();
        let mut ran = Ran { code: 0, log: String::new(), summary: String::new(), outputs: Said::new() };
        for step in action.runs.steps.iter().filter(|step| wanted(&step.id)) {
            let is_due = match &step.condition {
                None => ran.code == 0,
                Some(condition) => self.holds(condition, &said, ran.code),
            };
            if is_due {
                let code = self.step(step, &mut said, &mut ran);
                ran.code = if ran.code == 0 { code } else { ran.code };
            }
        }
        ran.outputs = action
            .outputs
            .iter()
            .map(|(name, output)| (name.clone(), self.filled(&output.value, &said)))
            .collect();
        ran
    }

    fn step(&self, step: &Step, said: &mut Said, ran: &mut Ran) -> i32 {
        assert_eq!(step.shell, "bash");
        let files = ["script", "output", "summary"].map(|name| self.path(&format!("github/{name}")));
        for (file, text) in files.iter().zip([step.run.as_str(), "", ""]) {
            std::fs::write(file, text).unwrap();
        }
        let folder = step.working_directory.as_deref().map_or_else(String::new, |dir| self.filled(dir, said));
        let ended = Command::new("bash")
            .args(["--noprofile", "--norc", "-e", "-o", "pipefail"])
            .arg(&files[0])
            .current_dir(Path::new(&self.variables["GITHUB_WORKSPACE"]).join(folder))
            .env_clear()
            .envs(&self.variables)
            .envs(step.env.iter().map(|(name, value)| (name, self.filled(value, said))))
            .envs([("GITHUB_OUTPUT", &files[1]), ("GITHUB_STEP_SUMMARY", &files[2])])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let [_, output, summary] = files.map(|file| std::fs::read_to_string(file).unwrap());
        for line in output.lines() {
            let (name, value) = line.split_once('=').unwrap();
            said.insert(format!("{}.{name}", step.id), value.to_owned());
        }
        ran.summary += &summary;
        for part in [&ended.stdout, &ended.stderr] {
            ran.log += &String::from_utf8_lossy(part);
        }
        ended.status.code().unwrap()
    }

    /// A text with its expressions filled in.
    fn filled(&self, text: &str, said: &Said) -> String {
        let mut parts = text.split("${{");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (expression, rest) = part.split_once("}}").unwrap();
            out += &self.value(expression.trim(), said);
            out += rest;
        }
        out
    }

    fn value(&self, expression: &str, said: &Said) -> String {
        match expression.split('.').collect::<Vec<_>>()[..] {
            ["inputs", name] => self.filled(&self.inputs[name], said),
            ["steps", id, "outputs", name] => said.get(&format!("{id}.{name}")).cloned().unwrap_or_default(),
            ["github", "token"] => "the token".to_owned(),
            _ => panic!("this runner does not know `{expression}`"),
        }
    }

    /// Whether a step's condition holds: terms that must all hold.
    fn holds(&self, condition: &str, said: &Said, code: i32) -> bool {
        let condition = condition.trim_start_matches("${{").trim_end_matches("}}");
        let terms: Vec<&str> = condition.split("&&").map(str::trim).collect();
        let holds = |term: &&str| match term.split_once(" == ") {
            _ if **term == *"always()" => true,
            Some((name, wanted)) => self.value(name, said) == wanted.trim_matches('\''),
            None => !self.value(term, said).is_empty(),
        };
        (code == 0 || terms.contains(&"always()")) && terms.iter().all(holds)
    }
}
