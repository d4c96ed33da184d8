//! The contest's API over a [`Store`]: routes, statuses and bodies. Refusals have no body, since nobody reads
//! it.

use uuid::Uuid;

use crate::http::{Answer, Field, Method, Request, Status};
use crate::log::{self, Level};
use crate::person::{NewPerson, Refusal};
use crate::query::{self, Term};
use crate::store::{Creation, Found, Store, StoreError};

const JSON: Field = Field::ContentType("application/json");
const TEXT: Field = Field::ContentType("text/plain; charset=utf-8");

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route<'a> {
    /// `POST /pessoas`.
    Create,
    /// `GET /pessoas/<id>`, with what stands for the id.
    Find(&'a str),
    /// `GET /pessoas`, with its query.
    Search(&'a str),
    /// `GET /contagem-pessoas`.
    Count,
    /// Another method on one of these paths, with those that it has.
    NotAllowed(&'static str),
    /// Any other path.
    Unknown,
}

impl<'a> Route<'a> {
    /// Names for metrics, by [`Self::number`].
    pub(crate) const NAMES: [&'static str; 5] = ["create", "find", "search", "count", "other"];

    /// The route of a request.
    pub fn of(request: &Request<'a>) -> Self {
        let reads = request.method.reads();
        match request.path {
            "/pessoas" if request.method == Method::Post => Self::Create,
            "/pessoas" if reads => Self::Search(request.query),
            "/pessoas" => Self::NotAllowed("GET, HEAD, POST"),
            "/contagem-pessoas" if reads => Self::Count,
            "/contagem-pessoas" => Self::NotAllowed("GET, HEAD"),
            path => match path.strip_prefix("/pessoas/") {
                Some(id) if reads => Self::Find(id),
                Some(_) => Self::NotAllowed("GET, HEAD"),
                None => Self::Unknown,
            },
        }
    }

    pub(crate) fn number(self) -> usize {
        match self {
            Self::Create => 0,
            Self::Find(_) => 1,
            Self::Search(_) => 2,
            Self::Count => 3,
            Self::NotAllowed(_) | Self::Unknown => 4,
        }
    }
}

/// Answers a request with this route and body; the answer's body is written into `out`, which is empty. An error of
/// the store is logged, and answered by 503, 504 or 500 (see [`StoreError`]).
pub async fn handle<S: Store>(store: &S, route: Route<'_>, body: &[u8], out: &mut Vec<u8>) -> Answer {
    handle_with(store, route, body, out, |body| NewPerson::from_json(body)).await
}

/// Like [`handle`], with a reader of request bodies of the caller's.
pub async fn handle_with<S, R>(store: &S, route: Route<'_>, body: &[u8], out: &mut Vec<u8>, read: R) -> Answer
where
    S: Store,
    R: for<'a> Fn(&'a [u8]) -> Result<NewPerson<'a>, Refusal>,
{
    let answered = match route {
        Route::Create => create(store, read(body)).await,
        Route::Find(id) => find(store, id, out).await,
        Route::Search(query) => search(store, query, out).await,
        Route::Count => count(store, out).await,
        Route::NotAllowed(methods) => Ok(Answer::new(Status::MethodNotAllowed, Field::Allow(methods))),
        Route::Unknown => Ok(Status::NotFound.into()),
    };
    answered.unwrap_or_else(|error| {
        out.clear();
        failure(&error)
    })
}

async fn create<S: Store>(store: &S, person: Result<NewPerson<'_>, Refusal>) -> Result<Answer, StoreError> {
    let person = match person {
        Ok(person) => person,
        Err(Refusal::Malformed) => return Ok(Status::BadRequest.into()),
        Err(Refusal::Invalid) => return Ok(Status::UnprocessableContent.into()),
    };
    Ok(match store.create(person).await? {
        Creation::Created(id) => Answer::new(Status::Created, Field::Location(id)),
        Creation::Duplicate => Status::UnprocessableContent.into(),
    })
}

async fn find<S: Store>(store: &S, id: &str, out: &mut Vec<u8>) -> Result<Answer, StoreError> {
    let Ok(id) = Uuid::try_parse(id) else { return Ok(Status::NotFound.into()) };
    match store.find(id).await? {
        Some(person) => {
            person.write_json(out);
            Ok(Answer::new(Status::Ok, JSON))
        }
        None => Ok(Status::NotFound.into()),
    }
}

async fn search<S: Store>(store: &S, query: &str, out: &mut Vec<u8>) -> Result<Answer, StoreError> {
    let Term::Text(term) = query::term(query) else { return Ok(Status::BadRequest.into()) };
    let found = store.search(term).await?;
    out.push(b'[');
    for (at, person) in found.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        person.write_json(out);
    }
    out.push(b']');
    Ok(Answer::new(Status::Ok, JSON))
}

async fn count<S: Store>(store: &S, out: &mut Vec<u8>) -> Result<Answer, StoreError> {
    out.extend_from_slice(store.count().await?.to_string().as_bytes());
    Ok(Answer::new(Status::Ok, TEXT))
}

fn failure(error: &StoreError) -> Answer {
    let (level, answer) = match error {
        StoreError::Unavailable(_) => (Level::Warn, Answer::SHED),
        StoreError::Unknown(_) => (Level::Error, Status::GatewayTimeout.into()),
        StoreError::Failed(_) => (Level::Error, Status::InternalServerError.into()),
    };
    log::write(level, "store", &[("error", error)]);
    answer
}

#[cfg(test)]
mod tests {
    use std::future::{Future, ready};

    use uuid::Uuid;

    use super::*;

    /// Answers everything with one error.
    struct Failing(StoreError);

    struct Nobody;

    impl Found for Nobody {
        fn write_json(&self, _: &mut Vec<u8>) {}
    }

    impl Store for Failing {
        type Found = Nobody;

        fn ready(&self) -> impl Future<Output = Result<(), StoreError>> + Send {
            ready(Err(self.0.clone()))
        }

        fn create(&self, _: NewPerson<'_>) -> impl Future<Output = Result<Creation, StoreError>> + Send {
            ready(Err(self.0.clone()))
        }

        fn find(&self, _: Uuid) -> impl Future<Output = Result<Option<Nobody>, StoreError>> + Send {
            ready(Err(self.0.clone()))
        }

        fn search(&self, _: String) -> impl Future<Output = Result<Vec<Nobody>, StoreError>> + Send {
            ready(Err(self.0.clone()))
        }

        fn count(&self) -> impl Future<Output = Result<u64, StoreError>> + Send {
            ready(Err(self.0.clone()))
        }
    }

    #[tokio::test]
    async fn what_a_client_may_conclude_from_an_error_shows_in_its_status() {
        let text = || "x".to_owned();
        for (error, status, field) in [
            (StoreError::Unavailable(text()), Status::ServiceUnavailable, Some(Field::RetryAfter("1"))),
            (StoreError::Unknown(text()), Status::GatewayTimeout, None),
            (StoreError::Failed(text()), Status::InternalServerError, None),
        ] {
            let store = Failing(error);
            for route in [
                Route::Create,
                Route::Find("0190a4c0-0000-7000-8000-000000000000"),
                Route::Search("t=a"),
                Route::Count,
            ] {
                let body = br#"{"apelido":"a","nome":"b","nascimento":"2000-01-01"}"#;
                let mut out = Vec::new();
                let answer = handle(&store, route, body, &mut out).await;
                assert_eq!((answer, out), (Answer { status, field }, Vec::new()), "{route:?}");
            }
        }
    }
}
