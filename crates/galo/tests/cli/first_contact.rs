//! What somebody types first: where curl works galo works, and it is told what was done with it.

use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use galo_null::{Options, Server};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use serde_json::Value;

use crate::load::load;
use crate::servers::{Recorder, json, null_url};
use crate::support::{galo, run};

const SHORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/short.profile");

fn ok(_: usize) -> String {
    json(200, "{}")
}

/// One request; the report, and what was said on the way.
fn one(arguments: &[&str]) -> (Value, String) {
    let ended =
        run(galo(&["load", "--force", "--json", "-", "-n", "2", "-c", "1"]).args(arguments)).expect(0);
    (ended.json(), ended.stderr)
}

/// What is told where a name has two addresses, and the second is used.
fn told(name: &str, address: SocketAddr) -> String {
    format!("{name} is ::1 and 127.0.0.1: galo uses {address}, which answers")
}

#[test]
fn of_a_name_with_two_addresses_the_one_that_listens_is_used_and_told() {
    let (recorder, address) = Recorder::start(ok);
    let port = address.port();
    let url = format!("http://two.test:{port}/");
    let (report, said) = one(&[&url, "--resolve", &format!("two.test:{port}:127.0.0.1,[::1]")]);
    assert_eq!(report["ledger"]["ok"], 2, "{report}");
    assert_eq!(said.matches(&told("two.test", address)).count(), 1, "{said}");
    assert_eq!(recorder.asked()[0].header("Host"), Some(format!("two.test:{port}").as_str()));

    let (report, said) = one(&[&format!("http://localhost:{port}/")]);
    assert_eq!(report["ledger"]["ok"], 2, "{report}");
    let known: Vec<SocketAddr> = ("localhost", port).to_socket_addrs().unwrap().collect();
    assert_eq!(said.contains(&told("localhost", address)), known.len() > 1, "{said}");
}

#[test]
fn an_address_of_ipv6_alone_is_used_as_well() {
    // A machine without IPv6 has nothing to tell here.
    let Ok(listener) = TcpListener::bind("[::1]:0") else { return };
    let address = listener.local_addr().unwrap();
    drop(listener);
    let server = Server::bind(Options { address, ..Options::default() }).unwrap();
    std::thread::spawn(move || server.run(&std::sync::atomic::AtomicBool::new(false)));
    let pinned = format!("two.test:{}:127.0.0.1,::1", address.port());
    let url = format!("http://two.test:{}/", address.port());
    assert_eq!(one(&[&url, "--resolve", &pinned]).0["ledger"]["ok"], 2);
    let ended = load(&[&url, "-n", "2", "-4", "--resolve", &pinned]).expect(4);
    assert_eq!(ended.json()["ledger"]["failed"], 2, "what the family leaves out is not used");
}

#[test]
fn where_nobody_listens_failures_are_counted() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://two.test:{free}/");
    let ended = load(&[&url, "-n", "2", "--resolve", &format!("two.test:{free}:::1,127.0.0.1")]).expect(4);
    assert_eq!(ended.json()["ledger"]["failed"], 2);
}

#[test]
fn a_server_may_stand_for_another_one() {
    let (recorder, address) = Recorder::start(ok);
    let elsewhere = format!("shop.test:80:127.0.0.1:{}", address.port());
    let (report, _) = one(&["http://shop.test/a", "--connect-to", &elsewhere]);
    assert_eq!(report["ledger"]["ok"], 2, "{report}");
    assert_eq!(recorder.asked()[0].header("host"), Some("shop.test"));
}

#[test]
fn a_duel_of_addresses_goes_where_it_is_told() {
    let addresses = [null_url(), null_url()].map(|url| url.replace("http://", "").replace('/', ""));
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = |index: usize| format!("{}.test:80:{}", ["one", "two"][index], addresses[index]);
    let arguments = ["duel", "http://one.test/", "http://two.test/", "--yes", "--quick", "--rounds", "2"];
    let mut command = galo(&arguments);
    command.args(["--profile", SHORT, "--connect-to", &elsewhere(0), "--connect-to", &elsewhere(1), "--out"]);
    run(command.arg(folder.path().join("run")));
    let report = run(galo(&["report", "--json", "-"]).arg(folder.path().join("run"))).expect(0).json();
    assert_eq!(report["end"], "done", "{report}");
}

#[test]
fn a_duel_of_commands_goes_to_the_address_at_which_they_listen() {
    let server = format!("{} --exact duel::serve --ignored", std::env::current_exe().unwrap().display());
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["duel", "--url", "http://localhost:{port}/", &server, &server, "--quick", "--rounds", "2"];
    let mut command = galo(&arguments);
    let said = run(command.args(["--profile", SHORT, "--out"]).arg(folder.path().join("run"))).stderr;
    let report = run(galo(&["report", "--json", "-"]).arg(folder.path().join("run"))).expect(0).json();
    assert_eq!(report["end"], "done", "{said}");
    let known: Vec<SocketAddr> = ("localhost", 1).to_socket_addrs().unwrap().collect();
    assert_eq!(said.contains("galo uses 127.0.0.1:"), known.len() > 1, "{said}");
}

#[test]
fn a_duel_of_commands_refuses_what_is_for_addresses() {
    let given = ["--resolve", "a:80:127.0.0.1", "--url", "http://127.0.0.1:{port}/"];
    let ended = run(galo(&["duel", "cat", "cat"]).args(given)).expect(2);
    assert!(
        ended.stderr.contains("--resolve is for addresses, and galo starts a command"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_connection_that_is_to_close_is_one_for_each_request() {
    let (recorder, address) = Recorder::start(ok);
    let (report, said) = one(&[&format!("http://{address}/"), "-H", "connection: close"]);
    assert_eq!(report["ledger"]["ok"], 2, "{report}");
    assert_eq!(report["engine"]["connections"], 2, "{report}");
    assert!(said.contains("`Connection: close`: each request takes a new connection"), "{said}");
    assert_eq!(recorder.asked()[1].header("Connection"), Some("close"));
    assert!(!one(&[&null_url()]).1.contains("Connection: close"));
}

#[test]
fn letters_beyond_ascii_are_sent_in_their_form_for_the_network() {
    let (recorder, address) = Recorder::start(ok);
    let place = format!("bücher.test:80:127.0.0.1:{}", address.port());
    one(&["http://bücher.test/ação?q=é%20", "--connect-to", &place]);
    let asked = &recorder.asked()[0];
    assert_eq!(asked.line, "GET /a%C3%A7%C3%A3o?q=%C3%A9%20");
    assert_eq!(asked.header("Host"), Some("xn--bcher-kva.test"));
}

#[test]
fn rows_are_written_as_the_body_and_the_address_want_them() {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows.jsonl");
    std::fs::write(&rows, r#"{"ação":"a \"b\" \\ \n é","tags":["x\"y"],"n":3}"#).unwrap();
    let (recorder, address) = Recorder::start(ok);
    let url = format!("http://{address}/?a={{ação}}");
    let feed = ["--feed", rows.to_str().unwrap()];
    let body = r#"{{"name":"{ação}","tags":{tags},"n":{n}}}"#;
    one(&[&[&url, "--data", body][..], &feed].concat());
    let form = ["--data", "a={ação}&n={n}", "-H", "Content-Type: application/x-www-form-urlencoded"];
    one(&[&[url.as_str()][..], &form, &feed].concat());
    let asked = recorder.asked();
    assert_eq!(asked[0].body, r#"{"name":"a \"b\" \\ \n é","tags":["x\"y"],"n":3}"#);
    assert_eq!(asked[0].line, "POST /?a=a%20%22b%22%20%5C%20%0A%20%C3%A9");
    assert_eq!(asked[2].body, "a=a%20%22b%22%20%5C%20%0A%20%C3%A9&n=3");
}

/// A server's configuration with a certificate of its own, which `openssl req -x509` would make, and that as a file.
fn alone(folder: &tempfile::TempDir, common: &str, years: std::ops::Range<i32>) -> (ServerConfig, PathBuf) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, common);
    params.not_before = rcgen::date_time_ymd(years.start, 1, 1);
    params.not_after = rcgen::date_time_ymd(years.end, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    let path = folder.path().join("own.pem");
    std::fs::write(&path, certificate.pem()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    (config.with_single_cert(vec![certificate.der().clone()], key).unwrap(), path)
}

#[test]
fn a_certificate_that_is_named_is_trusted_and_the_name_is_that_of_the_host_header() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, own) = alone(&folder, "shop.test", 2020..2120);
    let own = own.to_str().unwrap();
    let names: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let (_, address) = Recorder::start_encrypted(tls, Arc::clone(&names), ok);
    let url = format!("https://{address}/");
    let resolved = format!("shop.test:{}:127.0.0.1", address.port());
    let by_name = format!("https://shop.test:{}/", address.port());
    for arguments in [
        &[by_name.as_str(), "--resolve", &resolved][..],
        &[&url, "-H", "Host: shop.test"],
        &[&url, "-H", "Host: else.test:81", "--sni", "shop.test"],
    ] {
        let (report, _) = one(&[arguments, &["--cacert", own]].concat());
        assert_eq!(report["ledger"]["ok"], 2, "{report}");
    }
    let asked = |names: &[Option<String>]| names.iter().all(|name| name.as_deref() == Some("shop.test"));
    assert!(asked(&names.lock().unwrap()), "{names:?}");

    let ended = load(&[&url, "-n", "1", "--cacert", own]).expect(4);
    assert!(ended.stdout.contains("not for `127.0.0.1`, but for `shop.test`"), "{}", ended.stdout);
    let ended = load(&[&by_name, "-n", "1", "--resolve", &resolved]).expect(4);
    assert!(ended.stdout.contains("signed by itself, and not trusted"), "{}", ended.stdout);
    let ended = load(&["http://127.0.0.1:1/", "-n", "1", "--sni", "a"]).expect(2);
    assert!(ended.stderr.contains("--sni a has no effect: TLS is not spoken"), "{}", ended.stderr);
}

#[test]
fn a_certificate_that_has_expired_is_told_with_its_date() {
    let folder = tempfile::tempdir().unwrap();
    let (tls, own) = alone(&folder, "127.0.0.1", 2001..2002);
    let (_, address) = Recorder::start_encrypted(tls, Arc::default(), ok);
    let ended =
        load(&[&format!("https://{address}/"), "-n", "1", "--cacert", own.to_str().unwrap()]).expect(4);
    assert!(ended.stdout.contains("expired on 2002-01-01 00:00 UTC"), "{}", ended.stdout);
}
