//! What can be wrong with a connection or with one of its streams. The texts are a bounded set: they are counted by
//! kind.

use quinn_proto::{ConnectionError, VarInt};
use rustls::AlertDescription;

use crate::h2::StreamFault;
use crate::tls::TlsError;

/// Error codes of RFC 9114, section 8.1, and RFC 9204, section 6, as far as galo sends them.
pub(super) const NO_ERROR: VarInt = VarInt::from_u32(0x100);
pub(super) const REQUEST_CANCELLED: VarInt = VarInt::from_u32(0x10c);
const GENERAL_PROTOCOL_ERROR: VarInt = VarInt::from_u32(0x101);
pub(super) const STREAM_CREATION_ERROR: VarInt = VarInt::from_u32(0x103);
const CLOSED_CRITICAL_STREAM: VarInt = VarInt::from_u32(0x104);
const FRAME_UNEXPECTED: VarInt = VarInt::from_u32(0x105);
const FRAME_ERROR: VarInt = VarInt::from_u32(0x106);
const EXCESSIVE_LOAD: VarInt = VarInt::from_u32(0x107);
const MISSING_SETTINGS: VarInt = VarInt::from_u32(0x10a);
const MESSAGE_ERROR: VarInt = VarInt::from_u32(0x10e);
const DECOMPRESSION_FAILED: VarInt = VarInt::from_u32(0x200);
const ENCODER_STREAM_ERROR: VarInt = VarInt::from_u32(0x201);
/// The peer's, beside [`REQUEST_CANCELLED`].
const REQUEST_REJECTED: u64 = 0x10b;
/// A TLS alert as an error of QUIC's: RFC 9001, section 4.8.
const CRYPTO: std::ops::RangeInclusive<u64> = 0x100..=0x1ff;

/// Why there is no connection, or no more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum H3Error {
    /// A bug in galo.
    #[error("QUIC cannot be set up: {0}\nhint: this is a bug in galo; please report it")]
    Setup(String),
    #[error("cannot connect by QUIC: {0}\nhint: give a DNS name or an IP address, and a port")]
    Connect(String),
    #[error("{0}")]
    Tls(#[from] TlsError),
    #[error("no answer by QUIC\nhint: see whether the server speaks HTTP/3 on this UDP port")]
    TimedOut,
    #[error("the server and galo have no version of QUIC in common\nhint: galo speaks version 1")]
    Versions,
    #[error("QUIC: connection reset")]
    Reset,
    #[error("closed by the server (QUIC error {0:#x})")]
    ClosedByTransport(u64),
    #[error("closed by the server (HTTP/3 error {0:#x})")]
    ClosedByServer(u64),
    #[error("the server broke the rules of QUIC (error {0:#x})")]
    Transport(u64),
    #[error("closed by galo")]
    Closed,
    #[error("HTTP/3: the server allows no control stream")]
    NoControl,
    #[error("HTTP/3: control stream without settings at first")]
    NoSettings,
    #[error("HTTP/3: second control stream, or a push that nobody asked for")]
    BadStream,
    #[error("HTTP/3: control stream closed")]
    ControlClosed,
    #[error("HTTP/3: frame where it cannot be")]
    UnexpectedFrame,
    #[error("HTTP/3: malformed or truncated frame")]
    BadFrame,
    #[error("HTTP/3: headers that cannot be decompressed")]
    Compression,
    #[error("HTTP/3: use of a header table that does not exist")]
    Table,
}

impl H3Error {
    /// In one line, for people.
    pub(crate) fn text(&self) -> String {
        self.to_string().replace("\nhint: ", "; hint: ")
    }

    /// What the peer is told, if it is still there to listen.
    pub(super) const fn code(&self) -> Option<VarInt> {
        Some(match self {
            Self::NoControl => GENERAL_PROTOCOL_ERROR,
            Self::NoSettings => MISSING_SETTINGS,
            Self::BadStream => STREAM_CREATION_ERROR,
            Self::ControlClosed => CLOSED_CRITICAL_STREAM,
            Self::UnexpectedFrame => FRAME_UNEXPECTED,
            Self::BadFrame => FRAME_ERROR,
            Self::Compression => DECOMPRESSION_FAILED,
            Self::Table => ENCODER_STREAM_ERROR,
            _ => return None,
        })
    }

    pub(super) fn of_connection(error: ConnectionError, host: &str) -> Self {
        match error {
            ConnectionError::VersionMismatch => Self::Versions,
            ConnectionError::TimedOut => Self::TimedOut,
            ConnectionError::Reset => Self::Reset,
            ConnectionError::LocallyClosed => Self::Closed,
            ConnectionError::CidsExhausted => Self::Connect(error.to_string()),
            ConnectionError::ApplicationClosed(close) => Self::ClosedByServer(close.error_code.into()),
            ConnectionError::ConnectionClosed(close) => {
                let code = u64::from(close.error_code);
                alert(code)
                    .map_or(Self::ClosedByTransport(code), |alert| TlsError::of_alert(alert, true).into())
            }
            ConnectionError::TransportError(error) => {
                let code = u64::from(error.code);
                // Why galo refuses the server is kept as text alone.
                alert(code).map_or(Self::Transport(code), |_| TlsError::of_text(&error.reason, host).into())
            }
        }
    }
}

fn alert(code: u64) -> Option<AlertDescription> {
    CRYPTO.contains(&code).then(|| AlertDescription::from((code & 0xff) as u8))
}

/// Why one exchange ended without a whole answer, while its connection goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// The peer reset the stream, with this code.
    Peer(u64),
    /// The peer ends the connection and did not look at this request.
    GoneAway,
    /// The stream ended within a frame or before the answer.
    Cut,
    /// What the peer sent on the stream is no answer; galo reset it.
    Fault(StreamFault),
}

impl FailureKind {
    /// The kind of failure in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::GoneAway => "unprocessed: the peer ends the connection (GOAWAY)",
            Self::Cut => "closed before the end of the answer",
            Self::Fault(fault) => fault.text(),
            // RFC 9114, section 8.1.
            Self::Peer(code) => match code {
                0x100 => "stream reset: H3_NO_ERROR",
                0x101 => "stream reset: H3_GENERAL_PROTOCOL_ERROR",
                0x102 => "stream reset: H3_INTERNAL_ERROR",
                0x107 => "stream reset: H3_EXCESSIVE_LOAD",
                REQUEST_REJECTED => "stream reset: H3_REQUEST_REJECTED",
                0x10c => "stream reset: H3_REQUEST_CANCELLED",
                0x10d => "stream reset: H3_REQUEST_INCOMPLETE",
                0x10e => "stream reset: H3_MESSAGE_ERROR",
                0x110 => "stream reset: H3_VERSION_FALLBACK",
                _ => "stream reset: unknown code",
            },
        }
    }

    /// Whether the peer promised not to have acted on the request (RFC 9114, section 4.1.1), so that it may be sent
    /// again, whatever its method.
    pub(crate) const fn is_unprocessed(self) -> bool {
        matches!(self, Self::GoneAway | Self::Peer(REQUEST_REJECTED))
    }

    /// What the peer is told.
    pub(super) const fn code(self) -> VarInt {
        match self {
            Self::Fault(StreamFault::HeadTooLarge | StreamFault::TooManyHeaders) => EXCESSIVE_LOAD,
            Self::Fault(_) => MESSAGE_ERROR,
            Self::Peer(_) | Self::GoneAway | Self::Cut => REQUEST_CANCELLED,
        }
    }
}

/// What reading an answer can come to.
#[derive(Debug)]
pub(super) enum Fault {
    Stream(FailureKind),
    Connection(H3Error),
}

impl From<StreamFault> for Fault {
    fn from(fault: StreamFault) -> Self {
        Self::Stream(FailureKind::Fault(fault))
    }
}

impl From<H3Error> for Fault {
    fn from(error: H3Error) -> Self {
        Self::Connection(error)
    }
}
