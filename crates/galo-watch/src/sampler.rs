//! One look at everything.

use std::path::Path;

use galo_record::{Placement, Sample, clock};
use rustix::time::{ClockId, clock_gettime};

use crate::WatchError;
use crate::files::Buffer;
use crate::group::GroupFiles;
use crate::host::HostFiles;

/// All files of one placement and its machine, open.
#[derive(Debug)]
pub(crate) struct Sampler {
    services: Vec<GroupFiles>,
    host: HostFiles,
    buffer: Buffer,
}

impl Sampler {
    /// `proc` is `/proc` but in tests.
    pub(crate) fn open(placement: &Placement, proc: &Path) -> Result<Self, WatchError> {
        let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        let host = HostFiles::open(proc, tick_ns);
        let mut buffer = Buffer::new();
        if !host.tells(&mut buffer) {
            let stat = proc.join("stat");
            let message = format!("cannot read `{}`\nhint: mount /proc", stat.display());
            return Err(WatchError(message));
        }
        let services = placement.services.iter().map(|s| GroupFiles::open(s.group.as_ref(), proc)).collect();
        Ok(Self { services, host, buffer })
    }

    pub(crate) fn sample(&mut self) -> Sample {
        let Self { services, host, buffer } = self;
        let at_ns = clock::now_ns();
        let services = services.iter_mut().map(|service| service.sample(buffer)).collect();
        let (host, cores_busy_ns) = host.sample(buffer);
        Sample { at_ns, services, host, galo_cpu_ns: own_cpu_ns(), cores_busy_ns }
    }
}

/// CPU used by this process, all threads, user and system. (The clock counts in nanoseconds, and `getrusage` in the
/// same sum rounded to microseconds.)
fn own_cpu_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
