//! Group commit: a task sends what has arrived as one batch, and then what has arrived meanwhile.

use serde::Serialize;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;
use tokio_postgres::Row;

use crate::session::{Session, Trouble};
use crate::transaction::Transaction;

/// The statements of a session that writes.
pub(crate) const STATEMENTS: &[&str] = &[TRANSACT_ONE, TRANSACT_MANY];
const ONE: usize = 0;
const MANY: usize = 1;

/// What the function in batch.sql does, for a single transaction: there it costs less. The `INSERT` reads what the
/// `UPDATE` returns, so it happens under the lock of the client's row. No row: there is no such client.
const TRANSACT_ONE: &str = "
    WITH moved AS (
        UPDATE clientes SET saldo = saldo + $2
        WHERE id = $1 AND CASE WHEN $2::bigint < 0 THEN saldo >= -limite - $2 ELSE saldo <= 9223372036854775807 - $2 END
        RETURNING id, saldo
    ), kept AS (
        INSERT INTO transacoes (cliente_id, valor, tipo, descricao)
        SELECT id, abs($2), CASE WHEN $2 < 0 THEN 'd' ELSE 'c' END, $3::text FROM moved
    )
    SELECT limite, moved.saldo FROM clientes LEFT JOIN moved USING (id) WHERE id = $1";
const TRANSACT_MANY: &str = "SELECT unnest(limits), unnest(balances) FROM transact($1, $2, $3)";

/// Batches under way at a time, each with its own clients, so they do not wait for one another's locks.
pub(crate) const WRITERS: usize = 5;
/// Most transactions in a batch.
const BATCH_MAX: usize = 256;
/// Most transactions that may wait for one writer.
const QUEUE_MAX: usize = 2048;

/// A transaction that waits for its commit. Dropped unanswered, it tells its request that the outcome is unknown.
pub(crate) struct Job {
    pub(crate) client: i32,
    pub(crate) sent: Transaction,
    pub(crate) answer: oneshot::Sender<Outcome>,
}

/// What became of a transaction.
pub(crate) enum Outcome {
    Done(Account),
    Refused,
    UnknownClient,
}

/// A client's limit, and the balance after a transaction.
#[derive(Serialize)]
pub(crate) struct Account {
    limite: i64,
    saldo: i64,
}

/// The queues of the writers.
pub(crate) struct Queues(Vec<Sender<Job>>);

impl Queues {
    /// Starts a writer on each session.
    pub(crate) fn start(sessions: Vec<Session>) -> Self {
        let start = |session| {
            let (queue, arrived) = channel(QUEUE_MAX);
            tokio::spawn(write_all(session, arrived));
            queue
        };
        Self(sessions.into_iter().map(start).collect())
    }

    /// Adds a transaction; `false` where too many wait.
    pub(crate) fn push(&self, job: Job) -> bool {
        let at = job.client.unsigned_abs() as usize % self.0.len();
        self.0[at].try_send(job).is_ok()
    }
}

/// Writes until every sender is gone.
async fn write_all(session: Session, mut arrived: Receiver<Job>) {
    let mut jobs = Vec::with_capacity(BATCH_MAX);
    while arrived.recv_many(&mut jobs, BATCH_MAX).await > 0 {
        // A transaction whose request has given up is not done.
        jobs.retain(|job| !job.answer.is_closed());
        match write(&session, &jobs).await {
            Ok(outcomes) => {
                for (job, outcome) in jobs.drain(..).zip(outcomes) {
                    // It fails only where the client has closed its connection.
                    let _ = job.answer.send(outcome);
                }
            }
            Err(trouble) => {
                eprintln!("database: {trouble}; the outcome of {} transactions is unknown", jobs.len());
                jobs.clear();
            }
        }
    }
}

/// Commits a batch. Its outcomes are in the order of the jobs.
async fn write(session: &Session, jobs: &[Job]) -> Result<Vec<Outcome>, Trouble> {
    match jobs {
        [] => Ok(Vec::new()),
        [Job { client, sent, .. }] => {
            let rows = session.query(ONE, &[client, &sent.change(), &sent.descricao]).await?;
            Ok(vec![outcome(rows.first())?])
        }
        _ => {
            let clients: Vec<i32> = jobs.iter().map(|job| job.client).collect();
            let changes: Vec<i64> = jobs.iter().map(|job| job.sent.change()).collect();
            let texts: Vec<&str> = jobs.iter().map(|job| job.sent.descricao.as_str()).collect();
            let rows = session.query(MANY, &[&clients, &changes, &texts]).await?;
            rows.iter().map(|row| outcome(Some(row))).collect()
        }
    }
}

/// The outcome that a row of a limit and a balance tells.
fn outcome(row: Option<&Row>) -> Result<Outcome, Trouble> {
    let Some(row) = row else { return Ok(Outcome::UnknownClient) };
    let limite: Option<i64> = row.try_get(0).map_err(Trouble::Database)?;
    let saldo: Option<i64> = row.try_get(1).map_err(Trouble::Database)?;
    Ok(match (limite, saldo) {
        (Some(limite), Some(saldo)) => Outcome::Done(Account { limite, saldo }),
        (Some(_), None) => Outcome::Refused,
        (None, _) => Outcome::UnknownClient,
    })
}
