//! The cookies of one user: what answers set is sent back as RFC 6265 says, as far as it goes to one server.

use std::fmt;

use cookie_store::{CookieStore, RawCookie};
use galo_plan::model::Answer;
use url::Url;

/// Cookies in all that a user keeps; browsers keep so many for each host, and a server that sets more is cut off.
const MOST: usize = 180;

/// What one user was given.
#[derive(Clone)]
pub(crate) struct Cookies {
    store: CookieStore,
    is_encrypted: bool,
}

impl fmt::Debug for Cookies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cookies").finish_non_exhaustive()
    }
}

impl Cookies {
    /// None yet. `is_encrypted`: whether requests are.
    pub(crate) fn new(is_encrypted: bool) -> Self {
        Self { store: CookieStore::default(), is_encrypted }
    }

    /// Keeps what an answer to a request for `target` sets.
    pub(crate) fn hear(&mut self, answer: &Answer<'_>, target: &[u8]) {
        let Some(url) = self.url(target) else { return };
        for line in answer.header("set-cookie") {
            let cookie = std::str::from_utf8(line).ok().and_then(|line| RawCookie::parse(line).ok());
            let Some(mut cookie) = cookie.map(RawCookie::into_owned) else { continue };
            // All of a scenario goes to one server, whatever it calls itself.
            cookie.unset_domain();
            let room = self.store.iter_any().count() < MOST;
            if room || matches!(cookie.max_age(), Some(age) if age.is_zero()) {
                // One that is no cookie of this path is not kept.
                let _ = self.store.insert_raw(&cookie, &url);
            }
        }
    }

    /// The value of the header for a request for `target`; `None`: there is no cookie for it.
    pub(crate) fn line(&self, target: &[u8]) -> Option<String> {
        let url = self.url(target)?;
        let each: Vec<String> =
            self.store.get_request_values(&url).map(|(name, value)| format!("{name}={value}")).collect();
        let line = each.join("; ");
        // What a server says must not begin another line.
        (!line.is_empty() && !line.bytes().any(|byte| byte.is_ascii_control())).then_some(line)
    }

    fn url(&self, target: &[u8]) -> Option<Url> {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        let target = std::str::from_utf8(target).ok()?;
        Url::parse(&format!("{scheme}://galo{target}")).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hear(cookies: &mut Cookies, target: &str, lines: &[&str]) {
        let head = lines
            .iter()
            .fold("HTTP/1.1 200 OK\r\n".to_owned(), |head, line| format!("{head}Set-Cookie: {line}\r\n"));
        let head = format!("{head}\r\n");
        let answer =
            Answer { status: 200, head: head.as_bytes(), location: None, content_type: None, body: b"" };
        cookies.hear(&answer, target.as_bytes());
    }

    fn sent(cookies: &Cookies, target: &str) -> Option<String> {
        let mut parts: Vec<String> =
            cookies.line(target.as_bytes())?.split("; ").map(str::to_owned).collect();
        parts.sort();
        Some(parts.join("; "))
    }

    #[test]
    fn what_was_set_is_sent_back_until_it_is_set_anew_or_taken_away() {
        let mut cookies = Cookies::new(false);
        assert_eq!(sent(&cookies, "/"), None);
        hear(
            &mut cookies,
            "/login",
            &["sid=1; HttpOnly; SameSite=Lax; Path=/", "theme=dark; Domain=shop.test; Path=/"],
        );
        assert_eq!(sent(&cookies, "/a?b=c").unwrap(), "sid=1; theme=dark");
        hear(&mut cookies, "/a", &["sid=2; Path=/", "theme=; Max-Age=0; Path=/"]);
        assert_eq!(sent(&cookies, "/").unwrap(), "sid=2");
    }

    #[test]
    fn a_cookie_goes_where_its_path_and_its_secrecy_let_it() {
        let mut plain = Cookies::new(false);
        hear(&mut plain, "/api/login", &["a=1; Path=/api", "b=2; Secure", "c=3"]);
        assert_eq!(sent(&plain, "/api/items").unwrap(), "a=1; c=3");
        assert_eq!(sent(&plain, "/other"), None);
        let mut encrypted = Cookies::new(true);
        hear(&mut encrypted, "/", &["b=2; Secure"]);
        assert_eq!(sent(&encrypted, "/").unwrap(), "b=2");
    }

    #[test]
    fn what_is_no_cookie_is_not_kept_and_too_many_are_not() {
        let mut cookies = Cookies::new(false);
        hear(&mut cookies, "/", &["", "=", "\u{7f}", "no sign"]);
        assert!(sent(&cookies, "/").is_none_or(|line| !line.contains('\u{7f}')));
        let many: Vec<String> = (0..1_000).map(|n| format!("c{n}=1")).collect();
        hear(&mut cookies, "/", &many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(cookies.line(b"/").unwrap().split("; ").count() <= MOST);
    }
}
