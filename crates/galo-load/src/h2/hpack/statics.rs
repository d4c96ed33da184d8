//! The static table: RFC 7541, appendix A.

/// Entries, numbered from 1.
pub(super) const COUNT: usize = 61;
/// Longest name and one.
const LENGTHS: usize = 28;
/// Most names of one length.
const SAME_LENGTH: usize = 6;

/// Names and values; entry `n` is at `n - 1`.
#[rustfmt::skip]
pub(super) static ENTRIES: [(&[u8], &[u8]); COUNT] = [
    (b":authority", b""), (b":method", b"GET"), (b":method", b"POST"), (b":path", b"/"), (b":path", b"/index.html"),
    (b":scheme", b"http"), (b":scheme", b"https"), (b":status", b"200"), (b":status", b"204"), (b":status", b"206"),
    (b":status", b"304"), (b":status", b"400"), (b":status", b"404"), (b":status", b"500"), (b"accept-charset", b""),
    (b"accept-encoding", b"gzip, deflate"), (b"accept-language", b""), (b"accept-ranges", b""), (b"accept", b""),
    (b"access-control-allow-origin", b""), (b"age", b""), (b"allow", b""), (b"authorization", b""),
    (b"cache-control", b""), (b"content-disposition", b""), (b"content-encoding", b""), (b"content-language", b""),
    (b"content-length", b""), (b"content-location", b""), (b"content-range", b""), (b"content-type", b""),
    (b"cookie", b""), (b"date", b""), (b"etag", b""), (b"expect", b""), (b"expires", b""), (b"from", b""),
    (b"host", b""), (b"if-match", b""), (b"if-modified-since", b""), (b"if-none-match", b""), (b"if-range", b""),
    (b"if-unmodified-since", b""), (b"last-modified", b""), (b"link", b""), (b"location", b""),
    (b"max-forwards", b""), (b"proxy-authenticate", b""), (b"proxy-authorization", b""), (b"range", b""),
    (b"referer", b""), (b"refresh", b""), (b"retry-after", b""), (b"server", b""), (b"set-cookie", b""),
    (b"strict-transport-security", b""), (b"transfer-encoding", b""), (b"user-agent", b""), (b"vary", b""),
    (b"via", b""), (b"www-authenticate", b""),
];

/// By length of the name: the first entry of each name, then zeros.
static BY_LENGTH: [[u8; SAME_LENGTH]; LENGTHS] = by_length();

const fn by_length() -> [[u8; SAME_LENGTH]; LENGTHS] {
    let mut table = [[0; SAME_LENGTH]; LENGTHS];
    let mut filled = [0; LENGTHS];
    let mut index = 0;
    while index < COUNT {
        // Entries of one name follow one another.
        if index == 0 || !same(ENTRIES[index].0, ENTRIES[index - 1].0) {
            let length = ENTRIES[index].0.len();
            table[length][filled[length]] = index as u8 + 1;
            filled[length] += 1;
        }
        index += 1;
    }
    table
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// The first entry of that name.
pub(super) fn find_name(name: &[u8]) -> Option<usize> {
    let candidates = BY_LENGTH.get(name.len())?;
    candidates
        .iter()
        .map(|&entry| usize::from(entry))
        .take_while(|&entry| entry != 0)
        .find(|&entry| ENTRIES[entry - 1].0 == name)
}

/// The entry of that name and value.
pub(super) fn find(name: &[u8], value: &[u8]) -> Option<usize> {
    let first = find_name(name)?;
    let same_name = ENTRIES[first - 1..].iter().take_while(|entry| entry.0 == name);
    same_name.zip(first..).find(|(entry, _)| entry.1 == value).map(|(_, index)| index)
}
