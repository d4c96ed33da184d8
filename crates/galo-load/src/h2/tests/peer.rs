//! Against somebody else's server: the `h2` crate, over a socket.

use std::io::{Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use ::h2::server::SendResponse;
use ::h2::{Reason, RecvStream};
use http::{HeaderMap, Request, Response};

use super::*;

type Body = Cursor<Vec<u8>>;

/// Takes one connection and serves it to its end. `/last` ends it gracefully.
fn serve(listener: &TcpListener) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (socket, _) = listener.accept().unwrap();
        socket.set_nonblocking(true).unwrap();
        let socket = tokio::net::TcpStream::from_std(socket).unwrap();
        let mut builder = ::h2::server::Builder::new();
        builder.max_concurrent_streams(10).initial_window_size(20_000);
        let mut connection = builder.handshake::<_, Body>(socket).await.unwrap();
        while let Some(Ok((request, respond))) = connection.accept().await {
            if request.uri().path() == "/last" {
                connection.graceful_shutdown();
            }
            tokio::spawn(answer(request, respond));
        }
    });
}

async fn answer(request: Request<RecvStream>, mut respond: SendResponse<Body>) {
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    if path == "/refuse" {
        return respond.send_reset(Reason::REFUSED_STREAM);
    }
    let user = request.headers().get("x-user").cloned();
    let mut body = Vec::new();
    let mut incoming = request.into_body();
    while let Some(Ok(piece)) = incoming.data().await {
        incoming.flow_control().release_capacity(piece.len()).unwrap();
        body.extend_from_slice(&piece);
    }
    let mut response = Response::builder().status(201).header("server", "somebody else's");
    response = response.header("content-length", body.len());
    if let Some(user) = user {
        response = response.header("x-user", user);
    }
    let end = method == "HEAD" || body.is_empty();
    let mut stream = respond.send_response(response.body(()).unwrap(), end).unwrap();
    if !end {
        stream.send_data(Cursor::new(body), false).unwrap();
        stream.send_trailers(HeaderMap::new()).unwrap();
    }
}

/// galo's end.
struct Client {
    socket: TcpStream,
    talk: Talk,
    server: JoinHandle<()>,
}

impl Client {
    fn connect() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let server = std::thread::spawn(move || serve(&listener));
        let mut out = Vec::new();
        let h2 = H2::start(50, &mut out);
        Self { socket, talk: Talk { h2, out, heard: Heard::default() }, server }
    }

    fn request(&mut self, exchange: u32, method: &str, path: &str, body: &[u8]) -> StreamId {
        let parts = RequestParts {
            method,
            scheme: "http",
            authority: "localhost",
            path: path.as_bytes(),
            path_constant: false,
            body,
        };
        let user = exchange.to_string();
        let fields = [
            Field { name: b"accept", value: b"*/*", constant: true },
            Field { name: b"x-user", value: user.as_bytes(), constant: false },
        ];
        self.talk.h2.request(exchange, &parts, fields, &mut self.talk.out).unwrap()
    }

    /// Talks until that much is true, or the server closes.
    fn until(&mut self, is_enough: impl Fn(&H2) -> bool) {
        let mut buffer = vec![0; 10_000];
        loop {
            self.socket.write_all(&self.talk.out).unwrap();
            self.talk.out.clear();
            if is_enough(&self.talk.h2) {
                return;
            }
            let length = self.socket.read(&mut buffer).expect("the server answers in time");
            if length == 0 {
                return;
            }
            self.talk.hear(&buffer[..length]).unwrap();
        }
    }

    fn end(self) {
        drop(self.socket);
        self.server.join().unwrap();
    }
}

/// Head and body of an exchange that ended well.
fn answered(told: &[SinkCall], exchange: u32) -> (&str, Vec<u8>) {
    let mut text = None;
    let mut body = Vec::new();
    let mut is_over = false;
    for told in told {
        assert!(!is_over || !matches!(told, SinkCall::Data(of, ..) if *of == exchange));
        match told {
            SinkCall::Head(of, head, end) if *of == exchange => (text, is_over) = (Some(head.as_str()), *end),
            SinkCall::Data(of, data, end) if *of == exchange => {
                body.extend_from_slice(data);
                is_over = *end;
            }
            _ => {}
        }
    }
    assert!(is_over, "{exchange} is not over");
    (text.unwrap(), body)
}

#[test]
fn a_server_answers_many_requests_with_bodies() {
    let mut client = Client::connect();
    client.until(|h2| h2.room() == 10);
    let body = |exchange: u32| -> Vec<u8> { (0..exchange * 2_000).map(|n| (n % 251) as u8).collect() };
    for round in 0..20 {
        for exchange in round * 10..round * 10 + 10 {
            client.request(exchange, "POST", "/echo", &body(exchange));
        }
        client.until(|h2| h2.streams.open() == 0);
        let told = client.talk.told();
        for exchange in round * 10..round * 10 + 10 {
            let (head, echoed) = answered(&told, exchange);
            let sent = body(exchange);
            let expected = format!(
                "HTTP/2 201\r\nserver: somebody else's\r\ncontent-length: {}\r\nx-user: {exchange}\r\n",
                sent.len()
            );
            assert!(head.starts_with(&expected), "{head:?}, not {expected:?}");
            assert!(echoed == sent, "{exchange}: {} bytes, not {}", echoed.len(), sent.len());
        }
    }
    client.end();
}

#[test]
fn a_server_that_refuses_or_is_asked_for_heads_is_understood() {
    let mut client = Client::connect();
    client.request(0, "HEAD", "/", b"");
    client.request(1, "GET", "/refuse", b"");
    let given_up = client.request(2, "POST", "/echo", &[b'x'; 100_000]);
    client.talk.h2.abandon(given_up, &mut client.talk.out);
    client.request(3, "GET", "/", b"");
    client.until(|h2| h2.streams.open() == 0);
    let told = client.talk.told();
    assert!(told.contains(&SinkCall::Failed(1, ResetKind::Peer(7))), "{told:?}");
    assert_eq!(answered(&told, 0).1, b"");
    assert_eq!(answered(&told, 3).1, b"");
    assert_eq!(told.len(), 3);
    client.end();
}

#[test]
fn a_server_that_ends_the_connection_still_answers() {
    let mut client = Client::connect();
    client.request(0, "GET", "/", b"");
    client.request(1, "POST", "/last", b"goodbye");
    client.until(H2::is_draining);
    client.until(|h2| h2.streams.open() == 0);
    let told = client.talk.told();
    assert_eq!(answered(&told, 0).1, b"");
    assert_eq!(answered(&told, 1).1, b"goodbye");
    assert_eq!(client.talk.h2.room(), 0);
    client.end();
}
