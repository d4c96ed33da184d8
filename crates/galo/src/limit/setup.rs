//! From what was written to the terms of the search.

use std::time::Duration;

use anyhow::Result;
use galo_judge::assertion::Assertions;
use galo_plan::units::parse_duration;
use galo_record::limit::{LimitRecord, SearchTerms};
use galo_report::limit::scale_words;

use crate::cli::LimitArgs;
use crate::exit::WrongUse;

/// A hold is at least this long: a percentile of less says little, and a queue that grows needs two seconds to show.
const SHORTEST: Duration = Duration::from_secs(2);
/// And at most this.
const LONGEST: Duration = Duration::from_secs(3600);

/// See the module.
pub(super) struct Setup {
    pub(super) criterion: Assertions,
    pub(super) hold: Duration,
    pub(super) confirm: Duration,
    pub(super) preloads: bool,
    pub(super) terms: SearchTerms,
    /// As it was written.
    written: String,
    at_least_milli: Option<u64>,
}

impl Setup {
    /// Validates all options.
    ///
    /// # Errors
    /// What is wrong, with what to do.
    pub(super) fn new(args: &LimitArgs) -> Result<Self, WrongUse> {
        if args.contender.to_string_lossy().starts_with("http") && !args.contender.exists() {
            let text = "`galo limit` needs a contender that it can start and fill, not an address\nhint: for an \
                        address, galo load --max-under";
            return Err(WrongUse(text.to_owned()));
        }
        let told = |error: galo_judge::assertion::AssertionError| WrongUse(error.to_string());
        let criterion = args.slo.parse().map_err(told)?;
        let (start_milli, max_milli) = (u64::from(args.start), u64::from(args.max));
        let at_least_milli = args.at_least.map(u64::from);
        if let Some(least) = at_least_milli.filter(|least| *least > max_milli) {
            let [least, max] = [least, max_milli].map(|milli| scale_words(milli as f64 / 1e3));
            return Err(WrongUse(format!(
                "--at-least {least} is above --max {max}, so it could never be met\nhint: raise --max"
            )));
        }
        let (hold, confirm) = (length("--hold", &args.hold)?, length("--confirm", &args.confirm)?);
        if confirm < hold {
            let text = "--confirm is shorter than --hold, so it would confirm nothing\nhint: make it several times \
                        as long";
            return Err(WrongUse(text.to_owned()));
        }
        let terms = SearchTerms::new(start_milli, max_milli, args.ratio);
        let written = args.slo.split_whitespace().collect();
        Ok(Self { criterion, hold, confirm, preloads: !args.no_preload, terms, written, at_least_milli })
    }

    /// A record without a hold.
    pub(super) fn record(&self) -> LimitRecord {
        let [hold_ns, confirm_ns] = [self.hold, self.confirm].map(|length| length.as_nanos() as u64);
        LimitRecord {
            preloads: self.preloads,
            at_least_milli: self.at_least_milli,
            ..LimitRecord::begun(self.written.clone(), self.terms, hold_ns, confirm_ns)
        }
    }
}

fn length(option: &str, text: &str) -> Result<Duration, WrongUse> {
    let length = parse_duration(text).map_err(|error| WrongUse(format!("{option}: {error}")))?;
    if (SHORTEST..=LONGEST).contains(&length) {
        return Ok(length);
    }
    Err(WrongUse(format!(
        "{option} `{text}` is no length for a hold\nhint: choose from 2s to 1h, e.g. `30s`"
    )))
}
