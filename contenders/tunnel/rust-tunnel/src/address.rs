//! Where to listen, and where to connect to.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// `127.0.0.1:80`, `[::1]:80`, `example.org:80` or `unix:/run/api.sock`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Address {
    /// An address and a port.
    Ip(SocketAddr),
    /// A name to be resolved, and a port.
    Name(String, u16),
    /// A socket file.
    Unix(PathBuf),
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("`{text}` is no address; one is 127.0.0.1:8080, example.org:443 or unix:/run/api.sock")
        };
        if let Some(path) = text.strip_prefix("unix:") {
            return if path.is_empty() { Err(wrong()) } else { Ok(Self::Unix(path.into())) };
        }
        if let Ok(address) = text.parse() {
            return Ok(Self::Ip(address));
        }
        let (name, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let port = port.parse().map_err(|_| wrong())?;
        if is_name(name) { Ok(Self::Name(name.to_ascii_lowercase(), port)) } else { Err(wrong()) }
    }
}

/// Letters, digits, hyphens, underscores and dots: what a resolver can be asked for without surprises.
fn is_name(text: &str) -> bool {
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !text.is_empty() && text.len() <= 253 && text.bytes().all(of_name)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Name(name, port) => write!(f, "{name}:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn an_address_is_written_as_it_is_read() {
        for text in ["127.0.0.1:80", "[::1]:443", "example.org:65535", "unix:/run/a.sock"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_an_example() {
        for text in [
            "",
            "80",
            "example.org",
            "example.org:",
            "a b:80",
            "a@b:80",
            ":80",
            "unix:",
            "example.org:65536",
            "[::1]",
        ] {
            assert!(text.parse::<Address>().unwrap_err().contains("one is 127.0.0.1:8080"), "{text}");
        }
    }
}
