//! Routes and statuses.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::batch::{Account, Job, Outcome, Queues};
use crate::session::{Session, Trouble};
use crate::transaction::Transaction;

/// The whole answer in one snapshot. `clock_timestamp` is later than the snapshot, and so than every transaction in it.
pub(crate) const STATEMENTS: &[&str] = &[r#"
    SELECT json_build_object(
        'saldo', json_build_object(
            'total', saldo,
            'data_extrato', to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
            'limite', limite),
        'ultimas_transacoes', ARRAY(
            SELECT json_build_object(
                'valor', valor, 'tipo', tipo, 'descricao', descricao,
                'realizada_em', to_char(realizada_em AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
            FROM transacoes WHERE cliente_id = clientes.id ORDER BY id DESC LIMIT 10)
    )::text
    FROM clientes WHERE id = $1"#];

/// Longest wait of a transaction, for the batch under way and its own.
const REQUEST_WAIT: Duration = Duration::from_secs(8);

/// The API on queues of transactions and a session that reads.
pub(crate) fn router(queues: Queues, reading: Session) -> Router {
    Router::new()
        .route("/clientes/{id}/transacoes", post(transact).with_state(Arc::new(queues)))
        .route("/clientes/{id}/extrato", get(statement).with_state(Arc::new(reading)))
}

/// Why a request is answered without a body.
enum Failed {
    UnknownClient,
    Refused,
    Busy,
    /// The database may have done it.
    Unknown,
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Self {
        eprintln!("database: {trouble}");
        Self::Unknown
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let status = match self {
            Self::UnknownClient => StatusCode::NOT_FOUND,
            Self::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Unknown => StatusCode::INTERNAL_SERVER_ERROR,
        };
        status.into_response()
    }
}

async fn transact(
    State(queues): State<Arc<Queues>>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Account>, Failed> {
    let client = client_of(&id)?;
    let sent = Transaction::from_json(&body).ok_or(Failed::Refused)?;
    let (answer, answered) = oneshot::channel();
    if !queues.push(Job { client, sent, answer }) {
        return Err(Failed::Busy);
    }
    match timeout(REQUEST_WAIT, answered).await {
        Ok(Ok(Outcome::Done(account))) => Ok(Json(account)),
        Ok(Ok(Outcome::Refused)) => Err(Failed::Refused),
        Ok(Ok(Outcome::UnknownClient)) => Err(Failed::UnknownClient),
        Ok(Err(_)) | Err(_) => Err(Failed::Unknown),
    }
}

async fn statement(State(reading): State<Arc<Session>>, Path(id): Path<String>) -> Result<Response, Failed> {
    let rows = reading.query(0, &[&client_of(&id)?]).await?;
    let row = rows.first().ok_or(Failed::UnknownClient)?;
    let text: String = row.try_get(0).map_err(Trouble::Database)?;
    Ok(([(CONTENT_TYPE, "application/json")], text).into_response())
}

/// The id in a path. One that is no number, or too large, is no client's.
fn client_of(id: &str) -> Result<i32, Failed> {
    id.parse().map_err(|_| Failed::UnknownClient)
}
