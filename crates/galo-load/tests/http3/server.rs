//! Servers of QUIC on a thread of their own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{Connection, Endpoint, ServerConfig, TransportConfig, VarInt};
use rustls::pki_types::PrivateKeyDer;
use tokio::runtime::{Builder, Runtime};

/// Ends with its value.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    connections: Arc<AtomicUsize>,
    /// Connections that the client ended as one should: with `H3_NO_ERROR`.
    goodbyes: Arc<AtomicUsize>,
    runtime: Option<Runtime>,
}

impl Server {
    /// Hands every connection to `serve`, and takes so many requests at once on each.
    pub(crate) fn start<F, S>(streams: u32, serve: S) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
        S: Fn(Connection) -> F + Send + 'static,
    {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let guard = runtime.enter();
        let endpoint = Endpoint::server(config(streams), SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        drop(guard);
        let address = endpoint.local_addr().unwrap();
        let (connections, goodbyes) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let (opened, closed) = (connections.clone(), goodbyes.clone());
        runtime.spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                let Ok(connection) = incoming.await else { continue };
                opened.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(serve(connection.clone()));
                let closed = closed.clone();
                tokio::spawn(async move {
                    if let quinn::ConnectionError::ApplicationClosed(close) = connection.closed().await {
                        closed.fetch_add(
                            usize::from(close.error_code.into_inner() == 0x100),
                            Ordering::Relaxed,
                        );
                    }
                });
            }
        });
        Self { address, connections, goodbyes, runtime: Some(runtime) }
    }

    /// Speaks HTTP/3.
    pub(crate) fn honest(streams: u32) -> Self {
        Self::start(streams, serve)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    pub(crate) fn goodbyes(&self) -> usize {
        self.goodbyes.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn config(streams: u32) -> ServerConfig {
    let pair = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(pair.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![pair.cert.der().clone()], key)
        .unwrap();
    tls.alpn_protocols = vec![b"h3".to_vec()];
    let mut config = ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls).unwrap()));
    let mut transport = TransportConfig::default();
    transport.max_concurrent_bidi_streams(VarInt::from_u32(streams));
    config.transport_config(Arc::new(transport));
    config
}

async fn serve(connection: Connection) {
    let connection = h3_quinn::Connection::new(connection);
    let Ok(mut connection) = h3::server::Connection::new(connection).await else { return };
    while let Ok(Some(resolver)) = connection.accept().await {
        tokio::spawn(async move {
            let Ok((request, mut stream)) = resolver.resolve_request().await else { return };
            let is_right = request.headers().get("x-asked").is_some_and(|value| value == "by galo");
            let length = request.uri().path().trim_start_matches('/').parse().unwrap_or(5);
            let response = http::Response::builder().status(if is_right { 200 } else { 400 });
            // The client may have given up.
            let _ = stream.send_response(response.body(()).unwrap()).await;
            let _ = stream.send_data(Bytes::from(vec![b'x'; length])).await;
            let _ = stream.finish().await;
        });
    }
}
