//! Connections: how they are opened, what they are allowed to cost, and what an error on one of them means.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_postgres::config::Host;
use tokio_postgres::error::Severity;
use tokio_postgres::{Client, Config, Connection, NoTls, SimpleQueryMessage};

use crate::store::StoreError;
use crate::unix::UnixStream;

/// How long opening a connection may take, all of its first statements included.
pub(super) const OPEN_MAX: Duration = Duration::from_secs(2);

/// How long a server may say nothing before its connection is given up. Nobody waits that long for an answer; until
/// then a server that was only frozen goes on where it stopped.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(10);

/// Where the server listens if nobody says otherwise; for a Unix socket it is a part of the file's name.
const POSTGRES_PORT: u16 = 5432;

/// Plans are made once for all (`force_generic_plan`) and without statistics of the table, which grows from nothing;
/// what they may use is said instead: the primary key's index, row by row. `synchronous_commit` is the server's to
/// give, but not the server's to take away.
const OPTIONS: &str = "-c synchronous_commit=on -c plan_cache_mode=force_generic_plan -c jit=off \
    -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off \
    -c enable_material=off -c client_min_messages=warning";

/// Key of the advisory lock that is held while tables are made, a writer registers, or the living are counted: the
/// writers' own keys are their numbers, from 1 on.
const REGISTER: &str = "SELECT pg_advisory_xact_lock(-1);";

/// Rows are only ever added, one after the other, so pages are filled completely, and nothing needs `ANALYZE`: no
/// plan asks for statistics, and every one of its samples would cost as much as thousands of creations. Vacuum stays:
/// it freezes what is full, a little at a time.
const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS people (
        id uuid PRIMARY KEY,
        apelido text COLLATE \"C\" NOT NULL UNIQUE,
        nome text NOT NULL,
        nascimento date NOT NULL,
        stack json
    ) WITH (fillfactor = 100, autovacuum_analyze_threshold = 2147483647);
    CREATE SEQUENCE IF NOT EXISTS writers MAXVALUE 281474976710655;
";

/// Numbers a writer, which is never a number that has been used, even if somebody lost the sequence; and holds the
/// number's lock, so that everybody can see whether this session can still commit something.
const REGISTER_WRITER: &str = "
    SELECT setval('writers', newest) FROM writers, (
        SELECT ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint AS newest
        FROM people ORDER BY id DESC LIMIT 1
    ) AS row WHERE newest >= last_value;
    SELECT number, pg_try_advisory_lock(number) FROM nextval('writers') AS number;
";

/// The newest number, in front of the living ones.
const NEWEST: &str = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM writers";

/// Numbers whose sessions live, and their processes. Other databases of the server may have writers of their own.
const ALIVE: &str = "
    SELECT classid::bigint << 32 | objid::bigint AS number, pid FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// An open connection. Dropping it closes the socket at once.
pub(super) struct Session {
    /// To ask.
    pub(super) client: Client,
    connection: JoinHandle<()>,
}

/// Why a connection could not be opened, or ended.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub(super) struct Trouble {
    text: String,
    /// Whether it would be the same at the next try.
    pub(super) permanent: bool,
    /// Whether it is a server that says so.
    pub(super) is_answer: bool,
}

/// What a failed statement leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing, and its data are to blame.
    Refused,
    /// Nothing, and the server is to blame.
    Undone,
    /// Nobody knows.
    Unknown,
}

impl Session {
    /// Connects, and makes the tables where they are missing.
    pub(super) async fn open(config: &Config) -> Result<Self, Trouble> {
        let mut config = config.clone();
        config.options(OPTIONS).application_name("pessoas").connect_timeout(OPEN_MAX);
        let session = match (config.get_hosts(), config.get_ports()) {
            ([Host::Unix(folder)], ports) => {
                let port = ports.first().copied().unwrap_or(POSTGRES_PORT);
                let path = folder.join(format!(".s.PGSQL.{port}"));
                let connecting = async { UnixStream::new(tokio::net::UnixStream::connect(&path).await?) };
                let stream =
                    connecting.await.map_err(|error| Trouble::new(format!("{}: {error}", path.display())))?;
                Self::of(config.connect_raw(stream, NoTls).await?)
            }
            _ => Self::of(config.connect(NoTls).await?),
        };
        // A look first, since `IF NOT EXISTS` is refused by a server that only lets us read.
        let row = session.client.query_one("SELECT to_regclass('people') IS NULL", &[]).await?;
        if row.try_get(0)? {
            session.client.batch_execute(&format!("{REGISTER}{SCHEMA}")).await?;
        }
        Ok(session)
    }

    fn of<S, T>((client, connection): (Client, Connection<S, T>)) -> Self
    where
        Connection<S, T>: Future + Send + 'static,
    {
        // How it ended is told by the statement that was under way.
        Self { client, connection: tokio::spawn(async move { drop(connection.await) }) }
    }

    /// The number of a new writer, whose lock this session holds.
    pub(super) async fn register(&self) -> Result<u64, Trouble> {
        let numbers = self.numbers(&format!("{REGISTER}{REGISTER_WRITER}")).await?;
        match numbers.last().map(Vec::as_slice) {
            Some([number, held]) if held == "t" => Ok(parse(number)?),
            _ => Err(Trouble::new("a writer's number is taken, although it is new")),
        }
    }

    /// The newest writer's number, and which are alive: no other up to the newest can commit anything any more.
    pub(super) async fn alive(&self) -> Result<(u64, BTreeSet<u64>), Trouble> {
        let living = format!("SELECT number FROM ({ALIVE}) AS alive");
        let rows = self.numbers(&format!("{REGISTER}{NEWEST};{living}")).await?;
        // The first row is the lock's own.
        let mut rows = rows.iter().skip(1).flatten();
        let newest = rows.next().ok_or_else(|| Trouble::new("the sequence `writers` is empty"))?;
        // The lock of registration itself is no number.
        let alive = rows.filter_map(|text| text.parse().ok()).collect();
        Ok((parse(newest)?, alive))
    }

    /// Returns when the session of this writer has ended, whatever became of its last statement, after hastening it.
    pub(super) async fn bury(&self, writer: u64) -> Result<(), Trouble> {
        let end = format!("SELECT pg_terminate_backend(pid) FROM ({ALIVE}) AS alive WHERE number = {writer}");
        self.client.batch_execute(&end).await?;
        // Locks go when a session has ended, after its last commit.
        let wait = format!("SELECT pg_advisory_lock({writer}); SELECT pg_advisory_unlock({writer})");
        self.client.batch_execute(&wait).await?;
        Ok(())
    }

    /// Returns when the connection has ended.
    pub(super) async fn closed(&mut self) {
        // It has ended even if it ended by a panic.
        let _ = (&mut self.connection).await;
    }

    /// All rows of some statements that are one transaction, as texts.
    async fn numbers(&self, statements: &str) -> Result<Vec<Vec<String>>, Trouble> {
        let messages = self.client.simple_query(statements).await?;
        let rows = messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        Ok(rows
            .map(|row| (0..row.len()).map(|at| row.get(at).unwrap_or_default().to_owned()).collect())
            .collect())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.connection.abort();
    }
}

impl Trouble {
    /// Trouble that may pass.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), permanent: false, is_answer: false }
    }

    /// What to tell whoever started this, after so long without a server.
    pub(super) fn of_nobody(&self, waited: Duration) -> StoreError {
        StoreError::Unavailable(format!(
            "database: no server within {waited:?}: {}\nhint: start PostgreSQL, or set DATABASE to where it is",
            self.text
        ))
    }
}

impl From<tokio_postgres::Error> for Trouble {
    fn from(error: tokio_postgres::Error) -> Self {
        // Wrong password or user, no such database, or tables and rights that are not as they must be.
        let class = error.code().map(|code| &code.code()[..2]);
        let permanent = matches!(class, Some("28" | "3D" | "42"));
        Self { text: describe(&error), permanent, is_answer: error.as_db_error().is_some() }
    }
}

impl From<Trouble> for StoreError {
    fn from(trouble: Trouble) -> Self {
        Self::Failed(format!(
            "database: {}\nhint: DATABASE names a PostgreSQL database that is this program's own",
            trouble.text
        ))
    }
}

/// What a failed statement leaves behind. A server that says ERROR has undone it: what fails after a commit is a PANIC.
/// Anything worse may have come after the commit.
pub(super) fn fate(error: &tokio_postgres::Error) -> Fate {
    match error.as_db_error() {
        Some(database) if database.parsed_severity() == Some(Severity::Error) => {
            // Data exceptions, constraints, limits, and what triggers raise.
            match &database.code().code()[..2] {
                "22" | "23" | "54" | "P0" => Fate::Refused,
                _ => Fate::Undone,
            }
        }
        _ => Fate::Unknown,
    }
}

/// An error in one line, with its cause.
pub(super) fn describe(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

fn parse(number: &str) -> Result<u64, Trouble> {
    number.parse().map_err(|_| Trouble::new(format!("`{number}` is no number of a writer")))
}
