//! The way through an HTTP proxy: `CONNECT` and its answer (RFC 9110, section 9.3.6), without any I/O. After it the
//! bytes belong to the target.

use galo_plan::load::{Proxy, Target};

/// The answer's head, interim ones before it included.
const HEAD_LIMIT: usize = 16 * 1024;
/// Number of headers.
const HEADER_LIMIT: usize = 128;

/// Why there is no tunnel. For one proxy the texts are a bounded set: they are counted by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TunnelError {
    #[error("the proxy does not answer in HTTP/1.x\nhint: `--proxy` takes the address of an HTTP proxy")]
    NotHttp,
    #[error("the proxy's answer has headers over 16 KiB")]
    HeadTooLarge,
    #[error(
        "the proxy wants to know who asks (status 407)\nhint: give `--proxy` as `http://USER:PASSWORD@HOST:PORT`"
    )]
    Unauthorized,
    #[error(
        "the proxy refuses the tunnel (status {0})\nhint: see whether it allows CONNECT to this host and port"
    )]
    Refused(u16),
    /// For the caller, who sees the end.
    #[error("closed by the proxy before the tunnel was open")]
    Cut,
}

impl TunnelError {
    /// In one line, for people.
    pub(crate) fn text(self) -> String {
        self.to_string().replace("\nhint: ", "; hint: ")
    }
}

/// Appends the request for a tunnel to `target`.
pub(crate) fn write_connect(target: &Target, proxy: &Proxy, out: &mut Vec<u8>) {
    for part in ["CONNECT ", &target.place, " HTTP/1.1\r\nHost: ", &target.place, "\r\n"] {
        out.extend_from_slice(part.as_bytes());
    }
    if let Some(authorization) = &proxy.authorization {
        for part in ["Proxy-Authorization: ", authorization, "\r\n"] {
            out.extend_from_slice(part.as_bytes());
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// A proxy's answer that is being read.
#[derive(Debug, Default)]
pub(crate) struct Tunnel {
    /// Of the head that is not complete yet.
    raw: Vec<u8>,
    /// Bytes of interim heads before it.
    interim: usize,
}

impl Tunnel {
    /// Takes what arrived, however it is cut. `Some`: the tunnel is open; the number tells how many of the bytes were
    /// the proxy's, those after them are the target's.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> Result<Option<usize>, TunnelError> {
        let mut used = 0;
        loop {
            let before = self.raw.len();
            // One byte more than the limit is enough to know that it is passed.
            let room = (HEAD_LIMIT + 1).saturating_sub(self.interim + before);
            self.raw.extend(bytes[used..].iter().take(room));
            let Some((status, length)) = parse(&self.raw)? else {
                let too_large = self.interim + self.raw.len() > HEAD_LIMIT;
                return if too_large { Err(TunnelError::HeadTooLarge) } else { Ok(None) };
            };
            used += length - before;
            self.interim += length;
            self.raw.clear();
            match status {
                _ if self.interim > HEAD_LIMIT => return Err(TunnelError::HeadTooLarge),
                200..=299 => return Ok(Some(used)),
                // Not the answer yet. (101 would be one to a request for another protocol.)
                100 | 102..=199 => {}
                407 => return Err(TunnelError::Unauthorized),
                status => return Err(TunnelError::Refused(status)),
            }
        }
    }
}

/// Status and length of a complete head.
fn parse(raw: &[u8]) -> Result<Option<(u16, usize)>, TunnelError> {
    let mut headers = [httparse::EMPTY_HEADER; HEADER_LIMIT];
    let mut head = httparse::Response::new(&mut headers);
    match head.parse(raw) {
        Ok(httparse::Status::Complete(length)) => Ok(head.code.map(|status| (status, length))),
        Ok(httparse::Status::Partial) => Ok(None),
        Err(httparse::Error::TooManyHeaders) => Err(TunnelError::HeadTooLarge),
        Err(_) => Err(TunnelError::NotHttp),
    }
}

#[cfg(test)]
mod tests {
    use galo_plan::load::Address;
    use proptest::prelude::*;

    use super::*;

    fn request(place: &str, authorization: Option<&str>) -> String {
        let address = Address::Unix("/run/proxy".into());
        let target = Target {
            authority: "a-host-header".to_owned(),
            host: String::new(),
            place: place.to_owned(),
            tls: true,
            address: address.clone(),
        };
        let authorization = authorization.map(str::to_owned);
        let proxy = Proxy { address, authority: "proxy:3128".to_owned(), authorization };
        let mut out = Vec::new();
        write_connect(&target, &proxy, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// What the pieces lead to, and how many bytes were the proxy's.
    fn answer(pieces: &[&[u8]]) -> Result<Option<usize>, TunnelError> {
        let mut tunnel = Tunnel::default();
        let mut before = 0;
        for piece in pieces {
            if let Some(used) = tunnel.receive(piece)? {
                return Ok(Some(before + used));
            }
            before += piece.len();
        }
        Ok(None)
    }

    #[test]
    fn the_request_names_host_and_port_whatever_the_host_header_says() {
        let written = "CONNECT galo.test:8443 HTTP/1.1\r\nHost: galo.test:8443\r\n\r\n";
        assert_eq!(request("galo.test:8443", None), written);
        assert!(request("[::1]:80", None).starts_with("CONNECT [::1]:80 HTTP/1.1\r\n"));
        let with = request("galo.test:443", Some("Basic Zm86bw=="));
        assert!(with.ends_with("\r\nProxy-Authorization: Basic Zm86bw==\r\n\r\n"), "{with}");
    }

    #[test]
    fn an_open_tunnel_hands_back_what_is_the_targets_wherever_the_answer_is_cut() {
        let head =
            b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.0 200 Connection established\r\nVia: p\r\n\r\n";
        let mut whole = head.to_vec();
        whole.extend_from_slice(b"\x16\x03\x03target");
        for cut in 0..=whole.len() {
            assert_eq!(answer(&[&whole[..cut], &whole[cut..]]), Ok(Some(head.len())), "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = whole.chunks(1).collect();
        assert_eq!(answer(&bytes), Ok(Some(head.len())));
        assert_eq!(answer(&bytes[..head.len() - 1]), Ok(None));
    }

    #[test]
    fn a_refusal_names_its_status_wherever_it_is_cut() {
        for (status, expected) in [
            (407, TunnelError::Unauthorized),
            (403, TunnelError::Refused(403)),
            (502, TunnelError::Refused(502)),
            (101, TunnelError::Refused(101)),
            (302, TunnelError::Refused(302)),
        ] {
            let whole = format!("HTTP/1.1 {status} No\r\nContent-Length: 4\r\n\r\nnope");
            let whole = whole.as_bytes();
            for cut in 0..=whole.len() {
                assert_eq!(answer(&[&whole[..cut], &whole[cut..]]), Err(expected));
            }
            assert!(expected.text().contains(&format!("(status {status}); hint: ")), "{}", expected.text());
        }
    }

    #[test]
    fn what_is_not_http_or_never_ends_is_given_up() {
        assert_eq!(answer(&[b"SSH-2.0-OpenSSH_9.6\r\n"]), Err(TunnelError::NotHttp));
        assert_eq!(answer(&[b"\x15\x03\x01\x00\x02\x02\x46"]), Err(TunnelError::NotHttp));
        let mut endless = b"HTTP/1.1 200 OK\r\nA: ".to_vec();
        endless.resize(HEAD_LIMIT, b'a');
        assert_eq!(answer(&[&endless]), Ok(None));
        assert_eq!(answer(&[&endless, b"a"]), Err(TunnelError::HeadTooLarge));
        let interim: Vec<&[u8]> = vec![b"HTTP/1.1 100 Continue\r\n\r\n"; 1000];
        assert_eq!(answer(&interim), Err(TunnelError::HeadTooLarge));
        assert_eq!(answer(&[&interim.concat()]), Err(TunnelError::HeadTooLarge));
        let headers = [&b"HTTP/1.1 200 OK\r\n"[..], &b"a: b\r\n".repeat(200)].concat();
        assert_eq!(answer(&[&headers]), Err(TunnelError::HeadTooLarge));
    }

    proptest! {
        #[test]
        fn garbage_is_never_taken_for_an_open_tunnel(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut tunnel = Tunnel::default();
            prop_assert!(!matches!(tunnel.receive(&bytes), Ok(Some(_))));
            prop_assert!(tunnel.raw.len() <= HEAD_LIMIT + 1);
        }
    }
}
