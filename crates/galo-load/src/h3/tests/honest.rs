//! A server that does as it should.

use ::h3::server::RequestStream;
use bytes::Buf;

use super::*;

type Stream = RequestStream<h3_quinn::BidiStream<Bytes>, Bytes>;

async fn serve(connection: quinn::Connection) {
    let Ok(mut connection) = ::h3::server::Connection::new(h3_quinn::Connection::new(connection)).await
    else {
        return;
    };
    while let Ok(Some(resolver)) = connection.accept().await {
        let Ok((request, stream)) = resolver.resolve_request().await else { continue };
        if request.uri().path() == "/last" {
            let _ = connection.shutdown(1).await;
        }
        tokio::spawn(async move {
            // The client may have given up.
            let _ = answer(request, stream).await;
        });
    }
}

async fn answer(request: http::Request<()>, mut stream: Stream) -> Result<(), ::h3::error::StreamError> {
    let mut body = Vec::new();
    while let Some(mut data) = stream.recv_data().await? {
        body.extend_from_slice(&data.copy_to_bytes(data.remaining()));
    }
    let asked = request.headers().get("x-asked").map_or("", |value| value.to_str().unwrap_or(""));
    let response = http::Response::builder().header("x-method", request.method().as_str());
    let response = response.header("x-asked", asked).header("Server", "a long name that Huffman makes short");
    let (status, body) = match request.uri().path() {
        "/empty" => (204, Vec::new()),
        "/never" => return std::future::pending().await,
        "/big" => (200, vec![7; 3 << 20]),
        "/reset" => {
            stream.stop_stream(::h3::error::Code::H3_REQUEST_REJECTED);
            return Ok(());
        }
        _ => (200, body),
    };
    stream.send_response(response.status(status).body(()).unwrap_or_default()).await?;
    if !body.is_empty() {
        stream.send_data(Bytes::from(body)).await?;
    }
    if request.uri().path() == "/trailers" {
        let mut trailers = http::HeaderMap::new();
        trailers.insert("x-sum", http::HeaderValue::from_static("42"));
        stream.send_trailers(trailers).await?;
    }
    stream.finish().await
}

#[test]
fn a_request_gets_its_answer() {
    let server = Server::start(serve);
    let mut talk = Talk::ready(&server);
    talk.ask(7, "POST", "/echo?x=1", b"hello");
    let (head, body) = talk.answer(7);
    assert_eq!(body, b"hello");
    for line in
        ["HTTP/3 200", "x-method: POST", "x-asked: by galo", "server: a long name that Huffman makes short"]
    {
        assert!(head.lines().any(|found| found == line), "{head}");
    }
}

#[test]
fn many_requests_pass_at_once_and_again() {
    let server = Server::start(serve);
    let mut talk = Talk::ready(&server);
    for n in 0..500 {
        let body = n.to_string();
        while talk.try_ask(n, "POST", "/echo", body.as_bytes()).is_err() {
            assert_eq!(talk.h3.room(), 0);
            talk.until(|talk| talk.h3.room() > 0).unwrap();
        }
    }
    for n in 0..500 {
        assert_eq!(talk.answer(n).1, n.to_string().as_bytes());
    }
}

#[test]
fn bodies_of_megabytes_pass_both_ways() {
    let server = Server::start(serve);
    let mut talk = Talk::ready(&server);
    let body: Vec<u8> = (0..3_000_000u32).map(|n| (n >> 3) as u8).collect();
    let stream = talk.ask(0, "POST", "/echo", &body);
    assert!(!talk.h3.is_sent(stream), "the server's window is smaller than that");
    talk.ask(1, "GET", "/big", b"");
    assert!(talk.answer(0).1 == body);
    assert!(talk.answer(1).1 == vec![7; 3 << 20]);
    assert!(talk.h3.is_sent(stream));
}

#[test]
fn answers_without_a_body_end_and_trailers_are_swallowed() {
    let server = Server::start(serve);
    let mut talk = Talk::ready(&server);
    talk.ask(0, "GET", "/empty", b"");
    talk.ask(1, "HEAD", "/echo", b"");
    talk.ask(2, "POST", "/trailers", b"before them");
    let (head, body) = talk.answer(0);
    assert!(head.starts_with("HTTP/3 204\r\n") && body.is_empty());
    assert!(talk.answer(1).1.is_empty());
    let (head, body) = talk.answer(2);
    assert!(!head.contains("x-sum") && body == b"before them");
}

#[test]
fn a_reset_stream_fails_only_its_own_request() {
    let server = Server::start(serve);
    let mut talk = Talk::ready(&server);
    talk.ask(0, "GET", "/reset", b"");
    talk.ask(1, "POST", "/echo", b"fine");
    let End::Failed(why) = talk.end(0).unwrap() else { panic!("answered") };
    assert_eq!((why, why.text()), (FailureKind::Peer(0x10b), "stream reset: H3_REQUEST_REJECTED"));
    assert!(why.is_unprocessed());
    assert_eq!(talk.answer(1).1, b"fine");
}

#[test]
fn an_abandoned_request_is_not_heard_of_again_and_leaves_room() {
    let server = Server::start(serve);
    let mut talk = Talk::ready(&server);
    let stream = talk.ask(0, "GET", "/never", b"");
    assert_eq!(talk.h3.room(), 99);
    talk.h3.abandon(stream);
    assert_eq!(talk.h3.room(), 100);
    talk.ask(1, "POST", "/echo", b"fine");
    assert_eq!(talk.answer(1).1, b"fine");
    assert!(!talk.told.ended.contains_key(&0));
}

#[test]
fn a_server_that_says_goodbye_gets_no_more_requests() {
    let server = Server::start(serve);
    let mut talk = Talk::ready(&server);
    talk.ask(0, "GET", "/last", b"");
    talk.until(|talk| talk.h3.is_draining() && talk.told.ended.contains_key(&0)).unwrap();
    assert_eq!(talk.h3.room(), 0);
    assert!(matches!(talk.told.ended[&0], End::Answered { .. }));
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused_in_words() {
    let server = Server::start(serve);
    let mut stranger = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    stranger.distinguished_name.push(rcgen::DnType::CommonName, "a stranger");
    let stranger = stranger.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, stranger.pem()).unwrap();
    let settings = TlsSettings { roots: Some(roots), ..TlsSettings::default() };
    let mut talk = Talk::connect(server.address, &settings);
    let error = talk.until(|talk| talk.h3.is_ready()).unwrap_err();
    assert_eq!(error, H3Error::Tls(crate::tls::TlsError::UnknownIssuer));
    assert!(error.text().contains("; hint: "), "{}", error.text());
}

#[test]
fn nothing_can_be_asked_before_the_handshake_is_done_and_after_the_end() {
    let server = Server::start(serve);
    let mut talk = Talk::connect(server.address, &insecure());
    assert_eq!(talk.h3.room(), 0);
    talk.until(|talk| talk.h3.is_ready()).unwrap();
    assert_eq!(talk.h3.room(), 100);
    talk.h3.close(Instant::now());
    assert_eq!(talk.h3.room(), 0);
    talk.send();
}
