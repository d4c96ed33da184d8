//! What all connections share, and what answers a request: the API, or the operator's part of it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::api::{self, Route};
use crate::config::Limits;
use crate::http::watchdog::Watchdog;
use crate::http::{Answer, Field, Request, Status};
use crate::metrics::Metrics;
use crate::store::{Store, StoreError};

/// How long a store may take to say that it is ready.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

const TEXT: Field = Field::ContentType("text/plain; charset=utf-8");
const PROMETHEUS: Field = Field::ContentType("text/plain; version=0.0.4; charset=utf-8");

/// Whether there is room for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    Admitted,
    /// Too many are under way.
    Shed,
}

/// One instance of the API.
pub(crate) struct Service<S> {
    pub(crate) watchdog: Watchdog,
    pub(crate) metrics: Metrics,
    store: S,
    limits: Limits,
    in_flight: AtomicUsize,
    connections: AtomicUsize,
    stopping: AtomicBool,
}

impl<S: Store> Service<S> {
    pub(crate) fn new(store: S, limits: Limits) -> Self {
        Self {
            watchdog: Watchdog::new(&limits),
            metrics: Metrics::default(),
            store,
            limits,
            in_flight: AtomicUsize::new(0),
            connections: AtomicUsize::new(0),
            stopping: AtomicBool::new(false),
        }
    }

    /// Whether a request may come in. Only requests whose handlers are under way count, so that nobody who sends
    /// slowly takes the place of others; and the operator is let in always.
    pub(crate) fn admission(&self, target: &str) -> Admission {
        if self.in_flight.load(Relaxed) < self.limits.in_flight_max || is_operators(target) {
            Admission::Admitted
        } else {
            Admission::Shed
        }
    }

    /// Answers a request; the answer's body is appended to `body`.
    pub(crate) async fn answer(&self, request: &Request<'_>, body: &mut Vec<u8>) -> Answer {
        if is_operators(request.path) {
            return self.answer_operator(request, body).await;
        }
        let _guard = Counted::one_more(&self.in_flight);
        let begun = Instant::now();
        let route = Route::of(request);
        let answer = api::handle(&self.store, route, request.body, body).await;
        self.metrics.count_answer(route, answer.status, begun.elapsed());
        answer
    }

    async fn answer_operator(&self, request: &Request<'_>, body: &mut Vec<u8>) -> Answer {
        if !request.method.reads() {
            return Answer::new(Status::MethodNotAllowed, Field::Allow("GET, HEAD"));
        }
        match request.path {
            "/health/live" => {
                body.extend_from_slice(b"live\n");
                Answer::new(Status::Ok, TEXT)
            }
            "/health/ready" => match tokio::time::timeout(READY_TIMEOUT, self.store.ready()).await {
                Ok(Ok(())) => {
                    body.extend_from_slice(b"ready\n");
                    Answer::new(Status::Ok, TEXT)
                }
                Ok(Err(_)) | Err(_) => Answer::SHED,
            },
            "/metrics" => {
                body.extend_from_slice(self.metrics_text().as_bytes());
                Answer::new(Status::Ok, PROMETHEUS)
            }
            _ => Status::NotFound.into(),
        }
    }

    /// What Prometheus reads.
    pub(crate) fn metrics_text(&self) -> String {
        let mut text = self.metrics.text(self.in_flight.load(Relaxed), self.connections());
        self.store.metrics(&mut text);
        text
    }

    /// The store says that it is ready.
    ///
    /// # Errors
    /// It is not, and will not be.
    pub(crate) async fn ready(&self) -> Result<(), StoreError> {
        self.store.ready().await
    }

    #[cfg(test)]
    pub(crate) fn store(&self) -> &S {
        &self.store
    }

    /// A place for a connection, until it is dropped; `None` where there is none left.
    pub(crate) fn connect(&self) -> Option<Counted<'_>> {
        (self.connections() < self.limits.connections_max).then(|| Counted::one_more(&self.connections))
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Relaxed)
    }

    /// From now on every answer is the last of its connection.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Relaxed);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Relaxed)
    }
}

/// Whether a target is for whoever runs the instance, and not for its users.
fn is_operators(target: &str) -> bool {
    target.starts_with("/health/") || target.starts_with("/metrics")
}

/// One of a number of things at the same time.
pub(crate) struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn one_more(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
