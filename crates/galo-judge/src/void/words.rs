//! Reasons to be void in English sentences, without a full stop: as a search for a limit records them still.

use std::fmt;

use super::VoidReason;
use crate::words::{counted, grouped};

impl fmt::Display for VoidReason {
    /// With its figures.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted | Self::Contradiction { .. } | Self::JudgeFailed { .. } => {
                f.write_str(self.name())
            }
            Self::CouldNotSend { operations } => {
                let kinds: Vec<String> =
                    operations.iter().map(|(kind, n)| format!("{kind}: {}", grouped(*n))).collect();
                write!(f, "galo could not even try some operations ({})", kinds.join(", "))
            }
            Self::Late { percentile, lag_us, bound_us } => {
                let bound_ms = (bound_us / 100.0).round() / 10.0;
                write!(
                    f,
                    "galo itself was late: p{percentile} of its lag is {:.1} ms, over {bound_ms} ms",
                    lag_us / 1e3
                )
            }
            Self::Busy { threads, share, bound } => write!(
                f,
                "galo was the bottleneck: its load engine ({}) was busy {} of the time, over {}",
                counted(u64::from(*threads), "thread"),
                percent(*share),
                percent(*bound)
            ),
            Self::Waited { share, bound } => {
                write!(f, "galo waited for a core {} of the time, over {}", percent(*share), percent(*bound))
            }
            Self::Stolen { share, bound } => write!(
                f,
                "the hypervisor took {} of the CPU time that this machine wanted, over {}",
                percent(*share),
                percent(*bound)
            ),
            Self::Unequal { found } => f.write_str(&crate::words::host(found)),
            Self::OverQuota { service, over_s, limit_cpus, factor } => write!(
                f,
                "service `{service}` used {over_s:.2} s of CPU more than {factor} times its limit of {limit_cpus} \
                 CPU, over a second or longer"
            ),
        }
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
