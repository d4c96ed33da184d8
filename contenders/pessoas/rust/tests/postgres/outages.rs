//! A server that dies, freezes, or ends a connection.

use std::time::Duration;

use futures_util::future::join;
use pessoas_rust::store::postgres::{Options, PostgresStore};
use pessoas_rust::store::{Creation, Store, StoreError};
use tokio::time::{Instant, sleep, timeout};

use crate::postgres::Postgres;
use crate::support::{Told, assert_kept, create, find, load, person, search};

/// As long as anything here may take at all.
const PATIENCE: Duration = Duration::from_secs(30);

fn impatient() -> Options {
    Options { wait: Duration::from_millis(300), ..Options::default() }
}

#[tokio::test]
async fn a_server_killed_under_load_keeps_what_was_acknowledged_and_nothing_refused() {
    let mut server = Postgres::start();
    let stores = [server.store_with(impatient()).await, server.store_with(impatient()).await];
    let ends = Instant::now() + Duration::from_secs(4);
    let done = |_: &_| Instant::now() > ends;
    let crashes = async {
        for _ in 0..2 {
            sleep(Duration::from_millis(400)).await;
            server.kill();
            sleep(Duration::from_millis(600)).await;
            server.restart();
            sleep(Duration::from_millis(600)).await;
        }
    };
    let (told, ()) = join(join(load(&stores[0], "a", done), load(&stores[1], "b", done)), crashes).await;
    assert!([&told.0, &told.1].iter().all(|told| !told.created.is_empty() && !told.unavailable.is_empty()));
    // Both work again, without a restart of theirs, and agree with the database.
    let works = |told: &Told| !told.created.is_empty();
    let after = join(load(&stores[0], "c", works), load(&stores[1], "d", works)).await;
    let told = [told.0, told.1, after.0, after.1];
    let client = server.client().await;
    assert_kept(&client, &told).await;
    let kept: i64 = client.query_one("SELECT count(*) FROM people", &[]).await.unwrap().get(0);
    for store in &stores {
        assert_eq!(store.count().await.unwrap(), kept.unsigned_abs());
        for (apelido, id) in told.iter().flat_map(|told| &told.created).step_by(37) {
            assert_eq!(find(store, *id).await.as_ref(), Some(apelido));
        }
    }
}

#[tokio::test]
async fn a_frozen_server_is_waited_for_up_to_a_bound_and_then_goes_on() {
    let server = Postgres::start();
    let stores = [server.store_with(impatient()).await, server.store_with(impatient()).await];
    let id = create(&stores[0], "before").await;
    server.freeze();
    // The first is sent, and nobody knows; the others never are.
    let first = stores[0].create(person("sent"));
    let later = async {
        sleep(Duration::from_millis(50)).await;
        stores[0].create(person("waiting")).await
    };
    let outcomes = timeout(PATIENCE, join(first, later)).await.unwrap();
    assert!(
        matches!(outcomes, (Err(StoreError::Unknown(_)), Err(StoreError::Unavailable(_)))),
        "{outcomes:?}"
    );
    for store in &stores {
        let found = timeout(PATIENCE, store.search("x".to_owned())).await.unwrap();
        assert!(matches!(found, Err(StoreError::Unavailable(_))), "{found:?}");
        assert!(matches!(timeout(PATIENCE, store.count()).await.unwrap(), Err(StoreError::Unavailable(_))));
    }
    assert_eq!(stores[0].create(person("before")).await, Ok(Creation::Duplicate));
    assert_eq!(find(&stores[0], id).await.as_deref(), Some("before"));
    server.thaw();
    let after = create(&stores[0], "after").await;
    for store in &stores {
        assert_eq!(find(store, after).await.as_deref(), Some("after"));
        assert_eq!(search(store, "sent").await, ["sent"], "the frozen statement was committed in the end");
        assert!(search(store, "waiting").await.is_empty());
    }
}

#[tokio::test]
async fn a_connection_that_the_server_ends_costs_nobody_an_answer() {
    let server = Postgres::start();
    let stores = [server.store().await, server.store().await];
    let client = server.client().await;
    let ends = Instant::now() + Duration::from_secs(2);
    let done = |_: &_| Instant::now() > ends;
    let terminations = async {
        while Instant::now() < ends {
            let sql =
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pessoas'";
            client.batch_execute(sql).await.unwrap();
            sleep(Duration::from_millis(100)).await;
        }
    };
    let reads = async {
        while Instant::now() < ends {
            stores[0].count().await.unwrap();
        }
    };
    let loads = join(load(&stores[0], "a", done), load(&stores[1], "b", done));
    let (told, _) = join(loads, join(terminations, reads)).await;
    let told = [told.0, told.1];
    assert!(told.iter().all(|told| told.unknown.is_empty() && told.unavailable.is_empty()));
    assert_kept(&client, &told).await;
    for store in &stores {
        assert_eq!(store.count().await.unwrap(), (told[0].created.len() + told[1].created.len()) as u64);
    }
}

#[tokio::test]
async fn who_ends_its_lost_session_ends_none_of_another_database() {
    let server = Postgres::start();
    let (client, locking) = (server.client().await, server.client().await);
    client.batch_execute("CREATE DATABASE other").await.unwrap();
    let store = server.store().await;
    let other =
        PostgresStore::new(&server.url().replace("/postgres?", "/other?"), Options::default()).unwrap();
    other.ready().await.unwrap();
    let others = async || {
        let sql = "SELECT pid FROM pg_stat_activity WHERE datname = 'other' ORDER BY pid";
        let rows = client.query(sql, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect::<Vec<i32>>()
    };
    let before = others().await;
    assert_eq!(before.len(), 2);
    locking.batch_execute("BEGIN; LOCK TABLE people IN EXCLUSIVE MODE").await.unwrap();
    let end = async {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = 'postgres' AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO people%'";
        while client.query(sql, &[]).await.unwrap().is_empty() {
            sleep(Duration::from_millis(10)).await;
        }
        locking.batch_execute("ROLLBACK").await.unwrap();
    };
    let (created, ()) = timeout(PATIENCE, join(store.create(person("a")), end)).await.unwrap();
    assert!(matches!(created, Ok(Creation::Created(_))), "{created:?}");
    assert_eq!(others().await, before);
}

#[tokio::test]
async fn a_server_that_only_lets_read_refuses_creations_in_time() {
    let server = Postgres::start();
    let store = server.store_with(impatient()).await;
    create(&store, "before").await;
    let client = server.client().await;
    let set = |value: &str| format!("ALTER SYSTEM SET default_transaction_read_only = {value}");
    for (value, works) in [("on", false), ("off", true)] {
        client.batch_execute("SET default_transaction_read_only = off").await.unwrap();
        client.batch_execute(&set(value)).await.unwrap();
        client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
        sleep(Duration::from_millis(300)).await;
        let outcome = timeout(PATIENCE, async {
            loop {
                let outcome = store.create(person(value)).await;
                // What it was before reaches a session with some delay.
                if outcome.is_ok() == works {
                    return outcome;
                }
            }
        });
        let outcome = outcome.await.unwrap();
        assert!(works || matches!(outcome, Err(StoreError::Unavailable(_))), "{outcome:?}");
        assert_eq!(search(&store, "before").await, ["before"]);
    }
}
