//! A database that is down, frozen, full or read-only. Requests are answered within the bound all the same; nothing
//! acknowledged is lost, nothing refused is kept; and when the database is back, so is the champion, by itself.

use std::cell::RefCell;
use std::thread;
use std::time::Duration;

use crate::support::Champion;
use crate::support::load::{Load, Tolerance};

/// What clients may be told of a database that does not do its work.
const OUT: Tolerance = Tolerance { statuses: &[503, 504], cuts: false };

/// Longer than two requests wait, one after the other: the first may have reached the database, so that nobody knows what came of it, but
/// the second cannot have, and is refused.
const OUTAGE: Duration = Duration::from_secs(5);

/// Lets the database fail and come back under load.
fn outage(fail: impl FnOnce(&mut Champion), mend: impl FnOnce(&mut Champion)) {
    let mut champion = Champion::start();
    let load = Load::start(champion.balancer.address, "o", 8, OUT);
    load.wait_for_creations(5);
    fail(&mut champion);
    thread::sleep(OUTAGE);
    mend(&mut champion);
    load.wait_for_creations(5);
    champion.wait_until_it_answers();
    let told = load.stop();
    assert!(!told.refused.is_empty(), "the database did not fail");
    told.holds(&champion);
}

#[test]
fn a_database_that_is_killed_and_started_again_loses_nobody() {
    outage(|champion| champion.postgres.kill(), |champion| champion.postgres.restart());
}

#[test]
fn a_database_that_stands_still_keeps_nobody_waiting() {
    outage(|champion| champion.postgres.freeze(), |champion| champion.postgres.thaw());
}

#[test]
fn a_database_without_a_free_connection_is_waited_for() {
    let taken = RefCell::default();
    outage(
        |champion| drop(taken.replace(champion.postgres.take_all_connections())),
        |_| taken.borrow_mut().clear(),
    );
}

#[test]
fn a_database_that_may_not_be_written_refuses_creations() {
    let read_only = |champion: &Champion, value: &str| {
        champion.postgres.query(&format!("ALTER SYSTEM SET default_transaction_read_only = {value}"));
        champion.postgres.query("SELECT pg_reload_conf()");
    };
    outage(|champion| read_only(champion, "on"), |champion| read_only(champion, "off"));
}
