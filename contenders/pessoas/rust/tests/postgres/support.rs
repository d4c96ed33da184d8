//! Stores on a server, and people.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use pessoas_rust::person::NewPerson;
use pessoas_rust::store::postgres::{Options, PostgresStore};
use pessoas_rust::store::{Creation, Store, StoreError};
use serde_json::Value;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use crate::postgres::Postgres;

impl Postgres {
    /// A store that is ready.
    pub(crate) async fn store(&self) -> Arc<PostgresStore> {
        self.store_with(Options::default()).await
    }

    pub(crate) async fn store_with(&self, options: Options) -> Arc<PostgresStore> {
        let store = PostgresStore::new(&self.url(), options).unwrap();
        store.ready().await.unwrap();
        Arc::new(store)
    }

    /// A connection for the test itself.
    pub(crate) async fn client(&self) -> Client {
        for _ in 0..500 {
            if let Ok((client, connection)) = tokio_postgres::connect(&self.url(), NoTls).await {
                tokio::spawn(connection);
                return client;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("PostgreSQL never answered");
    }
}

/// Somebody with this nickname.
pub(crate) fn person(apelido: &str) -> NewPerson<'static> {
    NewPerson {
        apelido: Cow::Owned(apelido.to_owned()),
        nome: Cow::Borrowed("Some Body"),
        nascimento: Cow::Borrowed("1987-02-28"),
        stack: Some(vec![Cow::Borrowed("C++"), Cow::Borrowed("Ação \"x\"")]),
    }
}

/// Creates somebody who must be accepted.
pub(crate) async fn create(store: &PostgresStore, apelido: &str) -> Uuid {
    match store.create(person(apelido)).await {
        Ok(Creation::Created(id)) => id,
        other => panic!("{apelido}: {other:?}"),
    }
}

/// The nickname of an id.
pub(crate) async fn find(store: &PostgresStore, id: Uuid) -> Option<String> {
    store.find(id).await.unwrap().map(|document| apelido(document.json()))
}

/// Nicknames that a search finds.
pub(crate) async fn search(store: &PostgresStore, term: &str) -> Vec<String> {
    let found = store.search(term.to_owned()).await.unwrap();
    found.iter().map(|document| apelido(document.json())).collect()
}

fn apelido(json: &[u8]) -> String {
    serde_json::from_slice::<Value>(json).unwrap()["apelido"].as_str().unwrap().to_owned()
}

/// What a load of creations was told, by nickname.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) created: Vec<(String, Uuid)>,
    pub(crate) unavailable: Vec<String>,
    pub(crate) unknown: Vec<String>,
}

/// Creates people on a store until `until` says so, some at a time.
pub(crate) async fn load(store: &PostgresStore, prefix: &str, until: impl Fn(&Told) -> bool) -> Told {
    let mut told = Told::default();
    for round in 0.. {
        if until(&told) {
            break;
        }
        let apelidos: Vec<String> = (0..16).map(|n| format!("{prefix}{round}x{n}")).collect();
        let outcomes =
            futures_util::future::join_all(apelidos.iter().map(|apelido| store.create(person(apelido))));
        for (apelido, outcome) in apelidos.iter().cloned().zip(outcomes.await) {
            match outcome {
                Ok(Creation::Created(id)) => told.created.push((apelido, id)),
                Err(StoreError::Unavailable(_)) => told.unavailable.push(apelido),
                Err(StoreError::Unknown(_)) => told.unknown.push(apelido),
                other => panic!("{apelido}: {other:?}"),
            }
        }
    }
    told
}

/// Whether the database keeps what was told: everybody acknowledged, nobody refused, and of the unknown some or none.
pub(crate) async fn assert_kept(client: &Client, told: &[Told]) {
    let rows = client.query("SELECT apelido, id FROM people", &[]).await.unwrap();
    let kept: std::collections::HashMap<String, Uuid> =
        rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    for told in told {
        for (apelido, id) in &told.created {
            assert_eq!(kept.get(apelido), Some(id), "{apelido} was acknowledged");
        }
        for apelido in &told.unavailable {
            assert!(!kept.contains_key(apelido), "{apelido} was refused, and kept");
        }
    }
    let count = |part: fn(&Told) -> usize| told.iter().map(part).sum::<usize>();
    let (created, unknown) = (count(|told| told.created.len()), count(|told| told.unknown.len()));
    assert!((created..=created + unknown).contains(&kept.len()), "{created} {unknown} {}", kept.len());
}
