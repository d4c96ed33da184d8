//! Reasons to be void in English sentences, without a full stop.

use std::fmt;

use super::quota::QUOTA_SHARE_MAX;
use super::{ENGINE_BUSY_MAX, STEAL_SHARE_MAX, VoidReason, WAITING_SHARE_MAX};
use crate::words::{counted, grouped};

/// What gives galo time enough.
const GIVE_GALO_TIME: &str = "leave galo a core of its own (`cpuset` in the contender's file), end what else runs here, \
                              or lower the load (`--scale`)";

impl fmt::Display for VoidReason {
    /// With its figures.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("the caller broke it off"),
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
            Self::Busy { threads, share } => write!(
                f,
                "galo was the bottleneck: its load engine ({}) was busy {} of the time, over {}",
                counted(u64::from(*threads), "thread"),
                percent(*share),
                percent(ENGINE_BUSY_MAX)
            ),
            Self::Waited { share } => {
                write!(
                    f,
                    "galo waited for a core {} of the time, over {}",
                    percent(*share),
                    percent(WAITING_SHARE_MAX)
                )
            }
            Self::Stolen { share } => write!(
                f,
                "the hypervisor took {} of the CPU time that this machine wanted, over {}",
                percent(*share),
                percent(STEAL_SHARE_MAX)
            ),
            Self::Unequal { text } => f.write_str(text),
            Self::OverQuota { service, over_s, limit_cpus } => write!(
                f,
                "service `{service}` used {over_s:.2} s of CPU more than {QUOTA_SHARE_MAX} times its limit of {limit_cpus} \
                 CPU, over a second or longer"
            ),
            Self::Contradiction { text } => write!(f, "{text} (a bug in galo)"),
        }
    }
}

impl VoidReason {
    /// What to do about it in a round; `None`: nothing that would help.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Interrupted | Self::Contradiction { .. } => None,
            Self::CouldNotSend { .. } => {
                Some("raise the limits of this machine: `galo doctor` says which, and how")
            }
            Self::Late { .. } | Self::Busy { .. } | Self::Waited { .. } => Some(GIVE_GALO_TIME),
            Self::Stolen { .. } => {
                Some("fight again when the machine has its CPU for itself, or on another one")
            }
            Self::Unequal { .. } | Self::OverQuota { .. } => {
                Some("fight again; `galo doctor` says what this machine can enforce")
            }
        }
    }

    /// Of a load by itself: what was wrong, and what to do about it with the options of `galo load`.
    pub fn of_load(&self) -> String {
        let mend = match self {
            Self::CouldNotSend { operations } => {
                let mends: Vec<&str> = operations.keys().map(|kind| mend(kind)).collect();
                mends.join("; ")
            }
            Self::Late { .. } => {
                "give it a core of its own, more threads (--threads) or a lower rate".to_owned()
            }
            Self::Waited { .. } => {
                "leave it one (`taskset` keeps the server on the others), or run it on another machine"
                    .to_owned()
            }
            _ => return self.to_string(),
        };
        format!("{self}; {mend}")
    }
}

/// What to do where something was lacking.
fn mend(kind: &str) -> &'static str {
    match kind {
        "no free local port" => {
            "keep connections open (--connection shared), or widen net.ipv4.ip_local_port_range"
        }
        "too many open files" => "raise the limit (`ulimit -n`), or use fewer connections (--connections)",
        "no memory for sockets" => "use fewer connections (--connections)",
        _ => "see `galo doctor`",
    }
}

/// That galo's threads were busy for such a share of the time, in a load that counts.
pub fn busy_note(share: f64, is_open: bool) -> String {
    let what = match is_open {
        true => "a higher rate needs more of them (--threads)",
        false => "the rate may be galo's own limit, not the server's (--threads gives more of them)",
    };
    format!("galo's threads were busy {} of the time: {what}", percent(share))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
