//! Heads alone.

use proptest::prelude::*;

use super::super::qpack::{read_head, write_head};
use super::*;

fn text(block: &[u8]) -> Option<String> {
    let mut head = HeadText::new(b"HTTP/3 ");
    read_head(block, &mut head).ok()?;
    head.fault().is_none().then(|| String::from_utf8(head.text().to_vec()).unwrap())
}

#[test]
fn a_head_may_be_written_in_every_way() {
    let mut block = vec![0, 0, 0xc0 | 25];
    // `server` by the static table's entry 92, its value plain; then a name of its own, its value by Huffman.
    block.extend_from_slice(&[0x5f, 92 - 15, 4, b'g', b'a', b'l', b'o']);
    block.extend_from_slice(&[0x23, b'x', b'-', b'a', 0x86, 0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf]);
    assert_eq!(text(&block).unwrap(), "HTTP/3 200\r\nserver: galo\r\nx-a: no-cache\r\n\r\n");
    for cut in 3..block.len() {
        assert!(text(&block[..cut]).is_none() || cut == 3 || cut == 10, "cut at {cut}");
    }
}

#[test]
fn what_is_constant_in_requests_is_a_number() {
    let parts = RequestParts {
        method: "GET",
        scheme: "https",
        authority: "a",
        path: b"/",
        path_constant: true,
        body: b"",
    };
    let mut block = Vec::new();
    write_head(&parts, [Field { name: b"x", value: b"y", constant: true }], &mut block);
    assert_eq!(block, [0, 0, 0xc0 | 17, 0xc0 | 23, 0x50, 1, b'a', 0xc0 | 1, 0x21, b'x', 1, b'y']);
}

proptest! {
    #[test]
    fn any_block_is_read_or_refused(block in proptest::collection::vec(any::<u8>(), 0..80)) {
        text(&[&[0, 0, 0xd9][..], &block].concat());
    }
}
