//! A right HTTP proxy that tunnels (`CONNECT`).

use std::sync::{Arc, Mutex};

use galo_plan::load::{Address, Proxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::serving::{Place, Serving, Stream, connect};

/// A proxy that is served, and the first line of each request to it.
pub(crate) struct TestProxy {
    serving: Serving,
    asked: Arc<Mutex<Vec<String>>>,
}

impl TestProxy {
    /// Leads everyone to this address.
    pub(crate) fn towards(place: &Place, address: Address) -> Self {
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let heard = asked.clone();
        let serving = Serving::start(place, move |stream| {
            tokio::spawn(tunnel(stream, address.clone(), heard.clone()));
        });
        Self { serving, asked }
    }

    pub(crate) fn as_proxy(&self) -> Proxy {
        let address = self.serving.address.clone();
        Proxy { address, authority: "proxy:3128".to_owned(), authorization: None }
    }

    /// The first line of each request.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

async fn tunnel(mut client: Stream, address: Address, asked: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = client.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    asked.lock().unwrap().push(head.lines().next().unwrap_or_default().to_owned());
    let mut server = connect(&address).await.unwrap();
    if client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.is_ok() {
        // Whoever ends it.
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    }
}
