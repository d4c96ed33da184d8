//! `galo doctor` tries things; it must leave nothing of what it tried, and be right about what it found.

use std::net::TcpListener;

use galo_host::{Check, CheckState, doctor};

use crate::host::bench::{Bench, eventually, free_port, shell};

fn find<'a>(checks: &'a [Check], name: &str) -> &'a Check {
    checks.iter().find(|check| check.name == name).unwrap_or_else(|| panic!("no check `{name}`"))
}

#[test]
fn it_finds_limits_enforceable_exactly_where_a_contender_gets_them() {
    let bench = Bench::new();
    let running = bench.start(vec![shell("api1", "exec sleep 600")]);
    let checks = doctor(free_port());
    let good = find(&checks, "limits").state == CheckState::Good;
    assert_eq!(good, running.placement().limits_enforced, "{checks:?}");
    running.stop().unwrap();
}

#[test]
fn every_lack_has_its_mend_and_every_line_is_one_line() {
    for check in doctor(free_port()) {
        assert_eq!(check.mend.is_none(), check.state == CheckState::Good, "{check:?}");
        assert!(!check.found.contains('\n') && !check.found.is_empty(), "{check:?}");
    }
}

#[test]
fn a_taken_port_is_broken_and_a_free_one_good() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let name = format!("port {port}");
    let checks = doctor(port);
    let check = find(&checks, &name);
    assert_eq!(check.state, CheckState::Broken);
    assert_eq!(check.mend, Some(format!("end it: kill {}", std::process::id())));
    drop(listener);
    // Tests beside this one fork, and a child holds a copy of the listener until it has become its program.
    eventually("the port is free", || find(&doctor(port), &name).state == CheckState::Good);
}
