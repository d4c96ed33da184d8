//! Creations that are committed together.

use bytes::BytesMut;
use tokio::time::Instant;
use tokio_postgres::types::{IsNull, ToSql, Type, accepts, to_sql_checked};
use tokio_postgres::{Row, Statement};
use uuid::Uuid;

use super::id::Id;
use super::queue::{Job, Waiter};
use super::record::{Date, Draft, Record};
use super::session::Session;

/// The index on `apelido` says who is a duplicate; those who are kept come back.
const INSERT_ONE: &str = "
    INSERT INTO people (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5::text::json)
    ON CONFLICT (apelido) DO NOTHING RETURNING id";

/// The same for any number of rows. Unpacking them costs the server more than a single row is worth.
const INSERT_MANY: &str = "
    INSERT INTO people (id, apelido, nome, nascimento, stack)
    SELECT id, apelido, nome, nascimento, stack::json
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::date[], $5::text[])
        AS row (id, apelido, nome, nascimento, stack)
    ON CONFLICT (apelido) DO NOTHING RETURNING id";

/// Creations with consecutive sequences. Sorted by apelido, since two instances that insert the same ones at the same
/// time would else wait for each other.
pub(super) struct Batch {
    ids: Ids,
    /// Who is to be created.
    pub(super) drafts: Vec<Draft>,
    /// Who waits for it, one for each draft.
    pub(super) waiters: Vec<Waiter>,
    alone: bool,
}

/// Identities of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ids {
    /// That of the first.
    pub(super) first: Id,
    /// How many; never 0.
    pub(super) count: usize,
}

impl Batch {
    /// Numbers creations from `first` on.
    pub(super) fn new(first: Id, mut jobs: Vec<Job>) -> Self {
        jobs.sort_by(|a, b| a.draft.record().apelido.cmp(b.draft.record().apelido));
        let ids = Ids { first, count: jobs.len() };
        let alone = jobs.iter().any(|job| job.alone);
        let (drafts, waiters) = jobs.into_iter().map(|job| (job.draft, job.waiter)).unzip();
        Self { ids, drafts, waiters, alone }
    }

    /// Their identities.
    pub(super) fn ids(&self) -> Ids {
        self.ids
    }

    /// The creations that `keep` leaves out, as they were before; without company if so they are to be tried again.
    pub(super) fn into_jobs(self, alone: bool, keep: impl Fn(usize) -> bool) -> Vec<Job> {
        let alone = alone || self.alone;
        let jobs = self.drafts.into_iter().zip(self.waiters).enumerate().filter(|(at, _)| !keep(*at));
        jobs.map(|(_, (draft, waiter))| Job { draft, waiter, alone }).collect()
    }

    /// Tells those whose time is over that nobody knows.
    pub(super) fn expire(waiters: &mut [Waiter], now: Instant) {
        for waiter in waiters {
            waiter.expire(now);
        }
    }
}

impl Ids {
    /// That of the last.
    pub(super) fn last(self) -> Id {
        self.at(self.count - 1)
    }

    /// That of one.
    pub(super) fn at(self, at: usize) -> Id {
        Id { sequence: self.first.sequence + at as u64, ..self.first }
    }

    /// Which of them are in rows of ids.
    fn among(self, rows: &[Row]) -> Result<Vec<bool>, tokio_postgres::Error> {
        let mut kept = vec![false; self.count];
        for row in rows {
            let at = Id::from_uuid(row.try_get(0)?)
                .and_then(|id| usize::try_from(id.sequence.checked_sub(self.first.sequence)?).ok());
            if let Some(kept) = at.and_then(|at| kept.get_mut(at)) {
                *kept = true;
            }
        }
        Ok(kept)
    }
}

/// The statements that insert, prepared for one session.
pub(super) struct Insert {
    one: Statement,
    many: Statement,
}

impl Insert {
    /// Prepares them.
    pub(super) async fn prepare(session: &Session) -> Result<Self, tokio_postgres::Error> {
        let (one, many) =
            tokio::try_join!(session.client.prepare(INSERT_ONE), session.client.prepare(INSERT_MANY))?;
        Ok(Self { one, many })
    }

    /// Inserts, and returns after the commit: which of them are kept. The server commits when it is told that the
    /// statement was the last (Sync), after it has sent the rows, and only then says that it is ready: rows alone prove
    /// nothing, and `query` waits for the end.
    pub(super) async fn run(
        &self,
        session: &Session,
        ids: Ids,
        drafts: &[Draft],
    ) -> Result<Vec<bool>, tokio_postgres::Error> {
        if let [draft] = drafts {
            let Record { apelido, nome, nascimento, stack } = draft.record();
            let row: [&(dyn ToSql + Sync); 5] = [&ids.first.uuid(), &apelido, &nome, &nascimento, &stack];
            return ids.among(&session.client.query(&self.one, &row).await?);
        }
        let uuids: Vec<Uuid> = (0..ids.count).map(|at| ids.at(at).uuid()).collect();
        let records = || drafts.iter().map(Draft::record);
        let apelidos: Vec<&str> = records().map(|record| record.apelido).collect();
        let nomes: Vec<&str> = records().map(|record| record.nome).collect();
        let dates: Vec<Date> = records().map(|record| record.nascimento).collect();
        let stacks: Vec<Option<&str>> = records().map(|record| record.stack).collect();
        let rows = session.client.query(&self.many, &[&uuids, &apelidos, &nomes, &dates, &stacks]).await?;
        ids.among(&rows)
    }
}

/// Which of a batch are there. Only final when its session can commit nothing any more.
pub(super) async fn look_up(session: &Session, ids: Ids) -> Result<Vec<bool>, tokio_postgres::Error> {
    let sql = "SELECT id FROM people WHERE id BETWEEN $1 AND $2";
    let rows = session.client.query(sql, &[&ids.first.uuid(), &ids.last().uuid()]).await?;
    ids.among(&rows)
}

impl ToSql for Date {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        out.extend_from_slice(&self.0.to_be_bytes());
        Ok(IsNull::No)
    }

    accepts!(DATE);
    to_sql_checked!();
}
