//! Headers that concern one connection only, and so end here.

use hyper::HeaderMap;
use hyper::header::{
    CONNECTION, EXPECT, HeaderName, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE,
};

/// RFC 9110, section 7.6.1, and the two old ones. `Expect` is here because the server answers it itself.
const HOP_BY_HOP: [HeaderName; 10] = [
    CONNECTION,
    EXPECT,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Removes what is hop by hop, and whatever `Connection` names. How a body is framed is decided anew from the
/// body.
pub(crate) fn drop_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::drop_hop_by_hop;
    use hyper::HeaderMap;
    use hyper::header::HeaderValue;

    #[test]
    fn what_connection_names_is_dropped_and_the_rest_stays() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, x-only-here"),
            ("x-only-here", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("host", "localhost"),
            ("x-end-to-end", "2"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        drop_hop_by_hop(&mut headers);
        let mut left: Vec<&str> = headers.keys().map(hyper::header::HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["host", "x-end-to-end"]);
    }
}
