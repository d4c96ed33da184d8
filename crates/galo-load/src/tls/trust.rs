//! Whether a server is the one that was meant, and what is wrong with its certificate where it is not.
//!
//! rustls' own rules are those of the web: a certificate has an issuer, and names in its extension. A file that a person
//! names may hold the server's very certificate, signed by itself and with no name but its common name; curl takes that,
//! and so does galo. Name and dates count all the same.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate, X509Version};

use super::TlsError;

/// Names of a certificate that are told.
const NAMES_TOLD: usize = 5;

/// See the module.
#[derive(Debug)]
pub(super) struct Trust {
    pub(super) by_issuer: Arc<WebPkiServerVerifier>,
    /// The certificates of the file that was named; empty: the machine's are trusted.
    pub(super) named: Vec<CertificateDer<'static>>,
}

impl Trust {
    /// What to make of what rustls found wrong. `Ok`: nothing, by the rules of the module.
    fn look_again(
        &self,
        found: &CertificateError,
        certificate: &CertificateDer<'_>,
        name: &ServerName<'_>,
        now: UnixTime,
    ) -> Result<(), TlsError> {
        let host = name.to_str();
        let Ok((_, read)) = X509Certificate::from_der(certificate) else {
            return Err(TlsError::of_certificate(found, &host));
        };
        if read.version == X509Version::V1 {
            return Err(TlsError::VersionOne);
        }
        // rustls looks for the name last: an issuer that is trusted has signed it.
        let is_name = matches!(
            found,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
        );
        if self.named.contains(certificate) || is_name {
            check_dates(&read, now)?;
            return self.check_name(&read, certificate, name);
        }
        let is_own = read.tbs_certificate.subject.as_raw() == read.tbs_certificate.issuer.as_raw();
        match TlsError::of_certificate(found, &host) {
            dated @ (TlsError::Expired(_) | TlsError::NotYetValid(_)) => Err(dated),
            _ if is_own => Err(TlsError::SelfSigned),
            other => Err(other),
        }
    }

    fn check_name(
        &self,
        read: &X509Certificate<'_>,
        certificate: &CertificateDer<'_>,
        name: &ServerName<'_>,
    ) -> Result<(), TlsError> {
        let host = name.to_str();
        let parsed = ParsedCertificate::try_from(certificate);
        if parsed.is_ok_and(|parsed| verify_server_name(&parsed, name).is_ok()) {
            return Ok(());
        }
        let alternatives = alternative_names(read);
        let common = common_name(read);
        // The common name counts where there is no other (RFC 6125, section 6.4.4), but not on the web.
        let may_be_common = alternatives.is_empty() && !self.named.is_empty();
        if may_be_common && common.as_deref().is_some_and(|common| is_for(common, &host)) {
            return Ok(());
        }
        let names = if alternatives.is_empty() { common.into_iter().collect() } else { alternatives };
        Err(TlsError::WrongName { host: host.into_owned(), names: told(&names) })
    }
}

impl ServerCertVerifier for Trust {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        status: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.by_issuer.verify_server_cert(certificate, others, name, status, now) {
            Err(Error::InvalidCertificate(found)) => {
                let looked = self.look_again(&found, certificate, name, now);
                // As the same kind of error where there is one, for the alert that the server is told.
                looked.map(|()| ServerCertVerified::assertion()).map_err(|error| match error {
                    TlsError::UnknownIssuer => Error::InvalidCertificate(found),
                    error => Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(error)))),
                })
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_issuer.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_issuer.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_issuer.supported_verify_schemes()
    }
}

fn check_dates(read: &X509Certificate<'_>, now: UnixTime) -> Result<(), TlsError> {
    let validity = read.validity();
    let [begin, end] = [validity.not_before, validity.not_after].map(|time| time.timestamp());
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    if now > end {
        return Err(TlsError::expired(end));
    }
    if now < begin {
        return Err(TlsError::not_yet_valid(begin));
    }
    Ok(())
}

/// The hosts and IP addresses of its extension.
fn alternative_names(read: &X509Certificate<'_>) -> Vec<String> {
    let Ok(Some(extension)) = read.subject_alternative_name() else { return Vec::new() };
    let name = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let four = <[u8; 4]>::try_from(*bytes).map(|bytes| Ipv4Addr::from(bytes).to_string());
            let six = <[u8; 16]>::try_from(*bytes).map(|bytes| Ipv6Addr::from(bytes).to_string());
            four.or(six).ok()
        }
        _ => None,
    };
    extension.value.general_names.iter().filter_map(name).collect()
}

/// The last of its common names, which is the most specific one.
fn common_name(read: &X509Certificate<'_>) -> Option<String> {
    let last = read.subject().iter_common_name().last()?;
    last.as_str().ok().map(str::to_owned)
}

/// Whether a common name is that of a host: the same, or with a `*` for its first label.
fn is_for(common: &str, host: &str) -> bool {
    let rest_of = |host: &str| host.split_once('.').map(|(_, rest)| rest.to_owned());
    common.eq_ignore_ascii_case(host)
        || common.strip_prefix("*.").is_some_and(|rest| {
            rest.contains('.') && rest_of(host).is_some_and(|own| own.eq_ignore_ascii_case(rest))
        })
}

/// The names, or the first few of many.
fn told(names: &[String]) -> String {
    let shown = names.iter().take(NAMES_TOLD).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(NAMES_TOLD) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}
