//! Servers that answer as nobody should: galo goes on and tells.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

use serde_json::Value;

use crate::support::{galo, run};

/// Serves every connection by `answer`, in a thread each, until the test process ends.
pub(crate) fn serve(answer: fn(&mut TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut stream = stream;
                let mut request = [0; 4096];
                if stream.read(&mut request).is_ok_and(|n| n > 0) {
                    answer(&mut stream);
                }
            });
        }
    });
    address
}

/// Loads the server lightly, and returns the report.
fn load(answer: fn(&mut TcpStream)) -> Value {
    let url = format!("http://{}/", serve(answer));
    let arguments = [
        "load",
        &url,
        "--rate",
        "20",
        "--for",
        "1s",
        "--timeout",
        "500ms",
        "--json",
        "-",
        "--quiet",
        "--force",
    ];
    let ended = run(&mut galo(&arguments));
    // A status is an answer, however wrong the rest of it is.
    let statuses = ended.json()["statuses"].as_object().map_or(0, serde_json::Map::len);
    let report = ended.expect(if statuses == 0 { 4 } else { 0 }).json();
    let ledger = &report["ledger"];
    assert_eq!(ledger["intended"], 20, "{report}");
    report
}

fn all(report: &Value, result: &str) {
    assert_eq!(report["ledger"][result], 20, "{report}");
}

#[test]
fn garbage_is_a_failure() {
    all(&load(|s| drop(s.write_all(b"\x16\x03\x01 not http at all\r\n\r\n"))), "failed");
}

#[test]
fn a_close_in_the_middle_of_a_body_is_a_failure() {
    all(&load(|s| drop(s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"))), "failed");
}

#[test]
fn an_endless_body_is_bounded() {
    let report = load(|s| {
        let _ = s.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while s.write_all(b"5\r\nhello\r\n").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    });
    all(&report, "timed_out");
}

#[test]
fn endless_headers_are_bounded() {
    let report = load(|s| {
        let _ = s.write_all(b"HTTP/1.1 200 OK\r\n");
        while s.write_all(&b"X-More: and more and more and more and more\r\n".repeat(100)).is_ok() {}
    });
    all(&report, "failed");
}

#[test]
fn silence_is_a_timeout() {
    all(&load(|s| drop(s.read(&mut [0; 1]))), "timed_out");
}

#[test]
fn an_honest_server_is_right() {
    all(&load(|s| drop(s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))), "ok");
}

#[test]
fn a_server_that_nobody_started_is_a_failure() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{free}/");
    let arguments = ["load", &url, "--rate", "20", "--for", "1s", "--json", "-", "--quiet", "--force"];
    all(&run(&mut galo(&arguments)).expect(4).json(), "failed");
}

#[test]
fn a_check_of_a_server_that_lies_fails() {
    let address = serve(|s| drop(s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n0")));
    let out = tempfile::tempdir().unwrap();
    let url = format!("http://{address}");
    let ended = run(galo(&["check", &url, "--json", "-", "--out"]).arg(out.path().join("run"))).expect(1);
    assert!(ended.json()["rounds"][0]["standing"]["rules"].to_string().contains("unexpected-status"));
}

#[test]
fn a_server_of_another_api_is_told_so_before_anything_is_driven() {
    let told = |answer: fn(&mut TcpStream), more: &[&str]| {
        let address = serve(answer);
        let url = format!("http://{address}/");
        let out = tempfile::tempdir().unwrap();
        let ended = run(galo(&["check", &url]).args(more).arg("--out").arg(out.path().join("run"))).expect(2);
        assert!(!out.path().join("run").exists() && ended.stdout.is_empty(), "{}", ended.stdout);
        ended.stderr.replace(&address.to_string(), "HOST").trim().to_owned()
    };
    insta::assert_snapshot!(told(|s| drop(s.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")), &[]), @r"
    error: http://HOST is no server of challenge `pessoas`: it answered `GET /contagem-pessoas` by status 404
    hint: galo check http://HOST --challenge FILE goes by the rules of that file, which galo init --from-openapi writes
    ");
    let page: fn(&mut TcpStream) =
        |s| drop(s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n<!doctype html>"));
    insta::assert_snapshot!(told(page, &["--challenge", "pessoas"]), @r"
    error: http://HOST is no server of challenge `pessoas`: it answered `GET /contagem-pessoas` by a page of HTML
    hint: galo check http://HOST --challenge FILE goes by the rules of that file, which galo init --from-openapi writes
    ");
}

#[test]
fn of_a_server_that_galo_did_not_start_nothing_is_said_of_limits_that_were_switched_off() {
    let address = serve(|s| drop(s.write_all(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")));
    let out = tempfile::tempdir().unwrap();
    for (lang, limits, answer) in [
        ("en", "galo did not start it, so nothing is limited", "never answered as it should"),
        ("pt", "o galo não o iniciou, então nada é limitado", "nunca respondeu como deveria"),
    ] {
        let url = format!("http://{address}");
        let ended = run(galo(&["check", &url, "--lang", lang, "--out"]).arg(out.path().join(lang))).expect(4);
        let told = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(limits) && told.contains(answer), "{told}");
        assert!(told.contains("(last: status 503)"), "{told}");
        for wrong in ["switched off", "desligados", "it did not start", "não subiu"] {
            assert!(!told.contains(wrong), "{wrong}: {told}");
        }
    }
}
