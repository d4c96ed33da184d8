//! Looks at a PostgreSQL while a load runs: what its sessions do, and what they wait for.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use galo_plan::Service;
use galo_record::{DatabaseSample, clock};
use tokio::sync::Notify;
use tokio_postgres::{Client, Config, SimpleQueryMessage, SimpleQueryRow};

use super::{Place, WITHIN, addresses, configs, connect, place};

/// Time between two looks. No part of a second, so that what happens every second is seen in all of its phases; and long,
/// since each look is work for the contender's database: 1.3 ms of its CPU, measured over a thousand.
const INTERVAL: Duration = Duration::from_millis(730);
/// What a database may say in all.
const ANSWERS_MAX_BYTES: u64 = 16 << 20;
/// Sessions by what they do, without galo's own; then counters; then somebody whom others wait for, rather
/// who waits for nobody.
const LOOK: &str = "\
    SELECT coalesce(state, ''), coalesce(wait_event_type || ':' || wait_event, ''), count(*) FROM pg_stat_activity \
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY 1, 2; \
    SELECT xact_commit, (SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables), \
    current_setting('max_connections') FROM pg_stat_database WHERE datname = current_database(); \
    SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 160) FROM pg_stat_activity WHERE pid IN \
    (SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity WHERE wait_event_type = 'Lock') \
    ORDER BY coalesce(wait_event_type, '') = 'Lock' LIMIT 1";

/// A thread that looks at one database until it is stopped (or dropped).
#[derive(Debug)]
pub struct DatabaseWatcher {
    stop: Arc<Notify>,
    thread: Option<JoinHandle<Vec<DatabaseSample>>>,
}

impl DatabaseWatcher {
    /// Starts to look at the first database of this machine that the environment of one of these services leads to. It
    /// is one session more for that database. `None` where there is none, or no thread for it.
    pub fn start(services: &[Service]) -> Option<Self> {
        let found = services.iter().flat_map(|service| configs(&service.environment));
        let (config, place) =
            found.map(|config| (place(&config), config)).find_map(|(p, c)| Some((c, p?)))?;
        let stop = Arc::new(Notify::new());
        let stopped = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name("galo-database".into())
            .spawn(move || watch(&config, &place, &stopped))
            .ok()?;
        Some(Self { stop, thread: Some(thread) })
    }

    /// Everything seen, in order.
    pub fn stop(mut self) -> Vec<DatabaseSample> {
        self.end()
    }

    fn end(&mut self) -> Vec<DatabaseSample> {
        self.stop.notify_one();
        // What it says is said by a stranger; if that breaks a library, only these looks are lost.
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

impl Drop for DatabaseWatcher {
    fn drop(&mut self) {
        self.end();
    }
}

fn watch(config: &Config, place: &Place, stop: &Notify) -> Vec<DatabaseSample> {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return Vec::new();
    };
    let Ok(addresses) = addresses(place) else { return Vec::new() };
    let mut looks = Vec::new();
    runtime.block_on(async {
        tokio::select! {
            () = stop.notified() => {}
            () = look_again_and_again(config, place, &addresses, &mut looks) => {}
        }
    });
    looks
}

/// Ends where the database takes no session (any more): asking again would only fill its log.
async fn look_again_and_again(
    config: &Config,
    place: &Place,
    addresses: &[SocketAddr],
    looks: &mut Vec<DatabaseSample>,
) {
    let connecting = connect(place, addresses, config, ANSWERS_MAX_BYTES);
    let Ok(Ok(client)) = tokio::time::timeout(WITHIN, connecting).await else { return };
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        // A look that hangs is no look, but the next one may be: the protocol answers in order.
        match tokio::time::timeout(WITHIN, look(&client)).await {
            Ok(Some(seen)) => looks.push(seen),
            Ok(None) if client.is_closed() => return,
            _ => {}
        }
    }
}

async fn look(client: &Client) -> Option<DatabaseSample> {
    let at_ns = clock::now_ns();
    let messages = client.simple_query(LOOK).await.ok()?;
    let mut seen = DatabaseSample { at_ns, ..DatabaseSample::default() };
    let mut statement = 0;
    for message in &messages {
        match (message, statement) {
            (SimpleQueryMessage::CommandComplete(_), _) => statement += 1,
            (SimpleQueryMessage::Row(row), 0) => add_sessions(&mut seen, row),
            (SimpleQueryMessage::Row(row), 1) => {
                seen.commits = number(row, 0)?;
                seen.dead_rows = number(row, 1)?;
                seen.max_connections = number(row, 2)?.try_into().ok()?;
            }
            (SimpleQueryMessage::Row(row), _) => seen.blocker = row.get(0).map(str::to_owned),
            _ => {}
        }
    }
    Some(seen)
}

fn add_sessions(seen: &mut DatabaseSample, row: &SimpleQueryRow) {
    let count = number(row, 2).and_then(|count| u32::try_from(count).ok()).unwrap_or(0);
    match (row.get(0).unwrap_or_default(), row.get(1).unwrap_or_default()) {
        ("active" | "fastpath function call", "") => seen.running += count,
        ("active" | "fastpath function call", event) => {
            *seen.waiting.entry(event.to_owned()).or_default() += count;
        }
        (state, _) if state.starts_with("idle in transaction") => seen.idle_in_transaction += count,
        _ => seen.idle += count,
    }
}

fn number(row: &SimpleQueryRow, column: usize) -> Option<u64> {
    row.get(column)?.parse().ok()
}
