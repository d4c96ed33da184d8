//! Certificates for test servers, and what a client needs to trust them.

use std::sync::Arc;

use galo_plan::load::{Protocol, TlsSettings};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The name of servers without an address of their own.
pub(crate) const HOST: &str = "galo.test";

/// An issuer, and a server's certificate by it.
pub(crate) struct Identity {
    /// Holds the issuer's certificate.
    folder: tempfile::TempDir,
    certificate: CertificateDer<'static>,
    key: KeyPair,
}

impl Identity {
    /// For every address that a test server has.
    pub(crate) fn new() -> Self {
        Self::of(&[HOST, "127.0.0.1", "::1"])
    }

    pub(crate) fn of(names: &[&str]) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Two issuers of one name would be one that signs badly.
        params.distinguished_name.push(DnType::CommonName, names.concat());
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("roots.pem"), issuer.pem()).unwrap();
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
        Self { folder, certificate: certificate.der().clone(), key }
    }

    /// Trusts the issuer.
    pub(crate) fn settings(&self) -> TlsSettings {
        TlsSettings { roots: Some(self.folder.path().join("roots.pem")), ..TlsSettings::default() }
    }

    /// A server that speaks one protocol.
    pub(crate) fn server(&self, protocol: Protocol) -> Arc<ServerConfig> {
        let provider = Arc::new(ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let key = PrivateKeyDer::Pkcs8(self.key.serialize_der().into());
        let mut config = builder
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key)
            .unwrap();
        let name: &[u8] = if protocol == Protocol::Http2 { b"h2" } else { b"http/1.1" };
        config.alpn_protocols = vec![name.to_vec()];
        Arc::new(config)
    }
}
