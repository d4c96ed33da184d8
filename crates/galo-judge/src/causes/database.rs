//! `database-lock`, `slow-disk`, `pool-exhausted`: by looks at what the sessions of a PostgreSQL did.

use std::collections::BTreeMap;

use galo_record::DatabaseSample;

use super::scene::{Look, Scene};
use super::{FoundCause, tidy};
use crate::evidence::{Evidence, Waits};
use crate::findings::{DatabaseLock, PoolExhausted, SlowDisk};

/// Wait for the disk for each commit, in nanoseconds, above which it is slow: a disk that flushes takes 0.1 to 3 ms.
const SLOW_COMMIT_NS: f64 = 5_000_000.0;
/// A pool is short when so many times as many operations are under way as there are sessions.
const UNDER_WAY_FACTOR: f64 = 3.0;
/// Waits that are one for the disk: for the disk itself, or for whoever writes the log to it.
const DISK: [&str; 2] = ["IO", "LWLock:WALWrite"];
/// Waits of whoever flushes the log for others, as PostgreSQL calls them before its version 17 and since.
const FLUSH: [&str; 2] = ["IO:WALSync", "IO:WalSync"];

/// Sessions waited for a lock of the database.
///
/// Proves that they waited, and names the statement that most of them waited for where looks saw one.
pub(super) fn lock(scene: &Scene<'_>) -> Option<FoundCause> {
    let share_of = |look: Look<'_>| of_busy(look.seen, look.seen.waiting_for("Lock"));
    let explained = scene.explained_by_looks(share_of)?;
    // A look may see somebody who queues as well: named is the statement under which most sessions waited in all.
    let mut blockers: BTreeMap<&str, u32> = BTreeMap::new();
    for look in scene.looks() {
        if let Some(statement) = &look.seen.blocker {
            *blockers.entry(statement).or_default() += look.seen.waiting_for("Lock");
        }
    }
    let blocker =
        blockers.into_iter().max_by_key(|(_, waited)| *waited).map(|(statement, _)| statement.to_owned());
    let most = scene.looks().map(|look| look.seen.waiting_for("Lock")).max().unwrap_or(0);
    let blocker = blocker.map(|statement| Evidence::Blocker { statement });
    let cause = DatabaseLock { seen: explained.tidy(), most };
    Some(FoundCause::new(scene, cause, explained.share(), blocker.into_iter().chain([waits(scene)])))
}

/// Sessions waited for the disk, and each commit for long.
pub(super) fn slow_disk(scene: &Scene<'_>) -> Option<FoundCause> {
    let per_commit_ns = disk_ns_per_commit(scene)?;
    if per_commit_ns < SLOW_COMMIT_NS {
        return None;
    }
    let sign = |look: Look<'_>| of_busy(look.seen, waiting_for_any(look.seen, &DISK));
    let explained = scene.explained_by_looks(sign)?;
    let cause = SlowDisk { seen: explained.tidy(), commit_ns: per_commit_ns as u64 };
    Some(FoundCause::new(scene, cause, explained.share(), [waits(scene)]))
}

/// All sessions were busy while many more operations waited, and nothing else was short.
///
/// Proves that the database had little to do and nobody asked it for more. It does not see the pool itself.
pub(super) fn pool(scene: &Scene<'_>) -> Option<FoundCause> {
    if disk_ns_per_commit(scene)? >= SLOW_COMMIT_NS {
        return None;
    }
    let sign = |look: Look<'_>| {
        let (seen, under_way) = (look.seen, scene.trouble.in_flight[look.moment]);
        let is_short = under_way >= UNDER_WAY_FACTOR * f64::from(seen.sessions().max(1));
        let is_free =
            scene.nobody_is_throttled(look.moment) && 2 * seen.waiting_for("Lock") < seen.busy().max(1);
        // Whoever has no core keeps a session busy as well.
        let had_a_core = 1.0 - scene.waited_for_core(look.moment);
        if is_short && is_free { of_sessions(seen) * had_a_core } else { 0.0 }
    };
    let explained = scene.explained_by_looks(sign)?;
    let sessions = scene.looks().map(|look| look.seen.sessions()).max().unwrap_or(0);
    let under_way = scene.trouble.mean(scene.signs(|moment| scene.trouble.in_flight[moment]));
    let cause = PoolExhausted::Sessions { seen: explained.tidy(), sessions, under_way: tidy(under_way) };
    Some(FoundCause::new(scene, cause, explained.share(), [waits(scene)]))
}

fn of_busy(seen: &DatabaseSample, sessions: u32) -> f64 {
    f64::from(sessions) / f64::from(seen.busy().max(1))
}

fn of_sessions(seen: &DatabaseSample) -> f64 {
    f64::from(seen.busy()) / f64::from(seen.sessions().max(1))
}

fn waiting_for_any(seen: &DatabaseSample, events: &[&str]) -> u32 {
    events.iter().map(|event| seen.waiting_for(event)).sum()
}

/// How long a commit waits for the disk, by Little's law (J. D. C. Little, 1961): those who wait, on average, divided by
/// how many come per second.
///
/// Once of all commits, and where flushes were counted also of those who flush, since whoever only reads commits as well.
/// The longer counts: each is too short where more were counted than waited.
fn disk_ns_per_commit(scene: &Scene<'_>) -> Option<f64> {
    let looks: Vec<&DatabaseSample> = scene.looks().map(|look| look.seen).collect();
    let (first, last) = (looks.first()?, looks.last()?);
    let waited_ns = |events: &[&str]| {
        let waiting: u32 = looks.iter().map(|seen| waiting_for_any(seen, events)).sum();
        f64::from(waiting) / looks.len() as f64 * last.at_ns.saturating_sub(first.at_ns) as f64
    };
    let commits = last.commits.saturating_sub(first.commits);
    let flushes: Option<u64> = scene.round.record.flushes.iter().map(|service| service.calls).sum();
    let each = |events: &[&str], times: u64| waited_ns(events) / times.max(1) as f64;
    let of_flushes = flushes.filter(|&calls| calls > 0).map_or(0.0, |calls| each(&FLUSH, calls));
    Some(each(&DISK, commits).max(of_flushes))
}

/// What sessions waited for, over all looks.
fn waits(scene: &Scene<'_>) -> Evidence {
    let mut events = BTreeMap::<&str, u32>::new();
    let (mut running, mut looks) = (0, 0_u32);
    for look in scene.looks() {
        looks += 1;
        running += look.seen.running;
        for (event, sessions) in &look.seen.waiting {
            *events.entry(event).or_default() += sessions;
        }
    }
    let mut events: Vec<_> = events.into_iter().collect();
    events.sort_by_key(|(_, sessions)| std::cmp::Reverse(*sessions));
    let each = |sessions: u32| tidy(f64::from(sessions) / f64::from(looks.max(1)));
    let waiting = events.iter().take(4);
    Evidence::Sessions {
        looks: looks.into(),
        running: each(running),
        waiting: waiting
            .map(|(event, sessions)| Waits { event: (*event).to_owned(), sessions: each(*sessions) })
            .collect(),
    }
}
