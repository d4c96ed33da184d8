//! How many may come.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::metrics::Metrics;

/// Counts clients, in all and by address.
#[derive(Debug)]
pub(crate) struct Admission {
    most: usize,
    most_of_one: Option<u32>,
    open: AtomicUsize,
    of_one: Mutex<HashMap<IpAddr, u32>>,
    metrics: Arc<Metrics>,
}

/// A client that is in; out when this is dropped.
#[derive(Debug)]
pub(crate) struct Ticket {
    admission: Arc<Admission>,
    counted: Option<IpAddr>,
}

impl Admission {
    pub(crate) fn new(most: usize, most_of_one: Option<u32>, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self { most, most_of_one, open: AtomicUsize::new(0), of_one: Mutex::default(), metrics })
    }

    /// Whether addresses have to be known.
    pub(crate) fn counts_clients(&self) -> bool {
        self.most_of_one.is_some()
    }

    /// Nothing: there are too many.
    pub(crate) fn admit(self: &Arc<Self>, client: Option<IpAddr>) -> Option<Ticket> {
        let counted = client.filter(|_| self.counts_clients());
        // First in, so that whatever is refused is counted out again by the ticket.
        let before = self.open.fetch_add(1, Ordering::Relaxed);
        self.metrics.connections_open.add(1);
        let mut ticket = Ticket { admission: Arc::clone(self), counted: None };
        let of_one = counted.is_none_or(|address| {
            let mut of_one = self.of_one();
            let number = of_one.entry(address).or_default();
            let fits = self.most_of_one.is_none_or(|most| *number < most);
            *number += u32::from(fits);
            fits
        });
        if of_one {
            ticket.counted = counted;
        }
        if before < self.most && of_one {
            self.metrics.connections_total.add(1);
            return Some(ticket);
        }
        self.metrics.connections_refused_total.add(1);
        None
    }

    fn of_one(&self) -> MutexGuard<'_, HashMap<IpAddr, u32>> {
        self.of_one.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.admission.open.fetch_sub(1, Ordering::Relaxed);
        self.admission.metrics.connections_open.sub(1);
        if let Some(address) = self.counted {
            let mut of_one = self.admission.of_one();
            if let Some(number) = of_one.get_mut(&address) {
                *number -= 1;
                if *number == 0 {
                    of_one.remove(&address);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Admission;
    use crate::metrics::Metrics;

    #[test]
    fn no_more_than_the_bounds_are_in_and_who_leaves_makes_room() {
        let metrics = Arc::new(Metrics::default());
        let admission = Admission::new(3, Some(2), Arc::clone(&metrics));
        let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().ok());
        let first = admission.admit(one).unwrap();
        let second = admission.admit(one).unwrap();
        assert!(admission.admit(one).is_none(), "a third of one");
        let third = admission.admit(other).unwrap();
        assert!(admission.admit(other).is_none(), "a fourth in all");
        drop(first);
        let fourth = admission.admit(other).unwrap();
        assert_eq!((metrics.connections_open.get(), metrics.connections_refused_total.get()), (3, 2));
        drop((second, third, fourth));
        assert_eq!(
            (admission.open.load(std::sync::atomic::Ordering::Relaxed), metrics.connections_open.get()),
            (0, 0)
        );
        assert!(admission.of_one.lock().unwrap().is_empty());
    }
}
