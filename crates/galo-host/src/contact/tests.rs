use std::net::TcpListener;

use super::*;

/// A port on which nobody listens, at any address of this machine.
fn silent_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn both(port: u16) -> Vec<SocketAddr> {
    ["127.0.0.1", "::1"].map(|ip| SocketAddr::new(ip.parse().unwrap(), port)).to_vec()
}

#[test]
fn of_two_addresses_the_one_that_is_listened_at_is_used() {
    for loopback in ["127.0.0.1:0", "[::1]:0"] {
        // A machine without IPv6 has only the first.
        let Ok(listener) = TcpListener::bind(loopback) else { continue };
        let address = listener.local_addr().unwrap();
        let contact = Contact::among(both(address.port())).unwrap();
        assert_eq!((contact.address, contact.accepts), (address, true));
    }
}

#[test]
fn where_nobody_listens_it_is_the_first_and_that_is_told() {
    let port = silent_port();
    let contact = Contact::among(both(port)).unwrap();
    assert_eq!((contact.address.to_string(), contact.accepts), (format!("[::1]:{port}"), false));
    let told = contact.sentence("localhost").unwrap();
    assert_eq!(
        told,
        format!("localhost is ::1 and 127.0.0.1: galo uses [::1]:{port}, the first, since none answers")
    );
    let error = connect(&both(port), Duration::from_secs(2)).unwrap_err();
    assert_ne!(error.kind(), io::ErrorKind::TimedOut, "a refusal is waited for by nobody");
}

#[test]
fn an_address_that_is_alone_is_neither_tried_nor_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    let contact = contact(&address.ip().to_string(), address.port()).unwrap();
    assert_eq!((contact.address, contact.sentence("x")), (listener.local_addr().unwrap(), None));
    assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock);
}

#[test]
fn an_address_that_says_nothing_keeps_the_next_one_for_a_quarter_of_a_second() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    // A queue of one that is full: the kernel answers no further connection.
    let full = socket_that_is_full();
    let addresses = [full.1, listener.local_addr().unwrap()];
    let began = Instant::now();
    let taken = connect(&addresses, Duration::from_secs(10)).unwrap();
    assert_eq!(taken, listener.local_addr().unwrap());
    let took = began.elapsed();
    assert!((ATTEMPT_ALONE..Duration::from_secs(5)).contains(&took), "{took:?}");
}

/// A listener whose queue is full, with what fills it.
fn socket_that_is_full() -> ((rustix::fd::OwnedFd, Vec<TcpStream>), SocketAddr) {
    use rustix::net::{AddressFamily, SocketType, bind, getsockname, listen, socket};
    let listener = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&listener, &"127.0.0.1:0".parse::<SocketAddr>().unwrap()).unwrap();
    listen(&listener, 0).unwrap();
    let address: SocketAddr = SocketAddr::try_from(getsockname(&listener).unwrap()).unwrap();
    let fill = || TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok();
    let filling: Vec<TcpStream> = std::iter::repeat_with(fill).take(64).map_while(|stream| stream).collect();
    ((listener, filling), address)
}

#[test]
fn families_take_turns_and_ipv6_begins() {
    let addresses = ["1.1.1.1:1", "2.2.2.2:1", "[::1]:1", "1.1.1.1:1", "3.3.3.3:1", "[::2]:1"];
    let ordered = in_turn(addresses.map(|text| text.parse().unwrap()).to_vec());
    let told: Vec<String> = ordered.iter().map(|address| address.ip().to_string()).collect();
    assert_eq!(told, ["::1", "1.1.1.1", "::2", "2.2.2.2", "3.3.3.3"]);
    assert_eq!(Contact::among(Vec::new()), None);
}

#[test]
fn an_unknown_name_is_told() {
    assert_eq!(contact("::1", 81).unwrap().address.to_string(), "[::1]:81");
    let error = contact("name.invalid", 80).unwrap_err().to_string();
    assert!(error.starts_with("cannot resolve `name.invalid`: "), "{error}");
}
