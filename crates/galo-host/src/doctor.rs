//! What this machine can enforce and measure: tried, not supposed.

mod containers;
mod limits;
mod machine;

use std::path::Path;

use crate::port;
use crate::quota::Quotas;
use crate::remains;
use crate::state::state_root;
use crate::system::System;

/// One line of `galo doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, e.g. `CPU limits`.
    pub name: String,
    /// How it is.
    pub state: CheckState,
    /// What was found, in one line.
    pub found: String,
    /// The exact command or change that mends it.
    pub mend: Option<String>,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckState {
    /// As it should be.
    Good,
    /// galo works, but something is missing or less exact.
    Lacking,
    /// galo cannot do its main job.
    Broken,
}

impl Check {
    fn good(name: &str, found: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state: CheckState::Good, found: found.into(), mend: None }
    }

    fn lacking(name: &str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { state: CheckState::Lacking, mend: Some(mend.into()), ..Self::good(name, found) }
    }

    fn broken(name: &str, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { state: CheckState::Broken, ..Self::lacking(name, found, mend) }
    }
}

/// What this machine can enforce: tried, not supposed (a group is made, limited, read back and removed). `port` is
/// the one that the load balancer of a contender will listen on.
pub fn doctor(port: u16) -> Vec<Check> {
    let system = System::real();
    let mut checks = vec![machine::kernel(&system)];
    checks.extend(limits::checks(&system));
    checks.extend([
        machine::open_files(),
        machine::local_ports(&system),
        machine::port_reuse(&system),
        machine::accept_queue(&system),
        port_check(&system, port),
        machine::cores(),
        machine::quota(&Quotas::find(&system)),
        machine::memory(&system),
        machine::swap(&system),
        machine::clock_source(&system),
        machine::frequency(&system),
    ]);
    checks.extend(containers::checks(&system));
    checks.extend(galos(&state_root()));
    checks
}

fn port_check(system: &System, number: u16) -> Check {
    let name = format!("port {number}");
    if port::is_free(number) {
        return Check::good(&name, "free");
    }
    let taken = port::taken(system, number);
    let (found, mend) = taken.split_once("\nhint: ").unwrap_or((&taken, ""));
    Check::broken(&name, found, mend)
}

/// Other galos of this user: living ones disturb measurements, dead ones leave remains.
fn galos(root: &Path) -> Vec<Check> {
    let (dead, living) = match remains::count(root) {
        Ok(counted) => counted,
        Err(error) => {
            let (found, mend) = error.message.split_once("\nhint: ").unwrap_or((&error.message, ""));
            return vec![Check::broken("other galos", found, mend)];
        }
    };
    let others = match living {
        0 => Check::good("other galos", "none runs"),
        n => Check::lacking("other galos", format!("{n} run now and share the cores"), "wait for their end"),
    };
    let remains = match dead.len() {
        0 => Check::good("remains", "nothing is left of a dead galo"),
        n => Check::lacking("remains", format!("{n} dead galos left something"), "galo clean"),
    };
    vec![others, remains]
}
