//! Whether a server that runs already is one of the challenge at all: its count is asked for once, before anything is driven.

use std::net::SocketAddr;
use std::time::Duration;

use galo_load::Fetched;
use galo_plan::Challenge;

use crate::exit::WrongUse;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Refuses a server that answers the challenge's count as only another API does. A server that does not answer, or answers
/// with 5xx, may still be coming up: that is seen, and waited for, in the round.
///
/// # Errors
/// What was asked, what came, and how to name the right challenge.
pub(super) fn require_own(address: SocketAddr, challenge: &Challenge) -> Result<(), WrongUse> {
    let Some(count) = &challenge.count else { return Ok(()) };
    let answer = galo_load::get(address, &count.path, PATIENCE).ok();
    match answer.and_then(|answer| of_others(&answer)) {
        None => Ok(()),
        Some(came) => Err(no_server_of(challenge, address, &count.path, &came)),
    }
}

/// What came, if no server of the challenge answers so.
fn of_others(answer: &Fetched) -> Option<String> {
    let is_page = answer.body.trim_ascii_start().starts_with(b"<");
    match answer.status {
        300..=499 => Some(format!("status {}", answer.status)),
        200..=299 if is_page => Some("a page of HTML".to_owned()),
        _ => None,
    }
}

fn no_server_of(challenge: &Challenge, address: SocketAddr, path: &str, came: &str) -> WrongUse {
    WrongUse(format!(
        "http://{address} is no server of challenge `{}`: it answered `GET {path}` by {came}\n\
         hint: galo check http://{address} --challenge FILE goes by the rules of that file, which galo init --from-openapi writes",
        challenge.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_only_another_api_gives_is_told_from_one_that_may_be_wrong() {
        let told = |status, body: &[u8]| of_others(&Fetched { status, body: body.to_vec() });
        assert_eq!(told(404, b"Not Found"), Some("status 404".to_owned()));
        assert_eq!(told(302, b""), Some("status 302".to_owned()));
        assert_eq!(told(200, b"\r\n<!doctype html>"), Some("a page of HTML".to_owned()));
        for (status, body) in [(200, &b"12"[..]), (200, b"[]"), (200, b""), (500, b""), (503, b"<html>")] {
            assert_eq!(told(status, body), None, "{status}");
        }
    }
}
