//! Against other people's QUIC and HTTP/3 on loopback, and against bytes that nobody should send.

mod broken;
mod honest;
mod qpack;

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use galo_plan::load::{Protocol, TlsSettings};
use quinn::crypto::rustls::QuicServerConfig;
use rustls::pki_types::PrivateKeyDer;

use super::*;

/// Far beyond what anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server on a thread of its own. It ends when this is dropped.
struct Server {
    address: SocketAddr,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Server {
    /// Every connection is handed to `serve`.
    fn start<F, S>(serve: S) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
        S: Fn(quinn::Connection) -> F + Send + 'static,
    {
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
        let crypto = Arc::new(QuicServerConfig::try_from(tls).unwrap());
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let guard = runtime.enter();
        let config = quinn::ServerConfig::with_crypto(crypto);
        let endpoint = quinn::Endpoint::server(config, "127.0.0.1:0".parse().unwrap()).unwrap();
        let address = endpoint.local_addr().unwrap();
        drop(guard);
        runtime.spawn(async move {
            while let Some(incoming) = endpoint.accept().await {
                if let Ok(connection) = incoming.await {
                    tokio::spawn(serve(connection));
                }
            }
        });
        Self { address, runtime: Some(runtime) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// How an exchange ended.
#[derive(Debug, Clone, PartialEq, Eq)]
enum End {
    Answered { head: String, body: Vec<u8> },
    Failed(FailureKind),
}

/// What was told so far, by exchange.
#[derive(Debug, Default)]
struct Told {
    open: HashMap<u32, (String, Vec<u8>)>,
    ended: HashMap<u32, End>,
}

impl Sink for Told {
    fn head(&mut self, exchange: u32, status: u16, head: &[u8]) {
        let head = String::from_utf8(head.to_vec()).unwrap();
        assert!(head.starts_with(&format!("HTTP/3 {status}\r\n")) && head.ends_with("\r\n\r\n"), "{head}");
        assert!(self.open.insert(exchange, (head, Vec::new())).is_none());
    }

    fn data(&mut self, exchange: u32, data: &[u8], end: bool) {
        self.open.get_mut(&exchange).unwrap().1.extend_from_slice(data);
        if end {
            let (head, body) = self.open.remove(&exchange).unwrap();
            assert!(self.ended.insert(exchange, End::Answered { head, body }).is_none());
        }
    }

    fn failed(&mut self, exchange: u32, why: FailureKind) {
        self.open.remove(&exchange);
        assert!(self.ended.insert(exchange, End::Failed(why)).is_none());
    }
}

/// A connection and its socket.
struct Talk {
    h3: H3,
    socket: UdpSocket,
    told: Told,
}

fn insecure() -> TlsSettings {
    TlsSettings { insecure: true, ..TlsSettings::default() }
}

impl Talk {
    fn connect(address: SocketAddr, settings: &TlsSettings) -> Self {
        let tls = TlsClient::new(settings, Protocol::Http3).unwrap();
        let client = H3Client::new(&tls, 100).unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(address).unwrap();
        let h3 = client.connect("localhost", address, Instant::now()).unwrap();
        Self { h3, socket, told: Told::default() }
    }

    /// Connected, to a server whose certificate does not matter.
    fn ready(server: &Server) -> Self {
        let mut talk = Self::connect(server.address, &insecure());
        talk.until(|talk| talk.h3.room() > 0).unwrap();
        talk
    }

    fn send(&mut self) {
        let mut out = Vec::new();
        while let Some(length) = self.h3.poll_transmit(Instant::now(), 8, &mut out) {
            for datagram in out.chunks(length) {
                // A server that is gone refuses; QUIC finds out by itself.
                let _ = self.socket.send(datagram);
            }
            out.clear();
        }
    }

    /// Passes datagrams and time until `done`.
    fn until(&mut self, done: impl Fn(&Self) -> bool) -> Result<(), H3Error> {
        let deadline = Instant::now() + PATIENCE;
        let mut buffer = vec![0; 65_536];
        loop {
            self.send();
            if done(self) {
                return Ok(());
            }
            let now = Instant::now();
            assert!(now < deadline, "nothing more happens: {:?}", self.told);
            let wait = self.h3.next_timeout().map_or(PATIENCE, |at| at.saturating_duration_since(now));
            self.socket.set_read_timeout(Some(wait.clamp(Duration::from_millis(1), PATIENCE))).unwrap();
            let result = match self.socket.recv(&mut buffer) {
                Ok(length) => self.h3.datagram(&buffer[..length], Instant::now(), &mut self.told),
                Err(_) => Ok(()),
            };
            let now = Instant::now();
            let is_due = self.h3.next_timeout().is_some_and(|at| at <= now);
            let result = if is_due { self.h3.timeout(now, &mut self.told) } else { result };
            if result.is_err() {
                self.send();
                return result;
            }
        }
    }

    fn ask(&mut self, exchange: u32, method: &str, path: &str, body: &[u8]) -> StreamId {
        self.try_ask(exchange, method, path, body).unwrap()
    }

    fn try_ask(&mut self, exchange: u32, method: &str, path: &str, body: &[u8]) -> Result<StreamId, NoRoom> {
        let parts = RequestParts {
            method,
            scheme: "https",
            authority: "localhost",
            path: path.as_bytes(),
            path_constant: true,
            body,
        };
        let field = Field { name: b"x-asked", value: b"by galo", constant: true };
        self.h3.request(exchange, &parts, [field])
    }

    /// How the exchange ends.
    fn end(&mut self, exchange: u32) -> Result<End, H3Error> {
        self.until(|talk| talk.told.ended.contains_key(&exchange))?;
        Ok(self.told.ended[&exchange].clone())
    }

    fn answer(&mut self, exchange: u32) -> (String, Vec<u8>) {
        match self.end(exchange).unwrap() {
            End::Answered { head, body } => (head, body),
            End::Failed(why) => panic!("failed: {why:?}"),
        }
    }
}
