//! Routes and statuses.

use axum::Json;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use pessoas_person::NewPerson;
use serde::Deserialize;
use sqlx::PgPool;
use uuid::Uuid;

use crate::store;

/// The API on a pool of connections.
pub(crate) fn router(pool: PgPool) -> Router {
    Router::new()
        .route("/pessoas", get(search).post(create))
        .route("/pessoas/{id}", get(find))
        .route("/contagem-pessoas", get(count))
        .with_state(pool)
}

/// The database's error: told in the log, answered by 500, or by 503 where no connection became free in time.
struct Failed(sqlx::Error);

impl From<sqlx::Error> for Failed {
    fn from(error: sqlx::Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        eprintln!("database: {}", self.0);
        match self.0 {
            sqlx::Error::PoolTimedOut => StatusCode::SERVICE_UNAVAILABLE.into_response(),
            _ => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        }
    }
}

async fn create(State(pool): State<PgPool>, body: Bytes) -> Result<Response, Failed> {
    let Some(new) = NewPerson::from_json(&body) else { return Ok(StatusCode::BAD_REQUEST.into_response()) };
    let Some(person) = new.validate() else { return Ok(StatusCode::UNPROCESSABLE_ENTITY.into_response()) };
    Ok(match store::create(&pool, &person).await? {
        true => (StatusCode::CREATED, [(LOCATION, format!("/pessoas/{}", person.id))]).into_response(),
        false => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
    })
}

async fn find(State(pool): State<PgPool>, Path(id): Path<Uuid>) -> Result<Response, Failed> {
    Ok(match store::find(&pool, id).await? {
        Some(person) => Json(person).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    })
}

#[derive(Deserialize)]
struct Search {
    t: Option<String>,
}

async fn search(State(pool): State<PgPool>, Query(search): Query<Search>) -> Result<Response, Failed> {
    let Some(term) = search.t.filter(|term| !term.is_empty()) else {
        return Ok(StatusCode::BAD_REQUEST.into_response());
    };
    if term.contains('\0') {
        // Nobody has it, and PostgreSQL cannot be asked for it.
        return Ok(Json([(); 0]).into_response());
    }
    Ok(Json(store::search(&pool, &term).await?).into_response())
}

async fn count(State(pool): State<PgPool>) -> Result<String, Failed> {
    Ok(store::count(&pool).await?.to_string())
}
