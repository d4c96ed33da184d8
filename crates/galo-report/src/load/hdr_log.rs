//! A load as an HdrHistogram interval log, which HdrHistogram's own tools read.
//!
//! The format is that of `HistogramLogWriter` (G. Tene, HdrHistogram, log format version 1.3): comments, a legend, and
//! for each interval its start and length in seconds, its longest value, and the histogram in the V2 encoding,
//! deflated, in base64. Values are nanoseconds; the longest value alone is in milliseconds, as the tools expect (a
//! `maxValueUnitRatio` of 1,000,000, which is also what they divide by to show milliseconds).

use std::fmt::Display;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use galo_record::{Latencies, SecondLatencies, SparseLatencies};
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

/// Nanoseconds in the unit of `Interval_Max`.
const MAX_VALUE_UNIT_RATIO: f64 = 1e6;

/// Writes two histograms for each second as it comes: of all that ended, from the intended start (tag `intended`), and
/// of right answers, from the actual send (tag `service`). `HistogramLogProcessor` wants to be told which: `-tag intended`.
pub struct IntervalLog<W: Write> {
    out: W,
    serializer: V2DeflateSerializer,
}

impl<W: Write> IntervalLog<W> {
    /// Writes what stands before the intervals. `started` is the start of the load by the clock on the wall.
    ///
    /// # Errors
    /// What `out` refuses.
    pub fn new(mut out: W, started: SystemTime) -> io::Result<Self> {
        let epoch_s = started.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        writeln!(out, "#[Logged with galo: latencies in nanoseconds, Interval_Max in ms]")?;
        writeln!(out, "#[Histogram log format version 1.3]")?;
        // Times of intervals are from the base time on.
        writeln!(out, "#[StartTime: {epoch_s:.3} (seconds since epoch)]")?;
        writeln!(out, "#[BaseTime: {epoch_s:.3} (seconds since epoch)]")?;
        writeln!(
            out,
            r#""StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram""#
        )?;
        Ok(Self { out, serializer: V2DeflateSerializer::new() })
    }

    /// Writes the interval of one second, of all addresses together, and flushes it: a reader may follow.
    ///
    /// # Errors
    /// What the output refuses.
    pub fn row(&mut self, second: u32, all: &SecondLatencies) -> io::Result<()> {
        self.interval("intended", second, &all.all())?;
        self.interval("service", second, &all.ok_service)?;
        self.out.flush()
    }

    fn interval(&mut self, tag: impl Display, second: u32, sparse: &SparseLatencies) -> io::Result<()> {
        let mut latencies = Latencies::new();
        latencies.add_sparse(sparse);
        let histogram = latencies.as_hdr();
        let mut encoded = Vec::new();
        self.serializer.serialize(histogram, &mut encoded).map_err(io::Error::other)?;
        let max = histogram.max() as f64 / MAX_VALUE_UNIT_RATIO;
        writeln!(self.out, "Tag={tag},{second}.000,1.000,{max:.3},{}", STANDARD.encode(encoded))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};

    use super::*;

    fn of(ns: impl IntoIterator<Item = u64>) -> Latencies {
        let mut latencies = Latencies::new();
        ns.into_iter().for_each(|ns| latencies.record_ns(ns));
        latencies
    }

    /// Three seconds, the middle one without any answer.
    fn seconds() -> [SecondLatencies; 3] {
        let second = |from: u64| SecondLatencies {
            ok: of((1..=1000).map(|n| from + n * 50_000)).to_sparse(),
            ok_service: of((1..=1000).map(|n| n * 1_000)).to_sparse(),
            ..SecondLatencies::default()
        };
        [second(0), SecondLatencies::default(), second(3_000_000_000)]
    }

    fn log() -> String {
        let mut out = Vec::new();
        let mut log =
            IntervalLog::new(&mut out, UNIX_EPOCH + Duration::from_millis(1_700_000_000_250)).unwrap();
        for (number, second) in seconds().iter().enumerate() {
            log.row(number as u32, second).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_log_reads_as_histogram_log_writers_own() {
        // How well zlib compresses is not galo's affair: of each histogram the snapshot has the cookie.
        let rows = log()
            .lines()
            .map(|row| match row.split_once("HISTFAA") {
                Some((start, _)) => format!("{start}HISTFAA..."),
                None => row.to_owned(),
            })
            .collect::<Vec<_>>();
        insta::assert_snapshot!(rows.join("\n"));
    }

    #[test]
    fn hdr_histograms_own_reader_finds_every_bucket_again() {
        let text = log();
        let mut found = Vec::new();
        for entry in IntervalLogIterator::new(text.as_bytes()) {
            match entry.unwrap() {
                LogEntry::StartTime(at) | LogEntry::BaseTime(at) => {
                    assert_eq!(at.as_millis(), 1_700_000_000_250);
                }
                LogEntry::Interval(interval) => {
                    let bytes = STANDARD.decode(interval.encoded_histogram()).unwrap();
                    let histogram: Histogram<u32> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
                    assert_eq!(interval.duration(), Duration::from_secs(1));
                    let max_ms = histogram.max() as f64 / 1e6;
                    assert!((interval.max() - max_ms).abs() < 0.001, "{} is not {max_ms}", interval.max());
                    let tag = interval.tag().unwrap().as_str().to_owned();
                    found.push((tag, interval.start_timestamp().as_secs(), of_histogram(&histogram)));
                }
            }
        }
        let expected = (0..).zip(seconds()).flat_map(|(second, all)| {
            [("intended".to_owned(), second, all.ok), ("service".to_owned(), second, all.ok_service)]
        });
        assert_eq!(found, expected.collect::<Vec<_>>());
    }

    fn of_histogram(histogram: &Histogram<u32>) -> SparseLatencies {
        let mut latencies = Latencies::new();
        for bucket in histogram.iter_recorded() {
            (0..bucket.count_at_value()).for_each(|_| latencies.record_ns(bucket.value_iterated_to()));
        }
        latencies.to_sparse()
    }
}
