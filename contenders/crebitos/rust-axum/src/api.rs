//! Routes and statuses.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use sqlx::PgPool;

use crate::store::{self, Outcome};
use crate::transaction::Transaction;

/// The API on a pool of connections.
pub(crate) fn router(pool: PgPool) -> Router {
    Router::new()
        .route("/clientes/{id}/transacoes", post(transact))
        .route("/clientes/{id}/extrato", get(statement))
        .with_state(pool)
}

/// Why a request is answered without a body.
enum Failed {
    UnknownClient,
    Refused,
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Failed {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let status = match self {
            Self::UnknownClient => StatusCode::NOT_FOUND,
            Self::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Database(error) => {
                eprintln!("database: {error}");
                match error {
                    sqlx::Error::PoolTimedOut => StatusCode::SERVICE_UNAVAILABLE,
                    _ => StatusCode::INTERNAL_SERVER_ERROR,
                }
            }
        };
        status.into_response()
    }
}

async fn transact(
    State(pool): State<PgPool>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<store::Account>, Failed> {
    let client = client_of(&id)?;
    let sent = Transaction::from_json(&body).ok_or(Failed::Refused)?;
    match store::transact(&pool, client, &sent).await? {
        Outcome::Done(account) => Ok(Json(account)),
        Outcome::Refused => Err(Failed::Refused),
        Outcome::UnknownClient => Err(Failed::UnknownClient),
    }
}

async fn statement(
    State(pool): State<PgPool>,
    Path(id): Path<String>,
) -> Result<Json<store::Statement>, Failed> {
    let statement = store::statement(&pool, client_of(&id)?).await?;
    statement.map(Json).ok_or(Failed::UnknownClient)
}

/// The id in a path. One that is no number, or too large, is no client's.
fn client_of(id: &str) -> Result<i32, Failed> {
    id.parse().map_err(|_| Failed::UnknownClient)
}
