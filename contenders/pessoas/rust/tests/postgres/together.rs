//! Two instances on one database.

use futures_util::future::{join, join_all};
use pessoas_rust::store::{Creation, Store, StoreError};
use serde_json::{Value, json};

use crate::postgres::Postgres;
use crate::support::{create, find, person, search};

#[tokio::test]
async fn what_one_has_acknowledged_the_other_sees_at_once() {
    let server = Postgres::start();
    let stores = [server.store().await, server.store().await];
    for n in 0..200 {
        let (writer, reader) = (&stores[n % 2], &stores[(n + 1) % 2]);
        let apelido = format!("somebody{n}end");
        let id = create(writer, &apelido).await;
        match n % 3 {
            0 => assert_eq!(find(reader, id).await.as_ref(), Some(&apelido)),
            1 => assert_eq!(search(reader, &format!("Body{n}E")).await, std::slice::from_ref(&apelido)),
            _ => assert_eq!(reader.count().await.unwrap(), n as u64 + 1),
        }
        assert_eq!(find(writer, id).await, Some(apelido));
    }
    let mut next = create(&stores[0], "last").await.as_u128();
    next += 1;
    assert_eq!(find(&stores[1], uuid::Uuid::from_u128(next)).await, None);
}

#[tokio::test]
async fn a_person_comes_back_as_it_was_sent_from_both() {
    let server = Postgres::start();
    let stores = [server.store().await, server.store().await];
    let id = create(&stores[0], "a'\"\\%_é\u{1F413}").await;
    for store in &stores {
        let document = store.find(id).await.unwrap().unwrap();
        let json: Value = serde_json::from_slice(document.json()).unwrap();
        let expected = json!({
            "id": id.to_string(), "apelido": "a'\"\\%_é\u{1F413}", "nome": "Some Body", "nascimento": "1987-02-28",
            "stack": ["C++", "Ação \"x\""],
        });
        assert_eq!(json, expected);
        for term in ["c++", "AÇÃO \"", "%_É", "\u{1F413}"] {
            assert_eq!(search(store, term).await.len(), 1, "{term}");
        }
        assert!(search(store, "bodyc").await.is_empty());
    }
}

#[tokio::test]
async fn of_creations_with_one_nickname_exactly_one_wins() {
    let server = Postgres::start();
    let stores = [server.store().await, server.store().await];
    for n in 0..50 {
        let apelido = format!("same{n}");
        let outcomes = join_all((0..6).map(|at| stores[at % 2].create(person(&apelido)))).await;
        let won = outcomes.iter().filter(|outcome| matches!(outcome, Ok(Creation::Created(_)))).count();
        let lost = outcomes.iter().filter(|outcome| matches!(outcome, Ok(Creation::Duplicate))).count();
        assert_eq!((won, lost), (1, 5), "{outcomes:?}");
    }
}

#[tokio::test]
async fn batches_that_collide_never_wait_for_each_other_in_a_circle() {
    let server = Postgres::start();
    let stores = [server.store().await, server.store().await];
    for round in 0..20 {
        let names: Vec<String> = (0..200).map(|n| format!("r{round}n{n}")).collect();
        let one = join_all(names.iter().map(|name| stores[0].create(person(name))));
        let other = join_all(names.iter().rev().map(|name| stores[1].create(person(name))));
        let (one, other) = join(one, other).await;
        for (name, (one, other)) in names.iter().zip(one.into_iter().zip(other.into_iter().rev())) {
            let won = [&one, &other].iter().filter(|o| matches!(o, Ok(Creation::Created(_)))).count();
            let lost = [&one, &other].iter().filter(|o| matches!(o, Ok(Creation::Duplicate))).count();
            assert_eq!((won, lost), (1, 1), "{name}: {one:?} {other:?}");
        }
    }
    let client = server.client().await;
    let row = client.query_one("SELECT sum(deadlocks)::bigint FROM pg_stat_database", &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 0);
    for store in &stores {
        assert_eq!(store.count().await.unwrap(), 20 * 200);
    }
}

#[tokio::test]
async fn who_fails_at_the_commit_is_not_acknowledged_and_harms_nobody() {
    let server = Postgres::start();
    let stores = [server.store().await, server.store().await];
    let client = server.client().await;
    // Deferred, so it raises after the statement has said that it is complete.
    let trigger = "
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF NEW.apelido LIKE 'poison%' THEN RAISE 'poison'; END IF; RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON people DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION refuse()";
    client.batch_execute(trigger).await.unwrap();
    let names: Vec<String> =
        (0..20).map(|n| if n % 7 == 3 { format!("poison{n}") } else { format!("good{n}") }).collect();
    let outcomes = join_all(names.iter().map(|name| stores[0].create(person(name)))).await;
    for (name, outcome) in names.iter().zip(&outcomes) {
        if name.starts_with("poison") {
            assert!(matches!(outcome, Err(StoreError::Failed(_))), "{name}: {outcome:?}");
        } else {
            assert!(matches!(outcome, Ok(Creation::Created(_))), "{name}: {outcome:?}");
        }
    }
    for store in &stores {
        assert_eq!(store.count().await.unwrap(), 17);
        assert!(search(store, "poison").await.is_empty());
    }
}

#[tokio::test]
async fn the_store_tells_what_it_did() {
    let server = Postgres::start();
    let store = server.store().await;
    join_all((0..10).map(|n| {
        let store = &store;
        async move { create(store, &format!("p{n}")).await }
    }))
    .await;
    let mut told = String::new();
    store.metrics(&mut told);
    for line in ["pessoas_people 10\n", "pessoas_created_total 10\n", "pessoas_queue_length 0\n"] {
        assert!(told.contains(line), "{told}");
    }
    assert!(told.contains("pessoas_memory_bytes{part=\"index\"} 2097152\n"), "{told}");
}
