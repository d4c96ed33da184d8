//! Whether to wait for company before the next statement.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// So many must be expected in one pause, or it gains nothing: who comes alone would only be later.
const COMPANY: u32 = 2;

/// Weight of the last interval in the mean of all, as a divisor: the mean follows a change of the load within some ten statements.
const WEIGHT: u32 = 8;

/// The times at which statements begin. They are a pause apart while so many creations (or questions) arrive that several will
/// share the next one; when they are rarer, each begins as soon as somebody waits for it.
pub(super) struct Pace {
    pause: Duration,
    began: Instant,
    /// Mean time between two arrivals, as the last statements saw it.
    interval: Duration,
}

impl Pace {
    /// Nobody has arrived yet.
    pub(super) fn new(pause: Duration) -> Self {
        Self { pause, began: Instant::now(), interval: pause }
    }

    /// Returns when the next statement may begin.
    pub(super) async fn wait(&self) {
        if let Some(earliest) = self.earliest()
            && earliest > Instant::now()
        {
            sleep_until(earliest).await;
        }
    }

    /// The earliest time of the next statement; `None`: at once.
    fn earliest(&self) -> Option<Instant> {
        (self.interval * COMPANY <= self.pause).then(|| self.began + self.pause)
    }

    /// A statement begins, for so many who arrived since the last one began.
    pub(super) fn begin(&mut self, now: Instant, arrived: usize) {
        // A quiet hour says no more than a quiet moment.
        let since = now.saturating_duration_since(self.began).min(self.pause * WEIGHT);
        let interval = since / u32::try_from(arrived).unwrap_or(u32::MAX).max(1);
        self.interval = (self.interval * (WEIGHT - 1) + interval) / WEIGHT;
        self.began = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_millis(2);

    fn paced(every: Duration, arrived: usize) -> Pace {
        let mut pace = Pace::new(PAUSE);
        for _ in 0..100 {
            pace.begin(pace.began + every, arrived);
        }
        pace
    }

    #[test]
    fn who_comes_alone_does_not_wait() {
        assert_eq!(paced(Duration::from_millis(3), 1).earliest(), None);
        assert_eq!(paced(PAUSE, 1).earliest(), None);
        assert_eq!(Pace::new(PAUSE).earliest(), None);
    }

    #[test]
    fn many_wait_for_one_another() {
        for (every, arrived) in [(PAUSE, 6), (PAUSE / 10, 1)] {
            let pace = paced(every, arrived);
            assert_eq!(pace.earliest(), Some(pace.began + PAUSE), "{arrived} each {every:?}");
        }
    }

    #[test]
    fn after_a_quiet_hour_company_is_soon_expected_again() {
        let mut pace = paced(PAUSE, 6);
        pace.begin(pace.began + Duration::from_secs(3600), 1);
        assert_eq!(pace.earliest(), None);
        for _ in 0..20 {
            pace.begin(pace.began + PAUSE, 6);
        }
        assert!(pace.earliest().is_some());
    }

    #[test]
    fn without_a_pause_nothing_ever_waits() {
        let mut pace = Pace::new(Duration::ZERO);
        for _ in 0..10 {
            assert!(pace.earliest().is_none_or(|at| at <= pace.began));
            pace.begin(pace.began, 100);
        }
    }
}
