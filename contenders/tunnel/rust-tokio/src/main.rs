//! A TCP proxy as most would write it in Rust: a task for each connection, and `copy_bidirectional`.

use std::io;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(bind), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err(io::Error::other("usage: tunnel-tokio BIND TO, e.g. 127.0.0.1:9999 127.0.0.1:18080"));
    };
    let listener = TcpListener::bind(&bind).await?;
    loop {
        let client = match listener.accept().await {
            Ok((client, _)) => client,
            Err(error) => {
                eprintln!("accept: {error}");
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                continue;
            }
        };
        let to = to.clone();
        tokio::spawn(async move {
            // Whoever breaks off ends both sides.
            let _ = carry(client, &to).await;
        });
    }
}

async fn carry(mut client: TcpStream, to: &str) -> io::Result<()> {
    let mut origin = TcpStream::connect(to).await?;
    client.set_nodelay(true)?;
    origin.set_nodelay(true)?;
    copy_bidirectional(&mut client, &mut origin).await?;
    Ok(())
}
