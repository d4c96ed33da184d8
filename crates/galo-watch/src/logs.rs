//! What programs say in their logs of what they lack: known sentences of known programs, counted.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use aho_corasick::{AhoCorasick, BuildError};
use galo_plan::secret;
use galo_record::foreign;
use galo_record::round::{Lack, LogSign};
use galo_record::{Placement, ServicePlacement};

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

/// What is read of a log: more than it may hold before it is cut.
const READ_MAX: u64 = 256 << 20;
/// What is read of one line; a program may write without ever ending one.
const LINE_MAX: u64 = 16 << 10;
/// What is kept of it.
const SHOWN_MAX: usize = 300;

/// The logs of services, or what is new in them.
#[derive(Debug)]
pub struct Logs(Vec<Log>);

#[derive(Debug)]
struct Log {
    service: String,
    path: PathBuf,
    /// What is before this byte is left out.
    from: u64,
}

impl Logs {
    /// All that they hold.
    pub fn whole(placement: &Placement) -> Self {
        Self::of(placement, |_| 0)
    }

    /// What is written into them from now on.
    pub fn from_now(placement: &Placement) -> Self {
        Self::of(placement, |path| path.symlink_metadata().map_or(0, |metadata| metadata.len()))
    }

    fn of(placement: &Placement, from: impl Fn(&Path) -> u64) -> Self {
        let log = |placed: &ServicePlacement| Log {
            service: placed.name.clone(),
            path: placed.log.clone(),
            from: from(&placed.log),
        };
        Self(placement.services.iter().map(log).collect())
    }

    /// What they say. A log that cannot be read says nothing.
    pub fn signs(&self) -> Vec<LogSign> {
        let Ok(sentences) = searcher() else { return Vec::new() };
        let mut signs = Vec::new();
        for log in &self.0 {
            // What was found until an error is told.
            let _ = log.read(&sentences, &mut signs);
        }
        signs
    }
}

fn searcher() -> Result<AhoCorasick, BuildError> {
    AhoCorasick::new(SENTENCES.map(|(sentence, _)| sentence))
}

impl Log {
    fn read(&self, sentences: &AhoCorasick, signs: &mut Vec<LogSign>) -> io::Result<()> {
        let mut file = foreign::open(&self.path)?;
        file.seek(SeekFrom::Start(self.from))?;
        let mut lines = BufReader::with_capacity(1 << 16, file.take(READ_MAX));
        let mut line = Vec::new();
        loop {
            line.clear();
            if lines.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let Some(found) = sentences.find(&line) else { continue };
            let (_, lack) = SENTENCES[found.pattern().as_usize()];
            match signs.iter_mut().find(|sign| sign.service == self.service && sign.lack == lack) {
                Some(sign) => sign.lines += 1,
                None => {
                    let first = secret::in_text(String::from_utf8_lossy(&line).trim());
                    let first = first.chars().take(SHOWN_MAX).collect();
                    signs.push(LogSign { service: self.service.clone(), lack, lines: 1, first });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(logs: &Logs) -> Vec<(Lack, u64, String)> {
        logs.signs().into_iter().map(|sign| (sign.lack, sign.lines, sign.first)).collect()
    }

    /// Services of which one has a log.
    fn placement(log: &Path) -> Placement {
        let service = crate::tests::placement([None]).services.remove(0);
        let services = vec![
            ServicePlacement { log: log.with_file_name("not-there.log"), ..service.clone() },
            ServicePlacement { log: log.to_owned(), ..service },
        ];
        Placement { services, ..crate::tests::placement([]) }
    }

    fn signs(text: &[u8]) -> Vec<(Lack, u64, String)> {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("nginx.log");
        std::fs::write(&log, text).unwrap();
        told(&Logs::whole(&placement(&log)))
    }

    #[test]
    fn of_what_is_new_nothing_is_told_that_was_there_before() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("api.log");
        std::fs::write(&log, "EMFILE\n").unwrap();
        let new = Logs::from_now(&placement(&log));
        assert_eq!(told(&new), []);
        std::fs::write(&log, "EMFILE\nsorry, too many clients already\n").unwrap();
        assert_eq!(
            told(&new),
            [(Lack::DatabaseConnections, 1, "sorry, too many clients already".to_owned())]
        );
        std::fs::write(&log, "").unwrap();
        assert_eq!(told(&new), [], "it was cut off meanwhile");
    }

    #[test]
    fn a_pipe_a_folder_or_a_device_in_place_of_a_log_says_nothing_and_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RWXU).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("endless")).unwrap();
        for name in ["pipe", "folder", "endless"] {
            assert_eq!(told(&Logs::whole(&placement(&path(name)))), [], "{name}");
        }
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
