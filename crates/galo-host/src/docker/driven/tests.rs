use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use galo_plan::Runner;
use galo_record::Events;

use super::*;
use crate::cgroup::Lack;
use crate::docker::logs::Follower;
use crate::engine::Engine;
use crate::groups::Groups;
use crate::inner::{HostOptions, Inner};
use crate::keeper::Keeper;
use crate::port::Held;
use crate::project::Project;
use crate::state::StateFolder;
use crate::supervisor::Supervisor;
use crate::testing;
use crate::walls::Walls;

#[test]
fn a_signal_is_written_as_shells_do() {
    assert_eq!((ended(137), ended(1), ended(0)), (Ended::Signal(9), Ended::Status(1), Ended::Status(0)));
    assert_eq!(ended(255), Ended::Status(255));
}

/// What an engine says of a container whose first process is `pid`; 0: it has ended.
fn said(pid: u32) -> String {
    let (id, running) = ("ab".repeat(32), pid > 0);
    format!(
        r#"[{{"Id": "{id}", "State": {{"Running": {running}, "Pid": {pid}, "ExitCode": 3}}, "Config": {{}}, "HostConfig": {{}},
            "NetworkSettings": {{}}}}]"#
    )
}

/// An engine whose processes are not among this machine's, as in a virtual machine: what it says is in the file `says`, what it was
/// asked in `asked`.
fn engine(folder: &Path) -> Engine {
    fs::write(folder.join("says"), said(999_999_999)).unwrap();
    fs::write(folder.join("says-killed"), said(0)).unwrap();
    let place = folder.display();
    let script = format!(
        "echo \"$*\" >> {place}/asked\ncase $1 in inspect) cat {place}/says;; kill) cp {place}/says-killed {place}/says;; esac"
    );
    testing::engine(folder, &script)
}

/// One service in a container of that engine.
fn running(folder: &Path) -> Containers {
    let engine = engine(folder);
    testing::program(&folder.join("supervisor"), "#!/bin/sh\ncat\n");
    let state = StateFolder::create(&folder.join("state")).unwrap();
    let supervisor = Supervisor::start(&folder.join("supervisor"), state.path()).unwrap();
    let options =
        HostOptions { limited: false, stop: Arc::new(AtomicBool::new(false)), events: Events::none() };
    let groups = Groups::None(Lack { why: String::new(), mend: String::new() });
    let inner = Inner::new(options, (groups, None), Walls::Open(String::new()), state, supervisor);
    let placement = Placement {
        contender: "subject".to_owned(),
        target: ([127, 0, 0, 1], 1).into(),
        limits_enforced: false,
        limits_note: None,
        walls_note: None,
        services: Vec::new(),
    };
    let seen: Vec<Seen> = serde_json::from_str(&said(999_999_999)).unwrap();
    let services = seen.into_iter().map(|seen| Contained {
        name: "api".to_owned(),
        id: seen.id.clone(),
        enclosure: start::enclosure(&seen),
        listens: None,
        log: folder.join("api.log"),
        follower: Follower::default(),
        limits: None,
        seen,
        told: false,
        oom_told: 0,
    });
    let compose = engine.compose().unwrap();
    Containers {
        placement,
        contender: testing::contender(Vec::new(), Runner::Docker),
        services: services.collect(),
        keeper: Keeper::start(),
        project: Project { name: "p".to_owned(), engine, anonymous: BTreeSet::new() },
        compose,
        files: Vec::new(),
        copies: Vec::new(),
        ports: Vec::new(),
        is_made: true,
        _held: Held::take(inner.state.root(), &[]).unwrap(),
        ended: false,
        asked: None,
        inner: Arc::new(inner),
    }
}

#[test]
fn of_a_container_that_galo_does_not_see_the_engine_tells_the_death() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = running(folder.path());
    assert_eq!(running.deaths(), []);
    fs::write(folder.path().join("says"), said(0)).unwrap();
    assert_eq!(running.deaths(), [], "the engine is not asked at every look");
    running.asked = None;
    let deaths = running.deaths();
    assert!(
        matches!(&deaths[..], [HostFact::ServiceDied(died)] if died.ended == Ended::Status(3)),
        "{deaths:?}"
    );
    assert_eq!(running.deaths(), []);
}

#[test]
fn a_container_that_galo_does_not_see_is_killed_by_its_engine() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = running(folder.path());
    running.kill_services(&["api".to_owned()]).unwrap();
    let asked = fs::read_to_string(folder.path().join("asked")).unwrap();
    assert_eq!(
        asked.lines().filter(|line| *line == format!("kill {}", "ab".repeat(32))).count(),
        1,
        "{asked}"
    );
    assert_eq!(running.deaths(), []);
}
