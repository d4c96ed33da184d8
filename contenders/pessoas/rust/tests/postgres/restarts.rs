//! What a new instance finds, and what it refuses.

use std::time::Duration;

use futures_util::future::{join, join_all};
use pessoas_rust::store::postgres::{Options, PostgresStore};
use pessoas_rust::store::{Store, StoreError};
use tokio::time::{Instant, sleep, timeout};

use crate::postgres::Postgres;
use crate::support::{create, find, load, search};

#[tokio::test]
async fn a_new_instance_has_everybody_before_it_is_ready() {
    let server = Postgres::start();
    let old = server.store().await;
    let ids = join_all((0..3000).map(|n| {
        let old = &old;
        async move { create(old, &format!("p{n}")).await }
    }))
    .await;
    let new = server.store().await;
    let mut told = String::new();
    new.metrics(&mut told);
    assert!(told.contains("pessoas_people 3000\n"), "{told}");
    assert_eq!(find(&new, ids[2999]).await.as_deref(), Some("p2999"));
    assert_eq!(search(&new, "p2998").await, ["p2998"]);
}

#[tokio::test]
async fn a_question_for_news_reads_what_is_new_and_no_more() {
    let server = Postgres::start();
    let stores = [server.store().await, server.store().await];
    join_all((0..1000).map(|n| {
        let store = &stores[n % 2];
        async move { create(store, &format!("p{n}")).await }
    }))
    .await;
    assert_eq!(stores[0].count().await.unwrap(), 1000);
    let client = server.client().await;
    let read = async || {
        // A session tells what it has read when it is idle, at most once a second.
        sleep(Duration::from_millis(1100)).await;
        stores[0].count().await.unwrap();
        stores[1].count().await.unwrap();
        sleep(Duration::from_millis(300)).await;
        let sql = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'people'";
        client.query_one(sql, &[]).await.unwrap().get::<_, i64>(0)
    };
    let before = read().await;
    for n in 0..100 {
        create(&stores[0], &format!("q{n}")).await;
        assert_eq!(search(&stores[1], &format!("Q{n}")).await[0], format!("q{n}"));
    }
    let rows = read().await - before;
    assert!((100..300).contains(&rows), "{rows} rows were read to learn of 100");
}

#[tokio::test]
async fn instances_that_come_and_go_under_load_miss_nobody() {
    let server = Postgres::start();
    let lasting = server.store().await;
    let ends = Instant::now() + Duration::from_secs(3);
    let mut created = 0;
    let passing = async {
        for n in 0..15 {
            let passing = server.store().await;
            let id = create(&passing, &format!("passing{n}")).await;
            assert_eq!(find(&lasting, id).await, Some(format!("passing{n}")));
            created += 1;
            drop(passing);
            sleep(Duration::from_millis(20)).await;
        }
    };
    let (told, ()) = join(load(&lasting, "l", |_| Instant::now() > ends), passing).await;
    let last = server.store().await;
    for store in [&lasting, &last] {
        assert_eq!(store.count().await.unwrap(), (told.created.len() + created) as u64);
    }
}

#[tokio::test]
async fn a_lost_sequence_gives_no_identity_twice() {
    let server = Postgres::start();
    let client = server.client().await;
    let mut ids = Vec::new();
    for n in 0..4 {
        let store = server.store().await;
        ids.push(create(&store, &format!("p{n}")).await);
        drop(store);
        client.batch_execute("ALTER SEQUENCE writers RESTART").await.unwrap();
    }
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    assert_eq!(server.store().await.count().await.unwrap(), 4);
}

#[tokio::test]
async fn a_table_that_somebody_else_wrote_is_refused_at_the_start() {
    let server = Postgres::start();
    drop(server.store().await);
    let client = server.client().await;
    let row = "INSERT INTO people VALUES (gen_random_uuid(), 'a', 'n', '2000-01-01', NULL)";
    client.batch_execute(row).await.unwrap();
    assert!(refusal(&server.url()).await.contains("which this program did not write\nhint: "));
    client.batch_execute("DROP TABLE people; CREATE TABLE people (id bigint)").await.unwrap();
    assert!(refusal(&server.url()).await.contains("\nhint: "));
    let nobody = server.url().replace("user=postgres", "user=nobody");
    assert!(refusal(&nobody).await.contains("role \"nobody\" does not exist"));
}

#[tokio::test]
async fn a_server_that_comes_late_is_waited_for() {
    let mut server = Postgres::start();
    drop(server.store().await);
    server.kill();
    let store = PostgresStore::new(&server.url(), Options::default()).unwrap();
    assert!(timeout(Duration::from_millis(300), store.ready()).await.is_err());
    server.restart();
    timeout(Duration::from_secs(30), store.ready()).await.unwrap().unwrap();
    create(&store, "a").await;
}

#[tokio::test]
async fn a_database_that_lost_its_people_is_read_anew() {
    let server = Postgres::start();
    let store = server.store().await;
    create(&store, "gone").await;
    let client = server.client().await;
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pessoas'";
    client.batch_execute(&format!("TRUNCATE people; {end}")).await.unwrap();
    sleep(Duration::from_millis(300)).await;
    assert_eq!(store.count().await.unwrap(), 0);
    create(&store, "gone").await;
    assert_eq!(search(&store, "gone").await, ["gone"]);
}

async fn refusal(url: &str) -> String {
    let store = PostgresStore::new(url, Options::default()).unwrap();
    match timeout(Duration::from_secs(30), store.ready()).await.unwrap() {
        Err(StoreError::Failed(text)) => text,
        other => panic!("{other:?}"),
    }
}
