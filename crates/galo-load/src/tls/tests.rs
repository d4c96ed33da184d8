//! Against rustls' own server side, in memory.

mod bytes;
mod certificates;

use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::Arc;

use galo_plan::load::{Protocol, TlsSettings};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion};

use super::{Tls, TlsClient, TlsError};

const HOST: &str = "galo.test";
const BOTH: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12, &rustls::version::TLS13];

/// One that issues certificates.
struct Issuer(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key.
struct Identity {
    certificate: CertificateDer<'static>,
    pem: String,
    key: KeyPair,
}

impl Issuer {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        // Two issuers of one name would be one that signs badly.
        params.distinguished_name.push(DnType::CommonName, format!("{:?}", key.public_key_raw()));
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    /// For `names`, valid in the given years.
    fn issue(&self, names: &[&str], years: std::ops::Range<i32>) -> Identity {
        let mut params =
            CertificateParams::new(names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>()).unwrap();
        params.not_before = rcgen::date_time_ymd(years.start, 1, 1);
        params.not_after = rcgen::date_time_ymd(years.end, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        Identity { certificate: certificate.der().clone(), pem: certificate.pem(), key }
    }

    fn store(&self) -> RootCertStore {
        let mut store = RootCertStore::empty();
        store.add(self.0.der().clone()).unwrap();
        store
    }
}

/// An issuer, a server's identity, and a folder with what a client may be given.
struct World {
    folder: tempfile::TempDir,
    issuer: Issuer,
    server: Identity,
}

impl World {
    fn new() -> Self {
        Self::with(&[HOST], 2020..2120)
    }

    fn with(names: &[&str], years: std::ops::Range<i32>) -> Self {
        let issuer = Issuer::new();
        let server = issuer.issue(names, years);
        let world = Self { folder: tempfile::tempdir().unwrap(), issuer, server };
        world.write("roots.pem", &world.issuer.0.pem());
        world
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Trusts the issuer.
    fn settings(&self) -> TlsSettings {
        TlsSettings { roots: Some(self.folder.path().join("roots.pem")), ..TlsSettings::default() }
    }

    fn client(&self) -> TlsClient {
        TlsClient::new(&self.settings(), Protocol::Http1).unwrap()
    }

    fn server(&self, versions: &[&'static SupportedProtocolVersion], asks_client: bool) -> ServerConfig {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .unwrap();
        let builder = if asks_client {
            let roots = Arc::new(self.issuer.store());
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::Pkcs8(self.server.key.serialize_der().into());
        builder.with_single_cert(vec![self.server.certificate.clone()], key).unwrap()
    }
}

/// A client and a server, and what is on its way between them.
struct Pair {
    tls: Tls,
    server: ServerConnection,
    /// What the client was told.
    plain: Vec<u8>,
    to_server: Vec<u8>,
    /// Bytes that reach the client at once.
    piece: usize,
}

impl Pair {
    fn new(client: &TlsClient, server: ServerConfig) -> Self {
        Self::resumable(client, &Arc::new(server))
    }

    fn resumable(client: &TlsClient, server: &Arc<ServerConfig>) -> Self {
        let mut tls = client.connect(HOST).unwrap();
        let mut to_server = Vec::new();
        tls.start(&mut to_server).unwrap();
        let server = ServerConnection::new(Arc::clone(server)).unwrap();
        Self { tls, server, plain: Vec::new(), to_server, piece: usize::MAX }
    }

    /// What the server has to send.
    fn server_bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while self.server.wants_write() {
            self.server.write_tls(&mut bytes).unwrap();
        }
        bytes
    }

    fn deliver(&mut self, mut bytes: Vec<u8>) -> Result<(), TlsError> {
        let piece = self.piece.min(bytes.len()).max(1);
        bytes
            .chunks_mut(piece)
            .try_for_each(|part| self.tls.receive(part, &mut self.plain, &mut self.to_server))
    }

    /// Passes bytes until neither side has any.
    fn settle(&mut self) -> Result<(), TlsError> {
        loop {
            let sent = std::mem::take(&mut self.to_server);
            let mut rest = &sent[..];
            while !rest.is_empty() {
                self.server.read_tls(&mut rest).unwrap();
                // A refusal is an alert, which goes out below.
                let _ = self.server.process_new_packets();
            }
            let answer = self.server_bytes();
            if sent.is_empty() && answer.is_empty() {
                return Ok(());
            }
            self.deliver(answer)?;
        }
    }

    fn settled(client: &TlsClient, server: ServerConfig) -> Self {
        let mut pair = Self::new(client, server);
        pair.settle().unwrap();
        assert!(pair.tls.is_ready());
        pair
    }

    /// What the server read.
    fn read(&mut self) -> Vec<u8> {
        let mut plain = Vec::new();
        // It would block at the end of what there is.
        let _ = self.server.reader().read_to_end(&mut plain);
        plain
    }

    fn answer(&mut self, plain: &[u8]) {
        self.server.writer().write_all(plain).unwrap();
    }
}

/// How the handshake fails.
fn refusal(client: &TlsClient, server: ServerConfig) -> TlsError {
    Pair::new(client, server).settle().unwrap_err()
}
