//! Redis, which has nicknames, answers and the queue; and PostgreSQL, which has people, and answers searches.

use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pessoas_person::{Person, like_pattern};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands, RedisError, RedisResult, Script};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, PgPool};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

/// For databases that start at the same time.
const START_WAIT: Duration = Duration::from_secs(30);
const START_PAUSE: Duration = Duration::from_millis(500);
/// For one of the pool's connections, and for an answer from Redis.
const DATABASE_WAIT: Duration = Duration::from_secs(5);
/// For the commit of a creation, from its arrival.
const COMMIT_WAIT: Duration = Duration::from_secs(5);
/// A nickname that was promised, by an instance that then died, is free again after this time. Longer than anybody waits.
const PROMISE_SECONDS: u32 = 10;
/// Attempts to reach Redis again, the first after 100 ms, each of the others twice as long after the one before.
const REDIS_RETRIES: usize = 4;

/// In one step: either the nickname is taken, or it is this person's, who can be read and is queued. With seconds it is all a promise,
/// which ends by itself.
const ENQUEUE: &str = "
    if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then return 0 end
    redis.call('SET', KEYS[2], ARGV[2])
    redis.call('RPUSH', KEYS[3], ARGV[2])
    if ARGV[3] ~= '0' then
        redis.call('EXPIRE', KEYS[1], ARGV[3])
        redis.call('EXPIRE', KEYS[2], ARGV[3])
    end
    return 1";

/// What an acknowledged creation has reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Acknowledge {
    Queued,
    Committed,
}

impl FromStr for Acknowledge {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "queued" => Ok(Self::Queued),
            "committed" => Ok(Self::Committed),
            _ => Err(()),
        }
    }
}

/// Why there is no answer. The error itself is told in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Failed {
    /// Nothing was done: there was no connection in time.
    Busy,
    /// Nothing was done: the database said no.
    Refused,
    /// Whether it was done nobody knows.
    Unknown,
}

impl From<sqlx::Error> for Failed {
    fn from(error: sqlx::Error) -> Self {
        eprintln!("database: {error}");
        match error {
            sqlx::Error::PoolTimedOut => Self::Busy,
            sqlx::Error::Database(_) => Self::Refused,
            _ => Self::Unknown,
        }
    }
}

impl From<RedisError> for Failed {
    fn from(error: RedisError) -> Self {
        eprintln!("redis: {error}");
        Self::Unknown
    }
}

pub(crate) struct Settings {
    pub(crate) acknowledge: Acknowledge,
    pub(crate) database_url: String,
    pub(crate) redis_url: String,
    /// Connections to PostgreSQL.
    pub(crate) pool: u32,
    /// The name of this instance's queue.
    pub(crate) queue: String,
}

pub(crate) struct Store {
    pub(crate) acknowledge: Acknowledge,
    pub(crate) redis: ConnectionManager,
    pub(crate) pool: PgPool,
    pub(crate) queue: String,
    /// Told when somebody waits for a commit.
    pub(crate) pushed: Notify,
    waiting: Mutex<HashMap<Uuid, oneshot::Sender<Result<bool, Failed>>>>,
    enqueue: Script,
}

impl Store {
    /// Waits for both databases. The error is what to tell whoever started this.
    pub(crate) async fn open(settings: Settings) -> Result<Self, String> {
        let wrong = |name: &str, error: &dyn Display| format!("environment: `{name}`: {error}");
        let options = PgConnectOptions::from_str(&settings.database_url)
            .map_err(|error| wrong("DATABASE_URL", &error))?;
        let address = format!("PostgreSQL at {}:{}", options.get_host(), options.get_port());
        reach(&address, "DATABASE_URL", async || options.connect().await).await?;

        let client =
            redis::Client::open(settings.redis_url).map_err(|error| wrong("REDIS_URL", &error))?;
        let address = format!("Redis at {}", client.get_connection_info().addr());
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(REDIS_RETRIES)
            .set_response_timeout(Some(DATABASE_WAIT));
        let redis = reach(&address, "REDIS_URL", async || {
            client.get_connection_manager_with_config(config.clone()).await
        })
        .await?;

        Ok(Self {
            acknowledge: settings.acknowledge,
            redis,
            pool: PgPoolOptions::new()
                .max_connections(settings.pool)
                .acquire_timeout(DATABASE_WAIT)
                .connect_lazy_with(options),
            queue: settings.queue,
            pushed: Notify::new(),
            waiting: Mutex::default(),
            enqueue: Script::new(ENQUEUE),
        })
    }

    /// Keeps a person; `false` where somebody has that `apelido`.
    pub(crate) async fn create(&self, person: &Person) -> Result<bool, Failed> {
        match self.acknowledge {
            Acknowledge::Queued => Ok(self.enqueue(person, 0).await?),
            Acknowledge::Committed => {
                timeout(COMMIT_WAIT, self.commit(person)).await.unwrap_or(Err(Failed::Unknown))
            }
        }
    }

    async fn commit(&self, person: &Person) -> Result<bool, Failed> {
        let (tell, told) = oneshot::channel();
        let _wait = Wait::new(self, person.id, tell);
        if !self.enqueue(person, PROMISE_SECONDS).await? {
            return Ok(false);
        }
        self.pushed.notify_one();
        told.await.unwrap_or(Err(Failed::Unknown))
    }

    async fn enqueue(&self, person: &Person, promise_seconds: u32) -> RedisResult<bool> {
        self.enqueue
            .key(apelido_key(&person.apelido))
            .key(person_key(person.id))
            .key(&self.queue)
            .arg(person.id.to_string())
            .arg(shown(person))
            .arg(promise_seconds)
            .invoke_async(&mut self.redis.clone())
            .await
    }

    /// Tells whoever waits for this creation how it ended.
    pub(crate) fn tell(&self, id: Uuid, outcome: Result<bool, Failed>) {
        if let Some(tell) = self.waiting().remove(&id) {
            // Its client may have left at this moment.
            let _ = tell.send(outcome);
        }
    }

    /// A person as shown: from Redis, or from PostgreSQL where Redis has forgotten it, or is gone.
    pub(crate) async fn find(&self, id: Uuid) -> Result<Option<String>, Failed> {
        if let Ok(Some(shown)) = self.redis.clone().get(person_key(id)).await {
            return Ok(Some(shown));
        }
        let person: Option<Person> =
            sqlx::query_as("SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE id = $1")
                .bind(id)
                .fetch_optional(&self.pool)
                .await?;
        Ok(person.as_ref().map(shown))
    }

    /// People in whom a term is contained, whatever the letter case, 50 at most.
    pub(crate) async fn search(&self, term: &str) -> Result<Vec<Person>, Failed> {
        let select = "SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower($1) LIMIT 50";
        Ok(sqlx::query_as(select).bind(like_pattern(term)).fetch_all(&self.pool).await?)
    }

    pub(crate) async fn count(&self) -> Result<i64, Failed> {
        Ok(sqlx::query_scalar("SELECT count(*) FROM pessoas").fetch_one(&self.pool).await?)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Uuid, oneshot::Sender<Result<bool, Failed>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among those who wait for a commit, left however the wait ends.
struct Wait<'a> {
    store: &'a Store,
    id: Uuid,
}

impl<'a> Wait<'a> {
    fn new(store: &'a Store, id: Uuid, tell: oneshot::Sender<Result<bool, Failed>>) -> Self {
        store.waiting().insert(id, tell);
        Self { store, id }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.store.waiting().remove(&self.id);
    }
}

pub(crate) fn apelido_key(apelido: &str) -> String {
    format!("apelido:{apelido}")
}

pub(crate) fn person_key(id: Uuid) -> String {
    format!("pessoa:{id}")
}

/// The answer to whoever reads this person, which is also the form in Redis.
fn shown(person: &Person) -> String {
    serde_json::to_string(person).expect("texts and lists are always JSON")
}

/// Tries until it succeeds, or [`START_WAIT`] is over.
async fn reach<T, E: Display>(
    whom: &str,
    variable: &str,
    attempt: impl AsyncFn() -> Result<T, E>,
) -> Result<T, String> {
    let deadline = Instant::now() + START_WAIT;
    loop {
        // One that accepts and then says nothing would be waited for without end.
        let reason = match timeout(DATABASE_WAIT, attempt()).await {
            Ok(Ok(reached)) => return Ok(reached),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "no answer".to_owned(),
        };
        if Instant::now() >= deadline {
            return Err(format!(
                "{whom} cannot be reached: {reason}\nhint: start it, or say in {variable} where it is"
            ));
        }
        sleep(START_PAUSE).await;
    }
}
