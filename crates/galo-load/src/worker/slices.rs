//! A thread of a load that is driven in slices.

use galo_record::duel::Slice;

use super::Worker;
use crate::gate::{Gate, GatedThread};

/// Where a thread is in its slices. All times are the load's own, which goes on until the last operation of a slice has ended;
/// users arrive by a time that stops at the slice's end, so that none falls due while nothing is begun.
pub(super) struct Slices<'g> {
    thread: GatedThread<'g>,
    /// When this slice began, and from when on it begins nothing.
    from_ns: u64,
    to_ns: u64,
    /// Whether all that fell due in it was begun, as far as there was room.
    begun: bool,
    /// How long what is under way then may take.
    drain_ns: u64,
    /// When the slice before it had begun all.
    before_to_ns: u64,
    /// By how much arrivals are put off: what all slices before took to their end.
    put_off_ns: u64,
    /// Slices at whose end users waited for a connection, the oldest first: the offset there, and by how much arrivals were put off
    /// until then.
    waited: Vec<(u64, u64)>,
    /// Right answers before this slice.
    ok_before: u64,
}

impl<'g> Slices<'g> {
    /// A load that begins at `start_ns`, and stands still until its first slice.
    pub(super) const fn before_the_first(gate: &'g Gate, start_ns: u64) -> Self {
        Self {
            thread: gate.thread(),
            from_ns: start_ns,
            to_ns: start_ns,
            begun: true,
            drain_ns: 0,
            before_to_ns: start_ns,
            put_off_ns: 0,
            waited: Vec::new(),
            ok_before: 0,
        }
    }
}

impl Worker<'_> {
    /// What fell due by then is begun, if that is in the slice; `None`: nothing is begun any more in this one.
    pub(super) fn begins_by(&self, by_ns: u64) -> Option<u64> {
        match &self.slices {
            None => Some(by_ns),
            Some(slices) => (!slices.begun).then(|| by_ns.min(slices.to_ns)),
        }
    }

    /// When a slice is over, unless something happens before; `None`: it is not driven in slices.
    pub(super) fn slice_wake_ns(&self) -> Option<u64> {
        let Slices { to_ns, drain_ns, begun, .. } = self.slices.as_ref()?;
        Some(if *begun { to_ns.saturating_add(*drain_ns) } else { *to_ns })
    }

    /// Whether the slice is over: all that fell due in it was begun, and has ended, or may not take longer.
    pub(super) fn is_slice_over(&mut self, now: u64) -> bool {
        let Some(Slices { to_ns, drain_ns, begun, .. }) = self.slices else { return false };
        if !begun && now < to_ns {
            return false;
        }
        if !begun {
            while let Some(slot) = self.next_due(to_ns) {
                self.start(slot, now);
            }
            self.slices.iter_mut().for_each(|slices| slices.begun = true);
        }
        self.live.in_flight() == 0 || now >= to_ns.saturating_add(drain_ns)
    }

    /// Stands still until the next slice begins, or it is to stop.
    pub(super) fn stand_still(&mut self) {
        let now = self.net.time.now_ns().max(self.shared.start_ns);
        let (part, ok, shared, waits) = (self.part(now), self.tally.ok(), self.shared, self.blocked);
        let end_ns = self.arrival_offset(now).unwrap_or(0);
        let next_ns = self.arrivals.next_open_ns().unwrap_or(u64::MAX);
        let Some(slices) = &mut self.slices else { return };
        let is_stopped = || shared.is_stopped();
        let Some(terms) = slices.thread.stand_still(part, is_stopped) else { return };
        self.net.time.go_on(now);
        slices.waited.retain(|(end_ns, _)| *end_ns >= next_ns);
        slices.waited.extend(waits.then_some((end_ns, slices.put_off_ns)));
        slices.put_off_ns += now.saturating_sub(slices.to_ns);
        (slices.before_to_ns, slices.from_ns) = (slices.to_ns, now);
        slices.to_ns = now.saturating_add(terms.length_ns);
        (slices.drain_ns, slices.begun, slices.ok_before) = (terms.drain_ns, false, ok);
    }

    /// Tells of the slice in which the load ends.
    pub(super) fn end_slices(&mut self) {
        let part = self.part(self.net.time.now_ns());
        if let Some(slices) = self.slices.take() {
            slices.thread.end(part);
        }
    }

    /// What this thread's part of a slice came to.
    fn part(&self, now: u64) -> Slice {
        let (from_ns, before) = self.slices.as_ref().map_or((now, 0), |s| (s.from_ns, s.ok_before));
        Slice {
            elapsed_ns: now.saturating_sub(from_ns),
            ok: self.tally.ok() - before,
            under_way: self.live.in_flight(),
            cpu_ns: None,
        }
    }

    /// A moment by the time that users arrive by; `None`: it is before the first one.
    pub(super) fn arrival_offset(&self, at_ns: u64) -> Option<u64> {
        let (to_ns, put_off_ns) = self.slices.as_ref().map_or((u64::MAX, 0), |s| (s.to_ns, s.put_off_ns));
        at_ns.min(to_ns).checked_sub(self.shared.start_ns + put_off_ns)
    }

    /// When somebody arrives, by the load's own time: also where that was in a slice before, and no connection was free until now.
    pub(super) fn arrival_ns(&self, offset_ns: u64) -> u64 {
        let waited = self.slices.iter().flat_map(|slices| &slices.waited);
        let then = waited.into_iter().find(|(end_ns, _)| offset_ns <= *end_ns);
        self.shared.start_ns + offset_ns + then.map_or(self.put_off_ns(), |(_, put_off_ns)| *put_off_ns)
    }

    /// From when on this slice lets something begin; 0: it is not driven in slices.
    pub(super) fn slice_from_ns(&self) -> u64 {
        self.slices.as_ref().map_or(0, |slices| slices.from_ns)
    }

    /// When what is still under way is unfinished.
    pub(super) fn cut_ns(&self) -> u64 {
        self.shared.cut_ns.saturating_add(self.put_off_ns())
    }

    fn put_off_ns(&self) -> u64 {
        self.slices.as_ref().map_or(0, |slices| slices.put_off_ns)
    }

    /// A pause that ended after a slice had begun all ends when the next one begins.
    pub(super) fn put_off(&mut self, slot: u32) {
        let Some(Slices { before_to_ns, from_ns, .. }) = self.slices else { return };
        let user = self.users.get(slot);
        if (before_to_ns..from_ns).contains(&user.intended_ns) {
            user.intended_ns = from_ns;
        }
    }
}
