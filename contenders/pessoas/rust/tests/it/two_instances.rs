//! Two instances on one file.

use std::sync::Barrier;
use std::thread;

use serde_json::{Value, json};

use crate::http::{full, person};
use crate::support::Instance;

#[test]
fn what_one_instance_acknowledged_the_other_finds_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let instances = [Instance::start(folder.path()), Instance::start(folder.path())];
    for n in 0..100 {
        let (one, other) = (&instances[n % 2], &instances[(n + 1) % 2]);
        let apelido = format!("person{n:03}x");
        let location = one.create(&full(&apelido, "Some One", &json!(["Rust"])));
        assert_eq!(other.search(&apelido), [apelido.as_str()]);
        assert_eq!(other.get(&location).json()["apelido"], apelido);
        assert_eq!(other.count(), n as u64 + 1);
    }
}

#[test]
fn of_creations_of_one_nickname_at_once_exactly_one_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let instances = [Instance::start(folder.path()), Instance::start(folder.path())];
    for round in 0..20 {
        let apelido = format!("same{round}");
        let barrier = Barrier::new(8);
        let mut statuses: Vec<u16> = thread::scope(|scope| {
            let racers: Vec<_> = (0..8)
                .map(|n| {
                    let (instance, barrier, apelido) = (&instances[n % 2], &barrier, &apelido);
                    scope.spawn(move || {
                        barrier.wait();
                        instance.post(&full(apelido, &format!("racer {n}"), &Value::Null)).status
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).collect()
        });
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 422, 422, 422, 422, 422, 422, 422]);
        assert_eq!(
            instances[round % 2].search(&apelido).iter().filter(|found| **found == apelido).count(),
            1
        );
    }
    assert_eq!(instances[0].count(), 20);
}

#[test]
fn an_instance_that_is_killed_while_it_writes_does_not_stop_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let (mut one, other) = (Instance::start(folder.path()), Instance::start(folder.path()));
    thread::scope(|scope| {
        let address = one.address;
        let writing = scope.spawn(move || {
            let mut created = 0;
            while crate::http::request(address, "POST", "/pessoas", person(&format!("k{created}")).as_bytes())
                .is_ok()
            {
                created += 1;
            }
            created
        });
        while other.count() < 50 {
            thread::yield_now();
        }
        one.kill();
        // The last one may have been counted, and killed before it was acknowledged.
        let created = writing.join().unwrap();
        assert!(created >= 49, "{created} of 50");
    });
    other.create(&person("afterwards"));
    assert_eq!(other.search("afterwards"), ["afterwards"]);
}
