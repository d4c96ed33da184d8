//! What can be wrong with a connection or with one of its streams. The texts are a bounded set: they are counted by
//! kind.

/// Error codes of RFC 9113, section 7, as far as galo sends them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Code {
    Protocol = 0x1,
    FlowControl = 0x3,
    FrameSize = 0x6,
    Cancel = 0x8,
    Compression = 0x9,
    EnhanceYourCalm = 0xb,
}

/// Why a connection cannot go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum H2Error {
    NotHttp2,
    FrameTooLarge,
    FrameLength,
    BadPadding,
    BadStream,
    BadSettings,
    BadWindowUpdate,
    UnaskedAck,
    UnaskedPush,
    BrokenBlock,
    BlockTooLarge,
    Compression,
    FlowControl,
    Flood,
}

impl H2Error {
    /// The kind of failure in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::NotHttp2 => "unreadable answer: not HTTP/2",
            Self::FrameTooLarge => "HTTP/2: frame over 16 KiB",
            Self::FrameLength => "HTTP/2: frame of a wrong length",
            Self::BadPadding => "HTTP/2: padding longer than its frame",
            Self::BadStream => "HTTP/2: frame on a stream where it cannot be",
            Self::BadSettings => "HTTP/2: setting out of its range",
            Self::BadWindowUpdate => "HTTP/2: window of the connection opened by nothing or too far",
            Self::UnaskedAck => "HTTP/2: acknowledgement of what was never sent",
            Self::UnaskedPush => "HTTP/2: push although disabled",
            Self::BrokenBlock => "HTTP/2: headers interrupted, or continued from nowhere",
            Self::BlockTooLarge => "HTTP/2: compressed headers over 256 KiB or in over 128 frames",
            Self::Compression => "HTTP/2: headers that cannot be decompressed",
            Self::FlowControl => "HTTP/2: more data than the window allows",
            Self::Flood => "HTTP/2: flood of PING or SETTINGS whose answers the server does not read",
        }
    }

    /// What the peer is told.
    pub(super) const fn code(self) -> Code {
        match self {
            Self::FrameTooLarge | Self::FrameLength => Code::FrameSize,
            Self::Compression => Code::Compression,
            Self::FlowControl => Code::FlowControl,
            Self::BlockTooLarge | Self::Flood => Code::EnhanceYourCalm,
            Self::NotHttp2
            | Self::BadPadding
            | Self::BadStream
            | Self::BadSettings
            | Self::BadWindowUpdate
            | Self::UnaskedAck
            | Self::UnaskedPush
            | Self::BrokenBlock => Code::Protocol,
        }
    }
}

/// Why one exchange ended without a whole answer, while its connection goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResetKind {
    /// The peer reset the stream, with this code.
    Peer(u32),
    /// The peer ends the connection and did not look at this request.
    GoneAway,
    /// What the peer sent on the stream is no answer; galo reset it.
    Fault(StreamFault),
}

impl ResetKind {
    /// The kind of failure in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::GoneAway => "unprocessed: the peer ends the connection (GOAWAY)",
            Self::Fault(fault) => fault.text(),
            // RFC 9113, section 7.
            Self::Peer(code) => match code {
                0x0 => "stream reset: NO_ERROR",
                0x1 => "stream reset: PROTOCOL_ERROR",
                0x2 => "stream reset: INTERNAL_ERROR",
                0x3 => "stream reset: FLOW_CONTROL_ERROR",
                0x4 => "stream reset: SETTINGS_TIMEOUT",
                0x5 => "stream reset: STREAM_CLOSED",
                0x6 => "stream reset: FRAME_SIZE_ERROR",
                0x7 => "stream reset: REFUSED_STREAM",
                0x8 => "stream reset: CANCEL",
                0x9 => "stream reset: COMPRESSION_ERROR",
                0xa => "stream reset: CONNECT_ERROR",
                0xb => "stream reset: ENHANCE_YOUR_CALM",
                0xc => "stream reset: INADEQUATE_SECURITY",
                0xd => "stream reset: HTTP_1_1_REQUIRED",
                _ => "stream reset: unknown code",
            },
        }
    }

    /// Whether the peer promised not to have acted on the request (RFC 9113, section 8.7), so that it may be sent
    /// again, whatever its method.
    pub(crate) const fn is_unprocessed(self) -> bool {
        matches!(self, Self::GoneAway | Self::Peer(0x7))
    }
}

/// What makes an answer unreadable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamFault {
    BadHead,
    NoStatus,
    Upgraded,
    HeadTooLarge,
    TooManyHeaders,
    BadLength,
    ConflictingLength,
    LengthMismatch,
    DataBeforeHead,
    BadTrailers,
    BadWindowUpdate,
}

impl StreamFault {
    /// The kind of failure in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::BadHead => "unreadable answer: malformed header or pseudo-header",
            Self::NoStatus => "unreadable answer: no :status",
            Self::Upgraded => "unreadable answer: another protocol that nobody asked for",
            Self::HeadTooLarge => "unreadable answer: headers over 64 KiB",
            Self::TooManyHeaders => "unreadable answer: more than 128 headers",
            Self::BadLength => "unreadable answer: Content-Length is not a number",
            Self::ConflictingLength => "unreadable answer: conflicting Content-Length",
            Self::LengthMismatch => "unreadable answer: body of another length than its Content-Length",
            Self::DataBeforeHead => "unreadable answer: body before headers",
            Self::BadTrailers => "unreadable answer: malformed trailers",
            Self::BadWindowUpdate => "HTTP/2: window of a stream opened by nothing or too far",
        }
    }

    /// What the peer is told.
    pub(super) const fn code(self) -> Code {
        match self {
            Self::HeadTooLarge | Self::TooManyHeaders => Code::EnhanceYourCalm,
            Self::BadWindowUpdate => Code::FlowControl,
            _ => Code::Protocol,
        }
    }
}
