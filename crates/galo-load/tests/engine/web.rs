//! A right HTTP server, by hyper (HTTP/1.1) or h2 (HTTP/2), in the clear or behind TLS.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use galo_plan::load::{Address, Protocol, Target};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use tokio_rustls::TlsAcceptor;

use super::identity::{HOST, Identity};
use super::serving::{Place, Serving, Stream};

/// A request, whole.
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

/// An answer, and how long it takes to make.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
    pub(crate) after: Duration,
}

type Answering = dyn Fn(&Asked) -> Answer + Send + Sync;

/// What all connections share.
struct Site {
    answering: Box<Answering>,
    /// Requests that are being answered, and the most that ever were.
    busy: AtomicUsize,
    busiest: AtomicUsize,
}

/// A site that is served, and how to reach it.
pub(crate) struct Web {
    pub(crate) target: Target,
    serving: Serving,
    site: Arc<Site>,
}

impl Answer {
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, body: body.into(), after: Duration::ZERO }
    }
}

/// The path of a GET, the body of anything else.
pub(crate) fn echo(asked: &Asked) -> Answer {
    Answer::ok(if asked.method == "GET" { asked.path.clone().into_bytes() } else { asked.body.clone() })
}

impl Web {
    /// Speaks HTTP/1.1 in the clear on IPv4.
    pub(crate) fn plain(answering: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        Self::start(&Place::V4, Protocol::Http1, None, answering)
    }

    pub(crate) fn start(
        place: &Place,
        protocol: Protocol,
        identity: Option<&Identity>,
        answering: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let site = Arc::new(Site {
            answering: Box::new(answering),
            busy: AtomicUsize::new(0),
            busiest: AtomicUsize::new(0),
        });
        let acceptor = identity.map(|identity| TlsAcceptor::from(identity.server(protocol)));
        let served = site.clone();
        let serving = Serving::start(place, move |stream| {
            let (site, acceptor) = (served.clone(), acceptor.clone());
            tokio::spawn(async move {
                let stream: Stream = match acceptor {
                    Some(acceptor) => match acceptor.accept(stream).await {
                        Ok(stream) => Box::new(stream),
                        Err(_) => return,
                    },
                    None => stream,
                };
                match protocol {
                    Protocol::Http2 => site.serve_http2(stream).await,
                    _ => site.serve_http1(stream).await,
                }
            });
        });
        let tls = identity.is_some();
        let target = match &serving.address {
            Address::Ip(ip) => Target { tls, ..Target::plain(*ip) },
            address => Target {
                authority: HOST.to_owned(),
                host: HOST.to_owned(),
                place: format!("{HOST}:443"),
                tls,
                address: address.clone(),
            },
        };
        Self { target, serving, site }
    }

    pub(crate) fn connections(&self) -> usize {
        self.serving.connections()
    }

    /// The most requests that it ever answered at once.
    pub(crate) fn busiest(&self) -> usize {
        self.site.busiest.load(Ordering::Relaxed)
    }
}

impl Site {
    async fn answer(&self, asked: Asked) -> (u16, Bytes) {
        let busy = self.busy.fetch_add(1, Ordering::Relaxed) + 1;
        self.busiest.fetch_max(busy, Ordering::Relaxed);
        let answer = (self.answering)(&asked);
        if !answer.after.is_zero() {
            tokio::time::sleep(answer.after).await;
        }
        self.busy.fetch_sub(1, Ordering::Relaxed);
        (answer.status, answer.body.into())
    }

    async fn serve_http1(self: Arc<Self>, stream: Stream) {
        let service = hyper::service::service_fn(move |request: Request<Incoming>| {
            let site = self.clone();
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await.map(|all| all.to_bytes().to_vec()).unwrap_or_default();
                let path = head.uri.path().to_owned();
                let asked = Asked { method: head.method.to_string(), path, body };
                let (status, body) = site.answer(asked).await;
                let answer = Response::builder().status(status).body(Full::new(body)).unwrap();
                Ok::<_, Infallible>(answer)
            }
        });
        // A client that closes is no matter.
        let _ =
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    }

    async fn serve_http2(self: Arc<Self>, stream: Stream) {
        let Ok(mut connection) = h2::server::handshake(stream).await else { return };
        while let Some(Ok((request, mut respond))) = connection.accept().await {
            let site = self.clone();
            tokio::spawn(async move {
                let (head, mut incoming) = request.into_parts();
                let mut body = Vec::new();
                while let Some(Ok(piece)) = incoming.data().await {
                    body.extend_from_slice(&piece);
                    let _ = incoming.flow_control().release_capacity(piece.len());
                }
                let path = head.uri.path().to_owned();
                let (status, body) = site.answer(Asked { method: head.method.to_string(), path, body }).await;
                let head = Response::builder().status(status).body(()).unwrap();
                if let Ok(mut sending) = respond.send_response(head, body.is_empty())
                    && !body.is_empty()
                {
                    let _ = sending.send_data(body, true);
                }
            });
        }
    }
}
