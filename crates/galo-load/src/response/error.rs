//! What can be wrong with an answer. The texts are a bounded set: they are counted by kind.

/// Why an answer cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AnswerError {
    NotHttp,
    BadHead,
    HeadTooLarge,
    TooManyHeaders,
    Upgraded,
    BadLength,
    ConflictingLength,
    LengthAndChunked,
    UnknownEncoding,
    BadChunk,
    ChunkOverhead,
    TrailersTooLarge,
    BodyTooLarge,
    TooMuchAtOnce,
    UnexpectedBytes,
}

impl AnswerError {
    /// The kind of failure in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::NotHttp => "unreadable answer: not HTTP/1.x",
            Self::BadHead => "unreadable answer: malformed status line or header",
            Self::HeadTooLarge => "unreadable answer: headers over 64 KiB",
            Self::TooManyHeaders => "unreadable answer: more than 128 headers",
            Self::Upgraded => "unreadable answer: another protocol that nobody asked for",
            Self::BadLength => "unreadable answer: Content-Length is not a number",
            Self::ConflictingLength => "unreadable answer: conflicting Content-Length",
            Self::LengthAndChunked => "unreadable answer: both Content-Length and Transfer-Encoding",
            Self::UnknownEncoding => "unreadable answer: Transfer-Encoding other than chunked",
            Self::BadChunk => "unreadable answer: malformed chunk",
            Self::ChunkOverhead => "unreadable answer: over 4 MiB around its chunks",
            Self::TrailersTooLarge => "unreadable answer: trailers over 64 KiB",
            Self::BodyTooLarge => "body over 4 MiB",
            Self::TooMuchAtOnce => "over 512 MiB of long answers at once",
            Self::UnexpectedBytes => "unexpected bytes after the answer",
        }
    }
}

/// Where an answer was cut by the end of its connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutError {
    BeforeAnswer,
    WithinHead,
    WithinBody,
}

impl CutError {
    /// The kind of failure in words.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::BeforeAnswer => "closed before the answer",
            Self::WithinHead => "closed within the headers",
            Self::WithinBody => "closed within the body",
        }
    }
}
