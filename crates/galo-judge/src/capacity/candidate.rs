//! One rate that is looked into: how many trials it takes to believe it.

/// What one trial, or several of one rate, say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Met,
    Failed,
    /// galo did not keep up.
    Client,
}

/// The rate that is looked into and what its trials said.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) rate: u64,
    met: u32,
    failed: u32,
    client: u32,
}

impl Candidate {
    pub(super) fn of(rate: u64) -> Self {
        Self { rate, met: 0, failed: 0, client: 0 }
    }

    pub(super) fn count(&mut self, said: Said) {
        match said {
            Said::Met => self.met += 1,
            Said::Failed => self.failed += 1,
            Said::Client => self.client += 1,
        }
    }

    /// Two that agree decide; one that is met does where `one_will_do`.
    pub(super) fn concluded(&self, one_will_do: bool) -> Option<Said> {
        let alone = one_will_do && self.failed + self.client == 0;
        if self.met >= 2 || (alone && self.met == 1) {
            return Some(Said::Met);
        }
        match (self.failed, self.client) {
            (2.., _) => Some(Said::Failed),
            (_, 2..) => Some(Said::Client),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_that_galo_spoiled_is_no_second_one_that_failed() {
        let after = |said: &[Said]| {
            let mut candidate = Candidate::of(1);
            said.iter().for_each(|said| candidate.count(*said));
            candidate.concluded(true)
        };
        use Said::{Client, Failed, Met};
        assert_eq!(after(&[Failed, Client]), None);
        assert_eq!(after(&[Failed, Client, Met]), None);
        assert_eq!(after(&[Failed, Client, Failed]), Some(Failed));
        assert_eq!(after(&[Failed, Client, Client]), Some(Client));
        assert_eq!(after(&[Failed, Client, Met, Met]), Some(Met));
    }
}
