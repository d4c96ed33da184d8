//! Routes and statuses.

use std::sync::Arc;

use axum::Json;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use pessoas_person::NewPerson;
use serde::Deserialize;
use uuid::Uuid;

use crate::store::{Failed, Store};

/// The API on Redis and PostgreSQL.
pub(crate) fn router(store: Arc<Store>) -> Router {
    Router::new()
        .route("/pessoas", get(search).post(create))
        .route("/pessoas/{id}", get(find))
        .route("/contagem-pessoas", get(count))
        .with_state(store)
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        match self {
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Refused => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unknown => StatusCode::GATEWAY_TIMEOUT,
        }
        .into_response()
    }
}

async fn create(State(store): State<Arc<Store>>, body: Bytes) -> Result<Response, Failed> {
    let Some(new) = NewPerson::from_json(&body) else { return Ok(StatusCode::BAD_REQUEST.into_response()) };
    let Some(person) = new.validate() else { return Ok(StatusCode::UNPROCESSABLE_ENTITY.into_response()) };
    Ok(match store.create(&person).await? {
        true => (StatusCode::CREATED, [(LOCATION, format!("/pessoas/{}", person.id))]).into_response(),
        false => StatusCode::UNPROCESSABLE_ENTITY.into_response(),
    })
}

async fn find(State(store): State<Arc<Store>>, Path(id): Path<Uuid>) -> Result<Response, Failed> {
    Ok(match store.find(id).await? {
        Some(shown) => ([(CONTENT_TYPE, "application/json")], shown).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    })
}

#[derive(Deserialize)]
struct Search {
    t: Option<String>,
}

async fn search(State(store): State<Arc<Store>>, Query(search): Query<Search>) -> Result<Response, Failed> {
    let Some(term) = search.t.filter(|term| !term.is_empty()) else {
        return Ok(StatusCode::BAD_REQUEST.into_response());
    };
    if term.contains('\0') {
        // Nobody has it, and PostgreSQL cannot be asked for it.
        return Ok(Json([(); 0]).into_response());
    }
    Ok(Json(store.search(&term).await?).into_response())
}

async fn count(State(store): State<Arc<Store>>) -> Result<String, Failed> {
    Ok(store.count().await?.to_string())
}
