//! A table with a row for every second of a load, as CSV.

use std::io::{self, Write};

use galo_record::{Latencies, SecondLatencies, SparseLatencies};

use crate::digits::decimals;

const HEADER: &str = "second,intended,ok,wrong,failed,timed_out,latency_us_p50,latency_us_p90,latency_us_p99,\
                      latency_us_p99_9,latency_us_max,service_time_us_p50,service_time_us_p99";

/// Writes a header, and then a row for each second as it comes. Percentiles are of that second, in microseconds:
/// latency from the intended start, of everything that ended, and service time from the actual send, of right
/// answers; where there is nothing they are empty. Lines end as RFC 4180 allows and every tool reads: with `\n`.
#[derive(Debug)]
pub struct SecondsCsv<W: Write> {
    out: W,
}

impl<W: Write> SecondsCsv<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// What `out` refuses.
    pub fn new(mut out: W) -> io::Result<Self> {
        writeln!(out, "{HEADER}")?;
        Ok(Self { out })
    }

    /// Writes the row of one second, of all addresses together, and flushes it: a reader may follow.
    ///
    /// # Errors
    /// What the output refuses.
    pub fn row(&mut self, second: u32, all: &SecondLatencies) -> io::Result<()> {
        let SecondLatencies { intended, wrong, failed, timed_out, ok, ok_service, .. } = all;
        write!(self.out, "{second},{intended},{},{wrong},{failed},{timed_out}", ok.count())?;
        self.percentiles(&all.all(), &[0.5, 0.9, 0.99, 0.999, 1.0])?;
        self.percentiles(ok_service, &[0.5, 0.99])?;
        writeln!(self.out)?;
        self.out.flush()
    }

    fn percentiles(&mut self, sparse: &SparseLatencies, quantiles: &[f64]) -> io::Result<()> {
        let mut latencies = Latencies::new();
        latencies.add_sparse(sparse);
        for &q in quantiles {
            match latencies.is_empty() {
                true => write!(self.out, ",")?,
                false => write!(self.out, ",{}", decimals(latencies.quantile_us(q), 1))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(us: impl IntoIterator<Item = u64>) -> SparseLatencies {
        let mut latencies = Latencies::new();
        us.into_iter().for_each(|us| latencies.record_ns(us * 1000));
        latencies.to_sparse()
    }

    #[test]
    fn every_second_is_a_row_and_one_without_answers_has_no_percentiles() {
        let mut out = Vec::new();
        let mut csv = SecondsCsv::new(&mut out).unwrap();
        let full = SecondLatencies {
            intended: 1003,
            ok: sparse(1..=1000),
            ok_service: sparse((1..=1000).map(|us| us / 2)),
            not_ok: sparse([2000, 2000, 9000]),
            wrong: 1,
            failed: 2,
            timed_out: 0,
        };
        csv.row(0, &full).unwrap();
        csv.row(1, &SecondLatencies { intended: 7, ..SecondLatencies::default() }).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap());
    }

    #[test]
    fn every_row_has_as_many_fields_as_the_header() {
        let mut out = Vec::new();
        SecondsCsv::new(&mut out).unwrap().row(3, &SecondLatencies::default()).unwrap();
        let fields: Vec<usize> =
            String::from_utf8(out).unwrap().lines().map(|l| l.split(',').count()).collect();
        assert_eq!(fields, [13, 13]);
    }
}
