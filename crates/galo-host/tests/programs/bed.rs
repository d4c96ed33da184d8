//! What the tests of galo-host start: a galo to be killed, and services to be held.
//!
//! ```text
//! __supervise STATE                  the supervisor
//! hold STATE_ROOT LOGS CONTENDER     a host with a running contender (a file of JSON), until killed
//! listen PORT [TEXT]                 answers every HTTP request with TEXT
//! environment PORT                   ... with its environment, a line each
//! spin                               uses all CPU that it gets
//! eat BYTES                          uses memory
//! ```

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use galo_host::{Host, HostOptions, Surroundings};
use galo_record::Events;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["__supervise", state] => {
            let _ = galo_host::supervise(Path::new(state));
        }
        ["hold", root, logs, contender] => hold(root, logs, contender),
        ["listen", port] => listen(port, "ok"),
        ["listen", port, text] => listen(port, text),
        ["environment", port] => {
            let lines: Vec<String> =
                std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
            listen(port, &lines.join("\n"));
        }
        ["spin"] => loop {
            std::hint::spin_loop();
        },
        ["eat", bytes] => eat(bytes),
        _ => fail(&format!("unknown: {arguments:?}")),
    }
}

fn fail(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(64)
}

fn hold(root: &str, logs: &str, contender: &str) {
    let text = std::fs::read_to_string(contender).unwrap_or_else(|e| fail(&e.to_string()));
    let contender = serde_json::from_str(&text).unwrap_or_else(|e| fail(&e.to_string()));
    let surroundings = Surroundings { state_root: root.into(), supervisor: "/proc/self/exe".into() };
    let options = HostOptions { limited: true, stop: Arc::default(), events: Events::none() };
    let host = Host::open_in(options, &surroundings).unwrap_or_else(|e| fail(&e.to_string()));
    let running = host.start(&contender, 0, Path::new(logs)).unwrap_or_else(|e| fail(&e.to_string()));
    let placement = serde_json::to_string(running.placement()).unwrap_or_else(|e| fail(&e.to_string()));
    println!("{placement}");
    loop {
        std::thread::park();
    }
}

fn listen(port: &str, text: &str) {
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).unwrap_or_else(|e| fail(&e.to_string()));
    println!("listening");
    let answer =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}", text.len());
    for mut stream in listener.incoming().flatten() {
        let _ = stream.read(&mut [0; 4096]);
        let _ = stream.write_all(answer.as_bytes());
    }
}

fn eat(bytes: &str) {
    let bytes: usize = bytes.parse().unwrap_or_else(|_| fail("no number"));
    let mut eaten = vec![0_u8; bytes];
    // A byte of each page: slow machines get there too.
    for page in eaten.chunks_mut(4096) {
        page[0] = 1;
    }
    println!("ate {}", eaten.iter().map(|&b| u64::from(b)).sum::<u64>());
    loop {
        std::thread::park();
    }
}
