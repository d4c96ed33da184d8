//! Takes people out of the queue, and into the database: many of them in one statement, and so in one commit.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use pessoas_person::Person;
use redis::{AsyncCommands, RedisResult};
use tokio::sync::oneshot;
use tokio::time::sleep;
use uuid::Uuid;

use crate::store::{Acknowledge, Failed, Store, apelido_key, person_key};

/// Between two looks at a queue for which nobody waits.
const FLUSH_INTERVAL: Duration = Duration::from_secs(2);
/// Until the next attempt, where a database does not answer.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// People in one statement, at most.
const BATCH: NonZeroUsize = NonZeroUsize::new(1000).expect("1,000 is not 0");

/// The elements of the queue are JSON already, and PostgreSQL reads them as they are. In the order of nicknames, so that two instances
/// never wait for each other.
const INSERT: &str = "
    INSERT INTO pessoas (id, apelido, nome, nascimento, stack)
    SELECT id, apelido, nome, nascimento, stack
    FROM json_to_recordset($1::json) AS new (id uuid, apelido text, nome text, nascimento text, stack text[])
    ORDER BY apelido
    ON CONFLICT DO NOTHING
    RETURNING id";

/// Runs until it is told to stop, by a sender that is dropped, and the queue is empty.
pub(crate) async fn run(store: Arc<Store>, mut stop: oneshot::Receiver<()>) {
    loop {
        while write_batch(&store).await {}
        if stop.try_recv() == Err(oneshot::error::TryRecvError::Closed) {
            return;
        }
        tokio::select! {
            () = due(&store) => {}
            _ = &mut stop => {}
        }
    }
}

async fn due(store: &Store) {
    match store.acknowledge {
        Acknowledge::Queued => sleep(FLUSH_INTERVAL).await,
        Acknowledge::Committed => store.pushed.notified().await,
    }
}

/// `false` where nobody was queued.
async fn write_batch(store: &Store) -> bool {
    let popped: RedisResult<Vec<String>> = store.redis.clone().lpop(&store.queue, Some(BATCH)).await;
    let batch = match popped {
        Ok(batch) if batch.is_empty() => return false,
        Ok(batch) => batch,
        Err(error) => {
            eprintln!("redis: {error}");
            sleep(RETRY_PAUSE).await;
            return true;
        }
    };
    let people = format!("[{}]", batch.join(","));
    match store.acknowledge {
        // They are acknowledged, so there is no way back.
        Acknowledge::Queued => {
            while insert(store, &people).await.is_err() {
                sleep(RETRY_PAUSE).await;
            }
        }
        Acknowledge::Committed => {
            let kept = insert(store, &people).await;
            settle(store, &batch, kept).await;
        }
    }
    true
}

/// Those who were not there before, once they are committed.
async fn insert(store: &Store, people: &str) -> Result<HashSet<Uuid>, Failed> {
    // To its end, which comes after the commit: a single row would come before it.
    let ids = sqlx::query_scalar(INSERT).bind(people).fetch_all(&store.pool).await?;
    Ok(ids.into_iter().collect())
}

/// Tells those who wait what became of them, then makes the promises in Redis hold, or takes them back.
async fn settle(store: &Store, batch: &[String], kept: Result<HashSet<Uuid>, Failed>) {
    let mut promises = redis::pipe();
    for person in batch.iter().filter_map(|shown| serde_json::from_str::<Person>(shown).ok()) {
        let keys = [apelido_key(&person.apelido), person_key(person.id)];
        let outcome = kept.as_ref().map(|kept| kept.contains(&person.id)).map_err(|failed| *failed);
        match outcome {
            Ok(true) => keys.iter().for_each(|key| {
                promises.persist(key).ignore();
            }),
            // Somebody had that nickname whom Redis did not know.
            Ok(false) => {
                promises.persist(&keys[0]).ignore().del(&keys[1]).ignore();
            }
            Err(_) => {
                promises.del(&keys).ignore();
            }
        }
        store.tell(person.id, outcome);
    }
    if let Err(error) = promises.exec_async(&mut store.redis.clone()).await {
        eprintln!("redis: {error}");
    }
}
