//! The contest's API over a [`Store`]: routes, statuses and bodies. Refusals have no body, since nobody reads
//! it.

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use uuid::Uuid;

use crate::person::{NewPerson, Refusal};
use crate::query::{self, Term};
use crate::store::{Creation, Store, StoreError};

/// The longest request body; the longest valid person that the contest sends has some 600 bytes.
const BODY_BYTES_MAX: usize = 64 * 1024;

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");

/// The shortest time that the header can say; a database that restarts is back about then.
const RETRY_AFTER_S: HeaderValue = HeaderValue::from_static("1");

/// An answer: always complete, never streamed.
pub type Answer = Response<Full<Bytes>>;

/// Answers one request. An error of the store is logged, and answered by 503, 504 or 500 (see [`StoreError`]).
pub async fn handle<S, B>(store: &S, request: Request<B>) -> Answer
where
    S: Store,
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    handle_with(store, request, |body| NewPerson::from_json(body)).await
}

/// Like [`handle`], with a reader of request bodies of the caller's.
pub async fn handle_with<S, B, R>(store: &S, request: Request<B>, read: R) -> Answer
where
    S: Store,
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    R: for<'a> Fn(&'a [u8]) -> Result<NewPerson<'a>, Refusal>,
{
    route(store, request, read).await.unwrap_or_else(|error| {
        eprintln!("store: {error}");
        failure(&error)
    })
}

async fn route<S, B, R>(store: &S, request: Request<B>, read: R) -> Result<Answer, StoreError>
where
    S: Store,
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    R: for<'a> Fn(&'a [u8]) -> Result<NewPerson<'a>, Refusal>,
{
    let path = request.uri().path();
    // hyper leaves the body out of an answer to HEAD, and keeps its length.
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    match path {
        "/pessoas" if request.method() == Method::POST => create(store, request.into_body(), read).await,
        "/pessoas" if reads => search(store, request.uri().query().unwrap_or_default()).await,
        "/pessoas" => Ok(not_allowed("GET, HEAD, POST")),
        "/contagem-pessoas" if reads => {
            let count = store.count().await?;
            Ok(with_body(TEXT, count.to_string().into_bytes()))
        }
        "/contagem-pessoas" => Ok(not_allowed("GET, HEAD")),
        _ => match path.strip_prefix("/pessoas/") {
            Some(id) if reads => find(store, id).await,
            Some(_) => Ok(not_allowed("GET, HEAD")),
            None => Ok(empty(StatusCode::NOT_FOUND)),
        },
    }
}

async fn create<S, B, R>(store: &S, body: B, read: R) -> Result<Answer, StoreError>
where
    S: Store,
    B: Body,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    R: for<'a> Fn(&'a [u8]) -> Result<NewPerson<'a>, Refusal>,
{
    let body = match Limited::new(body, BODY_BYTES_MAX).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => return Ok(empty(StatusCode::PAYLOAD_TOO_LARGE)),
        Err(_) => return Ok(empty(StatusCode::BAD_REQUEST)),
    };
    let person = match read(&body) {
        Ok(person) => person,
        Err(Refusal::Malformed) => return Ok(empty(StatusCode::BAD_REQUEST)),
        Err(Refusal::Invalid) => return Ok(empty(StatusCode::UNPROCESSABLE_ENTITY)),
    };
    Ok(match store.create(person).await? {
        Creation::Created(id) => created(id),
        Creation::Duplicate => empty(StatusCode::UNPROCESSABLE_ENTITY),
    })
}

async fn find<S: Store>(store: &S, id: &str) -> Result<Answer, StoreError> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(empty(StatusCode::NOT_FOUND)) };
    match store.find(id).await? {
        Some(person) => json(&person),
        None => Ok(empty(StatusCode::NOT_FOUND)),
    }
}

async fn search<S: Store>(store: &S, query: &str) -> Result<Answer, StoreError> {
    match query::term(query) {
        Term::Text(term) => json(&store.search(term).await?),
        Term::Unusable => Ok(empty(StatusCode::BAD_REQUEST)),
    }
}

fn empty(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}

fn failure(error: &StoreError) -> Answer {
    match error {
        StoreError::Unavailable(_) => {
            let mut answer = empty(StatusCode::SERVICE_UNAVAILABLE);
            answer.headers_mut().insert(RETRY_AFTER, RETRY_AFTER_S);
            answer
        }
        StoreError::Unknown(_) => empty(StatusCode::GATEWAY_TIMEOUT),
        StoreError::Failed(_) => empty(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn created(id: Uuid) -> Answer {
    let mut answer = empty(StatusCode::CREATED);
    // A UUID's text is always a valid header value.
    if let Ok(location) = HeaderValue::from_str(&format!("/pessoas/{id}")) {
        answer.headers_mut().insert(LOCATION, location);
    }
    answer
}

fn not_allowed(methods: &'static str) -> Answer {
    let mut answer = empty(StatusCode::METHOD_NOT_ALLOWED);
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    answer
}

fn with_body(content_type: HeaderValue, body: Vec<u8>) -> Answer {
    let mut answer = Response::new(Full::from(body));
    answer.headers_mut().insert(CONTENT_TYPE, content_type);
    answer
}

fn json<T: Serialize>(value: &T) -> Result<Answer, StoreError> {
    let body = serde_json::to_vec(value).map_err(|error| StoreError::Failed(format!("answer: {error}")))?;
    Ok(with_body(JSON, body))
}

#[cfg(test)]
mod tests {
    use std::future::{Future, ready};

    use uuid::Uuid;

    use super::*;

    /// Answers everything with one error.
    struct Failing(StoreError);

    impl Store for Failing {
        type Found = u32;

        fn ready(&self) -> impl Future<Output = Result<(), StoreError>> + Send {
            ready(Err(self.0.clone()))
        }

        fn create(&self, _: NewPerson<'_>) -> impl Future<Output = Result<Creation, StoreError>> + Send {
            ready(Err(self.0.clone()))
        }

        fn find(&self, _: Uuid) -> impl Future<Output = Result<Option<u32>, StoreError>> + Send {
            ready(Err(self.0.clone()))
        }

        fn search(&self, _: String) -> impl Future<Output = Result<Vec<u32>, StoreError>> + Send {
            ready(Err(self.0.clone()))
        }

        fn count(&self) -> impl Future<Output = Result<u64, StoreError>> + Send {
            ready(Err(self.0.clone()))
        }
    }

    #[tokio::test]
    async fn what_a_client_may_conclude_from_an_error_shows_in_its_status() {
        let text = || "x".to_owned();
        for (error, status, retry_after) in [
            (StoreError::Unavailable(text()), StatusCode::SERVICE_UNAVAILABLE, Some("1")),
            (StoreError::Unknown(text()), StatusCode::GATEWAY_TIMEOUT, None),
            (StoreError::Failed(text()), StatusCode::INTERNAL_SERVER_ERROR, None),
        ] {
            let store = Failing(error);
            for (method, target) in [
                (Method::POST, "/pessoas"),
                (Method::GET, "/pessoas/0190a4c0-0000-7000-8000-000000000000"),
                (Method::GET, "/pessoas?t=a"),
                (Method::GET, "/contagem-pessoas"),
            ] {
                let body = Full::<Bytes>::from(r#"{"apelido":"a","nome":"b","nascimento":"2000-01-01"}"#);
                let request = Request::builder().method(&method).uri(target).body(body).unwrap();
                let answer = handle(&store, request).await;
                let told = answer.headers().get(RETRY_AFTER).map(|value| value.to_str().unwrap());
                assert_eq!((answer.status(), told), (status, retry_after), "{method} {target}");
            }
        }
    }
}
