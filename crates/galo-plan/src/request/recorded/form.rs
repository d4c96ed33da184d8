//! Forms as browsers and curl send them: urlencoded, and in parts.

use sha2::{Digest as _, Sha256};

use super::left_out::{Left, Reason};

/// One part of a form.
pub(super) struct Part {
    pub(super) name: String,
    pub(super) file: Option<String>,
    pub(super) media_type: Option<String>,
    pub(super) value: Vec<u8>,
}

/// `a=b&c=d+e`, by the WHATWG's rules for forms.
pub(super) fn urlencoded<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

/// A form in parts (RFC 7578).
pub(super) fn multipart(parts: &[Part], boundary: &str) -> Vec<u8> {
    let escaped = |text: &str| text.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    let mut out = Vec::new();
    for part in parts {
        let mut head =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", escaped(&part.name));
        if let Some(file) = &part.file {
            head.push_str(&format!("; filename=\"{}\"", escaped(file)));
        }
        if let Some(media_type) = &part.media_type {
            head.push_str(&format!("\r\nContent-Type: {media_type}"));
        }
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(b"\r\n\r\n");
        out.extend_from_slice(&part.value);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    out
}

/// A boundary of its own, the same for the same parts.
pub(super) fn boundary(parts: &[Part]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(&part.name);
        digest.update(&part.value);
    }
    let digest: String = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("------------------------{digest}")
}

/// The boundary that a `Content-Type` names.
pub(super) fn boundary_of(media_type: &str) -> Option<&str> {
    let at = media_type.to_ascii_lowercase().find("boundary=")?;
    let rest = &media_type[at + "boundary=".len()..];
    let rest = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split(';').next()?.trim(),
    };
    (!rest.is_empty()).then_some(rest)
}

/// Whether a `Content-Type` is this one, whatever stands behind a `;`.
pub(super) fn is_type(media_type: &str, expected: &str) -> bool {
    media_type.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(expected)
}

/// Says that a body is not in the file as it was.
pub(super) fn not_whole(about: &str) -> Left {
    Left::new(Reason::NotWhole, about)
}
