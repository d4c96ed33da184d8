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
    listeners: [Reread; 2],
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
            listeners: ["net/tcp", "net/tcp6"].map(|name| Reread::open(&proc.join(name))),
            tick_ns,
            last: HostSample::default(),
        }
    }

    /// Whether the machine tells at least of its CPU.
    pub(crate) fn tells(&self, buffer: &mut Buffer) -> bool {
        self.stat.read(buffer).and_then(cpu).is_some()
    }

    /// The machine, and how long each core was busy.
    pub(crate) fn sample(&mut self, buffer: &mut Buffer) -> (HostSample, Vec<u64>) {
        let overflows = self.last.listen_overflows;
        let stat = self.stat.read(buffer);
        let cores_busy_ns = stat.map(|text| cores_busy_ns(text, self.tick_ns)).unwrap_or_default();
        if let Some(ticks) = stat.and_then(cpu) {
            self.last.busy_ns = ticks.busy.saturating_mul(self.tick_ns);
            self.last.niced_ns = ticks.niced.saturating_mul(self.tick_ns);
            self.last.steal_ns = ticks.steal.saturating_mul(self.tick_ns);
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
        // Only now: where there are few sockets, the kernel goes through all of its table of connections for this.
        let longest =
            if self.last.listen_overflows > overflows { self.longest_accept_queue(buffer) } else { None };
        (self.last.accept_queue, self.last.accept_queue_port) = longest.unwrap_or_default();
        (self.last, cores_busy_ns)
    }

    fn longest_accept_queue(&self, buffer: &mut Buffer) -> Option<(u32, u16)> {
        self.listeners.iter().filter_map(|file| file.read(buffer).and_then(longest_accept_queue)).max()
    }
}

fn cores_busy_ns(text: &str, tick_ns: u64) -> Vec<u64> {
    let cores = text.lines().skip(1).map_while(|line| line.strip_prefix("cpu"));
    let busy = cores.filter_map(|line| ticks(line.split_once(' ')?.1));
    busy.map(|ticks| ticks.busy.saturating_mul(tick_ns)).collect()
}

/// The longest queue of accepted connections that nobody has taken yet, and its port, by `/proc/net/tcp`: of a listening
/// socket (state 0A) the receive queue is that. The kernel lists those first, so the start of the file has them
/// (`tcp4_seq_show`, net/ipv4/tcp_ipv4.c). `None`: nobody waits.
fn longest_accept_queue(text: &str) -> Option<(u32, u16)> {
    let of_listener = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let (local, state) = (words.nth(1)?, words.nth(1)?);
        let port = u16::from_str_radix(local.rsplit_once(':')?.1, 16).ok()?;
        let waiting = u32::from_str_radix(words.next()?.split_once(':')?.1, 16).ok()?;
        (state == "0A").then_some((waiting, port))
    };
    text.lines().skip(1).map_while(of_listener).max().filter(|(waiting, _)| *waiting > 0)
}

/// What `/proc/stat` tells of a core, or of all, since the machine's start.
struct Ticks {
    busy: u64,
    /// Part of `busy`.
    niced: u64,
    steal: u64,
}

/// Of all cores, by the first line of `/proc/stat` (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal.
/// What follows (guests) is part of user and nice.
fn cpu(text: &str) -> Option<Ticks> {
    ticks(text.lines().next()?.strip_prefix("cpu ")?)
}

/// The same of one line, without its first word.
fn ticks(line: &str) -> Option<Ticks> {
    let mut ticks = [0_u64; 8];
    for (tick, word) in ticks.iter_mut().zip(line.split_ascii_whitespace()) {
        *tick = word.parse().ok()?;
    }
    let [user, niced, system, _idle, _iowait, irq, softirq, steal] = ticks;
    let busy = [niced, system, irq, softirq].into_iter().fold(user, u64::saturating_add);
    Some(Ticks { busy, niced, steal })
}
