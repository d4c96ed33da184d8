//! The vectors of RFC 7541, appendix C, and properties. What a head makes of fields is tested beside `head`.

use proptest::prelude::*;

use super::super::answers::Answers;
use super::super::error::StreamFault;
use super::super::head::HeadText;
use super::*;

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.bytes().filter_map(|b| char::from(b).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn decode(decoder: &mut Decoder, block: &[u8]) -> Result<(String, Effect), CompressionError> {
    let mut head = HeadText::new();
    head.begin();
    let effect = decoder.decode(block, &mut head)?;
    Ok((String::from_utf8_lossy(head.text()).into_owned(), effect))
}

fn table(decoder: &Decoder) -> Vec<String> {
    let text = |(name, value): (&[u8], &[u8])| {
        format!("{}: {}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
    };
    (0..).map_while(|index| decoder.table().get(index)).map(|(name, value, _)| text((name, value))).collect()
}

#[test]
fn integers_are_those_of_appendix_c_1() {
    for (value, bits, bytes) in [(10, 5, &[0x0a][..]), (1337, 5, &[0x1f, 0x9a, 0x0a]), (42, 8, &[0x2a])] {
        let mut written = Vec::new();
        integer::write(&mut written, 0, bits, value);
        assert_eq!(written, bytes);
        let mut rest = bytes;
        assert_eq!(integer::read(&mut rest, bits), Ok(value as u32));
        assert_eq!(rest, b"");
    }
}

#[test]
fn an_endless_integer_is_refused() {
    for bytes in ["ff 80 80 80 80 00", "ff ff ff ff ff ff 7f", "ff", "ff 80", ""] {
        assert_eq!(integer::read(&mut &hex(bytes)[..], 7), Err(CompressionError), "{bytes}");
    }
}

#[test]
fn literals_are_those_of_appendix_c_2() {
    let mut decoder = Decoder::new();
    let indexed = hex("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572");
    assert_eq!(
        decode(&mut decoder, &indexed),
        Ok(("custom-key: custom-header\r\n".to_owned(), Effect::Adds))
    );
    assert_eq!(table(&decoder), ["custom-key: custom-header"]);
    let never = hex("1008 7061 7373 776f 7264 0673 6563 7265 74");
    assert_eq!(decode(&mut decoder, &never), Ok(("password: secret\r\n".to_owned(), Effect::None)));
    assert_eq!(table(&decoder), ["custom-key: custom-header"]);
}

#[test]
fn requests_are_those_of_appendices_c_3_and_c_4() {
    let plain = [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    let huffman = [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    for blocks in [plain, huffman] {
        let mut decoder = Decoder::new();
        for (nth, block) in blocks.iter().enumerate() {
            assert!(decode(&mut decoder, &hex(block)).is_ok());
            let all = ["custom-key: custom-value", "cache-control: no-cache", ":authority: www.example.com"];
            assert_eq!(table(&decoder), all[2 - nth..]);
        }
    }
}

#[test]
fn answers_are_those_of_appendices_c_5_and_c_6() {
    // The table of these examples has 256 bytes, which galo's peers must say.
    let plain = [
        "3fe101 4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 \
         3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 \
         7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 \
         6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
    ];
    let huffman = [
        "3fe101 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d \
         29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 \
         e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    let first = "cache-control: private\r\ndate: Mon, 21 Oct 2013 20:13:21 GMT\r\n\
                 location: https://www.example.com\r\n";
    let third = "HTTP/2 200\r\ncache-control: private\r\ndate: Mon, 21 Oct 2013 20:13:22 GMT\r\n\
                 location: https://www.example.com\r\ncontent-encoding: gzip\r\n\
                 set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1\r\n";
    for blocks in [plain, huffman] {
        let mut decoder = Decoder::new();
        let heads = blocks.map(|block| decode(&mut decoder, &hex(block)).expect("the RFC is right").0);
        assert_eq!(heads[0], format!("HTTP/2 302\r\n{first}"));
        assert_eq!(heads[1], format!("HTTP/2 307\r\n{first}"));
        assert_eq!(heads[2], third);
        assert_eq!(
            table(&decoder),
            [
                "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
                "content-encoding: gzip",
                "date: Mon, 21 Oct 2013 20:13:22 GMT",
            ]
        );
    }
}

#[test]
fn what_a_block_does_to_the_table_is_known() {
    let mut decoder = Decoder::new();
    for (block, effect) in [
        ("88", Effect::None),
        ("88 5801 61", Effect::Adds),
        ("88 be", Effect::None),
        ("88 0f 2f 01 61", Effect::None),
        ("be 5801 61", Effect::Other),
        ("7e 01 62", Effect::Other),
        // A size of 0 is a change; an entry that then has no room is none.
        ("20 88 5801 61", Effect::Other),
        ("88 5801 61", Effect::None),
    ] {
        assert_eq!(decode(&mut decoder, &hex(block)).map(|seen| seen.1), Ok(effect), "{block}");
    }
}

#[test]
fn broken_blocks_are_refused() {
    for (block, why) in [
        ("80", "index 0"),
        ("be", "an index beyond both tables"),
        ("88 20", "a size behind a field"),
        ("3fe21f", "a size beyond galo's settings"),
        ("58", "no value"),
        ("5803 6161", "a value cut short"),
        ("5883 6161", "a Huffman value cut short"),
        ("5881 00", "padding that is not all ones"),
        ("5882 1fff", "padding of a whole byte"),
        ("5884 ffff ffff", "the end within a string"),
        ("40", "no name"),
        ("7f", "an index cut short"),
    ] {
        assert_eq!(decode(&mut Decoder::new(), &hex(block)), Err(CompressionError), "{why}");
    }
}

#[test]
fn too_large_a_head_leaves_the_table_right() {
    let mut decoder = Decoder::new();
    let mut block = hex("88 5801 61");
    // 4,000 times a field of 3 KB, by one byte each.
    let mut large = Vec::new();
    integer::write(&mut large, 0x40, 6, 24);
    integer::write_string(&mut large, &[b'x'; 3_000]);
    block.extend(large);
    block.extend([0xbe; 4_000]);
    block.extend(hex("5901 62"));
    let mut head = HeadText::new();
    assert_eq!(decoder.decode(&block, &mut head), Ok(Effect::Other));
    assert_eq!(head.fault(), Some(StreamFault::HeadTooLarge));
    assert!(head.text().len() <= 64 * 1024);
    assert_eq!(table(&decoder)[0], "content-disposition: b");
    assert_eq!(table(&decoder).len(), 3);
}

/// Encodes by the codes as they follow from their lengths, bit by bit.
fn huffman_encode(text: &[u8]) -> Vec<u8> {
    let mut order: Vec<usize> = (0..257).collect();
    order.sort_by_key(|&symbol| (huffman::LENGTHS[symbol], symbol));
    let mut codes = [0u32; 257];
    let (mut code, mut length) = (0u32, huffman::LENGTHS[order[0]]);
    for symbol in order {
        code <<= huffman::LENGTHS[symbol] - length;
        length = huffman::LENGTHS[symbol];
        codes[symbol] = code;
        code += 1;
    }
    let bits: Vec<u8> = text
        .iter()
        .flat_map(|&byte| {
            let (code, length) = (codes[usize::from(byte)], huffman::LENGTHS[usize::from(byte)]);
            (0..length).rev().map(move |bit| (code >> bit & 1) as u8)
        })
        .collect();
    bits.chunks(8)
        .map(|byte| (0..8).fold(0, |sum, bit| sum << 1 | byte.get(bit).copied().unwrap_or(1)))
        .collect()
}

/// A field, whether it is constant, and what the peer then sets the size of its table to, if anything.
fn fields() -> impl Strategy<Value = Vec<(String, String, bool, Option<u32>)>> {
    let size = prop_oneof![9 => Just(None), 1 => (0u32..6_000).prop_map(Some)];
    let name = prop_oneof![Just("server".to_owned()), Just("via".to_owned()), "[a-z]{1,12}"];
    prop::collection::vec((name, "[a-z0-9]{0,300}", any::<bool>(), size), 0..60)
}

proptest! {
    #[test]
    fn any_text_survives_huffman(text in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut decoded = b"before".to_vec();
        prop_assert_eq!(huffman::decode(&huffman_encode(&text), &mut decoded), Ok(()));
        prop_assert_eq!(&decoded[6..], text);
    }

    #[test]
    fn any_huffman_string_is_decoded_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut decoded = Vec::new();
        if huffman::decode(&bytes, &mut decoded).is_ok() {
            prop_assert_eq!(huffman_encode(&decoded), bytes);
        } else {
            prop_assert!(decoded.is_empty());
        }
    }

    #[test]
    fn what_is_encoded_is_decoded(fields in fields()) {
        let (mut encoder, mut decoder) = (Encoder::new(), Decoder::new());
        for chunk in fields.chunks(5) {
            let (mut block, mut expected) = (Vec::new(), String::new());
            encoder.begin(&mut block);
            for (name, value, constant, _) in chunk {
                encoder.field(name.as_bytes(), value.as_bytes(), *constant, &mut block);
                expected.push_str(&format!("{name}: {value}\r\n"));
            }
            prop_assert_eq!(decode(&mut decoder, &block).map(|seen| seen.0), Ok(expected));
            chunk.iter().filter_map(|field| field.3).for_each(|size| encoder.resize(size));
        }
    }

    #[test]
    fn what_is_remembered_is_what_would_be_decoded(
        blocks in prop::collection::vec((0usize..9, prop_oneof![4 => 1usize..4, 1 => 1usize..300]), 0..30),
    ) {
        let known = ["88", "88 7601 61", "7601 61 5901 62", "88 be", "88 c8", "88 fe", "ff20", "3fe101 7601 62", "7f0001 63"];
        let (mut answers, mut decoder) = (Answers::new(), Decoder::new());
        for (block, times) in blocks {
            for _ in 0..times {
                let block = hex(known[block]);
                let decoded = decode(&mut decoder, &block).map(|seen| seen.0 + "\r\n");
                let answer = answers.read(&block).map(|head| String::from_utf8_lossy(head.text()).into_owned());
                prop_assert_eq!(answer.is_ok(), decoded.is_ok());
                let (Ok(answer), Ok(decoded)) = (answer, decoded) else { return Ok(()) };
                prop_assert_eq!(answer, decoded);
            }
        }
    }

    #[test]
    fn any_block_is_decoded_or_refused(blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..20)) {
        let mut decoder = Decoder::new();
        for block in blocks {
            if decode(&mut decoder, &block).is_err() {
                break;
            }
        }
    }
}

#[test]
fn a_repeated_request_costs_a_byte_a_field() {
    let mut encoder = Encoder::new();
    let mut lengths = Vec::new();
    for _ in 0..3 {
        let mut block = Vec::new();
        encoder.begin(&mut block);
        for (name, value) in [(":method", "GET"), (":authority", "localhost:8080"), ("accept", "*/*")] {
            encoder.field(name.as_bytes(), value.as_bytes(), true, &mut block);
        }
        lengths.push(block.len());
    }
    assert_eq!(lengths, [22, 3, 3]);
}

#[test]
fn constants_beyond_the_table_are_literals_and_turn_nothing_over() {
    let mut encoder = Encoder::new();
    encoder.resize(100);
    let (a, b) = ([b'a'; 40], [b'b'; 40]);
    let mut blocks = Vec::new();
    for _ in 0..2 {
        let mut block = Vec::new();
        encoder.begin(&mut block);
        encoder.field(b"server", &a, true, &mut block);
        encoder.field(b"server", &b, true, &mut block);
        blocks.push(block);
    }
    assert_eq!(blocks[0][..4], [0x20, 0x3f, 69, 0x40 | 54]);
    assert_eq!(blocks[1][..3], [0x80 | 62, 0x0f, 39]);
}
