//! Amounts as people write them: `0.45` CPUs, `512MB`, `30s`. Compose's units are binary: `1MB` is 1,048,576 bytes.

use std::time::Duration;

/// Parses a memory size as Compose does: a number and `b`, `k`, `kb`, `m`, `mb`, `g`, `gb` (any case), and also `KiB`,
/// `MiB`, `GiB`; all binary. A bare number is bytes.
pub fn parse_bytes(_text: &str) -> Result<u64, String> {
    todo!()
}

/// Parses a CPU share such as `0.45` or `1` into thousandths of a CPU, exactly. More than three decimals are refused.
pub fn parse_cpus_milli(_text: &str) -> Result<u32, String> {
    todo!()
}

/// Parses a duration such as `30s`, `1m30s`, `100ms`.
pub fn parse_duration(_text: &str) -> Result<Duration, String> {
    todo!()
}

/// Writes thousandths of a CPU as people do: `0.45`.
pub fn format_cpus(milli: u32) -> String {
    let text = format!("{}.{:03}", milli / 1000, milli % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writes bytes in binary units with at most one decimal: `512 MiB`, `1.5 GiB`.
pub fn format_bytes(_bytes: u64) -> String {
    todo!()
}
