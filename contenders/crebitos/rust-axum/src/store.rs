//! One statement for each request.

use serde::Serialize;
use sqlx::error::DatabaseError;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgPool, Row};

use crate::transaction::Transaction;

/// Changes the balance where the limit allows it, and keeps the transaction under the lock of that change, so the
/// order of ids is the order of changes. No row: there is no such client. No balance: the limit forbids it.
const MOVE: &str = "
    WITH moved AS (
        UPDATE clientes SET saldo = saldo + $2 WHERE id = $1 AND saldo + $2 >= -limite RETURNING id, saldo
    ), kept AS (
        INSERT INTO transacoes (cliente_id, valor, tipo, descricao) SELECT id, $3, $4, $5 FROM moved
    )
    SELECT limite, moved.saldo FROM clientes LEFT JOIN moved USING (id) WHERE id = $1";

/// Reads balance and transactions in one snapshot. A client without transactions has one row without them.
/// `clock_timestamp` is later than the snapshot, and so than every transaction in it.
const STATEMENT: &str = r#"
    SELECT saldo, limite, valor, tipo, descricao,
        to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS data_extrato,
        to_char(realizada_em AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS realizada_em
    FROM clientes LEFT JOIN LATERAL (
        SELECT * FROM transacoes WHERE cliente_id = clientes.id ORDER BY id DESC LIMIT 10
    ) AS last ON true
    WHERE clientes.id = $1
    ORDER BY last.id DESC"#;

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

/// A client's balance and the last ten transactions, newest first.
#[derive(Serialize)]
pub(crate) struct Statement {
    saldo: Balance,
    ultimas_transacoes: Vec<Kept>,
}

#[derive(FromRow, Serialize)]
struct Balance {
    #[sqlx(rename = "saldo")]
    total: i64,
    data_extrato: String,
    limite: i64,
}

#[derive(FromRow, Serialize)]
struct Kept {
    valor: i64,
    tipo: String,
    descricao: String,
    realizada_em: String,
}

pub(crate) async fn transact(pool: &PgPool, client: i32, sent: &Transaction) -> sqlx::Result<Outcome> {
    let moved: sqlx::Result<Option<(i64, Option<i64>)>> = sqlx::query_as(MOVE)
        .bind(client)
        .bind(sent.change())
        .bind(sent.valor)
        .bind(sent.tipo.to_string())
        .bind(&sent.descricao)
        .fetch_optional(pool)
        .await;
    match moved {
        Ok(Some((limite, Some(saldo)))) => Ok(Outcome::Done(Account { limite, saldo })),
        Ok(Some((_, None))) => Ok(Outcome::Refused),
        Ok(None) => Ok(Outcome::UnknownClient),
        Err(error) if is_overflow(&error) => Ok(Outcome::Refused),
        Err(error) => Err(error),
    }
}

pub(crate) async fn statement(pool: &PgPool, client: i32) -> sqlx::Result<Option<Statement>> {
    let rows = sqlx::query(STATEMENT).bind(client).fetch_all(pool).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let saldo = Balance::from_row(first)?;
    let kept = rows.iter().filter(|row| has_transaction(row)).map(Kept::from_row);
    Ok(Some(Statement { saldo, ultimas_transacoes: kept.collect::<Result<_, _>>()? }))
}

fn has_transaction(row: &PgRow) -> bool {
    row.try_get::<Option<i64>, _>("valor").is_ok_and(|valor| valor.is_some())
}

/// Whether the balance would leave 64 bits.
fn is_overflow(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(DatabaseError::code).is_some_and(|code| code == "22003")
}
