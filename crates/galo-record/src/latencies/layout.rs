//! The one layout of all histograms, and its bucket numbers.
//!
//! The numbers are HdrHistogram's `countsArrayIndex` (G. Tene, `AbstractHistogram.java`) with these constants. They
//! are computed here because they are stored in files, and the crate keeps its own private.

/// Smallest latency that is told from its neighbours (the crate rounds it down to a power of two: 64 ns).
pub(super) const LOWEST_NS: u64 = 100;
/// Largest latency: an hour.
pub(super) const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Significant decimal digits.
pub(super) const SIGNIFICANT_DIGITS: u8 = 3;

/// log2 of the unit, 64 ns.
const UNIT: u32 = 6;
/// log2 of the number of buckets for each doubling: half of the power of two that holds 2 * 10^3.
const HALF: u32 = 10;
/// Number of buckets up to [`HIGHEST_NS`].
pub(super) const BUCKETS: u32 = bucket_of(HIGHEST_NS) + 1;

/// The bucket that counts `ns`.
pub(super) const fn bucket_of(ns: u64) -> u32 {
    // The first two times 2^HALF buckets are one unit wide; from there on the width doubles every 2^HALF.
    let linear = (1 << (UNIT + HALF + 1)) - 1;
    let doubling = (u64::BITS - UNIT - HALF - 1) - (ns | linear).leading_zeros();
    (doubling << HALF) + (ns >> (doubling + UNIT)) as u32
}

/// The smallest latency in a bucket.
pub(super) const fn lowest_in(bucket: u32) -> u64 {
    let doubling = (bucket >> HALF).saturating_sub(1);
    ((bucket - (doubling << HALF)) as u64) << (doubling + UNIT)
}

/// The largest latency in a bucket.
pub(super) const fn highest_in(bucket: u32) -> u64 {
    lowest_in(bucket + 1) - 1
}
