//! PostgreSQL, and one statement for each request.

use std::error::Error;
use std::time::{Duration, Instant};

use actix_web::rt::time::{sleep, timeout};
use deadpool_postgres::{Manager, Pool, PoolError, Runtime};
use pessoas_person::{Person, like_pattern};
use tokio_postgres::config::Host;
use tokio_postgres::{Config, NoTls, Row};
use uuid::Uuid;

/// How long a request waits for a connection.
const CONNECTION_WAIT: Duration = Duration::from_secs(5);
/// How long a database may take to come up.
const START_WAIT: Duration = Duration::from_secs(30);
const START_PAUSE: Duration = Duration::from_millis(200);

/// A pool of connections, once the database answers.
pub(crate) async fn open(url: &str, size: usize) -> Result<Pool, Box<dyn Error>> {
    let mut config: Config =
        url.parse().map_err(|error| format!("environment: `DATABASE_URL`: {}", with_causes(&error)))?;
    config.connect_timeout(CONNECTION_WAIT);
    wait_for(&config).await?;
    let pool = Pool::builder(Manager::new(config, NoTls))
        .max_size(size)
        .wait_timeout(Some(CONNECTION_WAIT))
        .create_timeout(Some(CONNECTION_WAIT))
        .runtime(Runtime::Tokio1)
        .build()?;
    Ok(pool)
}

/// By a connection that is given up again: those of the pool belong to the thread that serves.
async fn wait_for(config: &Config) -> Result<(), String> {
    let deadline = Instant::now() + START_WAIT;
    loop {
        // `connect_timeout` ends where the server accepts, and one that then says nothing would be waited for without end.
        let reason = match timeout(CONNECTION_WAIT, config.connect(NoTls)).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => with_causes(&error),
            Err(_) => "no answer".to_owned(),
        };
        if Instant::now() > deadline {
            return Err(format!(
                "database: no connection to {}: {reason}\n\
                 hint: start PostgreSQL there, or set DATABASE_URL to where it is",
                address(config)
            ));
        }
        sleep(START_PAUSE).await;
    }
}

fn address(config: &Config) -> String {
    match config.get_hosts().first() {
        Some(Host::Tcp(name)) => format!("{name} port {}", config.get_ports().first().unwrap_or(&5432)),
        Some(Host::Unix(folder)) => folder.display().to_string(),
        None => "nowhere".to_owned(),
    }
}

/// An error with its causes; by itself it tells none of them.
pub(crate) fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Keeps a person; `false` where somebody has that `apelido`.
pub(crate) async fn create(pool: &Pool, person: &Person) -> Result<bool, PoolError> {
    let client = pool.get().await?;
    let insert = client
        .prepare_cached(
            "INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (apelido) DO NOTHING",
        )
        .await?;
    let Person { id, apelido, nome, nascimento, stack } = person;
    Ok(client.execute(&insert, &[id, apelido, nome, nascimento, stack]).await? == 1)
}

pub(crate) async fn find(pool: &Pool, id: Uuid) -> Result<Option<Person>, PoolError> {
    let client = pool.get().await?;
    let select = client
        .prepare_cached("SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE id = $1")
        .await?;
    Ok(client.query_opt(&select, &[&id]).await?.as_ref().map(person))
}

/// People in whom a term is contained, whatever the letter case, 50 at most.
pub(crate) async fn search(pool: &Pool, term: &str) -> Result<Vec<Person>, PoolError> {
    let client = pool.get().await?;
    let select = client
        .prepare_cached(
            "SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower($1) LIMIT 50",
        )
        .await?;
    Ok(client.query(&select, &[&like_pattern(term)]).await?.iter().map(person).collect())
}

pub(crate) async fn count(pool: &Pool) -> Result<i64, PoolError> {
    let client = pool.get().await?;
    let count = client.prepare_cached("SELECT count(*) FROM pessoas").await?;
    Ok(client.query_one(&count, &[]).await?.get(0))
}

fn person(row: &Row) -> Person {
    Person {
        id: row.get(0),
        apelido: row.get(1),
        nome: row.get(2),
        nascimento: row.get(3),
        stack: row.get(4),
    }
}
