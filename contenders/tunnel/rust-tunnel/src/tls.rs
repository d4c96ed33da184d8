//! Clients that come over TLS.

use std::cell::RefCell;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustix::io::Errno;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

use crate::net::{Chunk, Stream};

/// Plain text taken from rustls at once.
const PLAIN_BYTES: usize = 16 * 1024;

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error("{path}: {error}\nhint: PEM is wanted, `-----BEGIN ...`", path = path.display())]
    Pem { path: PathBuf, error: rustls::pki_types::pem::Error },
    #[error("{path}: no certificate in it", path = path.display())]
    NoCertificate { path: PathBuf },
    #[error("{cert} and {key}: {error}", cert = cert.display(), key = key.display())]
    Pair { cert: PathBuf, key: PathBuf, error: rustls::Error },
}

/// Certificate and key, which can be read anew.
#[derive(Debug)]
pub(crate) struct Identity {
    cert: PathBuf,
    key: PathBuf,
    now: RwLock<Arc<ServerConfig>>,
}

impl Identity {
    pub(crate) fn load(cert: &Path, key: &Path) -> Result<Self, TlsError> {
        Ok(Self { cert: cert.to_owned(), key: key.to_owned(), now: RwLock::new(read(cert, key)?) })
    }

    /// Reads both files again, for clients that come from now on.
    ///
    /// # Errors
    /// Where they cannot be used; those from before stay in use then.
    pub(crate) fn reload(&self) -> Result<(), TlsError> {
        let fresh = read(&self.cert, &self.key)?;
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        Ok(())
    }

    fn now(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read(cert: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let wrong = |path: &Path| {
        let path = path.to_owned();
        move |error| TlsError::Pem { path, error }
    };
    let certificates = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(wrong(cert))?;
    if certificates.is_empty() {
        return Err(TlsError::NoCertificate { path: cert.to_owned() });
    }
    let private = PrivateKeyDer::from_pem_file(key).map_err(wrong(key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let pair = |error| TlsError::Pair { cert: cert.to_owned(), key: key.to_owned(), error };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(pair)?
        .with_no_client_auth()
        .with_single_cert(certificates, private)
        .map_err(pair)?;
    // What speaks HTTP here speaks 1.1.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// A client's connection, decrypted.
pub(crate) struct TlsStream {
    stream: Stream,
    session: RefCell<Box<ServerConnection>>,
    /// What came and is not decrypted yet, since plain text waits.
    rest: RefCell<Chunk>,
}

impl TlsStream {
    /// Shakes hands.
    ///
    /// # Errors
    /// Where the client speaks no TLS, or goes away.
    pub(crate) async fn accept(stream: Stream, identity: &Identity) -> rustix::io::Result<Self> {
        let session = ServerConnection::new(identity.now()).map_err(|_| Errno::PROTO)?;
        let tls = Self { stream, session: RefCell::new(Box::new(session)), rest: RefCell::default() };
        while tls.session.borrow().is_handshaking() {
            tls.come().await?;
        }
        Ok(tls)
    }

    /// Decrypts what came: first what is still here.
    async fn come(&self) -> rustix::io::Result<()> {
        let mut chunk = self.rest.take();
        if chunk.is_empty() {
            chunk = self.stream.recv().await?;
        }
        if chunk.is_empty() {
            // Without a farewell it may be that somebody cut it.
            return Err(Errno::CONNRESET);
        }
        let taken = self.feed(&chunk)?;
        chunk.advance(taken);
        self.rest.replace(chunk.kept());
        Ok(())
    }

    /// Decrypts until plain text waits, and answers where the protocol wants it. How many bytes were taken: with plain text in hand rustls
    /// takes no more.
    fn feed(&self, bytes: &[u8]) -> rustix::io::Result<usize> {
        let mut session = self.session.borrow_mut();
        let mut left = bytes;
        while !left.is_empty() {
            let read = session.read_tls(&mut left).map_err(|_| Errno::PROTO)?;
            let processed = session.process_new_packets();
            // An alert tells the client what was wrong.
            self.send_tls(&mut session);
            let state = processed.map_err(|_| Errno::PROTO)?;
            if state.plaintext_bytes_to_read() > 0 {
                break;
            }
            if read == 0 {
                // What follows a farewell is for nobody.
                return Ok(bytes.len());
            }
        }
        Ok(bytes.len() - left.len())
    }

    fn send_tls(&self, session: &mut ServerConnection) {
        let mut out = Vec::new();
        while session.wants_write() && matches!(session.write_tls(&mut out), Ok(1..)) {}
        self.stream.send(out);
    }

    pub(crate) async fn recv(&self) -> rustix::io::Result<Chunk> {
        loop {
            if let Some(plain) = self.plain()? {
                return Ok(plain.into());
            }
            self.come().await?;
        }
    }

    /// What was decrypted; empty at the end, nothing if more has to come.
    fn plain(&self) -> rustix::io::Result<Option<Vec<u8>>> {
        let mut session = self.session.borrow_mut();
        let mut plain = vec![0; PLAIN_BYTES];
        match session.reader().read(&mut plain) {
            Ok(length) => {
                plain.truncate(length);
                Ok(Some(plain))
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(None),
            Err(_) => Err(Errno::PROTO),
        }
    }

    pub(crate) fn send(&self, bytes: &[u8]) {
        let mut session = self.session.borrow_mut();
        let mut rest = bytes;
        while !rest.is_empty() {
            // rustls takes some at a time; what it took goes out.
            let Ok(taken @ 1..) = session.writer().write(rest) else { return };
            rest = &rest[taken..];
            self.send_tls(&mut session);
        }
    }

    pub(crate) fn finish(&self) {
        let mut session = self.session.borrow_mut();
        session.send_close_notify();
        self.send_tls(&mut session);
        self.stream.finish();
    }

    pub(crate) fn inner(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn into_inner(self) -> Stream {
        self.stream
    }
}
