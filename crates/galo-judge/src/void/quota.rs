//! A service that used more CPU than its limit allows: something lifted that meanwhile.

use galo_record::{RoundData, Sample};

use crate::findings::{UnequalTerms, VoidReason};

/// Times its CPU limit that a service may use over a second and longer, and one period's quota.
const QUOTA_SHARE_MAX: f64 = 1.05;
/// The kernel's period, in nanoseconds.
const QUOTA_PERIOD_NS: f64 = 100_000_000.0;
/// How long a service must use more than its limit allows.
const OVER_NS: u64 = 1_000_000_000;

/// The service that exceeded its limit most, if any did.
///
/// The kernel hands the quota out by periods of 0.1 s, and a second may lie across eleven of them, so one quota more is not
/// held against anybody. A look at a time `t` is known to be over when the next one begins, which is what counts as elapsed.
pub(super) fn over_quota(round: &RoundData) -> Option<VoidReason> {
    let placed = &round.record.placement.as_ref()?.services;
    let over = placed.iter().enumerate().filter_map(|(index, service)| {
        let limit_cpus = f64::from(service.cpus_milli?) / 1000.0;
        let over_ns = most_over(&round.samples, index, QUOTA_SHARE_MAX * limit_cpus)?;
        (over_ns > limit_cpus * QUOTA_PERIOD_NS).then_some((&service.name, limit_cpus, over_ns))
    });
    let (service, limit_cpus, over_ns) = over.max_by(|a, b| a.2.total_cmp(&b.2))?;
    Some(reason(service, limit_cpus, over_ns))
}

/// The same of a service that was watched in parts, with its use of CPU and the length of each, both in nanoseconds: it stood
/// still in between, so one quota more is held against nobody in each of them.
pub(crate) fn over_quota_in_parts(
    service: &str,
    limit_cpus: f64,
    parts: &[(u64, u64)],
) -> Option<VoidReason> {
    let over = |(used_ns, watched_ns): &(u64, u64)| {
        *used_ns as f64 - limit_cpus * (QUOTA_SHARE_MAX * *watched_ns as f64 + QUOTA_PERIOD_NS)
    };
    let (mut most, mut sum, mut watched_ns) = (0.0_f64, 0.0_f64, 0_u64);
    for part in parts {
        if sum <= 0.0 {
            (sum, watched_ns) = (0.0, 0);
        }
        (sum, watched_ns) = (sum + over(part), watched_ns.saturating_add(part.1));
        if watched_ns >= OVER_NS {
            most = most.max(sum);
        }
    }
    (most > 0.0).then(|| reason(service, limit_cpus, most))
}

fn reason(service: &str, limit_cpus: f64, over_ns: f64) -> VoidReason {
    UnequalTerms::OverQuota {
        service: service.to_owned(),
        over_s: over_ns / 1e9,
        limit_cpus,
        factor: QUOTA_SHARE_MAX,
    }
    .into()
}

/// By how much, in nanoseconds, a service's use of CPU exceeded this rate (in CPUs) at most, over any second or longer.
fn most_over(samples: &[Sample], index: usize, cpus: f64) -> Option<f64> {
    let looks: Vec<(u64, u64)> = samples
        .iter()
        .filter_map(|sample| Some((sample.at_ns, sample.services.get(index)?.cpu_ns)))
        .collect();
    let balance = |at_ns: u64, used_ns: u64| used_ns as f64 - cpus * at_ns as f64;
    let (mut least, mut begin, mut most) = (f64::INFINITY, 0, None::<f64>);
    for pair in looks.windows(2) {
        let [(at_ns, used_ns), (next_ns, _)] = *pair else { continue };
        while looks[begin].0 + OVER_NS <= at_ns {
            least = least.min(balance(looks[begin].0, looks[begin].1));
            begin += 1;
        }
        let over = balance(next_ns, used_ns) - least;
        most = Some(most.map_or(over, |most| most.max(over)));
    }
    most
}
