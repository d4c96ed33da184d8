//! How a service is asked to end: `stop_signal`, within `stop_grace_period`. Without a signal there is nothing to wait
//! for, and the period means nothing.

use super::raw::RawService;
use super::reader::Reader;
use crate::contender::Stop;
use crate::error::PlanError;
use crate::{suggest, units};

/// The period where the file does not say, as Compose has it.
const GRACE_NS: u64 = 10_000_000_000;

/// The signals 1 to 31, by their numbers on x86, ARM, RISC-V and POWER (`signal(7)`).
const NAMES: &str = "
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2
    SIGPIPE SIGALRM SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU
    SIGXFSZ SIGVTALRM SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS
";

/// The first and the last signal that has no meaning of its own: as libraries count them, which keep the first two of
/// the kernel's for themselves.
const REAL_TIME: std::ops::RangeInclusive<u8> = 34..=64;

pub(super) fn resolve(reader: Reader<'_>, raw: &RawService) -> Result<Option<Stop>, PlanError> {
    let Some(node) = raw.node("stop_signal") else { return Ok(None) };
    let written = reader.text(node, "stop_signal")?;
    let Some(signal) = number(&written) else {
        let hint = match suggest::nearest(&full(&written), NAMES.split_whitespace()) {
            Some(name) => format!("; did you mean `{name}`?"),
            None => "\nhint: write a name such as `SIGTERM`, or a number from 1 to 64".to_owned(),
        };
        return reader.error(node.line, format!("`stop_signal`: unknown signal `{written}`{hint}"));
    };
    let Some(node) = raw.node("stop_grace_period") else {
        return Ok(Some(Stop { signal, grace_ns: GRACE_NS }));
    };
    let period = reader.text(node, "stop_grace_period")?;
    match units::parse_duration_ns(&period) {
        Ok(grace_ns) => Ok(Some(Stop { signal, grace_ns })),
        Err(message) => reader.error(node.line, format!("`stop_grace_period`: {message}")),
    }
}

/// A name as in [`NAMES`].
fn full(written: &str) -> String {
    let upper = written.trim().to_ascii_uppercase();
    if upper.starts_with("SIG") { upper } else { format!("SIG{upper}") }
}

/// The number of a signal that is written as a number or a name, in any case, with or without `SIG`; `RTMIN+n` and
/// `RTMAX-n` are names too.
fn number(written: &str) -> Option<u8> {
    if let Ok(number) = written.trim().parse() {
        return (1..=*REAL_TIME.end()).contains(&number).then_some(number);
    }
    let name = full(written);
    if let Some(at) = NAMES.split_whitespace().position(|known| known == name) {
        return u8::try_from(at + 1).ok();
    }
    let step = |rest: &str, sign: char| match rest {
        "" => Some(0),
        _ => rest.strip_prefix(sign)?.parse::<u8>().ok(),
    };
    let found = match (name.strip_prefix("SIGRTMIN"), name.strip_prefix("SIGRTMAX")) {
        (Some(rest), _) => REAL_TIME.start().checked_add(step(rest, '+')?),
        (_, Some(rest)) => REAL_TIME.end().checked_sub(step(rest, '-')?),
        _ => None,
    };
    found.filter(|number| REAL_TIME.contains(number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_signal_is_a_name_with_or_without_sig_or_a_number() {
        for (written, expected) in [
            ("SIGTERM", 15),
            ("TERM", 15),
            ("sigint", 2),
            (" QUIT ", 3),
            ("SYS", 31),
            ("1", 1),
            ("64", 64),
            ("SIGRTMIN", 34),
            ("RTMIN+3", 37),
            ("RTMAX-1", 63),
            ("SIGRTMAX", 64),
        ] {
            assert_eq!(number(written), Some(expected), "{written}");
        }
    }

    #[test]
    fn what_is_no_signal_is_none() {
        let wrong =
            ["", "SIG", "0", "65", "-1", "1.5", "SIGSIGTERM", "RTMIN-1", "RTMIN+31", "RTMAX+1", "RTMAX-31"];
        for written in wrong {
            assert_eq!(number(written), None, "{written}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in ".*", real_time in "(SIG)?RTM(IN|AX)[+-]?[0-9]{0,5}") {
            let _ = (number(&text), number(&real_time));
        }
    }
}
