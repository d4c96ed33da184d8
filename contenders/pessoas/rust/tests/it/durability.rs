//! What is acknowledged stays.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::http::{person, request};
use crate::support::Instance;

#[test]
fn everybody_acknowledged_before_a_kill_is_there_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut instances = [Instance::start(folder.path()), Instance::start(folder.path())];
    let addresses = instances.each_ref().map(|instance| instance.address);
    let (acknowledged, acknowledgements) = mpsc::channel();
    let total = AtomicUsize::new(0);
    thread::scope(|scope| {
        for worker in 0..8 {
            let (acknowledged, total) = (acknowledged.clone(), &total);
            scope.spawn(move || {
                for n in 0.. {
                    let apelido = format!("w{worker}n{n}");
                    // An error is the kill.
                    let Ok(answer) =
                        request(addresses[worker % 2], "POST", "/pessoas", person(&apelido).as_bytes())
                    else {
                        return;
                    };
                    assert_eq!(answer.status, 201);
                    acknowledged.send((answer.header("location").unwrap().to_owned(), apelido)).unwrap();
                    total.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        while total.load(Ordering::Relaxed) < 400 {
            thread::yield_now();
        }
        for instance in &mut instances {
            instance.kill();
        }
    });
    drop(acknowledged);

    let reopened = Instance::start(folder.path());
    let acknowledgements: Vec<(String, String)> = acknowledgements.iter().collect();
    assert!(acknowledgements.len() >= 400);
    for (location, apelido) in &acknowledgements {
        assert_eq!(reopened.get(location).json()["apelido"], **apelido);
        assert!(
            reopened.search(apelido).contains(apelido) || reopened.search(apelido).len() >= 50,
            "{apelido}"
        );
        assert_eq!(reopened.post(&person(apelido)).status, 422);
    }
    // At most one creation of each worker was under way, so of unknown effect.
    let unknown = reopened.count() - acknowledgements.len() as u64;
    assert!(unknown <= 8, "{unknown} more than acknowledged");
}

#[test]
fn a_terminated_instance_exits_in_order_and_leaves_one_database_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut instance = Instance::start(folder.path());
    instance.create(&person("a"));
    assert!(instance.terminate().success());
    assert!(!folder.path().join("pessoas.db-wal").exists(), "the log was not moved into the database");
    let again = Instance::start(folder.path());
    assert_eq!(again.search("a"), ["a"]);
}
