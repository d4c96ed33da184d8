//! Header compression without a dynamic table: RFC 9204. Integers and strings are HPACK's.

use crate::h2::hpack::{CompressionError, huffman, integer};
use crate::h2::{Field, FieldKind, HeadText, RequestParts};

/// Appends a request's head.
pub(super) fn write_head<'f>(
    parts: &RequestParts<'_>,
    fields: impl IntoIterator<Item = Field<'f>>,
    out: &mut Vec<u8>,
) {
    // No entry of a dynamic table is needed, and there is no base: section 4.5.1.
    out.extend_from_slice(&[0, 0]);
    for (name, value) in [
        (&b":method"[..], parts.method.as_bytes()),
        (b":scheme", parts.scheme.as_bytes()),
        (b":authority", parts.authority.as_bytes()),
        (b":path", parts.path),
    ] {
        write_field(name, value, out);
    }
    for field in fields {
        write_field(field.name, field.value, out);
    }
}

/// Sections 4.5.2, 4.5.4 and 4.5.6.
fn write_field(name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    if let Some(index) = STATIC.iter().position(|entry| *entry == (name, value)) {
        return integer::write(out, 0xc0, 6, index);
    }
    if let Some(index) = STATIC.iter().position(|entry| entry.0 == name) {
        integer::write(out, 0x50, 4, index);
    } else {
        integer::write(out, 0x20, 3, name.len());
        out.extend_from_slice(name);
    }
    integer::write_string(out, value);
}

/// Decodes the whole of an answer's head.
pub(super) fn read_head(block: &[u8], head: &mut HeadText) -> Result<(), CompressionError> {
    head.begin();
    let mut rest = block;
    // Nothing can be required from a table that does not exist; what the base is then does not matter.
    if integer::read(&mut rest, 8)? != 0 {
        return Err(CompressionError);
    }
    integer::read(&mut rest, 7)?;
    while let Some(&first) = rest.first() {
        if first & 0xc0 == 0xc0 {
            let (name, value) = entry(integer::read(&mut rest, 6)?)?;
            head.field(name, value, FieldKind::of(name, value));
        } else if first & 0xd0 == 0x50 {
            let (name, _) = entry(integer::read(&mut rest, 4)?)?;
            head.begin_field().extend_from_slice(name);
            read_value(&mut rest, name.len(), head)?;
        } else if first & 0xe0 == 0x20 {
            let length = read_name(&mut rest, first & 0x08 != 0, head.begin_field())?;
            read_value(&mut rest, length, head)?;
        } else {
            return Err(CompressionError);
        }
    }
    head.end();
    Ok(())
}

/// Appends a name, returns its length.
fn read_name(rest: &mut &[u8], is_huffman: bool, out: &mut Vec<u8>) -> Result<usize, CompressionError> {
    let before = out.len();
    let length = integer::read(rest, 3)? as usize;
    let (name, behind) = rest.split_at_checked(length).ok_or(CompressionError)?;
    *rest = behind;
    if is_huffman {
        huffman::decode(name, out)?;
    } else {
        out.extend_from_slice(name);
    }
    Ok(out.len() - before)
}

/// Ends the field whose name has been appended to the head.
fn read_value(rest: &mut &[u8], name_len: usize, head: &mut HeadText) -> Result<(), CompressionError> {
    head.begin_value();
    integer::read_string(rest, head.begin_field())?;
    let (name, value) = head.pending(name_len);
    let kind = FieldKind::of(name, value);
    head.keep(name_len, kind);
    Ok(())
}

fn entry(index: u32) -> Result<(&'static [u8], &'static [u8]), CompressionError> {
    STATIC.get(index as usize).copied().ok_or(CompressionError)
}

/// RFC 9204, appendix A.
#[rustfmt::skip]
static STATIC: [(&[u8], &[u8]); 99] = [
    (b":authority", b""),
    (b":path", b"/"),
    (b"age", b"0"),
    (b"content-disposition", b""),
    (b"content-length", b"0"),
    (b"cookie", b""),
    (b"date", b""),
    (b"etag", b""),
    (b"if-modified-since", b""),
    (b"if-none-match", b""),
    (b"last-modified", b""),
    (b"link", b""),
    (b"location", b""),
    (b"referer", b""),
    (b"set-cookie", b""),
    (b":method", b"CONNECT"),
    (b":method", b"DELETE"),
    (b":method", b"GET"),
    (b":method", b"HEAD"),
    (b":method", b"OPTIONS"),
    (b":method", b"POST"),
    (b":method", b"PUT"),
    (b":scheme", b"http"),
    (b":scheme", b"https"),
    (b":status", b"103"),
    (b":status", b"200"),
    (b":status", b"304"),
    (b":status", b"404"),
    (b":status", b"503"),
    (b"accept", b"*/*"),
    (b"accept", b"application/dns-message"),
    (b"accept-encoding", b"gzip, deflate, br"),
    (b"accept-ranges", b"bytes"),
    (b"access-control-allow-headers", b"cache-control"),
    (b"access-control-allow-headers", b"content-type"),
    (b"access-control-allow-origin", b"*"),
    (b"cache-control", b"max-age=0"),
    (b"cache-control", b"max-age=2592000"),
    (b"cache-control", b"max-age=604800"),
    (b"cache-control", b"no-cache"),
    (b"cache-control", b"no-store"),
    (b"cache-control", b"public, max-age=31536000"),
    (b"content-encoding", b"br"),
    (b"content-encoding", b"gzip"),
    (b"content-type", b"application/dns-message"),
    (b"content-type", b"application/javascript"),
    (b"content-type", b"application/json"),
    (b"content-type", b"application/x-www-form-urlencoded"),
    (b"content-type", b"image/gif"),
    (b"content-type", b"image/jpeg"),
    (b"content-type", b"image/png"),
    (b"content-type", b"text/css"),
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-type", b"text/plain"),
    (b"content-type", b"text/plain;charset=utf-8"),
    (b"range", b"bytes=0-"),
    (b"strict-transport-security", b"max-age=31536000"),
    (b"strict-transport-security", b"max-age=31536000; includesubdomains"),
    (b"strict-transport-security", b"max-age=31536000; includesubdomains; preload"),
    (b"vary", b"accept-encoding"),
    (b"vary", b"origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-xss-protection", b"1; mode=block"),
    (b":status", b"100"),
    (b":status", b"204"),
    (b":status", b"206"),
    (b":status", b"302"),
    (b":status", b"400"),
    (b":status", b"403"),
    (b":status", b"421"),
    (b":status", b"425"),
    (b":status", b"500"),
    (b"accept-language", b""),
    (b"access-control-allow-credentials", b"FALSE"),
    (b"access-control-allow-credentials", b"TRUE"),
    (b"access-control-allow-headers", b"*"),
    (b"access-control-allow-methods", b"get"),
    (b"access-control-allow-methods", b"get, post, options"),
    (b"access-control-allow-methods", b"options"),
    (b"access-control-expose-headers", b"content-length"),
    (b"access-control-request-headers", b"content-type"),
    (b"access-control-request-method", b"get"),
    (b"access-control-request-method", b"post"),
    (b"alt-svc", b"clear"),
    (b"authorization", b""),
    (b"content-security-policy", b"script-src 'none'; object-src 'none'; base-uri 'none'"),
    (b"early-data", b"1"),
    (b"expect-ct", b""),
    (b"forwarded", b""),
    (b"if-range", b""),
    (b"origin", b""),
    (b"purpose", b"prefetch"),
    (b"server", b""),
    (b"timing-allow-origin", b"*"),
    (b"upgrade-insecure-requests", b"1"),
    (b"user-agent", b""),
    (b"x-forwarded-for", b""),
    (b"x-frame-options", b"deny"),
    (b"x-frame-options", b"sameorigin"),
];
