//! The number of users and their offsets against the definition, in fractions of integers without bounds, up to the
//! largest rates and lengths that are allowed.

use num_bigint::BigInt;
use num_rational::BigRational;

use super::*;

fn number(n: impl Into<BigInt>) -> BigRational {
    BigRational::from_integer(n.into())
}

/// The integral of the arrival rate up to `at_ns`, in users.
fn integral(phases: &[Phase], at_ns: u64) -> BigRational {
    let mut sum = number(0);
    let mut started_ns = 0;
    for phase in phases {
        let within_ns = at_ns.saturating_sub(started_ns).min(phase.duration_ns);
        started_ns += phase.duration_ns;
        if within_ns == 0 {
            continue;
        }
        let per_ns = |micro: u64| BigRational::new(micro.into(), BigInt::from(1_000_000_000_000_000u64));
        let (from, to) = (per_ns(phase.from_micro), per_ns(phase.to_micro));
        let t = number(within_ns);
        // The area of a trapezium: its mean height, which the rate has in the middle, times its length.
        let middle = &t / (number(2) * number(phase.duration_ns));
        sum += (&from + (to - &from) * middle) * t;
    }
    sum
}

/// Whether `offset` is the earliest moment at which the integral reaches `n`, floored to a nanosecond. Between two
/// whole nanoseconds the rate is one straight line, so it is enough to look at these.
fn is_offset(phases: &[Phase], n: u64, offset: u64) -> bool {
    let n = number(n);
    let here = integral(phases, offset);
    let not_before = here < n || (here == n && (offset == 0 || integral(phases, offset - 1) < n));
    let not_after = here >= n || integral(phases, offset + 1) > n;
    not_before && not_after
}

fn check(phases: &[Phase], wanted: impl Fn(u64) -> Vec<u64>) -> Result<(), TestCaseError> {
    let all = Injection::checked(phases.to_vec()).unwrap();
    let users = integral(phases, all.duration_ns()).ceil().to_integer();
    prop_assert_eq!(BigInt::from(all.users()), users);
    prop_assert_eq!(all.offset_ns(all.users()), None);
    for n in wanted(all.users()) {
        let offset = all.offset_ns(n);
        prop_assert!(offset.is_some_and(|o| is_offset(phases, n, o)), "{n} of {}: {offset:?}", all.users());
    }
    Ok(())
}

/// Rates over all magnitudes, and often 0 or the most.
fn any_rate() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(MAX_RATE_MICRO), (0..50u32).prop_flat_map(|bits| 0..=(1u64 << bits))]
        .prop_map(|rate| rate.min(MAX_RATE_MICRO))
}

/// Up to four phases that together last 30 days at most.
fn any_phases() -> impl Strategy<Value = Vec<Phase>> {
    let length = (1..50u32).prop_flat_map(|bits| 1..=(1u64 << bits).min(MAX_DURATION_NS / 4));
    let phase =
        (any_rate(), any_rate(), 0..3u8, length).prop_map(|(from, to, kind, duration_ns)| match kind {
            0 => Phase { from_micro: from, to_micro: from, duration_ns },
            // Hardly a ramp: where a solution in floating point would cancel.
            1 => Phase { from_micro: from, to_micro: (from + 1).min(MAX_RATE_MICRO), duration_ns },
            _ => Phase { from_micro: from, to_micro: to, duration_ns },
        });
    prop::collection::vec(phase, 1..5)
}

/// Phases of few users: up to 20/s for up to 3 s.
fn small_phases() -> impl Strategy<Value = Vec<Phase>> {
    let rate = || prop_oneof![Just(0), 0..20_000_000u64, (0..20u64).prop_map(|rate| rate * 1_000_000)];
    let length = prop_oneof![1..3_000_000_000u64, (1..4u64).prop_map(|s| s * 1_000_000_000)];
    let phase = (rate(), rate(), any::<bool>(), length).prop_map(|(from_micro, to, flat, duration_ns)| {
        Phase { from_micro, to_micro: if flat { from_micro } else { to }, duration_ns }
    });
    prop::collection::vec(phase, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn the_number_of_users_and_any_offset_are_exact_up_to_the_limits(phases in any_phases(), shares: [u64; 4]) {
        check(&phases, |users| {
            let Some(last) = users.checked_sub(1) else { return Vec::new() };
            let drawn = shares.iter().map(|share| crate::draw::below(*share, u128::from(users)));
            drawn.chain([0, 1.min(last), last]).collect()
        })?;
    }

    #[test]
    fn every_offset_of_a_small_injection_is_exact(phases in small_phases()) {
        check(&phases, |users| (0..users).collect())?;
    }
}
