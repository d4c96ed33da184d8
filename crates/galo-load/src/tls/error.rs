//! What can be wrong with an encrypted connection. For one server the texts are a bounded set: they are counted by
//! kind.

use std::path::PathBuf;

use rustls::pki_types::UnixTime;
use rustls::{AlertDescription, CertificateError, Error, OtherError};

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
    #[error("the server's certificate expired on {0}\nhint: renew it, or trust everyone with `--insecure`")]
    Expired(String),
    /// Its time has not begun.
    #[error(
        "the server's certificate is not valid before {0}\nhint: look at this machine's clock, or trust everyone with `--insecure`"
    )]
    NotYetValid(String),
    /// It is somebody else's.
    #[error(
        "the server's certificate is not for `{host}`, but for {}\nhint: use a name that it has, ask for one with `--sni NAME`, or trust everyone with `--insecure`",
        if names.is_empty() { "no server at all" } else { names }
    )]
    WrongName { host: String, names: String },
    /// Nobody but itself speaks for it.
    #[error(
        "the server's certificate is signed by itself, and not trusted\nhint: name its file with `--cacert FILE`, or trust everyone with `--insecure`"
    )]
    SelfSigned,
    /// It has no extensions, so it says neither what it is for nor of whom.
    #[error(
        "the server's certificate is of X.509 version 1, which is too old to be checked\nhint: make one of version 3, with the server's name as its subjectAltName, or trust everyone with `--insecure`"
    )]
    VersionOne,
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

    /// The end of its time, in seconds since 1970.
    pub(super) fn expired(at: i64) -> Self {
        Self::Expired(date(at))
    }

    /// The beginning of its time, in seconds since 1970.
    pub(super) fn not_yet_valid(at: i64) -> Self {
        Self::NotYetValid(date(at))
    }

    pub(super) fn of_certificate(error: &CertificateError, host: &str) -> Self {
        match error {
            CertificateError::UnknownIssuer => Self::UnknownIssuer,
            CertificateError::ExpiredContext { not_after, .. } => Self::expired(seconds(*not_after)),
            CertificateError::NotValidYetContext { not_before, .. } => {
                Self::not_yet_valid(seconds(*not_before))
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::WrongName { host: host.to_owned(), names: String::new() }
            }
            CertificateError::Other(OtherError(error)) => match error.downcast_ref::<Self>() {
                Some(error) => error.clone(),
                None => Self::Certificate(error.to_string()),
            },
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

fn seconds(time: UnixTime) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

/// A moment in UTC, to the minute.
fn date(seconds: i64) -> String {
    let moment = jiff::Timestamp::from_second(seconds);
    moment.map_or_else(
        |_| "a day beyond all calendars".to_owned(),
        |moment| moment.strftime("%Y-%m-%d %H:%M UTC").to_string(),
    )
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
