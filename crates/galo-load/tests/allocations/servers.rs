//! Servers that do no more than these tests need. Their threads end with the connections, or with the process.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const PREFACE_BYTES: usize = 24;
const SETTINGS: [u8; 9] = [0, 0, 0, 4, 0, 0, 0, 0, 0];
const SETTINGS_ACK: [u8; 9] = [0, 0, 0, 4, 1, 0, 0, 0, 0];

fn serve(each: impl Fn(TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (each, stream) = (each.clone(), stream.unwrap());
            stream.set_nodelay(true).unwrap();
            std::thread::spawn(move || each(stream));
        }
    });
    address
}

/// Answers every request of HTTP/1.1; they come one at a time and in one piece.
pub(crate) fn http1() -> SocketAddr {
    serve(|mut stream| {
        let mut buffer = [0; 4096];
        while matches!(stream.read(&mut buffer), Ok(n) if n > 0) && stream.write_all(ANSWER).is_ok() {}
    })
}

/// Answers every request of HTTP/2 with a head alone.
pub(crate) fn http2() -> SocketAddr {
    serve(|mut stream| {
        // A client that has closed ends it.
        let _ = answer_frames(&mut stream);
    })
}

fn answer_frames(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.write_all(&SETTINGS)?;
    stream.read_exact(&mut [0; PREFACE_BYTES])?;
    let (mut buffer, mut filled, mut answers) = ([0; 64 * 1024], 0, Vec::new());
    loop {
        filled += match stream.read(&mut buffer[filled..])? {
            0 => return Ok(()),
            n => n,
        };
        let mut start = 0;
        while let Some(head) = buffer[start..filled].first_chunk::<9>() {
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
            let end = start + 9 + length;
            if end > filled {
                break;
            }
            match (head[3], head[4]) {
                (1, _) => {
                    answers.extend_from_slice(&[0, 0, 1, 1, 5]);
                    answers.extend_from_slice(&head[5..9]);
                    answers.push(0x88);
                }
                (4, 0) => answers.extend_from_slice(&SETTINGS_ACK),
                _ => {}
            }
            start = end;
        }
        buffer.copy_within(start..filled, 0);
        filled -= start;
        stream.write_all(&answers)?;
        answers.clear();
    }
}

/// One that answers once on each connection.
pub(crate) struct Silent {
    pub(crate) address: SocketAddr,
    /// Told when so many connections have each brought a second request.
    pub(crate) all_asked: Receiver<()>,
}

/// Accepts so many connections, answers a request on each, and waits for another one.
pub(crate) fn silent(connections: usize) -> Silent {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (told, all_asked) = channel();
    std::thread::spawn(move || {
        let mut streams: Vec<TcpStream> = listener.incoming().take(connections).map(Result::unwrap).collect();
        for answer in [ANSWER, b""] {
            for stream in &mut streams {
                assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
                stream.write_all(answer).unwrap();
            }
        }
        told.send(()).unwrap();
        // Until the client has gone.
        let _ = streams[0].read_to_end(&mut Vec::new());
    });
    Silent { address, all_asked }
}
