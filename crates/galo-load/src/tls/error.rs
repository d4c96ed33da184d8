//! What can be wrong with an encrypted connection. For one server the texts are a bounded set: they are counted by
//! kind.

use std::path::PathBuf;

use rustls::{AlertDescription, CertificateError, Error};

/// Why there is no encrypted connection, or no more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TlsError {
    /// A file of the settings.
    #[error(
        "cannot use the {what} in `{path}`: {why}\nhint: it must be a readable file in PEM format (-----BEGIN ...)"
    )]
    File { what: &'static str, path: PathBuf, why: String },
    /// The client's own certificate and key.
    #[error(
        "the private key in `{key}` does not belong to the first certificate in `{certificates}`\nhint: the client's own certificate comes first, those of its issuers after it"
    )]
    KeyMismatch { certificates: PathBuf, key: PathBuf },
    /// Nobody is trusted.
    #[error(
        "this machine has no trusted certificates: {0}\nhint: install `ca-certificates`, name a file with `--cacert FILE`, or trust everyone with `--insecure`"
    )]
    NoRoots(String),
    /// The host is neither a DNS name nor an IP address.
    #[error("`{0}` is no name that a certificate can have\nhint: give a DNS name or an IP address")]
    Name(String),
    /// rustls refused its own defaults: a bug in galo.
    #[error("TLS cannot be set up: {0}\nhint: this is a bug in galo; please report it")]
    Setup(String),
    /// The first bytes are of another protocol.
    #[error("the server does not speak TLS\nhint: `http://` instead of `https://`, or another port")]
    NotTls,
    /// See [`CertificateError::UnknownIssuer`].
    #[error(
        "the issuer of the server's certificate is not trusted\nhint: name a file with it with `--cacert FILE`, or trust everyone with `--insecure`"
    )]
    UnknownIssuer,
    /// Its time is over.
    #[error("the server's certificate has expired\nhint: renew it, or trust everyone with `--insecure`")]
    Expired,
    /// Its time has not begun.
    #[error(
        "the server's certificate is not valid yet\nhint: look at this machine's clock, or trust everyone with `--insecure`"
    )]
    NotYetValid,
    /// It is somebody else's.
    #[error(
        "the server's certificate is not for `{0}`\nhint: use a name that it has, or trust everyone with `--insecure`"
    )]
    WrongName(String),
    /// Anything else that is wrong with it.
    #[error("the server's certificate is not acceptable: {0}\nhint: trust everyone with `--insecure`")]
    Certificate(String),
    /// The server asks who galo is.
    #[error(
        "the server wants a certificate of the client\nhint: name one and its key with `--cert FILE --key FILE`"
    )]
    CertificateWanted,
    /// The server does not take galo's certificate.
    #[error(
        "the server does not accept the client's certificate (TLS alert {0})\nhint: name another one with `--cert FILE --key FILE`"
    )]
    CertificateRefused(String),
    /// Nothing in common: versions, ciphers.
    #[error(
        "the server and galo have no version or cipher of TLS in common{0}\nhint: galo speaks TLS 1.2 and 1.3"
    )]
    Incompatible(String),
    /// ALPN failed.
    #[error("the server does not speak this version of HTTP (ALPN)\nhint: choose another, such as HTTP/1.1")]
    ProtocolRefused,
    /// The server ended the connection with an alert.
    #[error("the server gave up with the TLS alert {0}")]
    Alert(String),
    /// What arrived is no correct TLS.
    #[error("the server broke the rules of TLS: {0}")]
    Broken(String),
    /// The connection ended before it was ready.
    #[error("closed within the TLS handshake")]
    CutHandshake,
    /// The connection ended without `close_notify`.
    #[error("closed without the end of TLS (close_notify)")]
    Truncated,
    /// Something was to be sent too early.
    #[error("the TLS handshake is not done")]
    NotReady,
    /// The cipher's limit is reached, and TLS 1.2 has no new keys.
    #[error("the TLS connection has sent as much as its keys allow")]
    Exhausted,
}

impl TlsError {
    /// In one line, for people.
    pub(crate) fn text(&self) -> String {
        self.to_string().replace("\nhint: ", "; hint: ")
    }

    /// `greeted`: whether the server had answered in TLS before.
    pub(super) fn of_session(error: Error, host: &str, greeted: bool) -> Self {
        match error {
            Error::InvalidCertificate(error) => Self::of_certificate(&error, host),
            Error::AlertReceived(alert) => Self::of_alert(alert, greeted),
            Error::NoApplicationProtocol => Self::ProtocolRefused,
            Error::PeerIncompatible(why) => Self::Incompatible(format!(" ({})", spaced(&format!("{why:?}")))),
            Error::InvalidMessage(_) if !greeted => Self::NotTls,
            error => Self::Broken(error.to_string()),
        }
    }

    fn of_certificate(error: &CertificateError, host: &str) -> Self {
        match error {
            CertificateError::UnknownIssuer => Self::UnknownIssuer,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Self::NotYetValid,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::WrongName(host.to_owned())
            }
            error => Self::Certificate(error.to_string()),
        }
    }

    /// `greeted`: as above.
    pub(crate) fn of_alert(alert: AlertDescription, greeted: bool) -> Self {
        let name = || spaced(&format!("{alert:?}"));
        match alert {
            AlertDescription::CertificateRequired => Self::CertificateWanted,
            AlertDescription::NoApplicationProtocol => Self::ProtocolRefused,
            AlertDescription::ProtocolVersion => Self::Incompatible(String::new()),
            AlertDescription::HandshakeFailure if !greeted => Self::Incompatible(String::new()),
            AlertDescription::BadCertificate
            | AlertDescription::UnsupportedCertificate
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateUnknown
            | AlertDescription::UnknownCA => Self::CertificateRefused(name()),
            _ => Self::Alert(name()),
        }
    }
}

/// `HandshakeFailure` as RFC 8446 writes it: `handshake_failure`.
fn spaced(name: &str) -> String {
    let mut spaced = String::with_capacity(name.len() + 4);
    let mut after_capital = true;
    for c in name.chars() {
        if c.is_ascii_uppercase() && !after_capital {
            spaced.push('_');
        }
        after_capital = c.is_ascii_uppercase();
        spaced.push(c.to_ascii_lowercase());
    }
    spaced
}
