//! The digest of what is sent, by which runs of the past are known to have sent the same.
//!
//! It is told with the run, so it holds no value of a secret: of a short one, each could be tried against it.

use sha2::{Digest, Sha256};

use super::Requests;
use crate::address::Url;
use crate::challenge::{Header, Scenario, Step};
use crate::described::Feeder;
use crate::digest::hex;
use crate::model::data_sha256;
use crate::secret;
use crate::template::{Part, Template};

impl Requests {
    /// SHA-256 in hex of what all of these send: targets, headers, bodies, rows, how users go from step to step. Left out are values of
    /// secrets, names that are for people, what answers must be, and where the servers are. Bodies that a seed draws are in it.
    pub fn sent_sha256(all: &[Self]) -> String {
        // No map in it has keys other than strings, so there is nothing that JSON could not write.
        let sent: Vec<_> = all.iter().map(Self::sent).collect();
        hex(&Sha256::digest(serde_json::to_vec(&sent).unwrap_or_default()))
    }

    fn sent(&self) -> impl serde::Serialize {
        // A `Host` header that was written names another host than the address.
        let host = |url: &Url| (url.tls, (url.name != url.host).then(|| url.authority.clone()));
        let urls: Vec<_> = self.urls.iter().map(host).collect();
        let headers: Vec<Header> = self.headers.iter().map(header).collect();
        let scenarios: Vec<Scenario> = self.scenarios.iter().map(scenario).collect();
        let feeders = &self.data.feeders;
        let picks: Vec<_> = feeders.iter().map(|feeder| feeder.pick).collect();
        (urls, headers, scenarios, self.weights.clone(), picks, rows(feeders), self.data.generated.clone())
    }
}

fn scenario(of: &Scenario) -> Scenario {
    Scenario { name: String::new(), steps: of.steps.iter().map(step).collect(), ..of.clone() }
}

fn step(of: &Step) -> Step {
    Step {
        name: String::new(),
        target: told(&of.target, secret::in_urls),
        headers: of.headers.iter().map(header).collect(),
        body: of.body.as_ref().map(|body| told(body, secret::in_body)),
        statuses: Vec::new(),
        check: None,
        ..of.clone()
    }
}

fn header(of: &Header) -> Header {
    let is_secret = secret::is_secret(&of.name);
    let without_secrets = |text: &str| if is_secret { secret::MASK } else { text }.to_owned();
    let values = of.values.iter().map(|value| told(value, without_secrets));
    Header { name: of.name.clone(), values: values.collect() }
}

/// A template as one text without secrets, which are told apart only where all of it is read. Bytes that are no text are their digest.
fn told(template: &Template, without_secrets: impl Fn(&str) -> String) -> Template {
    let text = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => hex(&Sha256::digest(bytes)),
        },
        place => format!("{{{place:?}}}"),
    };
    let whole: String = template.parts().iter().map(text).collect();
    Template::literal(&without_secrets(&whole))
}

/// SHA-256 in hex over all rows of feeders, but for columns of secrets.
fn rows(feeders: &[Feeder]) -> String {
    let width = |feeder: &Feeder| feeder.table.width();
    let (fields, rows): (Vec<usize>, Vec<u64>) =
        feeders.iter().map(|feeder| (width(feeder), feeder.table.rows())).unzip();
    let hidden: Vec<Vec<bool>> = feeders
        .iter()
        .map(|feeder| feeder.table.columns().into_iter().map(secret::is_secret).collect())
        .collect();
    let write = |feeder: usize, row, field: usize, out: &mut Vec<u8>| {
        if !hidden[feeder][field] {
            out.extend_from_slice(feeders[feeder].table.cell(row, field));
        }
    };
    data_sha256(write, &fields, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::RequestOptions;

    const URL: &str = "http://127.0.0.1:3000/a?q=1&token=x";

    fn digest(change: impl FnOnce(&mut RequestOptions)) -> String {
        let mut options = RequestOptions {
            urls: vec![URL.to_owned()],
            headers: vec!["Accept: a".to_owned(), "Authorization: b".to_owned()],
            body: Some(r#"{"q":"a","password":"b"}"#.to_owned()),
            ..RequestOptions::default()
        };
        change(&mut options);
        Requests::sent_sha256(&[options.resolve().unwrap()])
    }

    #[test]
    fn other_bodies_headers_and_targets_are_another_digest() {
        let first = digest(|_| ());
        let all = [
            digest(|options| options.body = Some(r#"{"q":"b","password":"b"}"#.to_owned())),
            digest(|options| options.body = Some("base64:AAH/".to_owned())),
            digest(|options| options.body = Some("base64:AAL/".to_owned())),
            digest(|options| options.body = None),
            digest(|options| options.method = Some("PUT".to_owned())),
            digest(|options| options.headers[0] = "Accept: b".to_owned()),
            digest(|options| drop(options.headers.pop())),
            digest(|options| options.headers.push("Host: b".to_owned())),
            digest(|options| options.headers.push("Connection: close".to_owned())),
            digest(|options| options.urls = vec![URL.replace("q=1", "q=2")]),
            digest(|options| options.urls = vec![URL.replace("http:", "https:")]),
        ];
        for (at, other) in all.iter().enumerate() {
            assert!(*other != first && !all[..at].contains(other), "{at}");
        }
    }

    #[test]
    fn neither_secrets_nor_the_server_nor_what_is_right_are_in_it() {
        let first = digest(|_| ());
        for same in [
            digest(|options| options.body = Some(r#"{"q":"a","password":"c"}"#.to_owned())),
            digest(|options| options.headers[1] = "Authorization: c".to_owned()),
            digest(|options| options.urls = vec![URL.replace("token=x", "token=y")]),
            digest(|options| options.urls = vec![URL.replace("127.0.0.1:3000", "localhost:4000")]),
            digest(|options| options.statuses = Some("201".to_owned())),
            digest(|options| options.json_is = vec!["/a = 1".to_owned()]),
            digest(|options| options.timeout = Some("3s".to_owned())),
            digest(|options| options.seed = 9),
        ] {
            assert_eq!(same, first);
        }
    }

    /// A galo that makes another digest of the same requests cuts every line of the past.
    #[test]
    fn the_digest_of_a_request_is_the_same_for_every_galo() {
        insta::assert_snapshot!(digest(|_| ()), @"74926de11760f95f62ceb1d949a45ddb1b2a3d3e9438d324dd12adef8a28be1c");
    }

    #[test]
    fn a_scenario_that_was_edited_or_has_other_rows_is_another_digest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        let digest = |row: &str, step: &str| {
            let text = format!(
                "[[feeder]]\nname = 'f'\nfile = 'f.csv'\n[[scenario]]\nname = 'a'\nfeeder = 'f'\n[[scenario.step]]\n\
                 name = 'b'\nrequest = 'POST /{{x}}'\n{step}"
            );
            std::fs::write(&path, text).unwrap();
            std::fs::write(folder.path().join("f.csv"), format!("x,password\n{row}\n")).unwrap();
            let options = RequestOptions { urls: vec!["http://h/".to_owned()], ..RequestOptions::default() };
            Requests::sent_sha256(&[options.resolve_scenarios(&path, &[]).unwrap()])
        };
        let first = digest("1,a", "body = '{{\"n\":\"{x}\",\"token\":\"a\"}}'");
        for same in [
            digest("1,b", "body = '{{\"n\":\"{x}\",\"token\":\"a\"}}'"),
            digest("1,a", "body = '{{\"n\":\"{x}\",\"token\":\"b\"}}'"),
        ] {
            assert_eq!(same, first);
        }
        for other in [
            digest("2,a", "body = '{{\"n\":\"{x}\",\"token\":\"a\"}}'"),
            digest("1,a", "body = '{{\"m\":\"{x}\",\"token\":\"a\"}}'"),
            digest("1,a", "body = '{{\"n\":\"{x}\",\"token\":\"a\"}}'\npause = '1s'"),
        ] {
            assert_ne!(other, first);
        }
    }
}
