//! A contender as the text of `compose.yaml`, with a word about each key.

use std::fmt::Write;

use galo_plan::secret::in_text;

use crate::draft::Entrant;
use crate::quoted::compose;

/// The whole file.
pub(super) fn text(entrant: &Entrant) -> String {
    let Entrant { command, workdir, port, cpus, memory, .. } = entrant;
    let title = compose(&in_text(command));
    let [command, workdir, cpus, memory] = [command, workdir, cpus, memory].map(|text| compose(text));
    let mut environment = String::new();
    for (name, value) in &entrant.environment {
        let _ = writeln!(environment, "      {}: {}", compose_key(name), compose(value));
    }
    let build = entrant.build.as_ref().map(|build| {
        format!("      build: {} # run to its end once, before the first round\n", compose(build))
    });
    let build = build.unwrap_or_default();
    format!(
        r#"# A contender: its services, how each is started, and what each may use. `$$` stands for `$`.
x-galo:
  challenge: ../challenge.toml # what it must do; relative to this file
  title: {title} # for people
services:
  app: # one service; others (a database, a load balancer) would stand beside it
    environment: # all that it gets beside PATH, HOME and LANG
{environment}    deploy: {{ resources: {{ limits: {{ cpus: {cpus}, memory: {memory} }} }} }} # all services: at most the challenge's policy
    x-galo:
{build}      workdir: {workdir} # where it runs; relative to this file
      command: ["/bin/sh", "-c", {command}]
      ready: "127.0.0.1:{port}" # accepts connections; better is an address that a 2xx answers, e.g. http://127.0.0.1:{port}/health
"#
    )
}

/// A key of a map, which Compose does not look for variables in.
fn compose_key(name: &str) -> String {
    compose(name).replace("$$", "$")
}
