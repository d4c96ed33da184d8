//! A connection to PostgreSQL with its statements. It is opened again after it has ended.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row, Statement};

/// Longest wait for an answer, a new connection included.
const ANSWER_WAIT: Duration = Duration::from_secs(4);
const RECONNECT_PAUSE: Duration = Duration::from_millis(100);

pub(crate) struct Session {
    config: Config,
    statements: &'static [&'static str],
    last: Mutex<Option<Arc<Open>>>,
}

pub(crate) struct Open {
    client: Client,
    prepared: Vec<Statement>,
}

/// Why there is no answer. Whether the statement was done is unknown.
#[derive(Debug)]
pub(crate) enum Trouble {
    Silence,
    Database(tokio_postgres::Error),
}

impl Session {
    /// Opens nothing yet.
    pub(crate) fn new(config: Config, statements: &'static [&'static str]) -> Self {
        Self { config, statements, last: Mutex::new(None) }
    }

    /// Runs one of the statements once and waits for its commit. Calls at the same time share the connection.
    pub(crate) async fn query(
        &self,
        statement: usize,
        values: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Trouble> {
        let asking = async {
            let open = loop {
                match self.open().await {
                    Ok(open) => break open,
                    Err(_) => sleep(RECONNECT_PAUSE).await,
                }
            };
            open.client.query(&open.prepared[statement], values).await
        };
        match timeout(ANSWER_WAIT, asking).await {
            Ok(answer) => answer.map_err(Trouble::Database),
            Err(_) => {
                // The server may still be at it, so the next one gets a connection of its own.
                *self.last.lock().await = None;
                Err(Trouble::Silence)
            }
        }
    }

    /// The open connection, or a new one.
    pub(crate) async fn open(&self) -> Result<Arc<Open>, tokio_postgres::Error> {
        let mut last = self.last.lock().await;
        if let Some(open) = last.as_ref().filter(|open| !open.client.is_closed()) {
            return Ok(Arc::clone(open));
        }
        let (client, connection) = self.config.connect(NoTls).await?;
        tokio::spawn(connection);
        let mut prepared = Vec::with_capacity(self.statements.len());
        for statement in self.statements {
            prepared.push(client.prepare(statement).await?);
        }
        Ok(Arc::clone(last.insert(Arc::new(Open { client, prepared }))))
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silence => write!(out, "no answer within {ANSWER_WAIT:?}"),
            Self::Database(error) => match std::error::Error::source(error) {
                Some(cause) => write!(out, "{error}: {cause}"),
                None => error.fmt(out),
            },
        }
    }
}
