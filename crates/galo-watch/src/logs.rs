//! What programs say in their logs of what they lack: known sentences of known programs, counted.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use aho_corasick::{AhoCorasick, BuildError};
use galo_record::Placement;
use galo_record::round::{Lack, LogSign};

/// Sentences, each with what is lacking.
const SENTENCES: [(&str, Lack); 18] = [
    // nginx.
    ("worker_connections are not enough", Lack::BalancerConnections),
    ("worker_connections exceed open file resource limit", Lack::Descriptors),
    // HAProxy, by its own `maxconn`.
    ("maxconn limit reached", Lack::BalancerConnections),
    // PostgreSQL, and libraries that pass its words on.
    ("sorry, too many clients already", Lack::DatabaseConnections),
    ("remaining connection slots are reserved", Lack::DatabaseConnections),
    ("too many connections for role", Lack::DatabaseConnections),
    // MySQL.
    ("Too many connections", Lack::DatabaseConnections),
    // sqlx, HikariCP, SQLAlchemy, node-postgres, Npgsql.
    ("pool timed out while waiting", Lack::PoolConnections),
    ("Connection is not available, request timed out", Lack::PoolConnections),
    ("QueuePool limit of size", Lack::PoolConnections),
    ("timeout exceeded when trying to connect", Lack::PoolConnections),
    ("The connection pool has been exhausted", Lack::PoolConnections),
    // The C library's words, Go's, and Node's.
    ("Too many open files", Lack::Descriptors),
    ("too many open files", Lack::Descriptors),
    ("EMFILE", Lack::Descriptors),
    ("Cannot assign requested address", Lack::Ports),
    // The JVM, and Node.
    ("java.lang.OutOfMemoryError", Lack::Heap),
    ("JavaScript heap out of memory", Lack::Heap),
];

/// What is read of one line; a program may write without ever ending one.
const LINE_MAX: u64 = 16 << 10;
/// What is kept of it.
const SHOWN_MAX: usize = 300;

/// What the logs of these services say. A log that cannot be read says nothing.
pub fn log_signs(placement: &Placement) -> Vec<LogSign> {
    let Ok(sentences) = searcher() else { return Vec::new() };
    let mut signs = Vec::new();
    for service in &placement.services {
        // What was found until an error is told.
        let _ = read(&service.log, &service.name, &sentences, &mut signs);
    }
    signs
}

fn searcher() -> Result<AhoCorasick, BuildError> {
    AhoCorasick::new(SENTENCES.map(|(sentence, _)| sentence))
}

fn read(log: &Path, service: &str, sentences: &AhoCorasick, signs: &mut Vec<LogSign>) -> io::Result<()> {
    let mut log = BufReader::with_capacity(1 << 16, File::open(log)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if io::Read::take(&mut log, LINE_MAX).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let Some(found) = sentences.find(&line) else { continue };
        let (_, lack) = SENTENCES[found.pattern().as_usize()];
        match signs.iter_mut().find(|sign| sign.service == service && sign.lack == lack) {
            Some(sign) => sign.lines += 1,
            None => {
                let first = String::from_utf8_lossy(&line).trim().chars().take(SHOWN_MAX).collect();
                signs.push(LogSign { service: service.to_owned(), lack, lines: 1, first });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use galo_record::ServicePlacement;

    use super::*;

    fn signs(text: &[u8]) -> Vec<(Lack, u64, String)> {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("nginx.log");
        std::fs::write(&log, text).unwrap();
        let service = crate::tests::placement([None]).services.remove(0);
        let services = vec![
            ServicePlacement { log: folder.path().join("not-there.log"), ..service.clone() },
            ServicePlacement { log, ..service },
        ];
        let placement = Placement { services, ..crate::tests::placement([]) };
        log_signs(&placement).into_iter().map(|sign| (sign.lack, sign.lines, sign.first)).collect()
    }

    #[test]
    fn known_sentences_are_counted_with_the_first_line() {
        let log = b"starting\n2026/11/22 [alert] 9#9: 16 worker_connections are not enough\n\xffEMFILE\n\
                    2026/11/22 [alert] 9#9: 16 worker_connections are not enough\nFATAL:  sorry, too many clients already";
        assert_eq!(
            signs(log),
            [
                (
                    Lack::BalancerConnections,
                    2,
                    "2026/11/22 [alert] 9#9: 16 worker_connections are not enough".to_owned()
                ),
                (Lack::Descriptors, 1, "\u{fffd}EMFILE".to_owned()),
                (Lack::DatabaseConnections, 1, "FATAL:  sorry, too many clients already".to_owned()),
            ]
        );
    }

    #[test]
    fn a_log_without_trouble_or_without_an_end_of_line_says_nothing_new() {
        assert_eq!(signs(b"all is well\n"), []);
        let endless = [b"x".repeat(100_000), b" EMFILE".to_vec()].concat();
        assert_eq!(signs(&endless).len(), 1);
        assert!(signs(&endless)[0].2.len() <= SHOWN_MAX);
    }
}
