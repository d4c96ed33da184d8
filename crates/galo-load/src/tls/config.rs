//! From settings to what rustls needs.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use galo_plan::load::{Protocol, TlsSettings};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WantsClientCert, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::TlsError;
use super::trust::Trust;

/// Everything that a connection's configuration depends on.
pub(super) fn client(settings: &TlsSettings, protocol: Protocol) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Setup(error.to_string()))?;
    let trusting = if settings.insecure {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate { provider }))
    } else {
        let trust = trust(settings.roots.as_deref(), provider)?;
        builder.dangerous().with_custom_certificate_verifier(Arc::new(trust))
    };
    let mut config = with_client_certificate(trusting, settings)?;
    config.alpn_protocols = vec![alpn(protocol).to_vec()];
    Ok(config)
}

/// The protocol's name in ALPN (IANA's registry of TLS ALPN protocol IDs).
fn alpn(protocol: Protocol) -> &'static [u8] {
    match protocol {
        Protocol::Http1 => b"http/1.1",
        Protocol::Http2 => b"h2",
    }
}

fn trust(file: Option<&Path>, provider: Arc<CryptoProvider>) -> Result<Trust, TlsError> {
    let named = file.map_or_else(|| Ok(Vec::new()), certificates)?;
    let roots = roots(file.map(|file| (file, &*named)))?;
    let by_issuer = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    Ok(Trust { by_issuer: by_issuer.map_err(|error| TlsError::Setup(error.to_string()))?, named })
}

/// Certificates to trust: those of the named file, else the machine's.
fn roots(named: Option<(&Path, &[CertificateDer<'static>])>) -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    let Some((path, certificates)) = named else {
        let found = rustls_native_certs::load_native_certs();
        // One that cannot be used is no reason to refuse: some machines have certificates of strange kinds.
        store.add_parsable_certificates(found.certs);
        return match (store.is_empty(), found.errors.first()) {
            (false, _) => Ok(store),
            (true, Some(error)) => Err(TlsError::NoRoots(error.to_string())),
            (true, None) => Err(TlsError::NoRoots("none found".to_owned())),
        };
    };
    for certificate in certificates {
        store.add(certificate.clone()).map_err(|error| unusable("certificates", path, &error))?;
    }
    Ok(store)
}

fn with_client_certificate(
    builder: ConfigBuilder<ClientConfig, WantsClientCert>,
    settings: &TlsSettings,
) -> Result<ClientConfig, TlsError> {
    let Some((chain, key)) = &settings.client else { return Ok(builder.with_no_client_auth()) };
    let own_key =
        PrivateKeyDer::from_pem_file(key).map_err(|error| unusable("private key", key, &told(error)))?;
    builder.with_client_auth_cert(certificates(chain)?, own_key).map_err(|error| match error {
        Error::InconsistentKeys(_) => TlsError::KeyMismatch { certificates: chain.clone(), key: key.clone() },
        error => unusable("private key", key, &error),
    })
}

/// All certificates of a PEM file, at least one.
fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let refused = |error| unusable("certificates", path, &told(error));
    let found: Vec<_> =
        CertificateDer::pem_file_iter(path).map_err(refused)?.collect::<Result<_, _>>().map_err(refused)?;
    if found.is_empty() { Err(refused(pem::Error::NoItemsFound)) } else { Ok(found) }
}

fn unusable(what: &'static str, path: &Path, why: &dyn Display) -> TlsError {
    TlsError::File { what, path: path.to_owned(), why: why.to_string() }
}

fn told(error: pem::Error) -> String {
    match error {
        pem::Error::Io(error) => error.to_string(),
        pem::Error::NoItemsFound => "it has none in PEM format".to_owned(),
        error => error.to_string(),
    }
}

/// Takes everyone for the server, without looking at proofs.
#[derive(Debug)]
struct AnyCertificate {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
