//! The machine's own troubles.

use std::path::Path;

use galo_record::sample::HostSample;

use crate::files::{Buffer, Reread, column};

/// The files, and what they told last.
#[derive(Debug)]
pub(crate) struct HostFiles {
    stat: Reread,
    netstat: Reread,
    snmp: Reread,
    tick_ns: u64,
    last: HostSample,
}

impl HostFiles {
    /// `tick_ns` is the unit of `/proc/stat`.
    pub(crate) fn open(proc: &Path, tick_ns: u64) -> Self {
        Self {
            stat: Reread::open(&proc.join("stat")),
            netstat: Reread::open(&proc.join("net/netstat")),
            snmp: Reread::open(&proc.join("net/snmp")),
            tick_ns,
            last: HostSample::default(),
        }
    }

    /// Whether the machine tells at least of its CPU.
    pub(crate) fn tells(&self, buffer: &mut Buffer) -> bool {
        self.stat.read(buffer).and_then(cpu).is_some()
    }

    pub(crate) fn sample(&mut self, buffer: &mut Buffer) -> HostSample {
        if let Some((busy, steal)) = self.stat.read(buffer).and_then(cpu) {
            self.last.busy_ns = busy.saturating_mul(self.tick_ns);
            self.last.steal_ns = steal.saturating_mul(self.tick_ns);
        }
        if let Some(text) = self.netstat.read(buffer) {
            let of = |name| column(text, "TcpExt:", name);
            self.last.listen_overflows = of("ListenOverflows").unwrap_or(self.last.listen_overflows);
            self.last.listen_drops = of("ListenDrops").unwrap_or(self.last.listen_drops);
        }
        if let Some(text) = self.snmp.read(buffer) {
            self.last.retransmissions =
                column(text, "Tcp:", "RetransSegs").unwrap_or(self.last.retransmissions);
        }
        self.last
    }
}

/// Busy and stolen ticks of all cores, by the first line of `/proc/stat` (proc_stat(5)): user, nice, system, idle,
/// iowait, irq, softirq, steal. What follows (guests) is part of user and nice.
fn cpu(text: &str) -> Option<(u64, u64)> {
    let line = text.lines().next()?.strip_prefix("cpu ")?;
    let mut ticks = [0_u64; 8];
    for (tick, word) in ticks.iter_mut().zip(line.split_ascii_whitespace()) {
        *tick = word.parse().ok()?;
    }
    let [user, nice, system, _idle, _iowait, irq, softirq, steal] = ticks;
    let busy = [nice, system, irq, softirq].into_iter().fold(user, u64::saturating_add);
    Some((busy, steal))
}
