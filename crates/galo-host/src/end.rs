//! The end of a running contender: services that have a stop signal are asked, then everything is killed and removed.
//!
//! Killing is the rule: nothing that a service would put in order outlives its round. But without namespaces some leave
//! things that are in no folder and no control group (PostgreSQL: a segment of shared memory), and only they can
//! remove these.

use std::time::{Duration, Instant};

use galo_plan::contender::Stop;
use galo_record::HostFact;
use galo_record::finding::{ServiceHardToKill, ServiceLateToStop};

use crate::error::HostError;
use crate::port;
use crate::processes::{Live, Processes};
use crate::reap;
use crate::session::Leader;
use crate::sweep;
use crate::system::System;

/// Time between two looks at services that were asked to end.
const LOOK: Duration = Duration::from_millis(2);

impl Processes {
    /// Ends and removes everything. The first error is told, after all else was done.
    pub(crate) fn end(&mut self) -> Result<Vec<HostFact>, HostError> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(Vec::new());
        }
        let left = self.keeper.release(|_| true);
        let mut findings = self.keeper.look();
        let mut result = Ok(());
        let last_asked = self.services.iter().rposition(|live| live.stop.is_some());
        // Killed backwards, so that nobody complains in its log that a service it depends on has gone. All that are asked
        // are asked before the first of them is killed, while what they depend on still runs.
        for index in (0..self.services.len()).rev() {
            if Some(index) == last_asked {
                findings.extend(ask_to_end(&mut self.services));
            }
            let live = &mut self.services[index];
            let killed = live.enclosure.kill();
            if let Ok(killed) = &killed {
                findings.extend(restless(&live.name, killed.repeats));
                self.keeper.found_outside(&live.name, killed.outside.clone());
            }
            // Also by its id: it may be where it is not looked for.
            let ended = live.child.as_mut().map_or(Ok(()), reap::end);
            let discarded = killed.and(ended).and_then(|()| self.inner.discard(&live.enclosure));
            result = result.and(discarded.map(drop));
        }
        left.iter().for_each(Leader::kill);
        findings.extend(self.keeper.look());
        for enclosure in &self.asides {
            result = result.and(self.inner.discard(enclosure).map(drop));
        }
        for path in &self.volumes {
            let removed = sweep::remove(path)
                .and_then(|_| self.inner.state.change(|list| list.volumes.retain(|v| v != path)));
            result = result.and(removed);
        }
        result = result.and(port::require_let_go(&self.ports));
        result.map(|()| findings).map_err(|e| e.about("contender", &self.placement.contender))
    }
}

/// What Compose does to a service whose file does not say.
const USUAL: Stop = Stop { signal: 15, grace_ns: 10_000_000_000 };

/// Asks one service to end, as Compose would.
pub(crate) fn ask_alone(live: &mut Live) -> Vec<HostFact> {
    // Its end is galo's doing.
    live.told = true;
    let stop = live.stop.unwrap_or(USUAL);
    wait(if live.ask(stop.signal) { vec![(live, stop)] } else { Vec::new() })
}

/// Sends the stop signals, all at once, and waits until no process of these services is left or their time is over.
fn ask_to_end(services: &mut [Live]) -> Vec<HostFact> {
    let asked = services.iter_mut().filter_map(|live| {
        let stop = live.stop?;
        live.ask(stop.signal).then_some((live, stop))
    });
    wait(asked.collect())
}

/// Waits until no process of these services is left, or their time is over.
fn wait(mut waiting: Vec<(&mut Live, Stop)>) -> Vec<HostFact> {
    let asked = Instant::now();
    let mut findings = Vec::new();
    while !waiting.is_empty() {
        std::thread::sleep(LOOK);
        waiting.retain_mut(|(live, stop)| {
            // Reaped, so that a dead first process counts for nothing; one that has left its group is waited for.
            let has_ended = live.status().is_some();
            if has_ended && live.enclosure.is_empty() {
                return false;
            }
            let late = asked.elapsed() >= Duration::from_nanos(stop.grace_ns);
            if late {
                findings.push(HostFact::ServiceLateToStop(ServiceLateToStop {
                    service: live.name.clone(),
                    grace_ns: stop.grace_ns,
                }));
            }
            !late
        });
    }
    findings
}

impl Live {
    /// Sends its first process a signal, and lets it end as fast as it can; `false` where that has ended already. The first
    /// process of a PID namespace does not heed a signal for which it has no handler (`pid_namespaces(7)`); galo kills
    /// it then, which is what the signal does to others.
    #[allow(unsafe_code)]
    fn ask(&mut self, signal: u8) -> bool {
        let Some(child) = &mut self.child else { return false };
        let (Ok(None), Ok(pid)) = (child.try_wait(), i32::try_from(child.id())) else { return false };
        self.enclosure.hurry();
        let signal = if is_deaf(&System::real(), pid, signal) { libc::SIGKILL } else { signal.into() };
        // SAFETY: the call takes plain numbers and touches no memory. The process is galo's own child, which nobody has
        // waited for yet, so the number is no other's.
        unsafe { libc::kill(pid, signal) == 0 }
    }
}

/// Whether a process is the first of its PID namespace and has no handler for a signal, by its `/proc/PID/status`.
fn is_deaf(system: &System, pid: i32, signal: u8) -> bool {
    let status = system.read(format!("/proc/{pid}/status")).unwrap_or_default();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let is_init = field("NSpid:").split_whitespace().skip(1).last() == Some("1");
    let bits = |name: &str| u64::from_str_radix(field(name).trim(), 16).unwrap_or(u64::MAX);
    let handled = bits("SigCgt:") | bits("SigIgn:");
    is_init && signal > 0 && handled >> (signal - 1) & 1 == 0
}

/// New processes appeared while the known ones were being killed.
fn restless(name: &str, passes: u32) -> Option<HostFact> {
    (passes > 0).then(|| HostFact::ServiceHardToKill(ServiceHardToKill { service: name.to_owned(), passes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_namespace_does_not_hear_a_signal_for_which_it_has_no_handler() {
        let deaf = |ids: &str, caught: &str| {
            let root = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(root.path().join("proc/7")).unwrap();
            let status = format!("NSpid:\t{ids}\nSigIgn:\t0000000000000001\nSigCgt:\t{caught}\n");
            std::fs::write(root.path().join("proc/7/status"), status).unwrap();
            let system = System::at(root.path());
            [1, 15].map(|signal| is_deaf(&system, 7, signal))
        };
        assert_eq!(deaf("7\t1", "0000000000000000"), [false, true]);
        assert_eq!(deaf("7\t1", "0000000000004000"), [false, false]);
        assert_eq!(deaf("7\t2", "0000000000000000"), [false, false], "not the first");
        assert_eq!(deaf("1", "0000000000000000"), [false, false], "no namespace of its own");
    }
}
