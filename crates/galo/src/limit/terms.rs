//! From what was written to the terms of the search.

use std::time::Duration;

use galo_judge::assertion::Assertions;
use galo_plan::units::parse_duration;
use galo_plan::{LimitTerms, SearchTerms};
use galo_report::limit::scale;

use crate::cli::LimitArgs;
use crate::exit::WrongUse;

/// A hold is at least this long: a percentile of less says little, and a queue that grows needs two seconds to show.
const SHORTEST: Duration = Duration::from_secs(2);
/// And at most this.
const LONGEST: Duration = Duration::from_secs(3600);

/// Validates all options.
///
/// # Errors
/// What is wrong, with what to do.
pub(crate) fn terms(args: &LimitArgs) -> Result<LimitTerms, WrongUse> {
    if let Some(contender) = &args.contender
        && contender.to_string_lossy().starts_with("http")
        && !contender.exists()
    {
        let text = "`galo limit` needs a contender that it can start and fill, not an address\nhint: for an \
                    address, galo load --max-under";
        return Err(WrongUse(text.to_owned()));
    }
    let criterion = criterion(&args.slo)?;
    let (start_milli, max_milli) = (u64::from(args.start), u64::from(args.max));
    let at_least_milli = args.at_least.map(u64::from);
    if let Some(least) = at_least_milli.filter(|least| *least > max_milli) {
        let [least, max] = [least, max_milli].map(scale);
        return Err(WrongUse(format!(
            "--at-least {least} is above --max {max}, so it could never be met\nhint: raise --max"
        )));
    }
    let (hold_ns, confirm_ns) = (hold_ns("--hold", &args.hold)?, hold_ns("--confirm", &args.confirm)?);
    if confirm_ns < hold_ns {
        let text = "--confirm is shorter than --hold, so it would confirm nothing\nhint: make it several times \
                    as long";
        return Err(WrongUse(text.to_owned()));
    }
    Ok(LimitTerms {
        criterion,
        search: SearchTerms::new(start_milli, max_milli, args.ratio),
        hold_ns,
        confirm_ns,
        preloads: !args.no_preload,
        at_least_milli,
    })
}

/// What a hold must meet, as --slo says it.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn criterion(slo: &str) -> Result<String, WrongUse> {
    slo.parse::<Assertions>().map_err(|error| WrongUse(error.to_string()))?;
    Ok(slo.split_whitespace().collect())
}

/// How long a hold is, as an option says it.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn hold_ns(option: &str, text: &str) -> Result<u64, WrongUse> {
    let length = parse_duration(text).map_err(|error| WrongUse(format!("{option}: {error}")))?;
    if (SHORTEST..=LONGEST).contains(&length) {
        return Ok(length.as_nanos() as u64);
    }
    Err(WrongUse(format!(
        "{option} `{text}` is no length for a hold\nhint: choose from 2s to 1h, e.g. `30s`"
    )))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn a_league_searches_as_a_command_line_without_options_does() {
        let Command::Limit(args) = Cli::parse_from(["galo", "limit", "mine"]).command else {
            panic!("it is no limit")
        };
        assert_eq!(terms(&args).unwrap(), LimitTerms::of_holds(30_000_000_000));
    }
}
