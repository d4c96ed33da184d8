//! Clients that others have written.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use super::support::{BACKENDS, Tunnel, origin, recorder, until};

fn run(program: &str, words: &[&str]) -> Output {
    Command::new(program)
        .args(words)
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; apt-get install {program}"))
}

#[test]
fn curl_and_wget_come_through_every_mode() {
    let (one, _) = recorder("one");
    let one = one.to_string();
    for backend in BACKENDS {
        let tcp = Tunnel::start("tcp", &["--to", &one, "--backend", backend]);
        let balance = Tunnel::start("balance", &["--to", &one, "--backend", backend]);
        let connect =
            Tunnel::start("connect", &["--allow", ".*", "--allow-net", "127.0.0.1", "--backend", backend]);
        for tunnel in [&tcp, &balance] {
            let url = format!("http://{}/curl", tunnel.address);
            assert_eq!(run("curl", &["-sS", "-m", "10", &url]).stdout, b"one /curl 0", "{backend}");
            assert_eq!(
                run("curl", &["-sS", "-m", "10", "-H", "Expect: 100-continue", "-d", "abc", &url]).stdout,
                b"one /curl 3"
            );
            assert_eq!(
                run("curl", &["-sS", "-m", "10", "-H", "Transfer-Encoding: chunked", "-d", "abcd", &url])
                    .stdout,
                b"one /curl 4"
            );
            assert_eq!(run("wget", &["-q", "-T", "10", "-t", "1", "-O", "-", &url]).stdout, b"one /curl 0");
        }
        let proxy = format!("http://{}", connect.address);
        let out = run("curl", &["-sS", "-m", "10", "-p", "-x", &proxy, &format!("http://{one}/through")]);
        assert_eq!(out.stdout, b"one /through 0", "{backend}: {out:?}");
    }
}

#[test]
fn psql_comes_through_tcp_mode() {
    let folder = tempfile::tempdir().unwrap();
    let bin = Path::new("/usr/lib/postgresql");
    let version = std::fs::read_dir(bin).expect("apt-get install postgresql").flatten().next().unwrap();
    let bin = version.path().join("bin");
    // It does not run as root.
    assert!(
        Command::new("chown")
            .args(["postgres", &folder.path().display().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let data = folder.path().join("data");
    let as_postgres = |words: &[&str]| {
        let out = Command::new("setpriv")
            .args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"])
            .args(words)
            .current_dir("/")
            .output()
            .unwrap();
        assert!(out.status.success(), "{words:?}: {out:?}");
    };
    let [initdb, pg_ctl] = ["initdb", "pg_ctl"].map(|name| bin.join(name).display().to_string());
    let data = data.display().to_string();
    as_postgres(&[&initdb, "-D", &data, "-A", "trust", "-U", "postgres", "--no-sync"]);
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = format!("-p {port} -h 127.0.0.1 -k {}", folder.path().display());
    as_postgres(&[
        &pg_ctl,
        "-D",
        &data,
        "-o",
        &options,
        "-l",
        &format!("{}/log", folder.path().display()),
        "-w",
        "start",
    ]);
    let words = [
        "setpriv",
        "--reuid",
        "postgres",
        "--regid",
        "postgres",
        "--clear-groups",
        &pg_ctl,
        "-D",
        &data,
        "-m",
        "immediate",
        "stop",
    ];
    let stop = Stop(words.map(str::to_owned).to_vec());
    for backend in BACKENDS {
        let tunnel = Tunnel::start("tcp", &["--to", &format!("127.0.0.1:{port}"), "--backend", backend]);
        let at = tunnel.address.port().to_string();
        let sql = "select sum(n), length(repeat('x', 3000000)) from generate_series(1, 100000) n";
        let out = run("psql", &["-h", "127.0.0.1", "-p", &at, "-U", "postgres", "-X", "-A", "-t", "-c", sql]);
        assert_eq!(String::from_utf8_lossy(&out.stdout).trim(), "5000050000|3000000", "{backend}: {out:?}");
        let large = run(
            "psql",
            &[
                "-h",
                "127.0.0.1",
                "-p",
                &at,
                "-U",
                "postgres",
                "-X",
                "-A",
                "-t",
                "-c",
                "select repeat('y', 5000000)",
            ],
        );
        assert_eq!(large.stdout.len(), 5_000_001, "{backend}");
    }
    drop(stop);
}

/// Ends a server, also where its test fails.
struct Stop(Vec<String>);

impl Drop for Stop {
    fn drop(&mut self) {
        // Nothing is left to be done where it does not end.
        let _ = Command::new(&self.0[0]).args(&self.0[1..]).current_dir("/").status();
    }
}

/// An origin of HTTPS that says the same to everybody.
fn secure_origin() -> std::net::SocketAddr {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
    let config = Arc::new(config);
    origin(move |stream| {
        let session = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        let mut tls = rustls::StreamOwned::new(session, stream);
        let mut bytes = [0; 16_384];
        while let Ok(1..) = tls.read(&mut bytes) {
            let page = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 38\r\n\r\n<html><body>came through</body></html>";
            if tls.write_all(page).is_err() {
                return;
            }
        }
    })
}

#[test]
fn chromium_comes_through_connect_and_connect_over_tls() {
    let page = format!("https://localhost:{}/", secure_origin().port());
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name).display().to_string());
    std::fs::write(&cert, made.cert.pem()).unwrap();
    std::fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    for backend in BACKENDS {
        let here = ["--allow", "localhost:.*", "--allow-net", "127.0.0.1", "--backend", backend];
        let plain = Tunnel::start("connect", &here);
        let over_tls = Tunnel::start("connect", &[&here[..], &["--cert", &cert, "--key", &key]].concat());
        for (scheme, tunnel) in [("http", &plain), ("https", &over_tls)] {
            let out = run(
                "chromium",
                &[
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--ignore-certificate-errors",
                    &format!(
                        "--user-data-dir={}",
                        folder.path().join(format!("{scheme}-{backend}")).display()
                    ),
                    &format!("--proxy-server={scheme}://localhost:{}", tunnel.address.port()),
                    // It would go there directly otherwise.
                    "--proxy-bypass-list=<-loopback>",
                    "--dump-dom",
                    &page,
                ],
            );
            let shown = String::from_utf8_lossy(&out.stdout);
            assert!(
                shown.contains("came through"),
                "{backend}, {scheme}: {shown} {}",
                String::from_utf8_lossy(&out.stderr)
            );
            until("its bytes are counted", || tunnel.metric("bytes_down_total") > 0);
        }
    }
}
