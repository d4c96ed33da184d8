//! The task that reads what others have written.
//!
//! A reader must see everything that was committed before it asked. So it waits for a question to the database that was
//! *begun* after it asked; all who wait when one begins share it.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{Config, Row, Statement};
use uuid::Uuid;

use super::askers::Asker;
use super::id::Id;
use super::pace::Pace;
use super::record::{Foreign, Record};
use super::seen::Gaps;
use super::session::{OPEN_MAX, SILENCE_MAX, Session, Trouble};
use super::shared::{Pauses, Shared, State, tell};
use crate::store::StoreError;

/// Rows of all gaps, each by a range of the primary key's index.
const NEWS: &str = "
    SELECT people.id, apelido, nome, nascimento, stack
    FROM unnest($1::uuid[], $2::uuid[]) AS gap (low, high)
    JOIN people ON people.id BETWEEN low AND high";

/// Rows that are taken at once: a clock is looked at once for each such piece.
const PIECE: usize = 256;

/// The reading task of one instance.
pub(super) struct CatchUp {
    shared: Arc<Shared>,
    config: Config,
    pauses: Pauses,
}

impl CatchUp {
    pub(super) fn new(shared: Arc<Shared>, config: Config) -> Self {
        Self { shared, config, pauses: Pauses::new("reader") }
    }

    /// Reads for ever.
    pub(super) async fn run(mut self) {
        loop {
            let opened = expiring(&self.shared, &mut Vec::new(), self.open()).await;
            let trouble = match opened {
                Ok((session, news)) => {
                    self.pauses.connected();
                    match self.serve(session, &news).await {
                        Ok(never) => match never {},
                        Err(trouble) => trouble,
                    }
                }
                Err(trouble) => trouble,
            };
            self.shared.counters.reconnects.add(1);
            self.shared.trouble(&mut self.pauses, trouble);
            expiring(&self.shared, &mut Vec::new(), sleep(self.pauses.next())).await;
        }
    }

    /// Answers until there is trouble. The first question of all is for everybody.
    async fn serve(
        &mut self,
        mut session: Session,
        news: &Statement,
    ) -> Result<std::convert::Infallible, Trouble> {
        let mut pace = Pace::new(self.shared.options.catch_up_pause);
        loop {
            if self.shared.stage.borrow().loaded {
                tokio::select! {
                    () = session.closed() => return Err(Trouble::new("the connection was closed")),
                    () = self.shared.askers.arrived() => {}
                }
            }
            pace.wait().await;
            let mut asking = self.shared.askers.take();
            pace.begin(Instant::now(), asking.len());
            let outcome = expiring(&self.shared, &mut asking, ask(&self.shared, &session, news)).await;
            match outcome {
                Ok(()) => answer(asking, &Ok(())),
                Err(Failure::Foreign(error)) => {
                    answer(asking, &Err(StoreError::Failed(error.to_string())));
                    self.refuse(&error);
                    // Nothing has changed, so nobody is asked again before somebody wants to know.
                    self.shared.askers.arrived().await;
                    continue;
                }
                Err(Failure::Trouble(trouble)) => {
                    self.shared.askers.put_back(asking);
                    return Err(trouble);
                }
            }
            self.pauses.reset();
            self.shared.stage.send_if_modified(|stage| !std::mem::replace(&mut stage.loaded, true));
        }
    }

    /// Connects, and sees to it that what is in memory is of this database.
    async fn open(&self) -> Result<(Session, Statement), Trouble> {
        let opening = async {
            let session = Session::open(&self.config).await?;
            let news = session.client.prepare(NEWS).await?;
            self.forget_another_database(&session).await?;
            Ok((session, news))
        };
        timeout(OPEN_MAX, opening).await.map_err(|_| Trouble::new("the server says nothing"))?
    }

    /// Begins anew if the database is not the one that was read before: it was emptied, or restored from a backup.
    async fn forget_another_database(&self, session: &Session) -> Result<(), Trouble> {
        let newest = self.shared.state().people.newest();
        let Some(newest) = newest else { return Ok(()) };
        let sql = "SELECT EXISTS (SELECT FROM people WHERE id = $1)";
        let row = session.client.query_one(sql, &[&newest.uuid()]).await?;
        if !row.try_get::<_, bool>(0)? {
            tell("reader", &"the database has lost people, so all are read again");
            *self.shared.state() = State::default();
        }
        Ok(())
    }

    /// At the start a table with rows of somebody else's is refused.
    fn refuse(&self, error: &Foreign) {
        if !self.shared.stage.borrow().loaded {
            let error = StoreError::Failed(error.to_string());
            self.shared.stage.send_modify(|stage| stage.refused = Some(error));
        }
    }
}

enum Failure {
    Foreign(Foreign),
    Trouble(Trouble),
}

impl<T: Into<Trouble>> From<T> for Failure {
    fn from(error: T) -> Self {
        Self::Trouble(error.into())
    }
}

/// Asks for what is new and takes it into memory.
async fn ask(shared: &Shared, session: &Session, news: &Statement) -> Result<(), Failure> {
    let look = !shared.stage.borrow().loaded || shared.state().seen.is_stale();
    let alive = if look { Some(within(session.alive()).await??) } else { None };
    let Gaps { low, high } = shared.state().seen.gaps();
    let rows = within(session.client.query_raw(news, [&low, &high])).await??;
    let mut pieces = pin!(rows.ready_chunks(PIECE));
    let mut last = BTreeMap::new();
    while let Some(piece) = within(pieces.next()).await? {
        shared.counters.caught_up_rows.add(piece.len() as u64);
        let mut state = shared.state();
        for row in piece {
            take(&mut state, &row?, &mut last)?;
        }
    }
    // Only now: of a part nobody knows what is missing before its end.
    let mut state = shared.state();
    for (writer, sequence) in last {
        state.seen.advance(Id { writer, sequence });
    }
    if let Some((newest, alive)) = alive {
        state.seen.seal(newest, &alive);
    }
    shared.counters.catch_ups.add(1);
    Ok(())
}

/// Takes a row into memory, unless it is there.
fn take(state: &mut State, row: &Row, last: &mut BTreeMap<u64, u64>) -> Result<(), Failure> {
    let uuid: Uuid = row.try_get(0)?;
    let id = Id::from_uuid(uuid).ok_or_else(|| Failure::Foreign(Foreign::id(uuid)))?;
    let column = |at| row.try_get::<_, Option<Raw<'_>>>(at).map(|raw| raw.map(|raw| raw.0));
    let record = Record::from_columns([column(1)?, column(2)?, column(3)?, column(4)?]);
    record.and_then(|record| state.people.add(id, &record)).map_err(Failure::Foreign)?;
    let last = last.entry(id.writer).or_default();
    *last = id.sequence.max(*last);
    Ok(())
}

/// A column as the server sends it.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Gives a server up that says nothing.
async fn within<T>(work: impl Future<Output = T>) -> Result<T, Trouble> {
    timeout(SILENCE_MAX, work).await.map_err(|_| Trouble::new("the server says nothing"))
}

fn answer(asking: Vec<Asker>, outcome: &Result<(), StoreError>) {
    for asker in asking {
        // Nobody listens any more when the client has closed its connection.
        let _ = asker.answer.send(outcome.clone());
    }
}

/// Does `work`, and meanwhile answers those whose time is over, those who wait for it and those who wait for the next.
async fn expiring<T>(shared: &Shared, asking: &mut Vec<Asker>, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    loop {
        // In order of arrival, so the first is the next. Whoever comes later has at least the time of somebody who comes
        // now.
        let first = |askers: &[Asker]| askers.first().map(|asker| asker.deadline);
        let next = first(asking).or_else(|| first(&shared.askers.lock()));
        let next = next.unwrap_or_else(|| Instant::now() + shared.options.wait.max(Duration::from_millis(1)));
        match timeout_at(next, &mut work).await {
            Ok(done) => return done,
            Err(_) => {
                let now = Instant::now();
                expire(asking, now);
                expire(&mut shared.askers.lock(), now);
            }
        }
    }
}

fn expire(askers: &mut Vec<Asker>, now: Instant) {
    let over = askers.partition_point(|asker| asker.deadline <= now);
    for asker in askers.drain(..over) {
        let _ =
            asker.answer.send(Err(StoreError::Unavailable("the database did not answer in time".to_owned())));
    }
}
