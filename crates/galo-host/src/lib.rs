//! Make it happen, part one: start a contender under its limits, see that it is ready, stop it, and leave nothing.
//!
//! It knows nothing of the load or of the samples: they learn from the [`galo_record::Placement`] where everything
//! is. Where it may, it puts walls around each service: see `walls.rs`. The network is not among them: contenders run
//! on loopback.
//!
//! Its one key decision: a service is its *control group*. Limits are set on the group and read back, the first
//! process joins the group before it becomes the service's program, and killing means killing the group, because a
//! process may leave its session or its parent, but not its group.
//!
//! The second: nothing is made that is not listed first. The list (`state.json`) lies in a folder whose lock lives
//! as long as galo; a supervisor process that learns of galo's death from a closed pipe kills and removes what is
//! listed, and so does the next galo where the supervisor was killed too.

mod account;
mod bounded;
mod building;
mod cache;
mod cgroup;
mod contact;
mod docker;
mod doctor;
mod driven;
mod enclosure;
mod end;
mod engine;
mod errand;
mod error;
mod git;
mod groups;
mod holding;
mod host;
mod inner;
mod keeper;
mod log;
mod port;
mod process;
mod processes;
mod programs;
mod project;
mod quota;
mod ready;
mod reap;
mod remains;
mod revision;
mod running;
mod session;
mod start;
mod state;
mod supervisor;
mod sweep;
mod system;
mod systemd;
#[cfg(test)]
mod testing;
mod volumes;
mod walls;

pub use bounded::shell;
pub use cache::{CacheError, lay_out};
pub use contact::{Contact, contact, look_up};
pub use doctor::{Check, CheckState, doctor};
pub use error::HostError;
pub use holding::{bytes as volumes_bytes, holding as volumes_holding, in_memory as volumes_in_memory};
pub use host::{Host, Surroundings};
pub use inner::HostOptions;
pub use quota::{QuotaMark, Quotas};
pub use remains::{clean, clean_below};
pub use revision::{Revision, RevisionError, WORK_TREE, check_out, uncommitted};
pub use running::Running;
pub use state::state_root;
pub use supervisor::supervise;
