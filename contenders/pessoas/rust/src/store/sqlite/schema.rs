//! Connections, tables, and the way between a row and a person.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::Type;
use rusqlite::{Connection, OpenFlags, Row, Transaction, params};
use uuid::Uuid;

use super::haystack;
use crate::person::Person;
use crate::store::Creation;

/// `haystack` is what searches compare (see [`haystack::haystack`]); `search` is the trigram index over it.
///
/// The index holds no text (`content=''`), no sizes of columns and no positions (`detail=none`): it only has
/// to name candidates. Measured with 15,000 of the contest's rows in transactions of 5: 102 us of CPU for
/// each row, 127 with positions, 27 without an index; and a quarter less space than with positions.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS people (
        number INTEGER PRIMARY KEY,
        id BLOB NOT NULL UNIQUE,
        apelido TEXT NOT NULL UNIQUE,
        nome TEXT NOT NULL,
        nascimento TEXT NOT NULL,
        stack TEXT,
        haystack BLOB NOT NULL
    ) STRICT;
    CREATE VIRTUAL TABLE IF NOT EXISTS search USING fts5(
        text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1'
    );
";

/// Both kinds of connection. The log's pages are read through the file anyway; the map saves a system call
/// for each page that has already moved into the database, which matters since every commit of the other
/// instance empties SQLite's own cache.
const PRAGMAS: &str = "PRAGMA cache_size = -8192; PRAGMA mmap_size = 268435456; PRAGMA temp_store = MEMORY;";

/// Waiting for a lock that our own lock file does not cover: another program that writes, or recovery of the
/// log.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// When what was written is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// Before a creation is acknowledged.
    EachCommit,
    /// When the log moves into the database, and when it is closed: a crash of the machine loses the last of what was acknowledged, a
    /// crash of the program nothing.
    AtCheckpoints,
    /// When the system sees fit: a crash of the machine loses what was acknowledged. No right contender does that.
    Never,
}

/// Opens the file for writing and makes the tables. The caller holds the lock file.
pub(super) fn open_writer(path: &Path, flush: Flush) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = match flush {
        Flush::EachCommit => "FULL",
        Flush::AtCheckpoints => "NORMAL",
        Flush::Never => "OFF",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.execute_batch(PRAGMAS)?;
    connection.execute_batch(SCHEMA)?;
    Ok(connection)
}

/// Opens the file, whose tables exist, for reading.
pub(super) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(PRAGMAS)?;
    Ok(connection)
}

/// Adds a person unless the `apelido` is taken. Unique by the table's own index, so two writers cannot both
/// succeed.
pub(super) fn insert(transaction: &Transaction<'_>, person: &Person) -> rusqlite::Result<Creation> {
    let stack = person.stack.as_ref().map(serde_json::to_string).transpose().map_err(to_sql_error)?;
    let row = params![
        person.id.as_bytes(),
        person.apelido,
        person.nome,
        person.nascimento,
        stack,
        haystack::haystack(person)
    ];
    let inserted = transaction
        .prepare_cached(
            "INSERT INTO people (id, apelido, nome, nascimento, stack, haystack) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (apelido) DO NOTHING",
        )?
        .execute(row)?;
    if inserted == 0 {
        return Ok(Creation::Duplicate);
    }
    transaction
        .prepare_cached("INSERT INTO search (rowid, text) VALUES (?1, ?2)")?
        .execute(params![transaction.last_insert_rowid(), haystack::index_text(person)])?;
    Ok(Creation::Created(person.id))
}

/// A row of `id, apelido, nome, nascimento, stack`.
pub(super) fn person(row: &Row<'_>) -> rusqlite::Result<Person> {
    let stack = row
        .get_ref(4)?
        .as_str_or_null()?
        .map(serde_json::from_str)
        .transpose()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(4, Type::Text, Box::new(error)))?;
    Ok(Person {
        id: Uuid::from_bytes(row.get(0)?),
        apelido: row.get(1)?,
        nome: row.get(2)?,
        nascimento: row.get(3)?,
        stack,
    })
}

fn to_sql_error(error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

#[cfg(test)]
mod tests {
    use super::{Flush, open_writer};

    #[test]
    fn a_commit_waits_for_the_log_to_be_on_disk() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open_writer(&folder.path().join("pessoas.db"), Flush::EachCommit).unwrap();
        let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, String>(0));
        assert_eq!(pragma("journal_mode").unwrap(), "wal");
        // 2 is FULL: an fsync of the log at every commit.
        let synchronous: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap();
        assert_eq!(synchronous, 2);
    }
}
