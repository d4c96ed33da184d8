//! Services that are killed on purpose, and started again on what they left.

use crate::host::bench::{Bench, eventually, free_port, get, group_folders, listener, lives, shell};
use galo_plan::Service;
use galo_plan::contender::Ready;
use galo_record::HostFact;
use galo_record::finding::ServiceDied;

/// Adds a line to a file in its volume at every start, shows the file in its log, and forks.
fn keeper() -> Service {
    let script = "echo kept >> ${volume:data}/lines; cat ${volume:data}/lines; (sleep 600 & echo $! ) & \
                  setsid sh -c 'exec sleep 600' & exec sleep 600";
    Service {
        volumes: vec!["data".to_owned()],
        setup: Some("echo made > ${volume:data}/lines".to_owned()),
        ..shell("keeper", script)
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn killed_services_start_again_on_what_they_left_under_their_limits() {
    let bench = Bench::new();
    let port = free_port();
    let mut running = bench.start(vec![keeper(), listener("api1", port)]);
    let before = running.placement().clone();
    let lines = || bench.log("keeper").lines().filter(|line| line.chars().all(char::is_alphabetic)).count();
    eventually("it wrote", || lines() == 2);

    running.kill_services(&names(&["keeper", "api1"])).unwrap();
    assert!(before.services.iter().all(|service| !lives(service.pid)));
    assert!(group_folders(&before).iter().all(|folder| !folder.exists()), "a group is left");
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    assert_eq!(running.deaths(), [], "galo told of a death that it caused");

    running.restart(&names(&["api1", "keeper"])).unwrap();
    let after = running.placement().clone();
    assert_eq!(after.services.iter().map(|s| &*s.name).collect::<Vec<_>>(), ["keeper", "api1"]);
    assert!(after.services.iter().zip(&before.services).all(|(new, old)| new.pid != old.pid));
    // The setup was not run again: it would have emptied the file. The log goes on behind its first lines.
    eventually("it wrote again", || lines() == 2 + 3);
    assert!(!get(port).is_empty());
    let limits = |p: &galo_record::Placement| {
        p.services.iter().map(|s| (s.cpus_milli, s.memory_bytes)).collect::<Vec<_>>()
    };
    assert_eq!(limits(&after), limits(&before));
    assert_eq!(running.deaths(), []);
    assert_eq!(running.stop().unwrap(), []);
    assert!(after.services.iter().all(|service| !lives(service.pid)));
    assert!(group_folders(&after).iter().all(|folder| !folder.exists()), "a group survived");
    assert!(bench.listed().contains("\"enclosures\": []"));
}

#[test]
fn one_service_dies_alone_and_others_are_told_of_as_ever() {
    let bench = Bench::new();
    let mut running = bench.start(vec![keeper(), shell("other", "sleep 1; exit 3")]);
    let placed = running.placement().clone();
    running.kill_services(&names(&["keeper"])).unwrap();
    assert!(!lives(placed.services[0].pid));
    eventually("the other one ends by itself", || !lives(placed.services[1].pid));
    let deaths = running.deaths();
    assert_eq!(deaths.len(), 1);
    assert!(
        matches!(&deaths[0], HostFact::ServiceDied(ServiceDied { service, .. }) if service == "other"),
        "{deaths:?}"
    );
    assert!(running.stop().is_ok());
}

#[test]
fn a_service_that_does_not_come_up_again_is_told_with_its_reason() {
    let bench = Bench::new();
    let once = "if [ -e ${volume:data}/ran ]; then echo no more; exit 7; fi; touch ${volume:data}/ran; exec sleep 600";
    let mut running = bench.start(vec![Service { volumes: vec!["data".to_owned()], ..shell("once", once) }]);
    running.kill_services(&names(&["once"])).unwrap();
    let error = running.restart(&names(&["once"])).unwrap_err();
    assert_eq!(error.blame, galo_plan::Blame::Contender);
    assert!(
        error
            .to_string()
            .contains("service `once` of contender `subject` ended before it was ready (exit status 7)"),
        "{error}"
    );
    running.stop().unwrap();
}

#[test]
fn a_service_that_is_never_ready_again_is_given_up() {
    let bench = Bench::new();
    let mut slow = shell("slow", "exec sleep 600");
    // Ready the first time only: by a command that looks for a file which the second start finds gone.
    slow.volumes = vec!["data".to_owned()];
    slow.command[2] = "test -e ${volume:data}/first || touch ${volume:data}/first ${volume:data}/ok; \
                       exec sleep 600"
        .to_owned();
    slow.ready = Ready::Command {
        command: vec!["mv".into(), "${volume:data}/ok".into(), "${volume:data}/gone".into()],
        interval_ns: 50_000_000,
        timeout_ns: 1_000_000_000,
    };
    slow.ready_timeout_ns = 500_000_000;
    let mut running = bench.start(vec![slow]);
    running.kill_services(&names(&["slow"])).unwrap();
    let error = running.restart(&names(&["slow"])).unwrap_err();
    assert!(error.to_string().contains("was not ready after 0.5 s"), "{error}");
    running.stop().unwrap();
}

#[test]
fn an_unknown_name_kills_nobody() {
    let bench = Bench::new();
    let mut running = bench.start(vec![shell("api1", "exec sleep 600")]);
    let error = running.kill_services(&names(&["api1", "api9"])).unwrap_err();
    assert_eq!(error.to_string(), "there is no service `api9` to kill\nhint: name one of the Compose file");
    assert!(lives(running.placement().services[0].pid));
    running.stop().unwrap();
}
