//! The log: one JSON object a line on standard error, for machines first.
//!
//! An instance says few things: that it listens, that it stops, and what goes wrong. There is nothing to trace below
//! that, so a level and a bound on the lines of a second do, and a framework would not be used.

use std::fmt::Display;
use std::io::Write as _;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Most lines of a second: whatever breaks for one request breaks for all, thousands of times a second.
const LINES_MAX: u32 = 10;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// What somebody has to look after.
    Error,
    /// What mends itself.
    Warn,
    /// The course of things.
    Info,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
        }
    }
}

impl FromStr for Level {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        [Self::Error, Self::Warn, Self::Info].into_iter().find(|level| level.name() == name).ok_or(())
    }
}

static LEVEL: AtomicU8 = AtomicU8::new(Level::Warn as u8);

static LIMITER: Mutex<Limiter> = Mutex::new(Limiter { begun: None, lines: 0, suppressed: 0 });

/// Sets what is told from now on, by all of the process.
pub fn set_level(level: Level) {
    LEVEL.store(level as u8, Relaxed);
}

/// Tells something, unless it is of no interest or there was too much in this second.
pub fn write(level: Level, message: &str, fields: &[(&str, &dyn Display)]) {
    if level as u8 > LEVEL.load(Relaxed) {
        return;
    }
    let admitted = LIMITER.lock().unwrap_or_else(PoisonError::into_inner).admit(Instant::now());
    match admitted {
        None => {}
        Some(0) => put(&line(SystemTime::now(), level, message, fields)),
        Some(count) => {
            put_suppressed(count);
            put(&line(SystemTime::now(), level, message, fields));
        }
    }
}

/// Tells something whatever the level, for whoever waits for it.
pub fn announce(message: &str, fields: &[(&str, &dyn Display)]) {
    put(&line(SystemTime::now(), Level::Info, message, fields));
}

/// Tells how many lines were left out, once their second is over.
pub fn tell_suppressed() {
    let count = LIMITER.lock().unwrap_or_else(PoisonError::into_inner).take(Instant::now());
    if count > 0 {
        put_suppressed(count);
    }
}

fn put_suppressed(count: u64) {
    put(&line(SystemTime::now(), Level::Warn, "lines left out", &[("count", &count)]));
}

fn put(line: &str) {
    // Nobody can be told that nothing can be told.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// `time` is in seconds since 1970; fields are texts.
fn line(now: SystemTime, level: Level, message: &str, fields: &[(&str, &dyn Display)]) -> String {
    let time_s = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    let mut line = format!("{{\"time\":{time_s:.3},\"level\":\"{}\",\"message\":", level.name());
    line += &quoted(message);
    for (name, value) in fields {
        line += &format!(",{}:{}", quoted(name), quoted(&value.to_string()));
    }
    line + "}\n"
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Lets through [`LINES_MAX`] lines of a second.
struct Limiter {
    begun: Option<Instant>,
    lines: u32,
    suppressed: u64,
}

impl Limiter {
    /// Whether one more line may be written, and how many were left out that nobody has been told of.
    fn admit(&mut self, now: Instant) -> Option<u64> {
        let mut untold = 0;
        if self.is_over(now) {
            untold = std::mem::take(&mut self.suppressed);
            (self.begun, self.lines) = (Some(now), 0);
        }
        if self.lines == LINES_MAX {
            self.suppressed += 1;
            return None;
        }
        self.lines += 1;
        Some(untold)
    }

    /// How many were left out in a second that is over.
    fn take(&mut self, now: Instant) -> u64 {
        if self.is_over(now) { std::mem::take(&mut self.suppressed) } else { 0 }
    }

    fn is_over(&self, now: Instant) -> bool {
        self.begun.is_none_or(|begun| now.duration_since(begun) >= Duration::from_secs(1))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant, UNIX_EPOCH};

    use super::{LINES_MAX, Level, Limiter, line};

    #[test]
    fn a_line_is_one_json_object_whatever_it_says() {
        let now = UNIX_EPOCH + Duration::from_millis(1_234_567);
        let text = line(now, Level::Warn, "a \"b\"\n", &[("error", &"x\ny"), ("count", &3)]);
        assert!(text.ends_with("}\n") && text.matches('\n').count() == 1);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let want = serde_json::json!({
            "time": 1234.567, "level": "warn", "message": "a \"b\"\n", "error": "x\ny", "count": "3"
        });
        assert_eq!(value, want);
    }

    #[test]
    fn an_outage_writes_some_lines_a_second_and_counts_the_others() {
        let mut limiter = Limiter { begun: None, lines: 0, suppressed: 0 };
        let begun = Instant::now();
        let admitted = (0..1000).filter(|_| limiter.admit(begun).is_some()).count();
        assert_eq!(admitted, LINES_MAX as usize);
        assert_eq!(limiter.take(begun), 0);
        let next = begun + Duration::from_secs(1);
        assert_eq!(limiter.admit(next), Some(1000 - u64::from(LINES_MAX)));
        assert_eq!(limiter.admit(next), Some(0));
        assert_eq!((0..20).filter(|_| limiter.admit(next).is_none()).count(), 12);
        assert_eq!(limiter.take(next + Duration::from_secs(1)), 12);
        assert_eq!(limiter.take(next + Duration::from_secs(1)), 0);
    }
}
