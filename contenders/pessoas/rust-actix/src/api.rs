//! Routes and statuses.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::web::{Bytes, Data, Path, Query, ServiceConfig, get, head, post, resource};
use actix_web::{HttpResponse, ResponseError};
use deadpool_postgres::{Pool, PoolError};
use pessoas_person::NewPerson;
use serde::Deserialize;
use uuid::Uuid;

use crate::store;

/// What is read is answered to HEAD as well.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config
        .service(
            resource("/pessoas")
                .route(post().to(create))
                .route(get().to(search))
                .route(head().to(search)),
        )
        .service(resource("/pessoas/{id}").route(get().to(find)).route(head().to(find)))
        .service(resource("/contagem-pessoas").route(get().to(count)).route(head().to(count)));
}

/// The database's error: told in the log, answered by 500, or by 503 where no connection became free in time.
#[derive(Debug)]
struct Failed(PoolError);

impl From<PoolError> for Failed {
    fn from(error: PoolError) -> Self {
        Self(error)
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "database: {}", store::with_causes(&self.0))
    }
}

impl ResponseError for Failed {
    fn status_code(&self) -> StatusCode {
        match self.0 {
            PoolError::Timeout(_) => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse {
        eprintln!("{self}");
        HttpResponse::new(self.status_code())
    }
}

async fn create(pool: Data<Pool>, body: Bytes) -> Result<HttpResponse, Failed> {
    let Some(new) = NewPerson::from_json(&body) else { return Ok(HttpResponse::BadRequest().finish()) };
    let Some(person) = new.validate() else { return Ok(HttpResponse::UnprocessableEntity().finish()) };
    Ok(match store::create(&pool, &person).await? {
        true => {
            HttpResponse::Created().insert_header((LOCATION, format!("/pessoas/{}", person.id))).finish()
        }
        false => HttpResponse::UnprocessableEntity().finish(),
    })
}

async fn find(pool: Data<Pool>, id: Path<Uuid>) -> Result<HttpResponse, Failed> {
    Ok(match store::find(&pool, *id).await? {
        Some(person) => HttpResponse::Ok().json(person),
        None => HttpResponse::NotFound().finish(),
    })
}

#[derive(Deserialize)]
struct Search {
    t: Option<String>,
}

async fn search(pool: Data<Pool>, search: Query<Search>) -> Result<HttpResponse, Failed> {
    let Some(term) = search.t.as_deref().filter(|term| !term.is_empty()) else {
        return Ok(HttpResponse::BadRequest().finish());
    };
    if term.contains('\0') {
        // Nobody has it, and PostgreSQL cannot be asked for it.
        return Ok(HttpResponse::Ok().json([(); 0]));
    }
    Ok(HttpResponse::Ok().json(store::search(&pool, term).await?))
}

async fn count(pool: Data<Pool>) -> Result<String, Failed> {
    Ok(store::count(&pool).await?.to_string())
}
